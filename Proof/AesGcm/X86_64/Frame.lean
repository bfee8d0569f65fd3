import Impl.AesGcm.Message.X86_64
import Proof.Aes.X86_64

/-!
# What fragments for messages leave as it was, and their loops
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64

/-- General registers but `rs`, the low lanes of the vector registers `vs`, and what belongs to the calling convention are as
they were. -/
structure Frame (rs : List Reg) (vs : List Nat) (s₀ s : State) : Prop where
  keeps : Keeps rs s₀ s
  lanes : ∀ r ∈ vs, view.lane s r 0 = view.lane s₀ r 0

/-- The outcome says that the registers `vs` are as they were. -/
def keepsVecs (out : Outcome VecUn VecBin) (vs : List Nat) : Bool := vs.all fun r =>
  match find r out.vec with
  | some (e :: _) => e.same (.reg r 0)
  | _ => false

/-- The outcome says that general registers but `rs` are as they were. -/
def keepsRegs (out : Outcome VecUn VecBin) (rs : List Reg) : Bool :=
  out.gpr.all fun p => rs.any fun r => Nat.beq r.index p.1

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
theorem of_ends {base : Nat → Addr} {out : Outcome VecUn VecBin} (e : out.Ends base view machine s₀ s)
    (h : (keepsVecs out vs && keepsRegs out rs) = true) : Frame rs vs s₀ s := by
  rw [Bool.and_eq_true] at h
  refine ⟨Aes.X86_64.keeps_of_ends e rs h.2, fun r hr => ?_⟩
  have := List.all_eq_true.1 h.1 r hr
  split at this
  · rename_i x es hf
    have := Expr.eq_of_same this
    subst this
    exact e.vec hf 0
  · cases this

/-- Instructions that change no vector register. -/
theorem of_vec (h : Keeps rs s₀ s) (hv : s.vec = s₀.vec) : Frame rs vs s₀ s :=
  ⟨h, fun r _ => by simp only [view, State.lane, hv]⟩

end Frame

/-- What is said of a state does not speak of flags nor of the registers `rs`. -/
def Stable (rs : List Reg) (P : State → Prop) : Prop :=
  ∀ ⦃s s'⦄, P s → Keeps rs s s' → s'.memory = s.memory → s'.vec = s.vec → P s'

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {pub : List Region} {s : State}

