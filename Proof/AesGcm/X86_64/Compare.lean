import Proof.AesGcm.X86_64.Enter

/-!
# Comparing the tag
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64

/-- The tag that was given, at `rcx`. -/
def givenLayout : Layout := { areas := [{ len := 16 }], ptrs := [(1, 0, 0)] }

/-- The tag that was given. -/
def givenOutcome : Outcome VecUn VecBin := { vec := (12, [.load 0 0]) :: [0, 1, 2, 3, 4, 5, 6, 7, 11].map keepE }

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {c : Fixed} {k : Call} {n : Nat} {pub : List Region} {s : State}

/-- **The tag that was given**, and its length. -/
theorem given_ok {i : Nat} (e : Env c s) (a : Arguments k n pub s) (hn : i + 1 < n)
    (hl : (k.value (i + 1)).toNat ∈ Spec.Gcm.tagLengths)
    (reads : Within s.memory.readable ⟨k.value i, (k.value (i + 1)).toNat⟩) : isa.Wp pub (given i) (fun s' =>
      Frame [.rax, .r11, .rcx, .r8] [0, 1, 2, 3, 4, 5, 6, 7, 11] s s' ∧ s'.memory = s.memory ∧ s'.gpr .r8 = BitVec.ofNat 64 (k.value (i + 1)).toNat ∧
      view.lane s' 12 0 = ofBytes 128 (bytesAt s.memory.bytes (k.value i) (k.value (i + 1)).toNat)) s := by
  have size : 1 ≤ (k.value (i + 1)).toNat ∧ (k.value (i + 1)).toNat ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, 1 ≤ l ∧ l ≤ 16 := by decide
    exact this _ hl
  refine .seq ((arguments_ok i a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have l₁ : s₁.gpr .r8 = BitVec.ofNat 64 (k.value (i + 1)).toNat := l₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine (compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial l₁).mono
    fun s₂ ⟨_, f₂, m₂, _, z₂⟩ => ?_
  have f : Frame [.rax, .r11, .rcx, .r8] (List.range 16) s s₂ := (f₁.mono (by decide) fun _ h => h).trans (f₂.mono (List.nil_subset _) fun _ h => h)
  have m := m₂.trans m₁
  have p₂ : s₂.gpr .rcx = k.value i := (f₂.gpr .rcx).trans p₁
  have l₂ := (f₂.gpr .r8).trans l₁
  refine .ite z₂ (fun z => ?_) fun z => ?_
  · have z : (k.value (i + 1)).toNat = 16 := of_decide_eq_true z
    have holds : givenLayout.Holds view (fun _ => k.value i) s₂ := {
      ptrs := fun q hq => by
        obtain rfl := List.mem_singleton.1 hq
        exact p₂.trans (BitVec.add_zero _).symm
      small := ⟨by decide, trivial⟩
      reads := ⟨fun _ => by simp only [view, m]; rw [← z]; exact reads, trivial⟩
      writes := ⟨nofun, trivial⟩
      apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
    refine machine.wp givenOutcome holds (by decide +kernel) fun s₃ o => ?_
    have f₃ : Frame [] [0, 1, 2, 3, 4, 5, 6, 7, 11] s₂ s₃ := .of_ends o (by decide +kernel)
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h), Eq.trans o.memory m, (f₃.gpr .r8).trans l₂, ?_⟩
    have value : view.lane s₃ 12 0 = ofBytes 128 (bytesAt s₂.memory.bytes (k.value i + 0#64) 16) := o.vec (r := 12) rfl 0
    rw [value, BitVec.add_zero, m, z]
  · have z : (k.value (i + 1)).toNat ≠ 16 := of_decide_eq_false z
    refine (Proof.Partial.X86_64.load_ok (a := k.value i) (k := (k.value (i + 1)).toNat) (by decide) (by decide) (by decide) p₂ l₂ size.1 (by omega)
      (by rw [m]; exact reads) (e.same f.keeps m).slide).mono fun s₃ l₃ => ?_
    have f₃ : Frame [.rax, .r11] [0, 1, 2, 3, 4, 5, 6, 7, 11] s₂ s₃ := .of_loaded l₃ (by decide)
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (by decide) fun _ h => h), l₃.memory.trans m, (f₃.gpr .r8).trans l₂, ?_⟩
    rw [show view.lane s₃ 12 0 = _ from l₃.lane, m]

/-- The halves of a difference. -/
def halvesOutcome : Outcome VecUn VecBin := { vec := (11, [xorE (.reg 11 0) (.reg 12 0)]) :: (List.range 8).map keepE }

/-- Exchanged halves. -/
def swapOutcome : Outcome VecUn VecBin := { vec := (11, [.un (.pshufd 0x4e) (.reg 11 0)]) :: (List.range 8).map keepE }

/-- A number is zero if its halves are. -/
theorem or_halves (v : BitVec 128) : (hi64 v ||| lo64 v == 0#64) = decide (v = 0) := by
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq]
  constructor
  · intro h
    rw [BitVec.or_eq_zero_iff] at h
    rw [← hi64_append_lo64 v, h.1, h.2]
    decide
  · rintro rfl
    decide

/-- **The comparison**: ZF says whether no bit differs. -/
theorem compareTags_ok : isa.Wp pub (.block compare) (fun s' => Frame [.rax, .r11] (List.range 8) s s' ∧ s'.memory = s.memory ∧
      s'.flag .zf = some (decide (view.lane s 11 0 ^^^ view.lane s 12 0 = 0)) ∧
      (s'.gpr .rax = 0#64 ↔ view.lane s 11 0 ^^^ view.lane s 12 0 = 0)) s := by
  refine .append (xs := [_]) (machine.wp_registers halvesOutcome (by decide +kernel) fun s₁ o₁ => ?_)
  have f₁ : Frame [] (List.range 8) s s₁ := .of_ends o₁ (by decide +kernel)
  have m₁ : s₁.memory = s.memory := o₁.memory
  have v₁ : view.lane s₁ 11 0 = view.lane s 11 0 ^^^ view.lane s 12 0 := o₁.vec (r := 11) rfl 0
  refine .cons (s₁ := s₁.setReg .rax (qword (s₁.lane 11 0) 0)) rfl ?_
  generalize hs₂ : s₁.setReg .rax _ = s₂
  have k₂ : Keeps [.rax, .r11] s s₂ := by rw [← hs₂]; exact kept (f₁.keeps.mono (List.nil_subset _))
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have w₂ : s₂.vec = s₁.vec := by rw [← hs₂]; reads
  have x₂ : s₂.gpr .rax = lo64 (view.lane s₁ 11 0) := by rw [← hs₂]; reads; rfl
  refine .append (xs := [_]) (machine.wp_registers swapOutcome (by decide +kernel) fun s₃ o₃ => ?_)
  have f₃ : Frame [] (List.range 8) s₂ s₃ := .of_ends o₃ (by decide +kernel)
  have m₃ : s₃.memory = s.memory := Eq.trans o₃.memory m₂
  have v₃ : view.lane s₃ 11 0 = swap64 (view.lane s₁ 11 0) := by
    refine (o₃.vec (r := 11) rfl 0).trans ?_
    show VecUn.eval (.pshufd 0x4e) (view.lane s₂ 11 0) = _
    rw [Gf2.X86_64.pshufd_0x4e]
    simp only [view, State.lane, w₂]
  refine .cons (s₁ := s₃.setReg .r11 (qword (s₃.lane 11 0) 0)) rfl ?_
  generalize hs₄ : s₃.setReg .r11 _ = s₄
  have k₄ : Keeps [.rax, .r11] s s₄ := by rw [← hs₄]; exact kept (k₂.trans (f₃.keeps.mono (List.nil_subset _)))
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have w₄ : s₄.vec = s₃.vec := by rw [← hs₄]; reads
  have x₄ : s₄.gpr .rax = lo64 (view.lane s₁ 11 0) := by rw [← hs₄]; reads; exact (f₃.gpr .rax).trans x₂
  have y₄ : s₄.gpr .r11 = hi64 (view.lane s₁ 11 0) := by
    rw [← hs₄]
    reads
    rw [← lo64_swap64, ← v₃]
    rfl
  have lanes (r : Nat) (hr : r ∈ (List.range 8)) : view.lane s₄ r 0 = view.lane s r 0 := by
    have e₄ : view.lane s₄ r 0 = view.lane s₃ r 0 := by simp only [view, State.lane, w₄]
    have e₂ : view.lane s₂ r 0 = view.lane s₁ r 0 := by simp only [view, State.lane, w₂]
    rw [e₄, f₃.lanes r hr, e₂, f₁.lanes r hr]
  refine .cons (s₁ := (s₄.setReg .rax (s₄.gpr .rax ||| s₄.src (.reg .r11))).setFlags (logicFlags (s₄.gpr .rax ||| s₄.src (.reg .r11)))) rfl (.nil ?_)
  refine ⟨⟨kept k₄, fun r hr => ?_⟩, by reads; exact m₄, ?_⟩
  · rw [← lanes r hr]
    simp only [view, State.lane]
    reads
  have value : (s₄.gpr .rax ||| s₄.src (.reg .r11) == 0#64) = decide (view.lane s 11 0 ^^^ view.lane s 12 0 = 0) := by
    rw [State.src, x₄, y₄, ← v₁, ← or_halves, BitVec.or_comm]
  refine ⟨?_, ?_⟩
  · reads
    rw [← value]
    rfl
  · reads
    have := congrArg (· = true) value
    simpa using this

end
end Proof.AesGcm.X86_64
