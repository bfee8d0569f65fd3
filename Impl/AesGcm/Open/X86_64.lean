import Impl.AesGcm.Message.X86_64

/-!
# Opening a message in place, on x86-64 with AES-NI and PCLMULQDQ

The ciphertext is hashed first, and decrypted only if the tag is right: so a wrong tag leaves the data as they were.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Open.X86_64
open TCB.X86_64 Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64
open Impl.AesCtr32.X86_64 (write)

/-! ## The text -/

/-- Decrypt `n` blocks. -/
def group (n : Nat) : Kernel := Code.seqs [keystream n, .block (write n), .block [.mov .rdi .r9]]

/-- Decrypt what is left beyond whole blocks. -/
def last : Kernel := .seq (.block [.alu .test .r8 (.reg .r8)]) <| .skipIf .e <| Code.seqs [
  keystream 1, Impl.Partial.X86_64.load slideAt 1 2 .rcx .r8, .block [xor .xmm 0 1], Impl.Partial.X86_64.store slideAt 0 2 .rcx .r8]

/-- Decrypt all. -/
def decrypt : Kernel := Code.seqs [arguments 5, runs 128 (group 8), runs 16 (group 1), last]

/-! ## The kernel -/

/-- Leave nothing, and return `v`. -/
def leave (v : Nat) : Kernel := .seq (.block clearAll) (.block [.clear .r11, .movImm .rax (BitVec.ofNat 64 v)])

/-- The kernel. -/
def code : Kernel := Code.seqs [
  start, absorb, tagOf 4 6, given 7,
  Impl.Partial.X86_64.keepFirst onesAt 11 .r8, .block compare, .revealIf 0 1 .e (.seq decrypt (leave 1)) (leave 0)]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes, .pclmulqdq], code := code.lower, constants := table }

end Impl.AesGcm.Open.X86_64
