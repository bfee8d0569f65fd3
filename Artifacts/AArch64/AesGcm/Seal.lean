import Proof.AesGcm.Seal.AArch64
import TCB.Artifact

/-!
# Sealing a message, on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesGcm.Seal
open TCB

/-- With AES and PMULL. -/
def vg_aes_gcm_seal : Artifact AArch64.target where
  symbol := "vg_aes_gcm_seal"
  file := "aes_gcm_seal"
  program := Impl.AesGcm.Seal.AArch64.program
  contract := Spec.AesGcm.Seal.contract
  proof := Proof.AesGcm.Seal.AArch64.verified

end Artifacts.AArch64.AesGcm.Seal
