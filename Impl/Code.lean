import TCB.Flat

/-!
# Structured code

Blocks, conditionals and do-while loops, and their lowering to flat code. Nothing here is trusted: what is proven is
about the flat code.
-/

set_option autoImplicit false
namespace Impl
open TCB

/-- Structured code over instructions `I` and conditions `C`. -/
inductive Code (I C : Type) where
  | block (is : List I)
  /-- A block whose loads read public regions only; it lowers as `block` does. -/
  | publicBlock (is : List I)
  | seq (a b : Code I C)
  | ite (c : C) (a b : Code I C)
  /-- `ite c a b` where `c` holds exactly if the value `k` of those that the contract declassifies is `v`. -/
  | revealIf (k : Nat) (v : BitVec 64) (c : C) (a b : Code I C)
  /-- `skipIf c b` skips `b` when `c` holds: one forward jump. -/
  | skipIf (c : C) (b : Code I C)
  /-- `loop b c` runs `b`, and again as long as `c` holds after it. -/
  | loop (b : Code I C) (c : C)

namespace Code
variable {I C : Type}

/-- How many labels the lowering uses. -/
def labels : Code I C → Nat
  | .block _ | .publicBlock _ => 0
  | .seq a b => a.labels + b.labels
  | .ite _ a b | .revealIf _ _ _ a b => a.labels + b.labels + 2
  | .skipIf _ b => b.labels + 1
  | .loop b _ => b.labels + 1

/-- The flat code, with labels from `n` to `n + c.labels - 1`. -/
def lowerFrom (n : Nat) : Code I C → Flat I C
  | .block is | .publicBlock is => is.map .instr
  | .seq a b => a.lowerFrom n ++ b.lowerFrom (n + a.labels)
  | .ite c a b | .revealIf _ _ c a b =>
    .jcc c n :: (b.lowerFrom (n + 2) ++ .jmp (n + 1) :: .label n ::
      (a.lowerFrom (n + 2 + b.labels) ++ [.label (n + 1)]))
  | .skipIf c b => .jcc c n :: (b.lowerFrom (n + 1) ++ [.label n])
  | .loop b c => .label n :: (b.lowerFrom (n + 1) ++ [.jcc c n])

/-- The flat code. -/
def lower (c : Code I C) : Flat I C := c.lowerFrom 0

/-- Pieces of code one after the other. -/
def seqs : List (Code I C) → Code I C
  | [] => .block []
  | [a] => a
  | a :: as => .seq a (seqs as)

end Code
end Impl
