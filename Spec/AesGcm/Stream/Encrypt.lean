import Spec.AesGcm.Stream

/-!
# A message in pieces: encrypting the next piece
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream.Encrypt
open TCB Message

/-- `vg_aes_gcm_stream_encrypt(ctx, args)` -/
def contract : Contract where
  summary := "Encrypts `data` in place as the next piece of a message (SP 800-38D, section 7.1, algorithm 4, steps 3 to 5): if " ++
    "`state` represents a message with a text of `text_len` bytes, it represents the same message with `data` after that text."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "StreamArgs"⟩]
    fields := fields }
  requires := [Context.validRounds, ofCipher, prepared, supported]
  Ensures := fun a m m' _ => ∀ nonce aad text, text.length = (a "text_len").toNat →
    Represents (cipher a m) m (a "state") nonce aad (gctr a m nonce text) →
    bytesAt m' (a "data") (a "len").toNat = (gctr a m nonce (text ++ data a m)).drop text.length ∧
    Represents (cipher a m) m' (a "state") nonce aad (gctr a m nonce (text ++ data a m))
  writtenWithin := [("state", .const stateSize), ("data", .arg "len")]

end Spec.AesGcm.Stream.Encrypt
