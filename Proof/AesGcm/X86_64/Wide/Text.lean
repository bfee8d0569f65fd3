import Proof.AesGcm.X86_64.Wide.Rounds

/-!
# Sixteen blocks of a text, and what is before and after them
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.Aes.X86_64 (lastTenE)
open Proof.GhashBlocks.X86_64 (same_lane)

/-! ## Symbolic values -/

/-- The blocks from offset `o` of the text on, encrypted or decrypted. -/
def textE (o : Nat) : List VecExpr :=
  (List.range 16).map fun i => Ghash.X86_64.xorE (lastTenE (.reg (i / 2) (i % 2))) (.load 1 (o + 16 * i))

/-- The counters of two blocks. -/
def pairOutcome : Outcome VecUn VecBin :=
  { vec := [(8, [.bin .paddd (.reg 8 0) (.load 3 Wide.zeroOneAt), .bin .paddd (.reg 8 0) (.load 3 (Wide.zeroOneAt + 16))]),
      (11, [.reg 11 0]), keepE 13] }

/-- The constants are loaded again. -/
def restoreOutcome : Outcome VecUn VecBin :=
  { vec := [(9, [.load 3 reverseAt]), (10, [.load 3 oneAt]), keepE 8, keepE 11, keepE 13] }

/-- The checks of the evaluator. -/
theorem pair_checked : machine.check (layout 0 256 false) Wide.pair pairOutcome = true := by decide +kernel
@[inherit_doc pair_checked]
theorem restore_checked : machine.check (layout 0 0 false) Wide.restore restoreOutcome = true := by decide +kernel

/-- An addition of nothing. -/
theorem paddd_zero (x : BitVec 128) : VecBin.eval .paddd x 0 = x := by
  have d : dword 0 0 = 0#32 ∧ dword 0 1 = 0#32 ∧ dword 0 2 = 0#32 ∧ dword 0 3 = 0#32 := by decide +kernel
  simp only [VecBin.eval, ofDwords, d, BitVec.add_zero]
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [dword, BitVec.getLsbD_append, BitVec.getLsbD_extractLsb', Nat.reduceMul]
  repeat' split
  · simp [*]
  · simp [show i - 32 < 32 by omega, show 32 + (i - 32) = i by omega]
  · simp [show i - 32 - 32 < 32 by omega, show 64 + (i - 32 - 32) = i by omega]
  · simp [show i - 32 - 32 - 32 < 32 by omega, show 96 + (i - 32 - 32 - 32) = i by omega]

/-! ## Fragments -/

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d n j p : Nat}

/-- What the stores do, from byte `d` of the text on. -/
theorem text_at (r : Wide.Ready k tab) (whole : d % 16 = 0) (hd : d + 256 ≤ k.len) (m : s.memory = k.memory.set (k.text.mem d)) (hj : j ≤ 4)
    {o : Nat} (ho : p + o = d) (a : Ahead k tab (d / 16) j s₀ s) (stored : s'.memory = s.memory.set (writeRuns (places k tab j p) view s
      [(1, o, textE o)] s.memory.bytes)) : s'.memory = k.memory.set (k.text.mem (d + 256)) := by
  have data : k.text.data = k.data := rfl
  have len : k.text.len = k.len := rfl
  have store := k.text.store_blocks (k := d / 16) (n := 16) (by omega)
  rw [show 16 * (d / 16) = d by omega, show 16 * (d / 16 + 16) = d + 256 by omega, data] at store
  have lanes : (textE o).map (Expr.at (places k tab j p) view s) =
      (List.range 16).map fun i => k.text.key (d / 16 + i) ^^^ k.text.word (d / 16 + i) := by
    rw [textE, List.map_map]
    refine List.map_congr_left fun i hi => ?_
    have hi := List.mem_range.1 hi
    have load : (Expr.load 1 (o + 16 * i) : VecExpr).at (places k tab j p) view s = k.text.word (d / 16 + i) := by
      show Spec.AesGcm.Context.word s.memory.bytes (k.data + BitVec.ofNat 64 p) (o + 16 * i) = _
      rw [m, Memory.bytes_set, word_add, show p + (o + 16 * i) = 16 * (d / 16 + i) by omega, ← data, k.text.word_mem_rest (by omega) (by omega)]
    show (Ghash.X86_64.xorE (lastTenE (.reg (i / 2) (i % 2))) (.load 1 (o + 16 * i))).at _ view s = _
    rw [Ghash.X86_64.xorE_at, load, lastTen_at r a m hj hi]
  rw [stored, writeRuns, writeRuns, lanes, show places k tab j p 1 = k.data + BitVec.ofNat 64 p from rfl, BitVec.add_assoc,
    ← BitVec.ofNat_add, ho, m, Memory.set_set, Memory.bytes_set, store]

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- Back to the first round key. -/
theorem back_ok {Q : State → Prop} (key : s.gpr .r9 = k.ctx) (h : ∀ s', Keeps [.rdi] s s' → s'.vec = s.vec → s'.memory = s.memory →
    s'.gpr .rdi = k.ctx → Q s') : isa.Wp pub (.block [.mov .rdi .r9]) Q s := by
  refine .cons (s₁ := s.setReg .rdi (s.gpr .r9)) rfl (.nil (h _ (kept (Keeps.refl _ s)) (by reads) (by reads) ?_))
  reads
  exact key