/-- A comparison of `r8`. -/
theorem compare_ok {P : State → Prop} (hP : Stable [] P) {L n : Nat} (hL : L < 2 ^ 64) (hn : n < 2 ^ 31) (h : P s)
    (left : s.gpr .r8 = BitVec.ofNat 64 L) : isa.Wp pub (.block [.alu .cmp .r8 (imm n)])
      (fun s' => P s' ∧ Frame [] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.flag .cf = some (decide (L < n)) ∧
        s'.flag .zf = some (decide (L = n))) s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .r8) (s.src (imm n)))) rfl (.nil ?_)
  refine ⟨hP h (kept (Keeps.refl _ s)) (by reads) (by reads), .of_vec (kept (Keeps.refl _ s)) (by reads), by reads, ?_, ?_⟩
  all_goals
    reads
    rw [left, src_imm hn]
    simp only [subFlags]
    congr 1
  · rw [Bool.eq_iff_iff, BitVec.ult_iff_lt, BitVec.lt_def, BitVec.toNat_ofNat, BitVec.toNat_ofNat, decide_eq_true_eq]
    omega
  · rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp only [BitVec.toNat_add, BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
    omega

/-- Whether `r8` is zero. -/
theorem test_ok {P : State → Prop} (hP : Stable [] P) {L : Nat} (hL : L < 2 ^ 64) (h : P s)
    (left : s.gpr .r8 = BitVec.ofNat 64 L) : isa.Wp pub (.block [.alu .test .r8 (.reg .r8)])
      (fun s' => P s' ∧ Frame [] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.flag .zf = some (decide (L = 0))) s := by
  refine .cons (s₁ := s.setFlags (logicFlags (s.gpr .r8 &&& s.src (.reg .r8)))) rfl (.nil ?_)
  refine ⟨hP h (kept (Keeps.refl _ s)) (by reads) (by reads), .of_vec (kept (Keeps.refl _ s)) (by reads), by reads, ?_⟩
  reads
  simp only [State.src, BitVec.and_self, logicFlags, left]
  congr 1
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, ← BitVec.toNat_inj]
  simp only [BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
  omega

/-- The `P`, the pointer `rcx` to what is processed and the number `r8` of bytes that are left, after `k` bytes. -/
structure At (P : Nat → State → Prop) (p : Addr) (L k : Nat) (s : State) : Prop where
  holds : P k s
  le : k ≤ L
  next : s.gpr .rcx = p + BitVec.ofNat 64 k
  left : s.gpr .r8 = BitVec.ofNat 64 (L - k)

/-- **As many groups of `n` bytes as there are.** -/
theorem runs_ok {P : Nat → State → Prop} {p : Addr} {L k n : Nat} {body : Kernel} (hP : ∀ k, Stable [.rcx, .r8] (P k))
    (hL : L < 2 ^ 64) (hn : 0 < n ∧ n < 2 ^ 31) (h : At P p L k s)
    (hb : ∀ {k s}, At P p L k s → k + n ≤ L → isa.Wp pub body (fun s' => P (k + n) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧
      s'.gpr .r8 = s.gpr .r8) s) :
    isa.Wp pub (runs n body) (fun s' => ∃ k', At P p L k' s' ∧ (∃ i, k' = k + n * i) ∧ L - k' < n) s := by
  have stable (k : Nat) : Stable [] (At P p L k) := fun s s' h g m v =>
    ⟨hP k h.holds (g.mono (List.nil_subset _)) m v, h.le, (g.gpr _ (by decide)).trans h.next, (g.gpr _ (by decide)).trans h.left⟩
  refine .seq ((compare_ok (stable k) (by omega) hn.2 h h.left).mono fun s₁ ⟨h₁, _, _, c₁, _⟩ => ?_)
  refine .skipIf c₁ (fun c => ⟨k, h₁, ⟨0, rfl⟩, of_decide_eq_true c⟩) fun c => ?_
  refine .loop (fun left s => ∃ k', left = L - k' ∧ At P p L k' s ∧ (∃ i, k' = k + n * i) ∧ k' + n ≤ L)
    (fun left s ⟨k', hl, h, ⟨i, hi⟩, hk⟩ => ?_) ⟨k, rfl, h₁, ⟨0, rfl⟩, by have := of_decide_eq_false c; have := h₁.le; omega⟩
  refine .seq ((hb h hk).mono fun s₂ ⟨h₂, r₂, l₂⟩ => ?_)
  have next : s₂.gpr .rcx + s₂.src (imm n) = p + BitVec.ofNat 64 (k' + n) := by
    rw [r₂, h.next, src_imm hn.2, BitVec.add_assoc, ← BitVec.ofNat_add]
  refine .cons (s₁ := (s₂.setReg .rcx (s₂.gpr .rcx + s₂.src (imm n))).setFlags (addFlags (s₂.gpr .rcx) (s₂.src (imm n)))) rfl ?_
  rw [next]
  generalize hs₃ : (s₂.setReg .rcx (p + BitVec.ofNat 64 (k' + n))).setFlags _ = s₃
  have k₃ : Keeps [.rcx, .r8] s₂ s₃ := by rw [← hs₃]; exact kept (Keeps.refl _ s₂)
  have m₃ : s₃.memory = s₂.memory := by rw [← hs₃]; reads
  have v₃ : s₃.vec = s₂.vec := by rw [← hs₃]; reads
  have n₃ : s₃.gpr .rcx = p + BitVec.ofNat 64 (k' + n) := by rw [← hs₃]; reads
  have l₃ : s₃.gpr .r8 = BitVec.ofNat 64 (L - k') := by rw [← hs₃]; reads; rw [l₂, h.left]
  have left : s₃.gpr .r8 - s₃.src (imm n) = BitVec.ofNat 64 (L - (k' + n)) := by
    rw [l₃, src_imm hn.2, show L - k' = L - (k' + n) + n by omega, BitVec.ofNat_add, BitVec.add_sub_cancel]
  refine .cons (s₁ := (s₃.setReg .r8 (s₃.gpr .r8 - s₃.src (imm n))).setFlags (subFlags (s₃.gpr .r8) (s₃.src (imm n)))) rfl ?_
  rw [left]
  generalize hs₄ : (s₃.setReg .r8 (BitVec.ofNat 64 (L - (k' + n)))).setFlags _ = s₄
  have h₄ : At P p L (k' + n) s₄ := by
    rw [← hs₄]
    exact ⟨hP _ h₂ (kept k₃) (by reads; exact m₃) (by reads; exact v₃), by omega, by reads; exact n₃, by reads⟩
  refine (compare_ok (stable _) (by omega) hn.2 h₄ h₄.left).mono fun s₅ ⟨h₅, _, _, c₅, _⟩ => ?_
  refine ⟨!decide (L - (k' + n) < n), by simp [isa, eval, c₅], fun more => ?_, fun done => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at more
    exact ⟨L - (k' + n), by omega, k' + n, rfl, h₅, ⟨i + 1, by rw [hi, Nat.mul_succ]; omega⟩, by omega⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at done
    exact ⟨k' + n, h₅, ⟨i + 1, by rw [hi, Nat.mul_succ]; omega⟩, done⟩

end
end Proof.AesGcm.X86_64
