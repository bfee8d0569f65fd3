import Proof.GhashBlocks.AArch64
import TCB.Artifact

/-!
# GHASH of whole blocks on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.GhashBlocks
open TCB

/-- GHASH of whole blocks, with PMULL. -/
def vg_ghash_blocks : Artifact AArch64.target where
  symbol := "vg_ghash_blocks"
  file := "ghash"
  program := Impl.GhashBlocks.AArch64.program
  contract := Spec.GhashBlocks.contract
  proof := Proof.GhashBlocks.AArch64.verified

end Artifacts.AArch64.GhashBlocks
