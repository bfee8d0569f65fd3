import Proof.Framework.Code
import Proof.Framework.Flat

/-!
# The lowering of structured code is right

Proven once for every instruction set: the flat code has the same result and the same leakage trace.
-/

set_option autoImplicit false
namespace TCB
open Impl
variable {S I C F : Type}

/-! ## Labels are unique -/

/-- The labels that flat code defines. -/
def Flat.labels (p : Flat I C) : List Nat := p.filterMap fun | .label l => some l | _ => none

/-! Labels of the parts of flat code. -/

@[simp] theorem Flat.labels_nil : Flat.labels ([] : Flat I C) = [] := rfl
@[simp] theorem Flat.labels_instr (i : I) (p : Flat I C) : Flat.labels (.instr i :: p) = p.labels := rfl
@[simp] theorem Flat.labels_label (l : Nat) (p : Flat I C) : Flat.labels (.label l :: p) = l :: p.labels := rfl
@[simp] theorem Flat.labels_jcc (c : C) (l : Nat) (p : Flat I C) : Flat.labels (.jcc c l :: p) = p.labels := rfl
@[simp] theorem Flat.labels_jmp (l : Nat) (p : Flat I C) : Flat.labels (.jmp l :: p) = p.labels := rfl
@[simp] theorem Flat.labels_append (p q : Flat I C) : Flat.labels (p ++ q) = p.labels ++ q.labels := by
  simp [Flat.labels, List.filterMap_append]
@[simp] theorem Flat.labels_block (is : List I) : Flat.labels (C := C) (is.map .instr) = [] := by
  induction is <;> simp_all

/-- The labels of a lowering are in its range. -/
theorem _root_.Impl.Code.mem_labels {c : Code I C} {n l : Nat} (h : l ∈ (c.lowerFrom n).labels) : n ≤ l ∧ l < n + c.labels := by
  induction c generalizing n with
  | block => simp [Code.lowerFrom] at h
  | publicBlock => simp [Code.lowerFrom] at h
  | seq a b iha ihb =>
    simp only [Code.lowerFrom, Flat.labels_append, List.mem_append] at h
    rcases h with h | h
    · have := iha h; simp only [Code.labels]; omega
    · have := ihb h; simp only [Code.labels]; omega
  | ite c a b iha ihb | revealIf k v c a b iha ihb =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_jmp, Flat.labels_label, Flat.labels_nil,
      List.mem_append, List.mem_cons, List.not_mem_nil, or_false] at h
    simp only [Code.labels]
    rcases h with h | h | h | h
    · have := ihb h; omega
    · omega
    · have := iha h; omega
    · omega
  | skipIf c b ih =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_label, Flat.labels_nil, List.mem_append,
      List.mem_cons, List.not_mem_nil, or_false] at h
    simp only [Code.labels]
    rcases h with h | h
    · have := ih h; omega
    · omega
  | loop b c ih =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_label, Flat.labels_nil, List.mem_append,
      List.mem_cons, List.not_mem_nil, or_false] at h
    simp only [Code.labels]
    rcases h with h | h
    · omega
    · have := ih h; omega

/-- A lowering defines no label twice. -/
theorem _root_.Impl.Code.nodup_labels (c : Code I C) (n : Nat) : (c.lowerFrom n).labels.Nodup := by
  induction c generalizing n with
  | block => simp [Code.lowerFrom]
  | publicBlock => simp [Code.lowerFrom]
  | seq a b iha ihb =>
    simp only [Code.lowerFrom, Flat.labels_append, List.nodup_append]
    refine ⟨iha _, ihb _, fun x hx y hy e => ?_⟩
    have := Code.mem_labels hx; have := Code.mem_labels hy; omega
  | ite c a b iha ihb | revealIf k v c a b iha ihb =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_jmp, Flat.labels_label, Flat.labels_nil,
      List.nodup_append, List.nodup_cons, List.mem_append, List.mem_cons, List.not_mem_nil, or_false]
    refine ⟨ihb _, ⟨?_, iha _, by simp, ?_⟩, ?_⟩
    · rintro (h | h)
      · have := Code.mem_labels h; omega
      · omega
    · intro x hx y hy; have := Code.mem_labels hx; omega
    · rintro x hx y (h | h | h)
      · have := Code.mem_labels hx; omega
      · have := Code.mem_labels hx; have := Code.mem_labels h; omega
      · have := Code.mem_labels hx; omega
  | skipIf c b ih =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_label, Flat.labels_nil, List.nodup_append,
      List.mem_cons, List.not_mem_nil, or_false]
    exact ⟨ih _, by simp, fun x hx y hy => by have := Code.mem_labels hx; omega⟩
  | loop b c ih =>
    simp only [Code.lowerFrom, Flat.labels_append, Flat.labels_jcc, Flat.labels_label, Flat.labels_nil, List.append_nil,
      List.nodup_cons]
    exact ⟨fun h => by have := Code.mem_labels h; omega, ih _⟩

