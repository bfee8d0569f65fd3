import Proof.AesEncryptBlock.X86_64
import TCB.Artifact

/-!
# The encryption of one block, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesEncryptBlock
open TCB

/-- AES on one block, with AES-NI. -/
def vg_aes_encrypt_block_aesni : Artifact X86_64.target where
  symbol := "vg_aes_encrypt_block_aesni"
  file := "aes"
  program := Impl.AesEncryptBlock.X86_64.program
  contract := Spec.AesEncryptBlock.contract
  proof := Proof.AesEncryptBlock.X86_64.verified

end Artifacts.X86_64.AesEncryptBlock
