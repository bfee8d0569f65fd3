import Proof.AesGcm.Message.Hash
import Spec.AesGcm.Stream

/-!
# A message in pieces: strings

Counter mode and the blocks of a string that grows by a piece, and what the state holds of it.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream
open TCB Proof.Gf2 Proof.AesGcm.Message
open Spec.Ghash (Block ghash)
open Spec.Gcm (blockCount)

/-! ## Counter mode -/

section
variable (ciph : Block → Block) (icb : Block)

/-- Counting goes on. -/
theorem counter_counter (i j : Nat) : Spec.Gcm.counter (Spec.Gcm.counter icb i) j = Spec.Gcm.counter icb (i + j) := by
  induction j with
  | zero => rfl
  | succ j ih => rw [Spec.Gcm.counter, ih]; rfl

/-- The keystream from a later block on. -/
theorem keyBlock_counter (i j : Nat) : keyBlock ciph (Spec.Gcm.counter icb i) j = keyBlock ciph icb (i + j) := by
  rw [keyBlock, keyBlock, counter_counter]

/-- After whole blocks, counter mode begins with a later counter. -/
theorem gctr_append {x : List Byte} (h : x.length % 16 = 0) (y : List Byte) : Spec.Gcm.gctr ciph icb (x ++ y) =
    Spec.Gcm.gctr ciph icb x ++ Spec.Gcm.gctr ciph (Spec.Gcm.counter icb (x.length / 16)) y := by
  apply List.ext_getElem?
  intro j
  rw [getElem?_gctr, List.getElem?_append, List.getElem?_append, length_gctr, getElem?_gctr, getElem?_gctr]
  split
  · rfl
  · rw [keyByte, keyByte, keyBlock_counter, show x.length / 16 + (j - x.length) / 16 = j / 16 by omega,
      show (j - x.length) % 16 = j % 16 by omega]

/-- The bytes that belong to the last block of what came before, in counter mode. -/
def joined (key : BitVec 128) (r : Nat) (y : List Byte) : List Byte :=
  (toBytes 16 (ofBytes 128 (((toBytes 16 key).drop r).take y.length) ^^^ ofBytes 128 y)).take y.length

@[simp] theorem length_joined (key : BitVec 128) (r : Nat) {y : List Byte} (h : y.length ≤ 16) :
    (joined key r y).length = y.length := by
  rw [joined, List.length_take, length_toBytes]; omega

/-- Bytes that do not go beyond the last block. -/
theorem gctr_join (x : List Byte) {y : List Byte} (h : x.length % 16 + y.length ≤ 16) : Spec.Gcm.gctr ciph icb (x ++ y) =
    Spec.Gcm.gctr ciph icb x ++ joined (keyBlock ciph icb (x.length / 16)) (x.length % 16) y := by
  apply List.ext_getElem?
  intro j
  rw [getElem?_gctr, List.getElem?_append, List.getElem?_append, length_gctr, getElem?_gctr]
  split
  · rfl
  · by_cases hj : j - x.length < y.length
    · rw [joined, List.getElem?_take, if_pos hj, toBytes, List.getElem?_map, List.getElem?_range (by omega), Option.map_some,
        BitVec.extractLsb'_xor, extractLsb'_ofBytes _ (by omega), extractLsb'_ofBytes _ (by omega), List.getElem?_take, if_pos hj,
        List.getElem?_drop, toBytes, List.getElem?_map, List.getElem?_range (by omega), List.getElem?_eq_getElem hj, keyByte,
        show j / 16 = x.length / 16 by omega, show j % 16 = x.length % 16 + (j - x.length) by omega]
      simp only [Option.map_some, Option.getD_some]
      rw [BitVec.xor_comm]
    · rw [List.getElem?_eq_none (by omega), List.getElem?_eq_none (by rw [length_joined _ _ (by omega)]; omega)]
      rfl

end

/-! ## Blocks -/

/-- Fewer than 16 bytes are no block. -/
theorem blocks_none {c : List Byte} (h : c.length < 16) : Spec.Gcm.blocks c = [] := by
  rw [Spec.Gcm.blocks, show c.length / 16 = 0 by omega]; rfl

/-- The whole blocks of a string with more bytes. -/
theorem blocks_more (a b : List Byte) : Spec.Gcm.blocks (a ++ b) =
    Spec.Gcm.blocks a ++ Spec.Gcm.blocks (a.drop (16 * (a.length / 16)) ++ b) := by
  have whole : (a.take (16 * (a.length / 16))).length % 16 = 0 := by rw [List.length_take]; omega
  have none : Spec.Gcm.blocks (a.drop (16 * (a.length / 16))) = [] := blocks_none (by rw [List.length_drop]; omega)
  have split : Spec.Gcm.blocks a = Spec.Gcm.blocks (a.take (16 * (a.length / 16))) := by
    have := blocks_append whole (a.drop (16 * (a.length / 16)))
    rwa [List.take_append_drop, none, List.append_nil] at this
  rw [split, ← blocks_append whole, ← List.append_assoc, List.take_append_drop]

/-! ## The state -/

/-- What the state holds of a ciphertext: the counter, the hash, and of a block that is not whole the keystream and the bytes. -/
structure Held (ciph : Block → Block) (icb y₀ : Block) (c : List Byte) (count hash : Block) (key : BitVec 128) (rest : List Byte) :
    Prop where
  count : count = Spec.Gcm.counter icb (blockCount c)
  hash : hash = ghash (Spec.Gcm.subkey ciph) y₀ (Spec.Gcm.blocks c)
  key : c.length % 16 ≠ 0 → key = keyBlock ciph icb (c.length / 16)
  rest : rest.take (c.length % 16) = c.drop (16 * (c.length / 16))

