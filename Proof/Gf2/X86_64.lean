import Proof.Gf2.Bytes
import Proof.Gf2.Kernel
import Proof.Gf2.Shift
import TCB.X86_64.Vector

/-!
# The operations of x86-64 in the terms of `Proof.Gf2`
-/

set_option autoImplicit false
namespace Proof.Gf2.X86_64
open TCB.X86_64 Spec.Ghash

theorem pclmulqdq (high₁ high₂ : Bool) (a b : BitVec 128) :
    (VecBin.pclmulqdq high₁ high₂).eval a b = pclmul high₁ high₂ a b := by
  cases high₁ <;> cases high₂ <;> rfl

/-- The mask of `pshufb` that reverses the bytes. -/
def reverseMask : BitVec 128 := 0x000102030405060708090a0b0c0d0e0f

theorem pshufb_reverseMask (a : BitVec 128) : VecBin.pshufb.eval a reverseMask = bswap128 a := by
  have mask : ∀ i, i < 16 → (TCB.Aes.byte reverseMask i).msb = false ∧
      (TCB.Aes.byte reverseMask i).toNat % 16 = 15 - i := by decide +kernel
  apply ofBytes_map_eq_bswap128
  intro i hi
  simp only [(mask i hi).1, (mask i hi).2, Bool.false_eq_true, if_false]
  rfl

/-- `pshufd 0x4e` exchanges the halves. -/
theorem pshufd_0x4e (a : BitVec 128) : (VecUn.pshufd 0x4e).eval a = swap64 a := by
  show dword a 1 ++ dword a 0 ++ dword a 3 ++ dword a 2 = swap64 a
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [swap64, lo64, hi64, dword, BitVec.getLsbD_append, BitVec.getLsbD_extractLsb']
  by_cases h32 : i < 32
  · simp [h32, show i < 64 by omega]
  by_cases h64 : i < 64
  · simp [h32, h64, show i - 32 < 32 by omega, show 96 + (i - 32) = 64 + i by omega]
  by_cases h96 : i < 96
  · simp [h32, h64, show ¬i - 32 < 32 by omega, show i - 64 < 32 by omega, show i - 64 < 64 by omega,
      show i - 32 - 32 = i - 64 by omega]
  · simp [h32, h64, show ¬i - 32 < 32 by omega, show ¬i - 32 - 32 < 32 by omega, show i - 64 < 64 by omega,
      show i - 32 - 32 - 32 < 32 by omega, show 32 + (i - 32 - 32 - 32) = i - 64 by omega]

/-- `palignr 8` of one register exchanges its halves. -/
theorem palignr_8 (a : BitVec 128) : (VecBin.palignr 8).eval a a = swap64 a := by
  show ((a ++ a) >>> 64).setWidth 128 = _
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [swap64, BitVec.getLsbD_append, lo64, hi64, BitVec.getLsbD_extractLsb', BitVec.getLsbD_extractLsb',
    BitVec.getLsbD_setWidth, BitVec.getLsbD_ushiftRight, BitVec.getLsbD_append]
  by_cases h : i < 64
  · simp [h, hi, show 64 + i < 128 by omega]
  · simp [h, hi, show ¬64 + i < 128 by omega, show i - 64 < 64 by omega, show 64 + i - 128 = i - 64 by omega]

theorem pslldq_8 (a : BitVec 128) : (VecUn.pslldq 8).eval a = a <<< 64 := rfl

theorem psrldq_8 (a : BitVec 128) : (VecUn.psrldq 8).eval a = a >>> 64 := rfl

/-- The sums of the halves of two registers in one. -/
theorem punpcklqdq_xor_punpckhqdq (a b : BitVec 128) :
    VecBin.punpcklqdq.eval a b ^^^ VecBin.punpckhqdq.eval a b = packed a b := rfl

/-! ## The stored form of a key -/

theorem psllq_1 (a : BitVec 128) : (VecUn.psllq 1).eval a = hi64 a <<< 1 ++ lo64 a <<< 1 := rfl

theorem psrlq_63 (a : BitVec 128) : (VecUn.psrlq 63).eval a = hi64 a >>> 63 ++ lo64 a >>> 63 := rfl

/-- `pshufd 0xff`, `psrad 31`. -/
theorem psrad_pshufd (a : BitVec 128) : (VecUn.psrad 31).eval ((VecUn.pshufd 0xff).eval a) = signMask a := by
  rw [← signMask_of_dwords]
  have lanes (i : Nat) (hi : i < 4) := extractLsb'_append_self (a.extractLsb' 96 32) hi
  show ofDwords (fun i => (dword (let s := a.extractLsb' 96 32; s ++ s ++ s ++ s) i).sshiftRight 31) = _
  simp only [ofDwords, dword, lanes, Nat.reduceLT]

/-- `psrad 31`, `pshufd 0xff`. -/
theorem pshufd_psrad (a : BitVec 128) : (VecUn.pshufd 0xff).eval ((VecUn.psrad 31).eval a) = signMask a := by
  have top (w x y z : BitVec 32) : (w ++ x ++ y ++ z).extractLsb' 96 32 = w := by
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [BitVec.getLsbD_extractLsb', BitVec.getLsbD_append, BitVec.getLsbD_append, BitVec.getLsbD_append]
    simp [hi, show ¬96 + i < 32 by omega, show 96 + i - 32 = 64 + i by omega, show ¬64 + i < 32 by omega,
      show 64 + i - 32 = 32 + i by omega, show 32 + i - 32 = i by omega]
  rw [← signMask_of_dwords, ← top ((a.extractLsb' 96 32).sshiftRight 31) ((dword a 2).sshiftRight 31)
    ((dword a 1).sshiftRight 31) ((dword a 0).sshiftRight 31)]
  rfl

/-- The stored form of a key, as an example of these lemmas. -/
theorem twist_lanes (h : Block) :
    VecBin.pxor.eval
      (VecBin.por.eval ((VecUn.psllq 1).eval h) ((VecUn.pslldq 8).eval ((VecUn.psrlq 63).eval h)))
      (VecBin.pand.eval ((VecUn.psrad 31).eval ((VecUn.pshufd 0xff).eval h)) invX) = twist h := by
  rw [psllq_1, psrlq_63, pslldq_8, psrad_pshufd]
  simp only [VecBin.eval]
  rw [or_eq_shiftLeft_one, twist_eq]

end Proof.Gf2.X86_64
