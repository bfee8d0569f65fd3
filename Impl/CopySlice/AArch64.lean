import Impl.AArch64
import Impl.CopySlice

/-!
# Copying one slice, on AArch64

A fragment: `x4` source, `x5` length, `x2` destination; on return `x2` is the end of the destination. 64 bytes at a time, then
16. Uses `x4`-`x9` and `v0`-`v3`.
-/

set_option autoImplicit false
namespace Impl.CopySlice.AArch64
open TCB.AArch64 Impl.AArch64

/-- Counting in `x5`. -/
def counter : Counter Instr Cond where
  compare k := [.cmp .x5 (imm k)]
  below := .lo
  notBelow := .hs
  setupLast := []
  isZero := .zero .x5
  step k := [.alu .add .x4 .x4 (imm k), .alu .add .x2 .x2 (imm k), .alu .sub .x5 .x5 (imm k)]
  nonzero := .nonzero .x5

/-- Copy the next 64 bytes. -/
def moves64 : List Instr :=
  [.ldp (.vec 0 1) .x4 0, .ldp (.vec 2 3) .x4 2, .stp (.vec 0 1) .x2 0, .stp (.vec 2 3) .x2 2]

/-- Copy the next bytes through the register `t`. -/
def move (t : Transfer) : List Instr := [.ldr t (at_ .x4), .str t (at_ .x2)]

/-- Point to the ends of the source and the destination. -/
def ends : List Instr := [.alu .add .x6 .x4 (.reg .x5), .alu .add .x7 .x2 (.reg .x5)]

/-- Copy the last 16 bytes of the slice. -/
def copyLast : List Instr := ends ++ [.ldr (.vec 0) (before .x6 16), .str (.vec 0) (before .x7 16)]

/-- Copy the first and the last bytes of the slice, as many as `w` says. -/
def copyEnds (w : Width) : List Instr := ends ++
  [.ldr (.gpr w .x8) (at_ .x4), .ldr (.gpr w .x9) (before .x6 w.bytes),
   .str (.gpr w .x8) (at_ .x2), .str (.gpr w .x9) (before .x7 w.bytes)]

/-- Copy the slice. -/
def code : Kernel :=
  Code.seqs [
    .block (counter.compare 16),
    .ite counter.below
      (counter.short (move (.gpr .byte .x8)) (copyEnds .word) (copyEnds .dword))
      (counter.long 64 moves64 16 (move (.vec 0)) copyLast),
    .block [.alu .add .x2 .x2 (.reg .x5)]]

end Impl.CopySlice.AArch64
