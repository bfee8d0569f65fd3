import Spec.AesGcm.Context

/-!
# A key context from a key
-/

set_option autoImplicit false
namespace Spec.AesGcm.Init
open TCB

/-- `vg_aes_gcm_init(key, key_len, ctx)` -/
def contract : Contract where
  summary := "Writes the round keys and the hash subkey of an AES-GCM key (FIPS 197, section 5.2; SP 800-38D, section 7.1)."
  sig := { params := [
    ⟨"key", .bytes .input (.arg "key_len")⟩,
    ⟨"key_len", .usize⟩,
    ⟨"ctx", .bytes .output (.const Context.size)⟩] }
  requires := [{
    text := "`key_len` is 16, 24 or 32"
    Holds := fun a _ => (a "key_len").toNat ∈ [16, 24, 32] }]
  Ensures := fun a m m' _ => Context.IsFor (bytesAt m (a "key") (a "key_len").toNat) m' (a "ctx")
  writtenWithin := [("ctx", .const 256)]

end Spec.AesGcm.Init
