import Proof.AesGcm.Message.Sums
import Proof.AesGcm.X86_64.Nonce

/-!
# The end of a message: one reduction for what is left and for the lengths
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64

/-! ## One more block -/

/-- The low part of the sums, with the product of `x` and `p`. -/
def lowE (x p : VecExpr) : VecExpr := xorE (.reg 8 0) (mulE false false x p)

/-- The middle part of the sums, with the product of `x` and `p`. -/
def middleE (x p : VecExpr) : VecExpr := xorE (xorE (.reg 10 0) (mulE true false x p)) (mulE false true x p)

/-- The high part of the sums, with the product of `x` and `p`. -/
def highE (x p : VecExpr) : VecExpr := xorE (.reg 14 0) (mulE true true x p)

/-- The block `x` is the next, to be multiplied with `p`: the sums, and the running value is used up. -/
def nextE (x p : VecExpr) : List (Nat × List VecExpr) :=
  let x := xorE x (.reg 11 0)
  [(8, [lowE x p]), (10, [middleE x p]), (14, [highE x p]), (11, [xorE (.reg 11 0) (.reg 11 0)])]

/-- The sums that the registers hold. -/
def accOf (s : State) : Acc := ⟨view.lane s 8 0, view.lane s 10 0, view.lane s 14 0⟩

/-- The first `i` blocks of `xs` are in the sums; the running value `y` belongs to the first block. -/
structure Summed (t : Nat → Spec.Ghash.Block) (y : Spec.Ghash.Block) (xs : List Spec.Ghash.Block) (i : Nat) (s : State) : Prop where
  acc : accOf s = sumTo school t (startWith y xs) i
  value : view.lane s 11 0 = if i = 0 then y else 0

