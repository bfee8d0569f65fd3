import TCB.AArch64.Abi
import Proof.Framework.BitSet
import Proof.Framework.Taint

/-!
# The taint domain of AArch64

Which general registers and which vector registers are public, as bit sets, and whether the flags are. Of V8-V15, whose low
halves a callee preserves, only the high halves are spoken of. Nothing is known about memory outside the public regions: what
is loaded from there is secret.
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The number of a general register in a set. -/
def Reg.index : Reg → Nat
  | .x0 => 0 | .x1 => 1 | .x2 => 2 | .x3 => 3 | .x4 => 4 | .x5 => 5 | .x6 => 6 | .x7 => 7 | .x8 => 8 | .x9 => 9 | .x10 => 10
  | .x11 => 11 | .x12 => 12 | .x13 => 13 | .x14 => 14 | .x15 => 15 | .x16 => 16 | .x17 => 17 | .x19 => 18 | .x20 => 19
  | .x21 => 20 | .x22 => 21 | .x23 => 22 | .x24 => 23 | .x25 => 24 | .x26 => 25 | .x27 => 26 | .x28 => 27 | .x29 => 28
  | .x30 => 29

/-- There are 30 general registers. -/
theorem Reg.index_lt (r : Reg) : r.index < 30 := by cases r <;> decide

/-- Different registers have different numbers. -/
theorem Reg.index_inj {r d : Reg} : r.index = d.index ↔ r = d := by
  refine ⟨fun h => ?_, congrArg _⟩
  have nth : ∀ r : Reg, [Reg.x0, .x1, .x2, .x3, .x4, .x5, .x6, .x7, .x8, .x9, .x10, .x11, .x12, .x13, .x14, .x15, .x16, .x17,
    .x19, .x20, .x21, .x22, .x23, .x24, .x25, .x26, .x27, .x28, .x29, .x30][r.index]? = some r := fun r => by cases r <;> rfl
  exact Option.some.inj ((nth r).symm.trans (h ▸ nth d))

/-! ## The domain -/

/-- What is public. -/
structure Dom where
  /-- General registers. -/
  regs : BitVec 30
  /-- Vector registers, but for what a callee preserves. -/
  vecs : BitVec 32
  flags : Bool
  deriving Repr

namespace Dom

/-- The general register is public. -/
def has (x : Dom) (r : Reg) : Bool := x.regs.getLsbD r.index

/-- The vector register is public, but for what a callee preserves. -/
def hasVec (x : Dom) (r : Vec) : Bool := x.vecs.getLsbD r.val

/-- All of the vector register is public: nothing is said of what a callee preserves. -/
def whole (x : Dom) (r : Vec) : Bool := !savesLow r && x.hasVec r

/-- The general register becomes public, or secret. -/
def setReg (x : Dom) (r : Reg) (v : Bool) : Dom := { x with regs := TCB.put x.regs r.index v }

/-- The vector register becomes public, or secret. -/
def setVec (x : Dom) (r : Vec) (v : Bool) : Dom := { x with vecs := TCB.put x.vecs r.val v }

/-- The flags become public, or secret. -/
def setFlags (x : Dom) (v : Bool) : Dom := { x with flags := v }

/-- A register that is loaded becomes public, or secret. -/
def put (x : Dom) (t : Transfer) (v : Bool) : Dom :=
  match t with
  | .gpr _ r => x.setReg r v
  | .vec r => x.setVec r v

/-- The value of an operand is public. -/
def src (x : Dom) : Src → Bool
  | .reg r => x.has r
  | .imm _ => true

/-- The two states agree on what is public. -/
structure Agree (x : Dom) (s₁ s₂ : State) : Prop where
  gpr : ∀ r, x.has r = true → s₁.gpr r = s₂.gpr r
  vec : ∀ r, x.hasVec r = true → s₁.volatilePart r = s₂.volatilePart r
  flag : x.flags = true → s₁.nzcv = s₂.nzcv

