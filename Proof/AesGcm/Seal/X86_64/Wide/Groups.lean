import Proof.AesGcm.Seal.X86_64.Wide.Group

/-!
# Sealing groups of sixteen blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.AesGcm.X86_64 Proof.AesGcm.X86_64.Wide
open Proof.Aes.X86_64 (lastTenE)
open Proof.GhashBlocks.X86_64 (same_lane)

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d : Nat}

/-- **The first sixteen blocks are sealed.** -/
theorem first_ok {Q : State → Prop} (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory)
    (h : At (Sealed k s₀) k.data k.len 0 s) (hd : 256 ≤ k.len)
    (next : ∀ s', Lag k s₀ 256 s' → s'.gpr .rcx = s.gpr .rcx → s'.gpr .r8 = s.gpr .r8 → Q s') :
    isa.Wp pub (.block Wide.pair) (isa.Wp pub (.block Wide.start) (isa.Wp pub Wide.ahead
      (isa.Wp pub (.block (Wide.lastTen ++ Wide.write)) (isa.Wp pub (.block [.mov .rdi .r9]) Q)))) s := by
  have hs := h.holds
  have env := hs.env r.toReady e m
  refine (pair_ok r env hs.memory hs.key h.next (by omega) hs.counter).mono fun s₁ ⟨k₁, m₁, c₁, h₁, z₁, x₁⟩ => ?_
  refine (start_ok (n := 0) r (env.same k₁ m₁) (m₁.trans hs.memory) ((k₁.gpr _ (by decide)).trans hs.key)
    ((k₁.gpr _ (by decide)).trans h.next) (by omega) (fun l hl => (c₁ l hl).trans (by rw [Nat.zero_div, Spec.Gcm.counter, Nat.zero_add]))).mono
      fun s₂ ⟨b₂, f₂, m₂⟩ => ?_
  have k₂ := k₁.trans f₂.keeps
  have m₂ := m₂.trans m₁
  refine (ahead_ok r (env.same k₂ m₂) (m₂.trans hs.memory) ((k₂.gpr _ (by decide)).trans hs.key)
    ((k₂.gpr _ (by decide)).trans h.next) (by omega) b₂).mono fun s₃ ⟨j, hj, a₃⟩ => ?_
  have m₃ : s₃.memory = k.memory.set (k.text.mem 0) := a₃.memory.trans (m₂.trans hs.memory)
  have f₃ : Keeping [.rdi] [11, 13] s₁ s₃ := (f₂.mono (List.nil_subset _) fun _ h => h).trans a₃.keeping
  have k₃ : Keeps [.rdi] s s₃ := (k₁.mono (List.nil_subset _)).trans f₃.keeps
  refine machine.wp firstOutcome (layout_holds (d := 0) (o := 0) r a₃.env true m₃ a₃.key hj ((k₃.gpr _ (by decide)).trans h.next) (by omega))
    first_checked fun s₄ o => ?_
  have k₄ : Keeps [.rdi] s s₄ := k₃.trans ((Aes.X86_64.keeps_of_ends o [] rfl).mono (List.nil_subset _))
  have m₄ := text_at r rfl (by omega) m₃ hj (p := 0) (o := 0) rfl a₃ o.memory
  refine back_ok ((k₄.gpr _ (by decide)).trans env.key) fun s₅ k₅ v₅ m₅ d₅ => ?_
  have lane (r i : Nat) : view.lane s₅ r i = view.lane s₄ r i := by simp only [view, State.lane, v₅]
  have all : Keeps [.rdi] s s₅ := k₄.trans k₅
  refine next s₅ {
    keeps := hs.frame.keeps.trans (all.mono (by decide))
    mask := by rw [lane, same_lane o rfl, f₃.lanes 13 (by decide), x₁, hs.frame.lane 13]
    whole := rfl
    some := Nat.le_refl _
    le := hd
    memory := m₅.trans m₄
    counters := fun l hl => by
      rw [lane, same_lane o rfl, a₃.blocks.counters l hl]
    hash := by
      rw [lane, same_lane o rfl, f₃.lanes 11 (by decide), h₁, hs.hash]
    zero := by rw [lane, same_lane o rfl, f₃.lanes 11 (by decide), z₁]
    key := d₅ } (all.gpr _ (by decide)) (all.gpr _ (by decide))

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- Past the first sixteen blocks. -/
theorem past_ok (h : Lag k s₀ 256 s) (hd : 256 ≤ k.len) (next : s.gpr .rcx = k.data) (left : s.gpr .r8 = BitVec.ofNat 64 k.len) :
    isa.Wp pub (.block [.alu .add .rcx (imm 256), .alu .sub .r8 (imm 256)]) (At (Lag k s₀) k.data k.len 256) s := by
  refine .cons (s₁ := (s.setReg .rcx (s.gpr .rcx + s.src (imm 256))).setFlags (addFlags (s.gpr .rcx) (s.src (imm 256)))) rfl ?_
  rw [next, src_imm (by decide)]
  generalize hs₁ : (s.setReg .rcx _).setFlags _ = s₁
  have k₁ : Keeps [.rcx, .r8] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have v₁ : s₁.vec = s.vec := by rw [← hs₁]; reads
  have n₁ : s₁.gpr .rcx = k.data + BitVec.ofNat 64 256 := by rw [← hs₁]; reads
  have l₁ : s₁.gpr .r8 = BitVec.ofNat 64 k.len := by rw [← hs₁]; reads; exact left
  have sub : s₁.gpr .r8 - s₁.src (imm 256) = BitVec.ofNat 64 (k.len - 256) := by
    rw [l₁, src_imm (by decide)]
    obtain ⟨n, hn⟩ : ∃ n, k.len = n + 256 := ⟨k.len - 256, by omega⟩
    rw [hn, Nat.add_sub_cancel, BitVec.ofNat_add, BitVec.add_sub_cancel]
  refine .cons (s₁ := (s₁.setReg .r8 (s₁.gpr .r8 - s₁.src (imm 256))).setFlags (subFlags (s₁.gpr .r8) (s₁.src (imm 256)))) rfl (.nil ?_)
  rw [sub]
  exact ⟨Lag.stable _ h (kept k₁) (by reads; exact m₁) (by reads; exact v₁), hd, by reads; exact n₁, by reads⟩

end
end Proof.AesGcm.Seal.X86_64.Wide
