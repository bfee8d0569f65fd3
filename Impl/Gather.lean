import Impl.Code

/-!
# Gathering a list of slices

The loop, for every architecture.
-/

set_option autoImplicit false
namespace Impl.Gather
variable {I C : Type}

/-- Run `body` for every slice: `test` and `isZero` say whether there are any, `nonzero` after `body` whether more are left. -/
def walk (test : List I) (isZero : C) (body : Code I C) (nonzero : C) : Code I C :=
  .seq (.block test) (.skipIf isZero (.loop body nonzero))

end Impl.Gather
