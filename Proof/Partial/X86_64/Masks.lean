import Impl.Partial.X86_64
import Proof.Gf2.Bytes
import Proof.Partial.Bytes
import Proof.Partial.Table

/-!
# What the masks do, on x86-64
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64
open TCB TCB.X86_64 TCB.Aes Impl.Partial.X86_64

/-- The bits of what `pshufb` gives. -/
theorem getLsbD_pshufb (x y : BitVec 128) {i : Nat} (hi : i < 128) : (VecBin.pshufb.eval x y).getLsbD i =
    if (byte y (i / 8)).msb then false else x.getLsbD (8 * ((byte y (i / 8)).toNat % 16) + i % 8) := by
  rw [VecBin.eval, ofFn, Gf2.getLsbD_ofBytes_map _ hi]
  split
  · exact BitVec.getLsbD_zero
  · simp only [byte, BitVec.getLsbD_extractLsb', show i % 8 < 8 by omega, decide_true, Bool.true_and]

/-- A small number as a control byte of `pshufb`. -/
theorem control {i : Nat} (hi : i < 16) : (BitVec.ofNat 8 i).msb = false ∧ (BitVec.ofNat 8 i).toNat % 16 = i := by
  have h : ∀ i, i < 16 → (BitVec.ofNat 8 i).msb = false ∧ (BitVec.ofNat 8 i).toNat % 16 = i := by decide
  exact h i hi

/-- The control byte of a zero. -/
theorem zero_byte : (0x80 : Byte).msb = true := by decide

/-- Bytes move up. -/
theorem pshufb_up (x : BitVec 128) {k : Nat} (hk : k ≤ 16) : VecBin.pshufb.eval x (word slide (16 - k)) = x <<< (8 * k) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_pshufb _ _ hi, byte_up hk (by omega), BitVec.getLsbD_shiftLeft]
  by_cases h : i / 8 < k
  · rw [if_pos h, zero_byte, if_pos rfl]
    simp [show i < 8 * k by omega]
  · have c := control (i := i / 8 - k) (by omega)
    rw [if_neg h, c.1, c.2, show 8 * (i / 8 - k) + i % 8 = i - 8 * k by omega]
    simp [hi, show ¬i < 8 * k by omega]

/-- Bytes move down. -/
theorem pshufb_down (x : BitVec 128) {k : Nat} (hk : k ≤ 16) : VecBin.pshufb.eval x (word slide (16 + k)) = x >>> (8 * k) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_pshufb _ _ hi, byte_down hk (by omega), BitVec.getLsbD_ushiftRight]
  by_cases h : i / 8 + k < 16
  · have c := control h
    rw [if_pos h, c.1, c.2, show 8 * (i / 8 + k) + i % 8 = 8 * k + i by omega]
    rfl
  · rw [if_neg h, zero_byte, if_pos rfl, BitVec.getLsbD_of_ge x (8 * k + i) (by omega)]

/-- The first bytes stay, and the others become zero. -/
theorem pand_ones (x : BitVec 128) {k : Nat} (hk : k ≤ 16) :
    VecBin.pand.eval x (word ones (16 - k)) = ofBytes 128 ((toBytes 16 x).take k) := by
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

end Proof.Partial.X86_64
