import Proof.AesGcm.Stream.Verify.Contract
import Proof.AesGcm.Stream.X86_64.Finish
import Proof.AesGcm.X86_64.Compare

/-!
# Comparing the tag of a message in pieces on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Verify.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Proof.AesGcm.Stream.X86_64 Spec.AesGcm.Stream.Verify
open Proof.AesGcm.Stream.Finish.X86_64 (load_ok rest_ok)

/-- The highest bit, alone. -/
theorem shiftRight_63 (y : BitVec 64) : y >>> 63 = if y.msb then 1 else 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_ushiftRight]
  by_cases h : i = 0
  · subst h
    rw [BitVec.msb_eq_getLsbD_last]
    cases y.getLsbD 63 <;> simp
  · rw [BitVec.getLsbD_of_ge _ _ (by omega)]
    split <;> simp [h]

/-- One if a number is zero, and else zero. -/
theorem isZero_eq (x : BitVec 64) : ((x ||| (0#64 - x)) >>> 63) ^^^ 1#64 = if x = 0 then 1 else 0 := by
  rw [shiftRight_63]
  by_cases h : x = 0
  · subst h
    decide
  · have msb : (x ||| (0#64 - x)).msb = true := by
      rw [BitVec.zero_sub, BitVec.msb_or, BitVec.msb_neg]
      cases hm : x.msb with
      | true => rfl
      | false =>
        have : x ≠ BitVec.intMin 64 := fun e => by rw [e] at hm; revert hm; decide
        simp [this]
        exact h
    rw [msb, if_neg h]
    decide

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {pub : List Region} {s : State}

/-- The result of the comparison. -/
theorem result_ok : isa.Wp pub (.block Impl.AesGcm.Stream.X86_64.Verify.result) (fun s' => Keeps [.rax, .r11] s s' ∧
    s'.memory = s.memory ∧ s'.gpr .rax = if s.gpr .rax = 0 then 1 else 0) s := by
  refine .cons (s₁ := s.setReg .r11 0) rfl ?_
  generalize hs₁ : s.setReg .r11 0 = s₁
  have k₁ : Keeps [.rax, .r11] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have x₁ : s₁.gpr .rax = s.gpr .rax := by rw [← hs₁]; reads
  have y₁ : s₁.gpr .r11 = 0#64 := by rw [← hs₁]; reads; rfl
  refine .cons (s₁ := (s₁.setReg .r11 (s₁.gpr .r11 - s₁.src (.reg .rax))).setFlags (subFlags (s₁.gpr .r11) (s₁.src (.reg .rax)))) rfl ?_
  generalize hs₂ : (s₁.setReg .r11 _).setFlags _ = s₂
  have k₂ : Keeps [.rax, .r11] s s₂ := by rw [← hs₂]; exact kept k₁
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have x₂ : s₂.gpr .rax = s.gpr .rax := by rw [← hs₂]; reads; exact x₁
  have y₂ : s₂.gpr .r11 = 0#64 - s.gpr .rax := by rw [← hs₂]; reads; rw [State.src, y₁, x₁]
  refine .cons (s₁ := (s₂.setReg .rax (s₂.gpr .rax ||| s₂.src (.reg .r11))).setFlags (logicFlags (s₂.gpr .rax ||| s₂.src (.reg .r11)))) rfl ?_
  generalize hs₃ : (s₂.setReg .rax _).setFlags _ = s₃
  have k₃ : Keeps [.rax, .r11] s s₃ := by rw [← hs₃]; exact kept k₂
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂
  have x₃ : s₃.gpr .rax = s.gpr .rax ||| (0#64 - s.gpr .rax) := by rw [← hs₃]; reads; rw [State.src, x₂, y₂]
  refine .cons (s₁ := (s₃.setReg .rax (s₃.gpr .rax >>> 63)).setFlags (shiftFlags .shr (s₃.gpr .rax) 63)) rfl ?_
  generalize hs₄ : (s₃.setReg .rax _).setFlags _ = s₄
  have k₄ : Keeps [.rax, .r11] s s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have x₄ : s₄.gpr .rax = (s.gpr .rax ||| (0#64 - s.gpr .rax)) >>> 63 := by rw [← hs₄]; reads; rw [x₃]
  refine .cons (s₁ := (s₄.setReg .rax (s₄.gpr .rax ^^^ s₄.src (imm 1))).setFlags (logicFlags (s₄.gpr .rax ^^^ s₄.src (imm 1)))) rfl (.nil ?_)
  refine ⟨kept k₄, by reads; exact m₄, ?_⟩
  reads
  rw [x₄, src_imm (by decide)]
  exact isZero_eq _

end

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) Impl.AesGcm.Stream.X86_64.Verify.code (target.Post contract s) s := by
  have p := pre_of target h
  have b := based_of h p.toKeys
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 6⟩ := args_isPublic (buffers_of target s) rfl
  have result (s' : State) := result_of target (s' := s') h
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq ((enter_ok b (n := 6) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs isPublic).mono
    fun _ w => .seq (w.mono fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, _⟩ => .seq ?_))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  refine (arg_ok 1 a₁ (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => .seq ?_
  have m₂ : s₂.memory = k.memory := m₂.trans m₁
  refine (load_ok g₂ (by rw [m₂]; exact p.readsState)).mono fun s₃ ⟨f₃, m₃, x₃, y₃, z₃⟩ => .seq ?_
  have m₃ : s₃.memory = k.memory := m₃.trans m₂
  have f₁₃ : Frame [.rdi] [8, 9, 10] s₁ s₃ := (f₂.mono (fun _ h => h) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h)
  have e₃ := e₁.same f₁₃.keeps (m₃.trans m₁.symm)
  have a₃ := a₁.same f₁₃.keeps (m₃.trans m₁.symm)
  have c₃ := c₁.of_frame f₁₃
  rw [m₂] at x₃ y₃ z₃
  refine (rest_ok (c := fixedOf k s.memory.constants) rfl e₃ a₃ (by decide) c₃.mask y₃ z₃).mono fun s₄ ⟨f₄, m₄, h₄⟩ => .seq ?_
  have m₄ : s₄.memory = k.memory := m₄.trans m₃
  have e₄ := e₃.same f₄.keeps (m₄.trans m₃.symm)
  have a₄ := a₃.same f₄.keeps (m₄.trans m₃.symm)
  refine (tagOf_ok e₄ a₄ (i := 2) (j := 3) (by decide) (by decide) (c₃.of_frame f₄).mask).mono fun s₅ ⟨f₅, m₅, t₅⟩ => .seq ?_
  have m₅ : s₅.memory = k.memory := m₅.trans m₄
  have e₅ := e₄.same f₅.keeps (m₅.trans m₄.symm)
  have a₅ := a₄.same f₅.keeps (m₅.trans m₄.symm)
  have tag : view.lane s₅ 11 0 = Finish.tag k := by
    rw [t₅, h₄, f₄.lane 13, x₃]
    rfl
  refine (given_ok (i := 4) e₅ a₅ (by decide) p.tagLen (by rw [m₅]; exact p.readsTag)).mono fun s₆ ⟨f₆, m₆, l₆, x₆⟩ => .seq ?_
  have e₆ := e₅.same f₆.keeps m₆
  have small : (k.value (4 + 1)).toNat ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, l ≤ 16 := by decide
    exact this _ p.tagLen
  refine (Proof.Partial.X86_64.keepFirst_ok (v := 11) (k := (k.value (4 + 1)).toNat) (by decide) l₆ small e₆.ones).mono fun s₇ l₇ => .seq ?_
  have f₇ : Frame [.rax, .r11] [12] s₆ s₇ := .of_loaded l₇ (by decide)
  have x₇ : view.lane s₇ 11 0 = ofBytes 128 ((toBytes 16 (Finish.tag k)).take (k.value 5).toNat) := by
    rw [show view.lane s₇ 11 0 = _ from l₇.lane, show (11 : Vec).val = 11 from rfl, f₆.lane 11, tag]
  refine compareTags_ok.mono fun s₈ ⟨f₈, m₈, _, x₈⟩ => .seq ?_
  refine result_ok.mono fun s₉ ⟨k₉, m₉, x₉⟩ => .seq ?_
  refine (clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁₀ ⟨k₁₀, m₁₀⟩ => ?_
  have right : view.lane s₇ 11 0 ^^^ view.lane s₇ 12 0 = 0 ↔ Right k := by
    rw [x₇, f₇.lane 12, x₆, m₅]
    exact Iff.rfl
  refine .cons (s₁ := (s₁₀.setReg .r11 0).setFlags (logicFlags 0)) rfl (.nil ?_)
  have rax : s₁₀.gpr .rax = if Right k then 1 else 0 := by
    rw [k₁₀.gpr _ (by decide), x₉]
    congr 1
    exact propext (x₈.trans right)
  have m₁₁ : ((s₁₀.setReg .r11 0).setFlags (logicFlags 0)).memory = s.memory := by
    show s₁₀.memory = _
    rw [m₁₀, m₉, m₈, l₇.memory, m₆, m₅, memory]
  have ⟨ensures, narrow, frame⟩ := result ((s₁₀.setReg .r11 0).setFlags (logicFlags 0)) (congrArg Memory.bytes m₁₁) rax
  have keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s s₁₀ :=
    (k₁.mono (by decide)).trans ((f₁₃.keeps.mono (by decide)).trans ((f₄.keeps.mono (by decide)).trans
      ((f₅.keeps.mono (by decide)).trans ((f₆.keeps.mono (by decide)).trans ((f₇.keeps.mono (by decide)).trans
        ((f₈.keeps.mono (by decide)).trans ((k₉.mono (by decide)).trans (k₁₀.mono (List.nil_subset _)))))))))
  have keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s ((s₁₀.setReg .r11 0).setFlags (logicFlags 0)) :=
    (keeps.setReg (by decide)).setFlags
  exact ⟨ensures, narrow, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_record Witness.verifyValues 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.verify (by decide +kernel)) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target Impl.AesGcm.Stream.X86_64.Verify.program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Stream.Verify.X86_64
