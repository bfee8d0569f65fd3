import Proof.Framework.SymExec.Wp
import Proof.X86_64.TaintDomain

/-!
# Symbolic evaluation on x86-64

The footprints of the instructions that fast straight-line code uses.
-/

set_option autoImplicit false
namespace TCB.X86_64
open SymExec

instance : Ops VecUn VecBin := ⟨VecUn.eval, VecBin.eval⟩

/-- A symbolic value on x86-64. -/
abbrev VecExpr := Expr VecUn VecBin

/-- A register that is kept, for an outcome. -/
def keepE (r : Nat) : Nat × List VecExpr := (r, [.reg r 0, .reg r 1, .reg r 2, .reg r 3])

/-- The register of a number. -/
def regOf : Nat → Option Reg
  | 0 => some .rax | 1 => some .rcx | 2 => some .rdx | 3 => some .rbx | 4 => some .rsp | 5 => some .rbp
  | 6 => some .rsi | 7 => some .rdi | 8 => some .r8 | 9 => some .r9 | 10 => some .r10 | 11 => some .r11
  | 12 => some .r12 | 13 => some .r13 | 14 => some .r14 | 15 => some .r15 | _ => none

/-- How the evaluator sees a state: DF and MXCSR are what no instruction changes. -/
def view : View State (Bool × BitVec 32) where
  gpr s r := ((regOf r).map s.gpr).getD 0
  lane s r i := if h : r < 16 then s.lane ⟨r, h⟩ i else 0
  memory := State.memory
  other s := (s.df, s.mxcsr)

/-- A displacement or immediate, modulo 2^64. -/
def extend (v : BitVec 32) : Nat := bif Nat.blt v.toNat (2 ^ 31) then v.toNat else v.toNat + (2 ^ 64 - 2 ^ 32)

/-- The number of lanes. -/
def VecWidth.lanes : VecWidth → Nat
  | .xmm => 1
  | .ymm => 2

/-- The lanes of a result. -/
def VecWidth.exprs (w : VecWidth) (f : Nat → VecExpr) : List VecExpr :=
  match w with
  | .xmm => [f 0]
  | .ymm => [f 0, f 1]

/-- A load of so many lanes, with what it is for. -/
def loadStep (a : Ea) (n : Nat) (d : Vec) (es : List VecExpr) : Option (Step VecUn VecBin) :=
  match a.index with
  | none => some { load := some (a.base.index, extend a.disp, n), vec := [(d.val, es)] }
  | some _ => none

/-- Lane `i` of a source. -/
def VecSrc.expr (b : VecSrc) (i : Nat) : VecExpr :=
  match b with
  | .reg r => .reg r.val i
  | .mem _ => .load 0 i

/-- An operation whose last source is a register or memory. -/
def srcStep (b : VecSrc) (n : Nat) (d : Vec) (es : List VecExpr) : Option (Step VecUn VecBin) :=
  match b with
  | .reg _ => some { vec := [(d.val, es)] }
  | .mem a => loadStep a n d es

/-- The footprint of an instruction. -/
def footprint : Instr → Option (Step VecUn VecBin)
  | .vecBin op w d a b => srcStep b w.lanes d (w.exprs fun i => .bin op (.reg a.val i) (b.expr i))
  | .vecUn op w d a => some { vec := [(d.val, w.exprs fun i => .un op (.reg a.val i))] }
  | .vmovdqa w d a => some { vec := [(d.val, w.exprs fun i => .reg a.val i)] }
  | .vmovdquLoad w d a => loadStep a w.lanes d (w.exprs fun i => .load 0 i)
  | .vmovdquStore w a r =>
    match a.index with
    | none => some { store := some (a.base.index, extend a.disp, w.exprs fun i => .reg r.val i) }
    | some _ => none
  | .vbroadcasti128 d a => loadStep a 1 d [.load 0 0, .load 0 0]
  | .vinserti128 d a b high =>
    srcStep b 1 d (bif high then [.reg a.val 0, b.expr 0] else [b.expr 0, .reg a.val 1])
  | .vextracti128 d a high => some { vec := [(d.val, [.reg a.val (bif high then 1 else 0)])] }
  | .alu .add d (.imm v) => some { gpr := some (d.index, some (d.index, extend v)) }
  | .mov d r => some { gpr := some (d.index, some (r.index, 0)) }
  | .lea d a =>
    match a.index with
    | none => some { gpr := some (d.index, some (a.base.index, extend a.disp)) }
    | some _ => none
  | .movImm d _ | .clear d => some { gpr := some (d.index, none) }
  | .alu .cmp _ _ | .alu .test _ _ => some {}
  | _ => none

