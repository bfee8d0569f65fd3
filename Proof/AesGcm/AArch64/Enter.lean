import Proof.AesGcm.AArch64.Lengths

/-!
# The beginning and the end of a kernel
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.AArch64

/-- The constants, and no hash. -/
def constantsOutcome : Outcome VecUn SymBin :=
  outcome [(31, [.un (.shl2d 56) (.const (0xc2 * 0x01010101010101010101010101010101))]),
    (18, [.bin (.vec (.ext 4)) (.const 0) (.un (.ushr4s 8) (.const 0x01010101010101010101010101010101))]), (20, [.const 0])]

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {k : Call} {tab : Addr} {n : Nat} {pub : List Region} {s : State}

/-- The constants, and no hash yet. -/
theorem constants_ok : isa.Wp pub (.block Impl.AesGcm.AArch64.constants) (fun s' =>
      Keeps [] s s' ∧ s'.memory = s.memory ∧ Constants s' ∧ view.lane s' 20 0 = 0) s := by
  refine machine.wp_registers constantsOutcome (by decide +kernel) fun s' o =>
    ⟨keeps_of_ends o [] rfl rfl, o.memory, ⟨?_, ?_⟩, o.vec (r := 20) rfl 0⟩
  · refine (o.vec (r := 18) rfl 0).trans ?_
    show (VecBin.ext 4).eval (BitVec.ofNat 128 0) ((VecUn.ushr4s 8).eval (BitVec.ofNat 128 0x01010101010101010101010101010101)) =
      Proof.AesCtr32.AArch64.one
    decide +kernel
  · exact (o.vec (r := 31) rfl 0).trans
      (by decide +kernel : (VecUn.shl2d 56).eval (BitVec.ofNat 128 (0xc2 * 0x01010101010101010101010101010101)) = poly ++ poly)

/-- **The beginning**: where everything is, and the constants. -/
theorem enter_ok (r : Based k tab) (hn : 0 < n ∧ n ≤ 16) (m : s.memory = k.memory) (ctx : s.gpr .x0 = k.ctx) (args : s.gpr .x1 = k.args)
    (ht : s.memory.constants = tab) (reads : Within k.memory.readable ⟨k.args, 8 * n⟩) (isPublic : Within pub ⟨k.args, 8 * n⟩) :
    isa.Wp pub enter (isa.Wp pub (.block Impl.AesGcm.AArch64.constants) fun s' =>
      Keeps [.x2, .x9, .x1, .x10] s s' ∧ s'.memory = s.memory ∧ Env (fixedOf k tab) s' ∧ Arguments k n pub s' ∧ Constants s' ∧
      view.lane s' 20 0 = 0) s := by
  refine .publicCons (s₁ := s.setReg .x2 (s.gpr .x1)) (t := []) rfl nofun
    (.publicCons (s₁ := (s.setReg .x2 (s.gpr .x1)).setReg .x9 (s.gpr .x0)) (t := []) ?_ nofun ?_)
  · simp only [isa, exec, Un.eval]
    reads
  generalize hs₁ : (s.setReg .x2 _).setReg .x9 _ = s₁
  have k₁ : Keeps [.x2, .x9, .x1, .x10] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have x₁ : s₁.gpr .x2 = k.args := by rw [← hs₁]; reads; exact args
  have c₁ : s₁.gpr .x9 = k.ctx := by rw [← hs₁]; reads; exact ctx
  have a₁ : Arguments k n pub s₁ := ⟨x₁, hn.2, by rw [m₁, m]; exact reads, isPublic, fun i _ => by rw [m₁, m]; rfl⟩
  refine argument_ok 0 a₁ hn.1 fun s₂ k₂ m₂ v₂ g₂ => ?_
  refine .publicCons (t := []) rfl nofun (.publicCons (t := []) rfl nofun (.publicNil ?_))
  generalize hs₃ : (s₂.setReg .x10 _).setReg .x10 _ = s₃
  have k₃ : Keeps [.x2, .x9, .x1, .x10] s s₃ := by rw [← hs₃]; exact kept (k₁.trans (k₂.mono (by decide)))
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂.trans m₁
  have t₃ : s₃.gpr .x10 = tab := by rw [← hs₃]; reads; rw [page_add, m₂, m₁, ht]
  have x₃ : s₃.gpr .x2 = k.args := by rw [← hs₃]; reads; exact (k₂.gpr _ (by decide)).trans x₁
  have c₃ : s₃.gpr .x9 = k.ctx := by rw [← hs₃]; reads; exact (k₂.gpr _ (by decide)).trans c₁
  have n₃ : s₃.gpr .x1 = BitVec.ofNat 64 k.rounds := by
    rw [← hs₃]; reads; exact g₂.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  have e₃ : Env (fixedOf k tab) s₃ := ⟨c₃, n₃, r.keys.rounds, t₃, by rw [m₃, m]; exact r.keys.readsCtx, by rw [m₃, m]; exact r.reads,
    by rw [m₃, m]; exact r.holds⟩
  have a₃ : Arguments k n pub s₃ := ⟨x₃, hn.2, by rw [m₃, m]; exact reads, isPublic, fun i _ => by rw [m₃, m]; rfl⟩
  refine constants_ok.mono fun s₄ ⟨k₄, m₄, c₄, z₄⟩ => ?_
  exact ⟨k₃.trans (k₄.mono (List.nil_subset _)), m₄.trans m₃, e₃.same k₄ m₄, a₃.same k₄ m₄, c₄, z₄⟩

end
end Proof.AesGcm.AArch64
