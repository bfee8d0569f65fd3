import Spec.AesGcm.Stream

/-!
# A message in pieces: comparing the tag
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream.Verify
open TCB Message

/-- `vg_aes_gcm_stream_verify(ctx, args)` -/
def contract : Contract where
  summary := "Returns 1 if `tag` is the tag, or its first bytes, of the message that `state` represents, which has a text of " ++
    "`text_len` bytes and `aad_len` bytes of additional data, and else 0 (SP 800-38D, section 7.2, algorithm 5, steps 5 to 8)."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "StreamVerifyArgs"⟩]
    fields := [
      ⟨"rounds", .usize⟩,
      ⟨"state", .bytes .input (.const stateSize)⟩,
      ⟨"aad_len", .usize⟩,
      ⟨"text_len", .usize⟩,
      ⟨"tag", .bytes .input (.arg "tag_len")⟩,
      ⟨"tag_len", .usize⟩]
    returns := true }
  requires := [Context.validRounds, ofCipher, prepared, {
    text := "`tag_len` is 4, 8, 12, 13, 14, 15 or 16"
    Holds := fun a _ => (a "tag_len").toNat ∈ Gcm.tagLengths }]
  Ensures := fun a m _ r => ∀ nonce aad ciphertext, aad.length = (a "aad_len").toNat → ciphertext.length = (a "text_len").toNat →
    Represents (cipher a m) m (a "state") nonce aad ciphertext →
    r = if bytesAt m (a "tag") (a "tag_len").toNat = (Gcm.fullTag (cipher a m) nonce aad ciphertext).take (a "tag_len").toNat then 1 else 0
  writtenWithin := []

end Spec.AesGcm.Stream.Verify
