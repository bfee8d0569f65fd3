import Proof.AesCtr32.X86_64
import TCB.Artifact

/-!
# Counter mode, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesCtr32
open TCB

/-- Counter mode with AES-NI, eight blocks at a time. -/
def vg_aes_ctr32_aesni : Artifact X86_64.target where
  symbol := "vg_aes_ctr32_aesni"
  file := "aes"
  program := Impl.AesCtr32.X86_64.program
  contract := Spec.AesCtr32.contract
  proof := Proof.AesCtr32.X86_64.verified

end Artifacts.X86_64.AesCtr32
