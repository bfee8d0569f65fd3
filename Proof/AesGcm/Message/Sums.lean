import Proof.Gf2.Kernel

/-!
# Running sums

The sum of unreduced products of the first blocks of a message with stored powers, block by block, which one reduction at the
end makes GHASH of all of them.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open Proof.Gf2
open Spec.Ghash (Block ghash)

/-- The sum of the products of the first `i` blocks, each with the power that its place from the end says. -/
def sumTo (product : Block → Block → Acc) (t : Nat → Block) (xs : List Block) : Nat → Acc
  | 0 => Acc.zero
  | i + 1 => (sumTo product t xs i).xor (product (xs.getD i 0) (t (xs.length - 1 - i)))

section
variable (product : Block → Block → Acc) (t : Nat → Block) (xs : List Block)

/-- Nothing yet. -/
theorem sumTo_zero : sumTo product t xs 0 = Acc.zero := rfl

/-- One more block. -/
theorem sumTo_succ {x : Block} {i : Nat} (h : xs[i]? = some x) :
    sumTo product t xs (i + 1) = (sumTo product t xs i).xor (product x (t (xs.length - 1 - i))) := by
  rw [sumTo, List.getD_eq_getElem?_getD, h]
  rfl

theorem zero_xor (a : Acc) : Acc.zero.xor a = a := by rw [Acc.xor_comm, Acc.xor_zero]

/-- What comes after the first block, by itself. -/
theorem sumTo_cons (x : Block) (i : Nat) : sumTo product t (x :: xs) (i + 1) =
    (product x (t xs.length)).xor (sumTo product t xs i) := by
  induction i with
  | zero => exact (zero_xor _).trans (Acc.xor_zero _).symm
  | succ i ih => rw [sumTo, ih, Acc.xor_assoc, sumTo, List.getD_cons_succ, List.length_cons,
      show xs.length + 1 - 1 - (i + 1) = xs.length - 1 - i by omega]

/-- All blocks. -/
theorem sumTo_length : sumTo product t xs xs.length = accumWith product t xs := by
  induction xs with
  | nil => rfl
  | cons x xs ih => rw [List.length_cons, sumTo_cons, ih, accumWith]

/-- A run of blocks. -/
theorem sumTo_append (ys : List Block) {zs : List Block} (hz : zs = xs ++ ys) {i : Nat} (hi : i = xs.length) :
    (sumTo product t zs i).xor (accumWith product t ys) = accumWith product t zs := by
  subst hz hi
  induction xs with
  | nil => rw [List.nil_append, List.length_nil, sumTo_zero, zero_xor]
  | cons x xs ih => rw [List.length_cons, List.cons_append, sumTo_cons, Acc.xor_assoc, ih, accumWith]

end

section
variable {t : Nat → Block} {h x y : Block} {xs : List Block} (ht : IsTable h t (xs.length + 1))
include ht

/-- The sum over all blocks, reduced, is the hash: the running value is added to the first block. -/
theorem foldLazy_sumTo : foldLazy (sumTo school t ((y ^^^ x) :: xs) (xs.length + 1)) = ghash h y (x :: xs) := by
  rw [← List.length_cons (a := y ^^^ x), sumTo_length, foldLazy_eq]
  exact aggregate ht y

/-- The same with Karatsuba's products, corrected once. -/
theorem foldLazy_sumTo_karatsuba :
    foldLazy (sumTo karatsuba t ((y ^^^ x) :: xs) (xs.length + 1)).correct = ghash h y (x :: xs) := by
  rw [← List.length_cons (a := y ^^^ x), sumTo_length, foldLazy_eq]
  exact aggregate_karatsuba ht y

end

/-! ## The running value -/

/-- The running value added to the first block. -/
def startWith (y : Block) : List Block → List Block
  | [] => []
  | x :: xs => (y ^^^ x) :: xs

/-- A block of them. -/
theorem getElem?_startWith (y : Block) (xs : List Block) (i : Nat) :
    (startWith y xs)[i]? = xs[i]?.map ((if i = 0 then y else 0) ^^^ ·) := by
  cases xs with
  | nil => rfl
  | cons x xs => cases i <;> simp [startWith]

@[simp] theorem length_startWith (y : Block) (xs : List Block) : (startWith y xs).length = xs.length := by
  cases xs <;> rfl

/-- The sum over all blocks, reduced. -/
theorem foldLazy_startWith {t : Nat → Block} {h y : Block} {xs : List Block} (ht : IsTable h t xs.length) (hx : xs ≠ []) :
    foldLazy (sumTo school t (startWith y xs) xs.length) = ghash h y xs := by
  cases xs with
  | nil => exact absurd rfl hx
  | cons x xs => exact foldLazy_sumTo ht

end Proof.AesGcm.Message
