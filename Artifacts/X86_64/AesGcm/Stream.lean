import Proof.AesGcm.Stream.X86_64
import Proof.AesGcm.Stream.X86_64.Finish
import Proof.AesGcm.Stream.X86_64.Init
import Proof.AesGcm.Stream.X86_64.Verify
import TCB.Artifact

/-!
# A message in pieces, on x86-64
-/

set_option autoImplicit false
namespace Artifacts.X86_64.AesGcm.Stream
open TCB

/-- The start, with AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_stream_init_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_stream_init_aesni"
  file := "aes_gcm_stream"
  program := Impl.AesGcm.Stream.X86_64.Init.program
  contract := Spec.AesGcm.Stream.Init.contract
  proof := Proof.AesGcm.Stream.Init.X86_64.verified

/-- Encrypting a piece, with AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_stream_encrypt_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_stream_encrypt_aesni"
  file := "aes_gcm_stream_encrypt"
  program := Impl.AesGcm.Stream.X86_64.Encrypt.program
  contract := Spec.AesGcm.Stream.Encrypt.contract
  proof := Proof.AesGcm.Stream.X86_64.encrypt_verified

/-- Decrypting a piece, with AES-NI and PCLMULQDQ. -/
def vg_aes_gcm_stream_decrypt_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_stream_decrypt_aesni"
  file := "aes_gcm_stream_decrypt"
  program := Impl.AesGcm.Stream.X86_64.Decrypt.program
  contract := Spec.AesGcm.Stream.Decrypt.contract
  proof := Proof.AesGcm.Stream.X86_64.decrypt_verified

/-- The tag, with PCLMULQDQ. -/
def vg_aes_gcm_stream_finish_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_stream_finish_aesni"
  file := "aes_gcm_stream"
  program := Impl.AesGcm.Stream.X86_64.Finish.program
  contract := Spec.AesGcm.Stream.Finish.contract
  proof := Proof.AesGcm.Stream.Finish.X86_64.verified

/-- Comparing the tag, with PCLMULQDQ. -/
def vg_aes_gcm_stream_verify_aesni : Artifact X86_64.target where
  symbol := "vg_aes_gcm_stream_verify_aesni"
  file := "aes_gcm_stream"
  program := Impl.AesGcm.Stream.X86_64.Verify.program
  contract := Spec.AesGcm.Stream.Verify.contract
  proof := Proof.AesGcm.Stream.Verify.X86_64.verified

end Artifacts.X86_64.AesGcm.Stream
