import Proof.Gf2.Poly

/-!
# Polynomials modulo `x^128 + x^7 + x^2 + x + 1`
-/

set_option autoImplicit false
namespace Proof.Gf2

/-- The polynomial of GCM's field. -/
def modulus : Nat := 2 ^ 128 + 0x87

/-- A remainder times `x`, reduced. -/
def timesX (r : Nat) : Nat := if r.testBit 127 then r <<< 1 ^^^ modulus else r <<< 1

/-- Bit-serial division: the low `n` bits of `a` enter from the top. -/
def polyModTo : Nat → Nat → Nat
  | 0, _ => 0
  | n + 1, a => timesX (polyModTo n (a >>> 1)) ^^^ (a &&& 1)

/-- The remainder of `a`. -/
def polyMod (a : Nat) : Nat := polyModTo (a.log2 + 1) a

theorem timesX_xor (a b : Nat) : timesX (a ^^^ b) = timesX a ^^^ timesX b := by
  unfold timesX
  rw [Nat.testBit_xor, Nat.shiftLeft_xor_distrib]
  cases a.testBit 127 <;> cases b.testBit 127
  · simp
  · simp [Nat.xor_assoc]
  · simp; ac_rfl
  · simp only [Bool.xor_self, Bool.false_eq_true, if_false, if_true]
    rw [xor_xor_xor_comm, Nat.xor_self, Nat.xor_zero]

@[simp] theorem timesX_zero : timesX 0 = 0 := by simp [timesX]

theorem polyModTo_zero (n : Nat) : polyModTo n 0 = 0 := by
  induction n with
  | zero => rfl
  | succ n ih => simp [polyModTo, ih]

theorem polyModTo_xor (n a b : Nat) : polyModTo n (a ^^^ b) = polyModTo n a ^^^ polyModTo n b := by
  induction n generalizing a b with
  | zero => simp [polyModTo]
  | succ n ih =>
    simp only [polyModTo, Nat.shiftRight_xor_distrib, ih, timesX_xor, Nat.and_xor_distrib_right]
    exact xor_xor_xor_comm ..

theorem shiftRight_one_lt {a m : Nat} (h : a < 2 ^ (m + 1)) : a >>> 1 < 2 ^ m := by
  rw [Nat.shiftRight_eq_div_pow]
  rw [Nat.pow_succ] at h
  omega

/-- Zero bits above the number add nothing. -/
theorem polyModTo_add (m k a : Nat) (h : a < 2 ^ m) : polyModTo (m + k) a = polyModTo m a := by
  induction m generalizing a with
  | zero => rw [show a = 0 by omega, polyModTo_zero, polyModTo_zero]
  | succ m ih => rw [show m + 1 + k = (m + k) + 1 by omega, polyModTo, polyModTo, ih _ (shiftRight_one_lt h)]

/-- Any bound on the number gives enough steps. -/
theorem polyMod_eq (a n : Nat) (h : a < 2 ^ n) : polyMod a = polyModTo n a := by
  rw [polyMod, ← polyModTo_add _ n a Nat.lt_log2_self, ← polyModTo_add n (a.log2 + 1) a h, Nat.add_comm]

@[simp] theorem polyMod_zero : polyMod 0 = 0 := polyModTo_zero _

theorem polyMod_xor (a b : Nat) : polyMod (a ^^^ b) = polyMod a ^^^ polyMod b := by
  have ha : a < 2 ^ (a + b) := lt_two_pow_of_le Nat.lt_two_pow_self (by omega)
  have hb : b < 2 ^ (a + b) := lt_two_pow_of_le Nat.lt_two_pow_self (by omega)
  rw [polyMod_eq _ _ (Nat.xor_lt_two_pow ha hb), polyMod_eq _ _ ha, polyMod_eq _ _ hb, polyModTo_xor]

theorem polyMod_shiftLeft_one (a : Nat) : polyMod (a <<< 1) = timesX (polyMod a) := by
  have ha : a < 2 ^ a := Nat.lt_two_pow_self
  have h2 : a <<< 1 < 2 ^ (a + 1) := by rw [Nat.shiftLeft_eq, Nat.pow_succ]; omega
  have e1 : (a <<< 1) >>> 1 = a := by simp
  have e2 : (a <<< 1) &&& 1 = 0 := by rw [Nat.and_one_is_mod, Nat.shiftLeft_eq]; omega
  rw [polyMod_eq _ _ h2, polyModTo, e1, e2, polyMod_eq _ _ ha, Nat.xor_zero]