/-- `x` calls no more public than `y`. -/
def le (x y : Dom) : Bool := x.regs &&& y.regs == x.regs && x.vecs &&& y.vecs == x.vecs && (!x.flags || y.flags)

/-- What both call public. -/
def meet (x y : Dom) : Dom := ⟨x.regs &&& y.regs, x.vecs &&& y.vecs, x.flags && y.flags⟩

/-- After an instruction; `none` if its address is not public. -/
def instr (isPublic : Bool) : Instr → Dom → Option Dom
  | .alu .subs d n v, x => some ((x.setReg d (x.has n && x.src v)).setFlags (x.has n && x.src v))
  | .alu _ d n v, x => some (x.setReg d (x.has n && x.src v))
  | .cmp n v, x => some (x.setFlags (x.has n && x.src v))
  | .mov d _, x => some (x.setReg d true)
  | .ldr t a, x => if x.has a.base then some (x.put t isPublic) else none
  | .ldp p n _, x => if x.has n then some ((x.put p.first isPublic).put p.second isPublic) else none
  | .str _ a, x => if x.has a.base then some x else none
  | .stp _ n _, x => if x.has n then some x else none
  | .movi d _, x => some (x.setVec d true)
  | .logic _ d n m, x => some (x.setReg d (x.has n && x.has m))
  | .un _ d n, x => some (x.setReg d (x.has n))
  | .movk d _ _, x => some (x.setReg d (x.has d))
  | .vecBin _ d n m, x => some (x.setVec d (x.whole n && x.whole m))
  | .vecUn _ d n, x => some (x.setVec d (x.whole n))
  | .aese d n, x => some (x.setVec d (x.whole d && x.whole n))
  | .ins _ d n, x => some (x.setVec d (x.whole d && x.has n))
  | .umov _ d n, x => some (x.setReg d (x.whole n))
  | .ldrPost t n _, x => if x.has n then some ((x.setVec t isPublic).setReg n true) else none
  | .strPost _ n _, x => if x.has n then some (x.setReg n true) else none
  | .adrpTable d, x => some (x.setReg d true)
  | .addTable d n, x => some (x.setReg d (x.has n))

/-- The condition is public. -/
def cond : Cond → Dom → Bool
  | .zero r, x | .nonzero r, x => x.has r
  | _, x => x.flags

/-! ## Soundness -/

variable {x y : Dom} {s₁ s₂ : State} {pub : List Region}

/-- What is public after a general register changes. -/
@[simp] theorem has_setReg (x : Dom) (r d : Reg) (v : Bool) : (x.setReg d v).has r = if r = d then v else x.has r := by
  simp [has, setReg, getLsbD_put _ _ r.index_lt, Reg.index_inj]

/-- What is public after a vector register changes. -/
@[simp] theorem hasVec_setVec (x : Dom) (r d : Vec) (v : Bool) :
    (x.setVec d v).hasVec r = if r = d then v else x.hasVec r := by
  simp only [hasVec, setVec, getLsbD_put _ _ r.isLt, Fin.ext_iff]

namespace Agree

/-- A general register is written. -/
theorem setReg (h : Agree x s₁ s₂) {d : Reg} {v : Bool} {v₁ v₂ : BitVec 64} (hv : v = true → v₁ = v₂) :
    Agree (x.setReg d v) (s₁.setReg d v₁) (s₂.setReg d v₂) where
  gpr r hr := by
    rw [has_setReg] at hr
    simp only [State.setReg]
    split <;> simp_all [h.gpr]
  vec := h.vec
  flag := h.flag

/-- A vector register is written. -/
theorem setVec (h : Agree x s₁ s₂) {d : Vec} {v : Bool} {v₁ v₂ : BitVec 128} (hv : v = true → v₁ = v₂) :
    Agree (x.setVec d v) (s₁.setVec d v₁) (s₂.setVec d v₂) where
  gpr := h.gpr
  vec r hr := by
    rw [hasVec_setVec] at hr
    have hl := h.vec r
    simp only [State.setVec, State.volatilePart] at hl ⊢
    split at hr <;> simp_all
  flag := h.flag

