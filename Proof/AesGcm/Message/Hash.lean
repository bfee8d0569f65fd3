import Proof.AesGcm.Message.Text

/-!
# What is hashed

GHASH of the additional data, the ciphertext and their lengths, one part after the other; the pre-counter block; and the tag.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open TCB Proof.Gf2
open Spec.Ghash (Block ghash)
open Spec.Gcm (pad16 len64 hashed j0 blockCount)

/-! ## Blocks of strings -/

/-- Blocks, after a string of whole blocks. -/
theorem blocks_append {a : List Byte} (h : a.length % 16 = 0) (b : List Byte) :
    Spec.Gcm.blocks (a ++ b) = Spec.Gcm.blocks a ++ Spec.Gcm.blocks b := by
  have count : (a ++ b).length / 16 = a.length / 16 + b.length / 16 := by rw [List.length_append]; omega
  simp only [Spec.Gcm.blocks]
  rw [count, List.range_add, List.map_append, List.map_map]
  congr 1
  · refine List.map_congr_left fun i hi => ?_
    have := List.mem_range.1 hi
    rw [List.drop_append_of_le_length (by omega), List.take_append_of_le_length (by rw [List.length_drop]; omega)]
  · refine List.map_congr_left fun i hi => ?_
    show Spec.Gcm.ofBytes (((a ++ b).drop (16 * (a.length / 16 + i))).take 16) = _
    rw [show 16 * (a.length / 16 + i) = a.length + 16 * i by omega, ← List.drop_drop, List.drop_left]

/-- The block of 16 bytes. -/
theorem blocks_one {a : List Byte} (h : a.length = 16) : Spec.Gcm.blocks a = [Spec.Gcm.ofBytes a] := by
  rw [Spec.Gcm.blocks, h]
  show [Spec.Gcm.ofBytes ((a.drop 0).take 16)] = _
  rw [List.drop_zero, List.take_of_length_le (Nat.le_of_eq h)]

/-- The padded string is whole blocks. -/
theorem length_pad16 (bs : List Byte) : (pad16 bs).length = 16 * blockCount bs := by
  rw [pad16, List.length_append, List.length_replicate, blockCount]; omega

/-- Zero bytes above do not change a number. -/
theorem ofBytes_append_zeros (bs : List Byte) (n : Nat) : ofBytes 128 (bs ++ List.replicate n 0) = ofBytes 128 bs := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_ofBytes, getLsbD_ofBytes, List.getElem?_append, List.getElem?_replicate]
  split
  · rfl
  · rw [List.getElem?_eq_none (l := bs) (by omega)]
    split <;> rfl

/-- Fewer than 16 bytes as a block, filled with zeros: what a kernel has when it reverses them as a little-endian number. -/
def partialBlock (bs : List Byte) : Block := bswap128 (ofBytes 128 bs)

/-- The blocks of a string, filled with zeros. -/
def padded (bs : List Byte) : List Block :=
  Spec.Gcm.blocks bs ++ if bs.length % 16 = 0 then [] else [partialBlock (bs.drop (16 * (bs.length / 16)))]

/-- The blocks of the padded string. -/
theorem blocks_pad16 (bs : List Byte) : Spec.Gcm.blocks (pad16 bs) = padded bs := by
  have short : Spec.Gcm.blocks bs = Spec.Gcm.blocks (bs.take (16 * (bs.length / 16))) := by
    simp only [Spec.Gcm.blocks]
    rw [List.length_take, Nat.min_eq_left (by omega), Nat.mul_div_cancel_left _ (by decide)]
    refine List.map_congr_left fun i hi => ?_
    have := List.mem_range.1 hi
    rw [List.drop_take, List.take_take, Nat.min_eq_left (by omega)]
  have split : pad16 bs = bs.take (16 * (bs.length / 16)) ++
      (bs.drop (16 * (bs.length / 16)) ++ List.replicate (16 * blockCount bs - bs.length) 0) := by
    rw [← List.append_assoc, List.take_append_drop, pad16]
  rw [split, blocks_append (by rw [List.length_take]; omega), padded, short]
  congr 1
  by_cases h : bs.length % 16 = 0
  · rw [if_pos h, List.drop_of_length_le (by omega), show 16 * blockCount bs - bs.length = 0 by rw [blockCount]; omega]
    rfl
  · have length : (bs.drop (16 * (bs.length / 16)) ++
        List.replicate (16 * blockCount bs - bs.length) (0 : Byte)).length = 16 := by
      rw [List.length_append, List.length_drop, List.length_replicate, blockCount]; omega
    rw [if_neg h, blocks_one length, partialBlock, ← ofBytes_append_zeros _ (16 * blockCount bs - bs.length),
      bswap128_ofBytes length]