/-! ## Soundness -/

/-- The value of an extended displacement. -/
theorem ofNat_extend (v : BitVec 32) : BitVec.ofNat 64 (extend v) = v.signExtend 64 := by
  apply BitVec.eq_of_toInt_eq
  rw [BitVec.toInt_signExtend_of_le (by omega), BitVec.toInt_ofNat', BitVec.toInt_eq_toNat_cond, extend,
    Bool.cond_eq_ite]
  have := v.isLt
  simp only [Nat.blt_eq, Int.bmod]
  split <;> split <;> omega

/-- A register by its number. -/
@[simp] theorem gpr_view (s : State) (r : Reg) : view.gpr s r.index = s.gpr r := by cases r <;> rfl

/-- A lane by its number. -/
@[simp] theorem lane_view (s : State) (r : Vec) (i : Nat) : view.lane s r.val i = s.lane r i := by
  simp [view]

/-- A memory operand without an index. -/
theorem ea_view {s : State} {a : Ea} (h : a.index = none) : view.ea s a.base.index (extend a.disp) = s.ea a := by
  simp [View.ea, State.ea, h, ofNat_extend]

/-- Lanes beyond the fourth are zero. -/
theorem lane_ge {v : BitVec 512} {i : Nat} (h : 4 ≤ i) : lane v i = 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp [lane, BitVec.getLsbD_of_ge v _ (show 512 ≤ 128 * i + j by omega)]

/-- The lanes of a register that is made of lanes. -/
theorem lane_ofLanes_eq (a b c d : BitVec 128) (i : Nat) : lane (ofLanes a b c d) i =
    match i with | 0 => a | 1 => b | 2 => c | 3 => d | _ => 0 := by
  obtain ⟨h0, h1, h2, h3⟩ := lane_ofLanes a b c d
  match i with
  | 0 => exact h0
  | 1 => exact h1
  | 2 => exact h2
  | 3 => exact h3
  | n + 4 => exact lane_ge (by omega)

/-- What the evaluator sees after a vector register changes. -/
theorem lane_setVec (s : State) (d : Vec) (v : BitVec 512) (r i : Nat) :
    view.lane (s.setVec d v) r i = if r = d.val then lane v i else view.lane s r i := by
  simp only [view, State.lane, State.setVec]
  by_cases hr : r < 16
  · simp only [hr, dif_pos]
    by_cases e : r = d.val
    · subst e; simp
    · have : (⟨r, hr⟩ : Vec) ≠ d := fun h => e (congrArg Fin.val h)
      simp [e, this]
  · have : r ≠ d.val := by have := d.isLt; omega
    simp [hr, this]

/-- What the evaluator sees after a general register changes. -/
theorem gpr_setReg_view (s : State) (d : Reg) (v : BitVec 64) (r : Nat) :
    view.gpr (s.setReg d v) r = if r = d.index then v else view.gpr s r := by
  by_cases hr : r < 16
  · have : ∃ q : Reg, q.index = r := by
      have := hr
      rcases r with _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | r <;>
        first | exact ⟨.rax, rfl⟩ | exact ⟨.rcx, rfl⟩ | exact ⟨.rdx, rfl⟩ | exact ⟨.rbx, rfl⟩ | exact ⟨.rsp, rfl⟩
              | exact ⟨.rbp, rfl⟩ | exact ⟨.rsi, rfl⟩ | exact ⟨.rdi, rfl⟩ | exact ⟨.r8, rfl⟩ | exact ⟨.r9, rfl⟩
              | exact ⟨.r10, rfl⟩ | exact ⟨.r11, rfl⟩ | exact ⟨.r12, rfl⟩ | exact ⟨.r13, rfl⟩ | exact ⟨.r14, rfl⟩
              | exact ⟨.r15, rfl⟩ | omega
    obtain ⟨q, rfl⟩ := this
    simp only [gpr_view, State.setReg, Reg.index_inj]
  · have hd := d.index_lt
    have : regOf r = none := by
      rcases r with _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | _ | r <;> first | omega | rfl
    simp [view, this, show r ≠ d.index by omega]

