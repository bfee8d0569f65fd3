import Proof.Gf2.Poly
import TCB.Clmul

/-!
# Carry-less multiplication of machine words

The halves of a vector register, and the instructions that multiply two of them: PCLMULQDQ, PMULL, PMULL2.
-/

set_option autoImplicit false
namespace Proof.Gf2

/-! ## The product of two 64-bit words -/

/-- The loop of the model after `n` bits of the first factor. -/
theorem toNat_foldl_clmul (a b : BitVec 64) (n : Nat) (hn : n ≤ 64) :
    ((List.range n).foldl (fun p i => if a.getLsbD i then p ^^^ b.setWidth 128 <<< i else p) (0 : BitVec 128)).toNat =
      polyMulTo n b.toNat a.toNat := by
  induction n with
  | zero => rfl
  | succ n ih =>
    have shift : (b.setWidth 128 <<< n).toNat = b.toNat <<< n := by
      rw [BitVec.toNat_shiftLeft, BitVec.toNat_setWidth, Nat.mod_eq_of_lt (a := b.toNat) (by omega)]
      apply Nat.mod_eq_of_lt
      rw [Nat.shiftLeft_eq]
      calc b.toNat * 2 ^ n < 2 ^ 64 * 2 ^ n := Nat.mul_lt_mul_of_pos_right b.isLt (Nat.two_pow_pos n)
        _ = 2 ^ (64 + n) := (Nat.pow_add ..).symm
        _ ≤ _ := Nat.pow_le_pow_right (by omega) (by omega)
    rw [List.range_succ, List.foldl_append, List.foldl_cons, List.foldl_nil, polyMulTo, ← ih (by omega),
      BitVec.testBit_toNat]
    split
    · rw [BitVec.toNat_xor, shift]
    · rw [Nat.xor_zero]

/-- The model multiplies polynomials. -/
theorem toNat_clmul (a b : BitVec 64) : (TCB.clmul a b).toNat = polyMul a.toNat b.toNat := by
  rw [polyMul_comm, polyMul_eq _ _ 64 a.isLt]
  exact toNat_foldl_clmul a b 64 (Nat.le_refl 64)

theorem clmul_eq (a b : BitVec 64) : TCB.clmul a b = BitVec.ofNat 128 (polyMul a.toNat b.toNat) := by
  rw [← toNat_clmul, BitVec.ofNat_toNat, BitVec.setWidth_eq]

theorem clmul_comm (a b : BitVec 64) : TCB.clmul a b = TCB.clmul b a := by
  rw [clmul_eq, clmul_eq, polyMul_comm]

theorem xor_clmul (a b c : BitVec 64) : TCB.clmul (a ^^^ b) c = TCB.clmul a c ^^^ TCB.clmul b c := by
  simp only [clmul_eq, BitVec.toNat_xor, xor_polyMul, ofNat_xor]

theorem clmul_xor (a b c : BitVec 64) : TCB.clmul a (b ^^^ c) = TCB.clmul a b ^^^ TCB.clmul a c := by
  simp only [clmul_eq, BitVec.toNat_xor, polyMul_xor, ofNat_xor]

/-! ## Halves -/

/-- The low half of a register. -/
def lo64 (a : BitVec 128) : BitVec 64 := a.extractLsb' 0 64

/-- The high half of a register. -/
def hi64 (a : BitVec 128) : BitVec 64 := a.extractLsb' 64 64

/-- The register with its halves exchanged. -/
def swap64 (a : BitVec 128) : BitVec 128 := lo64 a ++ hi64 a

