import Spec.AesGcm.Message

/-!
# Sealing a message in place
-/

set_option autoImplicit false
namespace Spec.AesGcm.Seal
open TCB Message

/-- `vg_aes_gcm_seal(ctx, args)` -/
def contract : Contract where
  summary := "Encrypts `data` in place and writes its tag (authenticated encryption of SP 800-38D, section 7.1)."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "SealArgs"⟩]
    fields := fields ++ [⟨"tag", .bytes .output (.const 16)⟩] }
  requires := [Context.validRounds, ofCipher, prepared, supported]
  Ensures := fun a m m' _ => (bytesAt m' (a "data") (a "len").toNat, bytesAt m' (a "tag") 16) =
    Gcm.encryptWith (cipher a m) 16 (nonce a m) (aad a m) (data a m)
  writtenWithin := [("data", .arg "len"), ("tag", .const 16)]

end Spec.AesGcm.Seal
