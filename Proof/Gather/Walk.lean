import Impl.Gather
import Proof.Framework.Code

/-!
# Gathering: the loop over slices
-/

set_option autoImplicit false
namespace Proof.Gather
open TCB Impl Impl.Gather
variable {S I C F : Type}

/-- The loop keeps an invariant `At k`: `k` slices are copied. -/
theorem walk_ok {isa : Isa S I C F} {pub : List Region} {test : List I} {isZero nonzero : C} {body : Code I C} {count : Nat}
    (At : Nat → S → Prop) {s : S}
    (test_ok : isa.Wp pub (.block test) (fun s => At 0 s ∧ isa.eval isZero s = some (decide (count = 0))) s)
    (body_ok : ∀ {k s}, At k s → k < count → isa.Wp pub body (fun s => At (k + 1) s ∧
      isa.eval nonzero s = some (!decide (count - (k + 1) = 0))) s) :
    isa.Wp pub (walk test isZero body nonzero) (At count) s := by
  refine .seq (test_ok.mono fun s ⟨hs, hz⟩ => .skipIf hz (fun hv => ?_) (fun hv => ?_))
  · obtain rfl : count = 0 := by simpa using hv
    exact hs
  · simp only [decide_eq_false_iff_not] at hv
    refine .loop (k := count) (fun m s => ∃ k, m = count - k ∧ k < count ∧ At k s) ?_ ⟨0, rfl, by omega, hs⟩
    rintro _ s ⟨k, rfl, hk, hs⟩
    refine (body_ok hs hk).mono fun s ⟨hs, hz⟩ => ⟨_, hz, fun hv => ?_, fun hv => ?_⟩
    · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at hv
      exact ⟨_, by omega, k + 1, rfl, by omega, hs⟩
    · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
      obtain rfl : k + 1 = count := by omega
      exact hs

end Proof.Gather
