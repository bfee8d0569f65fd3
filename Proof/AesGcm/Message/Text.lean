import Proof.Framework.Lanes
import Proof.Gf2.Context

/-!
# The text of a message

Counter mode in place, for any cipher: what memory holds when the first bytes of a text are encrypted or decrypted, and that
each store of a kernel, of a block, of a run of blocks or of the last bytes, leads from one such memory to the next.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open TCB SymExec Spec.AesGcm Proof.Gf2
open Spec.Ghash (Block)

/-! ## The keystream -/

section
variable (ciph : Block → Block) (icb : Block)

/-- Block `k` of the keystream, as a little-endian number. -/
def keyBlock (k : Nat) : BitVec 128 := bswap128 (ciph (Spec.Gcm.counter icb k))

/-- Byte `j` of the keystream. -/
def keyByte (j : Nat) : Byte := (keyBlock ciph icb (j / 16)).extractLsb' (8 * (j % 16)) 8

/-- A block of the keystream of AES. -/
theorem keyBlock_aes (keys : List TCB.Aes.Block) (k : Nat) : keyBlock (Spec.Gcm.aes keys) icb k =
    Spec.Aes.cipher keys (bswap128 (Spec.Gcm.counter icb k)) := bswap128_bswap128 _

/-- The encrypted counter blocks are the keystream. -/
theorem getElem?_keystream (n j : Nat) :
    (Spec.Gcm.keystream ciph icb n)[j]? = if j < 16 * n then some (keyByte ciph icb j) else none := by
  have length (n : Nat) : (Spec.Gcm.keystream ciph icb n).length = 16 * n := by
    induction n with
    | zero => rfl
    | succ n ih =>
      rw [Spec.Gcm.keystream] at *
      rw [List.range_succ, List.flatMap_append, List.length_append, ih]
      simp [Spec.Gcm.toBytes]; omega
  induction n with
  | zero => rfl
  | succ n ih =>
    have next : Spec.Gcm.keystream ciph icb (n + 1) =
        Spec.Gcm.keystream ciph icb n ++ toBytes 16 (keyBlock ciph icb n) := by
      rw [keyBlock, toBytes_bswap128, Spec.Gcm.keystream, List.range_succ, List.flatMap_append]
      simp [Spec.Gcm.keystream]
    rw [next, List.getElem?_append, length, ih]
    by_cases h : j < 16 * n
    · simp [h, show j < 16 * (n + 1) by omega]
    · simp only [h, if_false, toBytes, List.getElem?_map]
      by_cases h' : j < 16 * (n + 1)
      · rw [List.getElem?_range (by omega), if_pos h', keyByte, show j / 16 = n by omega, show j % 16 = j - 16 * n by omega]
        rfl
      · rw [List.getElem?_eq_none (by simp; omega), if_neg h']
        rfl

/-- Counter mode, byte by byte. -/
theorem getElem?_gctr (x : List Byte) (j : Nat) :
    (Spec.Gcm.gctr ciph icb x)[j]? = x[j]?.map (· ^^^ keyByte ciph icb j) := by
  rw [Spec.Gcm.gctr, List.getElem?_zipWith, getElem?_keystream]
  by_cases h : j < x.length
  · rw [if_pos (by rw [Spec.Gcm.blockCount]; omega), List.getElem?_eq_getElem h]
    rfl
  · rw [List.getElem?_eq_none (Nat.not_lt.1 h)]
    rfl

/-- The result is as long as the text. -/
@[simp] theorem length_gctr (x : List Byte) : (Spec.Gcm.gctr ciph icb x).length = x.length := by
  have h (j : Nat) : (Spec.Gcm.gctr ciph icb x).length ≤ j ↔ x.length ≤ j := by
    rw [← List.getElem?_eq_none_iff, ← List.getElem?_eq_none_iff, getElem?_gctr, Option.map_eq_none_iff]
  exact Nat.le_antisymm ((h _).2 (Nat.le_refl _)) ((h _).1 (Nat.le_refl _))

/-- Counter mode is its own inverse. -/
theorem gctr_gctr (x : List Byte) : Spec.Gcm.gctr ciph icb (Spec.Gcm.gctr ciph icb x) = x := by
  apply List.ext_getElem?
  intro j
  rw [getElem?_gctr, getElem?_gctr, Option.map_map]
  simp [Function.comp_def, BitVec.xor_assoc]

/-- Counting goes on. -/
theorem counter_inc32 (k : Nat) : Spec.Gcm.counter (Spec.Gcm.inc32 icb) k = Spec.Gcm.counter icb (k + 1) := by
  induction k with
  | zero => rfl
  | succ k ih => rw [Spec.Gcm.counter, ih, ← Spec.Gcm.counter]

end

/-- A byte of the number that bytes make, which may be fewer than it has room for. -/
theorem extractLsb'_ofBytes (bs : List Byte) {j : Nat} (hj : j < 16) :
    (ofBytes 128 bs).extractLsb' (8 * j) 8 = bs[j]?.getD 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_extractLsb', getLsbD_ofBytes, show (8 * j + i) / 8 = j by omega, show (8 * j + i) % 8 = i by omega]
  simp [hi, show 8 * j + i < 128 by omega]

/-! ## A text in memory -/

/-- A text in memory that is encrypted or decrypted in place: memory as on entry, where the text lies, and what it is
encrypted with. -/
structure Text where
  ciph : Block → Block
  icb : Block
  bytes : Mem
  data : Addr
  len : Nat
  small : len ≤ 2 ^ 64

namespace Text
variable (T : Text)

/-- Block `k` of the keystream. -/
def key (k : Nat) : BitVec 128 := keyBlock T.ciph T.icb k

/-- Block `k` of the text as on entry. -/
def word (k : Nat) : BitVec 128 := Context.word T.bytes T.data (16 * k)

/-- The result. -/
def out : List Byte := Spec.Gcm.gctr T.ciph T.icb (bytesAt T.bytes T.data T.len)

/-- Memory when the first `d` bytes are done. -/
def mem (d : Nat) : Mem := writeBytes T.bytes T.data (T.out.take d)

@[simp] theorem length_out : T.out.length = T.len := by rw [out, length_gctr, length_bytesAt]

/-- A byte of the result. -/
theorem getElem?_out (j : Nat) : T.out[j]? =
    if j < T.len then some (T.bytes (T.data + BitVec.ofNat 64 j) ^^^ keyByte T.ciph T.icb j) else none := by
  rw [out, getElem?_gctr, getElem?_bytesAt]
  split <;> rfl

@[simp] theorem mem_zero : T.mem 0 = T.bytes := by rw [mem, List.take_zero, writeBytes_nil]

/-- All is done. -/
theorem mem_len : T.mem T.len = writeBytes T.bytes T.data T.out := by
  rw [mem, List.take_of_length_le (Nat.le_of_eq T.length_out)]

/-- Memory outside the text is as it was. -/
theorem mem_outside (d : Nat) {x : Addr} (h : T.len ≤ offset T.data x) : T.mem d x = T.bytes x :=
  writeBytes_outside _ _ _ x (by rw [List.length_take, length_out]; omega)

/-- What is apart from the text is as it was. -/
theorem bytesAt_mem_apart (d : Nat) {a : Addr} {n : Nat} (hn : n ≤ 2 ^ 64) (h : (Region.mk T.data T.len).Disjoint ⟨a, n⟩) :
    bytesAt (T.mem d) a n = bytesAt T.bytes a n := by
  refine bytesAt_congr fun i hi => T.mem_outside d ?_
  have := h (a + BitVec.ofNat 64 i)
  simp only [Region.Contains, offset_add a (show i < 2 ^ 64 by omega), hi, and_true, Nat.not_lt] at this
  exact this

/-- A part of what is apart from the text is as it was. -/
theorem bytesAt_mem_part (d : Nat) {a : Addr} {n i k : Nat} (hn : n ≤ 2 ^ 64) (h : (Region.mk T.data T.len).Disjoint ⟨a, n⟩)
    (hk : i + k ≤ n) : bytesAt (T.mem d) (a + BitVec.ofNat 64 i) k = bytesAt T.bytes (a + BitVec.ofNat 64 i) k := by
  rw [bytesAt_part _ _ hk, T.bytesAt_mem_apart d hn h, bytesAt_part _ _ hk]

/-- A word of a key context that is apart from the text is as it was. -/
theorem word_mem_apart (d : Nat) {a : Addr} {n i : Nat} (hn : n ≤ 2 ^ 64) (h : (Region.mk T.data T.len).Disjoint ⟨a, n⟩)
    (hi : i + 16 ≤ n) : Context.word (T.mem d) a i = Context.word T.bytes a i :=
  congrArg (ofBytes 128) (T.bytesAt_mem_part d hn h hi)

/-- What is not yet done is as it was. -/
theorem bytesAt_mem_rest {d i n : Nat} (hd : d ≤ i) (h : i + n ≤ T.len) :
    bytesAt (T.mem d) (T.data + BitVec.ofNat 64 i) n = bytesAt T.bytes (T.data + BitVec.ofNat 64 i) n := by
  have := T.small
  refine bytesAt_congr fun j hj => writeBytes_outside _ _ _ _ ?_
  rw [BitVec.add_assoc, ← BitVec.ofNat_add, offset_add _ (by omega), List.length_take]
  omega

/-- A block that is not yet done is as it was. -/
theorem word_mem_rest {d k : Nat} (hd : d ≤ 16 * k) (h : 16 * k + 16 ≤ T.len) :
    Context.word (T.mem d) T.data (16 * k) = T.word k := by
  rw [Context.word, T.bytesAt_mem_rest hd h, word, Context.word]

/-- What is done is read back. -/
theorem bytesAt_mem_done {d i n : Nat} (hd : i + n ≤ d) (h : i + n ≤ T.len) :
    bytesAt (T.mem d) (T.data + BitVec.ofNat 64 i) n = (T.out.drop i).take n := by
  have := T.small
  have len : (T.out.take d).length = min d T.len := by rw [List.length_take, length_out]
  rw [mem, bytesAt_writeBytes_part _ _ (by omega) (by omega), List.drop_take, List.take_take, Nat.min_eq_left (by omega)]

/-- The result, in memory. -/
theorem bytesAt_mem_len : bytesAt (T.mem T.len) T.data T.len = T.out := by
  have back := bytesAt_writeBytes_same T.bytes T.data (bs := T.out) (by rw [length_out]; exact T.small)
  rwa [length_out, ← mem_len] at back

/-! ## Stores -/

/-- A piece of the result, from the bytes of the text. -/
theorem piece_out {k r : Nat} (hr : r ≤ 16) (h : 16 * k + r ≤ T.len) : (T.out.drop (16 * k)).take r =
    (toBytes 16 (T.key k ^^^ ofBytes 128 (bytesAt T.bytes (T.data + BitVec.ofNat 64 (16 * k)) r))).take r := by
  apply List.ext_getElem?
  intro j
  rw [List.getElem?_take, List.getElem?_take]
  split
  next hj =>
    rw [List.getElem?_drop, getElem?_out, if_pos (by omega), toBytes, List.getElem?_map, List.getElem?_range (by omega),
      Option.map_some, BitVec.extractLsb'_xor, extractLsb'_ofBytes _ (by omega), getElem?_bytesAt, if_pos hj, keyByte, key,
      show (16 * k + j) / 16 = k by omega, show (16 * k + j) % 16 = j by omega, BitVec.add_assoc, ← BitVec.ofNat_add,
      BitVec.xor_comm]
    rfl
  next => rfl

/-- A block of the result. -/
theorem block_out {k : Nat} (h : 16 * k + 16 ≤ T.len) :
    (T.out.drop (16 * k)).take 16 = toBytes 16 (T.key k ^^^ T.word k) := by
  rw [T.piece_out (Nat.le_refl _) h, List.take_of_length_le (by simp)]
  rfl

/-- Storing the next bytes of the result. -/
theorem store_next {d n : Nat} {bs : List Byte} (hb : bs = (T.out.drop d).take n) (h : d + n ≤ T.len) :
    writeBytes (T.mem d) (T.data + BitVec.ofNat 64 d) bs = T.mem (d + n) := by
  have := T.small
  rw [hb, mem, writeBytes_append _ _ (by rw [List.length_take, length_out]; omega)
    (by rw [List.length_take, List.length_drop, length_out]; omega), mem, List.take_add]

/-- Storing a block. -/
theorem store_block {k : Nat} (h : 16 * k + 16 ≤ T.len) :
    writeBytes (T.mem (16 * k)) (T.data + BitVec.ofNat 64 (16 * k)) (toBytes 16 (T.key k ^^^ T.word k)) =
      T.mem (16 * k + 16) :=
  T.store_next (T.block_out h).symm h

/-- Blocks of the result. -/
theorem blocks_out {k n : Nat} (h : 16 * (k + n) ≤ T.len) : (T.out.drop (16 * k)).take (16 * n) =
    laneBytes ((List.range n).map fun i => T.key (k + i) ^^^ T.word (k + i)) := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [Nat.mul_succ, List.take_add, ih (by omega), List.drop_drop, ← Nat.mul_add, T.block_out (by omega), laneBytes, laneBytes,
      List.range_succ, List.map_append, List.flatMap_append]
    simp

/-- Storing a run of blocks. -/
theorem store_blocks {k n : Nat} (h : 16 * (k + n) ≤ T.len) :
    writeBytes (T.mem (16 * k)) (T.data + BitVec.ofNat 64 (16 * k))
      (laneBytes ((List.range n).map fun i => T.key (k + i) ^^^ T.word (k + i))) = T.mem (16 * (k + n)) := by
  rw [T.store_next (T.blocks_out h).symm (by omega), Nat.mul_add]

/-- Storing the last bytes. -/
theorem store_last {k r : Nat} (hr : r < 16) (h : 16 * k + r = T.len) :
    writeBytes (T.mem (16 * k)) (T.data + BitVec.ofNat 64 (16 * k)) ((toBytes 16
      (T.key k ^^^ ofBytes 128 (bytesAt T.bytes (T.data + BitVec.ofNat 64 (16 * k)) r))).take r) = T.mem T.len := by
  rw [T.store_next (T.piece_out (by omega) (by omega)).symm (by omega), h]

/-! ## Reading the result back -/

/-- A block that is done. -/
theorem word_mem_done {d k : Nat} (hd : 16 * k + 16 ≤ d) (h : 16 * k + 16 ≤ T.len) :
    Context.word (T.mem d) T.data (16 * k) = T.key k ^^^ T.word k := by
  rw [Context.word, T.bytesAt_mem_done hd h, T.block_out h, ofBytes_toBytes _ (by decide)]

/-- A block that is done, as it is hashed. -/
theorem bswap128_word_mem {d k : Nat} (hd : 16 * k + 16 ≤ d) (h : 16 * k + 16 ≤ T.len) :
    bswap128 (Context.word (T.mem d) T.data (16 * k)) = Spec.Gcm.ofBytes ((T.out.drop (16 * k)).take 16) := by
  rw [T.word_mem_done hd h, T.block_out h]
  rfl

/-- The blocks that are done, as they are hashed. -/
theorem blocksAt_mem {d k n : Nat} (hd : 16 * (k + n) ≤ d) (h : 16 * (k + n) ≤ T.len) :
    blocksAt (T.mem d) (T.data + BitVec.ofNat 64 (16 * k)) n = ((Spec.Gcm.blocks T.out).drop k).take n := by
  apply List.ext_getElem?
  intro i
  rw [List.getElem?_take, List.getElem?_drop, blocksAt, Spec.Gcm.blocks, length_out, List.getElem?_map, List.getElem?_map]
  split
  next hi =>
    rw [List.getElem?_range hi, List.getElem?_range (by omega), Option.map_some, Option.map_some, BitVec.add_assoc,
      ← BitVec.ofNat_add, ← Nat.mul_add]
    exact congrArg some (T.bswap128_word_mem (by omega) (by omega))
  next hi => rw [List.getElem?_eq_none (by simpa using hi)]; rfl

/-! ## The keystream applied again -/

/-- The first bytes only, which are done, as a text. -/
def again (d : Nat) (h : d ≤ T.len) : Text := { T with bytes := T.mem d, len := d, small := Nat.le_trans h T.small }

/-- The keystream applied again gives the bytes back. -/
theorem out_again {d : Nat} (h : d ≤ T.len) : (T.again d h).out = bytesAt T.bytes T.data d := by
  have part : T.out.take d = Spec.Gcm.gctr T.ciph T.icb (bytesAt T.bytes T.data d) := by
    apply List.ext_getElem?
    intro j
    rw [List.getElem?_take, getElem?_gctr, getElem?_bytesAt]
    split
    next hj => rw [getElem?_out, if_pos (by omega)]; rfl
    next => rfl
  have done := T.bytesAt_mem_done (d := d) (i := 0) (n := d) (by omega) (by omega)
  rw [BitVec.add_zero, List.drop_zero, part] at done
  show Spec.Gcm.gctr T.ciph T.icb (bytesAt (T.mem d) T.data d) = _
  rw [done, gctr_gctr]

/-- Memory is as it was on entry. -/
theorem mem_again {d : Nat} (h : d ≤ T.len) : (T.again d h).mem d = T.bytes := by
  have out : (T.again d h).out.take d = bytesAt T.bytes T.data d := by
    rw [out_again, List.take_of_length_le (by simp)]
  show writeBytes (T.mem d) T.data ((T.again d h).out.take d) = T.bytes
  rw [out, mem, writeBytes_over _ _ (by rw [List.length_take, length_bytesAt]; omega)]
  funext x
  simp only [writeBytes, getElem?_bytesAt]
  split
  · have : T.data + BitVec.ofNat 64 (offset T.data x) = x := by unfold offset; bv_omega
    rw [this]; rfl
  · rfl

end Text
end Proof.AesGcm.Message
