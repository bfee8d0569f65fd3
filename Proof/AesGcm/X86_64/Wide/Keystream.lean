import Proof.AesGcm.X86_64.Wide.Env
import Proof.GhashBlocks.X86_64.Group

/-!
# Sixteen blocks of the keystream
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Aes Proof.Aes.X86_64
open Impl.AesGcm.X86_64.Wide (zeroOneAt twoAt pair twoAhead ahead lastTen)
open Proof.GhashBlocks.X86_64 (same_lane)

/-- A counter goes on by an addition of two. -/
theorem paddd_two (x : BitVec 128) : VecBin.eval .paddd x 2 = Spec.Gcm.inc32 (Spec.Gcm.inc32 x) := by
  have d : dword 2 0 = 2 ∧ dword 2 1 = 0#32 ∧ dword 2 2 = 0#32 ∧ dword 2 3 = 0#32 := by decide +kernel
  have high : dword x 3 ++ dword x 2 ++ dword x 1 = x.extractLsb' 32 96 := by
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    simp only [dword, BitVec.getLsbD_append, BitVec.getLsbD_extractLsb', Nat.reduceMul]
    repeat' split
    · simp [*]
    · simp [show i - 32 < 32 by omega, show 64 + (i - 32) = 32 + i by omega, hi]
    · simp [show i - 32 - 32 < 32 by omega, show 96 + (i - 32 - 32) = 32 + i by omega, hi]
  have left (a : BitVec 96) (b : BitVec 32) : (a ++ b).extractLsb' 32 96 = a := by
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
    simp [hi]
  have right (a : BitVec 96) (b : BitVec 32) : (a ++ b).extractLsb' 0 32 = b := by
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [BitVec.getLsbD_extractLsb', BitVec.getLsbD_append]
    simp [hi]
  rw [Spec.Gcm.inc32, Spec.Gcm.inc32, left, right, BitVec.add_assoc]
  simp only [VecBin.eval, ofDwords, d, BitVec.add_zero, high]
  rfl

/-! ## Symbolic values -/

/-- The counter of lane `l` after `i` pairs. -/
def counterE (l : Nat) : Nat → VecExpr
  | 0 => .reg 8 l
  | i + 1 => .bin .paddd (counterE l i) (.load 3 (twoAt + 16 * l))

/-- The block of lane `l` of register `r`, with round key 0. -/
def blockE (r l : Nat) : VecExpr := .bin .pxor (.bin .pshufb (counterE l r) (.load 3 (Wide.reverseAt + 16 * l))) (.load 0 0)

/-- What the first round of counter blocks does. -/
def startOutcome : Outcome VecUn VecBin :=
  { vec := (List.range 8).map (fun r => (r, [blockE r 0, blockE r 1])) ++ [(8, [counterE 0 8, counterE 1 8]), keepE 11, keepE 13] }

/-- Two rounds ahead. -/
def aheadOutcome : Outcome VecUn VecBin where
  vec := (List.range 8).map (fun r => (r, [roundsE (.reg r 0) 2, roundsE (.reg r 1) 2])) ++ [8, 11, 13].map keepE
  gpr := [(7, .ptr 0 32)]

/-- One of two lanes. -/
theorem laneOf_pair (f : Nat → VecExpr) {l : Nat} (hl : l < 2) : laneOf [f 0, f 1] l = f l := by
  rcases l with _ | _ | l
  · rfl
  · rfl
  · omega

/-- The checks of the evaluator. -/
theorem start_checked : machine.check (layout 0 256 false) Wide.start startOutcome = true := by decide +kernel
@[inherit_doc start_checked]
theorem ahead_checked : machine.check (layout 0 256 false) twoAhead aheadOutcome = true := by decide +kernel

/-! ## Their values -/

/-- The next sixteen counter blocks, after some rounds. -/
structure Blocks (k : Call) (n j : Nat) (s : State) : Prop where
  blocks : ∀ r, r < 8 → ∀ l, l < 2 → view.lane s r l = roundsFrom (key k.memory.bytes k.ctx) 1
    (bswap128 (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (n + 2 * r + l)) ^^^ key k.memory.bytes k.ctx 0) j
  counters : ∀ l, l < 2 → view.lane s 8 l = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (n + 16 + l)

section
variable {k : Call} {tab : Addr} {s s' : State} {pub : List Region} {d n : Nat}

/-- A round key is as on entry while the text is processed. -/
theorem key_mem (r : Ready k tab) (i : Nat) (hi : i < 15) (m : s.memory = k.memory.set (k.text.mem n)) :
    key s.memory.bytes k.ctx i = key k.memory.bytes k.ctx i := by
  have same := k.text.word_mem_apart n (a := k.ctx) (n := 1024) (i := 16 * i) (by decide) r.pre.apartCtx (by omega)
  rw [show k.text.bytes = k.memory.bytes from rfl] at same
  rw [m, Memory.bytes_set, key, key, same]

/-- Rounds are as with the keys on entry. -/
theorem rounds_mem (r : Ready k tab) {first i : Nat} (hi : first + i ≤ 15) (x : TCB.Aes.Block) (m : s.memory = k.memory.set (k.text.mem n)) :
    roundsFrom (key s.memory.bytes k.ctx) first x i = roundsFrom (key k.memory.bytes k.ctx) first x i := by
  induction i with
  | zero => rw [roundsFrom, roundsFrom]
  | succ i ih => rw [roundsFrom, roundsFrom, ih (by omega), key_mem r _ (by omega) m]

/-- Two, on each lane. -/
theorem two_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) {l j p : Nat} (hl : l < 2) :
    (Expr.load 3 (twoAt + 16 * l) : VecExpr).at (places k tab j p) view s = 2 := by
  rw [constant_at r _ (by simp only [twoAt]; omega) m]
  have two : ∀ l, l < 2 → ofBytes 128 ((Wide.table.drop (twoAt + 16 * l)).take 16) = 2 := by decide +kernel
  exact two l hl

/-- The counters after some pairs. -/
theorem counterE_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) {c l j p : Nat} (hl : l < 2)
    (h : view.lane s 8 l = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (c + l)) (i : Nat) :
    (counterE l i).at (places k tab j p) view s = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (c + 2 * i + l) := by
  induction i with
  | zero =>
    rw [Nat.mul_zero, Nat.add_zero, ← h]
    rfl
  | succ i ih =>
    have next : (counterE l (i + 1)).at (places k tab j p) view s = VecBin.eval .paddd ((counterE l i).at (places k tab j p) view s)
      ((Expr.load 3 (twoAt + 16 * l) : VecExpr).at (places k tab j p) view s) := rfl
    rw [next, two_at r m hl, paddd_two, ih, show c + 2 * (i + 1) + l = c + 2 * i + l + 1 + 1 by omega, Spec.Gcm.counter, Spec.Gcm.counter]

/-- The mask of a lane. -/
theorem mask_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) {l j p : Nat} (hl : l < 2) :
    (Expr.load 3 (Wide.reverseAt + 16 * l) : VecExpr).at (places k tab j p) view s = Gf2.X86_64.reverseMask := by
  rw [constant_at r _ (by simp only [Wide.reverseAt]; omega) m]
  have mask : ∀ l, l < 2 → ofBytes 128 ((Wide.table.drop (Wide.reverseAt + 16 * l)).take 16) = Gf2.X86_64.reverseMask := by decide +kernel
  exact mask l hl

