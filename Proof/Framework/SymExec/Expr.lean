/-!
# Symbolic values

Expressions over the state at the start of a block, in which the vector operations of the instruction set stay
uninterpreted. The kernel computes with them: lists are read and written by functions that it reduces fast.
-/

set_option autoImplicit false
namespace TCB.SymExec

/-- The vector operations of an instruction set, with one and with two operands, on lanes of 128 bits. -/
class Ops (U B : Type) where
  un : U → BitVec 128 → BitVec 128
  bin : B → BitVec 128 → BitVec 128 → BitVec 128

/-- A value of 128 bits. -/
inductive Expr (U B : Type) where
  /-- Lane `i` of vector register `r`. -/
  | reg (r i : Nat)
  /-- The 16 bytes at offset `off` of area `t`. -/
  | load (t off : Nat)
  | const (v : Nat)
  | un (o : U) (a : Expr U B)
  | bin (o : B) (a b : Expr U B)

variable {U B : Type}

namespace Expr

/-- The value, given those of registers and memory. -/
def eval [Ops U B] (reg load : Nat → Nat → BitVec 128) : Expr U B → BitVec 128
  | .reg r i => reg r i
  | .load t off => load t off
  | .const v => BitVec.ofNat 128 v
  | .un o a => Ops.un B o (a.eval reg load)
  | .bin o a b => Ops.bin U o (a.eval reg load) (b.eval reg load)

/-- The expression with others for registers and memory. -/
def subst (reg load : Nat → Nat → Option (Expr U B)) : Expr U B → Option (Expr U B)
  | .reg r i => reg r i
  | .load t off => load t off
  | .const v => some (.const v)
  | .un o a => (a.subst reg load).map (.un o)
  | .bin o a b => (a.subst reg load).bind fun x => (b.subst reg load).map fun y => .bin o x y

/-- Equality that the kernel computes fast. -/
def same [DecidableEq U] [DecidableEq B] : Expr U B → Expr U B → Bool
  | .reg r i, .reg r' i' => Nat.beq r r' && Nat.beq i i'
  | .load t off, .load t' off' => Nat.beq t t' && Nat.beq off off'
  | .const v, .const v' => Nat.beq v v'
  | .un o a, .un o' a' => decide (o = o') && same a a'
  | .bin o a b, .bin o' a' b' => decide (o = o') && (same a a' && same b b')
  | _, _ => false

/-- The computed answer is right. -/
theorem eq_of_same [DecidableEq U] [DecidableEq B] : ∀ {a b : Expr U B}, same a b = true → a = b
  | .reg .., .reg .., h | .load .., .load .., h => by
    simp only [same, Bool.and_eq_true] at h
    rw [Nat.eq_of_beq_eq_true h.1, Nat.eq_of_beq_eq_true h.2]
  | .const .., .const .., h => by rw [Nat.eq_of_beq_eq_true h]
  | .un .., .un .., h => by
    simp only [same, Bool.and_eq_true, decide_eq_true_eq] at h
    rw [h.1, eq_of_same h.2]
  | .bin .., .bin .., h => by
    simp only [same, Bool.and_eq_true, decide_eq_true_eq] at h
    rw [h.1, eq_of_same h.2.1, eq_of_same h.2.2]
  | .reg .., .load .., h | .reg .., .const .., h | .reg .., .un .., h | .reg .., .bin .., h
  | .load .., .reg .., h | .load .., .const .., h | .load .., .un .., h | .load .., .bin .., h
  | .const .., .reg .., h | .const .., .load .., h | .const .., .un .., h | .const .., .bin .., h
  | .un .., .reg .., h | .un .., .load .., h | .un .., .const .., h | .un .., .bin .., h
  | .bin .., .reg .., h | .bin .., .load .., h | .bin .., .const .., h | .bin .., .un .., h => by cases h

/-- The value of an expression in which others stand for registers and memory. -/
theorem eval_subst [Ops U B] {reg load : Nat → Nat → Option (Expr U B)} {reg₀ load₀ reg₁ load₁ : Nat → Nat → BitVec 128}
    (hr : ∀ {r i e}, reg r i = some e → e.eval reg₀ load₀ = reg₁ r i)
    (hl : ∀ {t off e}, load t off = some e → e.eval reg₀ load₀ = load₁ t off) {a e : Expr U B}
    (h : a.subst reg load = some e) : e.eval reg₀ load₀ = a.eval reg₁ load₁ := by
  induction a generalizing e with
  | reg r i => exact hr h
  | load t off => exact hl h
  | const v => cases h; rfl
  | un o a ih =>
    simp only [subst, Option.map_eq_some_iff] at h
    obtain ⟨x, hx, rfl⟩ := h
    simp only [eval, ih hx]
  | bin o a b iha ihb =>
    simp only [subst, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h
    obtain ⟨x, hx, y, hy, rfl⟩ := h
    simp only [eval, iha hx, ihb hy]

end Expr

/-! ## Lists as tables -/

/-- The element at a position. -/
def nth {α : Type} : List α → Nat → Option α
  | [], _ => none
  | x :: _, 0 => some x
  | _ :: xs, n + 1 => nth xs n

/-- The list with the element at a position replaced. -/
def put {α : Type} : List α → Nat → α → List α
  | [], _, _ => []
  | _ :: xs, 0, v => v :: xs
  | x :: xs, n + 1, v => x :: put xs n v

/-- What a list of pairs has for a key. -/
def find {α : Type} (k : Nat) : List (Nat × α) → Option α
  | [] => none
  | x :: xs => bif Nat.beq x.1 k then some x.2 else find k xs

/-- What is in a list after a replacement. -/
theorem nth_put {α : Type} {l : List α} {n k : Nat} {v w : α} (h : nth (put l n v) k = some w) :
    (k = n ∧ w = v) ∨ (k ≠ n ∧ nth l k = some w) := by
  induction l generalizing n k with
  | nil => simp [put, nth] at h
  | cons x xs ih =>
    cases n <;> cases k <;> simp only [put, nth] at h ⊢
    · exact .inl ⟨by simp, (Option.some.inj h).symm⟩
    · exact .inr ⟨by simp, h⟩
    · exact .inr ⟨by simp, h⟩
    · exact (ih h).imp (fun h => ⟨by rw [h.1], h.2⟩) fun h => ⟨by simpa using h.1, h.2⟩

/-- Every element of a list, with its position, satisfies `P`. -/
def AllFrom {α : Type} (P : Nat → α → Prop) : Nat → List α → Prop
  | _, [] => True
  | n, x :: xs => P n x ∧ AllFrom P (n + 1) xs

/-- One element of a list all of whose elements satisfy `P`. -/
theorem AllFrom.nth {α : Type} {P : Nat → α → Prop} {l : List α} {n k : Nat} {x : α} (h : AllFrom P n l)
    (hx : nth l k = some x) : P (n + k) x := by
  induction l generalizing n k with
  | nil => simp [SymExec.nth] at hx
  | cons y ys ih =>
    cases k with
    | zero => cases hx; exact h.1
    | succ k => rw [Nat.add_succ, ← Nat.succ_add]; exact ih h.2 hx

end TCB.SymExec
