import Proof.AesGcm.Open.X86_64.Groups
import Proof.AesGcm.X86_64.Enter

/-!
# Restoring the groups, when the tag is wrong
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64
open Proof.AesCtr32.X86_64 (paddd_one)

/-- The counter goes on. -/
def countOutcome : Outcome VecUn VecBin := { vec := [(8, [.bin .paddd (.reg 8 0) (.reg 10 0)]), keepE 9, keepE 10] }

/-- Of `d` bytes that were decrypted, the first `i` are as they were on entry. -/
structure Restored (k : Call) {d : Nat} (hd : d ≤ k.len) (s₀ : State) (i : Nat) (s : State) : Prop where
  frame : Frame [.rdi, .rcx, .r8] [9, 10] s₀ s
  whole : i % 128 = 0
  memory : s.memory = k.memory.set ((k.text.again d hd).mem i)
  counter : view.lane s 8 0 = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (i / 16)
  key : s.gpr .rdi = k.ctx

section
variable {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d i n : Nat}

/-- Counting changes nothing. -/
theorem Restored.stable {hd : d ≤ k.len} (i : Nat) : Stable [.rcx, .r8] (Restored k hd s₀ i) := fun s s' h g m v =>
  ⟨h.frame.trans (.of_vec (g.mono (by decide)) v), h.whole, m.trans h.memory, by rw [← h.counter]; simp only [view, State.lane, v],
    (g.gpr _ (by decide)).trans h.key⟩

