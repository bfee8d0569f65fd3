import Proof.AesGcm.Prepare16.X86_64

/-!
# The powers of the hash subkey on x86-64 with VPCLMULQDQ, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16.X86_64.Wide
open TCB TCB.X86_64 SymExec Spec.AesGcm.Prepare16 Impl.AesGcm.Prepare16.X86_64.Wide
open Impl.Ghash.X86_64 (constant)

/-- The constant on both lanes. -/
def doubled : Outcome VecUn VecBin := { vec := [(15, [.reg 15 0, .reg 15 0])] }

/-- The constant is loaded. -/
theorem start_ok {pub : List Region} {s : State} : isa.Wp pub (.block constant)
    (isa.Wp pub (.block double) (After 2 (s.gpr .rdi) s 0)) s := by
  refine X86_64.start_ok.mono fun s₁ a => ?_
  refine machine.wp_registers doubled (by decide +kernel) fun s' e => ?_
  have keeps := Aes.X86_64.keeps_of_ends e [] rfl
  have hm : s'.memory = s₁.memory := e.memory
  refine ⟨a.keeps.trans (keeps.mono (List.nil_subset _)), (keeps.gpr _ List.not_mem_nil).trans a.rdi, by rw [hm]; exact a.powers,
    fun i hi => ?_⟩
  have same := e.vec (r := 15) rfl i
  rw [same]
  rcases i with _ | _ | i
  · exact a.constant 0 (by decide)
  · exact a.constant 0 (by decide)
  · omega

attribute [local irreducible] State.clearUpper in
/-- The high parts of registers are cleared. -/
theorem upper_ok {pub : List Region} {s s₀ : State} (h : target.Post contract s₀ s) :
    isa.Wp pub (.block [.vzeroupper]) (target.Post contract s₀) s := by
  refine .cons (s₁ := s.clearUpper) (t := []) rfl (.nil ?_)
  have hm : target.mem s.clearUpper = target.mem s := by
    show s.clearUpper.memory.bytes = s.memory.bytes
    rw [memory_clearUpper]
  have hg : ∀ r, s.clearUpper.gpr r = s.gpr r := fun r => gpr_clearUpper s r
  have ⟨k, d, x⟩ := (Keeps.refl [] s).clearUpper
  exact ⟨hm ▸ h.result, nofun, fun y hy => hm ▸ h.frame y hy,
    fun r hr => (hg r).trans (h.abi.1 r hr), d.trans h.abi.2.1, x.trans h.abi.2.2⟩

/-- The kernel with VPCLMULQDQ meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  obtain ⟨hr, hw⟩ := pre_of target h
  refine .seq (start_ok.mono fun _ w => .seq (w.mono fun _ a => .seq ((first_ok hr hw a).mono fun _ a => .seq ?_)))
  refine (products_ok (l := 1) (n := 1) (j := 0) (ps := [2]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 2) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 2) (n := 2) (j := 0) (ps := [3, 4]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 4) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 2) (n := 4) (j := 0) (ps := [5, 6, 7, 8]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 8) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 2) (n := 8) (j := 0) (ps := [9, 10, 11, 12, 13, 14, 15, 16]) hr hw (by decide +kernel) (by decide)
    (by decide) (m' := 16) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  exact (end_ok a).mono fun _ h => upper_ok h

/-- The kernel with VPCLMULQDQ meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Prepare16.X86_64.Wide
