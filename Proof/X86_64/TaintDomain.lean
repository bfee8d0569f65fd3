import Proof.X86_64.Lane
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

/-- The high part of the vector register is public. -/
def hasHigh (x : Dom) (r : Vec) : Bool := x.high.getLsbD r.val

/-- The general register becomes public, or secret. -/
def setReg (x : Dom) (r : Reg) (v : Bool) : Dom := { x with regs := put x.regs r.index v }

/-- The low part of the vector register becomes public, or secret. -/
def setLow (x : Dom) (r : Vec) (v : Bool) : Dom := { x with low := put x.low r.val v }

/-- The high part of the vector register becomes public, or secret. -/
def setHigh (x : Dom) (r : Vec) (v : Bool) : Dom := { x with high := put x.high r.val v }

/-- The parts of the vector register become public, or secret. -/
def setVec (x : Dom) (r : Vec) (low high : Bool) : Dom := (x.setLow r low).setHigh r high

/-- The flags become public, or secret. -/
def setFlags (x : Dom) (v : Bool) : Dom := { x with flags := v }

/-- The address of a memory operand is public. -/
def ea (x : Dom) (a : Ea) : Bool := x.has a.base && a.index.all x.has

/-- The value of an operand is public. -/
def src (x : Dom) : Src → Bool
  | .reg r => x.has r
  | .imm _ => true

/-- Which parts of a vector register or memory operand are public; `none` if its address is not. -/
def vecSrc (isPublic : Bool) (x : Dom) : VecSrc → Option (Bool × Bool)
  | .reg r => some (x.hasLow r, x.hasHigh r)
  | .mem a => if x.ea a then some (isPublic, isPublic) else none

/-- A register is combined with itself, which gives zero. -/
def zeroes : VecBin → Vec → VecSrc → Bool
  | .pxor, a, .reg b => a == b
  | _, _, _ => false

/-- The two states agree on what is public. -/
structure Agree (x : Dom) (s₁ s₂ : State) : Prop where
  gpr : ∀ r, x.has r = true → s₁.gpr r = s₂.gpr r
  low : ∀ r, x.hasLow r = true → s₁.xmm r = s₂.xmm r
  high : ∀ r, x.hasHigh r = true → s₁.upper r = s₂.upper r
  flag : x.flags = true → s₁.flag = s₂.flag
  mask : x.mask = true → s₁.mask = s₂.mask

/-- `x` calls no more public than `y`. -/
def le (x y : Dom) : Bool :=
  x.regs &&& y.regs == x.regs && x.low &&& y.low == x.low && x.high &&& y.high == x.high &&
    (!x.flags || y.flags) && (!x.mask || y.mask)

/-- What both call public. -/
def meet (x y : Dom) : Dom :=
  ⟨x.regs &&& y.regs, x.low &&& y.low, x.high &&& y.high, x.flags && y.flags, x.mask && y.mask⟩

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

/-- A public lowest lane. -/
theorem lane0 (h : Agree x s₁ s₂) {r : Vec} (hr : x.hasLow r = true) : s₁.lane r 0 = s₂.lane r 0 := by
  rw [State.lane, State.lane, lane_zero, lane_zero]
  exact h.low r hr

/-- A public second lane. -/
theorem lane1 (h : Agree x s₁ s₂) {r : Vec} (hr : x.hasHigh r = true) : s₁.lane r 1 = s₂.lane r 1 := by
  have e : (s₁.vec r).extractLsb' 128 384 = (s₂.vec r).extractLsb' 128 384 := h.high r hr
  rw [State.lane, State.lane, lane_succ, lane_succ, e]

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
theorem setVec (h : Agree x s₁ s₂) {d : Vec} {low high : Bool} {v₁ v₂ : BitVec 512}
    (hl : low = true → v₁.setWidth 128 = v₂.setWidth 128)
    (hh : high = true → v₁.extractLsb' 128 384 = v₂.extractLsb' 128 384) :
    Agree (x.setVec d low high) (s₁.setVec d v₁) (s₂.setVec d v₂) where
  gpr := h.gpr
  low r hr := by
    have hr : (x.setLow d low).hasLow r = true := hr
    rw [hasLow_setLow] at hr
    have hx := h.low r
    simp only [State.setVec, State.xmm] at hx ⊢
    split <;> simp_all
  high r hr := by
    simp only [Dom.setVec, hasHigh, setHigh, setLow, getLsbD_put _ _ r.isLt, Fin.val_inj] at hr
    have hx := h.high r
    simp only [State.setVec, State.upper, hasHigh] at hx ⊢
    split <;> simp_all
  flag := h.flag
  mask := h.mask

