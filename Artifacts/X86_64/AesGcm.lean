import Proof.AesGcm.Init.X86_64
import TCB.Artifact

/-!
# AES-GCM on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm
open TCB

/-- A key context from a key. -/
def vg_aes_gcm_init : Artifact X86_64.target where
  symbol := "vg_aes_gcm_init"
  file := "aes_gcm"
  program := Impl.AesGcm.Init.X86_64.program
  contract := Spec.AesGcm.Init.contract
  proof := Proof.AesGcm.Init.X86_64.verified

end Artifacts.X86_64.AesGcm