/-- The counters of the next two blocks. -/
theorem pair_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s) (m : s.memory = k.memory.set (k.text.mem d)) (key : s.gpr .rdi = k.ctx)
    (text : s.gpr .rcx = k.data + BitVec.ofNat 64 d) (hd : d + 256 ≤ k.len) {x : BitVec 128} (counter : view.lane s 8 0 = x) :
    isa.Wp pub (.block Wide.pair) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory ∧
      (∀ l, l < 2 → view.lane s' 8 l = Spec.Gcm.counter x l) ∧ view.lane s' 11 0 = view.lane s 11 0 ∧ view.lane s' 11 1 = 0 ∧
      view.lane s' 13 0 = view.lane s 13 0) s := by
  refine machine.wp pairOutcome (layout_holds (j := 0) (d := d) (o := 0) r e false m (key.trans (BitVec.add_zero _).symm) (by decide) text hd)
    pair_checked fun s' o => ⟨Aes.X86_64.keeps_of_ends o [] rfl, o.memory, fun l hl => ?_, o.vec (r := 11) rfl 0, o.vec (r := 11) rfl 1,
      same_lane o rfl 0⟩
  rw [o.vec (r := 8) rfl l]
  rcases l with _ | _ | l
  · show VecBin.eval .paddd (view.lane s 8 0) ((Expr.load 3 Wide.zeroOneAt : VecExpr).at (places k tab 0 d) view s) = x
    rw [constant_at r Wide.zeroOneAt (by decide) m, counter]
    have zero : ofBytes 128 ((Wide.table.drop Wide.zeroOneAt).take 16) = 0 := by decide +kernel
    rw [zero, paddd_zero]
  · show VecBin.eval .paddd (view.lane s 8 0) ((Expr.load 3 (Wide.zeroOneAt + 16) : VecExpr).at (places k tab 0 d) view s) = Spec.Gcm.inc32 x
    rw [constant_at r (Wide.zeroOneAt + 16) (by decide) m, counter]
    have one : ofBytes 128 ((Wide.table.drop (Wide.zeroOneAt + 16)).take 16) = 1 := by decide +kernel
    rw [one, Proof.AesCtr32.X86_64.paddd_one]
  · omega

/-- The low lanes stay when the high ones are cleared. -/
theorem lane_clearUpper (r : Nat) : view.lane s.clearUpper r 0 = view.lane s r 0 := by
  simp only [view]
  split
  · apply BitVec.eq_of_getLsbD_eq
    intro i hi
    simp [State.lane, State.clearUpper, State.xmm, lane, hi, show i < 512 by omega]
  · rfl

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- **The registers are as other code wants them.** -/
theorem restore_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s) (m : s.memory = k.memory.set (k.text.mem n)) (key : s.gpr .rdi = k.ctx)
    (text : s.gpr .rcx = k.data + BitVec.ofNat 64 d) (hd : d ≤ k.len) : isa.Wp pub (.block Wide.restore)
      (isa.Wp pub (.block [.vzeroupper]) fun s' => Constants s' ∧ Keeps [] s s' ∧ s'.memory = s.memory ∧
        ∀ i ∈ [8, 11, 13], view.lane s' i 0 = view.lane s i 0) s := by
  refine machine.wp restoreOutcome (layout_holds (d := d) (o := 0) (j := 0) r e false m (key.trans (BitVec.add_zero _).symm) (by decide)
    text (by omega)) restore_checked fun s₁ o₁ => ?_
  have k₁ : Keeps [] s s₁ := Aes.X86_64.keeps_of_ends o₁ [] rfl
  refine .cons (s₁ := s₁.clearUpper) (t := []) rfl (.nil ⟨⟨?_, ?_⟩, k₁.clearUpper, by rw [memory_clearUpper]; exact o₁.memory, fun i hi => ?_⟩)
  · rw [lane_clearUpper, o₁.vec (r := 9) rfl 0]
    exact (constant_at r reverseAt (by decide) m).trans (by decide +kernel)
  · rw [lane_clearUpper, o₁.vec (r := 10) rfl 0]
    exact (constant_at r oneAt (by decide) m).trans (by decide +kernel)
  · rw [lane_clearUpper]
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hi
    rcases hi with rfl | rfl | rfl <;> exact same_lane o₁ rfl 0

end
end Proof.AesGcm.X86_64.Wide
