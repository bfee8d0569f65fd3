import Impl.CopySlice.X86_64

/-!
# Copying one slice, on x86-64 with AVX

As with SSE2, but 128 bytes at a time, then 32; what is then left of a slice of at least 32 bytes is copied by one move of its
last 32 bytes, and a slice of 16 to 31 bytes by two overlapping moves.
-/

set_option autoImplicit false
namespace Impl.CopySlice.X86_64.Avx
open TCB.X86_64 Impl.X86_64

/-- Copy the next 128 bytes. -/
def moves128 : List Instr :=
  [.vmovdquLoad .ymm 0 (at_ .r8), .vmovdquLoad .ymm 1 (at_ .r8 32), .vmovdquLoad .ymm 2 (at_ .r8 64),
   .vmovdquLoad .ymm 3 (at_ .r8 96), .vmovdquStore .ymm (at_ .rdx) 0, .vmovdquStore .ymm (at_ .rdx 32) 1,
   .vmovdquStore .ymm (at_ .rdx 64) 2, .vmovdquStore .ymm (at_ .rdx 96) 3]

/-- Copy the next 32 bytes. -/
def moves32 : List Instr := [.vmovdquLoad .ymm 0 (at_ .r8), .vmovdquStore .ymm (at_ .rdx) 0]

/-- Copy the last 32 bytes of the slice. -/
def copyLast : List Instr := [.vmovdquLoad .ymm 0 (before .r8 .r9 32), .vmovdquStore .ymm (before .rdx .r9 32) 0]

/-- Copy the first and the last 16 bytes of the slice. -/
def copyEnds : List Instr :=
  [.vmovdquLoad .xmm 0 (at_ .r8), .vmovdquLoad .xmm 1 (before .r8 .r9 16),
   .vmovdquStore .xmm (at_ .rdx) 0, .vmovdquStore .xmm (before .rdx .r9 16) 1]

/-- Copy the slice. -/
def code : Kernel :=
  Code.seqs [
    .block (counter.compare 32),
    .ite counter.below (.seq (.block (counter.compare 16)) (.ite counter.below short (.block copyEnds)))
      (counter.long 128 moves128 32 moves32 copyLast),
    .block [.alu .add .rdx (.reg .r9)]]

end Impl.CopySlice.X86_64.Avx
