import Proof.AesGcm.Seal.X86_64.Wide
import TCB.Artifact

/-!
# Sealing a message, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm.Seal
open TCB

/-- With AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_seal_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_seal_aesni"
  file := "aes_gcm_seal"
  program := Impl.AesGcm.Seal.X86_64.program
  contract := Spec.AesGcm.Seal.contract
  proof := Proof.AesGcm.Seal.X86_64.verified

/-- With VAES and VPCLMULQDQ. -/
def vg_aes_gcm_seal_vaes : Artifact X86_64.target where
  symbol := "vg_aes_gcm_seal_vaes"
  file := "aes_gcm_seal_vaes"
  program := Impl.AesGcm.Seal.X86_64.Wide.program
  contract := Spec.AesGcm.Seal.contract
  proof := Proof.AesGcm.Seal.X86_64.Wide.verified

end Artifacts.X86_64.AesGcm.Seal
