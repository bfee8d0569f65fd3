import TCB.Flat

/-!
# Flat code is deterministic
-/

set_option autoImplicit false
namespace TCB
namespace Isa
variable {S I C F : Type} {isa : Isa S I C F} [DecidableEq F]

/-- One step. -/
theorem Steps.single {p : Program I C F} {x y : Config S} {t : Trace} (h : isa.step p x = some (y, t)) :
    isa.Steps p x t y := by
  simpa using Steps.head h (.refl y)

/-- Steps and then more steps. -/
theorem Steps.trans {p : Program I C F} {x y z : Config S} {t u : Trace} (h : isa.Steps p x t y) (g : isa.Steps p y u z) :
    isa.Steps p x (t ++ u) z := by
  induction h with
  | refl => simpa using g
  | head hs _ ih => rw [List.append_assoc]; exact .head hs (ih g)

/-- The end of the code is final. -/
theorem step_end (p : Program I C F) (s : S) : isa.step p (p.code.length, s) = none := by
  simp [step]

/-- Flat code is deterministic: one start, one result and one trace. -/
theorem Steps.det {p : Program I C F} {x y z : Config S} {t u : Trace} (h : isa.Steps p x t y) (g : isa.Steps p x u z)
    (hy : isa.step p y = none) (hz : isa.step p z = none) : y = z ∧ t = u := by
  induction h generalizing u with
  | refl =>
    cases g with
    | refl => exact ⟨rfl, rfl⟩
    | head hs _ => simp [hy] at hs
  | head hs _ ih =>
    cases g with
    | refl => simp [hz] at hs
    | head hs' g' =>
      rw [hs] at hs'
      cases hs'
      obtain ⟨rfl, rfl⟩ := ih g' hy
      exact ⟨rfl, rfl⟩

/-- A program has one result and one trace. -/
theorem Runs.det {p : Program I C F} {s s₁ s₂ : S} {t₁ t₂ : Trace} (h : isa.Runs p s t₁ s₁) (g : isa.Runs p s t₂ s₂) :
    s₁ = s₂ ∧ t₁ = t₂ := by
  obtain ⟨h, rfl⟩ := Steps.det h g (step_end ..) (step_end ..)
  cases h
  exact ⟨rfl, rfl⟩

end Isa
end TCB
