import Proof.AArch64.SymExec
import Proof.Aes.RoundKeys
import Proof.Gf2.AArch64

/-!
# Key expansion on AArch64: what the instructions compute
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.AArch64
open TCB TCB.AArch64 TCB.Aes Spec.Aes Proof.Aes

variable {u v w : Block} {d : Word}

theorem ext_8 : VecBin.eval (.ext 8) v w = window w v := rfl

theorem ext_12_zero : VecBin.eval (.ext 12) 0#128 v = v <<< 32 := by
  show (v ++ 0#128).extractLsb' 96 128 = _
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_shiftLeft, BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
  by_cases h : i < 32
  · simp [h, show 96 + i < 128 by omega]
  · simp [h, hi, show ¬96 + i < 128 by omega, show 96 + i - 128 = i - 32 by omega]

theorem shl2d_32 : VecUn.eval (.shl2d 32) v = shiftHalves v := rfl

theorem dup_3 : VecUn.eval (.dup (.s 3)) v = plainV v := rfl

/-- AESE with a round key of zero on equal words. -/
theorem aese_repeated : SymBin.eval .aese (repeated d) 0#128 = repeated (subWord d) := by
  rw [SymBin.eval, BitVec.xor_zero, subBytes_same]

/-- The shuffle that rotates the last word into every word, and SUBWORD. -/
theorem rotated_eq : SymBin.eval .aese (VecBin.eval .tbl v 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128) 0#128 =
    repeated (subWord (rotWord (lastWord v))) := by
  have control : ∀ i, i < 16 → (lane 8 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 i).toNat = 12 + (i + 1) % 4 := by decide
  obtain ⟨a, b, c, d, rfl⟩ := exists_words v
  have shuffle : VecBin.eval .tbl (ofWords a b c d) 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 = repeated (rotWord d) := by
    refine .trans (byte_ext fun i hi => ?_) (ofFn_rotWord (a := a) (b := b) (c := c) (k := fun i => 12 + (i + 1) % 4) fun _ _ => rfl)
    simp only [VecBin.eval]
    rw [lanes16b, ← ofFn, byte_ofFn _ hi, byte_ofFn _ hi, control i hi, if_pos (by omega)]
    rfl
  rw [shuffle, aese_repeated, lastWord_ofWords]

theorem substituted_eq : SymBin.eval .aese (VecUn.eval (.dup (.s 3)) v) 0#128 = substitutedV v := aese_repeated

theorem sums_eq : VecBin.eval .eor (VecBin.eval .eor v (VecBin.eval (.ext 12) 0#128 v))
    (VecBin.eval (.ext 8) 0#128 (VecBin.eval .eor v (VecBin.eval (.ext 12) 0#128 v))) ^^^ w = sumsV v w := by
  simp only [ext_12_zero, Gf2.AArch64.ext_8_zero]
  rfl

end Proof.AesGcm.Init.AArch64
