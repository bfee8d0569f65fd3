import Spec.AesGcm.Stream

/-!
# A message in pieces: the start
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream.Init
open TCB Message

/-- The lengths are allowed (SP 800-38D, section 5.2.1.1). -/
def supported : Requirement where
  text := "`nonce_len` is not 0 and less than 2^61, and `aad_len` is less than 2^61"
  Holds := fun a m => Gcm.Supported (nonce a m) (aad a m) []

/-- `vg_aes_gcm_stream_init(ctx, args)` -/
def contract : Contract where
  summary := "Begins a message that is encrypted or decrypted in pieces: `state` represents the message with this nonce, this " ++
    "additional data and no text (SP 800-38D, section 7.1, algorithm 4, step 2; section 7.2, algorithm 5, step 3)."
  sig := {
    params := [⟨"ctx", .bytes .input (.const Context.size)⟩, ⟨"args", .record "StreamInitArgs"⟩]
    fields := [
      ⟨"rounds", .usize⟩,
      ⟨"nonce", .bytes .input (.arg "nonce_len")⟩,
      ⟨"nonce_len", .usize⟩,
      ⟨"aad", .bytes .input (.arg "aad_len")⟩,
      ⟨"aad_len", .usize⟩,
      ⟨"state", .bytes .output (.const stateSize)⟩] }
  requires := [Context.validRounds, ofCipher, prepared, supported]
  Ensures := fun a m m' _ => Represents (cipher a m) m' (a "state") (nonce a m) (aad a m) []
  writtenWithin := [("state", .const 48)]

end Spec.AesGcm.Stream.Init
