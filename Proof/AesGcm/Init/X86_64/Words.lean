import Proof.Aes.RoundKeys
import TCB.X86_64.Vector

/-!
# Key expansion on x86-64: what the instructions compute
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.Aes Spec.Aes Proof.Aes

variable {u v w : Block} {j : Nat}

theorem palignr_8 : VecBin.eval (.palignr 8) v w = window v w := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show (((v ++ w) >>> 64).setWidth 128).getLsbD i = _
  simp [window, hi]

theorem pslldq_4 : VecUn.eval (.pslldq 4) v = v <<< 32 := rfl

theorem pslldq_8 : VecUn.eval (.pslldq 8) v = v <<< 64 := rfl

theorem psllq_32 : VecUn.eval (.psllq 32) v = shiftHalves v := rfl

theorem pshufd_3 : VecUn.eval (.pshufd 0xff) v = plainV v := by
  have order : ∀ i, i < 4 → (0xff : BitVec 8).toNat / 4 ^ i % 4 = 3 := by decide
  simp only [VecUn.eval, ofDwords]
  rw [order 0 (by decide), order 1 (by decide), order 2 (by decide), order 3 (by decide)]
  rfl

/-- The shuffle that rotates the last word into every word, and AESENCLAST on equal words. -/
theorem rotated_eq : VecBin.eval .aesenclast (VecBin.eval .pshufb v 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128)
    (repeated (rcon j)) = rotatedV v j := by
  have control : ∀ i, i < 16 → (byte 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 i).msb = false ∧
      (byte 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 i).toNat % 16 = 12 + (i + 1) % 4 := by decide
  obtain ⟨a, b, c, d, rfl⟩ := exists_words v
  have shuffle : VecBin.eval .pshufb (ofWords a b c d) 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 = repeated (rotWord d) := by
    refine .trans (byte_ext fun i hi => ?_) (ofFn_rotWord (a := a) (b := b) (c := c) (k := fun i => 12 + (i + 1) % 4) fun _ _ => rfl)
    simp only [VecBin.eval]
    rw [byte_ofFn _ hi, byte_ofFn _ hi, (control i hi).1, (control i hi).2]
    rfl
  rw [shuffle, VecBin.eval, subBytes_same, xor_repeated, rotatedV, lastWord_ofWords]

/-- AESENCLAST on equal words. -/
theorem substituted_eq : VecBin.eval .aesenclast (VecUn.eval (.pshufd 0xff) v) 0#128 = substitutedV v := by
  rw [pshufd_3, plainV, VecBin.eval, subBytes_same, BitVec.xor_zero, substitutedV]

theorem sums_eq : VecBin.eval .pxor (VecBin.eval .pxor (VecBin.eval .pxor v (VecUn.eval (.pslldq 4) v))
    (VecUn.eval (.pslldq 8) (VecBin.eval .pxor v (VecUn.eval (.pslldq 4) v)))) w = sumsV v w := by
  simp only [VecBin.eval, pslldq_4, pslldq_8, sumsV, pairsV]

theorem joined_eq : VecBin.eval (.palignr 8) (VecBin.eval .pxor (VecBin.eval .pxor (VecUn.eval (.psllq 32) v) v)
    (rotatedV u j)) u = joinedV u v j := by
  rw [palignr_8, psllq_32]
  rfl

theorem upper_eq : VecBin.eval .pxor (VecBin.eval .pxor v (VecUn.eval (.psllq 32) v)) (VecUn.eval (.pshufd 0xff) w) =
    upperV v w := by
  rw [pshufd_3, psllq_32]
  rfl

end Proof.AesGcm.Init.X86_64
