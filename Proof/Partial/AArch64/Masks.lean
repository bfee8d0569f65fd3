import Proof.Gf2.Bytes
import Proof.Partial.Bytes
import Proof.Partial.Table
import TCB.AArch64.Vector

/-!
# What the masks do, on AArch64
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64
open TCB TCB.AArch64 TCB.Aes Impl.Partial

/-- The bits of what `tbl` gives. -/
theorem getLsbD_tbl (x y : BitVec 128) {i : Nat} (hi : i < 128) : (VecBin.tbl.eval x y).getLsbD i =
    if (byte y (i / 8)).toNat < 16 then x.getLsbD (8 * (byte y (i / 8)).toNat + i % 8) else false := by
  show (lanes16b _).getLsbD i = _
  rw [lanes16b, Gf2.getLsbD_ofBytes_map _ hi]
  show (if (byte y (i / 8)).toNat < 16 then lane 8 x (byte y (i / 8)).toNat else 0).getLsbD (i % 8) = _
  split
  · simp only [lane, BitVec.getLsbD_extractLsb', show i % 8 < 8 by omega, decide_true, Bool.true_and]
  · exact BitVec.getLsbD_zero

/-- A small number as an index. -/
theorem index {i : Nat} (hi : i < 16) : (BitVec.ofNat 8 i).toNat = i := by
  rw [BitVec.toNat_ofNat, Nat.mod_eq_of_lt (by omega)]

/-- The index of a zero. -/
theorem zero_byte : ¬(0x80 : Byte).toNat < 16 := by decide

/-- Bytes move up. -/
theorem tbl_up (x : BitVec 128) {k : Nat} (hk : k ≤ 16) : VecBin.tbl.eval x (word slide (16 - k)) = x <<< (8 * k) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_tbl _ _ hi, byte_up hk (by omega), BitVec.getLsbD_shiftLeft]
  by_cases h : i / 8 < k
  · rw [if_pos h, if_neg zero_byte]
    simp [show i < 8 * k by omega]
  · rw [if_neg h, index (by omega), if_pos (by omega), show 8 * (i / 8 - k) + i % 8 = i - 8 * k by omega]
    simp [hi, show ¬i < 8 * k by omega]

/-- Bytes move down. -/
theorem tbl_down (x : BitVec 128) {k : Nat} (hk : k ≤ 16) : VecBin.tbl.eval x (word slide (16 + k)) = x >>> (8 * k) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_tbl _ _ hi, byte_down hk (by omega), BitVec.getLsbD_ushiftRight]
  by_cases h : i / 8 + k < 16
  · rw [if_pos h, index h, if_pos h, show 8 * (i / 8 + k) + i % 8 = 8 * k + i by omega]
  · rw [if_neg h, if_neg zero_byte, BitVec.getLsbD_of_ge x (8 * k + i) (by omega)]

/-- The first bytes stay, and the others become zero. -/
theorem and_ones (x : BitVec 128) {k : Nat} (hk : k ≤ 16) :
    VecBin.and.eval x (word ones (16 - k)) = ofBytes 128 ((toBytes 16 x).take k) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  have b := congrArg (BitVec.getLsbD · (i % 8)) (byte_ones hk (show i / 8 < 16 by omega))
  simp only [byte, BitVec.getLsbD_extractLsb', show i % 8 < 8 by omega, decide_true, Bool.true_and,
    show 8 * (i / 8) + i % 8 = i by omega] at b
  rw [VecBin.eval, BitVec.getLsbD_and, b, ofBytes_take x (by omega), Bool.and_comm]
  congr 1
  have full : ∀ j, j < 8 → (0xff : Byte).getLsbD j = true := by decide
  by_cases h : i < 8 * k
  · rw [if_pos (by omega), full _ (by omega), decide_eq_true h]
  · rw [if_neg (by omega), decide_eq_false h]
    exact BitVec.getLsbD_zero

end Proof.Partial.AArch64
