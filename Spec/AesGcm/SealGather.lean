import Spec.AesGcm.Message
import Spec.Gather

/-!
# Sealing a message whose text is a list of slices
-/

set_option autoImplicit false
namespace Spec.AesGcm.SealGather
open TCB Message

/-- The slices of the text. -/
def slices (a : Args) (m : Mem) : List Region := slicesAt m (a "slices") (a "count").toNat

/-- `vg_aes_gcm_seal_gather(ctx, args)` -/
def contract : Contract where
  summary := "Encrypts the `count` slices of `slices`, one after the other, into `data` and writes the tag (authenticated " ++
    "encryption of SP 800-38D, section 7.1)."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "SealGatherArgs"⟩]
    fields := fields ++ [⟨"tag", .bytes .output (.const 16)⟩, ⟨"slices", .slices (.arg "count")⟩, ⟨"count", .usize⟩] }
  requires := [Context.validRounds, ofCipher, prepared, supported, {
    text := "`len` is the sum of the lengths of the slices"
    Holds := fun a m => Gather.totalLen (slices a m) = (a "len").toNat }]
  Ensures := fun a m m' _ => (bytesAt m' (a "data") (a "len").toNat, bytesAt m' (a "tag") 16) =
    Gcm.encryptWith (cipher a m) 16 (nonce a m) (aad a m) (Gather.concat m (slices a m))
  writtenWithin := [("data", .arg "len"), ("tag", .const 16)]

end Spec.AesGcm.SealGather
