import Proof.AArch64.Keeps
import Proof.AArch64.Taint
import Proof.Framework.SymExec.Wp

/-!
# Symbolic evaluation on AArch64

The footprints of the instructions that fast straight-line code uses. A vector register is one lane.
-/

set_option autoImplicit false
namespace TCB.AArch64
open SymExec

/-- The operations with two operands: also AESE, whose first operand is its destination. -/
inductive SymBin where
  | vec (op : VecBin)
  | aese
  deriving DecidableEq

/-- What the operation computes. -/
def SymBin.eval : SymBin → BitVec 128 → BitVec 128 → BitVec 128
  | .vec op, n, m => op.eval n m
  | .aese, d, n => Aes.subBytes (Aes.shiftRows (d ^^^ n))

instance : Ops VecUn SymBin := ⟨VecUn.eval, SymBin.eval⟩

/-- A symbolic value on AArch64. -/
abbrev VecExpr := Expr VecUn SymBin

/-- The general registers by number. -/
def viewRegs : List Reg := [.x0, .x1, .x2, .x3, .x4, .x5, .x6, .x7, .x8, .x9, .x10, .x11, .x12, .x13, .x14, .x15, .x16, .x17, .x19,
  .x20, .x21, .x22, .x23, .x24, .x25, .x26, .x27, .x28, .x29, .x30]

/-- How the evaluator sees a state. -/
def view : View State Control where
  gpr s r := ((viewRegs[r]?).map s.gpr).getD 0
  lane s r i := if h : r < 32 then if i = 0 then s.vec ⟨r, h⟩ else 0 else 0
  memory := State.memory
  other := State.control

/-- The offset of an access of 16 bytes. -/
def displacement (a : Ea) : BitVec 64 :=
  match a.offset with
  | .scaled k => BitVec.ofNat 64 (k.toNat * 16)
  | .unscaled k => k.signExtend 64

/-- The offset of a pair of vector registers. -/
def pairDisplacement (k : BitVec 7) : BitVec 64 := k.signExtend 64 * 16#64

/-- The footprint of an instruction. -/
def footprint : Instr → Option (Step VecUn SymBin)
  | .vecBin op d n m => some { vec := [(d.val, [.bin (.vec op) (.reg n.val 0) (.reg m.val 0)])] }
  | .vecUn op d n => some { vec := [(d.val, [.un op (.reg n.val 0)])] }
  | .aese d n => some { vec := [(d.val, [.bin .aese (.reg d.val 0) (.reg n.val 0)])] }
  | .movi d v => some { vec := [(d.val, [.const (v.toNat * 0x01010101010101010101010101010101)])] }
  | .ldr (.vec t) a => some { load := some (a.base.index, (displacement a).toNat, 1), vec := [(t.val, [.load 0 0])] }
  | .str (.vec t) a => some { store := some (a.base.index, (displacement a).toNat, [.reg t.val 0]) }
  | .ldp (.vec t u) n k => bif Nat.beq t.val u.val then none else some {
      load := some (n.index, (pairDisplacement k).toNat, 2), vec := [(u.val, [.load 0 1]), (t.val, [.load 0 0])] }
  | .stp (.vec t u) n k => some { store := some (n.index, (pairDisplacement k).toNat, [.reg t.val 0, .reg u.val 0]) }
  | .ldrPost t n k => some {
      load := some (n.index, 0, 1), vec := [(t.val, [.load 0 0])], gpr := some (n.index, some (n.index, (k.signExtend 64).toNat)) }
  | .strPost t n k => some {
      store := some (n.index, 0, [.reg t.val 0]), gpr := some (n.index, some (n.index, (k.signExtend 64).toNat)) }
  | .alu .add d n (.imm v) => some { gpr := some (d.index, some (n.index, v.toNat)) }
  | .alu .sub d n (.imm v) => some { gpr := some (d.index, some (n.index, 2 ^ 64 - v.toNat)) }
  | .un .mov d n => some { gpr := some (d.index, some (n.index, 0)) }
  | .mov d _ | .movk d _ _ | .umov _ d _ => some { gpr := some (d.index, none) }
  | .cmp .. => some {}
  | _ => none

/-! ## Soundness -/

