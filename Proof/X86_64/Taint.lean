import Proof.X86_64.TaintDomain

/-!
# The taint checker for x86-64
-/

set_option autoImplicit false
namespace TCB.X86_64
namespace Dom

/-- After an instruction; `none` if its address is not public. -/
def instr (isPublic : Bool) : Instr → Dom → Option Dom
  | .alu op d v, x =>
    let p := x.has d && x.src v
    match op with
    | .add | .sub | .and | .or | .xor => some ((x.setReg d p).setFlags p)
    | .cmp | .test => some (x.setFlags p)
  | .clear d, x => some ((x.setReg d true).setFlags true)
  | .mov d r, x => some (x.setReg d (x.has r))
  | .movImm d _, x => some (x.setReg d true)
  | .lea d a, x => some (x.setReg d (x.ea a))
  | .bswap d, x => some (x.setReg d (x.has d))
  | .shift _ d n, x =>
    let y := x.setReg d (x.has d)
    some (if n.toNat = 0 then y else y.setFlags (x.has d))
  | .load _ d a, x => if x.ea a then some (x.setReg d isPublic) else none
  | .movdquLoad d a, x => if x.ea a then some (x.setLow d isPublic) else none
  | .vmovdquLoad w d a, x => if x.ea a then some (x.setVec d isPublic (w == .xmm || isPublic)) else none
  | .store _ a _, x | .movdquStore a _, x | .vmovdquStore _ a _, x => if x.ea a then some x else none
  -- a register combined with itself gives zero
  | .pxor d r, x => some (x.setLow d (d == r || x.hasLow d && x.hasLow r))
  | .vecBin op w d r b, x => (x.vecSrc isPublic b).map fun p =>
    x.setVec d (zeroes op r b || x.hasLow r && p.1) (w == .xmm || zeroes op r b || x.hasHigh r && p.2)
  | .vecUn _ w d r, x | .vmovdqa w d r, x => some (x.setVec d (x.hasLow r) (w == .xmm || x.hasHigh r))
  | .vbroadcasti128 d a, x => if x.ea a then some (x.setVec d isPublic isPublic) else none
  | .vinserti128 d r b high, x => (x.vecSrc isPublic b).map fun p =>
    if high then x.setVec d (x.hasLow r) p.1 else x.setVec d p.1 (x.hasHigh r)
  | .vextracti128 d r high, x => some (x.setVec d (if high then x.hasHigh r else x.hasLow r) true)
  | .vmovqFrom d r, x => some (x.setVec d (x.has r) true)
  | .vmovqTo d r, x => some (x.setReg d (x.hasLow r))
  | .vpinsrq d r q _, x => some (x.setVec d (x.hasLow r && x.has q) true)
  | .leaTable d, x => some (x.setReg d true)
  | .vzeroupper, x => some { x with high := .allOnes 16 }

variable {x y : Dom} {s₁ s₂ : State}

