import Proof.AesGcm.Open.AArch64
import TCB.Artifact

/-!
# Opening a message, on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesGcm.Open
open TCB

/-- With AES and PMULL. -/
def vg_aes_gcm_open : Artifact AArch64.target where
  symbol := "vg_aes_gcm_open"
  file := "aes_gcm_open"
  program := Impl.AesGcm.Open.AArch64.program
  contract := Spec.AesGcm.Open.contract
  proof := Proof.AesGcm.Open.AArch64.verified

end Artifacts.AArch64.AesGcm.Open
