import Proof.Gather.Contract
import Proof.Gather.X86_64.Copy
import Proof.X86_64.Verified

/-!
# The gather-copy kernel on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.Gather.X86_64
open TCB TCB.X86_64 Spec.Gather Impl.X86_64 Impl.Gather.X86_64

/-- A kernel that is built from right fragments meets the functional part of the contract. -/
theorem correct {copySlice : Kernel} {clear : List Instr} (copies : CopiesSlice copySlice)
    (clears : ∀ {pub s}, isa.Wp pub (.block clear) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory) s)
    (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) (code copySlice clear) (target.Post contract s) s := by
  refine (copy_ok (pre_of target h) (list_isPublic target) copies clears rfl
    ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm rfl).mono fun s' ⟨keeps, hm⟩ => ?_
  have ⟨result, frame⟩ := result_of target (s' := s') h (congrArg Memory.bytes hm)
  refine ⟨result, nofun, frame, fun r hr => keeps.gpr r ?_, keeps.df, keeps.mxcsr⟩
  revert r
  decide

/-- A call on the witness memory. -/
def witness (b : Byte) : State where
  gpr
    | .rdi => 0x1000
    | .rsi => 2
    | .rdx => 0x4000
    | .rcx => 105
    | .rsp => 0x5000
    | _ => 0
  vec _ := 0
  mask _ := 0
  flag _ := none
  df := false
  mxcsr := 0x1f80
  memory := Witness.memory b

/-- The witness of a kernel for this contract. -/
theorem witness_ok : target.HasWitness contract [] := Witness.ok (t := target) (state := witness)
  (fun _ i => match i with | 0 | 1 | 2 | 3 | 4 | 5 => rfl | _ + 6 => rfl)
  (fun _ => rfl)
  (fun _ r hr => by
    obtain rfl := List.mem_singleton.1 hr
    exact Region.disjoint_of_lt (show (0x4000 : Nat) + 105 ≤ 0x5000 by decide) (show 0x5000 + 8 ≤ 2 ^ 64 by decide))

attribute [local irreducible] State.setReg State.setXmm State.setFlags State.setMemory in
/-- Clearing the registers changes nothing else. -/
theorem clear_ok {pub : List Region} {s : State} :
    isa.Wp pub (.block clear) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory) s :=
  .cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.nil ⟨kept (Keeps.refl clobbered s), by reads⟩))))))

/-- The kernel with SSE2 meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel)
    (correct := correct CopySlice.X86_64.copySlice_ok clear_ok)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness_ok)

end Proof.Gather.X86_64
