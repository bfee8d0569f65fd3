import Impl.Aes.AArch64

/-!
# Counter mode, on AArch64

Eight blocks at a time, then one at a time. The counter block is in `v17`, the bytes of each 32 bits reversed, so that its last
32 bits are a number, and `v18` has one in their place. `x5` points to the round keys.
-/

set_option autoImplicit false
namespace Impl.AesCtr32.AArch64
open TCB.AArch64 Impl.AArch64 Impl.Aes.AArch64

/-- The round keys, the counter and one. -/
def load : List Instr :=
  [.un .mov .x5 .x0, .ldr (.vec 17) (at_ .x2), .vecUn .rev32 17 17, .movi 0 0, .movi 18 1, .vecUn (.ushr4s 8) 18 18,
   .vecBin (.ext 4) 18 0 18]

/-- The next counter blocks. -/
def start (n : Nat) : List Instr :=
  (List.range n).flatMap fun r => [.vecUn .rev32 (vec r) 17, .vecBin .add4s 17 17 18]

/-- Add the encrypted counter blocks to the data. -/
def write (n : Nat) : List Instr :=
  (List.range n).flatMap fun r => [.ldr (.vec 19) (word .x3 r), .vecBin .eor (vec r) (vec r) 19, .str (.vec (vec r)) (word .x3 r)]

/-- Add the encrypted counter blocks to the data, and go on. -/
def finish (n : Nat) : List Instr := write n ++ [.alu .add .x3 .x3 (imm (16 * n)), .un .mov .x0 .x5]

/-- As many groups of `n` blocks as there are. -/
def groups (n : Nat) : Kernel :=
  .seq (.block [.cmp .x4 (imm (16 * n))]) <| .skipIf .lo <|
    .loop (Code.seqs [.block (start n), cipher (List.range n), .block (finish n),
      .block [.alu .sub .x4 .x4 (imm (16 * n)), .cmp .x4 (imm (16 * n))]]) .hs

/-- Leave nothing in vector registers. -/
def clear : List Instr := [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19].map fun r => .movi (vec r) 0

/-- The kernel. -/
def code : Kernel := Code.seqs [.block load, groups 8, groups 1, .block clear]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower }

end Impl.AesCtr32.AArch64
