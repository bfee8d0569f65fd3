import Proof.Gf2.Kernel

/-!
# Examples of passes

Passes over 8 blocks in the order in which kernels compute them, and a message in groups of blocks.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

attribute [local irreducible] Nat.shiftLeft Nat.shiftRight

section
variable {t : Nat → Block} {h : Block} (ht : IsTable h t 8) (y x1 x2 x3 x4 x5 x6 x7 x8 : Block)
include ht

/-- Eight blocks, the last first, by the schoolbook method. -/
theorem pass8_school :
    let z := y ^^^ x1
    let sum (a b : Bool) := pclmul a b x8 (t 0) ^^^ pclmul a b x7 (t 1) ^^^ pclmul a b x6 (t 2) ^^^
      pclmul a b x5 (t 3) ^^^ pclmul a b x4 (t 4) ^^^ pclmul a b x3 (t 5) ^^^ pclmul a b x2 (t 6) ^^^
      pclmul a b z (t 7)
    let lo := sum false false
    let mid := sum true false ^^^ sum false true
    let hi := sum true true
    let mid := mid ^^^ (swap64 lo ^^^ pclmul false true lo invX)
    hi ^^^ (swap64 mid ^^^ pclmul false true mid invX) = ghash h y [x1, x2, x3, x4, x5, x6, x7, x8] := by
  simp only [foldStep_eq half_invX]
  apply ghash_of_school ht <;> sum_of_products

/-- Eight blocks by Karatsuba's method with one correction. -/
theorem pass8_karatsuba :
    let z := y ^^^ x1
    let lo := pclmul false false z (t 7) ^^^ pclmul false false x2 (t 6) ^^^ pclmul false false x3 (t 5) ^^^
      pclmul false false x4 (t 4) ^^^ pclmul false false x5 (t 3) ^^^ pclmul false false x6 (t 2) ^^^
      pclmul false false x7 (t 1) ^^^ pclmul false false x8 (t 0)
    let hi := pclmul true true z (t 7) ^^^ pclmul true true x2 (t 6) ^^^ pclmul true true x3 (t 5) ^^^
      pclmul true true x4 (t 4) ^^^ pclmul true true x5 (t 3) ^^^ pclmul true true x6 (t 2) ^^^
      pclmul true true x7 (t 1) ^^^ pclmul true true x8 (t 0)
    let sums (a b : Block) := pclmul false false (swap64 a ^^^ a) (swap64 b ^^^ b)
    let mid := sums z (t 7) ^^^ sums x2 (t 6) ^^^ sums x3 (t 5) ^^^ sums x4 (t 4) ^^^ sums x5 (t 3) ^^^
      sums x6 (t 2) ^^^ sums x7 (t 1) ^^^ sums x8 (t 0)
    let mid := mid ^^^ lo ^^^ hi
    let mid := mid ^^^ (swap64 lo ^^^ pclmul false true lo invX)
    hi ^^^ (swap64 mid ^^^ pclmul false true mid invX) = ghash h y [x1, x2, x3, x4, x5, x6, x7, x8] := by
  simp only [foldStep_eq half_invX, pclmul_lo_lo (swap64 _ ^^^ _), lo64_swap64_xor]
  apply ghash_of_karatsuba ht <;> sum_of_products

/-- Eight blocks on two lanes, with the sums of the halves of two blocks in one register. -/
theorem pass8_lanes :
    let z := y ^^^ x1
    let mul (c : Bool) (a b : Block) := pclmul c c a b
    let lo := mul false z (t 7) ^^^ mul false x3 (t 5) ^^^ mul false x5 (t 3) ^^^ mul false x7 (t 1)
    let hi := mul true z (t 7) ^^^ mul true x3 (t 5) ^^^ mul true x5 (t 3) ^^^ mul true x7 (t 1)
    let lo' := mul false x2 (t 6) ^^^ mul false x4 (t 4) ^^^ mul false x6 (t 2) ^^^ mul false x8 (t 0)
    let hi' := mul true x2 (t 6) ^^^ mul true x4 (t 4) ^^^ mul true x6 (t 2) ^^^ mul true x8 (t 0)
    let sums (a b c d : Block) := mul false (packed a b) (packed c d) ^^^ mul true (packed a b) (packed c d)
    let mid := sums z x3 (t 7) (t 5) ^^^ sums x5 x7 (t 3) (t 1) ^^^ lo ^^^ hi
    let mid' := sums x2 x4 (t 6) (t 4) ^^^ sums x6 x8 (t 2) (t 0) ^^^ lo' ^^^ hi'
    foldLazy ⟨lo, mid, hi⟩ ^^^ foldLazy ⟨lo', mid', hi'⟩ = ghash h y [x1, x2, x3, x4, x5, x6, x7, x8] := by
  simp only [pclmul_lo_lo (packed _ _), pclmul_hi_hi (packed _ _), lo64_packed, hi64_packed]
  apply ghash_of_karatsuba_lanes ht <;> sum_of_products

end

/-- A message in groups: a pass over each, from the value that the last one left. -/
theorem foldl_ghash (h y : Block) (groups : List (List Block)) :
    groups.foldl (ghash h) y = ghash h y groups.flatten := by
  induction groups generalizing y with
  | nil => rfl
  | cons g gs ih => rw [List.foldl_cons, ih, List.flatten_cons, ghash_append]

end Proof.Gf2
