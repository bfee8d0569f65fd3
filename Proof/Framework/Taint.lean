import Proof.Framework.Code
import Proof.Framework.MemAgree

/-!
# Constant time by a taint checker

An abstract domain says which parts of the registers and flags are public (equal in two runs). The checker follows
structured code, finds loop invariants by iteration, and fails when something that leaks is not known to be public. Its
soundness is proven once, for every instruction set.
-/

set_option autoImplicit false
namespace TCB
open Impl
variable {S I C F D : Type} {memory : S → Memory}

/-- A domain `D` of public knowledge about two runs, and what instructions do to it. -/
structure Taint (isa : Isa S I C F) (memory : S → Memory) (D : Type) where
  /-- The registers and flags of the two states agree on what `d` calls public. -/
  agree : D → S → S → Prop
  /-- `d` calls no more public than `e`. -/
  le : D → D → Bool
  /-- What both call public. -/
  meet : D → D → D
  /-- After the instruction; `none` if it leaks something that is not public. `isPublic` says that all its loads read
  public regions. -/
  instr : (isPublic : Bool) → I → D → Option D
  /-- The condition is public. -/
  cond : C → D → Bool
  le_sound : ∀ {d e s₁ s₂}, le d e = true → agree e s₁ s₂ → agree d s₁ s₂
  meet_left : ∀ {d e s₁ s₂}, agree d s₁ s₂ → agree (meet d e) s₁ s₂
  meet_right : ∀ {d e s₁ s₂}, agree e s₁ s₂ → agree (meet d e) s₁ s₂
  instr_sound : ∀ {pub isPublic i d d' s₁ s₂ t₁ t₂ s₁' s₂'}, instr isPublic i d = some d' → agree d s₁ s₂ →
    MemAgree pub (memory s₁) (memory s₂) → isa.exec i s₁ = some (s₁', t₁) → isa.exec i s₂ = some (s₂', t₂) →
    (isPublic = true → Isa.PublicLoads pub t₁) →
    t₁ = t₂ ∧ agree d' s₁' s₂' ∧ MemAgree pub (memory s₁') (memory s₂')
  cond_sound : ∀ {c d s₁ s₂}, cond c d = true → agree d s₁ s₂ → isa.eval c s₁ = isa.eval c s₂

namespace Taint
variable {isa : Isa S I C F} (T : Taint isa memory D)

/-- Go through a block. -/
def block (isPublic : Bool) : List I → D → Option D
  | [], d => some d
  | i :: is, d => (T.instr isPublic i d).bind (block isPublic is)

/-- Weaken `d` until a loop body preserves it (at most `k` times); the result is the knowledge after the body. -/
def fix (body : D → Option D) : Nat → D → Option D
  | 0, _ => none
  | k + 1, d => (body d).bind fun d' => if T.le d d' then some d' else fix body k (T.meet d d')

/-- What is public after `c`, or `none` if `c` may leak a secret (every round of `fix` makes something secret, so that 64
are enough for so many registers). -/
def check : Code I C → D → Option D
  | .block is, d => T.block false is d
  | .publicBlock is, d => T.block true is d
  | .seq a b, d => (check a d).bind fun d' => check b d'
  | .ite c a b, d => if T.cond c d then (check a d).bind fun x => (check b d).map fun y => T.meet x y else none
  | .revealIf _ _ _ a b, d => (check a d).bind fun x => (check b d).map fun y => T.meet x y
  | .skipIf c b, d => if T.cond c d then (check b d).map fun x => T.meet d x else none
  | .loop b c, d => (T.fix (fun d => check b d) 64 d).bind fun d' => if T.cond c d' then some d' else none

/-- Registers, flags and public memory of the two states agree. -/
def Agree (pub : List Region) (d : D) (s₁ s₂ : S) : Prop :=
  T.agree d s₁ s₂ ∧ MemAgree pub (memory s₁) (memory s₂)

