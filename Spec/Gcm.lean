import Spec.Aes
import Spec.Ghash

/-!
# GCM

NIST SP 800-38D, for strings of whole bytes.
-/

set_option autoImplicit false
namespace Spec.Gcm
open TCB Spec.Ghash

/-! ## Strings and blocks (section 6.1) -/

/-- The bytes of a block, from the left. -/
def toBytes (x : Block) : List Byte := (TCB.toBytes 16 x).reverse

/-- The block of 16 bytes. -/
def ofBytes (bs : List Byte) : Block := TCB.ofBytes 128 bs.reverse

/-- The blocks of a string of whole blocks. -/
def blocks (bs : List Byte) : List Block :=
  (List.range (bs.length / 16)).map fun i => ofBytes ((bs.drop (16 * i)).take 16)

/-- `⌈len(X) / 128⌉`: how many blocks a string takes. -/
def blockCount (bs : List Byte) : Nat := (bs.length + 15) / 16

/-- The string with zero bytes up to whole blocks. -/
def pad16 (bs : List Byte) : List Byte := bs ++ List.replicate (16 * blockCount bs - bs.length) 0

/-- `[len(X)]_64`, the length in bits. -/
def len64 (bs : List Byte) : List Byte := (TCB.toBytes 8 (BitVec.ofNat 64 (8 * bs.length))).reverse

/-! ## Counter mode -/

/-- `inc_32` (section 6.2). -/
def inc32 (x : Block) : Block := x.extractLsb' 32 96 ++ (x.extractLsb' 0 32 + 1)

/-- `CB_{i+1}`, the counter block for the block `i`, counted from 0 (section 6.5, algorithm 3, steps 4 and 5). -/
def counter (icb : Block) : Nat → Block
  | 0 => icb
  | i + 1 => inc32 (counter icb i)

/-- The encrypted counter blocks of `n` blocks, as one string. -/
def keystream (ciph : Block → Block) (icb : Block) (n : Nat) : List Byte :=
  (List.range n).flatMap fun i => toBytes (ciph (counter icb i))

/-- `GCTR_K(ICB, X)` (section 6.5, algorithm 3); of the last encrypted counter block it takes as many bytes as there
are. -/
def gctr (ciph : Block → Block) (icb : Block) (x : List Byte) : List Byte :=
  List.zipWith (· ^^^ ·) x (keystream ciph icb (blockCount x))

/-! ## Authenticated encryption and decryption, with a block cipher -/

/-- The hash subkey `H` (section 7.1, algorithm 4, step 1). -/
def subkey (ciph : Block → Block) : Block := ciph 0

/-- The pre-counter block `J_0` (section 7.1, algorithm 4, step 2). -/
def j0 (h : Block) (nonce : List Byte) : Block :=
  if nonce.length = 12 then ofBytes (nonce ++ [0, 0, 0, 1])
  else ghash h 0 (blocks (pad16 nonce ++ List.replicate 8 0 ++ len64 nonce))

/-- What is hashed: `A || 0^v || C || 0^u || [len(A)]_64 || [len(C)]_64` (section 7.1, algorithm 4, step 5). -/
def hashed (aad ciphertext : List Byte) : List Byte := pad16 aad ++ pad16 ciphertext ++ len64 aad ++ len64 ciphertext

/-- The tag of 16 bytes (section 7.1, algorithm 4, steps 5 and 6). -/
def fullTag (ciph : Block → Block) (nonce aad ciphertext : List Byte) : List Byte :=
  let h := subkey ciph
  gctr ciph (j0 h nonce) (toBytes (ghash h 0 (blocks (hashed aad ciphertext))))

/-- The lengths of a tag in bytes (section 5.2.1.2). -/
def tagLengths : List Nat := [4, 8, 12, 13, 14, 15, 16]

/-- The lengths of the other strings (section 5.2.1.1), in bytes: the nonce is not empty; the nonce and the additional data
have fewer than 2^64 bits; the text has at most 2^39 - 256 bits. -/
def Supported (nonce aad text : List Byte) : Prop :=
  0 < nonce.length ∧ nonce.length < 2 ^ 61 ∧ aad.length < 2 ^ 61 ∧ text.length ≤ 2 ^ 36 - 32

instance (nonce aad text : List Byte) : Decidable (Supported nonce aad text) :=
  inferInstanceAs (Decidable (_ ∧ _))

/-- GCM-AE: the ciphertext, and the tag of `t` bytes (section 7.1, algorithm 4). -/
def encryptWith (ciph : Block → Block) (t : Nat) (nonce aad plaintext : List Byte) : List Byte × List Byte :=
  let c := gctr ciph (inc32 (j0 (subkey ciph) nonce)) plaintext
  (c, (fullTag ciph nonce aad c).take t)

/-- GCM-AD: the plaintext, or none where the standard says FAIL (section 7.2, algorithm 5). -/
def decryptWith (ciph : Block → Block) (nonce aad ciphertext tag : List Byte) : Option (List Byte) :=
  if Supported nonce aad ciphertext ∧ tag.length ∈ tagLengths
      ∧ tag = (fullTag ciph nonce aad ciphertext).take tag.length then
    some (gctr ciph (inc32 (j0 (subkey ciph) nonce)) ciphertext)
  else none

/-! ## With AES -/

/-- `CIPH_K` for the round keys of an AES key. -/
def aes (roundKeys : List TCB.Aes.Block) (x : Block) : Block :=
  ofBytes (TCB.toBytes 16 (Aes.cipher roundKeys (TCB.ofBytes 128 (toBytes x))))

/-- AES-GCM, encryption: the ciphertext, and the tag of `t` bytes. -/
def encrypt (key : List Byte) (t : Nat) (nonce aad plaintext : List Byte) : List Byte × List Byte :=
  encryptWith (aes (Aes.expandKey key)) t nonce aad plaintext

/-- AES-GCM, decryption: the plaintext, or none. -/
def decrypt (key nonce aad ciphertext tag : List Byte) : Option (List Byte) :=
  decryptWith (aes (Aes.expandKey key)) nonce aad ciphertext tag

end Spec.Gcm