/-- A label that is defined once is found where it stands. -/
theorem Flat.find_label {p : Flat I C} {l : Nat} {k : Nat} (hd : p.labels.Nodup) (h : p[k]? = some (.label l)) :
    p.find l = some k := by
  induction p generalizing k with
  | nil => simp at h
  | cons x p ih =>
    have mem : ∀ {k}, p[k]? = some (Item.label l) → l ∈ Flat.labels p := fun h =>
      List.mem_filterMap.2 ⟨_, List.mem_of_getElem? h, rfl⟩
    cases k with
    | zero =>
      simp only [List.getElem?_cons_zero, Option.some.injEq] at h
      subst h
      simp [find, List.findIdx?_cons, Item.isLabel]
    | succ k =>
      rw [List.getElem?_cons_succ] at h
      have hx : Item.isLabel l x = false := by
        cases x with
        | label l' =>
          simp only [labels_label, List.nodup_cons] at hd
          simp only [Item.isLabel, beq_eq_false_iff_ne, ne_eq]
          exact fun e => hd.1 (e ▸ mem h)
        | _ => rfl
      have hd' : (Flat.labels p).Nodup := by
        cases x <;> simp only [labels_label, labels_instr, labels_jcc, labels_jmp, List.nodup_cons] at hd
        case label => exact hd.2
        all_goals exact hd
      have := ih hd' h
      simp only [find] at this ⊢
      simp [List.findIdx?_cons, hx, this]

/-! ## The lowering is right -/

/-- The code `q` stands in `p` from position `k`. -/
def Flat.At (p : Flat I C) (k : Nat) (q : Flat I C) : Prop := ∀ i, i < q.length → p[k + i]? = q[i]?

/-- The parts of code stand one after the other. -/
theorem Flat.At.append {p : Flat I C} {k : Nat} {q r : Flat I C} (h : p.At k (q ++ r)) :
    p.At k q ∧ p.At (k + q.length) r := by
  constructor
  · intro i hi
    rw [h i (by simp; omega), List.getElem?_append_left hi]
  · intro i hi
    rw [Nat.add_assoc, h (q.length + i) (by simp; omega), List.getElem?_append_right (by omega)]
    simp

/-- The first line and the rest. -/
theorem Flat.At.cons {p : Flat I C} {k : Nat} {x : Item I C} {q : Flat I C} (h : p.At k (x :: q)) :
    p[k]? = some x ∧ p.At (k + 1) q := by
  have := Flat.At.append (q := [x]) h
  exact ⟨by simpa using this.1 0 (by simp), this.2⟩

namespace Isa
variable {isa : Isa S I C F} {pub : List Region} {revealed : List (BitVec 64)} [DecidableEq F]

/-- The program may use every instruction that it contains. -/
def Permits (isa : Isa S I C F) (p : Program I C F) : Prop :=
  ∀ i, .instr i ∈ p.code → (isa.requires i).all p.features.contains = true