/-- The effect of each instruction is right. -/
theorem instr_sound {pub : List Region} {isPublic : Bool} {i : Instr} {s₁' s₂' : State} {t₁ t₂ : Trace}
    (hi : instr isPublic i x = some y) (h : Agree x s₁ s₂) (hm : MemAgree pub s₁.memory s₂.memory)
    (h₁ : exec i s₁ = some (s₁', t₁)) (h₂ : exec i s₂ = some (s₂', t₂))
    (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ Agree y s₁' s₂' ∧ MemAgree pub s₁'.memory s₂'.memory := by
  cases i with
  | alu op d v =>
    have e : (x.has d && x.src v) = true → s₁.gpr d = s₂.gpr d ∧ s₁.src v = s₂.src v := fun e => by
      simp only [Bool.and_eq_true] at e
      exact ⟨h.gpr _ e.1, h.src e.2⟩
    cases h₁; cases h₂
    cases op with
    | add | sub | and | or | xor =>
      cases hi
      exact ⟨rfl, (h.setReg fun p => by rw [(e p).1, (e p).2]).setFlags fun p => by rw [(e p).1, (e p).2], hm⟩
    | cmp | test => cases hi; exact ⟨rfl, h.setFlags fun p => by rw [(e p).1, (e p).2], hm⟩
  | clear d => cases h₁; cases h₂; cases hi; exact ⟨rfl, (h.setReg fun _ => rfl).setFlags fun _ => rfl, hm⟩
  | mov d r => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg (h.gpr r), hm⟩
  | movImm d v => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun _ => rfl, hm⟩
  | lea d a => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg h.ea, hm⟩
  | bswap d => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun p => by rw [h.gpr d p], hm⟩
  | shift op d n =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, ?_⟩
    simp only [State.shift]
    split
    · exact ⟨h.setReg fun p => by rw [h.gpr d p], hm⟩
    · exact ⟨(h.setReg fun p => by rw [h.gpr d p]).setFlags fun p => by rw [h.gpr d p], hm⟩
  | load w d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb, l₁, l₂⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setReg fun p => by rw [hb p], hm⟩
  | movdquLoad d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb, l₁, l₂⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setXmm fun p => by rw [hb p], hm⟩
  | vmovdquLoad w d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb, l₁, l₂⟩ := h.loading hm ‹_› h₁ h₂ hp
    refine ⟨rfl, h.setVec (fun p => by rw [hb p]) fun p => ?_, hm⟩
    cases w with
    | xmm => rw [ofBytes_eq_ofLanes l₁, ofBytes_eq_ofLanes l₂, extractLsb'_ofLanes, extractLsb'_ofLanes]
    | ymm => rw [hb p]
  | vecBin op w d r b =>
    simp only [instr, Option.map_eq_some_iff] at hi
    simp only [exec] at h₁ h₂
    obtain ⟨p, hs, rfl⟩ := hi
    obtain ⟨rfl, y₁, y₂, rfl, rfl, h0, h1, r₁, r₂⟩ := h.vecSrc hm hs h₁ h₂ hp
    rw [Bool.or_assoc]
    refine ⟨rfl, h.setLanewise (fun p => ?_) fun p => ?_, hm⟩ <;> simp only [Bool.or_eq_true, Bool.and_eq_true] at p <;>
      rcases p with z | p
    · rw [Agree.eval_zeroes z r₁, Agree.eval_zeroes z r₂]
    · rw [h.lane0 p.1, h0 p.2]
    · rw [Agree.eval_zeroes z r₁, Agree.eval_zeroes z r₂]
    · rw [h.lane1 p.1, h1 p.2]
  | vecUn op w d r =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setLanewise (fun p => by rw [h.lane0 p]) (fun p => by rw [h.lane1 p]), hm⟩
  | vmovdqa w d r =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setLanewise h.lane0 h.lane1, hm⟩
  | vbroadcasti128 d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb, l₁, l₂⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setLanes (fun p => by rw [hb p]) (fun p => by rw [hb p]), hm⟩
  | vinserti128 d r b high =>
    simp only [instr, Option.map_eq_some_iff] at hi
    simp only [exec] at h₁ h₂
    obtain ⟨p, hs, rfl⟩ := hi
    obtain ⟨rfl, y₁, y₂, rfl, rfl, h0, h1, _⟩ := h.vecSrc hm hs h₁ h₂ hp
    refine ⟨rfl, ?_, hm⟩
    cases high
    · exact h.setLanes h0 h.lane1
    · exact h.setLanes h.lane0 h0
  | vextracti128 d r high =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.setLanes (fun p => ?_) fun _ => rfl, hm⟩
    cases high
    · exact h.lane0 p
    · exact h.lane1 p
  | vmovqFrom d r =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.setVec (fun p => by rw [h.gpr r p]) fun _ => ?_, hm⟩
    simp only [setWidth_eq_ofLanes _ (show 64 ≤ 128 by decide), extractLsb'_ofLanes]
  | vmovqTo d r =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setReg fun p => by rw [h.lane0 p], hm⟩
  | vpinsrq d r q high =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.setLanes (fun p => ?_) fun _ => rfl, hm⟩
    simp only [Bool.and_eq_true] at p
    rw [h.lane0 p.1, h.gpr q p.2]
  | store w a r | movdquStore a r | vmovdquStore w a r =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    exact h.storing hm ‹_› (by simp) h₁ h₂
  | pxor d r =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.setXmm fun p => ?_, hm⟩
    simp only [Bool.or_eq_true, beq_iff_eq, Bool.and_eq_true] at p
    rcases p with rfl | p
    · simp
    · rw [h.low _ p.1, h.low _ p.2]
  | leaTable d => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun _ => hm.constants, hm⟩
  | vzeroupper =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.clearHigh, ?_⟩
    rw [State.clearUpper, State.clearUpper]
    exact hm

end Dom

open Dom in
/-- The taint checker for x86-64. -/
def taint : Taint isa State.memory Dom where
  agree := Agree
  le := le
  meet := meet
  instr := instr
  cond _ x := x.flags
  le_sound := Agree.mono
  meet_left := Agree.mono (meet_le _ _).1
  meet_right := Agree.mono (meet_le _ _).2
  instr_sound := instr_sound
  cond_sound {c _ _ _} h ha := by cases c <;> simp [isa, eval, ha.flag h]

end TCB.X86_64
