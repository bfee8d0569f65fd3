import Proof.Gather.X86_64
import TCB.Artifact

/-!
# Gathering on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.Gather

/-- The gather-copy kernel with SSE2. -/
def vg_gather_copy : TCB.Artifact TCB.X86_64.target where
  symbol := "vg_gather_copy"
  file := "gather"
  program := Impl.Gather.X86_64.program
  contract := Spec.Gather.contract
  proof := Proof.Gather.X86_64.verified

end Artifacts.X86_64.Gather
