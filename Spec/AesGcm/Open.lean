import Spec.AesGcm.Message

/-!
# Opening a message in place
-/

set_option autoImplicit false
namespace Spec.AesGcm.Open
open TCB Message

/-- The plaintext, or none (SP 800-38D, section 7.2). -/
def plaintext (a : Args) (m : Mem) : Option (List Byte) :=
  Gcm.decryptWith (cipher a m) (nonce a m) (aad a m) (data a m) (bytesAt m (a "tag") (a "tag_len").toNat)

/-- `vg_aes_gcm_open(ctx, args)` -/
def contract : Contract where
  summary := "Decrypts `data` in place and returns 1, if its tag is right (authenticated decryption of SP 800-38D, " ++
    "section 7.2). Otherwise returns 0, and `data` is as it was."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "OpenArgs"⟩]
    fields := fields ++ [⟨"tag", .bytes .input (.arg "tag_len")⟩, ⟨"tag_len", .usize⟩]
    returns := true }
  requires := [Context.validRounds, ofCipher, prepared, supported, {
    text := "`tag_len` is 4, 8, 12, 13, 14, 15 or 16"
    Holds := fun a _ => (a "tag_len").toNat ∈ Gcm.tagLengths }]
  Ensures := fun a m m' r => match plaintext a m with
    | some p => bytesAt m' (a "data") (a "len").toNat = p ∧ r = 1
    | none => bytesAt m' (a "data") (a "len").toNat = data a m ∧ r = 0
  writtenWithin := [("data", .arg "len")]
  declassifies := fun a m => [if (plaintext a m).isSome then 1 else 0]

end Spec.AesGcm.Open
