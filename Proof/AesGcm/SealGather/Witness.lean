import Proof.AesGcm.Message.Witness
import Spec.AesGcm.SealGather

/-!
# Sealing a list of slices: the witness

A text of two slices, which are listed behind the structure of arguments.
-/

set_option autoImplicit false
namespace Proof.AesGcm.SealGather.Witness
open TCB Spec.AesGcm.SealGather Proof.AesGcm.Message.Witness

/-- Where the arguments of the witness lie, and the values of the fields. -/
def values : List Nat := [0x1000, 0x2000, 10, 0x3000, 12, 0x4000, 16, 0x5000, 16, 0x6000, 0x2050, 2]

/-- The list of slices. -/
def lists : List Byte := [(0x7000, 5), (0x8000, 11)].flatMap fun (base, len) =>
  toBytes 8 (BitVec.ofNat 64 base) ++ toBytes 8 (BitVec.ofNat 64 len)

/-- The structure and the list behind it. -/
def record : List Byte := TCB.Witness.recordBytes contract.sig values ++ lists

/-- The arguments are those of the witness. -/
theorem isValues : IsValues (TCB.Witness.args contract.sig values) := by constructor <;> decide +kernel

/-- The length of the structure and the list. -/
theorem length_record : record.length ≤ 0x100 := by decide +kernel

/-- The lengths of the slices add up. -/
theorem total (m : Mem) (h : bytesAt m 0x2050 32 = lists) : Spec.Gather.totalLen (slicesAt m 0x2050 2) = 16 := by
  have word (i : Nat) (hi : i + 8 ≤ 32) : word64 m (0x2050 + BitVec.ofNat 64 i) = ofBytes 64 ((lists.drop i).take 8) := by
    rw [word64, bytesAt_part _ _ hi, h]
  show (word64 m _).toNat + ((word64 m _).toNat + 0) = 16
  rw [word 8 (by decide), word 24 (by decide)]
  decide +kernel

/-- Both memories meet the requirements. -/
theorem requires {constants : List Byte} (small : constants.length ≤ 0x100000) (m : Mem)
    (hm : m = fill words₁ 1 ∨ m = fill words₂ 2) : ∀ q ∈ contract.requires, q.Holds (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes m 0x2000 record)) := by
  have message : ∀ q ∈ [Spec.AesGcm.Context.validRounds, Spec.AesGcm.Message.ofCipher, Spec.AesGcm.Message.prepared,
      Spec.AesGcm.Message.supported], q.Holds (TCB.Witness.args contract.sig values)
      (TCB.Witness.mem constants (writeBytes m 0x2000 record)) := by
    rcases hm with rfl | rfl
    · exact Message.Witness.requires small length_record isValues right₁
    · exact Message.Witness.requires small length_record isValues right₂
  intro q hq
  rw [← List.take_append_drop 4 contract.requires, List.mem_append] at hq
  rcases hq with hq | hq
  · exact message q hq
  obtain rfl := List.mem_singleton.1 (show q ∈ [_] from hq)
  have place : TCB.Witness.args contract.sig values "slices" = 0x2050 ∧ TCB.Witness.args contract.sig values "count" = 2 ∧
    TCB.Witness.args contract.sig values "len" = 16 := by decide +kernel
  show Spec.Gather.totalLen (slicesAt _ (TCB.Witness.args contract.sig values "slices") _) = _
  rw [place.1, place.2.1, place.2.2]
  refine total _ ?_
  rw [TCB.Witness.mem, bytesAt_writeBytes_disjoint _ (by decide)]
  · have whole := bytesAt_part (writeBytes m 0x2000 record) 0x2000 (i := 80) (k := 32) (n := record.length) (by decide +kernel)
    rw [bytesAt_writeBytes_same _ _ (by have := length_record; omega)] at whole
    exact whole.trans (by decide +kernel)
  · exact Region.Disjoint.symm (Region.disjoint_of_lt (show 0x2050 + 32 ≤ 0x100000 by decide) (by simp [Region.Fits, TCB.Witness.tableBase]; omega))

end Proof.AesGcm.SealGather.Witness
