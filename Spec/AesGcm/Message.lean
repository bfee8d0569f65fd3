import Spec.AesGcm.Context

/-!
# A message

What the kernels that seal and open a message take, beside the key context: the number of rounds, the nonce, the additional
data and the text, which they encrypt or decrypt in place. With a context that is one for a key (`Context.IsFor`), the cipher
is that of the key.
-/

set_option autoImplicit false
namespace Spec.AesGcm.Message
open TCB

/-- The arguments that describe a message. -/
def fields : List Param := [
  ⟨"rounds", .usize⟩,
  ⟨"nonce", .bytes .input (.arg "nonce_len")⟩,
  ⟨"nonce_len", .usize⟩,
  ⟨"aad", .bytes .input (.arg "aad_len")⟩,
  ⟨"aad_len", .usize⟩,
  ⟨"data", .bytes .inout (.arg "len")⟩,
  ⟨"len", .usize⟩]

/-- The cipher of the key context. -/
def cipher (a : Args) (m : Mem) : Ghash.Block → Ghash.Block := Gcm.aes (Context.roundKeys m (a "ctx") (a "rounds").toNat)

/-- The nonce. -/
def nonce (a : Args) (m : Mem) : List Byte := bytesAt m (a "nonce") (a "nonce_len").toNat

/-- The additional data. -/
def aad (a : Args) (m : Mem) : List Byte := bytesAt m (a "aad") (a "aad_len").toNat

/-- The text. -/
def data (a : Args) (m : Mem) : List Byte := bytesAt m (a "data") (a "len").toNat

/-- The hash subkey is that of the cipher (SP 800-38D, section 7.1, algorithm 4, step 1). -/
def ofCipher : Requirement where
  text := "`ctx` holds the hash subkey of its round keys"
  Holds := fun a m => Context.subkey m (a "ctx") = Gcm.subkey (cipher a m)

/-- The powers of the hash subkey are there. -/
def prepared : Requirement where
  text := "`ctx` is prepared: it holds the powers of its hash subkey"
  Holds := fun a m => Context.Prepared m (a "ctx")

/-- The lengths are allowed (SP 800-38D, section 5.2.1.1). -/
def supported : Requirement where
  text := "`nonce_len` is not 0 and less than 2^61, `aad_len` is less than 2^61, and `len` is at most 2^36 - 32"
  Holds := fun a m => Gcm.Supported (nonce a m) (aad a m) (data a m)

end Spec.AesGcm.Message