/-- A vector register is written by lanes. -/
theorem setLanes (h : Agree x s₁ s₂) {d : Vec} {low high : Bool} {a₁ b₁ a₂ b₂ : BitVec 128}
    (hl : low = true → a₁ = a₂) (hh : high = true → b₁ = b₂) :
    Agree (x.setVec d low high) (s₁.setVec d (ofLanes a₁ b₁ 0 0)) (s₂.setVec d (ofLanes a₂ b₂ 0 0)) := by
  refine h.setVec (fun p => ?_) fun p => ?_
  · rw [setWidth_ofLanes, setWidth_ofLanes, hl p]
  · rw [extractLsb'_ofLanes, extractLsb'_ofLanes, hh p]

/-- A vector register is written as wide as an operation is. -/
theorem setLanewise (h : Agree x s₁ s₂) {d : Vec} {w : VecWidth} {low high : Bool} {f₁ f₂ : Nat → BitVec 128}
    (hl : low = true → f₁ 0 = f₂ 0) (hh : high = true → f₁ 1 = f₂ 1) :
    Agree (x.setVec d low (w == .xmm || high)) (s₁.setVec d (w.lanewise f₁)) (s₂.setVec d (w.lanewise f₂)) := by
  cases w
  · exact h.setLanes hl fun _ => rfl
  · exact h.setLanes hl hh

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
    t₁ = t₂ ∧ ∃ b₁ b₂, s₁' = k₁ b₁ ∧ s₂' = k₂ b₂ ∧ (isPublic = true → b₁ = b₂) ∧ b₁.length = n ∧ b₂.length = n := by
  simp only [State.loading, Memory.load, Option.map_eq_some_iff] at h₁ h₂
  obtain ⟨_, e₁, g₁⟩ := h₁
  obtain ⟨_, e₂, g₂⟩ := h₂
  split at e₁ <;> cases e₁
  split at e₂ <;> cases e₂
  cases g₁; cases g₂
  rw [h.ea ha] at hp ⊢
  exact ⟨rfl, _, _, rfl, rfl, fun q => hm.bytesAt (hp q _ _ (.head _)), by simp [bytesAt], by simp [bytesAt]⟩

/-- Reads of a vector operand leak the same, and give the same public lanes. -/
theorem vecSrc (h : Agree x s₁ s₂) {pub : List Region} (hm : MemAgree pub s₁.memory s₂.memory) {w : VecWidth}
    {b : VecSrc} {isPublic : Bool} {p : Bool × Bool} (hb : x.vecSrc isPublic b = some p)
    {k₁ k₂ : BitVec 512 → State} {s₁' s₂' : State} {t₁ t₂ : Trace}
    (h₁ : s₁.vecSrc w b k₁ = some (s₁', t₁)) (h₂ : s₂.vecSrc w b k₂ = some (s₂', t₂))
    (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ ∃ y₁ y₂, s₁' = k₁ y₁ ∧ s₂' = k₂ y₂ ∧ (p.1 = true → lane y₁ 0 = lane y₂ 0) ∧
      (p.2 = true → lane y₁ 1 = lane y₂ 1) ∧ (∀ r, b = .reg r → y₁ = s₁.vec r) ∧ ∀ r, b = .reg r → y₂ = s₂.vec r := by
  cases b with
  | reg r =>
    cases hb; cases h₁; cases h₂
    exact ⟨rfl, _, _, rfl, rfl, h.lane0, h.lane1, fun _ e => by cases e; rfl, fun _ e => by cases e; rfl⟩
  | mem a =>
    simp only [Dom.vecSrc] at hb
    simp only [State.vecSrc] at h₁ h₂
    split at hb <;> cases hb
    obtain ⟨rfl, b₁, b₂, rfl, rfl, hb, _⟩ := h.loading hm ‹_› h₁ h₂ hp
    exact ⟨rfl, _, _, rfl, rfl, fun q => by rw [hb q], fun q => by rw [hb q], nofun, nofun⟩

/-- A register combined with itself gives zero. -/
theorem eval_zeroes {op : VecBin} {r : Vec} {b : VecSrc} {s : State} {v : BitVec 512} (hz : zeroes op r b = true)
    (hv : ∀ q, b = .reg q → v = s.vec q) (i : Nat) : op.eval (s.lane r i) (lane v i) = 0 := by
  cases op <;> cases b <;> simp only [zeroes, beq_iff_eq, Bool.false_eq_true] at hz
  subst hz
  simp [hv _ rfl, VecBin.eval, State.lane]

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
end TCB.X86_64
