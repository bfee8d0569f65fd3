import Impl.AesGcm.Message.X86_64

/-!
# Sealing a message in place, on x86-64 with AES-NI and PCLMULQDQ

Groups of eight blocks; what is left, at most 127 bytes, takes one more group of the keystream and one reduction together with
the block of the lengths.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Seal.X86_64
open TCB.X86_64 Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64
open Impl.AesCtr32.X86_64 (write)

/-- Encrypt and hash eight blocks. -/
def group : Kernel := Code.seqs [keystream 8, .block (write 8), .block (hash 7), .block [.mov .rdi .r9]]

/-- Block `i` of what is left. -/
def whole (i : Nat) : List Instr :=
  [.vecBin .pxor .xmm (vec i) (vec i) (.mem (at_ .rcx (16 * i))), .vmovdquStore .xmm (at_ .rcx (16 * i)) (vec i),
   .vecBin .pshufb .xmm 15 (vec i) (.reg 9)] ++ next (at_ .rdi (16 * i))

/-- Past `i` whole blocks; the keystream of the next is in `xmm0`. -/
def past (i : Nat) : List Instr :=
  [.vmovdqa .xmm 0 (vec i), .alu .add .rcx (imm (16 * i)), .alu .add .rdi (imm (16 * i)), .alu .sub .r8 (imm (16 * i))]

/-- The whole blocks that are left, from the block `i` on, if there are at most `n` more. -/
def wholes : (n i : Nat) → Kernel
  | 0, i => .block (past i)
  | n + 1, i => .seq (.block [.alu .cmp .r8 (imm (16 * (i + 1)))]) (.ite .b (.block (past i)) (.seq (.block (whole i)) (wholes n (i + 1))))

/-- What is left beyond whole blocks. -/
def last : Kernel := .seq (.block [.alu .test .r8 (.reg .r8)]) <| .skipIf .e <| Code.seqs [
  Impl.Partial.X86_64.load slideAt 1 2 .rcx .r8,
  .block [xor .xmm 0 1],
  Impl.Partial.X86_64.keepFirst onesAt 0 .r8,
  Impl.Partial.X86_64.store slideAt 0 2 .rcx .r8,
  .block (.vecBin .pshufb .xmm 15 0 (.reg 9) :: next (at_ .rdi))]

/-- The tag is stored. -/
def tag : Kernel := .seq (.publicBlock [.load .qword .rax (at_ .rdx 56)]) (.block [.vmovdquStore .xmm (at_ .rax) 11])

/-- Sealing, given the code that seals all but less than 128 bytes. -/
def sealing (bulk : Kernel) : Kernel := Code.seqs [
  start, bulk, keystream 8, .block ready, .block empty, wholes 7 0, last, loadLengths 15 4 6, .block finish, tag, .block clearAll]

/-- The kernel. -/
def code : Kernel := sealing (runs 128 group)

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes, .pclmulqdq], code := code.lower, constants := table }

end Impl.AesGcm.Seal.X86_64
