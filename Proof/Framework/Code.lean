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
variable (isa : Isa S I C F) (pub : List Region)

/-- Run instructions one after the other. -/
def execs : List I → S → Option (S × Trace)
  | [], s => some (s, [])
  | i :: is, s => (isa.exec i s).bind fun r => (execs is r.1).map fun q => (q.1, r.2 ++ q.2)

/-- All loads of a trace read public regions. -/
def PublicLoads (t : Trace) : Prop := ∀ a n, .load a n ∈ t → covered pub a n = true

/-- `Run c s t s'`: structured code `c` takes `s` to `s'` and leaks `t`; public blocks load from `pub` only. -/
inductive Run : Code I C → S → Trace → S → Prop
  | block {is s t s'} : isa.execs is s = some (s', t) → Run (.block is) s t s'
  | publicBlock {is s t s'} : isa.execs is s = some (s', t) → PublicLoads pub t → Run (.publicBlock is) s t s'
  | seq {a b s t s' u s''} : Run a s t s' → Run b s' u s'' → Run (.seq a b) s (t ++ u) s''
  | iteTrue {c a b s t s'} : isa.eval c s = some true → Run a s t s' → Run (.ite c a b) s (.branch true :: t) s'
  | iteFalse {c a b s t s'} : isa.eval c s = some false → Run b s t s' → Run (.ite c a b) s (.branch false :: t) s'
  | skip {c b s} : isa.eval c s = some true → Run (.skipIf c b) s [.branch true] s
  | skipIf {c b s t s'} : isa.eval c s = some false → Run b s t s' → Run (.skipIf c b) s (.branch false :: t) s'
  | exit {b c s t s'} : Run b s t s' → isa.eval c s' = some false → Run (.loop b c) s (t ++ [.branch false]) s'
  | again {b c s t s' u s''} : Run b s t s' → isa.eval c s' = some true → Run (.loop b c) s' u s'' →
      Run (.loop b c) s (t ++ .branch true :: u) s''

/-- Total correctness: from `s`, `c` ends without a fault in a state that satisfies `Q`. -/
def Wp (c : Code I C) (Q : S → Prop) (s : S) : Prop := ∃ t s', Run isa pub c s t s' ∧ Q s'

variable {isa pub} {Q R : S → Prop} {s : S}

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
end Isa

end TCB