theorem timesX_lt {r : Nat} (h : r < 2 ^ 128) : timesX r < 2 ^ 128 := by
  apply Nat.lt_pow_two_of_testBit
  intro i hi
  have top : modulus.testBit 128 = true := by decide +kernel
  have above : modulus < 2 ^ 129 := by decide +kernel
  unfold timesX
  by_cases hi' : i = 128
  · subst hi'
    split <;> simp_all [Nat.testBit_shiftLeft]
  · have e : r.testBit (i - 1) = false := testBit_of_lt h (by omega)
    split <;> simp [Nat.testBit_shiftLeft, e, testBit_of_lt above (i := i) (by omega)]

theorem polyModTo_lt (n a : Nat) : polyModTo n a < 2 ^ 128 := by
  induction n generalizing a with
  | zero => simp [polyModTo]
  | succ n ih => exact Nat.xor_lt_two_pow (timesX_lt (ih _)) (Nat.lt_of_le_of_lt Nat.and_le_right (by omega))

/-- Remainders have a degree below 128. -/
theorem polyMod_lt (a : Nat) : polyMod a < 2 ^ 128 := polyModTo_lt _ a

theorem polyModTo_of_lt (n a : Nat) (hn : n ≤ 128) (h : a < 2 ^ n) : polyModTo n a = a := by
  induction n generalizing a with
  | zero => rw [show a = 0 by omega]; rfl
  | succ n ih =>
    have hs := shiftRight_one_lt h
    have low : a % 2 ^ 1 = a &&& 1 := (Nat.and_one_is_mod a).symm
    rw [polyModTo, ih _ (by omega) hs, timesX, testBit_of_lt hs (by omega), if_neg (by simp), ← low, ← split_at]

/-- Polynomials of a degree below 128 are their own remainders. -/
theorem polyMod_of_lt {a : Nat} (h : a < 2 ^ 128) : polyMod a = a := by
  rw [polyMod_eq a 128 h, polyModTo_of_lt 128 a (by omega) h]

@[simp] theorem polyMod_polyMod (a : Nat) : polyMod (polyMod a) = polyMod a := polyMod_of_lt (polyMod_lt a)

/-- Reducing before a shift changes no remainder. -/
theorem polyMod_shiftLeft_polyMod (a k : Nat) : polyMod (polyMod a <<< k) = polyMod (a <<< k) := by
  induction k with
  | zero => simp
  | succ k ih => rw [Nat.shiftLeft_add, Nat.shiftLeft_add, polyMod_shiftLeft_one, polyMod_shiftLeft_one, ih]

/-- The first factor may be reduced first. -/
theorem polyMod_polyMod_polyMul (a b : Nat) : polyMod (polyMul (polyMod a) b) = polyMod (polyMul a b) := by
  induction b using xor_induction with
  | zero => simp
  | xor b b' ih ih' => simp only [polyMul_xor, polyMod_xor, ih, ih']
  | bit k => rw [polyMul_two_pow, polyMul_two_pow, polyMod_shiftLeft_polyMod]

/-- The second factor may be reduced first. -/
theorem polyMod_polyMul_polyMod (a b : Nat) : polyMod (polyMul a (polyMod b)) = polyMod (polyMul a b) := by
  rw [polyMul_comm, polyMod_polyMod_polyMul, polyMul_comm]

/-- Multiples of the modulus vanish. -/
theorem polyMod_modulus_polyMul (q : Nat) : polyMod (polyMul modulus q) = 0 := by
  have : polyMod modulus = 0 := by decide +kernel
  rw [← polyMod_polyMod_polyMul, this, zero_polyMul, polyMod_zero]

/-- `x^128` is `x^7 + x^2 + x + 1`. -/
theorem polyMod_shiftLeft_128 (a : Nat) : polyMod (a <<< 128) = polyMod (polyMul a 0x87) := by
  have e : 2 ^ 128 = modulus ^^^ 0x87 := by decide +kernel
  rw [← polyMul_two_pow, e, polyMul_xor, polyMod_xor, polyMul_comm a modulus, polyMod_modulus_polyMul, Nat.zero_xor]

end Proof.Gf2