/-- The flags are written. -/
theorem setFlags (h : Agree x s₁ s₂) {v : Bool} {f₁ f₂ : Nzcv} (hf : v = true → f₁ = f₂) :
    Agree (x.setFlags v) (s₁.setFlags f₁) (s₂.setFlags f₂) :=
  ⟨h.gpr, h.vec, hf⟩

/-- A register is loaded. -/
theorem put (h : Agree x s₁ s₂) {t : Transfer} {v : Bool} {b₁ b₂ : List Byte} (hb : v = true → b₁ = b₂) :
    Agree (x.put t v) (s₁.put t b₁) (s₂.put t b₂) := by
  cases t with
  | gpr w r => exact h.setReg fun p => by rw [hb p]
  | vec r => exact h.setVec fun p => by rw [hb p]

/-- Public operands are equal. -/
theorem src (h : Agree x s₁ s₂) {v : Src} (hv : x.src v = true) : s₁.src v = s₂.src v := by
  cases v with
  | reg r => exact h.gpr r hv
  | imm => rfl

/-- Public vector registers are equal. -/
theorem whole (h : Agree x s₁ s₂) {r : Vec} (hr : x.whole r = true) : s₁.vec r = s₂.vec r := by
  simp only [Dom.whole, Bool.and_eq_true, Bool.not_eq_true'] at hr
  have := h.vec r hr.2
  simpa [State.volatilePart, hr.1] using this

/-- A load from a public address leaks the same, and gives the same if it reads a public region. -/
theorem loading (h : Agree x s₁ s₂) (hm : MemAgree pub s₁.memory s₂.memory) {t : Transfer} {a : Addr} {s₁' s₂' : State}
    {t₁ t₂ : Trace} (h₁ : s₁.loading t a = some (s₁', t₁)) (h₂ : s₂.loading t a = some (s₂', t₂)) {isPublic : Bool}
    (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ Agree (x.put t isPublic) s₁' s₂' ∧ MemAgree pub s₁'.memory s₂'.memory := by
  have keeps (s : State) (bs : List Byte) : (s.put t bs).memory = s.memory := by cases t <;> rfl
  simp only [State.loading, Memory.load, Option.map_eq_some_iff] at h₁ h₂
  obtain ⟨_, e₁, g₁⟩ := h₁
  obtain ⟨_, e₂, g₂⟩ := h₂
  split at e₁ <;> cases e₁
  split at e₂ <;> cases e₂
  cases g₁; cases g₂
  refine ⟨rfl, h.put fun q => hm.bytesAt (hp q _ _ (.head _)), ?_⟩
  rw [keeps, keeps]
  exact hm

/-- A store to a public address leaks the same. -/
theorem storing (h : Agree x s₁ s₂) (hm : MemAgree pub s₁.memory s₂.memory) {a : Addr} {b₁ b₂ : List Byte}
    (hb : b₁.length = b₂.length) {s₁' s₂' : State} {t₁ t₂ : Trace} (h₁ : s₁.storing a b₁ = some (s₁', t₁))
    (h₂ : s₂.storing a b₂ = some (s₂', t₂)) :
    t₁ = t₂ ∧ Agree x s₁' s₂' ∧ MemAgree pub s₁'.memory s₂'.memory := by
  simp only [State.storing, Option.map_eq_some_iff] at h₁ h₂
  obtain ⟨⟨m₁, u₁⟩, e₁, g₁⟩ := h₁
  obtain ⟨⟨m₂, u₂⟩, e₂, g₂⟩ := h₂
  cases g₁; cases g₂
  refine ⟨?_, ⟨h.gpr, h.vec, h.flag⟩, hm.store e₁ e₂⟩
  simp only [Memory.store] at e₁ e₂
  split at e₁ <;> cases e₁
  split at e₂ <;> cases e₂
  rw [hb]

end Agree

/-- What is stored from a register has the size of the access. -/
theorem length_data (s : State) (t : Transfer) : (s.data t).length = t.bytes := by
  cases t <;> exact length_toBytes ..

/-- One access after the other, taken apart. -/
theorem of_andThen {o : Option (State × Trace)} {f : State → Option (State × Trace)} {s' : State} {t : Trace}
    (h : State.andThen o f = some (s', t)) :
    ∃ s'' u v, o = some (s'', u) ∧ f s'' = some (s', v) ∧ t = u ++ v := by
  simp only [State.andThen, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h
  obtain ⟨⟨s'', u⟩, ho, ⟨_, v⟩, hf, e⟩ := h
  cases e
  exact ⟨s'', u, v, ho, hf, rfl⟩

/-- An access and what it adds to the base, taken apart. -/
theorem of_postIndex {o : Option (State × Trace)} {n : Reg} {b k : BitVec 64} {s' : State} {t : Trace}
    (h : State.postIndex o n b k = some (s', t)) : ∃ s'', o = some (s'', t) ∧ s' = s''.setReg n (b + k) := by
  simp only [State.postIndex, Option.map_eq_some_iff] at h
  obtain ⟨⟨s'', u⟩, ho, e⟩ := h
  cases e
  exact ⟨s'', ho, rfl⟩

/-- The effect of each instruction is right. -/
theorem instr_sound {isPublic : Bool} {i : Instr} {s₁' s₂' : State} {t₁ t₂ : Trace}
    (hi : instr isPublic i x = some y) (h : Agree x s₁ s₂) (hm : MemAgree pub s₁.memory s₂.memory)
    (h₁ : exec i s₁ = some (s₁', t₁)) (h₂ : exec i s₂ = some (s₂', t₂))
    (hp : isPublic = true → Isa.PublicLoads pub t₁) :
    t₁ = t₂ ∧ Agree y s₁' s₂' ∧ MemAgree pub s₁'.memory s₂'.memory := by
  have args {n : Reg} {v : Src} (e : (x.has n && x.src v) = true) : s₁.gpr n = s₂.gpr n ∧ s₁.src v = s₂.src v := by
    simp only [Bool.and_eq_true] at e
    exact ⟨h.gpr _ e.1, h.src e.2⟩
  have both {a b : Bool} (e : (a && b) = true) : a = true ∧ b = true := by simpa using e
  cases i with
  | alu op d n v =>
    cases h₁; cases h₂
    cases op with
    | add | sub => cases hi; exact ⟨rfl, h.setReg fun p => by rw [(args p).1, (args p).2], hm⟩
    | subs =>
      cases hi
      exact ⟨rfl, (h.setReg fun p => by rw [(args p).1, (args p).2]).setFlags fun p => by rw [(args p).1, (args p).2], hm⟩
  | cmp n v => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setFlags fun p => by rw [(args p).1, (args p).2], hm⟩
  | mov d v => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun _ => rfl, hm⟩
  | movi d v => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setVec fun _ => rfl, hm⟩
  | logic op d n m =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setReg fun p => by rw [h.gpr n (both p).1, h.gpr m (both p).2], hm⟩
  | un op d n => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun p => by rw [h.gpr n p], hm⟩
  | movk d v k => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun p => by rw [h.gpr d p], hm⟩
  | vecBin op d n m =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setVec fun p => by rw [h.whole (both p).1, h.whole (both p).2], hm⟩
  | vecUn op d n => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setVec fun p => by rw [h.whole p], hm⟩
  | aese d n =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setVec fun p => by rw [h.whole (both p).1, h.whole (both p).2], hm⟩
  | ins l d n =>
    cases h₁; cases h₂; cases hi
    exact ⟨rfl, h.setVec fun p => by rw [h.whole (both p).1, h.gpr n (both p).2], hm⟩
  | umov l d n => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun p => by rw [h.whole p], hm⟩
  | ldrPost t n k =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    obtain ⟨_, f₁, rfl⟩ := of_postIndex h₁
    obtain ⟨_, f₂, rfl⟩ := of_postIndex h₂
    obtain ⟨rfl, h, hm⟩ := h.loading hm f₁ f₂ hp
    exact ⟨rfl, h.setReg fun _ => rfl, hm⟩
  | strPost t n k =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    obtain ⟨_, f₁, rfl⟩ := of_postIndex h₁
    obtain ⟨_, f₂, rfl⟩ := of_postIndex h₂
    obtain ⟨rfl, h, hm⟩ := h.storing hm (by rw [length_data, length_data]) f₁ f₂
    exact ⟨rfl, h.setReg fun _ => rfl, hm⟩
  | adrpTable d => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun _ => by rw [hm.constants], hm⟩
  | addTable d n => cases h₁; cases h₂; cases hi; exact ⟨rfl, h.setReg fun p => by rw [h.gpr n p, hm.constants], hm⟩
  | ldr t a =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec, State.ea] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    exact h.loading hm h₁ h₂ hp
  | str t a =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec, State.ea] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    exact h.storing hm (by rw [length_data, length_data]) h₁ h₂
  | ldp p n k =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec, State.pairEa] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    split at h₁
    case isTrue => cases h₁
    rw [if_neg ‹_›] at h₂
    obtain ⟨_, _, _, f₁, g₁, rfl⟩ := of_andThen h₁
    obtain ⟨_, _, _, f₂, g₂, rfl⟩ := of_andThen h₂
    obtain ⟨rfl, h, hm⟩ := h.loading hm f₁ f₂ fun q a n hl => hp q a n (List.mem_append_left _ hl)
    obtain ⟨rfl, h, hm⟩ := h.loading hm g₁ g₂ fun q a n hl => hp q a n (List.mem_append_right _ hl)
    exact ⟨rfl, h, hm⟩
  | stp p n k =>
    simp only [instr] at hi
    split at hi <;> cases hi
    simp only [exec, State.pairEa] at h₁ h₂
    rw [← h.gpr _ ‹_›] at h₂
    obtain ⟨_, _, _, f₁, g₁, rfl⟩ := of_andThen h₁
    obtain ⟨_, _, _, f₂, g₂, rfl⟩ := of_andThen h₂
    obtain ⟨rfl, h, hm⟩ := h.storing hm (by rw [length_data, length_data]) f₁ f₂
    obtain ⟨rfl, h, hm⟩ := h.storing hm (by rw [length_data, length_data]) g₁ g₂
    exact ⟨rfl, h, hm⟩

/-- States that agree on what `y` calls public agree on less. -/
theorem Agree.mono (hl : le x y = true) (h : Agree y s₁ s₂) : Agree x s₁ s₂ := by
  simp only [le, Bool.and_eq_true, beq_iff_eq, Bool.or_eq_true, Bool.not_eq_true'] at hl
  obtain ⟨⟨hr, hv⟩, hf⟩ := hl
  exact ⟨fun r p => h.gpr r (getLsbD_of_le hr p), fun r p => h.vec r (getLsbD_of_le hv p), fun p => h.flag (by simpa [p] using hf)⟩

/-- The meet calls no more public than either. -/
theorem meet_le (x y : Dom) : le (meet x y) x = true ∧ le (meet x y) y = true := by
  have f (a b : Bool) : (!(a && b) || a) = true ∧ (!(a && b) || b) = true := by cases a <;> cases b <;> decide
  simp only [le, meet, and_le, f, beq_self_eq_true, Bool.and_self, and_self]

/-- Public conditions are equal. -/
theorem cond_sound {c : Cond} (hc : cond c x = true) (h : Agree x s₁ s₂) : eval c s₁ = eval c s₂ := by
  cases c with
  | zero r | nonzero r => simp [eval, h.gpr r hc]
  | _ => simp [eval, h.flag hc]

end Dom

open Dom in
/-- The taint checker for AArch64. -/
def taint : Taint isa State.memory Dom where
  agree := Agree
  le := le
  meet := meet
  instr := instr
  cond := cond
  le_sound := Agree.mono
  meet_left := Agree.mono (meet_le _ _).1
  meet_right := Agree.mono (meet_le _ _).2
  instr_sound := instr_sound
  cond_sound := cond_sound

end TCB.AArch64