/-- The next sixteen counter blocks. -/
theorem start_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (m : s.memory = k.memory.set (k.text.mem d)) (key : s.gpr .rdi = k.ctx)
    (text : s.gpr .rcx = k.data + BitVec.ofNat 64 d) (hd : d + 256 ≤ k.len)
    (counters : ∀ l, l < 2 → view.lane s 8 l = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (n + l)) :
    isa.Wp pub (.block Wide.start) (fun s' => Blocks k n 0 s' ∧ Keeping [] [11, 13] s s' ∧ s'.memory = s.memory) s := by
  refine machine.wp startOutcome (layout_holds (j := 0) (d := d) (o := 0) r e false m (key.trans (BitVec.add_zero _).symm) (by decide) text hd)
    start_checked fun s' o => ⟨⟨fun i hi l hl => ?_, fun l hl => ?_⟩, ⟨Aes.X86_64.keeps_of_ends o [] rfl, fun i hi => ?_⟩, o.memory⟩
  · have value : view.lane s' i l = (blockE i l).at (places k tab 0 d) view s := by
      rw [o.vec (r := i) (find_map (List.mem_range.2 hi)) l]
      exact congrArg (Expr.at _ view s) (laneOf_pair (blockE i) hl)
    have pshufb : (blockE i l).at (places k tab 0 d) view s = VecBin.eval .pshufb ((counterE l i).at (places k tab 0 d) view s)
      ((Expr.load 3 (Wide.reverseAt + 16 * l) : VecExpr).at (places k tab 0 d) view s) ^^^ (keyE 0).at (places k tab 0 d) view s := rfl
    rw [value, pshufb, counterE_at r m hl (counters l hl), mask_at r m hl, Gf2.X86_64.pshufb_reverseMask, keyE_at (j := 0) rfl,
      key_mem r _ (by decide) m, roundsFrom]
  · have value : view.lane s' 8 l = (counterE l 8).at (places k tab 0 d) view s := by
      rw [o.vec (r := 8) rfl l]
      exact congrArg (Expr.at _ view s) (laneOf_pair (counterE · 8) hl)
    rw [value, counterE_at r m hl (counters l hl)]
  · simp only [List.mem_cons, List.not_mem_nil, or_false] at hi
    rcases hi with rfl | rfl
    · exact same_lane o rfl
    · exact same_lane o rfl

