import Impl.AesGcm.Message.AArch64
import Proof.AArch64.SymExec
import Proof.Framework.Nat

/-!
# What fragments for messages leave as it was, and their loops
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64

/-- General registers but `rs`, the vector registers `vs`, and what belongs to the calling convention are as they were. -/
structure Frame (rs : List Reg) (vs : List Nat) (s₀ s : State) : Prop where
  keeps : Keeps rs s₀ s
  lanes : ∀ r ∈ vs, view.lane s r 0 = view.lane s₀ r 0

/-- The outcome says that the registers `vs` are as they were. -/
def keepsVecs (out : Outcome VecUn SymBin) (vs : List Nat) : Bool := vs.all fun r =>
  match find r out.vec with
  | some (e :: _) => e.same (.reg r 0)
  | _ => false

/-- The outcome says that general registers but `rs` are as they were. -/
def keepsRegs (out : Outcome VecUn SymBin) (rs : List Reg) : Bool :=
  out.gpr.all fun p => rs.any fun r => Nat.beq r.index p.1

/-- What a block does that keeps what a callee preserves. -/
def outcome (vec : List (Nat × List VecExpr)) (mem : List (Nat × Nat × List VecExpr) := []) : Outcome VecUn SymBin :=
  { vec := keptE saved ++ vec, mem }

namespace Frame
variable {rs qs : List Reg} {vs ws : List Nat} {s₀ s₁ s : State}

/-- Nothing has changed. -/
theorem refl (rs : List Reg) (vs : List Nat) (s : State) : Frame rs vs s s := ⟨.refl rs s, fun _ _ => rfl⟩

/-- One fragment after another. -/
theorem trans (h : Frame rs vs s₀ s₁) (g : Frame rs vs s₁ s) : Frame rs vs s₀ s :=
  ⟨h.keeps.trans g.keeps, fun r hr => (g.lanes r hr).trans (h.lanes r hr)⟩

/-- More may change. -/
theorem mono (h : Frame rs vs s₀ s) (hr : rs ⊆ qs) (hv : ws ⊆ vs) : Frame qs ws s₀ s :=
  ⟨h.keeps.mono hr, fun r h' => h.lanes r (hv h')⟩

/-- A register that may not change. -/
theorem gpr (h : Frame rs vs s₀ s) (r : Reg) (hr : r ∉ rs := by decide) : s.gpr r = s₀.gpr r := h.keeps.gpr r hr

/-- A lane that may not change. -/
theorem lane (h : Frame rs vs s₀ s) (r : Nat) (hr : r ∈ vs := by decide) : view.lane s r 0 = view.lane s₀ r 0 := h.lanes r hr

/-- A block that was evaluated. -/
theorem of_outcome {base : Nat → Addr} {out : Outcome VecUn SymBin} {rest : List (Nat × List VecExpr)}
    (e : out.Ends base view machine s₀ s) (hv : out.vec = keptE saved ++ rest)
    (h : (keepsVecs out vs && keepsRegs out rs) = true) : Frame rs vs s₀ s := by
  rw [Bool.and_eq_true] at h
  refine ⟨keeps_of_ends e rs h.2 hv, fun r hr => ?_⟩
  have := List.all_eq_true.1 h.1 r hr
  split at this
  · rename_i x es hf
    have := Expr.eq_of_same this
    subst this
    exact e.vec hf 0
  · cases this

/-- A block that was evaluated, and changes no general register. -/
theorem of_ends {base : Nat → Addr} {vec : List (Nat × List VecExpr)} {mem : List (Nat × Nat × List VecExpr)}
    (e : (outcome vec mem).Ends base view machine s₀ s) (h : keepsVecs (outcome vec mem) vs = true) : Frame [] vs s₀ s :=
  of_outcome e rfl (by rw [h]; rfl)

