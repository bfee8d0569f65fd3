import Proof.AesGcm.Init.AArch64
import TCB.Artifact

/-!
# AES-GCM on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesGcm
open TCB

/-- A key context from a key. -/
def vg_aes_gcm_init : Artifact AArch64.target where
  symbol := "vg_aes_gcm_init"
  file := "aes_gcm"
  program := Impl.AesGcm.Init.AArch64.program
  contract := Spec.AesGcm.Init.contract
  proof := Proof.AesGcm.Init.AArch64.verified

end Artifacts.AArch64.AesGcm
