import Impl.CopySlice
import Impl.X86_64

/-!
# Copying one slice, on x86-64

A fragment: `r8` source, `r9` length, `rdx` destination; on return `rdx` is the end of the destination. 64 bytes at a time,
then 16. Uses `rax`, `r8`, `r9`, `r10` and `xmm0`-`xmm3`.
-/

set_option autoImplicit false
namespace Impl.CopySlice.X86_64
open TCB.X86_64 Impl.X86_64

/-- Counting in `r9`. -/
def counter : Counter Instr Cond where
  compare k := [.alu .cmp .r9 (imm k)]
  below := .b
  notBelow := .ae
  setupLast := [.alu .test .r9 (.reg .r9)]
  isZero := .e
  step k := [.alu .add .r8 (imm k), .alu .add .rdx (imm k), .alu .sub .r9 (imm k)]
  nonzero := .ne

/-- Copy the next 64 bytes. -/
def moves64 : List Instr :=
  [.movdquLoad 0 (at_ .r8), .movdquLoad 1 (at_ .r8 16), .movdquLoad 2 (at_ .r8 32), .movdquLoad 3 (at_ .r8 48),
   .movdquStore (at_ .rdx) 0, .movdquStore (at_ .rdx 16) 1, .movdquStore (at_ .rdx 32) 2, .movdquStore (at_ .rdx 48) 3]

/-- Copy the next 16 bytes. -/
def moves16 : List Instr := [.movdquLoad 0 (at_ .r8), .movdquStore (at_ .rdx) 0]

/-- Copy the next byte. -/
def moveByte : List Instr := [.load .byte .rax (at_ .r8), .store .byte (at_ .rdx) .rax]

/-- Copy the last 16 bytes of the slice. -/
def copyLast : List Instr := [.movdquLoad 0 (before .r8 .r9 16), .movdquStore (before .rdx .r9 16) 0]

/-- Copy the first and the last bytes of the slice, as many as `w` says. -/
def copyEnds (w : Width) : List Instr :=
  [.load w .rax (at_ .r8), .load w .r10 (before .r8 .r9 w.bytes),
   .store w (at_ .rdx) .rax, .store w (before .rdx .r9 w.bytes) .r10]

/-- Copy a slice of fewer than 16 bytes. -/
def short : Kernel := counter.short moveByte (copyEnds .dword) (copyEnds .qword)

/-- Copy the slice. -/
def code : Kernel :=
  Code.seqs [
    .block (counter.compare 16),
    .ite counter.below short (counter.long 64 moves64 16 moves16 copyLast),
    .block [.alu .add .rdx (.reg .r9)]]

end Impl.CopySlice.X86_64
