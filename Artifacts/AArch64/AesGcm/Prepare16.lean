import Proof.AesGcm.Prepare16.AArch64
import TCB.Artifact

/-!
# The powers of the hash subkey on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesGcm.Prepare16
open TCB

/-- The powers of the hash subkey, with PMULL. -/
def vg_aes_gcm_prepare16 : Artifact AArch64.target where
  symbol := "vg_aes_gcm_prepare16"
  file := "aes_gcm"
  program := Impl.AesGcm.Prepare16.AArch64.program
  contract := Spec.AesGcm.Prepare16.contract
  proof := Proof.AesGcm.Prepare16.AArch64.verified

end Artifacts.AArch64.AesGcm.Prepare16
