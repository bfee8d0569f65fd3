import Proof.AesGcm.Open.X86_64.Wide
import TCB.Artifact

/-!
# Opening a message, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm.Open
open TCB

/-- With AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_open_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_open_aesni"
  file := "aes_gcm_open"
  program := Impl.AesGcm.Open.X86_64.program
  contract := Spec.AesGcm.Open.contract
  proof := Proof.AesGcm.Open.X86_64.verified

/-- With VAES and VPCLMULQDQ. -/
def vg_aes_gcm_open_vaes : Artifact X86_64.target where
  symbol := "vg_aes_gcm_open_vaes"
  file := "aes_gcm_open_vaes"
  program := Impl.AesGcm.Open.X86_64.Wide.program
  contract := Spec.AesGcm.Open.contract
  proof := Proof.AesGcm.Open.X86_64.Wide.verified

end Artifacts.X86_64.AesGcm.Open
