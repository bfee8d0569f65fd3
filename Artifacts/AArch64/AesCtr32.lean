import Proof.AesCtr32.AArch64
import TCB.Artifact

/-!
# Counter mode, on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesCtr32
open TCB

/-- Counter mode with the AES instructions, eight blocks at a time. -/
def vg_aes_ctr32 : Artifact AArch64.target where
  symbol := "vg_aes_ctr32"
  file := "aes"
  program := Impl.AesCtr32.AArch64.program
  contract := Spec.AesCtr32.contract
  proof := Proof.AesCtr32.AArch64.verified

end Artifacts.AArch64.AesCtr32