/-- The register of a number has the number. -/
theorem index_of_viewRegs {r : Nat} {q : Reg} (h : viewRegs[r]? = some q) : q.index = r := by
  have e := congrArg (·[r]?) (by decide : viewRegs.map Reg.index = List.range 30)
  simp only [List.getElem?_map, h, Option.map_some] at e
  exact Option.some.inj (e.trans (List.getElem?_range (List.getElem?_eq_some_iff.1 h).1))

/-- A register by its number. -/
@[simp] theorem gpr_view (s : State) (r : Reg) : view.gpr s r.index = s.gpr r := by cases r <;> rfl

/-- A vector register by its number. -/
@[simp] theorem lane_view (s : State) (r : Vec) : view.lane s r.val 0 = s.vec r := by simp [view]

/-- The address of an access. -/
theorem ea_view (s : State) (r : Reg) (d : BitVec 64) : view.ea s r.index d.toNat = s.gpr r + d := by
  simp [View.ea]

/-- What the evaluator sees after a vector register changes. -/
theorem lane_setVec (s : State) (d : Vec) (v : BitVec 128) (r i : Nat) :
    view.lane (s.setVec d v) r i = if r = d.val then if i = 0 then v else 0 else view.lane s r i := by
  simp only [view, State.setVec]
  by_cases hr : r < 32
  · by_cases e : r = d.val
    · subst e; simp
    · have : (⟨r, hr⟩ : Vec) ≠ d := fun h => e (congrArg Fin.val h)
      simp [e, this]
  · have : r ≠ d.val := by have := d.isLt; omega
    simp [hr, this]

/-- What the evaluator sees after a general register changes. -/
theorem gpr_setReg_view (s : State) (d : Reg) (v : BitVec 64) (r : Nat) :
    view.gpr (s.setReg d v) r = if r = d.index then v else view.gpr s r := by
  cases h : viewRegs[r]? with
  | none =>
    have : r ≠ d.index := fun e => by
      have : viewRegs[d.index]? = some d := by cases d <;> rfl
      rw [e, this] at h
      cases h
    simp [view, h, this]
  | some q =>
    obtain rfl := index_of_viewRegs h
    simp only [gpr_view, State.setReg, Reg.index_inj]

/-- What is found in a list. -/
theorem find_cons {α : Type} (r k : Nat) (v : α) (l : List (Nat × α)) :
    find r ((k, v) :: l) = if r = k then some v else find r l := by
  simp only [find, Bool.cond_eq_ite, Nat.beq_eq, @eq_comm _ r k]

/-- The lanes of one expression. -/
theorem laneOf_one (e : VecExpr) (reg load : Nat → Nat → BitVec 128) (i : Nat) :
    (laneOf [e] i).eval reg load = if i = 0 then e.eval reg load else 0 := by
  cases i <;> rfl

/-- The effect of changing a vector register. -/
theorem effect_setVec {s : State} {d : Vec} {v : BitVec 128} {x : Step VecUn SymBin} {e : VecExpr}
    (hv : x.vec = [(d.val, [e])]) (hs : x.store = none) (hg : x.gpr = none)
    (h : v = e.eval (view.lane s) (x.loaded view s)) : x.Effect view s (s.setVec d v) where
  vec r i := by
    rw [lane_setVec, hv, find_cons, h]
    by_cases e : r = d.val
    · simp only [e, if_true, laneOf_one]
    · simp only [e, if_false, find]
  gpr r := by rw [hg]; rfl
  memory := by simp only [Step.stored, hs]; rfl
  other := rfl

/-- The effect of changing a general register. -/
theorem effect_setReg {s : State} {d : Reg} {v : BitVec 64} {o : Option (Nat × Nat)}
    (h : ∀ q k, o = some (q, k) → v = view.gpr s q + BitVec.ofNat 64 k) :
    ({ gpr := some (d.index, o) } : Step VecUn SymBin).Effect view s (s.setReg d v) where
  vec _ _ := rfl
  gpr r := by
    simp only [gpr_setReg_view]
    split
    · exact h
    · rfl
  memory := rfl
  other := rfl

