import TCB.X86_64.Isa
import Proof.Framework.BitSet
import Proof.Framework.Taint

/-!
# The taint domain of x86-64

Which general registers, lower (128 bits) and upper parts of vector registers are public, as bit sets (the kernel
computes with them fast), and whether all flags and all mask registers are. Nothing is known about memory outside the
public regions: what is loaded from there is secret.
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The number of a general register. -/
def Reg.index : Reg → Nat
  | .rax => 0 | .rcx => 1 | .rdx => 2 | .rbx => 3 | .rsp => 4 | .rbp => 5 | .rsi => 6 | .rdi => 7
  | .r8 => 8 | .r9 => 9 | .r10 => 10 | .r11 => 11 | .r12 => 12 | .r13 => 13 | .r14 => 14 | .r15 => 15

/-- There are 16 general registers. -/
theorem Reg.index_lt (r : Reg) : r.index < 16 := by cases r <;> decide

/-- Different registers have different numbers. -/
theorem Reg.index_inj {r d : Reg} : r.index = d.index ↔ r = d := by
  refine ⟨fun h => ?_, congrArg _⟩
  have nth : ∀ r : Reg, [Reg.rax, .rcx, .rdx, .rbx, .rsp, .rbp, .rsi, .rdi, .r8, .r9, .r10, .r11, .r12, .r13, .r14,
    .r15][r.index]? = some r := fun r => by cases r <;> rfl
  exact Option.some.inj ((nth r).symm.trans (h ▸ nth d))

/-! ## The domain -/

/-- What is public. -/
structure Dom where
  /-- General registers. -/
  regs : BitVec 16
  /-- Bits 0-127 of vector registers. -/
  low : BitVec 16
  /-- Bits 128-511 of vector registers. -/
  high : BitVec 16
  flags : Bool
  mask : Bool
  deriving Repr

/-- Bits 128-511 of a vector register. -/
def State.upper (s : State) (r : Vec) : BitVec 384 := (s.vec r).extractLsb' 128 384

namespace Dom

/-- The general register is public. -/
def has (x : Dom) (r : Reg) : Bool := x.regs.getLsbD r.index

/-- The low part of the vector register is public. -/
def hasLow (x : Dom) (r : Vec) : Bool := x.low.getLsbD r.val

/-- The general register becomes public, or secret. -/
def setReg (x : Dom) (r : Reg) (v : Bool) : Dom := { x with regs := put x.regs r.index v }

/-- The low part of the vector register becomes public, or secret. -/
def setLow (x : Dom) (r : Vec) (v : Bool) : Dom := { x with low := put x.low r.val v }

/-- The high part of the vector register becomes public, or secret. -/
def setHigh (x : Dom) (r : Vec) (v : Bool) : Dom := { x with high := put x.high r.val v }

/-- The whole vector register becomes public, or secret. -/
def setVec (x : Dom) (r : Vec) (v : Bool) : Dom := (x.setLow r v).setHigh r v

/-- The flags become public, or secret. -/
def setFlags (x : Dom) (v : Bool) : Dom := { x with flags := v }

/-- The address of a memory operand is public. -/
def ea (x : Dom) (a : Ea) : Bool := x.has a.base && a.index.all x.has

/-- The value of an operand is public. -/
def src (x : Dom) : Src → Bool
  | .reg r => x.has r
  | .imm _ => true

/-- The two states agree on what is public. -/
structure Agree (x : Dom) (s₁ s₂ : State) : Prop where
  gpr : ∀ r, x.has r = true → s₁.gpr r = s₂.gpr r
  low : ∀ r, x.hasLow r = true → s₁.xmm r = s₂.xmm r
  high : ∀ r : Vec, x.high.getLsbD r.val = true → s₁.upper r = s₂.upper r
  flag : x.flags = true → s₁.flag = s₂.flag
  mask : x.mask = true → s₁.mask = s₂.mask

/-- `x` calls no more public than `y`. -/
def le (x y : Dom) : Bool :=
  x.regs &&& y.regs == x.regs && x.low &&& y.low == x.low && x.high &&& y.high == x.high &&
    (!x.flags || y.flags) && (!x.mask || y.mask)

