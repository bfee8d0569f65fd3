import Impl.Aes.X86_64

/-!
# Counter mode, on x86-64

Eight blocks at a time, then one at a time. The counter is in `xmm8` as a number, the mask that makes a block of it in
`xmm9`, and one in `xmm10`.
-/

set_option autoImplicit false
namespace Impl.AesCtr32.X86_64
open TCB.X86_64 Impl.X86_64 Impl.Aes.X86_64

/-- The mask that reverses 16 bytes, and the number one. -/
def table : List TCB.Byte :=
  [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]

/-- Where the table and the round keys are. -/
def places : List Instr := [.leaTable .r10, .mov .r9 .rdi]

/-- The counter, the mask and one. -/
def load : List Instr :=
  [.vmovdquLoad .xmm 8 (at_ .rdx), .vmovdquLoad .xmm 9 (at_ .r10), .vmovdquLoad .xmm 10 (at_ .r10 16),
   .vecBin .pshufb .xmm 8 8 (.reg 9)]

/-- The next counter blocks, with round key 0. -/
def start (n : Nat) : List Instr :=
  ((List.range n).flatMap fun r => [.vecBin .pshufb .xmm (vec r) 8 (.reg 9), .vecBin .paddd .xmm 8 8 (.reg 10)]) ++
    step .pxor 0 (List.range n)

/-- Add the encrypted counter blocks to the data. -/
def write (n : Nat) : List Instr :=
  (List.range n).flatMap fun r => [.vecBin .pxor .xmm (vec r) (vec r) (.mem (at_ .rcx (16 * r))),
    .vmovdquStore .xmm (at_ .rcx (16 * r)) (vec r)]

/-- Add the encrypted counter blocks to the data, and go on. -/
def finish (n : Nat) : List Instr := write n ++ [.alu .add .rcx (imm (16 * n)), .mov .rdi .r9]

/-- As many groups of `n` blocks as there are. -/
def groups (n : Nat) : Kernel :=
  .seq (.block [.alu .cmp .r8 (imm (16 * n))]) <| .skipIf .b <|
    .loop (Code.seqs [.block (start n), cipher (List.range n), .block (finish n),
      .block [.alu .sub .r8 (imm (16 * n)), .alu .cmp .r8 (imm (16 * n))]]) .ae

/-- Leave nothing in vector registers. -/
def clear : List Instr :=
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15].map fun r => .vecBin .pxor .xmm (vec r) (vec r) (.reg (vec r))

/-- The kernel. -/
def code : Kernel := Code.seqs [.block places, .block load, groups 8, groups 1, .block clear]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes], code := code.lower, constants := table }

end Impl.AesCtr32.X86_64
