import Proof.AesGcm.Open.Witness
import Proof.AesGcm.Open.X86_64.Decrypt
import Proof.AesGcm.Open.X86_64.Tag
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

/-- What the kernel has on entry. -/
theorem ready_of {s : State} (h : target.Pre contract table s) : Ready (callOf target s) s.memory.constants where
  pre := (pre_of target h).toPre
  table := (h.table (by decide)).2.1
  reads := .of_mem (h.table (by decide)).1
  apart := by
    refine h.table_apart _ ?_ ⟨s.memory.constants, 128⟩ (.head _)
    rw [h.entry.writable]
    refine List.mem_map.2 ⟨⟨"data", .inout, ⟨(callOf target s).data, (callOf target s).len⟩⟩, List.mem_filter.2 ⟨?_, rfl⟩, rfl⟩
    show _ ∈ contract.sig.buffers (target.args contract s) (target.mem s)
    rw [buffers_of]
    exact .tail _ (.tail _ (.tail _ (.tail _ (.head _))))

/-- The structure of arguments is public. -/
theorem args_isPublic (s : State) : Within (target.publicRegions contract table s) ⟨(callOf target s).args, 72⟩ := by
  refine .of_mem (List.mem_append_right _ (List.mem_map.2 ⟨⟨"args", .publicInput, ⟨(callOf target s).args, 72⟩⟩, List.mem_filter.2 ⟨?_, rfl⟩, rfl⟩))
  rw [buffers_of target s]
  exact .tail _ (.head _)

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.WpRevealing (target.publicRegions contract table s) (target.revealed contract s) code (target.Post contract s) s := by
  have r := ready_of h
  have p := pre_of target h
  have isPublic := args_isPublic s
  have result (s' : State) := result_of target (s' := s') h
  rw [revealed_of target h]
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  have ctx : s.gpr .rdi = k.ctx := by rw [← hk]; rfl
  have args : s.gpr .rsi = k.args := by rw [← hk]; rfl
  have number (i : Nat) : k.value i = BitVec.ofNat 64 (k.value i).toNat := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq (.of_wp ((enter_ok r (n := 9) (by decide) memory ctx args rfl p.readsArgs isPublic).mono fun _ w => .seq (.of_wp (w.mono
    fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, z₁⟩ => .seq (.of_wp ?_)))))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  refine (nonce_ok e₁ c₁ a₁ (by decide) p.nonceLen.2 (by rw [m₁]; exact p.readsNonce) z₁).mono fun s₂ ⟨f₂, m₂, z₂, j₂⟩ => .seq (.of_wp ?_)
  have m₂ : s₂.memory = k.memory := m₂.trans m₁
  have e₂ := e₁.same f₂.keeps (m₂.trans m₁.symm)
  have c₂ := c₁.of_frame f₂
  have rdi₂ : s₂.gpr .rdi = k.ctx := (f₂.gpr .rdi).trans ((k₁.gpr .rdi (by decide)).trans ctx)
  refine (mask_ok rdi₂ e₂.keyed c₂ j₂).mono fun s₃ ⟨t₃, i₃, f₃, d₃, m₃⟩ => .seq (.of_wp ?_)
  have m₃ : s₃.memory = k.memory := m₃.trans m₂
  have e₃ := e₂.same f₃.keeps (m₃.trans m₂.symm)
  have f₁₃ : Frame [.rax, .r11, .rcx, .r8, .rdi] [9, 10] s₁ s₃ := (f₂.mono (by decide) (by decide)).trans (f₃.mono (by decide) (by decide))
  have a₃ := a₁.same f₁₃.keeps (m₃.trans m₁.symm)
  refine (arguments_ok 3 a₃ (by decide)).mono fun s₄ ⟨f₄, m₄, p₄, l₄⟩ => .seq (.of_wp ?_)
  have m₄ : s₄.memory = k.memory := m₄.trans m₃
  have e₄ := e₃.same f₄.keeps (m₄.trans m₃.symm)
  have c₄ := (c₁.of_frame f₁₃).of_frame f₄
  refine (absorb_ok e₄ c₄ (k.value 4).isLt p₄ (l₄.trans (number 4)) (by rw [m₄]; exact p.readsAad)).mono fun s₅ ⟨f₅, m₅, h₅⟩ => .seq (.of_wp ?_)
  have m₅ : s₅.memory = k.memory := m₅.trans m₄
  have e₅ := e₄.same f₅.keeps (m₅.trans m₄.symm)
  have c₅ := c₄.of_frame f₅
  have a₅ := (a₃.same f₄.keeps (m₄.trans m₃.symm)).same f₅.keeps (m₅.trans m₄.symm)
  refine (arguments_ok 5 a₅ (by decide)).mono fun s₆ ⟨f₆, m₆, p₆, l₆⟩ => .seq (.of_wp ?_)
  have m₆ : s₆.memory = k.memory := m₆.trans m₅
  have e₆ := e₅.same f₆.keeps (m₆.trans m₅.symm)
  have c₆ := c₅.of_frame f₆
  have a₆ := a₅.same f₆.keeps (m₆.trans m₅.symm)
  refine (absorb_ok e₆ c₆ (k.value 6).isLt p₆ (l₆.trans (number 6)) (by rw [m₆]; exact p.reads)).mono fun s₇ ⟨f₇, m₇, h₇⟩ => .seq (.of_wp ?_)
  have m₇ : s₇.memory = k.memory := m₇.trans m₆
  have e₇ := e₆.same f₇.keeps (m₇.trans m₆.symm)
  have c₇ := c₆.of_frame f₇
  have a₇ := a₆.same f₇.keeps (m₇.trans m₆.symm)
  have j0 : Spec.Gcm.j0 (fixedOf k s.memory.constants).h (bytesAt s₁.memory.bytes k.nonce k.nonceLen) = k.j0 := by rw [m₁]; rfl
  have mask₇ : view.lane s₇ 13 0 = k.key 0 := by
    rw [f₇.lane 13, f₆.lane 13, f₅.lane 13, f₄.lane 13, t₃, j0, m₂]
    exact (k.key_eq 0).symm
  have counter₇ : view.lane s₇ 8 0 = Spec.Gcm.inc32 k.j0 := by
    rw [f₇.lane 8, f₆.lane 8, f₅.lane 8, f₄.lane 8, i₃, j0]
  have rdi₇ : s₇.gpr .rdi = k.ctx := (f₇.gpr .rdi).trans ((f₆.gpr .rdi).trans ((f₅.gpr .rdi).trans ((f₄.gpr .rdi).trans d₃)))
  refine (tag_ok e₇ a₇ (by decide) c₇.mask).mono fun s₈ ⟨f₈, m₈, t₈⟩ => .seq (.of_wp ?_)
  have m₈ : s₈.memory = k.memory := m₈.trans m₇
  have e₈ := e₇.same f₈.keeps (m₈.trans m₇.symm)
  have a₈ := a₇.same f₈.keeps (m₈.trans m₇.symm)
  have tag : view.lane s₈ 11 0 = k.openedTag := by
    rw [t₈, mask₇, h₇, f₆.lane 11, h₅, f₄.lane 11, f₃.lane 11, z₂, m₄, m₆, BitVec.xor_comm]
    rfl
  refine (given_ok e₈ a₈ (by decide) p.tagLen (by rw [m₈]; exact p.readsTag)).mono fun s₉ ⟨f₉, m₉, l₉, g₉⟩ => .seq (.of_wp ?_)
  have m₉ : s₉.memory = k.memory := m₉.trans m₈
  have e₉ := e₈.same f₉.keeps (m₉.trans m₈.symm)
  have small : k.tagLen ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, l ≤ 16 := by decide
    exact this _ p.tagLen
  refine (Proof.Partial.X86_64.keepFirst_ok (v := 11) (k := k.tagLen) (by decide) l₉ small e₉.ones).mono fun s₁₀ l₁₀ => .seq (.of_wp ?_)
  have f₁₀ : Frame [.rax, .r11] [0, 8, 9, 10] s₉ s₁₀ := .of_loaded l₁₀ (by decide)
  have x₁₀ : view.lane s₁₀ 11 0 = ofBytes 128 ((toBytes 16 k.openedTag).take k.tagLen) := by
    rw [show view.lane s₁₀ 11 0 = _ from l₁₀.lane, show (11 : Vec).val = 11 from rfl, f₉.lane 11, tag]
  refine compareTags_ok.mono fun s₁₁ ⟨f₁₁, m₁₁, z₁₁⟩ => ?_
  have m₁₁ : s₁₁.memory = k.memory := m₁₁.trans (l₁₀.memory.trans m₉)
  have same : s₁₁.flag .zf = some (verdict k) := by
    rw [z₁₁, x₁₀, f₁₀.lane 0, g₉, m₈, BitVec.xor_comm, verdict_eq small]
  have f₇₁₁ : Frame [.rax, .r11, .rcx, .r8] [8, 9, 10] s₇ s₁₁ := (f₈.mono (by decide) fun _ h => h).trans
    ((f₉.mono (by decide) (by decide)).trans ((f₁₀.mono (by decide) (by decide)).trans (f₁₁.mono (by decide) fun _ h => h)))
  have early : Keeps [.rax, .rcx, .rdx, .rsi, .rdi, .r8, .r9, .r10, .r11] s s₁₁ :=
    (k₁.mono (by decide)).trans ((f₁₃.keeps.mono (by decide)).trans ((f₄.keeps.mono (by decide)).trans ((f₅.keeps.mono (by decide)).trans
      ((f₆.keeps.mono (by decide)).trans ((f₇.keeps.mono (by decide)).trans (f₇₁₁.keeps.mono (by decide)))))))
  have finish {s' : State} (keeps : Keeps [.rax, .rcx, .rdx, .rsi, .rdi, .r8, .r9, .r10, .r11] s s')
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