/-- Two more rounds. -/
theorem twoAhead_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (m : s.memory = k.memory.set (k.text.mem d)) {j : Nat} (hj : j ≤ 4)
    (key : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * j)) (text : s.gpr .rcx = k.data + BitVec.ofNat 64 d) (hd : d + 256 ≤ k.len)
    (h : Blocks k n j s) : isa.Wp pub (.block twoAhead) (fun s' => Blocks k n (j + 2) s' ∧ Keeping [.rdi] [11, 13] s s' ∧
      s'.memory = s.memory ∧ s'.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * (j + 2))) s := by
  refine machine.wp aheadOutcome (layout_holds (d := d) (o := 0) r e false m key hj text hd) ahead_checked
    fun s' o => ⟨⟨fun i hi l hl => ?_, fun l hl => ?_⟩, ⟨Aes.X86_64.keeps_of_ends o _ rfl, fun i hi => ?_⟩, o.memory, ?_⟩
  · have value : view.lane s' i l = (roundsE (.reg i l) 2).at (places k tab j d) view s := by
      rw [o.vec (r := i) (find_map (List.mem_range.2 hi)) l]
      exact congrArg (Expr.at _ view s) (laneOf_pair (fun l => roundsE (.reg i l) 2) hl)
    rw [value, roundsE_at (j := j) rfl, rounds_mem r (by omega) _ m, roundsFrom_add, Nat.add_comm j 1]
    exact congrArg (roundsFrom _ _ · 2) (h.blocks i hi l hl)
  · rw [same_lane o rfl]
    exact h.counters l hl
  · simp only [List.mem_cons, List.not_mem_nil, or_false] at hi
    rcases hi with rfl | rfl
    · exact same_lane o rfl
    · exact same_lane o rfl
  · have : s'.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * j) + BitVec.ofNat 64 32 := o.gpr (r := 7) (by decide)
    rw [this, BitVec.add_assoc, ← BitVec.ofNat_add, Nat.mul_add]

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- A comparison of the number of rounds. -/
theorem compareRounds_ok (e : Env (fixedOf k tab) s) {i : Nat} (hi : i < 2 ^ 31) : isa.Wp pub (.block [.alu .cmp .rsi (imm i)])
    (fun s' => Keeps [] s s' ∧ s'.vec = s.vec ∧ s'.memory = s.memory ∧ s'.flag .zf = some (decide (k.rounds = i))) s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .rsi) (s.src (imm i)))) rfl (.nil ⟨kept (Keeps.refl _ s), by reads, by reads, ?_⟩)
  have valid := e.valid
  simp only [fixedOf, List.mem_cons, List.not_mem_nil, or_false] at valid
  rw [flag_setFlags, show s.gpr .rsi = BitVec.ofNat 64 k.rounds from e.number, src_imm hi]
  simp only [subFlags]
  congr 1
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
  simp only [BitVec.toNat_add, BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
  omega

end
end Proof.AesGcm.X86_64.Wide
