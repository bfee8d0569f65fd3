import Impl.AesGcm.Open.X86_64.Wide
import Proof.AesGcm.Open.X86_64
import Proof.AesGcm.Open.X86_64.Wide.Groups

/-!
# Opening a message on x86-64 with VAES, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64.Wide
open TCB TCB.X86_64 Impl.AesGcm.X86_64 Proof.AesGcm.Message Proof.AesGcm.X86_64 Spec.AesGcm.Open

/-- What the kernel has on entry. -/
theorem ready_of {s : State} (h : target.Pre contract Wide.table s) (r : X86_64.Ready (callOf target s) s.memory.constants) :
    Wide.Ready (callOf target s) s.memory.constants :=
  have ⟨all, reads, apart⟩ := constants_of (n := 224) h (buffers_of target s) 4 rfl (by decide) (by decide +kernel)
    (show Wide.table.take 224 = Wide.table by decide +kernel)
  { r with all := all, readsAll := reads, apartAll := apart }

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract Wide.table s) :
    isa.WpRevealing (target.publicRegions contract Wide.table s) (target.revealed contract s) Impl.AesGcm.Open.X86_64.Wide.code
      (target.Post contract s) s :=
  opening_ok s h (by decide +kernel) fun r => OpensAll.seq (groups_ok (ready_of h r)) (X86_64.group_ok.runs r)

/-- The kernel meets its contract. -/
theorem verified : Verified target Impl.AesGcm.Open.X86_64.Wide.program contract :=
  X86_64.Verified.of_code_revealing (permits := by decide +kernel) (cleared := .inl (by decide +kernel)) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness (by decide +kernel) (by decide +kernel))

end Proof.AesGcm.Open.X86_64.Wide
