import Impl.Ghash.X86_64

/-!
# GHASH of whole blocks on x86-64

Eight blocks with one reduction, then one block at a time. The running value is in register 0, and register 14 holds the
mask that reverses the bytes of a block.
-/

set_option autoImplicit false
namespace Impl.GhashBlocks.X86_64
open TCB.X86_64 Impl.X86_64 Impl.Ghash.X86_64

/-- The mask that reverses 16 bytes. -/
def mask : List Instr :=
  [.movImm .rax 0x08090a0b0c0d0e0f, .vmovqFrom 14 .rax, .movImm .rax 0x0001020304050607, .vpinsrq 14 14 .rax true]

/-- Load the running value. -/
def start : List Instr := [.vmovdquLoad .xmm 0 (at_ .rsi), .vecBin .pshufb .xmm 0 0 (.reg 14)]

/-- Load block `i`; the running value is added to the first block. -/
def load (i : Nat) : List Instr :=
  [.vmovdquLoad .xmm 4 (at_ .rdx (16 * i)), .vecBin .pshufb .xmm 4 4 (.reg 14)] ++
    if i = 0 then [.vecBin .pxor .xmm 4 0 (.reg 4)] else []

/-- A product of the block with `H^p`. -/
def mul (p : Nat) (high₁ high₂ : Bool) (d : Vec) : Instr := .vecBin (.pclmulqdq high₁ high₂) .xmm d 4 (.mem (at_ .rdi (place p)))

/-- The products of the last block of a group. -/
def products (p : Nat) : List Instr :=
  [mul p false false 1, mul p true false 2, mul p false true 5, xor .xmm 2 5, mul p true true 3]

/-- The products of another block, added to the sums. -/
def sums (p : Nat) : List Instr :=
  [mul p false false 5, xor .xmm 1 5, mul p true false 5, xor .xmm 2 5, mul p false true 5, xor .xmm 2 5,
   mul p true true 5, xor .xmm 3 5]

/-- A group of `k + 1` blocks: the last block first, because it does not need the running value. -/
def group (k : Nat) : List Instr :=
  load k ++ products 1 ++
    (List.range k).flatMap (fun i => load (k - 1 - i) ++ sums (i + 2)) ++
    fold .xmm 15 5 1 2 ++ fold .xmm 15 5 2 3 ++ [.vmovdqa .xmm 0 3, .alu .add .rdx (imm (16 * (k + 1)))]

/-- Store the running value. -/
def finish : List Instr := [.vecBin .pshufb .xmm 0 0 (.reg 14), .vmovdquStore .xmm (at_ .rsi) 0]

/-- The kernel. -/
def code : Kernel := Code.seqs [
  .block mask, .block constant, .block start,
  .block [.alu .cmp .rcx (imm 128)],
  .skipIf .b (.loop (.seq (.block (group 7)) (.block [.alu .sub .rcx (imm 128), .alu .cmp .rcx (imm 128)])) .ae),
  .block [.alu .test .rcx (.reg .rcx)],
  .skipIf .e (.loop (.seq (.block (group 0)) (.block [.alu .sub .rcx (imm 16)])) .ne),
  .block finish, .block (clear [0, 1, 2, 3, 4, 5, 14, 15])]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .pclmulqdq], code := code.lower }

end Impl.GhashBlocks.X86_64
