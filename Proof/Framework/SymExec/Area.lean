import Proof.Framework.Mem
import Proof.Framework.SymExec.Step

/-!
# Areas of memory

What the symbolic evaluator knows of memory: areas that lie apart where one is written, and pointers into them.
-/

set_option autoImplicit false
namespace TCB.SymExec

/-- At least so many bytes, which may be read or written. -/
structure Area where
  len : Nat
  reads : Bool := true
  writes : Bool := false

/-- Areas by number, and general registers that point into them: register, area, offset. -/
structure Layout where
  areas : List Area
  ptrs : List (Nat × Nat × Nat)

/-- Every access inside `q` is inside one of the regions. -/
def Within (rs : List Region) (q : Region) : Prop :=
  ∀ a n, offset q.base a + n ≤ q.len → covered rs a n = true

/-- A part of a region that may be accessed may be accessed. -/
theorem Within.part {rs : List Region} {p : Addr} {n : Nat} (h : Within rs ⟨p, n⟩) (i : Nat) {n' : Nat}
    (hn : i + n' ≤ n) : Within rs ⟨p + BitVec.ofNat 64 i, n'⟩ := by
  intro a k hk
  refine h _ _ ?_
  have : offset p a ≤ offset (p + BitVec.ofNat 64 i) a + i := by
    unfold offset
    rw [show a - p = a - (p + BitVec.ofNat 64 i) + BitVec.ofNat 64 i by bv_omega]
    refine Nat.le_trans (BitVec.toNat_add .. ▸ Nat.mod_le ..) (Nat.add_le_add_left ?_ _)
    exact BitVec.toNat_ofNat .. ▸ Nat.mod_le ..
  simp only at *
  omega

/-- One of the regions may be accessed. -/
theorem Within.of_mem {rs : List Region} {r : Region} (h : r ∈ rs) : Within rs r := fun _ _ => covered_of_mem h

/-- An access inside a region that may be accessed. -/
theorem Within.covered {rs : List Region} {p : Addr} {n i k : Nat} (h : Within rs ⟨p, n⟩) (hk : i + k ≤ n)
    (hn : n ≤ 2 ^ 64) : covered rs (p + BitVec.ofNat 64 i) k = true := by
  rcases Nat.lt_or_ge i (2 ^ 64) with hi | hi
  · exact h _ _ (by rw [offset_add p hi]; exact hk)
  · have : i = 2 ^ 64 := by omega
    subst this
    have hz : p + BitVec.ofNat 64 (2 ^ 64) = p := by simp
    exact h _ _ (by simp [offset]; omega)

variable {S R : Type}

/-- The areas of a layout are where `base` says, in the state `s`. -/
structure Layout.Holds (L : Layout) (V : View S R) (base : Nat → Addr) (s : S) : Prop where
  ptrs : ∀ p ∈ L.ptrs, V.gpr s p.1 = base p.2.1 + BitVec.ofNat 64 p.2.2
  small : AllFrom (fun _ a => a.len ≤ 2 ^ 64) 0 L.areas
  reads : AllFrom (fun t a => a.reads = true → Within (V.memory s).readable ⟨base t, a.len⟩) 0 L.areas
  writes : AllFrom (fun t a => a.writes = true → Within (V.memory s).writable ⟨base t, a.len⟩) 0 L.areas
  apart : AllFrom (fun t a => AllFrom (fun u b => t < u → a.writes = true ∨ b.writes = true →
    (Region.mk (base t) a.len).Disjoint ⟨base u, b.len⟩) 0 L.areas) 0 L.areas

namespace Layout
variable (L : Layout)

/-- The bytes from an offset lie in an area that may be read. -/
def mayRead (t off n : Nat) : Bool :=
  match nth L.areas t with
  | none => false
  | some a => a.reads && Nat.ble (off + n) a.len

/-- The bytes from an offset lie in an area that may be written. -/
def mayWrite (t off n : Nat) : Bool :=
  match nth L.areas t with
  | none => false
  | some a => a.writes && Nat.ble (off + n) a.len

/-- The bytes from an offset lie in the area. -/
structure Inside (t off n : Nat) (w : Bool) : Prop where
  area : ∃ a, nth L.areas t = some a ∧ off + n ≤ a.len ∧ (w = true → a.writes = true)

variable {L} {V : View S R} {base : Nat → Addr} {s : S} {t off n : Nat}

/-- What may be read lies in its area. -/
theorem inside_of_mayRead (h : L.mayRead t off n = true) : L.Inside t off n false := by
  unfold mayRead at h
  split at h
  · cases h
  · simp only [Bool.and_eq_true] at h
    exact ⟨_, ‹_›, Nat.le_of_ble_eq_true h.2, nofun⟩

/-- What may be written lies in its area. -/
theorem inside_of_mayWrite (h : L.mayWrite t off n = true) : L.Inside t off n true := by
  unfold mayWrite at h
  split at h
  · cases h
  · simp only [Bool.and_eq_true] at h
    exact ⟨_, ‹_›, Nat.le_of_ble_eq_true h.2, fun _ => h.1⟩

/-- A part of what lies in an area lies in it. -/
theorem Inside.part {w : Bool} (h : L.Inside t off n w) {i k : Nat} (hk : i + k ≤ n) : L.Inside t (off + i) k w :=
  let ⟨a, ha, hl, hw⟩ := h.area
  ⟨a, ha, by omega, hw⟩

/-- Reading what may be read does not fault. -/
theorem Holds.readable (H : L.Holds V base s) (h : L.mayRead t off n = true) :
    covered (V.memory s).readable (base t + BitVec.ofNat 64 off) n = true := by
  unfold mayRead at h
  split at h
  · cases h
  · rename_i a ha
    simp only [Bool.and_eq_true] at h
    have small : a.len ≤ 2 ^ 64 := H.small.nth ha
    have within : Within (V.memory s).readable ⟨base t, a.len⟩ := Nat.zero_add t ▸ H.reads.nth ha h.1
    exact within.covered (Nat.le_of_ble_eq_true h.2) small

/-- Writing what may be written does not fault. -/
theorem Holds.writable (H : L.Holds V base s) (h : L.mayWrite t off n = true) :
    covered (V.memory s).writable (base t + BitVec.ofNat 64 off) n = true := by
  unfold mayWrite at h
  split at h
  · cases h
  · rename_i a ha
    simp only [Bool.and_eq_true] at h
    have small : a.len ≤ 2 ^ 64 := H.small.nth ha
    have within : Within (V.memory s).writable ⟨base t, a.len⟩ := Nat.zero_add t ▸ H.writes.nth ha h.1
    exact within.covered (Nat.le_of_ble_eq_true h.2) small

/-- What is written in one place does not overlap what lies in another. -/
theorem Holds.disjoint (H : L.Holds V base s) {u i k : Nat} {w : Bool} (h : L.Inside t off n true)
    (g : L.Inside u i k w) (hd : t ≠ u ∨ off + n ≤ i ∨ i + k ≤ off) :
    (Region.mk (base t + BitVec.ofNat 64 off) n).Disjoint ⟨base u + BitVec.ofNat 64 i, k⟩ := by
  obtain ⟨a, ha, hl, hw⟩ := h.area
  obtain ⟨b, hb, hm, _⟩ := g.area
  have sa : a.len ≤ 2 ^ 64 := H.small.nth ha
  have sb : b.len ≤ 2 ^ 64 := H.small.nth hb
  have ht : (0 + t) = t := Nat.zero_add t
  have hu : (0 + u) = u := Nat.zero_add u
  rcases Nat.lt_trichotomy t u with lt | rfl | lt
  · have := (H.apart.nth ha).nth hb
    rw [ht, hu] at this
    exact (this lt (.inl (hw rfl))).sub hl hm sa sb
  · rw [ha] at hb
    cases hb
    intro x ⟨hx, hy⟩
    simp only [Region.Contains] at hx hy
    simp only [offset] at *
    bv_omega
  · have := (H.apart.nth hb).nth ha
    rw [ht, hu] at this
    exact ((this lt (.inr (hw rfl))).sub hm hl sb sa).symm

end Layout
end TCB.SymExec
