import Proof.AesGcm.Message.Witness
import Spec.AesGcm.Open

/-!
# Opening a message: the witness

The two memories of `Proof.AesGcm.Message.Witness` meet the requirements of the contract, for any table of constants. In
neither is the tag right.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.Witness
open TCB Spec.AesGcm Spec.AesGcm.Open Proof.AesGcm.Message.Witness

/-- The arguments are those of the witness. -/
theorem isValues : IsValues (TCB.Witness.args contract.sig values) := by constructor <;> decide +kernel

/-- The length of the structure. -/
theorem length_record : (TCB.Witness.recordBytes contract.sig values).length ≤ 0x100 := by decide +kernel

/-- The length of the tag. -/
theorem tagLen : (TCB.Witness.args contract.sig values "tag_len").toNat ∈ Spec.Gcm.tagLengths := by decide +kernel

section
variable {constants : List Byte} (small : constants.length ≤ 0x100000)
include small

/-- Both memories meet the requirements. -/
theorem requires (m : Mem) (hm : m = fill words₁ 1 ∨ m = fill words₂ 2) : ∀ q ∈ contract.requires,
    q.Holds (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes contract.sig values))) := by
  have message {words : List (BitVec 128)} {other : Byte} (h : right words other = true) :=
    Message.Witness.requires small length_record isValues h
  intro q hq
  rcases List.mem_append.1 (show q ∈ [Context.validRounds, Message.ofCipher, Message.prepared, Message.supported] ++ [_] from hq)
    with hq | hq
  · rcases hm with rfl | rfl
    · exact message right₁ q hq
    · exact message right₂ q hq
  · rw [List.mem_singleton.1 hq]
    exact tagLen

/-- Nothing is opened. -/
theorem plaintext_eq {words : List (BitVec 128)} {other : Byte} (h : closed other = true) :
    plaintext (TCB.Witness.args contract.sig values)
      (memory constants (TCB.Witness.recordBytes contract.sig values) words other) = none := by
  have tag : TCB.Witness.args contract.sig values "tag" = BitVec.ofNat 64 0x6000 := by decide +kernel
  have len : (TCB.Witness.args contract.sig values "tag_len").toNat = 16 := by decide +kernel
  rw [plaintext, tag, len]
  exact decryptWith_memory small length_record isValues h

/-- Both reveal the same. -/
theorem declassified : contract.declassifies (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes (fill words₁ 1) 0x2000 (TCB.Witness.recordBytes contract.sig values))) =
    contract.declassifies (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes (fill words₂ 2) 0x2000 (TCB.Witness.recordBytes contract.sig values))) := by
  show [if (plaintext _ _).isSome then (1 : BitVec 64) else 0] = [if (plaintext _ _).isSome then 1 else 0]
  rw [plaintext_eq small closed₁, plaintext_eq small closed₂]

end
end Proof.AesGcm.Open.Witness
