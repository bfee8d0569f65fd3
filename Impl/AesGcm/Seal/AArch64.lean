import Impl.AesGcm.Message.AArch64

/-!
# Sealing a message in place, on AArch64 with AES and PMULL

Groups of eight blocks; what is left, at most 127 bytes, takes one more group of the keystream and one reduction together with
the block of the lengths.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Seal.AArch64
open TCB.AArch64 Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64
open Impl.AesCtr32.AArch64 (write)

/-- Encrypt and hash eight blocks. -/
def group : Kernel := Code.seqs [keystream 8, .block (write 8), .block (hash 7), .block [.un .mov .x0 .x9]]

/-- Block `i` of what is left. -/
def whole (i : Nat) : List Instr :=
  [.ldr (.vec 19) (word .x3 i), xor (vec i) 19, .str (.vec (vec i)) (word .x3 i), .vecUn .rev64 26 (vec i), swap 25 26] ++
    next (word .x0 i)

/-- Past `i` whole blocks; the keystream of the next is in `v0`. -/
def past (i : Nat) : List Instr :=
  [.vecBin .orr 0 (vec i) (vec i), .alu .add .x3 .x3 (imm (16 * i)), .alu .add .x0 .x0 (imm (16 * i)),
   .alu .sub .x4 .x4 (imm (16 * i))]

/-- The whole blocks that are left, from the block `i` on, if there are at most `n` more. -/
def wholes : (n i : Nat) → Kernel
  | 0, i => .block (past i)
  | n + 1, i => .seq (.block [.cmp .x4 (imm (16 * (i + 1)))]) (.ite .lo (.block (past i)) (.seq (.block (whole i)) (wholes n (i + 1))))

/-- What is left beyond whole blocks. -/
def last : Kernel := .skipIf (.zero .x4) <| Code.seqs [
  Impl.Partial.AArch64.load slideAt 1 2 .x3 .x4,
  .block [xor 0 1],
  Impl.Partial.AArch64.keepFirst onesAt 0 2 .x4,
  Impl.Partial.AArch64.store slideAt 0 2 .x3 .x4,
  .block (.vecUn .rev64 26 0 :: swap 25 26 :: next (at_ .x0))]

/-- The tag is stored. -/
def tag : Kernel := .seq (.publicBlock [argument .x5 7]) (.block [.str (.vec 20) (at_ .x5)])

/-- The kernel. -/
def code : Kernel := Code.seqs [
  start, runs 128 group, keystream 8, .block ready, .block empty, wholes 7 0, last, loadLengths 25 4 6, .block finish, tag, .block clearAll]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower, constants := table }

end Impl.AesGcm.Seal.AArch64
