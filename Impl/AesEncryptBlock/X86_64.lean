import Impl.Aes.X86_64

/-!
# The encryption of one block, on x86-64
-/

set_option autoImplicit false
namespace Impl.AesEncryptBlock.X86_64
open TCB.X86_64 Impl.X86_64

/-- Load the block and add round key 0. -/
def start : List Instr := [.vmovdquLoad .xmm 0 (at_ .rdx), .vecBin .pxor .xmm 0 0 (.mem (at_ .rdi))]

/-- Store the block, and leave nothing of it or of the key in registers. -/
def finish : List Instr :=
  [.vmovdquStore .xmm (at_ .rdx) 0, .vecBin .pxor .xmm 0 0 (.reg 0), .vecBin .pxor .xmm 15 15 (.reg 15)]

/-- The kernel. -/
def code : Kernel := Code.seqs [.block start, Aes.X86_64.cipher [0], .block finish]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes], code := code.lower }

end Impl.AesEncryptBlock.X86_64
