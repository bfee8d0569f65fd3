import Impl.AesGcm.Message.X86_64

/-!
# A message in pieces, on x86-64 with AES-NI and PCLMULQDQ

The bytes that complete a block that the piece before began are encrypted with the keystream of that block, which is in the
state, and join the bytes of the ciphertext there; when these are a block, it is hashed. Then groups of eight blocks and single
blocks follow, and what is left begins a new block in the state.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Stream.X86_64
open TCB.X86_64 Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64
open Impl.AesCtr32.X86_64 (write)

/-- An argument. -/
def argument (d : Reg) (i : Nat) : Kernel := .publicBlock [.load .qword d (at_ .rdx (8 * i))]

/-- Leave nothing. -/
def leave : Kernel := .seq (.block clearAll) (.block [.clear .rax, .clear .r11])

namespace Init

/-- The state is written. -/
def save : List Instr :=
  [.vmovdquStore .xmm (at_ .rdi) 13, .vmovdquStore .xmm (at_ .rdi 16) 8, .vmovdquStore .xmm (at_ .rdi 32) 11]

/-- The kernel. -/
def code : Kernel := Code.seqs [head, argument .rdi 5, .block save, leave]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes, .pclmulqdq], code := code.lower, constants := table }

end Init

namespace Finish

/-- What the state holds. -/
def load : List Instr :=
  [.vmovdquLoad .xmm 13 (at_ .rdi), .vmovdquLoad .xmm 11 (at_ .rdi 32), .vmovdquLoad .xmm 0 (at_ .rdi 64)]

/-- The bytes of a block that is not whole are hashed. -/
def rest : Kernel := Code.seqs [
  argument .r8 3, .block [.alu .and .r8 (imm 15)],
  .skipIf .e (.seq (Impl.Partial.X86_64.keepFirst onesAt 0 .r8) (.block (.vecBin .pshufb .xmm 0 0 (.reg 9) :: hashOne)))]

/-- The tag is written. -/
def write : Kernel := .seq (argument .rax 4) (.block [.vmovdquStore .xmm (at_ .rax) 11])

/-- The kernel. -/
def code : Kernel := Code.seqs [
  enter, .block constants, argument .rdi 1, .block load, rest, tagOf 2 3, write, leave]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .pclmulqdq], code := code.lower, constants := table }

end Finish

namespace Verify

/-- The tag that was given, compared: 1 if it is right, and else 0. -/
def result : List Instr :=
  [.movImm .r11 0, .alu .sub .r11 (.reg .rax), .alu .or .rax (.reg .r11), .shift .shr .rax 63, .alu .xor .rax (imm 1)]

/-- The kernel. -/
def code : Kernel := Code.seqs [
  enter, .block constants, argument .rdi 1, .block Finish.load, Finish.rest, tagOf 2 3, given 4,
  Impl.Partial.X86_64.keepFirst onesAt 11 .r8, .block compare, .block result, .block clearAll, .block [.clear .r11]]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .pclmulqdq], code := code.lower, constants := table }

end Verify

/-! ## A piece -/

/-- The counter and the hash. -/
def load : List Instr := [.vmovdquLoad .xmm 8 (at_ .rdi 16), .vmovdquLoad .xmm 11 (at_ .rdi 32)]

/-- The counter and the hash are written. -/
def save : List Instr := [.vmovdquStore .xmm (at_ .rdi 16) 8, .vmovdquStore .xmm (at_ .rdi 32) 11]

/-- From `rdi`, how many bytes of the last block there are, to `r8`, how many of the piece complete it, if there are so many, and
where the keystream for them is. -/
def sizes : Kernel := Code.seqs [
  .block [.movImm .r11 16, .alu .sub .r11 (.reg .rdi), .alu .cmp .r8 (.reg .r11)], .skipIf .b (.block [.mov .r8 .r11]),
  argument .rax 1, .block [.alu .add .rdi (.reg .rax), .alu .add .rdi (imm 48)]]

/-- These bytes, and the bytes of the ciphertext in the state. -/
def join (decrypt : Bool) : Kernel := Code.seqs [
  Impl.Partial.X86_64.load slideAt 0 1 .rcx .r8, Impl.Partial.X86_64.load slideAt 2 3 .rdi .r8, .block [xor .xmm 2 0],
  Impl.Partial.X86_64.store slideAt 2 3 .rcx .r8, .block [.alu .add .rdi (imm 16)],
  Impl.Partial.X86_64.store slideAt (if decrypt then 0 else 2) 3 .rdi .r8]

/-- The block in the state is hashed if it is whole. -/
def complete : Kernel := Code.seqs [
  argument .rax 2, .block [.alu .add .rax (.reg .r8), .alu .and .rax (imm 15)],
  .skipIf .ne (.seq (argument .rdi 1)
    (.block (.vmovdquLoad .xmm 0 (at_ .rdi 64) :: .vecBin .pshufb .xmm 0 0 (.reg 9) :: hashOne)))]

/-- What comes after these bytes. -/
def past : Kernel := Code.seqs [
  .block [.alu .add .rcx (.reg .r8)], argument .rax 4, .block [.alu .sub .rax (.reg .r8), .mov .r8 .rax]]

/-- The bytes that belong to the last block of the piece before. -/
def first (decrypt : Bool) : Kernel := Code.seqs [
  arguments 3, argument .rdi 2, .block [.alu .and .rdi (imm 15)],
  .skipIf .e (Code.seqs [
    sizes, .block [.alu .test .r8 (.reg .r8)], .skipIf .e (.seq (join decrypt) complete), past])]

/-- Encrypt or decrypt `k + 1` blocks, and hash the ciphertext. -/
def group (decrypt : Bool) (k : Nat) : Kernel :=
  if decrypt then Code.seqs [.block (hash k), keystream (k + 1), .block (write (k + 1)), .block [.mov .rdi .r9]]
  else Code.seqs [keystream (k + 1), .block (write (k + 1)), .block (hash k), .block [.mov .rdi .r9]]

/-- A block that begins. -/
def last (decrypt : Bool) : Kernel := .seq (.block [.alu .test .r8 (.reg .r8)]) <| .skipIf .e <| Code.seqs [
  keystream 1, Impl.Partial.X86_64.load slideAt 1 2 .rcx .r8, .block [.vecBin .pxor .xmm 3 0 (.reg 1)],
  Impl.Partial.X86_64.store slideAt 3 2 .rcx .r8, argument .rdi 1,
  .block [.vmovdquStore .xmm (at_ .rdi 48) 0, .vmovdquStore .xmm (at_ .rdi 64) (if decrypt then 1 else 3)]]

/-- The kernel. -/
def code (decrypt : Bool) : Kernel := Code.seqs [
  enter, .block constants, argument .rdi 1, .block load, first decrypt, .block [.mov .rdi .r9],
  runs 128 (group decrypt 7), runs 16 (group decrypt 0), last decrypt, argument .rdi 1, .block save, leave]

/-- The program that encrypts. -/
def Encrypt.program : TCB.Program Instr Cond Feature :=
  { features := [.avx, .aes, .pclmulqdq], code := (code false).lower, constants := table }

/-- The program that decrypts. -/
def Decrypt.program : TCB.Program Instr Cond Feature :=
  { features := [.avx, .aes, .pclmulqdq], code := (code true).lower, constants := table }

end Impl.AesGcm.Stream.X86_64
