import Proof.AesGcm.Message.Sums
import Proof.AesGcm.AArch64.Nonce

/-!
# The end of a message: one reduction for what is left and for the lengths
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.AArch64

/-! ## One more block -/

/-- The low part of the sums, with the product of `x` and `p`. -/
def lowE (x p : VecExpr) : VecExpr := xorE (.reg 22 0) (mulE false x p)

/-- The middle part of the sums, with the product of `x` and `p`. -/
def middleE (x p : VecExpr) : VecExpr := xorE (xorE (.reg 23 0) (mulE false (swapE x) p)) (mulE true (swapE x) p)

/-- The high part of the sums, with the product of `x` and `p`. -/
def highE (x p : VecExpr) : VecExpr := xorE (.reg 24 0) (mulE true x p)

/-- The block `x` is the next, to be multiplied with `p`: the sums, and the running value is used up. -/
def nextE (x p : VecExpr) : List (Nat × List VecExpr) :=
  let x := xorE x (.reg 20 0)
  [(22, [lowE x p]), (23, [middleE x p]), (24, [highE x p]), (20, [.const 0])]

/-- The sums that the registers hold. -/
def accOf (s : State) : Acc := ⟨view.lane s 22 0, view.lane s 23 0, view.lane s 24 0⟩

/-- The first `i` blocks of `xs` are in the sums; the running value `y` belongs to the first block. -/
structure Summed (t : Nat → Spec.Ghash.Block) (y : Spec.Ghash.Block) (xs : List Spec.Ghash.Block) (i : Nat) (s : State) : Prop where
  acc : accOf s = sumTo school t (startWith y xs) i
  value : view.lane s 20 0 = if i = 0 then y else 0

section
variable {t : Nat → Spec.Ghash.Block} {y x : Spec.Ghash.Block} {xs : List Spec.Ghash.Block} {i : Nat} {s s' : State}
  {base : Nat → Addr} {out : Outcome VecUn SymBin} {xE pE : VecExpr}

/-- Registers that have not changed. -/
theorem Summed.of_frame (h : Summed t y xs i s) {rs : List Reg} {vs : List Nat} (f : Frame rs vs s s')
    (hv : ∀ r ∈ [20, 22, 23, 24], r ∈ vs := by decide) : Summed t y xs i s' where
  acc := by rw [← h.acc, accOf, f.lane 22 (hv _ (by decide)), f.lane 23 (hv _ (by decide)), f.lane 24 (hv _ (by decide))]; rfl
  value := (f.lane 20 (hv _ (by decide))).trans h.value

/-- The sums with one more block. -/
theorem Summed.next_at (h : Summed t y xs i s) (hx : xE.at base view s = x) (hi : xs[i]? = some x)
    (hp : pE.at base view s = t (xs.length - 1 - i)) :
    Acc.mk ((lowE (xorE xE (.reg 20 0)) pE).at base view s) ((middleE (xorE xE (.reg 20 0)) pE).at base view s)
      ((highE (xorE xE (.reg 20 0)) pE).at base view s) = sumTo school t (startWith y xs) (i + 1) := by
  have block : (startWith y xs)[i]? = some (x ^^^ view.lane s 20 0) := by
    rw [getElem?_startWith, hi, h.value, BitVec.xor_comm]
    rfl
  rw [sumTo_succ _ _ _ block, length_startWith, ← h.acc, ← hp, ← hx]
  simp only [accOf, Acc.xor, school, lowE, middleE, highE, xorE_at, mulE_at, swapE_at, pclmul_swap64, Bool.not_false, Bool.not_true, BitVec.xor_assoc]
  rfl

/-- One more block is in the sums. -/
theorem Summed.next (h : Summed t y xs i s) (e : out.Ends base view machine s s')
    (hv : ∀ r ∈ [20, 22, 23, 24], find r out.vec = find r (nextE xE pE)) (hx : xE.at base view s = x)
    (hi : xs[i]? = some x) (hp : pE.at base view s = t (xs.length - 1 - i)) : Summed t y xs (i + 1) s' := by
  have lane (r : Nat) (hr : r ∈ [20, 22, 23, 24]) {es : List VecExpr} (hf : find r (nextE xE pE) = some es) :
      view.lane s' r 0 = (laneOf es 0).at base view s := e.vec ((hv r hr).trans hf) 0
  refine ⟨?_, ?_⟩
  · rw [← h.next_at hx hi hp, accOf, lane 22 (by decide) rfl, lane 23 (by decide) rfl, lane 24 (by decide) rfl]
    rfl
  · rw [lane 20 (by decide) rfl, if_neg (Nat.succ_ne_zero i)]
    rfl

/-! ## No block yet -/

/-- The sums are empty. -/
def emptyOutcome : Outcome VecUn SymBin :=
  outcome ([(22, [.const 0]), (23, [.const 0]), (24, [.const 0])] ++ keptE [18, 20, 21, 31, 0, 1, 2, 3, 4, 5, 6, 7])

/-- There is no sum yet. -/
theorem empty_ok {pub : List Region} (hy : view.lane s 20 0 = y) : isa.Wp pub (.block empty) (fun s' =>
      Frame [] [18, 20, 21, 31, 0, 1, 2, 3, 4, 5, 6, 7] s s' ∧ s'.memory = s.memory ∧ Summed t y xs 0 s') s := by
  refine machine.wp_registers emptyOutcome (by decide +kernel) fun s' e => ?_
  have f : Frame [] [18, 20, 21, 31, 0, 1, 2, 3, 4, 5, 6, 7] s s' := .of_ends e (by decide +kernel)
  refine ⟨f, e.memory, ?_, ?_⟩
  · rw [accOf, e.vec (r := 22) rfl 0, e.vec (r := 23) rfl 0, e.vec (r := 24) rfl 0]
    rfl
  · rw [f.lane 20, hy]
    rfl

/-! ## Where the powers are -/

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put in
/-- `x0` is where the first power is, for `m` blocks in the `r` bytes that are left. -/
theorem ready_ok {c : Fixed} {pub : List Region} {r : Nat} (e : Env c s) (hr : s.gpr .x4 = BitVec.ofNat 64 r) (hs : r < 128) :
    isa.Wp pub (.block ready) (fun s' => Frame [.x5, .x0] (List.range 32) s s' ∧ s'.memory = s.memory ∧
      s'.gpr .x0 = c.ctx + BitVec.ofNat 64 (496 - 16 * ((r + 15) / 16))) s := by
  have down : ∀ r, r < 128 → Un.eval (.lsl 3) (Un.eval (.lsr 4) (BitVec.ofNat 64 r + BitVec.ofNat 64 15)) =
      BitVec.ofNat 64 (16 * ((r + 15) / 16)) := by decide +kernel
  refine .cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.nil ?_)))))
  simp only [alu_add, alu_sub]
  refine ⟨.of_vec (kept (Keeps.refl _ s)) (by vecs), by reads, ?_⟩
  simp only [src_imm (show 15 < 4096 by decide), src_imm (show 496 < 4096 by decide)]
  simp only [State.src]
  reads
  rw [hr, down r hs, e.key]
  have : 16 * ((r + 15) / 16) ≤ 496 := by omega
  generalize 16 * ((r + 15) / 16) = q at *
  rw [show BitVec.ofNat 64 496 = BitVec.ofNat 64 (496 - q + q) by rw [Nat.sub_add_cancel this], BitVec.ofNat_add, ← BitVec.add_assoc,
    BitVec.add_sub_cancel]

end
end Proof.AesGcm.AArch64
