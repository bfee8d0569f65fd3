import Proof.AesGcm.X86_64.Absorb
import Proof.AesGcm.X86_64.Arguments

/-!
# The pre-counter block
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {c : Fixed} {k : Call} {n L : Nat} {p : Addr} {pub : List Region} {s s' : State}

/-- The low lane of what was loaded from a general register. -/
theorem lane_setWidth (v : BitVec 64) : lane (v.setWidth 512) 0 = 0#64 ++ v := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [lane, BitVec.getLsbD_extractLsb', BitVec.getLsbD_setWidth, BitVec.getLsbD_append]
  by_cases h : i < 64
  · simp [h, hi, show i < 512 by omega]
  · simp [h, BitVec.getLsbD_of_ge v i (by omega)]

/-- The low half. -/
theorem qword_append (a b : BitVec 64) : qword (a ++ b) 0 = b := lo64_append a b

/-- A length in bits. -/
theorem shl_three {v : BitVec 64} {L : Nat} (h : v = BitVec.ofNat 64 L) : v <<< 3 = BitVec.ofNat 64 (8 * L) := by
  rw [h]
  apply BitVec.eq_of_toNat_eq
  simp only [BitVec.toNat_shiftLeft, BitVec.toNat_ofNat, Nat.shiftLeft_eq]
  omega

/-- The pre-counter block from a nonce of 12 bytes. -/
theorem twelve_ok (hc : Constants s) (hp : s.gpr .rcx = p) (reads : Within s.memory.readable ⟨p, 12⟩) :
    isa.Wp pub (.block twelve) (fun s' => Frame [.rax, .r11, .r8] [9, 10, 11, 13] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 8 0 = Spec.Gcm.j0 c.h (bytesAt s.memory.bytes p 12)) s := by
  refine wp_load (p := p + 0#64) (m := s.memory) (b := s.memory.bytes) (ea_at (i := 0) (by rw [hp, BitVec.add_zero]) (by decide) rfl) rfl
    (reads.covered (i := 0) (k := 8) (by decide) (by decide)) rfl ?_
  generalize hs₁ : s.setReg .rax _ = s₁
  have k₁ : Keeps [.rax] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have v₁ : s₁.vec = s.vec := by rw [← hs₁]; reads
  have x₁ : s₁.gpr .rax = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₁, BitVec.add_zero]; reads; rfl
  refine wp_load (p := p + 8#64) (m := s.memory) (b := s.memory.bytes) (ea_at (i := 0) (by rw [k₁.gpr _ (by decide), hp, BitVec.add_zero]) (by decide) rfl) m₁
    (reads.covered (i := 8) (k := 4) (by decide) (by decide)) rfl ?_
  generalize hs₂ : s₁.setReg .r11 _ = s₂
  have k₂ : Keeps [.rax, .r11] s s₂ := by rw [← hs₂]; exact kept (k₁.mono (by decide))
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have v₂ : s₂.vec = s.vec := by rw [← hs₂]; reads; exact v₁
  have x₂ : s₂.gpr .rax = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₂]; reads; exact x₁
  have y₂ : s₂.gpr .r11 = ofBytes 64 (bytesAt s.memory.bytes (p + 8#64) 4) := by rw [← hs₂]; reads; rfl
  clear hs₁ hs₂ k₁ m₁ v₁ x₁
  refine .cons (s₁ := s₂.setReg .r8 0x0100000000000000) rfl (.cons (t := []) (s₁ := ((s₂.setReg .r8 0x0100000000000000).setReg .r11
    (s₂.gpr .r11 ||| 0x0100000000000000)).setFlags (logicFlags (s₂.gpr .r11 ||| 0x0100000000000000))) ?_ ?_)
  · simp only [isa, exec, alu_or, State.src]
    reads
  generalize hs₃ : ((s₂.setReg .r8 0x0100000000000000).setReg .r11 _).setFlags _ = s₃
  have k₃ : Keeps [.rax, .r11, .r8] s s₃ := by rw [← hs₃]; exact kept (k₂.mono (by decide))
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s.vec := by rw [← hs₃]; reads; exact v₂
  have x₃ : s₃.gpr .rax = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₃]; reads; exact x₂
  have y₃ : s₃.gpr .r11 = ofBytes 64 (bytesAt s.memory.bytes (p + 8#64) 4) ||| 0x0100000000000000#64 := by
    rw [← hs₃]; reads; rw [y₂]; rfl
  clear hs₃ k₂ m₂ v₂ x₂ y₂
  refine .cons (s₁ := s₃.setVec 8 ((s₃.gpr .rax).setWidth 512)) rfl (.cons (t := []) (s₁ := (s₃.setVec 8 ((s₃.gpr .rax).setWidth 512)).setVec 8
    (ofLanes (s₃.gpr .r11 ++ s₃.gpr .rax) 0 0 0)) ?_ ?_)
  · simp only [isa, exec, State.lane]
    reads
    rw [lane_setWidth, qword_append]
  generalize hs₄ : (s₃.setVec 8 _).setVec 8 _ = s₄
  have k₄ : Keeps [.rax, .r11, .r8] s s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have o₄ (r : Nat) (hr : r ≠ 8) : view.lane s₄ r 0 = view.lane s r 0 := by
    have h8 : r ≠ (8 : Vec).val := hr
    rw [← hs₄, lane_setVec, if_neg h8, lane_setVec, if_neg h8]
    simp only [view, State.lane, v₃]
  have x₄ : view.lane s₄ 8 0 = s₃.gpr .r11 ++ s₃.gpr .rax := by
    rw [← hs₄, lane_setVec, if_pos (show 8 = (8 : Vec).val from rfl), lane_ofLanes_eq]
  refine pshufb_ok ((o₄ 9 (by decide)).trans hc.mask) fun s₅ k₅ m₅ o₅ v₅ => .nil ⟨⟨k₄.trans (k₅.mono (List.nil_subset _)), fun r hr => ?_⟩, m₅.trans m₄, ?_⟩
  · have h8 : r ≠ 8 := by rintro rfl; revert hr; decide
    rw [o₅ r h8, o₄ r h8]
  · rw [show view.lane s₅ 8 0 = bswap128 (view.lane s₄ 8 0) from v₅, x₄, y₃, x₃, j0_twelve]

/-- The running value becomes the counter. -/
def moveOutcome : Outcome VecUn VecBin :=
  { vec := [(8, [.reg 11 0]), (11, [xorE (.reg 11 0) (.reg 11 0)]), keepE 9, keepE 10, keepE 13] }

/-- The running value becomes the counter, and there is no hash yet. -/
theorem move_ok : isa.Wp pub (.block [.vmovdqa .xmm 8 11, Impl.Ghash.X86_64.xor .xmm 11 11]) (fun s' => Frame [] [9, 10, 13] s s' ∧
      s'.memory = s.memory ∧ view.lane s' 8 0 = view.lane s 11 0 ∧ view.lane s' 11 0 = 0) s := by
  refine machine.wp_registers moveOutcome (by decide +kernel) fun s' e => ⟨.of_ends e (by decide +kernel), e.memory, e.vec (r := 8) rfl 0, ?_⟩
  rw [e.vec (r := 11) rfl 0]
  exact BitVec.xor_self

/-- The pre-counter block from a nonce of another length. -/
theorem hashed_ok (e : Env c s) (hc : Constants s) (a : Arguments k n pub s) (hn : 2 < n) (hp : s.gpr .rcx = p)
    (hl : s.gpr .r8 = BitVec.ofNat 64 L) (hk : k.value 2 = BitVec.ofNat 64 L) (hL : L < 2 ^ 61) (other : L ≠ 12)
    (reads : Within s.memory.readable ⟨p, L⟩) (zero : view.lane s 11 0 = 0) : isa.Wp pub hashed (fun s' =>
      Frame [.rax, .r11, .rcx, .r8] [9, 10, 13] s s' ∧ s'.memory = s.memory ∧ view.lane s' 11 0 = 0 ∧
      view.lane s' 8 0 = Spec.Gcm.j0 c.h (bytesAt s.memory.bytes p L)) s := by
  refine .seq ((absorb_ok e hc (by omega) hp hl reads).mono fun s₁ ⟨f₁, m₁, h₁⟩ => .seq ?_)
  refine argument_ok 2 (a.same f₁.keeps m₁) hn fun s₂ k₂ m₂ v₂ g₂ => .publicNil (.seq ?_)
  refine .cons (s₁ := (s₂.setReg .r8 (s₂.gpr .r8 <<< 3)).setFlags (shiftFlags .shl (s₂.gpr .r8) 3)) rfl ?_
  generalize hs₃ : (s₂.setReg .r8 _).setFlags _ = s₃
  have k₃ : Keeps [.rax, .r11, .rcx, .r8] s₁ s₃ := by rw [← hs₃]; exact kept (k₂.mono (by decide))
  have m₃ : s₃.memory = s₁.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s₁.vec := by rw [← hs₃]; reads; exact v₂
  have x₃ : s₃.gpr .r8 = BitVec.ofNat 64 (8 * L) := by
    rw [← hs₃]
    reads
    exact shl_three (g₂.trans hk)
  refine .cons (s₁ := s₃.setVec 0 ((s₃.gpr .r8).setWidth 512)) rfl (.nil (.append ?_))
  generalize hs₄ : s₃.setVec 0 _ = s₄
  have k₄ : Keeps [.rax, .r11, .rcx, .r8] s₁ s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s₁.memory := by rw [← hs₄]; reads; exact m₃
  have o₄ (r : Nat) (hr : r ≠ 0) : view.lane s₄ r 0 = view.lane s₁ r 0 := by
    rw [← hs₄, lane_setVec, if_neg (show r ≠ (0 : Vec).val from hr)]
    simp only [view, State.lane, v₃]
  have x₄ : view.lane s₄ 0 0 = lengths 0 L := by
    rw [← hs₄, lane_setVec, if_pos (show 0 = (0 : Vec).val from rfl), x₃, lane_setWidth]
    rfl
  have f₄ : Frame [.rax, .r11, .rcx, .r8] [9, 10, 13] s s₄ := (f₁.mono (fun _ h => h) (by decide)).trans
    ⟨k₄, fun r hr => o₄ r (by rintro rfl; revert hr; decide)⟩
  refine (hashOne_ok (e.same f₄.keeps (m₄.trans m₁))).mono fun s₅ ⟨f₅, m₅, h₅⟩ => move_ok.mono fun s₆ ⟨f₆, m₆, n₆, z₆⟩ => ?_
  refine ⟨f₄.trans ((f₅.mono (List.nil_subset _) (by decide)).trans (f₆.mono (List.nil_subset _) fun _ h => h)),
    m₆.trans (m₅.trans (m₄.trans m₁)), z₆, ?_⟩
  rw [n₆, h₅, x₄, o₄ 11 (by decide), h₁, zero, j0_other _ _ _ other]

/-- **The pre-counter block.** -/
theorem nonce_ok (e : Env c s) (hc : Constants s) (a : Arguments k n pub s) (hn : 2 < n) (hL : k.nonceLen < 2 ^ 61)
    (reads : Within s.memory.readable ⟨k.nonce, k.nonceLen⟩) (zero : view.lane s 11 0 = 0) : isa.Wp pub nonce (fun s' =>
      Frame [.rax, .r11, .rcx, .r8] [9, 10, 13] s s' ∧ s'.memory = s.memory ∧ view.lane s' 11 0 = 0 ∧
      view.lane s' 8 0 = Spec.Gcm.j0 c.h (bytesAt s.memory.bytes k.nonce k.nonceLen)) s := by
  have number : k.value 2 = BitVec.ofNat 64 k.nonceLen := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq ((arguments_ok 1 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  refine (compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial (l₁.trans number)).mono
    fun s₂ ⟨_, f₂, m₂, _, z₂⟩ => ?_
  have f : Frame [.rax, .r11, .rcx, .r8] (List.range 16) s s₂ := (f₁.mono (by decide) fun _ h => h).trans (f₂.mono (List.nil_subset _) fun _ h => h)
  have m := m₂.trans m₁
  have p₂ := (f₂.gpr .rcx).trans p₁
  refine .ite z₂ (fun z => ?_) fun z => ?_
  · have z : k.nonceLen = 12 := of_decide_eq_true z
    refine (twelve_ok (c := c) (hc.of_frame f) p₂ (by rw [m, ← z]; exact reads)).mono fun s₃ ⟨f₃, m₃, v₃⟩ => ?_
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (by decide) (by decide)), m₃.trans m, ?_, ?_⟩
    · rw [f₃.lane 11, f.lane 11, zero]
    · rw [v₃, m, z]
      rfl
  · refine (hashed_ok (e.same f.keeps m) (hc.of_frame f) (a.same f.keeps m) hn p₂ (((f₂.gpr .r8).trans l₁).trans number) number hL
      (of_decide_eq_false z) (by rw [m]; exact reads) ((f.lane 11).trans zero)).mono fun s₃ ⟨f₃, m₃, z₃, v₃⟩ => ?_
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans f₃, m₃.trans m, z₃, ?_⟩
    rw [v₃, m]
    rfl

end
end Proof.AesGcm.X86_64