/-- What both call public. -/
def meet (x y : Dom) : Dom :=
  ⟨x.regs &&& y.regs, x.low &&& y.low, x.high &&& y.high, x.flags && y.flags, x.mask && y.mask⟩

/-- After an instruction; `none` if its address is not public. -/
def instr (isPublic : Bool) : Instr → Dom → Option Dom
  | .alu op d v, x =>
    let p := x.has d && x.src v
    match op with
    | .add | .sub => some ((x.setReg d p).setFlags p)
    | .cmp | .test => some (x.setFlags p)
  | .clear d, x => some ((x.setReg d true).setFlags true)
  | .load _ d a, x => if x.ea a then some (x.setReg d isPublic) else none
  | .movdquLoad d a, x => if x.ea a then some (x.setLow d isPublic) else none
  | .vmovdquLoad _ d a, x => if x.ea a then some (x.setVec d isPublic) else none
  | .store _ a _, x | .movdquStore a _, x | .vmovdquStore _ a _, x => if x.ea a then some x else none
  -- a register combined with itself gives zero
  | .pxor d r, x => some (x.setLow d (d == r || x.hasLow d && x.hasLow r))
  | .vpxor d r q, x => some (x.setVec d (r == q || x.hasLow r && x.hasLow q))
  | .vzeroupper, x => some { x with high := .allOnes 16 }

/-! ## Soundness -/

/-- What is public after a general register changes. -/
@[simp] theorem has_setReg (x : Dom) (r d : Reg) (v : Bool) : (x.setReg d v).has r = if r = d then v else x.has r := by
  simp [has, setReg, getLsbD_put _ _ r.index_lt, Reg.index_inj]

/-- What is public after a vector register changes. -/
@[simp] theorem hasLow_setLow (x : Dom) (r d : Vec) (v : Bool) :
    (x.setLow d v).hasLow r = if r = d then v else x.hasLow r := by
  simp only [hasLow, setLow, getLsbD_put _ _ r.isLt, Fin.ext_iff]

variable {x y : Dom} {s₁ s₂ : State}

namespace Agree

/-- A general register is written. -/
theorem setReg (h : Agree x s₁ s₂) {d : Reg} {v : Bool} {v₁ v₂ : BitVec 64} (hv : v = true → v₁ = v₂) :
    Agree (x.setReg d v) (s₁.setReg d v₁) (s₂.setReg d v₂) where
  gpr r hr := by
    rw [has_setReg] at hr
    simp only [State.setReg]
    split <;> simp_all [h.gpr]
  low := h.low
  high := h.high
  flag := h.flag
  mask := h.mask

/-- The flags are written. -/
theorem setFlags (h : Agree x s₁ s₂) {v : Bool} {f₁ f₂ : Flag → Option Bool} (hf : v = true → f₁ = f₂) :
    Agree (x.setFlags v) (s₁.setFlags f₁) (s₂.setFlags f₂) :=
  ⟨h.gpr, h.low, h.high, hf, h.mask⟩

/-- The memory is written. -/
theorem setMemory (h : Agree x s₁ s₂) (m₁ m₂ : Memory) : Agree x (s₁.setMemory m₁) (s₂.setMemory m₂) :=
  ⟨h.gpr, h.low, h.high, h.flag, h.mask⟩

