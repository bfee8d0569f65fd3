import Proof.AesGcm.SealGather.X86_64
import TCB.Artifact

/-!
# Sealing a list of slices, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm.SealGather
open TCB

/-- With AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_seal_gather_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_seal_gather_aesni"
  file := "aes_gcm_seal_gather"
  program := Impl.AesGcm.SealGather.X86_64.program
  contract := Spec.AesGcm.SealGather.contract
  proof := Proof.AesGcm.SealGather.X86_64.verified

end Artifacts.X86_64.AesGcm.SealGather
