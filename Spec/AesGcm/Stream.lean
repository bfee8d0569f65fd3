import Spec.AesGcm.Message

/-!
# A message in pieces

The kernels that encrypt or decrypt a message piece by piece keep what they need of it in a state of 80 bytes between the calls:
`init` writes one that represents the message without text, `encrypt` and `decrypt` take one that represents a message to one that
represents the message with one more piece, whatever the lengths of the pieces, and `finish` writes the tag of the message that
is represented. So a message in any pieces has the ciphertext and the tag of the pieces one after the other:
`Proof.AesGcm.Stream.encrypted_whole` and `decrypted_whole` say so of every sequence of calls.

The lengths of the text so far and of the additional data are public, and not in the state.
-/

set_option autoImplicit false
namespace Spec.AesGcm.Stream
open TCB Ghash

/-- The length of the state in bytes. -/
def stateSize : Nat := 80

/-- The state represents the message with this nonce, this additional data and this ciphertext so far, under the cipher: it
holds the encrypted pre-counter block (SP 800-38D, section 7.1, algorithm 4, step 6); the next counter block (section 6.5,
algorithm 3, step 5); the hash of the additional data and of the whole blocks of the ciphertext (section 6.4); and, if the last
block of the ciphertext is not whole, the encrypted counter block and the bytes of that block. Counter blocks and hashes are held
as little-endian numbers. -/
structure Represents (ciph : Block → Block) (m : Mem) (state : Addr) (nonce aad ciphertext : List Byte) : Prop where
  mask : bytesAt m state 16 = Gcm.toBytes (ciph (Gcm.j0 (Gcm.subkey ciph) nonce))
  counter : Context.word m state 16 =
    Gcm.counter (Gcm.inc32 (Gcm.j0 (Gcm.subkey ciph) nonce)) (Gcm.blockCount ciphertext)
  hash : Context.word m state 32 = ghash (Gcm.subkey ciph) 0 (Gcm.blocks (Gcm.pad16 aad) ++ Gcm.blocks ciphertext)
  stream : ciphertext.length % 16 ≠ 0 → bytesAt m (state + 48) 16 =
    Gcm.toBytes (ciph (Gcm.counter (Gcm.inc32 (Gcm.j0 (Gcm.subkey ciph) nonce)) (ciphertext.length / 16)))
  rest : bytesAt m (state + 64) (ciphertext.length % 16) = ciphertext.drop (16 * (ciphertext.length / 16))

/-- The arguments of a kernel that encrypts or decrypts the next piece: the number of rounds, the state, how many bytes came
before, and the piece. -/
def fields : List Param := [
  ⟨"rounds", .usize⟩,
  ⟨"state", .bytes .inout (.const stateSize)⟩,
  ⟨"text_len", .usize⟩,
  ⟨"data", .bytes .inout (.arg "len")⟩,
  ⟨"len", .usize⟩]

/-- The text with the next piece has an allowed length (SP 800-38D, section 5.2.1.1). -/
def supported : Requirement where
  text := "`text_len + len` is at most 2^36 - 32"
  Holds := fun a _ => (a "text_len").toNat + (a "len").toNat ≤ 2 ^ 36 - 32

/-- Counter mode for the text of the message with this nonce (SP 800-38D, section 7.1, algorithm 4, step 3). -/
def gctr (a : Args) (m : Mem) (nonce text : List Byte) : List Byte :=
  Gcm.gctr (Message.cipher a m) (Gcm.inc32 (Gcm.j0 (Gcm.subkey (Message.cipher a m)) nonce)) text

end Spec.AesGcm.Stream
