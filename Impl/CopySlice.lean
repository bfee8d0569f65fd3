import Impl.Code

/-!
# Copying one slice

The algorithm, for every architecture: large blocks, then small ones; what is then left of a slice of at least one small block
is copied by one move of its last bytes. Shorter slices are copied by two overlapping moves, and the shortest by the byte.
-/

set_option autoImplicit false
namespace Impl.CopySlice
variable {I C : Type}

/-- How a fragment counts the bytes that are left. -/
structure Counter (I C : Type) where
  /-- Compare what is left with a number, for the two conditions that follow. -/
  compare : Nat → List I
  below : C
  notBelow : C
  /-- Look whether anything is left, for the condition that follows. -/
  setupLast : List I
  isZero : C
  /-- Go forward in the source and the destination, for the condition that follows. -/
  step : Nat → List I
  nonzero : C

namespace Counter
variable (c : Counter I C)

/-- As long as `k` bytes are left, copy `k` bytes by `moves`. -/
def blocks (k : Nat) (moves : List I) : Code I C :=
  .seq (.block (c.compare k)) (.skipIf c.below (.loop (.block (moves ++ c.step k ++ c.compare k)) c.notBelow))

/-- Copy a slice of at least `l` bytes, by blocks of `k` and of `l` bytes and one move of the last `l` bytes. -/
def long (k : Nat) (movesK : List I) (l : Nat) (movesL copyLast : List I) : Code I C :=
  Code.seqs [c.blocks k movesK, c.blocks l movesL, .block c.setupLast, .skipIf c.isZero (.block copyLast)]

/-- Copy a slice of fewer than 4 bytes. -/
def bytewise (moveByte : List I) : Code I C :=
  .seq (.block c.setupLast) (.skipIf c.isZero (.loop (.block (moveByte ++ c.step 1)) c.nonzero))

/-- Copy a slice of fewer than 16 bytes, by its first and last 4 or 8 bytes. -/
def short (moveByte copyEnds4 copyEnds8 : List I) : Code I C :=
  .seq (.block (c.compare 8)) <| .ite c.below
    (.seq (.block (c.compare 4)) (.ite c.below (c.bytewise moveByte) (.block copyEnds4)))
    (.block copyEnds8)

end Counter
end Impl.CopySlice
