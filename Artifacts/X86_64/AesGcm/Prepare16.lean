import Proof.AesGcm.Prepare16.X86_64.Wide
import TCB.Artifact

/-!
# The powers of the hash subkey on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm.Prepare16
open TCB

/-- The powers of the hash subkey, with PCLMULQDQ and AVX. -/
def vg_aes_gcm_prepare16_pclmul_avx : Artifact X86_64.target where
  symbol := "vg_aes_gcm_prepare16_pclmul_avx"
  file := "aes_gcm"
  program := Impl.AesGcm.Prepare16.X86_64.program
  contract := Spec.AesGcm.Prepare16.contract
  proof := Proof.AesGcm.Prepare16.X86_64.verified

/-- The powers of the hash subkey, with VPCLMULQDQ and AVX2. -/
def vg_aes_gcm_prepare16_vpclmul : Artifact X86_64.target where
  symbol := "vg_aes_gcm_prepare16_vpclmul"
  file := "aes_gcm"
  program := Impl.AesGcm.Prepare16.X86_64.Wide.program
  contract := Spec.AesGcm.Prepare16.contract
  proof := Proof.AesGcm.Prepare16.X86_64.Wide.verified

end Artifacts.X86_64.AesGcm.Prepare16
