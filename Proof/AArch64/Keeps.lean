import TCB.AArch64.Abi
import Proof.AArch64.Step

/-!
# What a fragment leaves as it was
-/

set_option autoImplicit false
namespace TCB.AArch64
open State

/-- All general registers but `rs`, the vector registers whose low halves a callee preserves, and the control registers are as
in `s₀`. -/
structure Keeps (rs : List Reg) (s₀ s : State) : Prop where
  gpr : ∀ r, r ∉ rs → s.gpr r = s₀.gpr r
  vec : ∀ r, savesLow r = true → s.vec r = s₀.vec r
  control : s.control = s₀.control

namespace Keeps
variable {rs qs : List Reg} {s₀ s₁ s : State}

/-- A state keeps what it has. -/
theorem refl (rs : List Reg) (s : State) : Keeps rs s s := ⟨fun _ _ => rfl, fun _ _ => rfl, rfl⟩

/-- What two fragments keep. -/
theorem trans (h : Keeps rs s₀ s₁) (g : Keeps rs s₁ s) : Keeps rs s₀ s :=
  ⟨fun r hr => (g.gpr r hr).trans (h.gpr r hr), fun r hr => (g.vec r hr).trans (h.vec r hr), g.control.trans h.control⟩

/-- More registers may change. -/
theorem mono (h : Keeps rs s₀ s) (hs : rs ⊆ qs) : Keeps qs s₀ s := ⟨fun r hr => h.gpr r fun m => hr (hs m), h.vec, h.control⟩

/-- A listed register may change. -/
theorem setReg {d : Reg} {v : BitVec 64} (h : Keeps rs s₀ s) (hd : d ∈ rs) : Keeps rs s₀ (s.setReg d v) :=
  ⟨fun r hr => (gpr_setReg ..).trans ((if_neg fun e : r = d => hr (e ▸ hd)).trans (h.gpr r hr)), h.vec, h.control⟩

/-- Vector registers that are caller-saved may change. -/
theorem setVec {x : Vec} {v : BitVec 128} (h : Keeps rs s₀ s) (hx : savesLow x = false) : Keeps rs s₀ (s.setVec x v) :=
  ⟨h.gpr, fun r hr => (vec_setVec ..).trans ((if_neg fun e : r = x => by simp [e, hx] at hr).trans (h.vec r hr)), h.control⟩

/-- Flags may change. -/
theorem setFlags {f : Nzcv} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setFlags f) := ⟨h.gpr, h.vec, h.control⟩

/-- Memory may change. -/
theorem setMemory {m : Memory} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setMemory m) := ⟨h.gpr, h.vec, h.control⟩

/-- Loads change registers. -/
theorem putGpr {w : Width} {d : Reg} {bs : List Byte} (h : Keeps rs s₀ s) (hd : d ∈ rs) : Keeps rs s₀ (s.put (.gpr w d) bs) :=
  h.setReg hd

/-- Loads change registers. -/
theorem putVec {x : Vec} {bs : List Byte} (h : Keeps rs s₀ s) (hx : savesLow x = false) : Keeps rs s₀ (s.put (.vec x) bs) :=
  h.setVec hx

end Keeps

/-- `kept h`: the updates since `h` change listed registers only. -/
macro "kept " h:term:max : term => `(by
  repeat' first
    | exact $h
    | refine Keeps.setFlags ?_ | refine Keeps.setMemory ?_
    | refine Keeps.setReg ?_ (by decide) | refine Keeps.setVec ?_ (by first | decide | assumption)
    | refine Keeps.putGpr ?_ (by decide) | refine Keeps.putVec ?_ (by first | decide | assumption))

end TCB.AArch64
