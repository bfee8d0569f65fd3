import Impl.AesGcm.Message.X86_64.Wide
import Impl.AesGcm.Open.X86_64

/-!
# Opening a message in place, on x86-64 with VAES and VPCLMULQDQ
-/

set_option autoImplicit false
namespace Impl.AesGcm.Open.X86_64.Wide
open TCB.X86_64 Impl.X86_64 Impl.AesGcm.X86_64

/-- The kernel. -/
def code : Kernel := opening (.seq Wide.decrypted (runs 128 group))

/-- The program. -/
def program : TCB.Program Instr Cond Feature :=
  { features := [.avx, .avx2, .aes, .pclmulqdq, .vaes, .vpclmulqdq], code := code.lower, constants := Wide.table }

end Impl.AesGcm.Open.X86_64.Wide
