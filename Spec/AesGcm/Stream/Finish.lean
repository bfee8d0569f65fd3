import Spec.AesGcm.Stream

/-!
# A message in pieces: the tag
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream.Finish
open TCB Message

/-- `vg_aes_gcm_stream_finish(ctx, args)` -/
def contract : Contract where
  summary := "Writes the tag of the message that `state` represents, which has a text of `text_len` bytes and `aad_len` bytes of " ++
    "additional data (SP 800-38D, section 7.1, algorithm 4, steps 5 and 6)."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "StreamFinishArgs"⟩]
    fields := [
      ⟨"rounds", .usize⟩,
      ⟨"state", .bytes .input (.const stateSize)⟩,
      ⟨"aad_len", .usize⟩,
      ⟨"text_len", .usize⟩,
      ⟨"tag", .bytes .output (.const 16)⟩] }
  requires := [Context.validRounds, ofCipher, prepared]
  Ensures := fun a m m' _ => ∀ nonce aad ciphertext, aad.length = (a "aad_len").toNat → ciphertext.length = (a "text_len").toNat →
    Represents (cipher a m) m (a "state") nonce aad ciphertext →
    bytesAt m' (a "tag") 16 = Gcm.fullTag (cipher a m) nonce aad ciphertext
  writtenWithin := [("tag", .const 16)]

end Spec.AesGcm.Stream.Finish
