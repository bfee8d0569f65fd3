import Proof.Gf2.Key

/-!
# One reduction for many blocks

The unreduced products of the blocks with descending stored powers, summed in any order, fold to GHASH.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

/-- The first `n` entries of a table are the stored powers of the key, from the first. -/
def IsTable (h : Block) (t : Nat → Block) (n : Nat) : Prop := ∀ i, i < n → t i = twist (pow h (i + 1))

theorem isTable_powers (h : Block) (n : Nat) : IsTable h (powers (twist h)) n := fun i _ => powers_eq h i

theorem IsTable.mono {h : Block} {t : Nat → Block} {m n : Nat} (ht : IsTable h t n) (hm : m ≤ n) : IsTable h t m :=
  fun i hi => ht i (by omega)

/-- The sum of `product x_1 t_(n-1)`, ..., `product x_n t_0`. -/
def accumWith (product : Block → Block → Acc) (t : Nat → Block) : List Block → Acc
  | [] => Acc.zero
  | x :: xs => (product x (t xs.length)).xor (accumWith product t xs)

/-- The sum of the schoolbook products. -/
def accum (t : Nat → Block) (xs : List Block) : Acc := accumWith school t xs

/-- The sum of Karatsuba's products, to be corrected once. -/
def accumKaratsuba (t : Nat → Block) (xs : List Block) : Acc := accumWith karatsuba t xs

/-- The corrected sum is the schoolbook sum. -/
theorem correct_accumKaratsuba (t : Nat → Block) (xs : List Block) : (accumKaratsuba t xs).correct = accum t xs := by
  induction xs with
  | nil => simp [accumKaratsuba, accum, accumWith, Acc.zero, Acc.correct]
  | cons x xs ih =>
    simp only [accumKaratsuba, accum] at ih
    simp only [accumKaratsuba, accum, accumWith, Acc.correct_xor, correct_karatsuba, ih]

/-- The sum folds to the hash from zero. -/
theorem fold_accum {t : Nat → Block} {h : Block} {xs : List Block} (ht : IsTable h t xs.length) :
    fold (accum t xs) = ghash h 0#128 xs := by
  induction xs with
  | nil => exact fold_zero
  | cons x xs ih =>
    rw [List.length_cons] at ht
    have := ih (ht.mono (by omega))
    rw [accum] at this
    rw [accum, accumWith, fold_xor, this, ht _ (by omega), fold_school_twist, ghash_cons, ghash_start h (mul _ h),
      BitVec.zero_xor, pow, mul_comm (pow h _) h, mul_assoc]

/-- The running value is added to the first block. -/
theorem aggregate {t : Nat → Block} {h x : Block} {xs : List Block} (ht : IsTable h t (xs.length + 1)) (y : Block) :
    fold (accum t ((y ^^^ x) :: xs)) = ghash h y (x :: xs) := by
  rw [fold_accum ht, ghash_xor_cons]

/-- The same with Karatsuba's products and one correction. -/
theorem aggregate_karatsuba {t : Nat → Block} {h x : Block} {xs : List Block} (ht : IsTable h t (xs.length + 1))
    (y : Block) : fold (accumKaratsuba t ((y ^^^ x) :: xs)).correct = ghash h y (x :: xs) := by
  rw [correct_accumKaratsuba, aggregate ht]

end Proof.Gf2
