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

/-- The arguments of a call. -/
theorem arg_witnessState (values : List Nat) (m : Memory) {i : Nat} (hi : i < 8) :
    target.abi.arg (witnessState values m) i = Witness.value values i :=
  match i with
  | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 => rfl
  | i + 8 => by omega

/-- Two memories are a witness, if they meet the requirements of the contract and differ in the secrets. -/
theorem witness_of {c : Contract} {constants : List Byte} (values : List Nat) (fill₁ fill₂ : Mem)
    (count : c.sig.params.length ≤ 8)
    (arranged : (Witness.secretive c.sig values && Witness.arranged c.sig values constants []) = true)
    (secret : ∀ b ∈ c.sig.buffers (Witness.args c.sig values) (fun _ => 0), b.role.secret = true →
      ∀ x, b.region.Contains x → fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (Witness.args c.sig values) (Witness.mem constants fill₁) ∧
      r.Holds (Witness.args c.sig values) (Witness.mem constants fill₂))
    (declassified : c.declassifies (Witness.args c.sig values) (Witness.mem constants fill₁) =
      c.declassifies (Witness.args c.sig values) (Witness.mem constants fill₂)) :
    target.HasWitness c constants :=
  Witness.ok_secretive (t := target) (state := witnessState values)
    (fun _ _ hi => arg_witnessState _ _ (Nat.lt_of_lt_of_le hi count)) (fun _ => rfl) (fun _ => rfl) arranged fill₁ fill₂
    secret requires declassified

/-- Two memories are a witness for a signature with a structure at `r`. -/
theorem witness_of_record {c : Contract} {constants : List Byte} (values : List Nat) (r : Addr) (fill₁ fill₂ : Mem)
    (count : c.sig.params.length ≤ 8)
    (arranged : (Witness.recorded c.sig values r && Witness.arranged c.sig values constants [] (Witness.inputs c.sig values r)) = true)
    (secret : ∀ b ∈ c.sig.buffers (Witness.args c.sig values) (Witness.inputs c.sig values r), b.role.secret = true →
      ∀ x, b.region.Contains x → fill₁ x ≠ fill₂ x)
    (requires : ∀ fill, fill = fill₁ ∨ fill = fill₂ → ∀ q ∈ c.requires, q.Holds (Witness.args c.sig values)
      (Witness.mem constants (writeBytes fill r (Witness.recordBytes c.sig values))))
    (declassified :
      c.declassifies (Witness.args c.sig values) (Witness.mem constants (writeBytes fill₁ r (Witness.recordBytes c.sig values))) =
      c.declassifies (Witness.args c.sig values) (Witness.mem constants (writeBytes fill₂ r (Witness.recordBytes c.sig values)))) :
    target.HasWitness c constants :=
  Witness.ok_record (t := target) (state := witnessState values) r
    (fun _ _ hi => arg_witnessState _ _ (Nat.lt_of_lt_of_le hi count)) (fun _ => rfl) (fun _ => rfl) arranged fill₁ fill₂
    secret requires declassified

end TCB.AArch64
