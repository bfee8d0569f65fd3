import Proof.Gf2.Reflect

/-!
# Laws of the standard's product

The laws of a commutative ring, the powers of a key, and GHASH over a list in parts.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

/-! ## The ring -/

theorem mul_comm (a b : Block) : mul a b = mul b a := rev_inj (by rw [rev_mul, rev_mul, polyMul_comm])

theorem mul_assoc (a b c : Block) : mul (mul a b) c = mul a (mul b c) :=
  rev_inj (by simp only [rev_mul, polyMod_polyMod_polyMul, polyMod_polyMul_polyMod, polyMul_assoc])

theorem mul_xor (a b c : Block) : mul a (b ^^^ c) = mul a b ^^^ mul a c :=
  rev_inj (by simp only [rev_mul, rev_xor, polyMul_xor, polyMod_xor])

theorem xor_mul (a b c : Block) : mul (a ^^^ b) c = mul a c ^^^ mul b c :=
  rev_inj (by simp only [rev_mul, rev_xor, xor_polyMul, polyMod_xor])

/-- The polynomial 1. -/
def one : Block := 0x80000000000000000000000000000000

theorem mul_one (a : Block) : mul a one = a :=
  rev_inj (by rw [rev_mul, show rev one = 1 by decide +kernel, polyMul_one, polyMod_of_lt (rev_lt a)])

theorem one_mul (a : Block) : mul one a = a := by rw [mul_comm, mul_one]

theorem mul_zero (a : Block) : mul a 0#128 = 0#128 := rev_inj (by rw [rev_mul, rev_zero, polyMul_zero, polyMod_zero])

theorem zero_mul (a : Block) : mul 0#128 a = 0#128 := by rw [mul_comm, mul_zero]

theorem mulX_xor (a b : Block) : mulX (a ^^^ b) = mulX a ^^^ mulX b :=
  rev_inj (by simp only [rev_mulX, rev_xor, timesX_xor])

/-- A factor `x` moves out of the second argument. -/
theorem mul_mulX (a b : Block) : mul a (mulX b) = mulX (mul a b) :=
  rev_inj (by
    have e : timesX (rev b) = polyMod (rev b <<< 1) := by rw [polyMod_shiftLeft_one, polyMod_of_lt (rev_lt b)]
    rw [rev_mulX, rev_mul, rev_mul, rev_mulX, ← polyMod_shiftLeft_one, e, polyMod_polyMul_polyMod, polyMul_shiftLeft])

/-- A factor `x` moves out of the first argument. -/
theorem mulX_mul (a b : Block) : mul (mulX a) b = mulX (mul a b) := by rw [mul_comm, mul_mulX, mul_comm]

/-! ## Powers -/

/-- The power `h ^ n`. -/
def pow (h : Block) : Nat → Block
  | 0 => one
  | n + 1 => mul (pow h n) h

theorem pow_one (h : Block) : pow h 1 = h := one_mul h

theorem pow_add (h : Block) (m n : Nat) : pow h (m + n) = mul (pow h m) (pow h n) := by
  induction n with
  | zero => rw [Nat.add_zero, pow, mul_one]
  | succ n ih => rw [← Nat.add_assoc, pow, ih, mul_assoc, pow]

/-! ## GHASH -/

theorem ghash_nil (h y : Block) : ghash h y [] = y := rfl

theorem ghash_cons (h y x : Block) (xs : List Block) : ghash h y (x :: xs) = ghash h (mul (y ^^^ x) h) xs := rfl

theorem ghash_append (h y : Block) (xs zs : List Block) : ghash h y (xs ++ zs) = ghash h (ghash h y xs) zs :=
  List.foldl_append

/-- The start value enters linearly, times the power of the number of blocks. -/
theorem ghash_start (h y : Block) (xs : List Block) :
    ghash h y xs = mul y (pow h xs.length) ^^^ ghash h 0#128 xs := by
  induction xs generalizing y with
  | nil => simp [ghash, pow, mul_one]
  | cons x xs ih =>
    rw [ghash_cons, ghash_cons, ih, ih (mul (0#128 ^^^ x) h), List.length_cons, pow, mul_comm (pow h _) h, ← mul_assoc,
      BitVec.zero_xor, xor_mul y x h, xor_mul, BitVec.xor_assoc]

/-- The start value may be added to the first block instead. -/
theorem ghash_xor_cons (h y x : Block) (xs : List Block) : ghash h 0#128 ((y ^^^ x) :: xs) = ghash h y (x :: xs) := by
  rw [ghash_cons, ghash_cons, BitVec.zero_xor]

end Proof.Gf2