/-- The lanes of a result. -/
theorem lanewise_exprs {w : VecWidth} {f : Nat → BitVec 128} {g : Nat → VecExpr} {reg load : Nat → Nat → BitVec 128}
    (h : ∀ i, i < w.lanes → f i = (g i).eval reg load) (i : Nat) :
    lane (w.lanewise f) i = (laneOf (w.exprs g) i).eval reg load := by
  cases w with
  | xmm =>
    simp only [VecWidth.lanewise, VecWidth.exprs, lane_ofLanes_eq]
    rcases i with _ | _ | _ | _ | i <;> first | exact h 0 (by decide) | rfl
  | ymm =>
    simp only [VecWidth.lanewise, VecWidth.exprs, lane_ofLanes_eq]
    rcases i with _ | _ | _ | _ | i <;> first | exact h 0 (by decide) | exact h 1 (by decide) | rfl

/-- The effect of changing a vector register and nothing else. -/
theorem effect_setVec {s : State} {d : Vec} {v : BitVec 512} {x : Step VecUn VecBin} {es : List VecExpr}
    (hv : x.vec = [(d.val, es)]) (hs : x.store = none) (hg : x.gpr = none)
    (h : ∀ i, lane v i = (laneOf es i).eval (view.lane s) (x.loaded view s)) : x.Effect view s (s.setVec d v) where
  vec r i := by
    rw [lane_setVec, hv]
    by_cases e : r = d.val
    · subst e; simp only [find, Nat.beq_refl, cond_true, if_true]; exact h i
    · have : Nat.beq d.val r = false := by
        cases hb : Nat.beq d.val r with
        | false => rfl
        | true => exact absurd (Nat.eq_of_beq_eq_true hb).symm e
      simp only [find, this, cond_false, e, if_false]
  gpr r := by rw [hg]; rfl
  memory := by simp only [Step.stored, hs]; rfl
  other := rfl

/-- The effect of changing a general register, perhaps with the flags, and nothing else. -/
theorem effect_setReg {s : State} {d : Reg} {v : BitVec 64} {f : Flag → Option Bool} {o : Option (Nat × Nat)}
    (h : ∀ q k, o = some (q, k) → v = view.gpr s q + BitVec.ofNat 64 k) :
    ({ gpr := some (d.index, o) } : Step VecUn VecBin).Effect view s ((s.setReg d v).setFlags f) where
  vec _ _ := rfl
  gpr r := by
    have : view.gpr ((s.setReg d v).setFlags f) r = view.gpr (s.setReg d v) r := rfl
    simp only [this, gpr_setReg_view]
    split
    · exact h
    · rfl
  memory := rfl
  other := rfl

