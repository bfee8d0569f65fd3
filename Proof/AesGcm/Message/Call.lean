import Proof.AesGcm.Message.Hash
import Proof.Framework.Plain
import Spec.AesGcm.Message

/-!
# A call

What the kernels that seal and open a message are given: the key context, and the fields of the structure of arguments, as
values in memory. From them follow the text and the tag, and what both contracts require of them.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open TCB SymExec Spec.AesGcm Proof.Gf2
open Spec.Ghash (Block ghash)

/-- The memory on entry, the key context and the structure of arguments. -/
structure Call where
  memory : Memory
  ctx : Addr
  args : Addr

namespace Call
variable (c : Call)

/-- Field `i` of the structure. -/
def value (i : Nat) : BitVec 64 := word64 c.memory.bytes (c.args + BitVec.ofNat 64 (8 * i))

def rounds : Nat := (c.value 0).toNat
def nonce : Addr := c.value 1
def nonceLen : Nat := (c.value 2).toNat
def aad : Addr := c.value 3
def aadLen : Nat := (c.value 4).toNat
def data : Addr := c.value 5
def len : Nat := (c.value 6).toNat
def tag : Addr := c.value 7
def tagLen : Nat := (c.value 8).toNat

/-- The cipher of the key context. -/
def cipher : Block → Block := Spec.Gcm.aes (Context.roundKeys c.memory.bytes c.ctx c.rounds)

/-- The hash subkey of the key context. -/
def subkey : Block := Context.subkey c.memory.bytes c.ctx

/-- The pre-counter block. -/
def j0 : Block := Spec.Gcm.j0 c.subkey (bytesAt c.memory.bytes c.nonce c.nonceLen)

/-- The encrypted counter blocks: the first one is for the tag, the text takes the others. -/
def key (k : Nat) : BitVec 128 := keyBlock c.cipher c.j0 k

/-- The text. -/
def text : Text := ⟨c.cipher, Spec.Gcm.inc32 c.j0, c.memory.bytes, c.data, c.len, Nat.le_of_lt (c.value 6).isLt⟩

/-- The hash of the additional data. -/
def aadHash : Block := ghash c.subkey 0 (paddedAt c.memory.bytes c.aad c.aadLen)

/-- The hash of the additional data, of the blocks of a ciphertext, filled with zeros, and of the lengths. -/
def hash (ciphertext : List Block) : Block :=
  ghash c.subkey (ghash c.subkey c.aadHash ciphertext) [lengths c.aadLen c.len]

/-- After the first blocks, the others and the block of the lengths. -/
theorem hash_append (xs ys : List Block) : c.hash (xs ++ ys) =
    ghash c.subkey (ghash c.subkey c.aadHash xs) (ys ++ [lengths c.aadLen c.len]) := by
  rw [hash, ghash_append, ghash_append]

/-- The tag, as a little-endian number. -/
def tagWord (ciphertext : List Block) : BitVec 128 := c.key 0 ^^^ bswap128 (c.hash ciphertext)

/-- The tag of the text when it is sealed. -/
def sealedTag : BitVec 128 := c.tagWord (padded c.text.out)

/-- The tag of the text when it is opened. -/
def openedTag : BitVec 128 := c.tagWord (paddedAt c.memory.bytes c.data c.len)

/-- The keystream of the text begins with the second block. -/
theorem key_text (k : Nat) : c.text.key k = c.key (k + 1) := by
  rw [Text.key, key, keyBlock, keyBlock]
  exact congrArg (bswap128 <| c.cipher ·) (counter_inc32 c.j0 k)

/-- A block of the keystream, from the round keys. -/
theorem key_eq (k : Nat) : c.key k = Spec.Aes.cipher (Context.roundKeys c.memory.bytes c.ctx c.rounds)
    (bswap128 (Spec.Gcm.counter c.j0 k)) := keyBlock_aes ..

/-- What all contracts require of the key context. -/
structure Keys : Prop where
  rounds : c.rounds ∈ [10, 12, 14]
  ofCipher : c.subkey = Spec.Gcm.subkey c.cipher
  table : IsTable c.subkey (tableAt c.memory.bytes c.ctx) 16
  readsCtx : Within c.memory.readable ⟨c.ctx, 1024⟩

/-- And of a nonce and additional data. -/
structure Head : Prop extends c.Keys where
  nonceLen : 0 < c.nonceLen ∧ c.nonceLen < 2 ^ 61
  aadLen : c.aadLen < 2 ^ 61
  readsNonce : Within c.memory.readable ⟨c.nonce, c.nonceLen⟩
  readsAad : Within c.memory.readable ⟨c.aad, c.aadLen⟩

