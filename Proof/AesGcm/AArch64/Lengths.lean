import Proof.AesGcm.AArch64.Text

/-!
# The block of the lengths, and the tag
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.AArch64

/-- The last block in the sums, reduced, with the encrypted pre-counter block. -/
def lengthsOutcome : Outcome VecUn SymBin :=
  let x := xorE (.reg 25 0) (.reg 20 0)
  let p := Expr.load 0 (place 1)
  outcome ((20, [xorE (reverseE (foldE (lowE x p) (middleE x p) (highE x p))) (.reg 21 0)]) ::
    keptE [0, 1, 2, 3, 4, 5, 6, 7, 18, 31])

@[inherit_doc hash_checked]
theorem lengths_checked : machine.check oneLayout finish lengthsOutcome = true := by decide +kernel

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {c : Fixed} {k : Call} {n : Nat} {pub : List Region} {s : State} {y : Spec.Ghash.Block} {xs : List Spec.Ghash.Block}

/-- The block of the lengths is loaded. -/
theorem loadLengths_ok {d : Vec} {i j : Nat} (a : Arguments k n pub s) (hi : i < n) (hj : j < n)
    (vd : savesLow d = false := by decide) : isa.Wp pub (loadLengths d i j) (fun s' =>
      Keeps [.x5, .x6] s s' ∧ s'.memory = s.memory ∧ (∀ r, r ≠ d.val → view.lane s' r 0 = view.lane s r 0) ∧
      view.lane s' d.val 0 = lengths (k.value i).toNat (k.value j).toNat) s := by
  refine .seq (argument_ok i a hi fun s₁ k₁ m₁ v₁ g₁ => argument_ok j (a.same k₁ m₁) hj fun s₂ k₂ m₂ v₂ g₂ => .publicNil ?_)
  have x₂ : s₂.gpr .x5 = BitVec.ofNat 64 (k.value i).toNat := (k₂.gpr .x5 (by decide)).trans
    (g₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm)
  have y₂ : s₂.gpr .x6 = BitVec.ofNat 64 (k.value j).toNat := g₂.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .cons (s₁ := s₂.setReg .x5 (s₂.gpr .x5 <<< 3)) rfl ?_
  rw [shl_three x₂]
  generalize hs₃ : s₂.setReg .x5 _ = s₃
  have k₃ : Keeps [.x5, .x6] s s₃ := by rw [← hs₃]; exact kept ((k₁.mono (by decide)).trans (k₂.mono (by decide)))
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂.trans m₁
  have v₃ : s₃.vec = s.vec := by rw [← hs₃]; vecs; exact v₂.trans v₁
  have x₃ : s₃.gpr .x5 = BitVec.ofNat 64 (8 * (k.value i).toNat) := by rw [← hs₃]; reads
  have y₃ : s₃.gpr .x6 = BitVec.ofNat 64 (k.value j).toNat := by rw [← hs₃]; reads; exact y₂
  refine .cons (s₁ := s₃.setReg .x6 (s₃.gpr .x6 <<< 3)) rfl ?_
  rw [shl_three y₃]
  generalize hs₄ : s₃.setReg .x6 _ = s₄
  have k₄ : Keeps [.x5, .x6] s s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have v₄ : s₄.vec = s.vec := by rw [← hs₄]; vecs; exact v₃
  have x₄ : s₄.gpr .x5 = BitVec.ofNat 64 (8 * (k.value i).toNat) := by rw [← hs₄]; reads; exact x₃
  have y₄ : s₄.gpr .x6 = BitVec.ofNat 64 (8 * (k.value j).toNat) := by rw [← hs₄]; reads
  refine .cons rfl (.cons rfl (.nil ⟨kept k₄, by reads; exact m₄, fun r hr => ?_, ?_⟩))
  · rw [lane_setVec, if_neg hr, lane_setVec, if_neg hr]
    simp only [view, v₄]
  · rw [lane_view]
    reads
    rw [x₄, y₄]
    exact set_both ..

/-- **The block of the lengths is hashed**, and all of the hash makes a tag. -/
theorem finish_ok (e : Env c s) (hc : HasConstant s)
    (h : Summed (tableAt s.memory.bytes c.ctx) y (xs ++ [lengths k.aadLen k.len]) xs.length s) (few : xs.length < 16)
    (x : view.lane s 25 0 = lengths k.aadLen k.len) :
    isa.Wp pub (.block finish) (fun s' => Frame [] [0, 1, 2, 3, 4, 5, 6, 7, 18, 31] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 20 0 = bswap128 (Spec.Ghash.ghash c.h y (xs ++ [lengths k.aadLen k.len])) ^^^ view.lane s 21 0) s := by
  refine machine.wp lengthsOutcome (oneLayout_holds e) lengths_checked fun s₆ o => ⟨.of_ends o (by decide +kernel), o.memory, ?_⟩
  have sums := h.next_at (xE := .reg 25 0) (pE := .load 0 (place 1)) (base := fun _ => c.ctx)
    (x := lengths k.aadLen k.len) x (by rw [List.getElem?_append_right (Nat.le_refl _), Nat.sub_self]; rfl) (by
      rw [show (Expr.load 0 (place 1) : VecExpr) = powerE 0 from rfl, powerE_at, List.length_append, List.length_singleton, Nat.add_sub_cancel, Nat.sub_self])
  rw [o.vec (r := 20) rfl 0]
  simp only [laneOf, nth, Option.getD_some, xorE_at]
  rw [reverseE_at, foldE_at hc, sums]
  have all := foldLazy_startWith (t := tableAt s.memory.bytes c.ctx) (h := c.h) (y := y) (xs := xs ++ [lengths k.aadLen k.len])
    (e.holds.powers.mono (by simp; omega)) (by simp)
  rw [List.length_append, List.length_singleton] at all
  rw [all]
  rfl

end
end Proof.AesGcm.AArch64