/-- Moving a pointer after an access. -/
theorem effect_post {x : Step VecUn SymBin} {s s' : State} {n : Reg} {k : BitVec 64} (hg : x.gpr = none)
    (h : x.Effect view s s') :
    ({ x with gpr := some (n.index, some (n.index, k.toNat)) } : Step VecUn SymBin).Effect view s (s'.setReg n (s.gpr n + k)) where
  vec := h.vec
  gpr r := by
    have := h.gpr r
    rw [hg] at this
    simp only [gpr_setReg_view]
    split
    · intro q j e
      cases e
      simp
    · exact this
  memory := h.memory
  other := h.other

/-- A part of an access that is allowed. -/
theorem covered_part {rs : List Region} {p : Addr} {n : Nat} (h : covered rs p n = true) (i : Nat) {k : Nat} (hk : i + k ≤ n) :
    covered rs (p + BitVec.ofNat 64 i) k = true := by
  obtain ⟨r, hr, hc⟩ := List.any_eq_true.1 h
  have hc := of_decide_eq_true hc
  refine (Within.part (p := p) (n := n) (rs := rs) (fun a m ham => ?_) i hk) _ _ (by simp [offset])
  refine covered_of_mem hr ?_
  have : offset r.base a ≤ offset r.base p + offset p a := by
    unfold offset
    rw [show a - r.base = p - r.base + (a - p) by bv_omega]
    exact BitVec.toNat_add .. ▸ Nat.mod_le ..
  simp only at ham
  omega

/-- The bytes of a number that repeats one byte. -/
theorem ofBytes_replicate (v : BitVec 8) : ofBytes 128 (List.replicate 16 v) =
    BitVec.ofNat 128 (v.toNat * 0x01010101010101010101010101010101) := by
  revert v
  have : ∀ v : Fin 256, ofBytes 128 (List.replicate 16 (BitVec.ofFin v)) =
    BitVec.ofNat 128 (v.val * 0x01010101010101010101010101010101) := by decide +kernel
  exact fun v => this v.toFin

/-- Loading a vector register. -/
theorem loading_eq {s : State} {p : Addr} (t : Vec) (hc : covered s.memory.readable p 16 = true) :
    s.loading (.vec t) p = some (s.setVec t (ofBytes 128 (bytesAt s.memory.bytes p 16)), [.load p 16]) := by
  simp only [State.loading, Memory.load, Transfer.bytes]
  rw [if_pos hc]
  rfl

/-- Storing a vector register. -/
theorem storing_eq {s : State} {p : Addr} (t : Vec) (hc : covered s.memory.writable p 16 = true) :
    s.storing p (s.data (.vec t)) =
      some (s.setMemory (s.memory.set (writeBytes s.memory.bytes p (toBytes 16 (s.vec t)))), [.store p 16]) := by
  simp only [State.storing, Memory.store, State.data, length_toBytes]
  rw [if_pos hc]
  rfl

/-- The effect of a load. -/
theorem effect_load {s : State} (t : Vec) (r : Reg) (d : BitVec 64) :
    ({ load := some (r.index, d.toNat, 1), vec := [(t.val, [.load 0 0])] } : Step VecUn SymBin).Effect view s
      (s.setVec t (ofBytes 128 (bytesAt s.memory.bytes (s.gpr r + d) 16))) := by
  refine effect_setVec rfl rfl rfl ?_
  simp only [Expr.eval, Step.loaded, ea_view, piece, Nat.mul_zero, BitVec.add_zero]
  rfl

/-- The effect of a store. -/
theorem effect_store {s : State} (t : Vec) (r : Reg) (d : BitVec 64) :
    ({ store := some (r.index, d.toNat, [.reg t.val 0]) } : Step VecUn SymBin).Effect view s
      (s.setMemory (s.memory.set (writeBytes s.memory.bytes (s.gpr r + d) (toBytes 16 (s.vec t))))) := by
  refine ⟨fun _ _ => rfl, fun _ => rfl, ?_, rfl⟩
  simp only [Step.stored, ea_view, List.map_cons, List.map_nil, Expr.eval, laneBytes, List.flatMap_cons, List.flatMap_nil,
    List.append_nil, lane_view]
  rfl

/-- Footprints are right. -/
theorem footprint_sound {i : Instr} {x : Step VecUn SymBin} {s : State} (h : footprint i = some x)
    (hx : x.Allowed view s) : ∃ s' t, isa.exec i s = some (s', t) ∧ x.Effect view s s' := by
  have read {r : Reg} {d : BitVec 64} {n : Nat} (e : x.load = some (r.index, d.toNat, n)) :
      covered s.memory.readable (s.gpr r + d) (16 * n) = true := ea_view s r d ▸ hx.load e
  have write {r : Reg} {d : BitVec 64} {es : List VecExpr} (e : x.store = some (r.index, d.toNat, es)) :
      covered s.memory.writable (s.gpr r + d) (16 * es.length) = true := ea_view s r d ▸ hx.store e
  cases i with
  | vecBin op d n m => cases h; exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (by simp only [Expr.eval, lane_view]; rfl)⟩
  | vecUn op d n => cases h; exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (by simp only [Expr.eval, lane_view]; rfl)⟩
  | aese d n => cases h; exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (by simp only [Expr.eval, lane_view]; rfl)⟩
  | movi d v => cases h; exact ⟨_, _, rfl, effect_setVec rfl rfl rfl (ofBytes_replicate v)⟩
  | ldr t a =>
    cases t <;> cases h
    exact ⟨_, _, loading_eq _ (read rfl), effect_load ..⟩
  | str t a =>
    cases t <;> cases h
    exact ⟨_, _, storing_eq _ (write rfl), effect_store ..⟩
  | ldrPost t n k =>
    cases h
    have hl := loading_eq t (read (d := 0#64) rfl)
    have he := effect_load (s := s) t n 0#64
    rw [BitVec.add_zero] at hl he
    exact ⟨_, _, by simp only [isa, exec, State.postIndex, hl, Option.map_some]; rfl, effect_post rfl he⟩
  | strPost t n k =>
    cases h
    have hl := storing_eq t (write (d := 0#64) rfl)
    have he := effect_store (s := s) t n 0#64
    rw [BitVec.add_zero] at hl he
    exact ⟨_, _, by simp only [isa, exec, State.postIndex, hl, Option.map_some]; rfl, effect_post rfl he⟩
  | ldp p n k =>
    cases p with
    | gpr => cases h
    | vec t u =>
      simp only [footprint, Bool.cond_eq_ite, Nat.beq_eq] at h
      split at h
      · cases h
      rename_i ne
      cases h
      have hc : covered s.memory.readable (s.gpr n + pairDisplacement k) 32 = true := read rfl
      have ne' : Transfer.vec t ≠ Transfer.vec u := fun e => ne (congrArg Fin.val (Transfer.vec.inj e))
      have c₁ := covered_part hc 0 (k := 16) (by decide)
      have c₂ := covered_part hc 16 (k := 16) (by decide)
      rw [BitVec.add_zero] at c₁
      let p := s.gpr n + pairDisplacement k
      refine ⟨(s.setVec t (ofBytes 128 (bytesAt s.memory.bytes p 16))).setVec u
          (ofBytes 128 (bytesAt s.memory.bytes (p + 16#64) 16)), _, by
        simp only [isa, exec, Pair.first, Pair.second, ne', if_false]
        rw [show s.pairEa (.vec t u) n k = s.gpr n + pairDisplacement k from rfl, loading_eq t c₁]
        simp only [State.andThen, Option.bind_some]
        rw [show Transfer.bytes (.vec t) = 16 from rfl, loading_eq (s := s.setVec t _) u c₂]
        rfl, fun r i => ?_, fun _ => rfl, rfl, rfl⟩
      · simp only [lane_setVec, find_cons]
        by_cases e : r = u.val
        · simp only [e, if_true, laneOf_one, Expr.eval, Step.loaded, ea_view, piece]
          rfl
        by_cases e' : r = t.val
        · simp only [if_neg e, if_pos e', laneOf_one, Expr.eval, Step.loaded, ea_view, piece, Nat.mul_zero, BitVec.add_zero]
          rfl
        · simp only [e, e', if_false, find]
  | stp p n k =>
    cases p with
    | gpr => cases h
    | vec t u =>
      cases h
      have hc : covered s.memory.writable (s.gpr n + pairDisplacement k) 32 = true := write rfl
      have c₁ := covered_part hc 0 (k := 16) (by decide)
      have c₂ := covered_part hc 16 (k := 16) (by decide)
      rw [BitVec.add_zero] at c₁
      let p := s.gpr n + pairDisplacement k
      let s₁ := s.setMemory (s.memory.set (writeBytes s.memory.bytes p (toBytes 16 (s.vec t))))
      refine ⟨s₁.setMemory (s₁.memory.set (writeBytes s₁.memory.bytes (p + 16#64) (toBytes 16 (s.vec u)))), _, by
        simp only [isa, exec, Pair.first, Pair.second]
        rw [show s.pairEa (.vec t u) n k = s.gpr n + pairDisplacement k from rfl, storing_eq t c₁]
        simp only [State.andThen, Option.bind_some]
        rw [show Transfer.bytes (.vec t) = 16 from rfl, show s.data (.vec u) = s₁.data (.vec u) from rfl,
          storing_eq (s := s₁) u c₂]
        rfl, fun _ _ => rfl, fun _ => rfl, ?_, rfl⟩
      simp only [Step.stored, ea_view, List.map_cons, List.map_nil, Expr.eval, laneBytes, List.flatMap_cons, List.flatMap_nil,
        List.append_nil, lane_view]
      refine congrArg (Memory.set s.memory) (writeBytes_append _ _ (length_toBytes 16 (s.vec t)) ?_)
      rw [length_toBytes]
      decide
  | alu op d n v =>
    cases op <;> cases v <;> cases h
    · exact ⟨_, _, rfl, effect_setReg fun q k e => by cases e; rw [gpr_view, BitVec.ofNat_toNat]; rfl⟩
    · refine ⟨_, _, rfl, effect_setReg fun q k e => ?_⟩
      cases e
      rw [gpr_view, State.src, BitVec.sub_eq_add_neg]
      congr 1
  | un op d n => cases op <;> cases h; exact ⟨_, _, rfl, effect_setReg fun q k e => by cases e; simp [Un.eval]⟩
  | mov d v => cases h; exact ⟨_, _, rfl, effect_setReg nofun⟩
  | movk d v k => cases h; exact ⟨_, _, rfl, effect_setReg nofun⟩
  | umov l d n => cases h; exact ⟨_, _, rfl, effect_setReg nofun⟩
  | cmp n v => cases h; exact ⟨_, _, rfl, fun _ _ => rfl, fun _ => rfl, rfl, rfl⟩
  | _ => cases h

/-- The evaluator for AArch64. -/
def machine : Machine isa view VecUn SymBin where
  gprs := 30
  vecs := 32
  lanes := 1
  step := footprint
  step_sound := footprint_sound
  lane_zero s r i h := by
    simp only [view]
    split
    · exact if_neg (by omega)
    · rfl

/-! ## What a block keeps -/

/-- The vector registers whose low halves a callee preserves. -/
def saved : List Nat := [8, 9, 10, 11, 12, 13, 14, 15]

/-- Only registers with a new value change. -/
theorem keeps_of_ends {out : Outcome VecUn SymBin} {base : Nat → Addr} {s s' : State} (h : out.Ends base view machine s s')
    (rs : List Reg) (hr : out.gpr.all (fun p => rs.any fun r => Nat.beq r.index p.1) = true)
    {rest : List (Nat × List VecExpr)} (hv : out.vec = keptE saved ++ rest) : Keeps rs s s' where
  gpr r hn := by
    have := h.gpr r.index_lt
    have none : find r.index out.gpr = none := by
      cases hf : find r.index out.gpr with
      | none => rfl
      | some v =>
        obtain ⟨q, hq, e⟩ := List.any_eq_true.1 (List.all_eq_true.1 hr _ (mem_of_find hf))
        exact absurd (Reg.index_inj.1 (Nat.eq_of_beq_eq_true e) ▸ hq) hn
    rw [none] at this
    simpa using this
  vec r hs := by
    have hs : r.val ∈ saved := by revert r; decide
    have := h.vec (r := r.val) (by rw [hv, keptE, find_map hs]) 0
    rw [lane_view] at this
    exact this.trans (lane_view s r)
  control := h.other

end TCB.AArch64