/-- And of a text in place. -/
structure Pre : Prop extends c.Head where
  len : c.len ≤ 2 ^ 36 - 32
  reads : Within c.memory.readable ⟨c.data, c.len⟩
  writes : Within c.memory.writable ⟨c.data, c.len⟩
  apartCtx : (Region.mk c.data c.len).Disjoint ⟨c.ctx, 1024⟩
  apartNonce : (Region.mk c.data c.len).Disjoint ⟨c.nonce, c.nonceLen⟩
  apartAad : (Region.mk c.data c.len).Disjoint ⟨c.aad, c.aadLen⟩

variable {c}

/-- The tag of a ciphertext. -/
theorem Pre.fullTag_eq (p : c.Pre) {ciphertext : List Byte} (hl : ciphertext.length = c.len) :
    Spec.Gcm.fullTag c.cipher (bytesAt c.memory.bytes c.nonce c.nonceLen) (bytesAt c.memory.bytes c.aad c.aadLen)
      ciphertext = toBytes 16 (c.tagWord (padded ciphertext)) := by
  rw [Message.fullTag_eq, ← p.ofCipher, ghash_hashed, padded_bytesAt, length_bytesAt, hl]
  rfl

/-- The tag of the sealed text. -/
theorem Pre.sealedTag_eq (p : c.Pre) : Spec.Gcm.fullTag c.cipher (bytesAt c.memory.bytes c.nonce c.nonceLen)
    (bytesAt c.memory.bytes c.aad c.aadLen) c.text.out = toBytes 16 c.sealedTag :=
  p.fullTag_eq c.text.length_out

/-- The tag of the text that is opened. -/
theorem Pre.openedTag_eq (p : c.Pre) : Spec.Gcm.fullTag c.cipher (bytesAt c.memory.bytes c.nonce c.nonceLen)
    (bytesAt c.memory.bytes c.aad c.aadLen) (bytesAt c.memory.bytes c.data c.len) = toBytes 16 c.openedTag := by
  rw [p.fullTag_eq (length_bytesAt ..), openedTag, padded_bytesAt]

/-- The result, in terms of Spec. -/
theorem Pre.out_eq (p : c.Pre) : Spec.Gcm.gctr c.cipher (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey c.cipher)
    (bytesAt c.memory.bytes c.nonce c.nonceLen))) (bytesAt c.memory.bytes c.data c.len) = c.text.out := by
  rw [← p.ofCipher]
  rfl

end Call

/-- The call that begins in a state. -/
def callOf {S I C F : Type} (t : Target S I C F) (s : S) : Call := ⟨t.abi.memory s, t.abi.arg s 0, t.abi.arg s 1⟩

/-- A buffer that is written is apart from the table of constants. -/
theorem apart_table {S I C F : Type} {t : Target S I C F} {k : Contract} {constants : List Byte} {s : S}
    (h : t.Pre k constants s) {l : List Buffer} (hl : k.sig.buffers (t.args k s) (t.mem s) = l) (i : Nat) {b : Buffer}
    (hi : l[i]? = some b) (hw : b.role.writes = true) {r : Region} (hr : r ∈ (t.abi.memory s).table constants) :
    b.region.Disjoint r :=
  h.entry.apart b (by rw [show (t.abi.memory s).bytes = t.mem s from rfl, hl]; exact List.mem_of_getElem? hi) hw r
    (.tail _ (List.mem_append_left _ hr))

/-- Two buffers, of which one is written, are disjoint. -/
theorem apart_of {S I C F : Type} {t : Target S I C F} {k : Contract} {constants : List Byte} {s : S}
    (h : t.Pre k constants s) {l : List Buffer} (hl : k.sig.buffers (t.args k s) (t.mem s) = l) (i j : Nat) {b q : Buffer}
    (hi : l[i]? = some b) (hj : l[j]? = some q) (hij : i < j) (hw : b.role.writes = true ∨ q.role.writes = true) :
    b.region.Disjoint q.region := by
  have := h.entry.disjoint
  rw [show (t.abi.memory s).bytes = t.mem s from rfl, hl, List.pairwise_iff_getElem] at this
  obtain ⟨hi', rfl⟩ := List.getElem?_eq_some_iff.1 hi
  obtain ⟨hj', rfl⟩ := List.getElem?_eq_some_iff.1 hj
  exact this i j hi' hj' hij hw

end Proof.AesGcm.Message