/-- Two runs of `c` from states that agree on `d` leak the same, and end in states that agree on `d'`. -/
def Sound (pub : List Region) (revealed : List (BitVec 64)) (c : Code I C) (d d' : D) : Prop :=
  ∀ {s₁ s₂ t₁ t₂ s₁' s₂'}, T.Agree pub d s₁ s₂ → isa.Run pub revealed c s₁ t₁ s₁' → isa.Run pub revealed c s₂ t₂ s₂' →
    t₁ = t₂ ∧ T.Agree pub d' s₁' s₂'

variable {T} {pub : List Region} {revealed : List (BitVec 64)}

/-- Going through a block is sound. -/
theorem block_sound {isPublic : Bool} {is : List I} {d d' : D} (h : T.block isPublic is d = some d') {s₁ s₂ s₁' s₂' : S}
    {t₁ t₂ : Trace} (ha : T.Agree pub d s₁ s₂) (h₁ : isa.execs is s₁ = some (s₁', t₁))
    (h₂ : isa.execs is s₂ = some (s₂', t₂)) (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ T.Agree pub d' s₁' s₂' := by
  induction is generalizing d s₁ s₂ t₁ t₂ with
  | nil => cases h; cases h₁; cases h₂; exact ⟨rfl, ha⟩
  | cons i is ih =>
    simp only [block, Option.bind_eq_some_iff] at h
    obtain ⟨e, hi, hr⟩ := h
    simp only [Isa.execs, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h₁ h₂
    obtain ⟨⟨q₁, u₁⟩, e₁, ⟨r₁, v₁⟩, f₁, g₁⟩ := h₁
    obtain ⟨⟨q₂, u₂⟩, e₂, ⟨r₂, v₂⟩, f₂, g₂⟩ := h₂
    cases g₁; cases g₂
    obtain ⟨rfl, ha⟩ := T.instr_sound hi ha.1 ha.2 e₁ e₂ fun q a n h => hp q a n (List.mem_append_left _ h)
    obtain ⟨rfl, ha⟩ := ih hr ha f₁ f₂ fun q a n h => hp q a n (List.mem_append_right _ h)
    exact ⟨rfl, ha⟩

/-- The iteration ends in knowledge that the loop body preserves. -/
theorem fix_sound {body : D → Option D} {k : Nat} {d d' : D} (h : T.fix body k d = some d') :
    ∃ inv, (∀ {s₁ s₂}, T.agree d s₁ s₂ → T.agree inv s₁ s₂) ∧ body inv = some d' ∧ T.le inv d' = true := by
  induction k generalizing d with
  | zero => simp [fix] at h
  | succ k ih =>
    simp only [fix, Option.bind_eq_some_iff] at h
    obtain ⟨e, he, h⟩ := h
    split at h
    · cases h; exact ⟨d, id, he, ‹_›⟩
    · obtain ⟨inv, hi, hb⟩ := ih h
      exact ⟨inv, fun ha => hi (T.meet_left ha), hb⟩

/-- A loop whose body preserves the knowledge `d` and whose condition is public. -/
theorem loop_sound {b : Code I C} {c : C} {d d' : D} (hb : T.Sound pub revealed b d d') (hl : T.le d d' = true)
    (hc : T.cond c d' = true) : T.Sound pub revealed (.loop b c) d d' := by
  intro s₁ s₂ t₁ t₂ s₁' s₂' ha h₁ h₂
  generalize hw : Code.loop b c = w at h₁
  induction h₁ generalizing s₂ t₂ s₂' with
  | exit r₁ c₁ =>
    cases hw
    cases h₂ with
    | exit r₂ c₂ => obtain ⟨rfl, ha⟩ := hb ha r₁ r₂; exact ⟨rfl, ha⟩
    | again r₂ c₂ _ =>
      obtain ⟨rfl, ha⟩ := hb ha r₁ r₂
      simp [T.cond_sound hc ha.1, c₂] at c₁
  | again r₁ c₁ _ _ ih =>
    cases hw
    cases h₂ with
    | exit r₂ c₂ =>
      obtain ⟨rfl, ha⟩ := hb ha r₁ r₂
      simp [T.cond_sound hc ha.1, c₂] at c₁
    | again r₂ c₂ w₂ =>
      obtain ⟨rfl, ha⟩ := hb ha r₁ r₂
      obtain ⟨rfl, ha⟩ := ih ⟨T.le_sound hl ha.1, ha.2⟩ w₂ rfl
      exact ⟨rfl, ha⟩
  | _ => cases hw

/-- The checker is sound. -/
theorem check_sound {c : Code I C} {d d' : D} (h : T.check c d = some d') : T.Sound pub revealed c d d' := by
  induction c generalizing d d' with
  | block is =>
    intro _ _ _ _ _ _ ha h₁ h₂
    cases h₁ with | block h₁ => cases h₂ with | block h₂ =>
    exact block_sound h ha h₁ h₂ nofun
  | publicBlock is =>
    intro _ _ _ _ _ _ ha h₁ h₂
    cases h₁ with | publicBlock h₁ hp => cases h₂ with | publicBlock h₂ _ =>
    exact block_sound h ha h₁ h₂ fun _ => hp
  | seq a b iha ihb =>
    simp only [check, Option.bind_eq_some_iff] at h
    obtain ⟨e, ha, hb⟩ := h
    intro _ _ _ _ _ _ hs h₁ h₂
    cases h₁ with | seq a₁ b₁ => cases h₂ with | seq a₂ b₂ =>
    obtain ⟨rfl, hs⟩ := iha ha hs a₁ a₂
    obtain ⟨rfl, hs⟩ := ihb hb hs b₁ b₂
    exact ⟨rfl, hs⟩
  | ite c a b iha ihb =>
    simp only [check] at h
    split at h
    case isFalse => cases h
    case isTrue hc =>
    simp only [Option.bind_eq_some_iff, Option.map_eq_some_iff] at h
    obtain ⟨x, ha, y, hb, rfl⟩ := h
    intro _ _ _ _ _ _ hs h₁ h₂
    have he := T.cond_sound hc hs.1
    cases h₁ with
    | iteTrue c₁ r₁ => cases h₂ with
      | iteTrue c₂ r₂ => obtain ⟨rfl, hs⟩ := iha ha hs r₁ r₂; exact ⟨rfl, T.meet_left hs.1, hs.2⟩
      | iteFalse c₂ r₂ => simp [c₁, c₂] at he
    | iteFalse c₁ r₁ => cases h₂ with
      | iteTrue c₂ r₂ => simp [c₁, c₂] at he
      | iteFalse c₂ r₂ => obtain ⟨rfl, hs⟩ := ihb hb hs r₁ r₂; exact ⟨rfl, T.meet_right hs.1, hs.2⟩
  | revealIf k v c a b iha ihb =>
    simp only [check, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h
    obtain ⟨x, ha, y, hb, rfl⟩ := h
    intro _ _ _ _ _ _ hs h₁ h₂
    cases h₁ with | reveal k₁ h₁ => cases h₂ with | reveal k₂ h₂ =>
    obtain ⟨d₁, k₁, he₁⟩ := k₁
    obtain ⟨d₂, k₂, he₂⟩ := k₂
    cases k₁.symm.trans k₂
    have he := he₁.trans he₂.symm
    cases h₁ with
    | iteTrue c₁ r₁ => cases h₂ with
      | iteTrue c₂ r₂ => obtain ⟨rfl, hs⟩ := iha ha hs r₁ r₂; exact ⟨rfl, T.meet_left hs.1, hs.2⟩
      | iteFalse c₂ r₂ => simp [c₁, c₂] at he
    | iteFalse c₁ r₁ => cases h₂ with
      | iteTrue c₂ r₂ => simp [c₁, c₂] at he
      | iteFalse c₂ r₂ => obtain ⟨rfl, hs⟩ := ihb hb hs r₁ r₂; exact ⟨rfl, T.meet_right hs.1, hs.2⟩
  | skipIf c b ih =>
    simp only [check] at h
    split at h
    case isFalse => cases h
    case isTrue hc =>
    simp only [Option.map_eq_some_iff] at h
    obtain ⟨x, hb, rfl⟩ := h
    intro _ _ _ _ _ _ hs h₁ h₂
    have he := T.cond_sound hc hs.1
    cases h₁ with
    | skip c₁ => cases h₂ with
      | skip c₂ => exact ⟨rfl, T.meet_left hs.1, hs.2⟩
      | skipIf c₂ _ => simp [c₁, c₂] at he
    | skipIf c₁ r₁ => cases h₂ with
      | skip c₂ => simp [c₁, c₂] at he
      | skipIf c₂ r₂ => obtain ⟨rfl, hs⟩ := ih hb hs r₁ r₂; exact ⟨rfl, T.meet_right hs.1, hs.2⟩
  | loop b c ih =>
    simp only [check, Option.bind_eq_some_iff] at h
    obtain ⟨e, hf, h⟩ := h
    split at h
    case isFalse => cases h
    case isTrue hc =>
    cases h
    obtain ⟨inv, hi, hb, hl⟩ := fix_sound hf
    intro _ _ _ _ _ _ hs h₁ h₂
    exact loop_sound (ih hb) hl hc ⟨hi hs.1, hs.2⟩ h₁ h₂

end Taint
end TCB
