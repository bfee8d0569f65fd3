import Proof.Gf2.XorInduction

/-!
# Polynomials over GF(2)

A polynomial is a natural number whose bit `i` is the coefficient of `x^i`; the sum is `^^^`.
-/

set_option autoImplicit false
namespace Proof.Gf2

/-- The sum of `a * x^i` over the bits `i` of `b` below `n`. -/
def polyMulTo : Nat → Nat → Nat → Nat
  | 0, _, _ => 0
  | n + 1, a, b => polyMulTo n a b ^^^ if b.testBit n then a <<< n else 0

/-- The product of two polynomials. -/
def polyMul (a b : Nat) : Nat := polyMulTo (b.log2 + 1) a b

/-- Bits above the degree add nothing. -/
theorem polyMulTo_add (a b m k : Nat) (h : b < 2 ^ m) : polyMulTo (m + k) a b = polyMulTo m a b := by
  induction k with
  | zero => rfl
  | succ k ih => rw [← Nat.add_assoc, polyMulTo, ih, testBit_of_lt h (by omega)]; simp

/-- Any bound on the second factor gives enough steps. -/
theorem polyMul_eq (a b n : Nat) (h : b < 2 ^ n) : polyMul a b = polyMulTo n a b := by
  rw [polyMul, ← polyMulTo_add a b _ n Nat.lt_log2_self, ← polyMulTo_add a b n (b.log2 + 1) h, Nat.add_comm]

/-- Exchanging the middle two of four summands. -/
theorem xor_xor_xor_comm (a b c d : Nat) : (a ^^^ b) ^^^ (c ^^^ d) = (a ^^^ c) ^^^ (b ^^^ d) := by ac_rfl

theorem polyMulTo_xor (n a b c : Nat) : polyMulTo n a (b ^^^ c) = polyMulTo n a b ^^^ polyMulTo n a c := by
  induction n with
  | zero => simp [polyMulTo]
  | succ n ih =>
    simp only [polyMulTo, ih, Nat.testBit_xor]
    rw [xor_xor_xor_comm]
    cases b.testBit n <;> cases c.testBit n <;> simp

theorem xor_polyMulTo (n a b c : Nat) : polyMulTo n (a ^^^ b) c = polyMulTo n a c ^^^ polyMulTo n b c := by
  induction n with
  | zero => simp [polyMulTo]
  | succ n ih =>
    simp only [polyMulTo, ih, Nat.shiftLeft_xor_distrib]
    rw [xor_xor_xor_comm]
    cases c.testBit n <;> simp

/-- Distributivity on the right. -/
theorem polyMul_xor (a b c : Nat) : polyMul a (b ^^^ c) = polyMul a b ^^^ polyMul a c := by
  have hb : b < 2 ^ (b + c) := lt_two_pow_of_le Nat.lt_two_pow_self (by omega)
  have hc : c < 2 ^ (b + c) := lt_two_pow_of_le Nat.lt_two_pow_self (by omega)
  rw [polyMul_eq a _ _ (Nat.xor_lt_two_pow hb hc), polyMul_eq a _ _ hb, polyMul_eq a _ _ hc, polyMulTo_xor]

/-- Distributivity on the left. -/
theorem xor_polyMul (a b c : Nat) : polyMul (a ^^^ b) c = polyMul a c ^^^ polyMul b c := xor_polyMulTo _ a b c

@[simp] theorem polyMul_zero (a : Nat) : polyMul a 0 = 0 := by simp [polyMul, polyMulTo]

@[simp] theorem zero_polyMul (b : Nat) : polyMul 0 b = 0 := by
  have h (n : Nat) : polyMulTo n 0 b = 0 := by
    induction n with
    | zero => rfl
    | succ n ih => simp [polyMulTo, ih]
  exact h _

/-- Multiplying by `x^j` is a shift. -/
theorem polyMul_two_pow (a j : Nat) : polyMul a (2 ^ j) = a <<< j := by
  have h (n : Nat) : n ≤ j → polyMulTo n a (2 ^ j) = 0 := by
    induction n with
    | zero => intro _; rfl
    | succ n ih =>
      intro hn
      simp [polyMulTo, ih (by omega), show ¬j = n by omega]
  rw [polyMul_eq a (2 ^ j) (j + 1) (Nat.pow_lt_pow_right (by omega) (by omega)), polyMulTo, h j (Nat.le_refl j)]
  simp

@[simp] theorem polyMul_one (a : Nat) : polyMul a 1 = a := polyMul_two_pow a 0

/-- A power of two, shifted. -/
theorem two_pow_shiftLeft (i j : Nat) : 2 ^ i <<< j = 2 ^ (i + j) := by rw [Nat.shiftLeft_eq, Nat.pow_add]

theorem polyMul_comm (a b : Nat) : polyMul a b = polyMul b a := by
  induction a using xor_induction with
  | zero => simp
  | xor a a' ih ih' => rw [xor_polyMul, polyMul_xor, ih, ih']
  | bit i =>
    induction b using xor_induction with
    | zero => simp
    | xor b b' ih ih' => rw [xor_polyMul, polyMul_xor, ih, ih']
    | bit j => rw [polyMul_two_pow, polyMul_two_pow, two_pow_shiftLeft, two_pow_shiftLeft, Nat.add_comm]

/-- A shift of the second factor shifts the product. -/
theorem polyMul_shiftLeft (a b k : Nat) : polyMul a (b <<< k) = polyMul a b <<< k := by
  induction b using xor_induction with
  | zero => simp
  | xor b b' ih ih' => simp only [Nat.shiftLeft_xor_distrib, polyMul_xor, ih, ih']
  | bit j => rw [two_pow_shiftLeft, polyMul_two_pow, polyMul_two_pow, Nat.shiftLeft_add]

/-- A shift of the first factor shifts the product. -/
theorem shiftLeft_polyMul (a b k : Nat) : polyMul (a <<< k) b = polyMul a b <<< k := by
  rw [polyMul_comm, polyMul_shiftLeft, polyMul_comm]

theorem polyMul_assoc (a b c : Nat) : polyMul (polyMul a b) c = polyMul a (polyMul b c) := by
  induction c using xor_induction with
  | zero => simp
  | xor c c' ih ih' => simp only [polyMul_xor, ih, ih']
  | bit k => rw [polyMul_two_pow, polyMul_two_pow, polyMul_shiftLeft]

/-- Degrees below `m + 1` and `n + 1` give one below `m + n + 1`. -/
theorem polyMul_lt {a b m n : Nat} (ha : a < 2 ^ (m + 1)) (hb : b < 2 ^ (n + 1)) : polyMul a b < 2 ^ (m + n + 1) := by
  refine xor_induction_lt (P := fun b => polyMul a b < 2 ^ (m + n + 1)) (n + 1) ?_ ?_ ?_ b hb
  · simp [Nat.two_pow_pos]
  · intro j hj
    rw [polyMul_two_pow, Nat.shiftLeft_eq]
    calc a * 2 ^ j < 2 ^ (m + 1) * 2 ^ j := Nat.mul_lt_mul_of_pos_right ha (Nat.two_pow_pos j)
      _ = 2 ^ (m + 1 + j) := (Nat.pow_add ..).symm
      _ ≤ _ := Nat.pow_le_pow_right (by omega) (by omega)
  · intro b c hb hc
    rw [polyMul_xor]
    exact Nat.xor_lt_two_pow hb hc

end Proof.Gf2
