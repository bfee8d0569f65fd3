import Proof.Framework.Witness
import TCB.AArch64.Abi

/-!
# Witnesses on AArch64
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- A call with the given arguments. -/
def witnessState (values : List Nat) (memory : Memory) : State where
  gpr r := ((argRegs.idxOf? r).map fun i => BitVec.ofNat 64 (values.getD i 0)).getD 0
  vec _ := 0
  nzcv := ⟨false, false, false, false⟩
  control := ⟨0, 0, 0, false⟩
  memory

/-- Two memories are a witness, if they meet the requirements of the contract and differ in the secrets. -/
theorem witness_of {c : Contract} {constants : List Byte} (values : List Nat) (fill₁ fill₂ : Mem)
    (count : c.sig.params.length ≤ 8) (arranged : Witness.arranged c.sig values constants [] = true)
    (secret : ∀ b ∈ c.sig.buffers (Witness.args c.sig values) (fun _ => 0), b.role.secret = true →
      ∀ x, b.region.Contains x → fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (Witness.args c.sig values) (Witness.mem constants fill₁) ∧
      r.Holds (Witness.args c.sig values) (Witness.mem constants fill₂))
    (declassified : c.declassifies (Witness.args c.sig values) (Witness.mem constants fill₁) =
      c.declassifies (Witness.args c.sig values) (Witness.mem constants fill₂)) :
    target.HasWitness c constants :=
  Witness.ok (t := target) (state := witnessState values)
    (fun _ i hi => match i with
      | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 => rfl
      | i + 8 => by omega)
    (fun _ => rfl) (fun _ => rfl) arranged fill₁ fill₂ secret requires declassified

end TCB.AArch64