/-- The blocks at an address, the last one filled with zeros. -/
def paddedAt (m : Mem) (p : Addr) (n : Nat) : List Block := blocksAt m p (n / 16) ++ if n % 16 = 0 then [] else
  [partialBlock (bytesAt m (p + BitVec.ofNat 64 (16 * (n / 16))) (n % 16))]

/-- The blocks of bytes in memory, padded. -/
theorem padded_bytesAt (m : Mem) (p : Addr) (n : Nat) : padded (bytesAt m p n) = paddedAt m p n := by
  have last : (bytesAt m p n).drop (16 * (n / 16)) = bytesAt m (p + BitVec.ofNat 64 (16 * (n / 16))) (n % 16) := by
    rw [bytesAt_part m p (show 16 * (n / 16) + n % 16 ≤ n by omega),
      List.take_of_length_le (by rw [List.length_drop, length_bytesAt]; omega)]
  rw [padded, blocks_bytesAt, length_bytesAt, last, paddedAt]

/-- Whole blocks, of `k` blocks. -/
theorem paddedAt_whole (m : Mem) (p : Addr) (k : Nat) : paddedAt m p (16 * k) = blocksAt m p k := by
  rw [paddedAt, if_pos (by omega), show 16 * k / 16 = k by omega, List.append_nil]

/-- Whole blocks and a last block. -/
theorem paddedAt_partial (m : Mem) (p : Addr) {k r : Nat} (h₀ : 0 < r) (h : r < 16) : paddedAt m p (16 * k + r) =
    blocksAt m p k ++ [partialBlock (bytesAt m (p + BitVec.ofNat 64 (16 * k)) r)] := by
  rw [paddedAt, if_neg (by omega), show (16 * k + r) / 16 = k by omega, show (16 * k + r) % 16 = r by omega]

/-! ## The blocks of a text that is done -/

namespace Text
variable (T : Text)

/-- Block `k` of the result, as it is hashed. -/
def block (k : Nat) : Block := bswap128 (T.key k ^^^ T.word k)

/-- The last `r` bytes of the result, after `k` blocks, as they are hashed. -/
def lastBlock (k r : Nat) : Block := partialBlock ((toBytes 16
  (T.key k ^^^ ofBytes 128 (bytesAt T.bytes (T.data + BitVec.ofNat 64 (16 * k)) r))).take r)

/-- Whole blocks of the result. -/
theorem blocks_eq : Spec.Gcm.blocks T.out = (List.range (T.len / 16)).map T.block := by
  rw [Spec.Gcm.blocks, length_out]
  refine List.map_congr_left fun i hi => ?_
  have := List.mem_range.1 hi
  rw [T.block_out (by omega)]
  rfl

/-- The result, as it is hashed. -/
theorem padded_eq : padded T.out = (List.range (T.len / 16)).map T.block ++
    if T.len % 16 = 0 then [] else [T.lastBlock (T.len / 16) (T.len % 16)] := by
  rw [padded, blocks_eq, length_out, lastBlock, ← T.piece_out (by omega) (by omega),
    List.take_of_length_le (by rw [List.length_drop, length_out]; omega)]

/-- The blocks of the result from the block `k` on, as they are hashed. -/
def blocksFrom (k : Nat) : List Block := ((List.range (T.len / 16 - k)).map fun i => T.block (k + i)) ++
  if T.len % 16 = 0 then [] else [T.lastBlock (T.len / 16) (T.len % 16)]

