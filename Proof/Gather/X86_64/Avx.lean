import Impl.Gather.X86_64.Avx
import Proof.CopySlice.X86_64.Avx
import Proof.Gather.X86_64

/-!
# The gather-copy kernel on x86-64 with AVX, verified
-/

set_option autoImplicit false
namespace Proof.Gather.X86_64.Avx
open TCB TCB.X86_64 Spec.Gather Impl.Gather.X86_64.Avx

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- Clearing the registers changes nothing else. -/
theorem clear_ok {pub : List Region} {s : State} :
    isa.Wp pub (.block clear) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory) s := by
  refine .cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.nil ?_)))))))
  exact ⟨kept (Keeps.refl clobbered s), by reads⟩

/-- The kernel with AVX meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel)
    (correct := correct CopySlice.X86_64.Avx.copySlice_ok clear_ok)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness_ok)

end Proof.Gather.X86_64.Avx
