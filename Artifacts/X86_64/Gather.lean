import Proof.Gather.X86_64.Avx
import TCB.Artifact

/-!
# Gathering on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.Gather
open TCB

/-- The gather-copy kernel with SSE2. -/
def vg_gather_copy : Artifact X86_64.target where
  symbol := "vg_gather_copy"
  file := "gather"
  program := Impl.Gather.X86_64.program
  contract := Spec.Gather.contract
  proof := Proof.Gather.X86_64.verified

/-- The gather-copy kernel with AVX. -/
def vg_gather_copy_avx : Artifact X86_64.target where
  symbol := "vg_gather_copy_avx"
  file := "gather"
  program := Impl.Gather.X86_64.Avx.program
  contract := Spec.Gather.contract
  proof := Proof.Gather.X86_64.Avx.verified

end Artifacts.X86_64.Gather
