import Proof.Gf2.Modulus
import Spec.Ghash

/-!
# The standard's product is the product of polynomials

A block lists the coefficients of a polynomial from its most significant bit down. `rev_mul` is the bridge between
algorithm 1 of SP 800-38D and the polynomials of `Proof.Gf2.Modulus`.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

/-- The polynomial whose coefficient `i` is the bit `i` from the left. -/
def rev {w : Nat} (a : BitVec w) : Nat := a.reverse.toNat

theorem rev_lt {w : Nat} (a : BitVec w) : rev a < 2 ^ w := a.reverse.isLt

theorem testBit_rev {w : Nat} (a : BitVec w) (i : Nat) : (rev a).testBit i = a.getMsbD i := by
  rw [rev, BitVec.testBit_toNat, BitVec.getLsbD_reverse]

/-- Words of the same polynomial are equal. -/
theorem rev_inj {w : Nat} {a b : BitVec w} (h : rev a = rev b) : a = b := by
  apply BitVec.eq_of_getMsbD_eq
  intro i _
  rw [← testBit_rev, ← testBit_rev, h]

theorem rev_xor {w : Nat} (a b : BitVec w) : rev (a ^^^ b) = rev a ^^^ rev b := by
  apply Nat.eq_of_testBit_eq
  intro i
  simp only [testBit_rev, Nat.testBit_xor, BitVec.getMsbD_xor]