theorem lo64_xor (a b : BitVec 128) : lo64 (a ^^^ b) = lo64 a ^^^ lo64 b := by simp [lo64, BitVec.extractLsb'_xor]

theorem hi64_xor (a b : BitVec 128) : hi64 (a ^^^ b) = hi64 a ^^^ hi64 b := by simp [hi64, BitVec.extractLsb'_xor]

theorem swap64_xor (a b : BitVec 128) : swap64 (a ^^^ b) = swap64 a ^^^ swap64 b := by
  rw [swap64, lo64_xor, hi64_xor, ← BitVec.xor_append, swap64, swap64]

@[simp] theorem lo64_append (x y : BitVec 64) : lo64 (x ++ y) = y := by
  rw [lo64, BitVec.extractLsb'_append_eq_right]

@[simp] theorem hi64_append (x y : BitVec 64) : hi64 (x ++ y) = x := by
  rw [hi64, BitVec.extractLsb'_append_eq_left]

@[simp] theorem lo64_swap64 (a : BitVec 128) : lo64 (swap64 a) = hi64 a := lo64_append ..

@[simp] theorem hi64_swap64 (a : BitVec 128) : hi64 (swap64 a) = lo64 a := hi64_append ..

/-- A register is its halves. -/
theorem hi64_append_lo64 (a : BitVec 128) : hi64 a ++ lo64 a = a := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_append, hi64, lo64, BitVec.getLsbD_extractLsb', BitVec.getLsbD_extractLsb']
  by_cases h : i < 64
  · simp [h]
  · simp [h, show i - 64 < 64 by omega, Nat.add_sub_cancel' (Nat.not_lt.mp h)]

@[simp] theorem swap64_swap64 (a : BitVec 128) : swap64 (swap64 a) = a := by
  rw [swap64, lo64_swap64, hi64_swap64, hi64_append_lo64]

theorem toNat_lo64 (a : BitVec 128) : (lo64 a).toNat = a.toNat % 2 ^ 64 := by simp [lo64, BitVec.extractLsb'_toNat]

theorem toNat_hi64 (a : BitVec 128) : (hi64 a).toNat = a.toNat >>> 64 := by
  simp only [hi64, BitVec.extractLsb'_toNat]
  apply Nat.mod_eq_of_lt
  have := a.isLt
  rw [Nat.shiftRight_eq_div_pow]
  omega

theorem toNat_halves (a : BitVec 128) : a.toNat = (hi64 a).toNat <<< 64 ^^^ (lo64 a).toNat := by
  rw [toNat_lo64, toNat_hi64]
  exact split_at _ _

/-- Moving the low half up (`pslldq 8`). -/
theorem shiftLeft_64 (a : BitVec 128) : a <<< 64 = lo64 a ++ 0#64 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_append, BitVec.getLsbD_shiftLeft, lo64, BitVec.getLsbD_extractLsb']
  by_cases h : i < 64
  · simp [h]
  · simp [h, hi, show i - 64 < 64 by omega]

/-- Moving the high half down (`psrldq 8`). -/
theorem ushiftRight_64 (a : BitVec 128) : a >>> 64 = 0#64 ++ hi64 a := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_append, BitVec.getLsbD_ushiftRight, hi64, BitVec.getLsbD_extractLsb']
  by_cases h : i < 64
  · simp [h]
  · simp [h, BitVec.getLsbD_of_ge a (64 + i) (by omega)]

/-! ## The instructions -/

/-- The low or the high half. -/
def half (high : Bool) (a : BitVec 128) : BitVec 64 := bif high then hi64 a else lo64 a

/-- PCLMULQDQ of halves of the first and of the second source, which bits 0 and 4 of the immediate choose. -/
def pclmul (high₁ high₂ : Bool) (a b : BitVec 128) : BitVec 128 := TCB.clmul (half high₁ a) (half high₂ b)

/-- PMULL on 64-bit elements. -/
def pmull (a b : BitVec 128) : BitVec 128 := TCB.clmul (lo64 a) (lo64 b)

/-- PMULL2 on 64-bit elements. -/
def pmull2 (a b : BitVec 128) : BitVec 128 := TCB.clmul (hi64 a) (hi64 b)

theorem pclmul_lo_lo (a b : BitVec 128) : pclmul false false a b = TCB.clmul (lo64 a) (lo64 b) := rfl
theorem pclmul_hi_lo (a b : BitVec 128) : pclmul true false a b = TCB.clmul (hi64 a) (lo64 b) := rfl
theorem pclmul_lo_hi (a b : BitVec 128) : pclmul false true a b = TCB.clmul (lo64 a) (hi64 b) := rfl
theorem pclmul_hi_hi (a b : BitVec 128) : pclmul true true a b = TCB.clmul (hi64 a) (hi64 b) := rfl

theorem pmull_eq (a b : BitVec 128) : pmull a b = pclmul false false a b := rfl
theorem pmull2_eq (a b : BitVec 128) : pmull2 a b = pclmul true true a b := rfl

/-- PMULL of the first source with its halves exchanged (`ext #8`). -/
theorem pmull_swap64_left (a b : BitVec 128) : pmull (swap64 a) b = pclmul true false a b := by
  rw [pmull, lo64_swap64, pclmul_hi_lo]

/-- PMULL of the second source with its halves exchanged (`ext #8`). -/
theorem pmull_swap64_right (a b : BitVec 128) : pmull a (swap64 b) = pclmul false true a b := by
  rw [pmull, lo64_swap64, pclmul_lo_hi]

/-- PMULL2 of the first source with its halves exchanged (`ext #8`). -/
theorem pmull2_swap64_left (a b : BitVec 128) : pmull2 (swap64 a) b = pclmul false true a b := by
  rw [pmull2, hi64_swap64, pclmul_lo_hi]

/-- PMULL2 of the second source with its halves exchanged (`ext #8`). -/
theorem pmull2_swap64_right (a b : BitVec 128) : pmull2 a (swap64 b) = pclmul true false a b := by
  rw [pmull2, hi64_swap64, pclmul_hi_lo]

theorem half_xor (high : Bool) (a b : BitVec 128) : half high (a ^^^ b) = half high a ^^^ half high b := by
  cases high
  · exact lo64_xor ..
  · exact hi64_xor ..

theorem xor_pclmul (high₁ high₂ : Bool) (a b c : BitVec 128) :
    pclmul high₁ high₂ (a ^^^ b) c = pclmul high₁ high₂ a c ^^^ pclmul high₁ high₂ b c := by
  rw [pclmul, half_xor, xor_clmul, pclmul, pclmul]

theorem pclmul_xor (high₁ high₂ : Bool) (a b c : BitVec 128) :
    pclmul high₁ high₂ a (b ^^^ c) = pclmul high₁ high₂ a b ^^^ pclmul high₁ high₂ a c := by
  rw [pclmul, half_xor, clmul_xor, pclmul, pclmul]

theorem pclmul_comm (high₁ high₂ : Bool) (a b : BitVec 128) : pclmul high₁ high₂ a b = pclmul high₂ high₁ b a := by
  rw [pclmul, clmul_comm, pclmul]

end Proof.Gf2
