import Proof.Framework.Mem

/-!
# Fewer than 16 bytes, put together from pieces that may overlap
-/

set_option autoImplicit false
namespace Proof.Partial
open TCB

/-- The first bytes that are loaded, and then more of them, which may overlap. -/
theorem ofBytes_or {w i j k : Nat} (m : Mem) (a : Addr) (hi : i ≤ j) (hj : j ≤ i + k) :
    ofBytes w (bytesAt m a j) ||| ofBytes w (bytesAt m (a + BitVec.ofNat 64 i) k) <<< (8 * i) =
      ofBytes w (bytesAt m a (i + k)) := by
  apply BitVec.eq_of_getLsbD_eq
  intro l hl
  simp only [BitVec.getLsbD_or, BitVec.getLsbD_shiftLeft, getLsbD_ofBytes, getElem?_bytesAt, hl, decide_true, Bool.true_and]
  by_cases h : l < 8 * i
  · simp [h, show l / 8 < j by omega, show l / 8 < i + k by omega]
  · have e : a + BitVec.ofNat 64 i + BitVec.ofNat 64 ((l - 8 * i) / 8) = a + BitVec.ofNat 64 (l / 8) := by
      rw [BitVec.add_assoc, ← BitVec.ofNat_add]
      congr 2
      omega
    rw [e, show (l - 8 * i) % 8 = l % 8 by omega]
    by_cases hk : l / 8 < i + k
    · by_cases hl' : l / 8 < j <;> simp [h, hl', hk, show (l - 8 * i) / 8 < k by omega, show l - 8 * i < w by omega]
    · simp [h, hk, show ¬l / 8 < j by omega, show ¬(l - 8 * i) / 8 < k by omega]

/-- Zeros come before the bytes in a wider word. -/
theorem setWidth_ofBytes {v w : Nat} {bs : List Byte} (h : 8 * bs.length ≤ v) : (ofBytes v bs).setWidth w = ofBytes w bs := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_setWidth, getLsbD_ofBytes, getLsbD_ofBytes]
  by_cases hv : i < v
  · simp [hv]
  · simp [hv, List.getElem?_eq_none (show bs.length ≤ i / 8 by omega)]

/-- Some bytes of a word. -/
theorem toBytes_part {v w i k n : Nat} {x : BitVec w} {y : BitVec v} (hk : i + k ≤ n)
    (h : ∀ j, j < 8 * k → y.getLsbD j = x.getLsbD (8 * i + j)) : toBytes k y = ((toBytes n x).drop i).take k := by
  apply List.ext_getElem?
  intro l
  rw [List.getElem?_take]
  by_cases hl : l < k
  · simp only [toBytes, List.getElem?_drop, List.getElem?_map, List.getElem?_range hl,
      List.getElem?_range (show i + l < n by omega), Option.map_some, if_pos hl]
    congr 1
    apply BitVec.eq_of_getLsbD_eq
    intro b hb
    simp only [BitVec.getLsbD_extractLsb', hb, decide_true, Bool.true_and]
    rw [h _ (by omega)]
    congr 1
    omega
  · rw [if_neg hl, List.getElem?_eq_none (by simp; omega)]

/-- The first bytes of a list are stored, and then more of them, which may overlap. -/
theorem writeBytes_take {i j k : Nat} (m : Mem) (a : Addr) {bs : List Byte} (hi : i ≤ j) (hj : j ≤ i + k)
    (hk : i + k ≤ bs.length) (hs : bs.length ≤ 2 ^ 64) :
    writeBytes (writeBytes m a (bs.take j)) (a + BitVec.ofNat 64 i) ((bs.drop i).take k) = writeBytes m a (bs.take (i + k)) := by
  have hl : (bs.take j).length = j := by rw [List.length_take]; omega
  have hl' : ((bs.drop i).take k).length = k := by rw [List.length_take, List.length_drop]; omega
  rw [writeBytes_tail _ _ (by omega) (by omega) (by omega), List.take_take, Nat.min_eq_left hi, List.take_add]

/-- The first bytes of a word, and zeros. -/
theorem ofBytes_take {w k n : Nat} (x : BitVec w) (hn : w ≤ 8 * n) (i : Nat) :
    (ofBytes w ((toBytes n x).take k)).getLsbD i = (decide (i < 8 * k) && x.getLsbD i) := by
  rw [getLsbD_ofBytes]
  by_cases hi : i < w
  · by_cases hk : i < 8 * k
    · simp only [List.getElem?_take, if_pos (show i / 8 < k by omega), toBytes, List.getElem?_map,
        List.getElem?_range (show i / 8 < n by omega), Option.map_some, Option.getD_some, BitVec.getLsbD_extractLsb', hi, hk,
        decide_true, Bool.true_and, show i % 8 < 8 by omega, show 8 * (i / 8) + i % 8 = i by omega]
    · rw [List.getElem?_eq_none (by simp; omega)]
      simp [hk]
  · simp [hi, BitVec.getLsbD_of_ge x i (by omega)]

end Proof.Partial
