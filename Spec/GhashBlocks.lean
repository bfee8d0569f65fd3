import Spec.AesGcm.Context

/-!
# GHASH of whole blocks
-/

set_option autoImplicit false
namespace Spec.GhashBlocks
open TCB AesGcm

/-- `vg_ghash_blocks(ctx, y, data, len)` -/
def contract : Contract where
  summary := "Hashes the blocks of `data` into the 16 bytes of `y`, which are zero at the start of a message " ++
    "(SP 800-38D, section 6.4)."
  sig := { params := [
    ⟨"ctx", .bytes .input (.const Context.size)⟩,
    ⟨"y", .bytes .inout (.const 16)⟩,
    ⟨"data", .bytes .input (.arg "len")⟩,
    ⟨"len", .usize⟩] }
  requires := [Context.wholeBlocks, {
    text := "`ctx` is prepared: it holds the powers of its hash subkey"
    Holds := fun a m => Context.Prepared m (a "ctx") }]
  Ensures := fun a m m' _ => bytesAt m' (a "y") 16 = Gcm.toBytes (Ghash.ghash (Context.subkey m (a "ctx"))
    (Gcm.ofBytes (bytesAt m (a "y") 16)) (Gcm.blocks (bytesAt m (a "data") (a "len").toNat)))
  writtenWithin := [("y", .const 16)]

end Spec.GhashBlocks
