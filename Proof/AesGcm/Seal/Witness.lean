import Proof.AesGcm.Message.Witness
import Spec.AesGcm.Seal

/-!
# Sealing a message: the witness

The two memories of `Proof.AesGcm.Message.Witness` meet the requirements of the contract, for any table of constants.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.Witness
open TCB Spec.AesGcm.Seal Proof.AesGcm.Message.Witness

/-- The arguments are those of the witness. -/
theorem isValues : IsValues (TCB.Witness.args contract.sig values) := by constructor <;> decide +kernel

/-- The length of the structure. -/
theorem length_record : (TCB.Witness.recordBytes contract.sig values).length ≤ 0x100 := by decide +kernel

/-- Both memories meet the requirements. -/
theorem requires {constants : List Byte} (small : constants.length ≤ 0x100000) (m : Mem)
    (hm : m = fill words₁ 1 ∨ m = fill words₂ 2) : ∀ q ∈ contract.requires, q.Holds (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes contract.sig values))) := by
  rcases hm with rfl | rfl
  · exact Message.Witness.requires small length_record isValues right₁
  · exact Message.Witness.requires small length_record isValues right₂

end Proof.AesGcm.Seal.Witness
