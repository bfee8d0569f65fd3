import Spec.AesGcm.Stream

/-!
# A message in pieces: decrypting the next piece
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream.Decrypt
open TCB Message

/-- `vg_aes_gcm_stream_decrypt(ctx, args)` -/
def contract : Contract where
  summary := "Decrypts `data` in place as the next piece of a message (SP 800-38D, section 7.2, algorithm 5, steps 4 to 6): if " ++
    "`state` represents a message with a ciphertext of `text_len` bytes, it represents the same message with `data` after that " ++
    "ciphertext. Nothing is authenticated before the tag is compared."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "StreamArgs"⟩]
    fields := fields }
  requires := [Context.validRounds, ofCipher, prepared, supported]
  Ensures := fun a m m' _ => ∀ nonce aad ciphertext, ciphertext.length = (a "text_len").toNat →
    Represents (cipher a m) m (a "state") nonce aad ciphertext →
    bytesAt m' (a "data") (a "len").toNat = (gctr a m nonce (ciphertext ++ data a m)).drop ciphertext.length ∧
    Represents (cipher a m) m' (a "state") nonce aad (ciphertext ++ data a m)
  writtenWithin := [("state", .const stateSize), ("data", .arg "len")]

end Spec.AesGcm.Stream.Decrypt
