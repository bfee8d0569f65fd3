import Impl.CopySlice
import Proof.Framework.Code

/-!
# Copying one slice: the algorithm

Total correctness of the algorithm, for every architecture: from an invariant, and what counting and moves do to it.
-/

set_option autoImplicit false
namespace Proof.CopySlice
open TCB Impl Impl.CopySlice
variable {S I C F : Type}

/-- Counting is right for the slice length `n` and the invariant `At i j`: the pointers stand at byte `i`, and the first `j`
bytes are copied. -/
structure Counts (isa : Isa S I C F) (pub : List Region) (c : Counter I C) (n : Nat) (At : Nat → Nat → S → Prop) : Prop where
  le : ∀ {i j s}, At i j s → i ≤ n
  compare_ok : ∀ {i j k s}, At i j s → k < 4096 → isa.Wp pub (.block (c.compare k)) (fun s => At i j s ∧
    isa.eval c.below s = some (decide (n - i < k)) ∧ isa.eval c.notBelow s = some (!decide (n - i < k))) s
  setupLast_ok : ∀ {i j s}, At i j s → isa.Wp pub (.block c.setupLast) (fun s => At i j s ∧
    isa.eval c.isZero s = some (decide (n - i = 0))) s
  step_ok : ∀ {i k s}, At i (i + k) s → i + k ≤ n → k < 4096 → isa.Wp pub (.block (c.step k)) (fun s =>
    At (i + k) (i + k) s ∧ isa.eval c.nonzero s = some (!decide (n - (i + k) = 0))) s

namespace Counts
variable {isa : Isa S I C F} {pub : List Region} {c : Counter I C} {n : Nat} {At : Nat → Nat → S → Prop} {s : S} {i k l : Nat}
  {movesK movesL moveByte copyLast copyEnds4 copyEnds8 : List I} (h : Counts isa pub c n At)
include h

/-- A slice of which nothing is left. -/
theorem done_of_left (hs : At i i s) (hi : n - i = 0) : ∃ i, At i n s := by
  have : i = n := by have := h.le hs; omega
  exact ⟨i, this ▸ hs⟩

/-- A copying loop behind its guard: fewer than `k` bytes are left. -/
theorem blocks_ok (hk : k < 4096) (pos : 0 < k)
    (hm : ∀ {i s}, At i i s → i + k ≤ n → isa.Wp pub (.block movesK) (At i (i + k)) s) (hs : At i i s) :
    isa.Wp pub (c.blocks k movesK) (fun s => ∃ j, n - j < k ∧ At j j s) s := by
  refine .seq ((h.compare_ok hs hk).mono fun s ⟨hs, hc, _⟩ => ?_)
  refine .skipIf hc (fun hv => ⟨i, by simpa using hv, hs⟩) (fun hv => ?_)
  simp only [decide_eq_false_iff_not, Nat.not_lt] at hv
  refine .loop (k := n - i) (fun m s => ∃ i, m = n - i ∧ k ≤ n - i ∧ At i i s) ?_ ⟨i, rfl, hv, hs⟩
  rintro _ s ⟨i, rfl, hi, hs⟩
  refine .append (.append ((hm hs (by omega)).mono fun s hs => ?_))
  refine (h.step_ok hs (by omega) hk).mono fun s ⟨hs, _⟩ => ?_
  refine (h.compare_ok hs hk).mono fun s ⟨hs, _, hc⟩ => ?_
  refine ⟨_, hc, fun hv => ?_, fun hv => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not, Nat.not_lt] at hv
    exact ⟨_, by omega, _, rfl, hv, hs⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
    exact ⟨_, hv, hs⟩

