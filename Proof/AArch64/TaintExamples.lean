import Proof.AArch64.Verified

/-!
# What the taint checker accepts and refuses

The arguments of these kernels are the addresses `x0` and `x1`.
-/

set_option autoImplicit false
namespace TCB.AArch64.TaintExamples
open Impl

/-- Whether the checker finds the code constant time. -/
def constantTime (code : Code Instr Cond) : Bool := (taint.check code (.ofArgs 2)).isSome

/-- Whether the checker finds that the code leaves nothing secret behind. -/
def noResidue (returns : Bool) (code : Code Instr Cond) : Bool :=
  (taint.check code .volatile).any (taint.le (.onReturn returns))

/-- Load two numbers from memory, then run `rest`. -/
def loading (isPublic : Bool) (rest : Code Instr Cond) : Code Instr Cond :=
  let load : List Instr := [.ldp (.gpr .x8 .x9) .x0 0]
  .seq (if isPublic then .publicBlock load else .block load) rest

/-- Copy 16 bytes through `v`, then run `rest`. -/
def copying (v : Vec) (rest : List Instr) : Code Instr Cond :=
  .block ([.ldr (.vec v) { base := .x0 }, .str (.vec v) { base := .x1 }] ++ rest)

/-! ## Constant time -/

/-- A branch on a secret is refused, on a public input not: on a register of either place in the pair, and on flags. -/
example : ([.skipIf (.zero .x8) (.block []), .skipIf (.nonzero .x9) (.block []),
    .seq (.block [.cmp .x0 (.reg .x9)]) (.skipIf .lo (.block [])),
    .seq (.block [.alu .subs .x2 .x8 (.imm 1)]) (.skipIf .eq (.block []))] : List (Code Instr Cond)).all fun c =>
      !constantTime (loading false c) && constantTime (loading true c) := by decide +kernel

/-- An address from a secret is refused, from a public input not. -/
example : ([[.str (.gpr .byte .x0) { base := .x8 }], [.ldr (.vec 0) { base := .x9 }], [.ldp (.vec 0 1) .x8 0],
    [.stp (.vec 0 1) .x9 0], [.alu .add .x1 .x1 (.reg .x8), .ldr (.gpr .byte .x2) { base := .x1 }]] : List (List Instr)).all fun c =>
      !constantTime (loading false (.block c)) && constantTime (loading true (.block c)) := by decide +kernel

/-- A branch on initial junk is refused: in the flags, and in a register that holds no argument. -/
example : constantTime (.skipIf .hs (.block [])) = false ∧ constantTime (.skipIf (.zero .x2) (.block [])) = false ∧
    constantTime (.skipIf (.zero .x1) (.block [])) = true := by decide +kernel

/-! ## No residue -/

/-- A vector register left with secret bytes is refused; cleared, it is not. The upper half of V8 counts too. -/
example : ([0, 8, 15, 16, 31] : List Vec).all fun v =>
    !noResidue false (copying v []) && noResidue false (copying v [.movi v 0]) := by decide +kernel

/-- General registers and flags left with a secret are refused. -/
example : noResidue false (loading false (.block [.mov .x8 0])) = false ∧
    noResidue false (loading false (.block [.mov .x8 0, .mov .x9 0])) = true ∧
    noResidue false (loading false (.block [.cmp .x8 (.imm 1), .mov .x8 0, .mov .x9 0])) = false := by decide +kernel

/-- Only the register of the result may hold a secret, and only if there is a result. -/
example : (([(true, .x0, true), (false, .x0, false), (true, .x1, false)] : List (Bool × Reg × Bool)).all fun (returns, r, ok) =>
    noResidue returns (.block [.ldr (.gpr .dword r) { base := .x0 }]) == ok) = true := by decide +kernel

end TCB.AArch64.TaintExamples
