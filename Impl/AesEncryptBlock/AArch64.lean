import Impl.Aes.AArch64

/-!
# The encryption of one block, on AArch64
-/

set_option autoImplicit false
namespace Impl.AesEncryptBlock.AArch64
open TCB.AArch64 Impl.AArch64

/-- Load the block. -/
def start : List Instr := [.ldr (.vec 0) (at_ .x2)]

/-- Store the block, and leave nothing of it or of the key in registers. -/
def finish : List Instr := [.str (.vec 0) (at_ .x2), .movi 0 0, .movi 16 0]

/-- The kernel. -/
def code : Kernel := Code.seqs [.block start, Aes.AArch64.cipher [0], .block finish]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower }

end Impl.AesEncryptBlock.AArch64