section
variable {t : Nat → Spec.Ghash.Block} {y x : Spec.Ghash.Block} {xs : List Spec.Ghash.Block} {i : Nat} {s s' : State}
  {base : Nat → Addr} {out : Outcome VecUn VecBin} {xE pE : VecExpr}

/-- Registers that have not changed. -/
theorem Summed.of_frame (h : Summed t y xs i s) {rs : List Reg} {vs : List Nat} (f : Frame rs vs s s')
    (hv : ∀ r ∈ [8, 10, 11, 14], r ∈ vs := by decide) : Summed t y xs i s' where
  acc := by rw [← h.acc, accOf, f.lane 8 (hv _ (by decide)), f.lane 10 (hv _ (by decide)), f.lane 14 (hv _ (by decide))]; rfl
  value := (f.lane 11 (hv _ (by decide))).trans h.value

/-- The sums with one more block. -/
theorem Summed.next_at (h : Summed t y xs i s) (hx : xE.at base view s = x) (hi : xs[i]? = some x)
    (hp : pE.at base view s = t (xs.length - 1 - i)) :
    Acc.mk ((lowE (xorE xE (.reg 11 0)) pE).at base view s) ((middleE (xorE xE (.reg 11 0)) pE).at base view s)
      ((highE (xorE xE (.reg 11 0)) pE).at base view s) = sumTo school t (startWith y xs) (i + 1) := by
  have block : (startWith y xs)[i]? = some (x ^^^ view.lane s 11 0) := by
    rw [getElem?_startWith, hi, h.value, BitVec.xor_comm]
    rfl
  rw [sumTo_succ _ _ _ block, length_startWith, ← h.acc, ← hp, ← hx]
  simp only [accOf, Acc.xor, school, lowE, middleE, highE, xorE_at, mulE_at, BitVec.xor_assoc]
  rfl

/-- One more block is in the sums. -/
theorem Summed.next (h : Summed t y xs i s) (e : out.Ends base view machine s s')
    (hv : ∀ r ∈ [8, 10, 11, 14], find r out.vec = find r (nextE xE pE)) (hx : xE.at base view s = x)
    (hi : xs[i]? = some x) (hp : pE.at base view s = t (xs.length - 1 - i)) : Summed t y xs (i + 1) s' := by
  have lane (r : Nat) (hr : r ∈ [8, 10, 11, 14]) {es : List VecExpr} (hf : find r (nextE xE pE) = some es) :
      view.lane s' r 0 = (laneOf es 0).at base view s := e.vec ((hv r hr).trans hf) 0
  refine ⟨?_, ?_⟩
  · rw [← h.next_at hx hi hp, accOf, lane 8 (by decide) rfl, lane 10 (by decide) rfl, lane 14 (by decide) rfl]
    rfl
  · rw [lane 11 (by decide) rfl, if_neg (Nat.succ_ne_zero i)]
    exact BitVec.xor_self

/-! ## No block yet -/

/-- The sums are empty. -/
def emptyOutcome : Outcome VecUn VecBin :=
  { vec := [(8, [xorE (.reg 8 0) (.reg 8 0)]), (10, [xorE (.reg 10 0) (.reg 10 0)]), (14, [xorE (.reg 14 0) (.reg 14 0)])] ++
      [9, 11, 13, 0, 1, 2, 3, 4, 5, 6, 7].map keepE }

/-- There is no sum yet. -/
theorem empty_ok {pub : List Region} (hy : view.lane s 11 0 = y) : isa.Wp pub (.block empty) (fun s' =>
      Frame [] [9, 11, 13, 0, 1, 2, 3, 4, 5, 6, 7] s s' ∧ s'.memory = s.memory ∧ Summed t y xs 0 s') s := by
  refine machine.wp_registers emptyOutcome (by decide +kernel) fun s' e => ?_
  have f : Frame [] [9, 11, 13, 0, 1, 2, 3, 4, 5, 6, 7] s s' := .of_ends e (by decide +kernel)
  refine ⟨f, e.memory, ?_, ?_⟩
  · rw [accOf, e.vec (r := 8) rfl 0, e.vec (r := 10) rfl 0, e.vec (r := 14) rfl 0]
    simp only [laneOf, nth, Option.getD_some, xorE_at, BitVec.xor_self]
    rfl
  · rw [f.lane 11, hy]
    rfl

/-! ## Where the powers are -/

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- `rdi` is where the first power is, for `m` blocks in the `r` bytes that are left. -/
theorem ready_ok {c : Fixed} {pub : List Region} {r : Nat} (e : Env c s) (hr : s.gpr .r8 = BitVec.ofNat 64 r) (hs : r < 128) :
    isa.Wp pub (.block ready) (fun s' => Frame [.rax, .rdi] (List.range 16) s s' ∧ s'.memory = s.memory ∧
      s'.gpr .rdi = c.ctx + BitVec.ofNat 64 (496 - 16 * ((r + 15) / 16))) s := by
  have down : ∀ r, r < 128 → BitVec.ofNat 64 r + (BitVec.ofNat 32 15).signExtend 64 &&& (BitVec.ofInt 32 (-16)).signExtend 64 =
      BitVec.ofNat 64 (16 * ((r + 15) / 16)) := by decide +kernel
  have ea : s.ea (at_ .r8 15) = BitVec.ofNat 64 r + (BitVec.ofNat 32 15).signExtend 64 := by
    simp [State.ea, at_, hr]
  refine .cons (s₁ := s.setReg .rax (s.ea (at_ .r8 15))) rfl ?_
  rw [ea]
  refine .cons (t := []) (s₁ := (( s.setReg .rax (BitVec.ofNat 64 r + (BitVec.ofNat 32 15).signExtend 64)).setReg .rax
    (BitVec.ofNat 64 (16 * ((r + 15) / 16)))).setFlags (logicFlags (BitVec.ofNat 64 (16 * ((r + 15) / 16))))) ?_ ?_
  · rw [← down r hs]
    simp only [isa, exec, alu_and, State.src]
    reads
  generalize hs₁ : ((s.setReg .rax _).setReg .rax _).setFlags _ = s₁
  have k₁ : Keeps [.rax, .rdi] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have v₁ : s₁.vec = s.vec := by rw [← hs₁]; reads
  have x₁ : s₁.gpr .rax = BitVec.ofNat 64 (16 * ((r + 15) / 16)) := by rw [← hs₁]; reads
  have n₁ : s₁.gpr .r9 = c.ctx := (k₁.gpr _ (by decide)).trans e.key
  refine .cons (s₁ := s₁.setReg .rdi (s₁.gpr .r9)) rfl ?_
  rw [n₁]
  refine .cons (t := []) (s₁ := ((s₁.setReg .rdi c.ctx).setReg .rdi (c.ctx + 496#64)).setFlags (addFlags c.ctx 496#64)) ?_ ?_
  · simp only [isa, exec, alu_add]
    reads
    rw [src_imm (by decide)]
  generalize hs₂ : ((s₁.setReg .rdi _).setReg .rdi _).setFlags _ = s₂
  have k₂ : Keeps [.rax, .rdi] s s₂ := by rw [← hs₂]; exact kept k₁
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have v₂ : s₂.vec = s.vec := by rw [← hs₂]; reads; exact v₁
  have x₂ : s₂.gpr .rax = BitVec.ofNat 64 (16 * ((r + 15) / 16)) := by rw [← hs₂]; reads; exact x₁
  have d₂ : s₂.gpr .rdi = c.ctx + 496#64 := by rw [← hs₂]; reads
  refine .cons (s₁ := (s₂.setReg .rdi (s₂.gpr .rdi - s₂.src (.reg .rax))).setFlags (subFlags (s₂.gpr .rdi) (s₂.src (.reg .rax)))) rfl (.nil ?_)
  refine ⟨.of_vec (kept k₂) (by reads; exact v₂), by reads; exact m₂, ?_⟩
  reads
  rw [d₂, State.src, x₂]
  have : 16 * ((r + 15) / 16) ≤ 496 := by omega
  generalize 16 * ((r + 15) / 16) = q at *
  rw [show 496#64 = BitVec.ofNat 64 (496 - q + q) by rw [Nat.sub_add_cancel this], BitVec.ofNat_add, ← BitVec.add_assoc,
    BitVec.add_sub_cancel]

end
end Proof.AesGcm.X86_64