/-- A slice of at least `l` bytes. -/
theorem long_ok (hk : k < 4096) (kpos : 0 < k) (hl : l < 4096) (lpos : 0 < l)
    (movesK_ok : ∀ {i s}, At i i s → i + k ≤ n → isa.Wp pub (.block movesK) (At i (i + k)) s)
    (movesL_ok : ∀ {i s}, At i i s → i + l ≤ n → isa.Wp pub (.block movesL) (At i (i + l)) s)
    (copyLast_ok : ∀ {i s}, At i i s → n - i < l → isa.Wp pub (.block copyLast) (At i n) s) (hs : At 0 0 s) :
    isa.Wp pub (c.long k movesK l movesL copyLast) (fun s => ∃ i, At i n s) s := by
  refine .seq ((h.blocks_ok hk kpos movesK_ok hs).mono fun s ⟨i, _, hs⟩ => ?_)
  refine .seq ((h.blocks_ok hl lpos movesL_ok hs).mono fun s ⟨i, hi, hs⟩ => ?_)
  refine .seq ((h.setupLast_ok hs).mono fun s ⟨hs, hz⟩ => ?_)
  refine .skipIf hz (fun hv => h.done_of_left hs (by simpa using hv)) (fun hv => ?_)
  exact (copyLast_ok hs hi).mono fun s hs => ⟨i, hs⟩

/-- A slice that is copied by the byte. -/
theorem bytewise_ok (moveByte_ok : ∀ {i s}, At i i s → i + 1 ≤ n → isa.Wp pub (.block moveByte) (At i (i + 1)) s)
    (hs : At 0 0 s) : isa.Wp pub (c.bytewise moveByte) (fun s => ∃ i, At i n s) s := by
  refine .seq ((h.setupLast_ok hs).mono fun s ⟨hs, hz⟩ => ?_)
  refine .skipIf hz (fun hv => h.done_of_left hs (by simpa using hv)) (fun hv => ?_)
  simp only [decide_eq_false_iff_not] at hv
  refine .loop (k := n) (fun m s => ∃ i, m = n - i ∧ 0 < n - i ∧ At i i s) ?_ ⟨0, rfl, by omega, hs⟩
  rintro _ s ⟨i, rfl, hi, hs⟩
  refine .append ((moveByte_ok hs (by omega)).mono fun s hs => ?_)
  refine (h.step_ok hs (by omega) (by decide)).mono fun s ⟨hs, hz⟩ => ?_
  refine ⟨_, hz, fun hv => ?_, fun hv => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at hv
    exact ⟨_, by omega, _, rfl, by omega, hs⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
    exact h.done_of_left hs hv

/-- A slice of fewer than 16 bytes. -/
theorem short_ok (moveByte_ok : ∀ {i s}, At i i s → i + 1 ≤ n → isa.Wp pub (.block moveByte) (At i (i + 1)) s)
    (copyEnds4_ok : ∀ {s}, At 0 0 s → 4 ≤ n → n ≤ 8 → isa.Wp pub (.block copyEnds4) (At 0 n) s)
    (copyEnds8_ok : ∀ {s}, At 0 0 s → 8 ≤ n → n ≤ 16 → isa.Wp pub (.block copyEnds8) (At 0 n) s)
    (hs : At 0 0 s) (hn : n < 16) :
    isa.Wp pub (c.short moveByte copyEnds4 copyEnds8) (fun s => ∃ i, At i n s) s := by
  refine .seq ((h.compare_ok hs (by decide)).mono fun s ⟨hs, hc, _⟩ => ?_)
  refine .ite hc (fun hv => ?_) (fun hv => ?_)
  · simp only [decide_eq_true_eq] at hv
    refine .seq ((h.compare_ok hs (by decide)).mono fun s ⟨hs, hc, _⟩ => ?_)
    refine .ite hc (fun _ => h.bytewise_ok moveByte_ok hs) (fun hw => ?_)
    simp only [decide_eq_false_iff_not] at hw
    exact (copyEnds4_ok hs (by omega) (by omega)).mono fun s hs => ⟨0, hs⟩
  · simp only [decide_eq_false_iff_not] at hv
    exact (copyEnds8_ok hs (by omega) (by omega)).mono fun s hs => ⟨0, hs⟩

end Counts
end Proof.CopySlice