/-- The first `k` blocks of the result, and the others. -/
theorem padded_split {k : Nat} (h : 16 * k ≤ T.len) : padded T.out = (List.range k).map T.block ++ T.blocksFrom k := by
  rw [padded_eq, blocksFrom, ← List.append_assoc, ← Nat.add_sub_cancel' (show k ≤ T.len / 16 by omega), List.range_add,
    List.map_append, List.map_map, Nat.add_sub_cancel_left]
  rfl

/-- Blocks that are done, as they are hashed. -/
theorem blocksAt_done {d k n : Nat} (hd : 16 * (k + n) ≤ d) (h : 16 * (k + n) ≤ T.len) :
    blocksAt (T.mem d) (T.data + BitVec.ofNat 64 (16 * k)) n = (List.range n).map fun i => T.block (k + i) := by
  refine List.map_congr_left fun i hi => ?_
  have := List.mem_range.1 hi
  rw [BitVec.add_assoc, ← BitVec.ofNat_add, ← Nat.mul_add]
  exact congrArg bswap128 (T.word_mem_done (by omega) (by omega))

end Text

/-! ## The lengths -/

/-- The block of the lengths in bits of `a` and `c` bytes. -/
def lengths (a c : Nat) : Block := BitVec.ofNat 64 (8 * a) ++ BitVec.ofNat 64 (8 * c)

/-- Eight bytes before others, in the standard's order. -/
theorem ofBytes_reverse_append (a c : BitVec 64) :
    Spec.Gcm.ofBytes ((toBytes 8 a).reverse ++ (toBytes 8 c).reverse) = a ++ c := by
  rw [Spec.Gcm.ofBytes, List.reverse_append, List.reverse_reverse, List.reverse_reverse]
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_ofBytes, List.getElem?_append, length_toBytes, BitVec.getLsbD_append]
  by_cases h : j < 64
  · rw [if_pos (by omega), toBytes, List.getElem?_map, List.getElem?_range (by omega)]
    simp [h, hj, show 8 * (j / 8) + j % 8 = j by omega, show j % 8 < 8 by omega]
  · rw [if_neg (by omega), toBytes, List.getElem?_map, List.getElem?_range (by omega)]
    simp [h, hj, show 8 * (j / 8 - 8) + j % 8 = j - 64 by omega, show j % 8 < 8 by omega]

/-- The block of the lengths. -/
theorem blocks_lengths (a c : List Byte) : Spec.Gcm.blocks (len64 a ++ len64 c) = [lengths a.length c.length] := by
  rw [blocks_one (by simp [len64]), len64, len64, ofBytes_reverse_append, lengths]

/-- All that is hashed. -/
theorem blocks_hashed (aad c : List Byte) :
    Spec.Gcm.blocks (hashed aad c) = padded aad ++ padded c ++ [lengths aad.length c.length] := by
  rw [hashed, List.append_assoc (pad16 aad ++ pad16 c), blocks_append (by
    rw [List.length_append, length_pad16, length_pad16]; omega), blocks_append (by rw [length_pad16]; omega), blocks_pad16,
    blocks_pad16, blocks_lengths]

/-- The hash, one part after the other. -/
theorem ghash_hashed (h : Block) (aad c : List Byte) : ghash h 0 (Spec.Gcm.blocks (hashed aad c)) =
    ghash h (ghash h (ghash h 0 (padded aad)) (padded c)) [lengths aad.length c.length] := by
  rw [blocks_hashed, ghash_append, ghash_append]

/-! ## The pre-counter block and the tag -/

/-- Bytes above others. -/
theorem ofBytes_append (w : Nat) (a b : List Byte) :
    ofBytes w (a ++ b) = ofBytes w a ||| ofBytes w (List.replicate a.length 0 ++ b) := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [BitVec.getLsbD_or, getLsbD_ofBytes, getLsbD_ofBytes, getLsbD_ofBytes, List.getElem?_append, List.getElem?_append,
    List.length_replicate, List.getElem?_replicate]
  by_cases h : j / 8 < a.length
  · simp [h]
  · simp [h]

