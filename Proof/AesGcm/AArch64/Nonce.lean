import Proof.AesGcm.AArch64.Absorb
import Proof.AesGcm.AArch64.Arguments

/-!
# The pre-counter block
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.AArch64

/-- Both halves are set. -/
theorem set_both (v : BitVec 128) (x y : BitVec 64) : Lane.set (.d 1) (Lane.set (.d 0) v x) y = y ++ x := by
  show y ++ lo64 (lane 64 v 1 ++ x) = y ++ x
  rw [lo64_append]

/-- A number with zeros above. -/
theorem setWidth_append (v : BitVec 64) : v.setWidth 128 = 0#64 ++ v :=
  (Proof.Partial.AArch64.set_low v).symm.trans (congrArg (· ++ v) (by decide : lane 64 0 1 = 0#64))

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {c : Fixed} {k : Call} {n L : Nat} {p : Addr} {pub : List Region} {s s' : State}

/-- The pre-counter block from a nonce of 12 bytes. -/
theorem twelve_ok (hp : s.gpr .x3 = p) (reads : Within s.memory.readable ⟨p, 12⟩) :
    isa.Wp pub (.block twelve) (fun s' => Frame [.x5, .x6, .x4] [18, 20, 21, 31] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 17 0 = held (Spec.Gcm.j0 c.h (bytesAt s.memory.bytes p 12))) s := by
  have one : Un.eval (.lsl 47) ((0x0100 : BitVec 16).setWidth 64) = 0x0100000000000000#64 := by decide
  refine wp_ldr (t := .gpr .dword .x5) (p := p) (m := s.memory) (b := s.memory.bytes) (ea_at hp) rfl
    (by have := reads.covered (i := 0) (k := 8) (by decide) (by decide); rwa [BitVec.add_zero] at this) rfl ?_
  generalize hs₁ : s.put _ _ = s₁
  have k₁ : Keeps [.x5, .x6, .x4] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have v₁ : s₁.vec = s.vec := by rw [← hs₁]; vecs
  have x₁ : s₁.gpr .x5 = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₁]; reads; rfl
  refine wp_ldr (t := .gpr .word .x6) (p := p + 8#64) (m := s.memory) (b := s.memory.bytes)
    (ea_word (i := 2) (l := 4) ((k₁.gpr _ (by decide)).trans hp) (by decide)) m₁
    (reads.covered (i := 8) (k := 4) (by decide) (by decide)) rfl ?_
  generalize hs₂ : s₁.put _ _ = s₂
  have k₂ : Keeps [.x5, .x6, .x4] s s₂ := by rw [← hs₂]; exact kept k₁
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have v₂ : s₂.vec = s.vec := by rw [← hs₂]; vecs; exact v₁
  have x₂ : s₂.gpr .x5 = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₂]; reads; exact x₁
  have y₂ : s₂.gpr .x6 = ofBytes 64 (bytesAt s.memory.bytes (p + 8#64) 4) := by rw [← hs₂]; reads; rfl
  clear hs₁ hs₂ k₁ m₁ v₁ x₁
  refine .cons rfl (.cons rfl (.cons rfl ?_))
  generalize hs₃ : ((s₂.setReg .x4 _).setReg .x4 _).setReg .x6 _ = s₃
  have k₃ : Keeps [.x5, .x6, .x4] s s₃ := by rw [← hs₃]; exact kept k₂
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s.vec := by rw [← hs₃]; vecs; exact v₂
  have x₃ : s₃.gpr .x5 = ofBytes 64 (bytesAt s.memory.bytes p 8) := by rw [← hs₃]; reads; exact x₂
  have y₃ : s₃.gpr .x6 = ofBytes 64 (bytesAt s.memory.bytes (p + 8#64) 4) ||| 0x0100000000000000#64 := by
    rw [← hs₃]; reads; rw [y₂, one]; rfl
  clear hs₃ k₂ m₂ v₂ x₂ y₂
  refine .cons rfl (.cons rfl ?_)
  generalize hs₄ : (s₃.setVec 17 _).setVec 17 _ = s₄
  have k₄ : Keeps [.x5, .x6, .x4] s s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have o₄ (r : Nat) (hr : r ≠ 17) : view.lane s₄ r 0 = view.lane s r 0 := by
    have hr : r ≠ (17 : Vec).val := hr
    rw [← hs₄, lane_setVec, if_neg hr, lane_setVec, if_neg hr]
    simp only [view, v₃]
  have x₄ : s₄.vec 17 = s₃.gpr .x6 ++ s₃.gpr .x5 := by
    rw [← hs₄]
    reads
    exact set_both ..
  refine .cons (s₁ := s₄.setVec 17 (VecUn.rev32.eval (s₄.vec 17))) rfl (.nil ⟨⟨kept k₄, fun r hr => ?_⟩, by reads; exact m₄, ?_⟩)
  · have h17 : r ≠ 17 := by rintro rfl; revert hr; decide
    rw [lane_setVec, if_neg (show r ≠ (17 : Vec).val from h17), o₄ r h17]
  · rw [lane_setVec, if_pos (show 17 = (17 : Vec).val from rfl), if_pos rfl, x₄, y₃, x₃, held, j0_twelve, bswap128_bswap128]

/-- The running value becomes the counter. -/
def moveOutcome : Outcome VecUn SymBin :=
  outcome ([(17, [.un .rev32 (reverseE (.reg 20 0))]), (20, [.const 0])] ++ keptE [18, 21, 31])

/-- The running value becomes the counter, and there is no hash yet. -/
theorem move_ok : isa.Wp pub (.block move) (fun s' => Frame [] [18, 21, 31] s s' ∧
      s'.memory = s.memory ∧ view.lane s' 17 0 = held (view.lane s 20 0) ∧ view.lane s' 20 0 = 0) s := by
  refine machine.wp_registers moveOutcome (by decide +kernel) fun s' e => ⟨.of_ends e (by decide +kernel), e.memory, ?_, e.vec (r := 20) rfl 0⟩
  refine Eq.trans (e.vec (r := 17) rfl 0) ?_
  show VecUn.rev32.eval ((reverseE (.reg 20 0)).at (fun _ => 0) view s) = _
  rw [reverseE_at]
  rfl

/-- The pre-counter block from a nonce of another length. -/
theorem hashed_ok (e : Env c s) (hc : Constants s) (a : Arguments k n pub s) (hn : 2 < n) (hp : s.gpr .x3 = p)
    (hl : s.gpr .x4 = BitVec.ofNat 64 L) (hk : k.value 2 = BitVec.ofNat 64 L) (hL : L < 2 ^ 61) (other : L ≠ 12)
    (reads : Within s.memory.readable ⟨p, L⟩) (zero : view.lane s 20 0 = 0) : isa.Wp pub hashed (fun s' =>
      Frame [.x5, .x6, .x7, .x3, .x4] [18, 21, 31] s s' ∧ s'.memory = s.memory ∧ view.lane s' 20 0 = 0 ∧
      view.lane s' 17 0 = held (Spec.Gcm.j0 c.h (bytesAt s.memory.bytes p L))) s := by
  refine .seq ((absorb_ok e hc (by omega) hp hl reads).mono fun s₁ ⟨f₁, m₁, h₁⟩ => .seq ?_)
  refine argument_ok 2 (a.same f₁.keeps m₁) hn fun s₂ k₂ m₂ v₂ g₂ => .publicNil (.seq ?_)
  refine .cons (s₁ := s₂.setReg .x4 (s₂.gpr .x4 <<< 3)) rfl ?_
  rw [shl_three (g₂.trans hk)]
  generalize hs₃ : s₂.setReg .x4 _ = s₃
  have k₃ : Keeps [.x5, .x6, .x7, .x3, .x4] s₁ s₃ := by rw [← hs₃]; exact kept (k₂.mono (by decide))
  have m₃ : s₃.memory = s₁.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s₁.vec := by rw [← hs₃]; vecs; exact v₂
  have x₃ : s₃.gpr .x4 = BitVec.ofNat 64 (8 * L) := by rw [← hs₃]; reads
  refine Proof.Partial.AArch64.wp_set x₃ (.nil (.append ?_))
  generalize hs₄ : (s₃.setVec 0 _).setVec 0 _ = s₄
  have k₄ : Keeps [.x5, .x6, .x7, .x3, .x4] s₁ s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s₁.memory := by rw [← hs₄]; reads; exact m₃
  have o₄ (r : Nat) (hr : r ≠ 0) : view.lane s₄ r 0 = view.lane s₁ r 0 := by
    have hr : r ≠ (0 : Vec).val := hr
    rw [← hs₄, lane_setVec, if_neg hr, lane_setVec, if_neg hr]
    simp only [view, v₃]
  have x₄ : view.lane s₄ 0 0 = lengths 0 L := by
    rw [← hs₄, lane_setVec, if_pos (show 0 = (0 : Vec).val from rfl), if_pos rfl, setWidth_append]
    rfl
  have f₄ : Frame [.x5, .x6, .x7, .x3, .x4] [18, 21, 31] s s₄ := (f₁.mono (fun _ h => h) (by decide)).trans
    ⟨k₄, fun r hr => o₄ r (by rintro rfl; revert hr; decide)⟩
  refine (hashOne_ok (e.same f₄.keeps (m₄.trans m₁)) (hc.of_frame f₄)).mono fun s₅ ⟨f₅, m₅, h₅⟩ =>
    move_ok.mono fun s₆ ⟨f₆, m₆, n₆, z₆⟩ => ?_
  refine ⟨f₄.trans ((f₅.mono (List.nil_subset _) (by decide)).trans (f₆.mono (List.nil_subset _) fun _ h => h)),
    m₆.trans (m₅.trans (m₄.trans m₁)), z₆, ?_⟩
  rw [n₆, h₅, x₄, o₄ 20 (by decide), h₁, zero, j0_other _ _ _ other]

/-- **The pre-counter block.** -/
theorem nonce_ok (e : Env c s) (hc : Constants s) (a : Arguments k n pub s) (hn : 2 < n) (hL : k.nonceLen < 2 ^ 61)
    (reads : Within s.memory.readable ⟨k.nonce, k.nonceLen⟩) (zero : view.lane s 20 0 = 0) : isa.Wp pub nonce (fun s' =>
      Frame [.x5, .x6, .x7, .x3, .x4] [18, 21, 31] s s' ∧ s'.memory = s.memory ∧ view.lane s' 20 0 = 0 ∧
      view.lane s' 17 0 = held (Spec.Gcm.j0 c.h (bytesAt s.memory.bytes k.nonce k.nonceLen))) s := by
  have number : k.value 2 = BitVec.ofNat 64 k.nonceLen := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq ((arguments_ok 1 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  refine (compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial (l₁.trans number)).mono
    fun s₂ ⟨_, f₂, m₂, _, z₂, _⟩ => ?_
  have f : Frame [.x5, .x6, .x7, .x3, .x4] (List.range 32) s s₂ := (f₁.mono (by decide) fun _ h => h).trans (f₂.mono (List.nil_subset _) fun _ h => h)
  have m := m₂.trans m₁
  have p₂ := (f₂.gpr .x3).trans p₁
  refine .ite z₂ (fun z => ?_) fun z => ?_
  · have z : k.nonceLen = 12 := of_decide_eq_true z
    refine (twelve_ok (c := c) p₂ (by rw [m, ← z]; exact reads)).mono fun s₃ ⟨f₃, m₃, v₃⟩ => ?_
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (by decide) (by decide)), m₃.trans m, ?_, ?_⟩
    · rw [f₃.lane 20, f.lane 20, zero]
    · rw [v₃, m, z]
      rfl
  · refine (hashed_ok (e.same f.keeps m) (hc.of_frame f) (a.same f.keeps m) hn p₂ (((f₂.gpr .x4).trans l₁).trans number) number hL
      (of_decide_eq_false z) (by rw [m]; exact reads) ((f.lane 20).trans zero)).mono fun s₃ ⟨f₃, m₃, z₃, v₃⟩ => ?_
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans f₃, m₃.trans m, z₃, ?_⟩
    rw [v₃, m]
    rfl

end
end Proof.AesGcm.AArch64