/-- A block runs as its instructions do. -/
theorem steps_block {p : Program I C F} {is : List I} {k : Nat} {s s' : S} {t : Trace}
    (hf : Permits isa p) (h : isa.execs is s = some (s', t)) (hp : p.code.At k (is.map .instr)) : isa.Steps p (k, s) t (k + is.length, s') := by
  induction is generalizing k s t with
  | nil => cases h; exact .refl _
  | cons i is ih =>
    simp only [execs, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h
    obtain ⟨⟨s₁, u⟩, hi, ⟨s₂, v⟩, hr, he⟩ := h
    cases he
    obtain ⟨h0, h1⟩ := hp.cons
    have := ih hr h1
    rw [List.length_cons, Nat.add_comm is.length, ← Nat.add_assoc]
    exact .head (by simp [step, h0, hi, hf _ (List.mem_of_getElem? h0)]) this

/-- A label does nothing. -/
theorem step_label {p : Program I C F} {k : Nat} {s : S} {l : Nat} (h : p.code[k]? = some (.label l)) :
    isa.step p (k, s) = some ((k + 1, s), []) := by simp [step, h]

/-- A jump goes to its label. -/
theorem step_jmp {p : Program I C F} {k j : Nat} {s : S} {l : Nat} (h : p.code[k]? = some (.jmp l)) (hd : p.code.labels.Nodup)
    (hl : p.code[j]? = some (.label l)) : isa.step p (k, s) = some ((j, s), []) := by
  simp [step, h, Flat.find_label hd hl]

/-- A branch goes to its label if its condition holds. -/
theorem step_jcc {p : Program I C F} {k j : Nat} {s : S} {l : Nat} {c : C} {v : Bool} (h : p.code[k]? = some (.jcc c l))
    (hd : p.code.labels.Nodup) (hl : p.code[j]? = some (.label l)) (hc : isa.eval c s = some v) :
    isa.step p (k, s) = some ((if v then j else k + 1, s), [.branch v]) := by
  simp [step, h, Flat.find_label hd hl, hc]

/-- The simulation, for code that stands anywhere in a larger program. -/
theorem Run.steps {c : Code I C} {s s' : S} {t : Trace} (h : isa.Run pub revealed c s t s') {p : Program I C F} {k n : Nat}
    (hf : Permits isa p) (hd : p.code.labels.Nodup) (hp : p.code.At k (c.lowerFrom n)) :
    isa.Steps p (k, s) t (k + (c.lowerFrom n).length, s') := by
  induction h generalizing k n with
  | block h => simpa [Code.lowerFrom] using steps_block hf h hp
  | publicBlock h _ => simpa [Code.lowerFrom] using steps_block hf h hp
  | @seq a b _ _ _ _ _ _ _ iha ihb =>
    have ⟨ha, hb⟩ := hp.append
    have := (iha ha).trans (ihb hb)
    simpa [Code.lowerFrom, Nat.add_assoc] using this
  | @iteTrue c a b s t s' hc _ ih =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨_, h⟩ := h.append
    have ⟨_, h⟩ := h.cons
    have ⟨h1, h⟩ := h.cons
    have ⟨ha, h⟩ := h.append
    have ⟨h2, _⟩ := h.cons
    have := Steps.head (step_jcc h0 hd h1 hc) (.head (step_label h1) ((ih ha).trans (.single (step_label h2))))
    simp only [List.cons_append, List.nil_append, List.append_nil] at this
    simpa [Code.lowerFrom, Nat.add_comm, Nat.add_left_comm, Nat.add_assoc] using this
  | @iteFalse c a b s t s' hc _ ih =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨hb, h⟩ := h.append
    have ⟨hj, h⟩ := h.cons
    have ⟨h1, h⟩ := h.cons
    have ⟨_, h⟩ := h.append
    have ⟨h2, _⟩ := h.cons
    have := Steps.head (step_jcc h0 hd h1 hc) ((ih hb).trans (.head (step_jmp hj hd h2) (.single (step_label h2))))
    simp only [List.cons_append, List.nil_append, List.append_nil] at this
    simpa [Code.lowerFrom, Nat.add_comm, Nat.add_left_comm, Nat.add_assoc] using this
  | reveal _ _ ih => exact ih hp
  | @skip c b s hc =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨_, h⟩ := h.append
    have ⟨h1, _⟩ := h.cons
    have := Steps.head (step_jcc h0 hd h1 hc) (.single (step_label h1))
    simpa [Code.lowerFrom, Nat.add_comm, Nat.add_left_comm, Nat.add_assoc] using this
  | @skipIf c b s t s' hc _ ih =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨hb, h⟩ := h.append
    have ⟨h1, _⟩ := h.cons
    have := Steps.head (step_jcc h0 hd h1 hc) ((ih hb).trans (.single (step_label h1)))
    simp only [List.cons_append, List.nil_append, List.append_nil] at this
    simpa [Code.lowerFrom, Nat.add_comm, Nat.add_left_comm, Nat.add_assoc] using this
  | @exit b c s t s' _ hc ih =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨hb, h⟩ := h.append
    have ⟨h1, _⟩ := h.cons
    have := Steps.head (step_label h0) ((ih hb).trans (.single (step_jcc h1 hd h0 hc)))
    simpa [Code.lowerFrom, Nat.add_comm, Nat.add_left_comm, Nat.add_assoc] using this
  | @again b c s t s' u s'' _ hc _ ih ih' =>
    have ⟨h0, h⟩ := hp.cons
    have ⟨hb, h⟩ := h.append
    have ⟨h1, _⟩ := h.cons
    have jump := step_jcc (s := s') h1 hd h0 hc
    simp only [if_true] at jump
    simpa using Steps.head (step_label h0) ((ih hb).trans (.head jump (ih' hp)))

/-- What structured code does, its flat code does, with the same trace. -/
theorem Run.lower {c : Code I C} {s s' : S} {t : Trace} {fs : List F} {bs : List Byte}
    (hf : Permits isa ⟨fs, c.lower, bs⟩)
    (h : isa.Run pub revealed c s t s') : isa.Runs ⟨fs, c.lower, bs⟩ s t s' := by
  have := h.steps (p := ⟨fs, c.lower, bs⟩) (k := 0) (n := 0) hf (c.nodup_labels 0) (fun i _ => by simp [Code.lower])
  simpa [Runs, Code.lower] using this

end Isa
end TCB
