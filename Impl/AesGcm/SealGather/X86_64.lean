import Impl.AesGcm.Seal.X86_64
import Impl.Gather.X86_64.Avx

/-!
# Sealing a list of slices, on x86-64

The slices are copied to where the sealed text belongs, and sealed there. The structure of arguments begins as that of a
message that is sealed in place. `rcx` and `r11` keep the key context and the arguments while slices are copied.
-/

set_option autoImplicit false
namespace Impl.AesGcm.SealGather.X86_64
open TCB.X86_64 Impl.X86_64

/-- What is to be copied where. -/
def enter : Kernel := .publicBlock [
  .mov .rcx .rdi, .mov .r11 .rsi, .mov .rdx .rsi,
  .load .qword .rdi (at_ .rdx 64), .load .qword .rsi (at_ .rdx 72), .load .qword .rdx (at_ .rdx 40)]

/-- The slices are copied, and the upper halves of vector registers not in use any more. -/
def copy : Kernel := Gather.X86_64.code CopySlice.X86_64.Avx.code [.vzeroupper]

/-- The arguments of the kernel that seals. -/
def leave : List Instr := [.mov .rdi .rcx, .mov .rsi .r11]

/-- The kernel, from one that seals a message in place. -/
def code (sealing : Kernel) : Kernel := Code.seqs [enter, copy, .block leave, sealing]

/-- The program with AES-NI and PCLMULQDQ. -/
def program : TCB.Program Instr Cond Feature := {
  features := Seal.X86_64.program.features, code := (code Seal.X86_64.code).lower, constants := Seal.X86_64.program.constants }

end Impl.AesGcm.SealGather.X86_64
