import Proof.Gather.AArch64
import TCB.Artifact

/-!
# Gathering on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.Gather
open TCB

/-- The gather-copy kernel. -/
def vg_gather_copy : Artifact AArch64.target where
  symbol := "vg_gather_copy"
  file := "gather"
  program := Impl.Gather.AArch64.program
  contract := Spec.Gather.contract
  proof := Proof.Gather.AArch64.verified

end Artifacts.AArch64.Gather
