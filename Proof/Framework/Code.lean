import Impl.Code

/-!
# What structured code does

A big-step semantics that carries the leakage trace, total correctness (`Wp`), and the rules for it.
-/

set_option autoImplicit false
namespace TCB
open Impl
variable {S I C F : Type}

namespace Isa
variable (isa : Isa S I C F) (pub : List Region) (revealed : List (BitVec 64))

/-- Run instructions one after the other. -/
def execs : List I → S → Option (S × Trace)
  | [], s => some (s, [])
  | i :: is, s => (isa.exec i s).bind fun r => (execs is r.1).map fun q => (q.1, r.2 ++ q.2)

/-- All loads of a trace read public regions. -/
def PublicLoads (t : Trace) : Prop := ∀ a n, .load a n ∈ t → covered pub a n = true

/-- `Run c s t s'`: structured code `c` takes `s` to `s'` and leaks `t`; public blocks load from `pub` only, and branches that
reveal something depend on `revealed` only. -/
inductive Run : Code I C → S → Trace → S → Prop
  | block {is s t s'} : isa.execs is s = some (s', t) → Run (.block is) s t s'
  | publicBlock {is s t s'} : isa.execs is s = some (s', t) → PublicLoads pub t → Run (.publicBlock is) s t s'
  | seq {a b s t s' u s''} : Run a s t s' → Run b s' u s'' → Run (.seq a b) s (t ++ u) s''
  | iteTrue {c a b s t s'} : isa.eval c s = some true → Run a s t s' → Run (.ite c a b) s (.branch true :: t) s'
  | iteFalse {c a b s t s'} : isa.eval c s = some false → Run b s t s' → Run (.ite c a b) s (.branch false :: t) s'
  | reveal {k v c a b s t s'} : (∃ d, revealed[k]? = some d ∧ isa.eval c s = some (d == v)) → Run (.ite c a b) s t s' →
      Run (.revealIf k v c a b) s t s'
  | skip {c b s} : isa.eval c s = some true → Run (.skipIf c b) s [.branch true] s
  | skipIf {c b s t s'} : isa.eval c s = some false → Run b s t s' → Run (.skipIf c b) s (.branch false :: t) s'
  | exit {b c s t s'} : Run b s t s' → isa.eval c s' = some false → Run (.loop b c) s (t ++ [.branch false]) s'
  | again {b c s t s' u s''} : Run b s t s' → isa.eval c s' = some true → Run (.loop b c) s' u s'' →
      Run (.loop b c) s (t ++ .branch true :: u) s''

/-- Total correctness: from `s`, `c` ends without a fault in a state that satisfies `Q`. -/
def Wp (c : Code I C) (Q : S → Prop) (s : S) : Prop := ∃ t s', Run isa pub [] c s t s' ∧ Q s'

/-- Total correctness of code that may reveal the values `revealed`. -/
def WpRevealing (c : Code I C) (Q : S → Prop) (s : S) : Prop := ∃ t s', Run isa pub revealed c s t s' ∧ Q s'

variable {isa pub revealed} {Q R : S → Prop} {s : S}

/-- Instructions run piece by piece. -/
theorem execs_append (xs ys : List I) (s : S) : isa.execs (xs ++ ys) s =
    (isa.execs xs s).bind fun r => (isa.execs ys r.1).map fun q => (q.1, r.2 ++ q.2) := by
  induction xs generalizing s with
  | nil => simp [execs]
  | cons i xs ih =>
    simp only [List.cons_append, execs, ih]
    cases isa.exec i s with
    | none => rfl
    | some r =>
      simp only [Option.bind_some]
      cases isa.execs xs r.1 with
      | none => rfl
      | some q => cases h : isa.execs ys q.1 <;> simp [h, List.append_assoc]

namespace Wp

/-- A weaker postcondition. -/
theorem mono {c : Code I C} (h : isa.Wp pub c Q s) (hq : ∀ s', Q s' → R s') : isa.Wp pub c R s :=
  let ⟨t, s', hr, h⟩ := h; ⟨t, s', hr, hq s' h⟩

/-- A block that does nothing. -/
theorem nil (h : Q s) : isa.Wp pub (.block []) Q s := ⟨[], s, .block rfl, h⟩

/-- One instruction, then the rest of its block: the symbolic-execution step. -/
theorem cons {i : I} {is : List I} {s₁ : S} {t : Trace} (hi : isa.exec i s = some (s₁, t))
    (h : isa.Wp pub (.block is) Q s₁) : isa.Wp pub (.block (i :: is)) Q s := by
  obtain ⟨u, s', hr, hq⟩ := h
  cases hr with
  | block hr => exact ⟨t ++ u, s', .block (by simp [execs, hi, hr]), hq⟩

/-- A public block that does nothing. -/
theorem publicNil (h : Q s) : isa.Wp pub (.publicBlock []) Q s := ⟨[], s, .publicBlock rfl (by simp [PublicLoads]), h⟩

/-- One instruction of a public block, then the rest. -/
theorem publicCons {i : I} {is : List I} {s₁ : S} {t : Trace} (hi : isa.exec i s = some (s₁, t))
    (ht : PublicLoads pub t) (h : isa.Wp pub (.publicBlock is) Q s₁) : isa.Wp pub (.publicBlock (i :: is)) Q s := by
  obtain ⟨u, s', hr, hq⟩ := h
  cases hr with
  | publicBlock hr hp =>
    refine ⟨t ++ u, s', .publicBlock (by simp [execs, hi, hr]) fun a n h => ?_, hq⟩
    exact (List.mem_append.1 h).elim (ht a n) (hp a n)

/-- A block is proven piece by piece. -/
theorem append {xs ys : List I} (h : isa.Wp pub (.block xs) (isa.Wp pub (.block ys) Q) s) :
    isa.Wp pub (.block (xs ++ ys)) Q s := by
  obtain ⟨t, s₁, hx, u, s₂, hy, hq⟩ := h
  cases hx with
  | block hx => cases hy with
    | block hy => exact ⟨t ++ u, s₂, .block (by simp [execs_append, hx, hy]), hq⟩

/-- One piece after the other. -/
theorem seq {a b : Code I C} (h : isa.Wp pub a (isa.Wp pub b Q) s) : isa.Wp pub (.seq a b) Q s :=
  let ⟨_, _, ha, _, s₂, hb, hq⟩ := h; ⟨_, s₂, .seq ha hb, hq⟩

/-- A conditional. -/
theorem ite {c : C} {a b : Code I C} {v : Bool} (hc : isa.eval c s = some v) (ha : v = true → isa.Wp pub a Q s)
    (hb : v = false → isa.Wp pub b Q s) : isa.Wp pub (.ite c a b) Q s := by
  cases v with
  | true => obtain ⟨_, s', hr, hq⟩ := ha rfl; exact ⟨_, s', .iteTrue hc hr, hq⟩
  | false => obtain ⟨_, s', hr, hq⟩ := hb rfl; exact ⟨_, s', .iteFalse hc hr, hq⟩

/-- A conditional without an else branch. -/
theorem skipIf {c : C} {b : Code I C} {v : Bool} (hc : isa.eval c s = some v) (ha : v = true → Q s)
    (hb : v = false → isa.Wp pub b Q s) : isa.Wp pub (.skipIf c b) Q s := by
  cases v with
  | true => exact ⟨_, s, .skip hc, ha rfl⟩
  | false => obtain ⟨_, s', hr, hq⟩ := hb rfl; exact ⟨_, s', .skipIf hc hr, hq⟩

/-- A do-while loop with an invariant `Inv k`, where `k` decreases: `k` may be any ghost measure. -/
theorem loop {b : Code I C} {c : C} (Inv : Nat → S → Prop)
    (body : ∀ k s, Inv k s → isa.Wp pub b (fun s' => ∃ v, isa.eval c s' = some v ∧
      (v = true → ∃ j, j < k ∧ Inv j s') ∧ (v = false → Q s')) s)
    {k : Nat} (h : Inv k s) : isa.Wp pub (.loop b c) Q s := by
  induction k using Nat.strongRecOn generalizing s with
  | _ k ih =>
    obtain ⟨t, s', hr, v, hc, hm, he⟩ := body k s h
    cases v with
    | false => exact ⟨_, s', .exit hr hc, he rfl⟩
    | true =>
      obtain ⟨j, hj, hi⟩ := hm rfl
      obtain ⟨u, s'', hr', hq⟩ := ih j hj hi
      exact ⟨_, s'', .again hr hc hr', hq⟩

end Wp

/-- Code that reveals nothing runs as well where something may be revealed. -/
theorem Run.revealing {c : Code I C} {s s' : S} {t : Trace} (h : isa.Run pub [] c s t s') : isa.Run pub revealed c s t s' := by
  induction h with
  | block h => exact .block h
  | publicBlock h hp => exact .publicBlock h hp
  | seq _ _ ha hb => exact .seq ha hb
  | iteTrue hc _ h => exact .iteTrue hc h
  | iteFalse hc _ h => exact .iteFalse hc h
  | reveal hk _ _ => obtain ⟨_, hk, _⟩ := hk; cases hk
  | skip hc => exact .skip hc
  | skipIf hc _ h => exact .skipIf hc h
  | exit _ hc h => exact .exit h hc
  | again _ hc _ h h' => exact .again h hc h'

namespace WpRevealing

/-- Code that reveals nothing. -/
theorem of_wp {c : Code I C} (h : isa.Wp pub c Q s) : isa.WpRevealing pub revealed c Q s :=
  let ⟨t, s', hr, h⟩ := h; ⟨t, s', hr.revealing, h⟩

/-- A weaker postcondition. -/
theorem mono {c : Code I C} (h : isa.WpRevealing pub revealed c Q s) (hq : ∀ s', Q s' → R s') :
    isa.WpRevealing pub revealed c R s :=
  let ⟨t, s', hr, h⟩ := h; ⟨t, s', hr, hq s' h⟩

/-- One piece after the other. -/
theorem seq {a b : Code I C} (h : isa.WpRevealing pub revealed a (isa.WpRevealing pub revealed b Q) s) :
    isa.WpRevealing pub revealed (.seq a b) Q s :=
  let ⟨_, _, ha, _, s₂, hb, hq⟩ := h; ⟨_, s₂, .seq ha hb, hq⟩

/-- A branch on a value that may be revealed. -/
theorem revealIf {k : Nat} {d v : BitVec 64} {c : C} {a b : Code I C} (hk : revealed[k]? = some d)
    (hc : isa.eval c s = some (d == v)) (ha : d = v → isa.WpRevealing pub revealed a Q s)
    (hb : d ≠ v → isa.WpRevealing pub revealed b Q s) : isa.WpRevealing pub revealed (.revealIf k v c a b) Q s := by
  by_cases h : d = v
  · obtain ⟨_, s', hr, hq⟩ := ha h
    exact ⟨_, s', .reveal ⟨d, hk, hc⟩ (.iteTrue (by rw [hc, h, beq_self_eq_true]) hr), hq⟩
  · obtain ⟨_, s', hr, hq⟩ := hb h
    exact ⟨_, s', .reveal ⟨d, hk, hc⟩ (.iteFalse (by rw [hc, beq_eq_false_iff_ne.2 h]) hr), hq⟩

end WpRevealing
end Isa

end TCB
