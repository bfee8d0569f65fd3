import Impl.AesGcm.Message.AArch64

/-!
# Opening a message in place, on AArch64 with AES and PMULL

The ciphertext is hashed first, and decrypted only if the tag is right: so a wrong tag leaves the data as they were.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Open.AArch64
open TCB.AArch64 Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64
open Impl.AesCtr32.AArch64 (write)

/-! ## The tag -/

/-- The tag of what was hashed. -/
def tag : Kernel := Code.seqs [loadLengths 0, .block hashOne, .block (reverse 20 22 ++ [xor 20 21])]

/-- The tag that was given, in `v0`. -/
def given : Kernel := Code.seqs [
  arguments 7, .block [.cmp .x4 (imm 16)],
  .ite .eq (.block [.ldr (.vec 0) (at_ .x3)]) (Impl.Partial.AArch64.load slideAt 0 1 .x3 .x4)]

/-- No bit of the two differs. -/
def compare : List Instr := [xor 20 0, .umov (.d 0) .x5 20, .umov (.d 1) .x6 20, .logic .orr .x5 .x5 .x6]

/-! ## The text -/

/-- Decrypt `n` blocks. -/
def group (n : Nat) : Kernel := Code.seqs [keystream n, .block (write n), .block [.un .mov .x0 .x9]]

/-- Decrypt what is left beyond whole blocks. -/
def last : Kernel := .skipIf (.zero .x4) <| Code.seqs [
  keystream 1, Impl.Partial.AArch64.load slideAt 1 2 .x3 .x4, .block [xor 0 1], Impl.Partial.AArch64.store slideAt 0 2 .x3 .x4]

/-- Decrypt all. -/
def decrypt : Kernel := Code.seqs [arguments 5, runs 128 (group 8), runs 16 (group 1), last]

/-! ## The kernel -/

/-- Leave nothing, and return `v`. -/
def leave (v : Nat) : Kernel := .seq (.block clearAll) (.block [.mov .x5 0, .mov .x6 0, .mov .x0 (BitVec.ofNat 16 v)])

/-- The kernel. -/
def code : Kernel := Code.seqs [
  start, absorb, tag, given,
  Impl.Partial.AArch64.keepFirst onesAt 20 1 .x4, .block compare, .revealIf 0 1 (.zero .x5) (.seq decrypt (leave 1)) (leave 0)]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower, constants := table }

end Impl.AesGcm.Open.AArch64
