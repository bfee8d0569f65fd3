import Proof.X86_64.Step

/-!
# What a fragment leaves as it was
-/

set_option autoImplicit false
namespace TCB.X86_64
open State

/-- All general registers but `rs`, the direction flag and MXCSR are as in `s₀`. -/
structure Keeps (rs : List Reg) (s₀ s : State) : Prop where
  gpr : ∀ r, r ∉ rs → s.gpr r = s₀.gpr r
  df : s.df = s₀.df
  mxcsr : s.mxcsr = s₀.mxcsr

namespace Keeps
variable {rs qs : List Reg} {s₀ s₁ s : State}

/-- A state keeps what it has. -/
theorem refl (rs : List Reg) (s : State) : Keeps rs s s := ⟨fun _ _ => rfl, rfl, rfl⟩

/-- What two fragments keep. -/
theorem trans (h : Keeps rs s₀ s₁) (g : Keeps rs s₁ s) : Keeps rs s₀ s :=
  ⟨fun r hr => (g.gpr r hr).trans (h.gpr r hr), g.df.trans h.df, g.mxcsr.trans h.mxcsr⟩

/-- More registers may change. -/
theorem mono (h : Keeps rs s₀ s) (hs : rs ⊆ qs) : Keeps qs s₀ s :=
  ⟨fun r hr => h.gpr r fun m => hr (hs m), h.df, h.mxcsr⟩

/-- A listed register may change. -/
theorem setReg {d : Reg} {v : BitVec 64} (h : Keeps rs s₀ s) (hd : d ∈ rs) : Keeps rs s₀ (s.setReg d v) :=
  ⟨fun r hr => by simp [show r ≠ d from fun e => hr (e ▸ hd), h.gpr r hr], h.df, h.mxcsr⟩

/-- Vector registers may change. -/
theorem setXmm {x : Vec} {v : BitVec 128} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setXmm x v) := ⟨h.gpr, h.df, h.mxcsr⟩

/-- Vector registers may change as a whole. -/
theorem setVec {x : Vec} {v : BitVec 512} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setVec x v) := ⟨h.gpr, h.df, h.mxcsr⟩

/-- The high parts of vector registers may be cleared. -/
theorem clearUpper (h : Keeps rs s₀ s) : Keeps rs s₀ s.clearUpper := by
  rw [State.clearUpper]
  exact ⟨h.gpr, h.df, h.mxcsr⟩

/-- Flags may change. -/
theorem setFlags {f : Flag → Option Bool} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setFlags f) := ⟨h.gpr, h.df, h.mxcsr⟩

/-- Memory may change. -/
theorem setMemory {m : Memory} (h : Keeps rs s₀ s) : Keeps rs s₀ (s.setMemory m) := ⟨h.gpr, h.df, h.mxcsr⟩

end Keeps

/-- `kept h`: the updates since `h` change listed registers only. -/
macro "kept " h:term:max : term => `(by
  repeat' first
    | exact $h
    | refine Keeps.setXmm ?_ | refine Keeps.setVec ?_ | refine Keeps.setFlags ?_ | refine Keeps.setMemory ?_
    | refine Keeps.setReg ?_ (by decide)
    | refine Keeps.clearUpper ?_)

end TCB.X86_64
