import Spec.AesGcm.Context

/-!
# Counter mode with a counter of 32 bits
-/

set_option autoImplicit false
namespace Spec.AesCtr32
open TCB AesGcm

/-- `vg_aes_ctr32(ctx, rounds, counter, data, len)` -/
def contract : Contract where
  summary := "Encrypts or decrypts `data` in place in counter mode, from the counter block `counter`, whose " ++
    "last four bytes count modulo 2^32 (GCTR of SP 800-38D, section 6.5)."
  sig := { params := [
    ⟨"ctx", .bytes .input (.const Context.size)⟩,
    ⟨"rounds", .usize⟩,
    ⟨"counter", .bytes .input (.const 16)⟩,
    ⟨"data", .bytes .inout (.arg "len")⟩,
    ⟨"len", .usize⟩] }
  requires := [Context.validRounds, Context.wholeBlocks]
  Ensures := fun a m m' _ => bytesAt m' (a "data") (a "len").toNat =
    Gcm.gctr (Gcm.aes (Context.roundKeys m (a "ctx") (a "rounds").toNat)) (Gcm.ofBytes (bytesAt m (a "counter") 16))
      (bytesAt m (a "data") (a "len").toNat)
  writtenWithin := [("data", .arg "len")]

end Spec.AesCtr32
