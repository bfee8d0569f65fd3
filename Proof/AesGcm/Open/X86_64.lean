import Proof.AesGcm.Open.Contract
import Proof.AesGcm.Open.Witness
import Proof.AesGcm.Open.X86_64.Decrypt
import Proof.AesGcm.X86_64.Compare
import Proof.AesGcm.X86_64.Start
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# Opening a message on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Spec.AesGcm.Open

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The end: nothing is left, and the result is `v`. -/
theorem leave_ok {pub : List Region} {s : State} (v : Nat) : isa.Wp pub (leave v) (fun s' => Keeps [.rax, .r11] s s' ∧ s'.memory = s.memory ∧
    s'.gpr .rax = BitVec.ofNat 64 v) s := by
  refine .seq ((clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁ ⟨k₁, m₁⟩ => ?_)
  refine .cons rfl (.cons rfl (.nil ⟨kept (k₁.mono (List.nil_subset _)), by reads; exact m₁, by reads⟩))

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.WpRevealing (target.publicRegions contract table s) (target.revealed contract s) code (target.Post contract s) s := by
  have p := pre_of target h
  have r := ready_of h p.toPre (buffers_of target s) 4 rfl
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 9⟩ := args_isPublic (buffers_of target s) rfl
  have result (s' : State) := result_of target (s' := s') h
  rw [revealed_of target h]
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq (.of_wp ((start_ok r (n := 9) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs isPublic).mono
    fun s₆ b₆ => .seq (.of_wp ?_)))
  have ⟨⟨_, m₆, e₆, a₆, c₆, _, _, _, _⟩, _, _⟩ := b₆
  refine (absorb_ok e₆ c₆ (k.value 6).isLt b₆.text b₆.length (by rw [m₆]; exact p.reads)).mono fun s₇ ⟨f₇, m₇, h₇⟩ => .seq (.of_wp ?_)
  have m₇ : s₇.memory = k.memory := m₇.trans m₆
  have e₇ := e₆.same f₇.keeps (m₇.trans m₆.symm)
  have c₇ := c₆.of_frame f₇
  have a₇ := a₆.same f₇.keeps (m₇.trans m₆.symm)
  have mask₇ := (f₇.lane 13).trans b₆.mask
  have counter₇ := (f₇.lane 8).trans b₆.counter
  have rdi₇ := (f₇.gpr .rdi).trans b₆.key
  refine (tagOf_ok e₇ a₇ (i := 4) (j := 6) (by decide) (by decide) c₇.mask).mono fun s₈ ⟨f₈, m₈, t₈⟩ => .seq (.of_wp ?_)
  have m₈ : s₈.memory = k.memory := m₈.trans m₇
  have e₈ := e₇.same f₈.keeps (m₈.trans m₇.symm)
  have a₈ := a₇.same f₈.keeps (m₈.trans m₇.symm)
  have tag : view.lane s₈ 11 0 = k.openedTag := by
    rw [t₈, mask₇, h₇, b₆.hash, m₆, BitVec.xor_comm]
    rfl
  refine (given_ok (i := 7) e₈ a₈ (by decide) p.tagLen (by rw [m₈]; exact p.readsTag)).mono fun s₉ ⟨f₉, m₉, l₉, g₉⟩ => .seq (.of_wp ?_)
  have m₉ : s₉.memory = k.memory := m₉.trans m₈
  have e₉ := e₈.same f₉.keeps (m₉.trans m₈.symm)
  have g₉ : view.lane s₉ 0 0 = ofBytes 128 (bytesAt s₈.memory.bytes k.tag k.tagLen) := g₉
  have small : k.tagLen ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, l ≤ 16 := by decide
    exact this _ p.tagLen
  refine (Proof.Partial.X86_64.keepFirst_ok (v := 11) (k := k.tagLen) (by decide) l₉ small e₉.ones).mono fun s₁₀ l₁₀ => .seq (.of_wp ?_)
  have f₁₀ : Frame [.rax, .r11] [0, 8, 9, 10] s₉ s₁₀ := .of_loaded l₁₀ (by decide)
  have x₁₀ : view.lane s₁₀ 11 0 = ofBytes 128 ((toBytes 16 k.openedTag).take k.tagLen) := by
    rw [show view.lane s₁₀ 11 0 = _ from l₁₀.lane, show (11 : Vec).val = 11 from rfl, f₉.lane 11, tag]
  refine compareTags_ok.mono fun s₁₁ ⟨f₁₁, m₁₁, z₁₁, _⟩ => ?_
  have m₁₁ : s₁₁.memory = k.memory := m₁₁.trans (l₁₀.memory.trans m₉)
  have same : s₁₁.flag .zf = some (verdict k) := by
    rw [z₁₁, x₁₀, f₁₀.lane 0, g₉, m₈, BitVec.xor_comm, verdict_eq small]
  have f₇₁₁ : Frame [.rax, .r11, .rcx, .r8] [8, 9, 10] s₇ s₁₁ := (f₈.mono (by decide) fun _ h => h).trans
    ((f₉.mono (by decide) (by decide)).trans ((f₁₀.mono (by decide) (by decide)).trans (f₁₁.mono (by decide) fun _ h => h)))
  have early : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s s₁₁ :=
    b₆.keeps.trans ((f₇.keeps.mono (by decide)).trans (f₇₁₁.keeps.mono (by decide)))
  have finish {s' : State} (keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s s')
      (hm : s'.memory.bytes = if verdict k then k.text.mem k.len else s.memory.bytes) (hr : s'.gpr .rax = if verdict k then 1 else 0) :
      target.Post contract s s' :=
    have ⟨ensures, narrow, frame⟩ := result s' hm hr
    ⟨ensures, narrow, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩
  refine .revealIf (d := if verdict k then 1 else 0) rfl ?_ (fun hv => .seq (.of_wp ?_)) fun hv => .of_wp ?_
  · show s₁₁.flag .zf = _
    rw [same]
    cases verdict k <;> rfl
  · have v : verdict k = true := by cases h : verdict k <;> simp [h] at hv ⊢
    have e₁₁ := e₇.same f₇₁₁.keeps (m₁₁.trans m₇.symm)
    refine (decrypt_ok (n := 9) r e₁₁ (c₇.of_frame f₇₁₁) (a₇.same f₇₁₁.keeps (m₁₁.trans m₇.symm)) (by decide) m₁₁ ((f₇₁₁.lane 8).trans counter₇)
      ((f₇₁₁.gpr .rdi).trans rdi₇)).mono fun s₁₂ h₁₂ => .of_wp ((leave_ok 1).mono fun s₁₃ ⟨k₁₃, m₁₃, x₁₃⟩ => ?_)
    refine finish (early.trans ((h₁₂.keeps.mono (by decide)).trans (k₁₃.mono (by decide)))) ?_ ?_
    · rw [m₁₃, h₁₂.memory, v]
      rfl
    · rw [x₁₃, v]
      rfl
  · have v : verdict k = false := by cases h : verdict k <;> simp [h] at hv ⊢
    refine (leave_ok 0).mono fun s₁₂ ⟨k₁₂, m₁₂, x₁₂⟩ => finish (early.trans (k₁₂.mono (by decide))) ?_ ?_
    · rw [m₁₂, m₁₁, v, memory]
      rfl
    · rw [x₁₂, v]
      rfl

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_record Message.Witness.values 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.requires (by decide +kernel)) (Witness.declassified (by decide +kernel))

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code_revealing (permits := by decide +kernel) (cleared := .inl (by decide +kernel)) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Open.X86_64
