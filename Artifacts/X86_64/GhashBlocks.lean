import Proof.GhashBlocks.X86_64
import TCB.Artifact

/-!
# GHASH of whole blocks on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.GhashBlocks
open TCB

/-- GHASH of whole blocks, with PCLMULQDQ and AVX. -/
def vg_ghash_blocks_pclmul_avx : Artifact X86_64.target where
  symbol := "vg_ghash_blocks_pclmul_avx"
  file := "ghash"
  program := Impl.GhashBlocks.X86_64.program
  contract := Spec.GhashBlocks.contract
  proof := Proof.GhashBlocks.X86_64.verified

end Artifacts.X86_64.GhashBlocks
