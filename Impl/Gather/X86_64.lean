import Impl.CopySlice.X86_64
import Impl.Gather

/-!
# Gathering a list of slices, on x86-64

`rdi` list of slices, `rsi` how many are left, `rdx` destination; `rcx`, the total length, is not used.
-/

set_option autoImplicit false
namespace Impl.Gather.X86_64
open TCB.X86_64 Impl.X86_64

/-- Read the next slice. -/
def next : List Instr := [.load .qword .r8 (at_ .rdi), .load .qword .r9 (at_ .rdi 8)]

/-- Count the slice as done. -/
def advance : List Instr := [.alu .add .rdi (imm 16), .alu .sub .rsi (imm 1)]

/-- The kernel, as structured code, from a fragment that copies one slice and one that clears what it used. -/
def code (copySlice : Kernel) (clear : List Instr) : Kernel :=
  .seq (walk [.alu .test .rsi (.reg .rsi)] .e (Code.seqs [.publicBlock next, copySlice, .block advance]) .ne) (.block clear)

/-- Leave no contents of slices in registers. -/
def clear : List Instr := [.pxor 0 0, .pxor 1 1, .pxor 2 2, .pxor 3 3, .clear .rax, .clear .r10]

/-- The kernel with SSE2. -/
def program : TCB.Program Instr Cond Feature :=
  { features := [.sse2], code := (code CopySlice.X86_64.code clear).lower }

end Impl.Gather.X86_64