@[simp] theorem rev_zero {w : Nat} : rev (0#w) = 0 := by
  apply Nat.eq_of_testBit_eq
  intro i
  rw [testBit_rev]
  simp

theorem rev_two_pow {w i : Nat} (h : i < w) : rev (BitVec.ofNat w (2 ^ i)) = 2 ^ (w - 1 - i) := by
  apply Nat.eq_of_testBit_eq
  intro k
  rw [testBit_rev, Nat.testBit_two_pow, BitVec.getMsbD, BitVec.getLsbD_ofNat, Nat.testBit_two_pow]
  by_cases hk : k < w
  · simp only [hk, show w - 1 - k < w by omega, decide_true, Bool.true_and, decide_eq_decide]
    omega
  · simp only [hk, decide_false, Bool.false_and]
    symm
    rw [decide_eq_false_iff_not]
    omega

/-- The low word of a concatenation holds the higher coefficients. -/
theorem rev_append {w v : Nat} (x : BitVec w) (y : BitVec v) : rev (x ++ y) = rev x ^^^ rev y <<< w := by
  apply Nat.eq_of_testBit_eq
  intro i
  rw [Nat.testBit_xor, Nat.testBit_shiftLeft, testBit_rev, testBit_rev, testBit_rev, BitVec.getMsbD_append]
  by_cases h : i < w
  · simp [Nat.not_le.mpr h]
  · simp [BitVec.getMsbD, h, Nat.not_lt.mp h]

/-- The reflection of a product of words is the product of the reflections, one place up. -/
theorem rev_polyMul {w v : Nat} (hv : v = w + w) (a b : BitVec w) :
    rev (BitVec.ofNat v (polyMul a.toNat b.toNat)) = polyMul (rev a) (rev b) <<< 1 := by
  induction a using word_induction with
  | zero => simp
  | xor a a' ih ih' =>
    simp only [BitVec.toNat_xor, xor_polyMul, ofNat_xor, rev_xor, ih, ih', Nat.shiftLeft_xor_distrib]
  | bit i hi =>
    induction b using word_induction with
    | zero => simp
    | xor b b' ih ih' =>
      simp only [BitVec.toNat_xor, polyMul_xor, ofNat_xor, rev_xor, ih, ih', Nat.shiftLeft_xor_distrib]
    | bit j hj =>
      have bit (k : Nat) (hk : k < w) : (BitVec.ofNat w (2 ^ k)).toNat = 2 ^ k := by
        rw [BitVec.toNat_ofNat, Nat.mod_eq_of_lt (Nat.pow_lt_pow_right (by omega) hk)]
      rw [bit i hi, bit j hj, rev_two_pow hi, rev_two_pow hj, polyMul_two_pow, polyMul_two_pow, two_pow_shiftLeft,
        two_pow_shiftLeft, two_pow_shiftLeft, rev_two_pow (by omega)]
      congr 1
      omega

/-! ## Algorithm 1 -/

/-- A remainder times `x` in 128 bits: what leaves at the top returns as `x^7 + x^2 + x + 1`. -/
theorem timesX_eq (r : Nat) (h : r < 2 ^ 128) :
    timesX r = (r <<< 1) % 2 ^ 128 ^^^ if r.testBit 127 then 0x87 else 0 := by
  have hlt : r <<< 1 < 2 ^ 129 := by rw [Nat.shiftLeft_eq]; omega
  have e := split_top (r <<< 1) 128 hlt
  rw [show (r <<< 1).testBit 128 = r.testBit 127 by simp [Nat.testBit_shiftLeft]] at e
  unfold timesX
  split
  · next hb =>
    rw [if_pos hb] at e
    rw [show modulus = 2 ^ 128 ^^^ 0x87 by decide +kernel, ← Nat.xor_assoc]
    conv => lhs; rw [e]
    rw [Nat.xor_assoc _ (2 ^ 128) (2 ^ 128), Nat.xor_self, Nat.xor_zero]
  · next hb =>
    rwa [if_neg hb] at e

theorem rev_ushiftRight_one (v : Block) : rev (v >>> 1) = (rev v <<< 1) % 2 ^ 128 := by
  apply Nat.eq_of_testBit_eq
  intro i
  rw [testBit_rev, Nat.testBit_mod_two_pow, Nat.testBit_shiftLeft, testBit_rev, BitVec.getMsbD_ushiftRight]
  by_cases h1 : i < 128 <;> by_cases h2 : i < 1 <;> simp [h1, h2] <;> omega

/-- The standard's update of `V` is multiplication by `x`. -/
theorem rev_mulX (v : Block) : rev (mulX v) = timesX (rev v) := by
  rw [timesX_eq _ (rev_lt v), testBit_rev, ← rev_ushiftRight_one]
  have hR : rev R = 0x87 := by decide +kernel
  have hb : v.getMsbD 127 = v.getLsbD 0 := by simp [BitVec.getMsbD]
  rw [mulX, hb]
  split
  · rw [rev_xor, hR]
  · rw [Nat.xor_zero]

/-- The pair `(Z, V)` after `n` steps of algorithm 1. -/
theorem rev_foldl_mulStep (x y : Block) (n : Nat) :
    let zv := (List.range n).foldl (mulStep x) (0, y)
    rev zv.1 = polyMod (polyMulTo n (rev y) (rev x)) ∧ rev zv.2 = polyMod (rev y <<< n) := by
  induction n with
  | zero => exact ⟨by simp [polyMulTo], by simp [polyMod_of_lt (rev_lt y)]⟩
  | succ n ih =>
    obtain ⟨hz, hv⟩ := ih
    rw [List.range_succ, List.foldl_append]
    simp only [List.foldl_cons, List.foldl_nil, mulStep]
    constructor
    · simp only [polyMulTo, testBit_rev, polyMod_xor, ← hz]
      split
      · rw [rev_xor, hv]
      · rw [polyMod_zero, Nat.xor_zero]
    · rw [rev_mulX, hv, ← polyMod_shiftLeft_one, Nat.shiftLeft_add]

/-- Algorithm 1 multiplies polynomials modulo the field's polynomial. -/
theorem rev_mul (x y : Block) : rev (mul x y) = polyMod (polyMul (rev x) (rev y)) := by
  rw [polyMul_comm, polyMul_eq _ _ 128 (rev_lt x)]
  exact (rev_foldl_mulStep x y 128).1

end Proof.Gf2
