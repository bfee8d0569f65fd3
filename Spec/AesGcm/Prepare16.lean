import Spec.AesGcm.Context

/-!
# The powers of the hash subkey
-/

set_option autoImplicit false
namespace Spec.AesGcm.Prepare16
open TCB

/-- `vg_aes_gcm_prepare16(ctx)` -/
def contract : Contract where
  summary := "Writes the powers H^16, ..., H^1 of the hash subkey H (SP 800-38D, section 6.4)."
  sig := { params := [⟨"ctx", .bytes .inout (.const Context.size)⟩] }
  requires := []
  Ensures := fun a m m' _ =>
    Context.Prepared m' (a "ctx") ∧ bytesAt m' (a "ctx") 256 = bytesAt m (a "ctx") 256
  writtenWithin := [("ctx", .const 512)]

end Spec.AesGcm.Prepare16