/-- The low part of a vector register is written, and the rest of it stays. -/
theorem setXmm (h : Agree x s₁ s₂) {d : Vec} {v : Bool} {v₁ v₂ : BitVec 128} (hv : v = true → v₁ = v₂) :
    Agree (x.setLow d v) (s₁.setXmm d v₁) (s₂.setXmm d v₂) where
  gpr := h.gpr
  low r hr := by
    rw [hasLow_setLow] at hr
    have xmm (s : State) (v : BitVec 128) : (s.setXmm d v).xmm r = if r = d then v else s.xmm r := by
      simp only [State.setXmm, State.setVec, State.xmm]
      split
      · apply BitVec.eq_of_getLsbD_eq
        intro i hi
        have := BitVec.getLsbD_append (x := (s.vec d).extractLsb' 128 384) (y := v) (i := i)
        simpa [hi] using this
      · rfl
    rw [xmm, xmm]
    split <;> simp_all [h.low]
  high r hr := by
    have upper (s : State) (v : BitVec 128) : (s.setXmm d v).upper r = s.upper r := by
      simp only [State.setXmm, State.setVec, State.upper]
      split
      · subst r
        apply BitVec.eq_of_getLsbD_eq
        intro i hi
        have := BitVec.getLsbD_append (x := (s.vec d).extractLsb' 128 384) (y := v) (i := 128 + i)
        simpa [hi, show ¬128 + i < 128 by omega] using this
      · rfl
    rw [upper, upper]
    exact h.high r hr
  flag := h.flag
  mask := h.mask

/-- A vector register is written as a whole. -/
theorem setVec (h : Agree x s₁ s₂) {d : Vec} {v : Bool} {v₁ v₂ : BitVec 512} (hv : v = true → v₁ = v₂) :
    Agree (x.setVec d v) (s₁.setVec d v₁) (s₂.setVec d v₂) where
  gpr := h.gpr
  low r hr := by
    have hr : (x.setLow d v).hasLow r = true := hr
    rw [hasLow_setLow] at hr
    have hl := h.low r
    simp only [State.setVec, State.xmm] at hl ⊢
    split <;> simp_all
  high r hr := by
    simp only [Dom.setVec, setHigh, setLow, getLsbD_put _ _ r.isLt, Fin.val_inj] at hr
    have hh := h.high r
    simp only [State.setVec, State.upper] at hh ⊢
    split <;> simp_all
  flag := h.flag
  mask := h.mask

/-- The high parts of all vector registers are cleared. -/
theorem clearHigh (h : Agree x s₁ s₂) : Agree { x with high := .allOnes 16 } s₁.clearUpper s₂.clearUpper := by
  rw [State.clearUpper, State.clearUpper]
  refine ⟨h.gpr, fun r hr => ?_, fun r _ => ?_, h.flag, h.mask⟩
  · simpa [State.xmm] using h.low r hr
  · apply BitVec.eq_of_getLsbD_eq
    intro i _
    simp [State.upper]

/-- Public addresses are equal. -/
theorem ea (h : Agree x s₁ s₂) {a : Ea} (ha : x.ea a = true) : s₁.ea a = s₂.ea a := by
  obtain ⟨base, index, disp⟩ := a
  simp only [Dom.ea, Bool.and_eq_true] at ha
  cases index with
  | none => simp [State.ea, h.gpr _ ha.1]
  | some i => simp [State.ea, h.gpr _ ha.1, h.gpr i (by simpa using ha.2)]

/-- Public operands are equal. -/
theorem src (h : Agree x s₁ s₂) {v : Src} (hv : x.src v = true) : s₁.src v = s₂.src v := by
  cases v with
  | reg r => exact h.gpr r hv
  | imm => rfl

/-- Loads from a public address leak the same, and give the same bytes if they read a public region. -/
theorem loading (h : Agree x s₁ s₂) {pub : List Region} (hm : MemAgree pub s₁.memory s₂.memory) {a : Ea}
    (ha : x.ea a = true) {n : Nat} {k₁ k₂ : List Byte → State} {s₁' s₂' : State} {t₁ t₂ : Trace}
    (h₁ : s₁.loading a n k₁ = some (s₁', t₁)) (h₂ : s₂.loading a n k₂ = some (s₂', t₂)) {isPublic : Bool}
    (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ ∃ b₁ b₂, s₁' = k₁ b₁ ∧ s₂' = k₂ b₂ ∧ (isPublic = true → b₁ = b₂) := by
  simp only [State.loading, Memory.load, Option.map_eq_some_iff] at h₁ h₂
  obtain ⟨_, e₁, g₁⟩ := h₁
  obtain ⟨_, e₂, g₂⟩ := h₂
  split at e₁ <;> cases e₁
  split at e₂ <;> cases e₂
  cases g₁; cases g₂
  rw [h.ea ha] at hp ⊢
  exact ⟨rfl, _, _, rfl, rfl, fun q => hm.bytesAt (hp q _ _ (.head _))⟩

/-- Stores to a public address leak the same. -/
theorem storing (h : Agree x s₁ s₂) {pub : List Region} (hm : MemAgree pub s₁.memory s₂.memory) {a : Ea}
    (ha : x.ea a = true) {b₁ b₂ : List Byte} (hb : b₁.length = b₂.length) {s₁' s₂' : State} {t₁ t₂ : Trace}
    (h₁ : s₁.storing a b₁ = some (s₁', t₁)) (h₂ : s₂.storing a b₂ = some (s₂', t₂)) :
    t₁ = t₂ ∧ Agree x s₁' s₂' ∧ MemAgree pub s₁'.memory s₂'.memory := by
  simp only [State.storing, Option.map_eq_some_iff] at h₁ h₂
  obtain ⟨⟨m₁, u₁⟩, e₁, g₁⟩ := h₁
  obtain ⟨⟨m₂, u₂⟩, e₂, g₂⟩ := h₂
  cases g₁; cases g₂
  refine ⟨?_, h.setMemory _ _, hm.store e₁ e₂⟩
  simp only [Memory.store] at e₁ e₂
  split at e₁ <;> cases e₁
  split at e₂ <;> cases e₂
  rw [h.ea ha, hb]

end Agree

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
    | add | sub =>
      cases hi
      exact ⟨rfl, (h.setReg fun p => by rw [(e p).1, (e p).2]).setFlags fun p => by rw [(e p).1, (e p).2], hm⟩
    | cmp | test => cases hi; exact ⟨rfl, h.setFlags fun p => by rw [(e p).1, (e p).2], hm⟩
  | clear d => cases h₁; cases h₂; cases hi; exact ⟨rfl, (h.setReg fun _ => rfl).setFlags fun _ => rfl, hm⟩
  | load w d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setReg fun p => by rw [hb p], hm⟩
  | movdquLoad d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setXmm fun p => by rw [hb p], hm⟩
  | vmovdquLoad w d a =>
    simp only [instr] at hi
    simp only [exec] at h₁ h₂
    split at hi <;> cases hi
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, h.setVec fun p => by rw [hb p], hm⟩
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
  | vpxor d r q =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.setVec fun p => ?_, hm⟩
    simp only [Bool.or_eq_true, beq_iff_eq, Bool.and_eq_true] at p
    rcases p with rfl | p
    · simp
    · rw [h.low _ p.1, h.low _ p.2]
  | vzeroupper =>
    cases h₁; cases h₂; cases hi
    refine ⟨rfl, h.clearHigh, ?_⟩
    rw [State.clearUpper, State.clearUpper]
    exact hm

/-- States that agree on what `y` calls public agree on less. -/
theorem Agree.mono (hl : le x y = true) (h : Agree y s₁ s₂) : Agree x s₁ s₂ := by
  simp only [le, Bool.and_eq_true, beq_iff_eq, Bool.or_eq_true, Bool.not_eq_true'] at hl
  obtain ⟨⟨⟨⟨hr, hl⟩, hh⟩, hf⟩, hm⟩ := hl
  exact ⟨fun r p => h.gpr r (getLsbD_of_le hr p), fun r p => h.low r (getLsbD_of_le hl p),
    fun r p => h.high r (getLsbD_of_le hh p), fun p => h.flag (by simpa [p] using hf),
    fun p => h.mask (by simpa [p] using hm)⟩

/-- The meet calls no more public than either. -/
theorem meet_le (x y : Dom) : le (meet x y) x = true ∧ le (meet x y) y = true := by
  have f (a b : Bool) : (!(a && b) || a) = true ∧ (!(a && b) || b) = true := by cases a <;> cases b <;> decide
  simp only [le, meet, and_le, f, beq_self_eq_true, Bool.and_self, and_self]

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
