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

/-- The base of a post-indexed access is public, and stays so. -/
example : !constantTime (loading false (.block [.ldrPost 0 .x8 16])) && !constantTime (loading false (.block [.strPost 0 .x9 16])) &&
    constantTime (.block [.ldrPost 0 .x0 16, .strPost 0 .x1 16, .ldrPost 0 .x0 16]) := by decide +kernel

/-- A secret in either operand, in a lane, or in what stays of the destination makes the result secret: then it is no address. -/
example : ([[.logic .eor .x0 .x0 .x8], [.logic .eor .x0 .x9 .x0], [.un .rev .x0 .x8], [.un .mov .x8 .x8, .un .mov .x0 .x8],
    [.movk .x8 1 0, .un .mov .x0 .x8], [.movi 0 0, .ins (.d 1) 0 .x8, .umov (.d 0) .x0 0], [.movi 0 0, .umov (.d 0) .x0 1],
    [.movi 0 0, .vecBin .eor 2 0 1, .umov (.d 0) .x0 2], [.movi 1 0, .vecBin .eor 2 0 1, .umov (.d 0) .x0 2],
    [.vecUn .aesmc 2 0, .umov (.d 0) .x0 2], [.movi 0 0, .aese 0 1, .umov (.d 0) .x0 0], [.movi 1 0, .aese 0 1, .umov (.d 0) .x0 0],
    [.ins (.d 1) 0 .x1, .umov (.d 1) .x0 0], [.ldrPost 0 .x1 0, .umov (.d 0) .x0 0]] :
      List (List Instr)).all fun c => !constantTime (loading false (.block (c ++ [.ldr (.gpr .byte .x2) { base := .x0 }]))) := by
  decide +kernel

/-- What comes of public operands alone is public, but in a register whose low half a callee preserves. -/
example : ([([.logic .eor .x0 .x0 .x1], true), ([.un .rev .x0 .x1], true), ([.movk .x0 1 2], true),
    ([.movi 0 0, .ins (.d 1) 0 .x1, .umov (.d 0) .x0 0], true), ([.movi 8 0, .umov (.d 0) .x0 8], false),
    ([.movi 0 0, .movi 1 1, .vecBin .pmull 2 0 1, .aese 2 1, .vecUn .rev64 3 2, .umov (.s 3) .x0 3], true)] :
      List (List Instr × Bool)).all fun (c, ok) => constantTime (.block (c ++ [.ldr (.gpr .byte .x2) { base := .x0 }])) == ok := by
  decide +kernel

/-- A branch on initial junk is refused: in the flags, and in a register that holds no argument. -/
example : constantTime (.skipIf .hs (.block [])) = false ∧ constantTime (.skipIf (.zero .x2) (.block [])) = false ∧
    constantTime (.skipIf (.zero .x1) (.block [])) = true := by decide +kernel

/-! ## No residue -/

/-- A vector register left with secret bytes is refused; cleared, it is not. The upper half of V8 counts too. -/
example : ([0, 8, 15, 16, 31] : List Vec).all fun v =>
    !noResidue false (copying v []) && noResidue false (copying v [.movi v 0]) := by decide +kernel

/-- So is what was computed from them. -/
example : ([([.vecBin .eor 16 0 0], false), ([.vecUn .rev64 16 0], false), ([.umov (.d 0) .x2 0], false), ([.movi 16 0, .aese 16 0], false),
    ([.vecBin .eor 16 0 0, .movi 16 0], true)] : List (List Instr × Bool)).all fun (c, ok) =>
      noResidue false (copying 0 (c ++ [.movi 0 0])) == ok := by decide +kernel

/-- General registers and flags left with a secret are refused. -/
example : noResidue false (loading false (.block [.mov .x8 0])) = false ∧
    noResidue false (loading false (.block [.mov .x8 0, .mov .x9 0])) = true ∧
    noResidue false (loading false (.block [.cmp .x8 (.imm 1), .mov .x8 0, .mov .x9 0])) = false := by decide +kernel

/-- Only the register of the result may hold a secret, and only if there is a result. -/
example : (([(true, .x0, true), (false, .x0, false), (true, .x1, false)] : List (Bool × Reg × Bool)).all fun (returns, r, ok) =>
    noResidue returns (.block [.ldr (.gpr .dword r) { base := .x0 }]) == ok) = true := by decide +kernel

end TCB.AArch64.TaintExamples