section
variable {ciph : Block → Block} {icb y₀ count hash : Block} {c x : List Byte} {key key' : BitVec 128} {rest rest' : List Byte}

/-- **Bytes that belong to the last block.** -/
theorem Held.join (h : Held ciph icb y₀ c count hash key rest) (some : c.length % 16 ≠ 0) (fits : c.length % 16 + x.length ≤ 16)
    (length : rest'.length = 16) (bytes : rest'.take (c.length % 16 + x.length) = rest.take (c.length % 16) ++ x) :
    Held ciph icb y₀ (c ++ x) count (if (c.length + x.length) % 16 = 0 then
      ghash (Spec.Gcm.subkey ciph) hash [Spec.Gcm.ofBytes rest'] else hash) key rest' := by
  rw [h.rest] at bytes
  have more := blocks_more c x
  have size : (c.drop (16 * (c.length / 16)) ++ x).length = c.length % 16 + x.length := by
    rw [List.length_append, List.length_drop]; omega
  refine ⟨?_, ?_, fun some' => ?_, ?_⟩
  · rw [h.count, blockCount, blockCount, List.length_append]
    congr 1
    omega
  · split
    next whole =>
      rw [show c.length % 16 + x.length = 16 by omega, List.take_of_length_le (by omega)] at bytes
      rw [more, ghash_append, ← h.hash, ← bytes, blocks_one length]
    next =>
      have none : Spec.Gcm.blocks (c.drop (16 * (c.length / 16)) ++ x) = [] := blocks_none (by rw [size]; omega)
      rw [more, none, List.append_nil, h.hash]
  · rw [List.length_append] at some' ⊢
    rw [h.key some]
    congr 1
    omega
  · rw [List.length_append]
    by_cases whole : (c.length + x.length) % 16 = 0
    · rw [whole, List.take_zero, List.drop_of_length_le (by rw [List.length_append]; omega)]
    · rw [show (c.length + x.length) % 16 = c.length % 16 + x.length by omega, bytes,
        show (c.length + x.length) / 16 = c.length / 16 by omega, List.drop_append_of_le_length (by omega)]

/-- **Bytes after whole blocks.** -/
theorem Held.more (h : Held ciph icb y₀ c count hash key rest) (whole : c.length % 16 = 0)
    (stream : x.length % 16 ≠ 0 → key' = keyBlock ciph count (x.length / 16))
    (bytes : rest'.take (x.length % 16) = x.drop (16 * (x.length / 16))) :
    Held ciph icb y₀ (c ++ x) (Spec.Gcm.counter count (blockCount x)) (ghash (Spec.Gcm.subkey ciph) hash (Spec.Gcm.blocks x))
      key' rest' := by
  have blocks : blockCount c = c.length / 16 := by rw [blockCount]; omega
  refine ⟨?_, ?_, fun some' => ?_, ?_⟩
  · rw [h.count, counter_counter, blockCount, blockCount, blockCount, List.length_append]
    congr 1
    omega
  · rw [h.hash, blocks_append whole, ghash_append]
  · rw [List.length_append] at some' ⊢
    rw [stream (by omega), h.count, keyBlock_counter, blocks]
    congr 1
    omega
  · rw [List.length_append, show (c.length + x.length) % 16 = x.length % 16 by omega, bytes,
      show 16 * ((c.length + x.length) / 16) = c.length + 16 * (x.length / 16) by omega, ← List.drop_drop, List.drop_left]

end

open Spec.AesGcm Spec.AesGcm.Stream in
/-- A state that represents a message, in the words of a kernel. -/
theorem represents_iff {ciph : Block → Block} {m : Mem} {state : Addr} {nonce aad c : List Byte} :
    Represents ciph m state nonce aad c ↔
      bytesAt m state 16 = toBytes 16 (keyBlock ciph (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce) 0) ∧
      Held ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce))
        (ghash (Spec.Gcm.subkey ciph) 0 (Spec.Gcm.blocks (Spec.Gcm.pad16 aad))) c (Context.word m state 16)
        (Context.word m state 32) (Context.word m state 48) (bytesAt m (state + 64) 16) := by
  have mask : toBytes 16 (keyBlock ciph (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce) 0) =
      Spec.Gcm.toBytes (ciph (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) := toBytes_bswap128 _
  have stream (k : Nat) : Context.word m state 48 = keyBlock ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) k ↔
      bytesAt m (state + 48) 16 = Spec.Gcm.toBytes (ciph (Spec.Gcm.counter
        (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) k)) := by
    rw [← toBytes_bswap128]
    show ofBytes 128 (bytesAt m (state + 48) 16) = bswap128 _ ↔ _
    exact ⟨fun h => by rw [← h, toBytes_ofBytes (length_bytesAt ..) (by decide)],
      fun h => by rw [h, ofBytes_toBytes _ (by decide)]⟩
  have rest : (bytesAt m (state + 64) 16).take (c.length % 16) = bytesAt m (state + 64) (c.length % 16) :=
    take_bytesAt _ _ _ _ (by omega)
  rw [mask]
  refine ⟨fun h => ⟨h.mask, h.counter, ?_, fun some => (stream _).2 (h.stream some), rest.trans h.rest⟩,
    fun ⟨h, g⟩ => ⟨h, g.count, ?_, fun some => (stream _).1 (g.key some), rest.symm.trans g.rest⟩⟩
  · rw [h.hash, ghash_append]
  · rw [g.hash, ghash_append]

end Proof.AesGcm.Stream
