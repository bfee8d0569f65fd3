import Proof.Gf2.Aggregate

/-!
# The shapes of kernels

A kernel's registers `lo`, `mid` and `hi` hold sums of products in its own order. Each of them is compared with the sum
over the blocks alone, by `sum_of_products`.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

attribute [local irreducible] Nat.shiftLeft Nat.shiftRight

/-! ## One fold -/

/-- A fold by PCLMULQDQ or PMULL with a register of which one half is the constant. -/
theorem foldStep_eq {c : BitVec 128} {high : Bool} (hc : half high c = poly) (v : BitVec 128) :
    swap64 v ^^^ pclmul false high v c = foldStep v := by
  rw [pclmul, hc]
  rfl

/-- The same with the constant as the first source. -/
theorem foldStep_eq_comm {c : BitVec 128} {high : Bool} (hc : half high c = poly) (v : BitVec 128) :
    swap64 v ^^^ pclmul high false c v = foldStep v := by
  rw [pclmul_comm, foldStep_eq hc]

/-- The same after the halves were exchanged (`ext #8`, `pmull2`). -/
theorem foldStep_eq_swap {c : BitVec 128} {high : Bool} (hc : half high c = poly) (v : BitVec 128) :
    swap64 v ^^^ pclmul true high (swap64 v) c = foldStep v := by
  rw [← foldStep_eq hc, pclmul, pclmul]
  simp [half]

theorem half_invX : half true invX = poly := by decide +kernel

/-! ## The sums -/

section
variable {t : Nat → Block} {h x y lo mid hi : Block} {xs : List Block} (ht : IsTable h t (xs.length + 1))
include ht

/-- Schoolbook sums, reduced lazily. -/
theorem ghash_of_school (hlo : lo = (accum t ((y ^^^ x) :: xs)).lo) (hmid : mid = (accum t ((y ^^^ x) :: xs)).mid)
    (hhi : hi = (accum t ((y ^^^ x) :: xs)).hi) : foldLazy ⟨lo, mid, hi⟩ = ghash h y (x :: xs) := by
  rw [hlo, hmid, hhi, foldLazy_eq, aggregate ht]

/-- Karatsuba's sums with one correction, reduced lazily. -/
theorem ghash_of_karatsuba (hlo : lo = (accumKaratsuba t ((y ^^^ x) :: xs)).lo)
    (hmid : mid = (accumKaratsuba t ((y ^^^ x) :: xs)).mid) (hhi : hi = (accumKaratsuba t ((y ^^^ x) :: xs)).hi) :
    foldLazy ⟨lo, mid ^^^ lo ^^^ hi, hi⟩ = ghash h y (x :: xs) := by
  rw [hlo, hmid, hhi, foldLazy_eq, ← aggregate_karatsuba ht, Acc.correct]

/-- Schoolbook sums on two lanes, reduced lane by lane. -/
theorem ghash_of_school_lanes {lo' mid' hi' : Block} (hlo : lo ^^^ lo' = (accum t ((y ^^^ x) :: xs)).lo)
    (hmid : mid ^^^ mid' = (accum t ((y ^^^ x) :: xs)).mid) (hhi : hi ^^^ hi' = (accum t ((y ^^^ x) :: xs)).hi) :
    foldLazy ⟨lo, mid, hi⟩ ^^^ foldLazy ⟨lo', mid', hi'⟩ = ghash h y (x :: xs) := by
  rw [← foldLazy_xor, Acc.xor, ghash_of_school ht hlo hmid hhi]

/-- Karatsuba's sums on two lanes, corrected and reduced lane by lane. -/
theorem ghash_of_karatsuba_lanes {lo' mid' hi' : Block}
    (hlo : lo ^^^ lo' = (accumKaratsuba t ((y ^^^ x) :: xs)).lo)
    (hmid : mid ^^^ mid' = (accumKaratsuba t ((y ^^^ x) :: xs)).mid)
    (hhi : hi ^^^ hi' = (accumKaratsuba t ((y ^^^ x) :: xs)).hi) :
    foldLazy ⟨lo, mid ^^^ lo ^^^ hi, hi⟩ ^^^ foldLazy ⟨lo', mid' ^^^ lo' ^^^ hi', hi'⟩ = ghash h y (x :: xs) := by
  rw [← ghash_of_karatsuba ht hlo hmid hhi, ← foldLazy_xor, Acc.xor]
  congr 2
  simp only
  ac_rfl

end

/-! ## Unfolding a sum over given blocks -/

theorem accum_nil (t : Nat → Block) : accum t [] = Acc.zero := rfl

theorem accum_cons (t : Nat → Block) (x : Block) (xs : List Block) :
    accum t (x :: xs) = (school x (t xs.length)).xor (accum t xs) := rfl

theorem accumKaratsuba_nil (t : Nat → Block) : accumKaratsuba t [] = Acc.zero := rfl

theorem accumKaratsuba_cons (t : Nat → Block) (x : Block) (xs : List Block) :
    accumKaratsuba t (x :: xs) = (karatsuba x (t xs.length)).xor (accumKaratsuba t xs) := rfl

/-- Shows that a xor of products is the part of a sum over given blocks. -/
macro "sum_of_products" : tactic => `(tactic|
  (simp only [accum_cons, accum_nil, accumKaratsuba_cons, accumKaratsuba_nil, List.length_cons, List.length_nil,
      Nat.zero_add, Nat.reduceAdd, Acc.xor_zero, Acc.xor, school, karatsuba]
   ac_rfl))

end Proof.Gf2
