import Impl.AArch64

/-!
# AES on AArch64, for several blocks at once

The blocks are in the given vector registers, the key context is at `x0` and the number of rounds in `x1`; `v16` holds the
round key. AESE adds a round key first, so the cipher begins with round key 0, and AESMC right after it is executed together
with it. With 12 or 14 rounds, the first two or four rounds are done ahead of the ten that every key has. Moves `x0` past the
round keys of the rounds that are done ahead.
-/

set_option autoImplicit false
namespace Impl.Aes.AArch64
open TCB.AArch64 Impl.AArch64

/-- Instructions on every block, with the round key `i`. -/
def step (i : Nat) (blocks : List Nat) (f : Vec → List Instr) : List Instr :=
  .ldr (.vec 16) (word .x0 i) :: blocks.flatMap fun r => f (vec r)

/-- With the round keys 0 to `n - 1`: add one, and do a round but for its own key. -/
def turns (n : Nat) (blocks : List Nat) : List Instr :=
  (List.range n).flatMap fun i => step i blocks fun r => [.aese r 16, .vecUn .aesmc r r]

/-- Two of them, and past their round keys. -/
def ahead (blocks : List Nat) : List Instr := turns 2 blocks ++ [.alu .add .x0 .x0 (imm 32)]

/-- The last ten rounds. -/
def lastTen (blocks : List Nat) : List Instr :=
  turns 9 blocks ++ step 9 blocks (fun r => [.aese r 16]) ++ step 10 blocks fun r => [.vecBin .eor r r 16]

/-- The cipher. -/
def cipher (blocks : List Nat) : Kernel :=
  Code.seqs [
    .block [.cmp .x1 (imm 10)],
    .skipIf .eq <| Code.seqs [
      .block (ahead blocks),
      .block [.cmp .x1 (imm 12)],
      .skipIf .eq (.block (ahead blocks))],
    .block (lastTen blocks)]

end Impl.Aes.AArch64