/-- Instructions that change no vector register. -/
theorem of_vec (h : Keeps rs s₀ s) (hv : s.vec = s₀.vec) : Frame rs vs s₀ s :=
  ⟨h, fun r _ => by simp only [view, hv]⟩

end Frame

/-- Updates that change no vector register. -/
theorem vec_setReg (s : State) (d : Reg) (v : BitVec 64) : (s.setReg d v).vec = s.vec := (rfl)
@[inherit_doc vec_setReg]
theorem vec_setFlags (s : State) (f : Nzcv) : (s.setFlags f).vec = s.vec := (rfl)

/-- No vector register has changed. -/
macro "vecs" : tactic => `(tactic| simp only [↓put_gpr, ↓Proof.AesGcm.AArch64.vec_setReg, ↓Proof.AesGcm.AArch64.vec_setFlags])

/-- What is said of a state does not speak of flags nor of the registers `rs`. -/
def Stable (rs : List Reg) (P : State → Prop) : Prop :=
  ∀ ⦃s s'⦄, P s → Keeps rs s s' → s'.memory = s.memory → s'.vec = s.vec → P s'

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {pub : List Region} {s : State}

/-- A comparison of `x4`. -/
theorem compare_ok {P : State → Prop} (hP : Stable [] P) {L n : Nat} (hL : L < 2 ^ 64) (hn : n < 4096) (h : P s)
    (left : s.gpr .x4 = BitVec.ofNat 64 L) : isa.Wp pub (.block [.cmp .x4 (imm n)])
      (fun s' => P s' ∧ Frame [] (List.range 32) s s' ∧ s'.memory = s.memory ∧ isa.eval .lo s' = some (decide (L < n)) ∧
        isa.eval .eq s' = some (decide (L = n)) ∧ isa.eval .hs s' = some (!decide (L < n))) s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .x4) (s.src (imm n)))) rfl (.nil ?_)
  have c : (subFlags (s.gpr .x4) (s.src (imm n))).c = !decide (L < n) := by
    rw [left, src_imm hn, subFlags, ult_ofNat hL (by omega)]
  have z : (subFlags (s.gpr .x4) (s.src (imm n))).z = decide (L = n) := by
    rw [left, src_imm hn, subFlags, Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp only [BitVec.toNat_add, BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
    omega
  refine ⟨hP h (kept (Keeps.refl _ s)) (by reads) (by vecs), .of_vec (kept (Keeps.refl _ s)) (by vecs), by reads, ?_, ?_, ?_⟩
  all_goals
    simp only [isa, eval]
    reads
  · rw [c, Bool.not_not]
  · rw [z]
  · rw [c]

/-- Whether `x4` is zero. -/
theorem eval_zero {L : Nat} (hL : L < 2 ^ 64) (left : s.gpr .x4 = BitVec.ofNat 64 L) :
    isa.eval (.zero .x4) s = some (decide (L = 0)) := by
  show some (s.gpr .x4 == 0) = _
  rw [left, ofNat_beq_zero hL]

/-- The `P`, the pointer `x3` to what is processed and the number `x4` of bytes that are left, after `k` bytes. -/
structure At (P : Nat → State → Prop) (p : Addr) (L k : Nat) (s : State) : Prop where
  holds : P k s
  le : k ≤ L
  next : s.gpr .x3 = p + BitVec.ofNat 64 k
  left : s.gpr .x4 = BitVec.ofNat 64 (L - k)

/-- **As many groups of `n` bytes as there are.** -/
theorem runs_ok {P : Nat → State → Prop} {p : Addr} {L k n : Nat} {body : Kernel} (hP : ∀ k, Stable [.x3, .x4] (P k))
    (hL : L < 2 ^ 64) (hn : 0 < n ∧ n < 4096) (h : At P p L k s)
    (hb : ∀ {k s}, At P p L k s → k + n ≤ L → isa.Wp pub body (fun s' => P (k + n) s' ∧ s'.gpr .x3 = s.gpr .x3 ∧
      s'.gpr .x4 = s.gpr .x4) s) :
    isa.Wp pub (runs n body) (fun s' => ∃ k', At P p L k' s' ∧ (∃ i, k' = k + n * i) ∧ L - k' < n) s := by
  have stable (k : Nat) : Stable [] (At P p L k) := fun s s' h g m v =>
    ⟨hP k h.holds (g.mono (List.nil_subset _)) m v, h.le, (g.gpr _ (by decide)).trans h.next, (g.gpr _ (by decide)).trans h.left⟩
  refine .seq ((compare_ok (stable k) (by omega) hn.2 h h.left).mono fun s₁ ⟨h₁, _, _, c₁, _⟩ => ?_)
  refine .skipIf c₁ (fun c => ⟨k, h₁, ⟨0, rfl⟩, of_decide_eq_true c⟩) fun c => ?_
  refine .loop (fun left s => ∃ k', left = L - k' ∧ At P p L k' s ∧ (∃ i, k' = k + n * i) ∧ k' + n ≤ L)
    (fun left s ⟨k', hl, h, ⟨i, hi⟩, hk⟩ => ?_) ⟨k, rfl, h₁, ⟨0, rfl⟩, by have := of_decide_eq_false c; have := h₁.le; omega⟩
  refine .seq ((hb h hk).mono fun s₂ ⟨h₂, r₂, l₂⟩ => ?_)
  have next : s₂.gpr .x3 + s₂.src (imm n) = p + BitVec.ofNat 64 (k' + n) := by
    rw [r₂, h.next, src_imm hn.2, BitVec.add_assoc, ← BitVec.ofNat_add]
  refine .cons (s₁ := s₂.setReg .x3 (s₂.gpr .x3 + s₂.src (imm n))) rfl ?_
  rw [next]
  generalize hs₃ : s₂.setReg .x3 (p + BitVec.ofNat 64 (k' + n)) = s₃
  have k₃ : Keeps [.x3, .x4] s₂ s₃ := by rw [← hs₃]; exact kept (Keeps.refl _ s₂)
  have m₃ : s₃.memory = s₂.memory := by rw [← hs₃]; reads
  have v₃ : s₃.vec = s₂.vec := by rw [← hs₃]; vecs
  have n₃ : s₃.gpr .x3 = p + BitVec.ofNat 64 (k' + n) := by rw [← hs₃]; reads
  have l₃ : s₃.gpr .x4 = BitVec.ofNat 64 (L - k') := by rw [← hs₃]; reads; rw [l₂, h.left]
  have left : s₃.gpr .x4 - s₃.src (imm n) = BitVec.ofNat 64 (L - (k' + n)) := by
    rw [l₃, src_imm hn.2, ofNat_sub_ofNat hk]
  refine .cons (s₁ := s₃.setReg .x4 (s₃.gpr .x4 - s₃.src (imm n))) rfl ?_
  rw [left]
  generalize hs₄ : s₃.setReg .x4 (BitVec.ofNat 64 (L - (k' + n))) = s₄
  have h₄ : At P p L (k' + n) s₄ := by
    rw [← hs₄]
    exact ⟨hP _ h₂ (kept k₃) (by reads; exact m₃) (by vecs; exact v₃), by omega, by reads; exact n₃, by reads⟩
  refine (compare_ok (stable _) (by omega) hn.2 h₄ h₄.left).mono fun s₅ ⟨h₅, _, _, _, _, c₅⟩ => ?_
  refine ⟨_, c₅, fun more => ?_, fun done => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at more
    exact ⟨L - (k' + n), by omega, k' + n, rfl, h₅, ⟨i + 1, by rw [hi, Nat.mul_succ]; omega⟩, by omega⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at done
    exact ⟨k' + n, h₅, ⟨i + 1, by rw [hi, Nat.mul_succ]; omega⟩, done⟩

end
end Proof.AesGcm.AArch64
