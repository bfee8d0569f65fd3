import Impl.X86_64

/-!
# AES on x86-64, for several blocks at once

The blocks are in the given vector registers, the key context is at `rdi` and the number of rounds in `rsi`; `xmm15` holds
the round key. With 12 or 14 rounds, the first two or four rounds are done ahead of the ten that every key has. Moves `rdi`
past the round keys of the rounds that are done ahead.
-/

set_option autoImplicit false
namespace Impl.Aes.X86_64
open TCB.X86_64 Impl.X86_64

export Impl.X86_64 (vec)

/-- One operation on every block, with the round key `i`. -/
def step (op : VecBin) (i : Nat) (blocks : List Nat) : List Instr :=
  .vmovdquLoad .xmm 15 (at_ .rdi (16 * i)) :: blocks.map fun r => .vecBin op .xmm (vec r) (vec r) (.reg 15)

/-- Rounds with the round keys 1 to `n`. -/
def rounds (n : Nat) (blocks : List Nat) : List Instr := (List.range n).flatMap fun i => step .aesenc (i + 1) blocks

/-- Two rounds, and past their round keys. -/
def ahead (blocks : List Nat) : List Instr := rounds 2 blocks ++ [.alu .add .rdi (imm 32)]

/-- The last ten rounds. -/
def lastTen (blocks : List Nat) : List Instr := rounds 9 blocks ++ step .aesenclast 10 blocks

/-- The cipher, on blocks to which round key 0 was added. -/
def cipher (blocks : List Nat) : Kernel :=
  Code.seqs [
    .block [.alu .cmp .rsi (imm 10)],
    .skipIf .e <| Code.seqs [
      .block (ahead blocks),
      .block [.alu .cmp .rsi (imm 12)],
      .skipIf .e (.block (ahead blocks))],
    .block (lastTen blocks)]

end Impl.Aes.X86_64