/-- Eight bytes above eight others. -/
theorem ofBytes_append_halves {a b : List Byte} (ha : a.length = 8) :
    ofBytes 128 (a ++ b) = ofBytes 64 b ++ ofBytes 64 a := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_ofBytes, List.getElem?_append, ha, BitVec.getLsbD_append, getLsbD_ofBytes, getLsbD_ofBytes]
  by_cases h : j < 64
  · simp [h, hj, show j / 8 < 8 by omega]
  · simp [h, hj, show ¬ j / 8 < 8 by omega, show (j - 64) / 8 = j / 8 - 8 by omega, show (j - 64) % 8 = j % 8 by omega,
      show j - 64 < 64 by omega]

/-- The pre-counter block for a nonce of 12 bytes, as a kernel loads it: 8 bytes, then 4, above which it sets 1. -/
theorem j0_twelve (h : Block) (m : Mem) (p : Addr) : j0 h (bytesAt m p 12) =
    bswap128 ((ofBytes 64 (bytesAt m (p + 8#64) 4) ||| 0x0100000000000000#64) ++ ofBytes 64 (bytesAt m p 8)) := by
  have one : ofBytes 64 (List.replicate 4 0 ++ [0, 0, 0, 1]) = 0x0100000000000000#64 := by decide +kernel
  have length : (bytesAt m p 12 ++ [0, 0, 0, 1]).length = 16 := by rw [List.length_append, length_bytesAt]; rfl
  have last := ofBytes_append 64 (bytesAt m (p + 8#64) 4) [0, 0, 0, 1]
  rw [length_bytesAt, one] at last
  rw [j0, if_pos (length_bytesAt ..), ← bswap128_ofBytes length, ← last, ← ofBytes_append_halves (length_bytesAt ..),
    ← List.append_assoc, bytesAt_append m p 8 4]

/-- The pre-counter block for a nonce of another length. -/
theorem j0_other (h : Block) (m : Mem) (p : Addr) {n : Nat} (hn : n ≠ 12) : j0 h (bytesAt m p n) =
    ghash h (ghash h 0 (paddedAt m p n)) [lengths 0 n] := by
  rw [j0, if_neg (by rw [length_bytesAt]; exact hn), List.append_assoc, blocks_append (by rw [length_pad16]; omega),
    ghash_append, blocks_pad16, padded_bytesAt]
  have zero : len64 [] = List.replicate 8 0 := by decide +kernel
  rw [← zero, blocks_lengths, length_bytesAt]
  rfl

/-- The tag is the hash, encrypted with the pre-counter block. -/
theorem fullTag_eq (ciph : Block → Block) (nonce aad c : List Byte) : Spec.Gcm.fullTag ciph nonce aad c =
    toBytes 16 (keyBlock ciph (j0 (Spec.Gcm.subkey ciph) nonce) 0 ^^^
      bswap128 (ghash (Spec.Gcm.subkey ciph) 0 (Spec.Gcm.blocks (hashed aad c)))) := by
  show Spec.Gcm.gctr ciph (j0 (Spec.Gcm.subkey ciph) nonce) (Spec.Gcm.toBytes
    (ghash (Spec.Gcm.subkey ciph) 0 (Spec.Gcm.blocks (hashed aad c)))) = _
  generalize j0 (Spec.Gcm.subkey ciph) nonce = icb, ghash (Spec.Gcm.subkey ciph) 0 (Spec.Gcm.blocks (hashed aad c)) = y
  apply List.ext_getElem?
  intro j
  rw [getElem?_gctr, ← toBytes_bswap128, toBytes, toBytes, List.getElem?_map, List.getElem?_map, Option.map_map]
  by_cases hj : j < 16
  · rw [List.getElem?_range hj, Option.map_some, Option.map_some, BitVec.extractLsb'_xor, BitVec.xor_comm]
    simp only [Function.comp_def, keyByte, show j / 16 = 0 by omega, show j % 16 = j by omega]
  · rw [List.getElem?_eq_none (by simp; omega)]
    rfl

/-- The tag has 16 bytes. -/
@[simp] theorem length_fullTag (ciph : Block → Block) (nonce aad c : List Byte) :
    (Spec.Gcm.fullTag ciph nonce aad c).length = 16 := by rw [fullTag_eq, length_toBytes]

end Proof.AesGcm.Message
