import Proof.Gf2.Bytes
import Proof.Gf2.Kernel
import Proof.Gf2.Shift
import TCB.AArch64.Vector

/-!
# The operations of AArch64 in the terms of `Proof.Gf2`
-/

set_option autoImplicit false
namespace Proof.Gf2.AArch64
open TCB.AArch64 Spec.Ghash

theorem pmull (a b : BitVec 128) : VecBin.pmull.eval a b = pclmul false false a b := rfl
theorem pmull2 (a b : BitVec 128) : VecBin.pmull2.eval a b = pclmul true true a b := rfl

/-- `ext #8` of one register exchanges its halves. -/
theorem ext_8 (a : BitVec 128) : (VecBin.ext 8).eval a a = swap64 a := by
  show (a ++ a).extractLsb' 64 128 = _
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [swap64, BitVec.getLsbD_append, lo64, hi64, BitVec.getLsbD_extractLsb', BitVec.getLsbD_extractLsb',
    BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
  by_cases h : i < 64
  · simp [h, hi, show 64 + i < 128 by omega]
  · simp [h, hi, show ¬64 + i < 128 by omega, show i - 64 < 64 by omega, show 64 + i - 128 = i - 64 by omega]

/-- `ext #8` with zero as the low source moves the low half up. -/
theorem ext_8_zero (a : BitVec 128) : (VecBin.ext 8).eval 0#128 a = a <<< 64 := by
  show (a ++ 0#128).extractLsb' 64 128 = _
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_shiftLeft, BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
  by_cases h : i < 64
  · simp [h, show 64 + i < 128 by omega]
  · simp [h, hi, show ¬64 + i < 128 by omega, show 64 + i - 128 = i - 64 by omega]

/-- `ext #8` with zero as the high source moves the high half down. -/
theorem zero_ext_8 (a : BitVec 128) : (VecBin.ext 8).eval a 0#128 = a >>> 64 := by
  show (0#128 ++ a).extractLsb' 64 128 = _
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_ushiftRight, BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
  by_cases h : i < 64
  · simp [hi, show 64 + i < 128 by omega]
  · simp [hi, show ¬64 + i < 128 by omega, BitVec.getLsbD_of_ge a (64 + i) (by omega)]

/-- `rev64`, `ext #8`: the bytes in reverse. -/
theorem ext_8_rev64 (a : BitVec 128) : (VecBin.ext 8).eval (VecUn.rev64.eval a) (VecUn.rev64.eval a) = bswap128 a := by
  rw [ext_8]
  exact swap64_ofBytes_map_eq_bswap128 a fun _ _ => rfl

/-- `ext #8`, `rev64`: the bytes in reverse. -/
theorem rev64_ext_8 (a : BitVec 128) : VecUn.rev64.eval ((VecBin.ext 8).eval a a) = bswap128 a := by
  rw [ext_8, ← swap64_swap64 (VecUn.rev64.eval (swap64 a)),
    show swap64 (VecUn.rev64.eval (swap64 a)) = bswap128 (swap64 a) from
      swap64_ofBytes_map_eq_bswap128 _ fun _ _ => rfl, swap64_bswap128, swap64_swap64]

/-- The sums of the halves of two registers in one. -/
theorem zip1_xor_zip2 (a b : BitVec 128) : VecBin.zip1.eval a b ^^^ VecBin.zip2.eval a b = packed a b := rfl

theorem shl2d (a : BitVec 128) : (VecUn.shl2d 1).eval a = hi64 a <<< 1 ++ lo64 a <<< 1 := rfl

theorem ushr2d (a : BitVec 128) : (VecUn.ushr2d 1).eval a = hi64 a >>> 63 ++ lo64 a >>> 63 := rfl

/-- `dup v.4s, n.s[3]` and `sshr v.4s, #31`. -/
theorem sshr4s_dup (a : BitVec 128) : (VecUn.sshr4s 1).eval ((VecUn.dup (.s 3)).eval a) = signMask a := by
  rw [← signMask_of_dwords]
  have lanes (i : Nat) (hi : i < 4) := extractLsb'_append_self (a.extractLsb' 96 32) hi
  show lanes4s (fun i => (lane 32 (let s := a.extractLsb' 96 32; s ++ s ++ s ++ s) i).sshiftRight 31) = _
  simp only [lanes4s, lane, lanes, Nat.reduceLT]

/-- `dup v.2d, n.d[1]` and `sshr v.2d, #63`. -/
theorem sshr2d_dup (a : BitVec 128) : (VecUn.sshr2d 1).eval ((VecUn.dup (.d 1)).eval a) = signMask a := by
  show (hi64 (hi64 a ++ hi64 a)).sshiftRight 63 ++ (lo64 (hi64 a ++ hi64 a)).sshiftRight 63 = signMask a
  rw [hi64_append, lo64_append]
  exact signMask_of_halves a

/-- `sshr v.2d, #63` and `dup v.2d, n.d[1]`. -/
theorem dup_sshr2d (a : BitVec 128) : (VecUn.dup (.d 1)).eval ((VecUn.sshr2d 1).eval a) = signMask a := by
  show (let s := hi64 ((hi64 a).sshiftRight 63 ++ (lo64 a).sshiftRight 63); s ++ s) = signMask a
  rw [hi64_append]
  exact signMask_of_halves a

/-- The stored form of a key, as an example of these lemmas. -/
theorem twist_lanes (h : Block) :
    VecBin.eor.eval
      (VecBin.orr.eval ((VecUn.shl2d 1).eval h) ((VecBin.ext 8).eval 0#128 ((VecUn.ushr2d 1).eval h)))
      (VecBin.and.eval ((VecUn.sshr2d 1).eval ((VecUn.dup (.d 1)).eval h)) invX) = twist h := by
  rw [shl2d, ushr2d, ext_8_zero, sshr2d_dup]
  simp only [VecBin.eval]
  rw [or_eq_shiftLeft_one, twist_eq]

end Proof.Gf2.AArch64
