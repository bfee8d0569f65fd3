/-!
# Carry-less multiplication

Intel SDM volume 2, PCLMULQDQ; Arm ARM, shared pseudocode PolynomialMult.
-/

set_option autoImplicit false
namespace TCB

/-- The product of two polynomials over GF(2) of degree below 64: the sum of `b * x^i` over the bits `i` of `a`. -/
def clmul (a b : BitVec 64) : BitVec 128 :=
  (List.range 64).foldl (fun p i => if a.getLsbD i then p ^^^ b.setWidth 128 <<< i else p) 0

end TCB
