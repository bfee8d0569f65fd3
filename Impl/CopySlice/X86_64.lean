import Impl.X86_64

/-!
# Copying one slice, on x86-64

A fragment: `r8` source, `r9` length, `rdx` destination; on return `rdx` is the end of the destination. 64 bytes at a time,
then 16; what is then left of a slice of at least 16 bytes is copied by one move of its last 16 bytes. Shorter slices are
copied by two overlapping moves of 8 or of 4 bytes, and under 4 bytes by the byte. Uses `rax`, `r8`, `r9`, `r10` and
`xmm0`-`xmm3`.
-/

set_option autoImplicit false
namespace Impl.CopySlice.X86_64
open TCB.X86_64 Impl.X86_64

/-- Go `k` bytes forward in the source and the destination. -/
def step (k : Nat) : List Instr := [.alu .add .r8 (imm k), .alu .add .rdx (imm k), .alu .sub .r9 (imm k)]

/-- Copy the next 64 bytes. -/
def moves64 : List Instr :=
  [.movdquLoad 0 (at_ .r8), .movdquLoad 1 (at_ .r8 16), .movdquLoad 2 (at_ .r8 32), .movdquLoad 3 (at_ .r8 48),
   .movdquStore (at_ .rdx) 0, .movdquStore (at_ .rdx 16) 1, .movdquStore (at_ .rdx 32) 2, .movdquStore (at_ .rdx 48) 3]

/-- Copy the next 16 bytes. -/
def moves16 : List Instr := [.movdquLoad 0 (at_ .r8), .movdquStore (at_ .rdx) 0]

/-- Copy the next byte. -/
def moveByte : List Instr := [.load .byte .rax (at_ .r8), .store .byte (at_ .rdx) .rax]

/-- As long as `k` bytes are left, copy `k` bytes by `moves`. -/
def blocks (k : Nat) (moves : List Instr) : Kernel :=
  .seq (.block [.alu .cmp .r9 (imm k)]) (.skipIf .b (.loop (.block (moves ++ step k ++ [.alu .cmp .r9 (imm k)])) .ae))

/-- Copy the last 16 bytes of the slice. -/
def copyLast : List Instr := [.movdquLoad 0 (before .r8 .r9 16), .movdquStore (before .rdx .r9 16) 0]

/-- Copy the first and the last bytes of the slice, as many as `w` says. -/
def copyEnds (w : Width) : List Instr :=
  [.load w .rax (at_ .r8), .load w .r10 (before .r8 .r9 w.bytes),
   .store w (at_ .rdx) .rax, .store w (before .rdx .r9 w.bytes) .r10]

/-- Copy a slice of at least 16 bytes. -/
def long : Kernel :=
  Code.seqs [blocks 64 moves64, blocks 16 moves16, .block [.alu .test .r9 (.reg .r9)], .skipIf .e (.block copyLast)]

/-- Copy a slice of fewer than 4 bytes. -/
def bytewise : Kernel :=
  .seq (.block [.alu .test .r9 (.reg .r9)]) (.skipIf .e (.loop (.block (moveByte ++ step 1)) .ne))

/-- Copy a slice of fewer than 16 bytes. -/
def short : Kernel :=
  .seq (.block [.alu .cmp .r9 (imm 8)]) <| .ite .b
    (.seq (.block [.alu .cmp .r9 (imm 4)]) (.ite .b bytewise (.block (copyEnds .dword))))
    (.block (copyEnds .qword))

/-- Copy the slice. -/
def code : Kernel :=
  Code.seqs [.block [.alu .cmp .r9 (imm 16)], .ite .b short long, .block [.alu .add .rdx (.reg .r9)]]

end Impl.CopySlice.X86_64