/-- The two lanes of 32 bytes that were loaded. -/
theorem lane_ofBytes {w : VecWidth} {m : Mem} {a : Addr} (i : Nat) :
    lane (ofBytes 512 (bytesAt m a w.bytes)) i = if i < w.lanes then piece m a i else 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  have hw : w.bytes = 16 * w.lanes := by cases w <;> rfl
  have hl : w.lanes ≤ 2 := by cases w <;> decide
  simp only [lane, BitVec.getLsbD_extractLsb', hj, decide_true, Bool.true_and, getLsbD_ofBytes, getElem?_bytesAt]
  by_cases hi : i < w.lanes
  · simp only [hi, if_true, piece, getLsbD_ofBytes, getElem?_bytesAt, hj, decide_true, Bool.true_and]
    have e1 : 16 * i + j / 8 < w.bytes := by omega
    have e2 : j / 8 < 16 := by omega
    have e3 : (128 * i + j) % 8 = j % 8 := by omega
    have e4 : (128 * i + j) / 8 = 16 * i + j / 8 := by omega
    simp only [e4, e1, e2, e3, show 128 * i + j < 512 by omega, if_true, decide_true, Bool.true_and,
      Option.getD_some, BitVec.add_assoc, ← BitVec.ofNat_add]
  · have : ¬(128 * i + j) / 8 < w.bytes := by omega
    simp [hi, this]

/-- The bytes of a register that is stored. -/
theorem toBytes_vec (s : State) (w : VecWidth) (r : Vec) {load : Nat → Nat → BitVec 128} :
    toBytes w.bytes (s.vec r) =
      laneBytes ((w.exprs fun i => .reg r.val i).map (Expr.eval (U := VecUn) (B := VecBin) (view.lane s) load)) := by
  have step (i : Nat) (v : BitVec 512) : toBytes 16 (lane v i) = (List.range 16).map fun k => v.extractLsb' (8 * (16 * i + k)) 8 := by
    simp only [toBytes]
    apply List.map_congr_left
    intro k hk
    have hk := List.mem_range.1 hk
    apply BitVec.eq_of_getLsbD_eq
    intro j hj
    simp [lane, hj, show 8 * k + j < 128 by omega, show 128 * i + (8 * k + j) = 8 * (16 * i + k) + j by omega]
  cases w with
  | xmm =>
    simp only [VecWidth.exprs, List.map_cons, List.map_nil, Expr.eval, laneBytes, List.flatMap_cons, List.flatMap_nil,
      List.append_nil, lane_view, State.lane, step]
    simp [toBytes, VecWidth.bytes]
  | ymm =>
    simp only [VecWidth.exprs, List.map_cons, List.map_nil, Expr.eval, laneBytes, List.flatMap_cons, List.flatMap_nil,
      List.append_nil, lane_view, State.lane, step]
    rw [toBytes, VecWidth.bytes, show (32 : Nat) = 16 + 16 from rfl, List.range_add, List.map_append, List.map_map]
    simp [Function.comp_def]

/-- What a load does. -/
theorem loadStep_sound {a : Ea} {n : Nat} {d : Vec} {es : List VecExpr} {x : Step VecUn VecBin} {s : State}
    (h : loadStep a n d es = some x) (hx : x.Allowed view s) {v : List Byte → BitVec 512}
    (hv : ∀ i, lane (v (bytesAt s.memory.bytes (s.ea a) (16 * n))) i = (laneOf es i).eval (view.lane s)
      fun _ i => piece s.memory.bytes (s.ea a) i) :
    ∃ s' t, s.loading a (16 * n) (fun bs => s.setVec d (v bs)) = some (s', t) ∧ x.Effect view s s' := by
  unfold loadStep at h
  split at h
  · rename_i hi
    cases h
    have hc := hx.load rfl
    rw [ea_view hi] at hc
    have hc : covered s.memory.readable (s.ea a) (16 * n) = true := hc
    refine ⟨s.setVec d (v (bytesAt s.memory.bytes (s.ea a) (16 * n))), _,
      by simp only [State.loading, Memory.load]; rw [if_pos hc]; rfl, ?_⟩
    refine effect_setVec (es := es) rfl rfl rfl fun i => ?_
    rw [hv i]
    refine congrArg (fun load => (laneOf es i).eval (view.lane s) load) ?_
    funext _ k
    simp only [Step.loaded, ea_view hi]
    rfl
  · cases h

/-- What an operation with a register or memory operand does. -/
theorem srcStep_sound {b : VecSrc} {w : VecWidth} {d : Vec} {es : List VecExpr} {x : Step VecUn VecBin} {s : State}
    (h : srcStep b w.lanes d es = some x) (hx : x.Allowed view s) {v : BitVec 512 → BitVec 512}
    (hv : ∀ y load, (∀ i, i < w.lanes → lane y i = (b.expr i).eval (view.lane s) load) →
      ∀ i, lane (v y) i = (laneOf es i).eval (view.lane s) load) :
    ∃ s' t, s.vecSrc w b (fun y => s.setVec d (v y)) = some (s', t) ∧ x.Effect view s s' := by
  cases b with
  | reg r =>
    cases h
    exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (hv _ _ fun i _ => (lane_view s r i).symm)⟩
  | mem a =>
    have hw : w.bytes = 16 * w.lanes := by cases w <;> rfl
    simp only [State.vecSrc, hw]
    refine loadStep_sound h hx (hv _ _ fun i hi => ?_)
    rw [← hw, lane_ofBytes, if_pos hi]
    rfl

