import Spec.AesGcm.Context

/-!
# The encryption of one block
-/

set_option autoImplicit false
namespace Spec.AesEncryptBlock
open TCB AesGcm

/-- `vg_aes_encrypt_block(ctx, rounds, block)` -/
def contract : Contract where
  summary := "Encrypts the 16 bytes of `block` in place with the round keys of `ctx` (FIPS 197, section 5.1)."
  sig := { params := [
    ⟨"ctx", .bytes .input (.const Context.size)⟩,
    ⟨"rounds", .usize⟩,
    ⟨"block", .bytes .inout (.const 16)⟩] }
  requires := [Context.validRounds]
  Ensures := fun a m m' _ => bytesAt m' (a "block") 16 = toBytes 16 (Aes.cipher
    (Context.roundKeys m (a "ctx") (a "rounds").toNat) (ofBytes 128 (bytesAt m (a "block") 16)))
  writtenWithin := [("block", .const 16)]

end Spec.AesEncryptBlock
