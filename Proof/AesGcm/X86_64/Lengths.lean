import Proof.AesGcm.X86_64.Text

/-!
# The block of the lengths, and the tag
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64

/-- The key context and the table of constants. -/
def lengthsLayout : Layout := { areas := [{ len := 1024 }, { len := 128 }], ptrs := [(9, 0, 0), (10, 1, 0)] }

/-- The last block in the sums, reduced, with the encrypted pre-counter block. -/
def lengthsOutcome : Outcome VecUn VecBin :=
  let x := xorE (.reg 15 0) (.reg 11 0)
  let p := Expr.load 0 (place 1)
  { vec := (11, [xorE (reverseE (foldE (.load 1 constantAt) (lowE x p) (middleE x p) (highE x p))) (.reg 13 0)]) ::
      [0, 1, 2, 3, 4, 5, 6, 7, 9].map keepE }

@[inherit_doc hash_checked]
theorem lengths_checked : machine.check lengthsLayout finish lengthsOutcome = true := by decide +kernel

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {c : Fixed} {k : Call} {n : Nat} {pub : List Region} {s : State} {y : Spec.Ghash.Block} {xs : List Spec.Ghash.Block}

/-- The block of the lengths is loaded. -/
theorem loadLengths_ok {d : Vec} {i j : Nat} (a : Arguments k n pub s) (hi : i < n) (hj : j < n) :
    isa.Wp pub (loadLengths d i j) (fun s' =>
      Keeps [.rax, .r11] s s' ∧ s'.memory = s.memory ∧ (∀ r, r ≠ d.val → view.lane s' r 0 = view.lane s r 0) ∧
      view.lane s' d.val 0 = lengths (k.value i).toNat (k.value j).toNat) s := by
  refine .seq (argument_ok i a hi fun s₁ k₁ m₁ v₁ g₁ => argument_ok j (a.same k₁ m₁) hj fun s₂ k₂ m₂ v₂ g₂ => .publicNil ?_)
  have x₂ : s₂.gpr .rax = BitVec.ofNat 64 (k.value i).toNat := (k₂.gpr .rax (by decide)).trans
    (g₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm)
  have y₂ : s₂.gpr .r11 = BitVec.ofNat 64 (k.value j).toNat := g₂.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .cons (s₁ := (s₂.setReg .rax (s₂.gpr .rax <<< 3)).setFlags (shiftFlags .shl (s₂.gpr .rax) 3)) rfl ?_
  rw [shl_three x₂]
  generalize hs₃ : (s₂.setReg .rax _).setFlags _ = s₃
  have k₃ : Keeps [.rax, .r11] s s₃ := by rw [← hs₃]; exact kept ((k₁.mono (by decide)).trans (k₂.mono (by decide)))
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂.trans m₁
  have v₃ : s₃.vec = s.vec := by rw [← hs₃]; reads; exact v₂.trans v₁
  have x₃ : s₃.gpr .rax = BitVec.ofNat 64 (8 * (k.value i).toNat) := by rw [← hs₃]; reads
  have y₃ : s₃.gpr .r11 = BitVec.ofNat 64 (k.value j).toNat := by rw [← hs₃]; reads; exact y₂
  refine .cons (s₁ := (s₃.setReg .r11 (s₃.gpr .r11 <<< 3)).setFlags (shiftFlags .shl (s₃.gpr .r11) 3)) rfl ?_
  rw [shl_three y₃]
  generalize hs₄ : (s₃.setReg .r11 _).setFlags _ = s₄
  have k₄ : Keeps [.rax, .r11] s s₄ := by rw [← hs₄]; exact kept k₃
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₃
  have v₄ : s₄.vec = s.vec := by rw [← hs₄]; reads; exact v₃
  have x₄ : s₄.gpr .rax = BitVec.ofNat 64 (8 * (k.value i).toNat) := by rw [← hs₄]; reads; exact x₃
  have y₄ : s₄.gpr .r11 = BitVec.ofNat 64 (8 * (k.value j).toNat) := by rw [← hs₄]; reads
  refine .cons (s₁ := s₄.setVec d ((s₄.gpr .r11).setWidth 512)) rfl (.cons (t := []) (s₁ := (s₄.setVec d
    ((s₄.gpr .r11).setWidth 512)).setVec d (ofLanes (s₄.gpr .rax ++ s₄.gpr .r11) 0 0 0)) ?_ (.nil ?_))
  · simp only [isa, exec, State.lane]
    reads
    rw [lane_setWidth, qword_append]
  refine ⟨kept k₄, by reads; exact m₄, fun r hr => ?_, ?_⟩
  · rw [lane_setVec, if_neg hr, lane_setVec, if_neg hr]
    simp only [view, State.lane, v₄]
  · rw [lane_setVec, if_pos rfl, lane_ofLanes_eq, x₄, y₄]
    rfl

/-- **The block of the lengths is hashed**, and all of the hash makes a tag. -/
theorem finish_ok (e₅ : Env c s) (mask₅ : view.lane s 9 0 = Gf2.X86_64.reverseMask)
    (h : Summed (tableAt s.memory.bytes c.ctx) y (xs ++ [lengths k.aadLen k.len]) xs.length s) (few : xs.length < 16)
    (x₅ : view.lane s 15 0 = lengths k.aadLen k.len) :
    isa.Wp pub (.block finish) (fun s' => Frame [] [0, 1, 2, 3, 4, 5, 6, 7, 9] s s' ∧ s'.memory = s.memory ∧ view.lane s' 11 0 =
      bswap128 (Spec.Ghash.ghash c.h y (xs ++ [lengths k.aadLen k.len])) ^^^ view.lane s 13 0) s := by
  have holds : lengthsLayout.Holds view (fun | 0 => c.ctx | _ => c.tab) s := {
    ptrs := fun q hq => by
      simp only [lengthsLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact e₅.key.trans (BitVec.add_zero _).symm
      · exact e₅.tab.trans (BitVec.add_zero _).symm
    small := ⟨by decide, by decide, trivial⟩
    reads := ⟨fun _ => e₅.readsKey, fun _ => e₅.readsTab, trivial⟩
    writes := ⟨nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp lengthsOutcome holds lengths_checked fun s₆ o => ⟨.of_ends o (by decide +kernel), o.memory, ?_⟩
  have sums := h.next_at (xE := .reg 15 0) (pE := .load 0 (place 1)) (base := fun | 0 => c.ctx | _ => c.tab)
    (x := lengths k.aadLen k.len) x₅ (by rw [List.getElem?_append_right (Nat.le_refl _), Nat.sub_self]; rfl) (by
      rw [show (Expr.load 0 (place 1) : VecExpr) = powerE 0 from rfl, powerE_at, List.length_append, List.length_singleton, Nat.add_sub_cancel, Nat.sub_self])
  have hc : half false ((Expr.load 1 constantAt : VecExpr).at (fun | 0 => c.ctx | _ => c.tab) view s) = poly := e₅.constant
  rw [o.vec (r := 11) rfl 0]
  simp only [laneOf, nth, Option.getD_some, xorE_at]
  have reverse (a : VecExpr) {base : Nat → Addr} : (reverseE a).at base view s = bswap128 (a.at base view s) := by
    show VecBin.pshufb.eval (a.at base view s) (view.lane s 9 0) = _
    rw [mask₅, Gf2.X86_64.pshufb_reverseMask]
  rw [reverse, foldE_at hc, sums]
  have all := foldLazy_startWith (t := tableAt s.memory.bytes c.ctx) (h := c.h) (y := y) (xs := xs ++ [lengths k.aadLen k.len])
    (e₅.holds.powers.mono (by simp; omega)) (by simp)
  rw [List.length_append, List.length_singleton] at all
  rw [all]
  rfl

/-- The tag, from the hash. -/
def tagOutcome : Outcome VecUn VecBin :=
  { vec := [(11, [xorE (reverseE (.reg 11 0)) (.reg 13 0)]), keepE 8, keepE 9, keepE 10] }

/-- **The tag of what was hashed.** -/
theorem tagOf_ok {i j : Nat} (e : Env c s) (a : Arguments k n pub s) (hi : i < n) (hj : j < n)
    (mask : view.lane s 9 0 = Gf2.X86_64.reverseMask) :
    isa.Wp pub (tagOf i j) (fun s' => Frame [.rax, .r11] [8, 9, 10] s s' ∧ s'.memory = s.memory ∧ view.lane s' 11 0 =
      bswap128 (Spec.Ghash.ghash c.h (view.lane s 11 0) [lengths (k.value i).toNat (k.value j).toNat]) ^^^ view.lane s 13 0) s := by
  refine .seq ((loadLengths_ok (d := 0) a hi hj).mono fun s₁ ⟨k₁, m₁, o₁, x₁⟩ => .seq ?_)
  have f₁ : Frame [.rax, .r11] [8, 9, 10, 11, 13] s s₁ := ⟨k₁, fun r hr => o₁ r (by rintro rfl; revert hr; decide)⟩
  refine (hashOne_ok (e.same k₁ m₁)).mono fun s₂ ⟨f₂, m₂, h₂⟩ => ?_
  refine machine.wp_registers tagOutcome (by decide +kernel) fun s₃ o => ?_
  have f₃ : Frame [] [8, 9, 10] s₂ s₃ := .of_ends o (by decide +kernel)
  refine ⟨(f₁.mono (fun _ h => h) (by decide)).trans ((f₂.mono (List.nil_subset _) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h)),
    Eq.trans o.memory (m₂.trans m₁), ?_⟩
  have value : view.lane s₃ 11 0 = VecBin.pshufb.eval (view.lane s₂ 11 0) (view.lane s₂ 9 0) ^^^ view.lane s₂ 13 0 := o.vec (r := 11) rfl 0
  have x₁ : view.lane s₁ 0 0 = lengths (k.value i).toNat (k.value j).toNat := x₁
  rw [value, f₂.lane 9, f₁.lane 9, mask, Gf2.X86_64.pshufb_reverseMask, h₂, x₁, f₁.lane 11, f₂.lane 13, f₁.lane 13]

end
end Proof.AesGcm.X86_64