/-- Footprints are right. -/
theorem footprint_sound {i : Instr} {x : Step VecUn VecBin} {s : State} (h : footprint i = some x)
    (hx : x.Allowed view s) : ∃ s' t, isa.exec i s = some (s', t) ∧ x.Effect view s s' := by
  simp only [isa]
  cases i with
  | vecBin op w d a b =>
    exact srcStep_sound h hx fun y load hy => lanewise_exprs fun i hi => by
      simp only [Expr.eval, ← hy i hi, lane_view]
      rfl
  | vecUn op w d a =>
    cases h
    exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (lanewise_exprs fun i _ => by simp only [Expr.eval, lane_view]; rfl)⟩
  | vmovdqa w d a =>
    cases h
    exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (lanewise_exprs fun i _ => by rw [Expr.eval, lane_view])⟩
  | vmovdquLoad w d a =>
    have hw : w.bytes = 16 * w.lanes := by cases w <;> rfl
    simp only [exec, hw]
    refine loadStep_sound h hx fun i => ?_
    rw [← hw, lane_ofBytes]
    cases w <;> rcases i with _ | _ | i <;> rfl
  | vmovdquStore w a r =>
    simp only [footprint] at h
    split at h
    · rename_i hi
      cases h
      have hc := hx.store rfl
      have hl : 16 * (w.exprs fun i => Expr.reg (U := VecUn) (B := VecBin) r.val i).length = w.bytes := by cases w <;> rfl
      rw [ea_view hi, hl] at hc
      refine ⟨_, _, by simp only [exec, State.storing, Memory.store]; rw [if_pos (by simpa using hc)]; rfl, ?_⟩
      refine ⟨fun _ _ => rfl, fun _ => rfl, ?_, rfl⟩
      simp only [Step.stored, ea_view hi, ← toBytes_vec]
      rfl
    · cases h
  | vbroadcasti128 d a =>
    simp only [exec]
    refine loadStep_sound (n := 1) (v := fun bs => ofLanes (ofBytes 128 bs) (ofBytes 128 bs) 0 0) h hx fun i => ?_
    rw [lane_ofLanes_eq]
    rcases i with _ | _ | _ | _ | i <;> simp [laneOf, nth, Expr.eval, piece]
  | vinserti128 d a b high =>
    simp only [exec]
    refine srcStep_sound (w := .xmm) (v := fun y => if high then ofLanes (s.lane a 0) (lane y 0) 0 0
      else ofLanes (lane y 0) (s.lane a 1) 0 0) h hx fun y load hy i => ?_
    have hy := hy 0 (by decide)
    cases high
    · simp only [Bool.false_eq_true, if_false, lane_ofLanes_eq, cond_false]
      rcases i with _ | _ | _ | _ | i <;> simp [laneOf, nth, Expr.eval, hy]
    · simp only [if_true, lane_ofLanes_eq, cond_true]
      rcases i with _ | _ | _ | _ | i <;> simp [laneOf, nth, Expr.eval, hy]
  | vextracti128 d a high =>
    cases h
    refine ⟨_, _, rfl, effect_setVec rfl rfl rfl fun i => ?_⟩
    rw [lane_ofLanes_eq]
    cases high <;> rcases i with _ | _ | _ | _ | i <;> simp [laneOf, nth, Expr.eval]
  | alu op d v =>
    cases op <;> cases v <;> cases h
    · refine ⟨_, _, rfl, effect_setReg fun q k e => ?_⟩
      cases e
      rw [gpr_view, ofNat_extend]
      rfl
    all_goals exact ⟨_, _, rfl, fun _ _ => rfl, fun _ => rfl, rfl, rfl⟩
  | mov d r =>
    cases h
    exact ⟨_, _, rfl, effect_setReg (f := s.flag) fun q k e => by cases e; simp⟩
  | lea d a =>
    simp only [footprint] at h
    split at h
    · rename_i hi
      cases h
      exact ⟨_, _, rfl, effect_setReg (f := s.flag) fun q k e => by cases e; exact (ea_view hi).symm⟩
    · cases h
  | movImm d v => cases h; exact ⟨_, _, rfl, effect_setReg (f := s.flag) nofun⟩
  | clear d => cases h; exact ⟨_, _, rfl, effect_setReg nofun⟩
  | _ => cases h

/-- The evaluator for x86-64. -/
def machine : Machine isa view VecUn VecBin where
  gprs := 16
  vecs := 16
  lanes := 4
  step := footprint
  step_sound := footprint_sound
  lane_zero s r i h := by
    simp only [view]
    split
    · exact lane_ge h
    · rfl

end TCB.X86_64
