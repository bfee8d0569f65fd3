import Proof.Gf2.Reduce
import Proof.Gf2.Field

/-!
# Multiplication by a stored key

The instructions' bit order costs one factor `x`. A key is stored divided by `x`, which pays for it.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

attribute [local irreducible] Nat.shiftLeft Nat.shiftRight

/-- Multiply, then reduce. -/
def dot (a b : Block) : Block := fold (school a b)

/-- On blocks this is the standard's product times `x`. -/
theorem dot_eq (a b : Block) : dot a b = mulX (mul a b) := by
  apply rev_inj
  rw [dot, fold, rev_reduce, school_append, rev_polyMul (w := 128) (v := 256) rfl, polyMod_shiftLeft_one, rev_mulX,
    rev_mul]

/-- The block of `x^-1`: 0xC2, zeros, 1. -/
def invX : Block := 0xC2000000000000000000000000000001

/-- The stored form of a key: divided by `x`. -/
def twist (h : Block) : Block := h <<< 1 ^^^ if h.msb then invX else 0#128

theorem twist_xor (a b : Block) : twist (a ^^^ b) = twist a ^^^ twist b := by
  have split (c d : Bool) :
      (if c ^^ d then invX else 0#128) = (if c then invX else 0#128) ^^^ if d then invX else 0#128 := by
    cases c <;> cases d <;> simp
  rw [twist, BitVec.shiftLeft_xor_distrib, BitVec.msb_xor, split, twist, twist]
  ac_rfl

theorem mulX_twist (h : Block) : mulX (twist h) = h := by
  refine linear_ext (f := fun h => mulX (twist h)) (f' := id) (fun a b => ?_) (fun _ _ => rfl) ?_ h
  · simp only [twist_xor, mulX_xor]
  · decide +kernel

theorem twist_mulX (h : Block) : twist (mulX h) = h := by
  refine linear_ext (f := fun h => twist (mulX h)) (f' := id) (fun a b => ?_) (fun _ _ => rfl) ?_ h
  · simp only [mulX_xor, twist_xor]
  · decide +kernel

/-- A product with a stored key is the standard's product with the key. -/
theorem dot_twist (a h : Block) : dot a (twist h) = mul a h := by rw [dot_eq, ← mul_mulX, mulX_twist]

/-- The standard's product by the schoolbook method. -/
theorem fold_school_twist (a h : Block) : fold (school a (twist h)) = mul a h := dot_twist a h

/-- The standard's product by Karatsuba's method. -/
theorem fold_karatsuba_twist (a h : Block) : fold (karatsuba a (twist h)).correct = mul a h := by
  rw [correct_karatsuba, fold_school_twist]

theorem twist_mul (a b : Block) : twist (mul a b) = mul (twist a) b := by
  rw [← twist_mulX (mul (twist a) b), ← mulX_mul, mulX_twist]

/-- A product of stored keys is a stored key, so any chain of products fills a table of powers. -/
theorem dot_twist_twist (a b : Block) : dot (twist a) (twist b) = twist (mul a b) := by rw [dot_twist, twist_mul]

/-- The stored powers of a key multiply as powers do. -/
theorem dot_twist_pow (h : Block) (m n : Nat) :
    dot (twist (pow h m)) (twist (pow h n)) = twist (pow h (m + n)) := by rw [dot_twist_twist, pow_add]

/-! ## The table of powers -/

/-- Repeated products with the stored key. -/
def powers (k : Block) : Nat → Block
  | 0 => k
  | i + 1 => dot (powers k i) k

/-- Entry `i` is the stored form of `h ^ (i + 1)`. -/
theorem powers_eq (h : Block) (i : Nat) : powers (twist h) i = twist (pow h (i + 1)) := by
  induction i with
  | zero => rw [powers, pow_one]
  | succ i ih => rw [powers, ih, dot_twist_twist]; rfl

end Proof.Gf2