/-- The key context and the table hold what they should. -/
theorem holds_again (r : Ready k tab) (hd : d ≤ k.len) (i : Nat) : Holds (fixedOf k tab) ((k.text.again d hd).mem i) := by
  have apart {q : Region} (h : (Region.mk k.data k.len).Disjoint q) : (Region.mk k.data d).Disjoint q :=
    fun x ⟨h₁, h₂⟩ => h x ⟨Nat.lt_of_lt_of_le h₁ hd, h₂⟩
  exact (r.holds_mem d).congr r.pre.rounds ((k.text.again d hd).bytesAt_mem_apart i (by decide) (apart r.pre.apartCtx))
    ((k.text.again d hd).bytesAt_mem_apart i (by decide) (apart r.apart))

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- **The groups become what they were.** -/
theorem restore_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (a : Arguments k n pub s) (hn : 6 < n) (hd : d = k.len - k.len % 128)
    (m : s.memory = k.memory.set (k.text.mem d)) :
    isa.Wp pub restore (fun s' => Keeps [.rax, .r11, .rdi, .rcx, .r8] s s' ∧ s'.memory = k.memory) s := by
  have le : d ≤ k.len := by omega
  refine .seq ((constants_ok e).mono fun s₁ ⟨k₁, m₁, c₁, z₁⟩ => .seq ?_)
  have e₁ := e.same k₁ m₁
  have a₁ := a.same k₁ m₁
  refine (nonce_ok e₁ c₁ a₁ (by omega) r.pre.nonceLen.2 (by rw [m₁, m]; exact r.pre.readsNonce) z₁).mono fun s₂ ⟨f₂, m₂, _, j₂⟩ => .seq ?_
  have m₂ : s₂.memory = s.memory := m₂.trans m₁
  have j₂ : view.lane s₂ 8 0 = k.j0 := by
    have : bytesAt s₁.memory.bytes k.nonce k.nonceLen = bytesAt k.memory.bytes k.nonce k.nonceLen := by
      rw [m₁, m]
      exact k.text.bytesAt_mem_apart d (by have := r.pre.nonceLen; omega) r.pre.apartNonce
    rw [j₂, this]
    rfl
  have c₂ := c₁.of_frame f₂
  refine machine.wp_registers countOutcome (by decide +kernel) fun s₃ o₃ => .seq ?_
  have f₃ : Frame [] [9, 10] s₂ s₃ := .of_ends o₃ (by decide +kernel)
  have m₃ : s₃.memory = s.memory := Eq.trans o₃.memory m₂
  have i₃ : view.lane s₃ 8 0 = Spec.Gcm.inc32 k.j0 := by
    have : view.lane s₃ 8 0 = VecBin.eval .paddd (view.lane s₂ 8 0) (view.lane s₂ 10 0) := o₃.vec (r := 8) rfl 0
    rw [this, c₂.one, j₂, paddd_one]
  refine .cons (s₁ := s₃.setReg .rdi (s₃.gpr .r9)) rfl (.nil (.seq ?_))
  generalize hs₄ : s₃.setReg .rdi _ = s₄
  have k₄ : Keeps [.rdi] s₃ s₄ := by rw [← hs₄]; exact kept (Keeps.refl _ s₃)
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have f₄ : Frame [.rdi] [8, 9, 10] s₃ s₄ := .of_vec k₄ (by rw [← hs₄]; reads)
  have keeps₄ : Keeps [.rax, .r11, .rdi, .rcx, .r8] s s₄ := (k₁.mono (List.nil_subset _)).trans ((f₂.keeps.mono (by decide)).trans
    ((f₃.keeps.mono (List.nil_subset _)).trans (k₄.mono (by decide))))
  have d₄ : s₄.gpr .rdi = k.ctx := by
    rw [← hs₄]; reads; exact (f₃.gpr .r9).trans ((f₂.gpr .r9).trans e₁.key)
  refine (arguments_ok 5 (a.same keeps₄ m₄) hn).mono fun s₅ ⟨f₅, m₅, p₅, l₅⟩ => ?_
  have l₅ : s₅.gpr .r8 = BitVec.ofNat 64 k.len := l₅.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  have keeps₅ : Keeps [.rax, .r11, .rdi, .rcx, .r8] s s₅ := keeps₄.trans (f₅.keeps.mono (by decide))
  have m₅ : s₅.memory = s.memory := m₅.trans m₄
  have e₅ := e.same keeps₅ m₅
  have c₅ : Constants s₅ := (((c₂.of_frame f₃).of_frame f₄).of_frame f₅)
  have start : At (Restored k le s₅) k.data k.len 0 s₅ := {
    holds := {
      frame := .refl _ _ s₅
      whole := rfl
      memory := by rw [m₅, m, Text.mem_zero]; rfl
      counter := (f₅.lane 8).trans ((f₄.lane 8).trans i₃)
      key := (f₅.gpr .rdi).trans d₄ }
    le := Nat.zero_le _
    next := p₅.trans (BitVec.add_zero _).symm
    left := l₅ }
  refine (runs_ok (L := k.len) (n := 128) Restored.stable (k.value 6).isLt (by decide) start fun {i s₆} h hi => ?_).mono fun s₆ ⟨i, h₆, _, few⟩ => ?_
  · have hs := h.holds
    have whole := hs.whole
    have all : i + 128 ≤ d := by omega
    have e₆ : Env (fixedOf k tab) s₆ := e₅.set hs.frame.keeps (by decide) (by rw [hs.memory, m₅, m]; rfl) (holds_again r le i)
    refine (decrypt_ok (T := k.text.again d le) (m := k.memory) e₆ (c₅.of_frame hs.frame) Ready.key_text
      (fun a k hk => r.pre.reads a k (Nat.le_trans hk le)) (fun a k hk => r.pre.writes a k (Nat.le_trans hk le)) hs.key (by omega) all h.next
      hs.memory hs.counter).mono fun s₇ ⟨f₇, m₇, c₇, k₇⟩ => ⟨⟨?_, by omega, m₇, c₇, k₇⟩, f₇.gpr .rcx, f₇.gpr .r8⟩
    exact hs.frame.trans (f₇.mono (by decide) (by decide))
  · have hs := h₆.holds
    have whole := hs.whole
    have few : k.len - i < 128 := few
    have le₆ := h₆.le
    obtain rfl : i = d := by omega
    refine ⟨keeps₅.trans (hs.frame.keeps.mono (by decide)), ?_⟩
    rw [hs.memory, Text.mem_again]
    rfl

end
end Proof.AesGcm.Open.X86_64
