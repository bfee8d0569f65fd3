import Proof.AesEncryptBlock.AArch64
import TCB.Artifact

/-!
# The encryption of one block, on AArch64
-/

set_option autoImplicit false
namespace Artifacts.AArch64.AesEncryptBlock
open TCB

/-- AES on one block, with the AES instructions. -/
def vg_aes_encrypt_block : Artifact AArch64.target where
  symbol := "vg_aes_encrypt_block"
  file := "aes"
  program := Impl.AesEncryptBlock.AArch64.program
  contract := Spec.AesEncryptBlock.contract
  proof := Proof.AesEncryptBlock.AArch64.verified

end Artifacts.AArch64.AesEncryptBlock
