import Impl.CopySlice.AArch64
import Impl.Gather

/-!
# Gathering a list of slices, on AArch64

`x0` list of slices, `x1` how many are left, `x2` destination; `x3`, the total length, is not used.
-/

set_option autoImplicit false
namespace Impl.Gather.AArch64
open TCB.AArch64 Impl.AArch64

/-- Read the next slice. -/
def next : List Instr := [.ldp (.gpr .x4 .x5) .x0 0]

/-- Count the slice as done. -/
def advance : List Instr := [.alu .add .x0 .x0 (imm 16), .alu .sub .x1 .x1 (imm 1)]

/-- Leave no contents of slices in registers. -/
def clear : List Instr := [.movi 0 0, .movi 1 0, .movi 2 0, .movi 3 0, .mov .x8 0, .mov .x9 0]

/-- The kernel, as structured code. -/
def code : Kernel :=
  .seq (walk [] (.zero .x1) (Code.seqs [.publicBlock next, CopySlice.AArch64.code, .block advance]) (.nonzero .x1))
    (.block clear)

/-- The kernel. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon], code := code.lower }

end Impl.Gather.AArch64
