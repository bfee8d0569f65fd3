import Proof.AesGcm.X86_64.Lengths

/-!
# The beginning and the end of a kernel
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64

/-- The table of constants at `r10`. -/
def constantsLayout : Layout := { areas := [{ len := 128 }], ptrs := [(10, 0, 0)] }

/-- The constants, and no hash. -/
def constantsOutcome : Outcome VecUn VecBin :=
  { vec := [(9, [.load 0 reverseAt]), (10, [.load 0 oneAt]), (11, [xorE (.reg 11 0) (.reg 11 0)])] }

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {k : Call} {tab : Addr} {n : Nat} {pub : List Region} {s : State}

/-- The constants, and no hash yet. -/
theorem constants_ok {c : Fixed} (e : Env c s) : isa.Wp pub (.block Impl.AesGcm.X86_64.constants) (fun s' =>
      Keeps [] s s' ∧ s'.memory = s.memory ∧ Constants s' ∧ view.lane s' 11 0 = 0) s := by
  have holds : constantsLayout.Holds view (fun _ => c.tab) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact e.tab.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => e.readsTab, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp constantsOutcome holds (by decide +kernel) fun s' o => ⟨Aes.X86_64.keeps_of_ends o [] rfl, o.memory, ⟨?_, ?_⟩, ?_⟩
  · refine ((o.vec (r := 9) rfl 0).trans (e.word reverseAt)).trans ?_
    decide +kernel
  · refine ((o.vec (r := 10) rfl 0).trans (e.word oneAt)).trans ?_
    decide +kernel
  · exact (o.vec (r := 11) rfl 0).trans BitVec.xor_self

/-- **The beginning**: where everything is, and the constants. -/
theorem enter_ok (r : Based k tab) (hn : 0 < n ∧ n ≤ 16) (m : s.memory = k.memory) (ctx : s.gpr .rdi = k.ctx) (args : s.gpr .rsi = k.args)
    (ht : s.memory.constants = tab) (reads : Within k.memory.readable ⟨k.args, 8 * n⟩) (isPublic : Within pub ⟨k.args, 8 * n⟩) :
    isa.Wp pub enter (isa.Wp pub (.block Impl.AesGcm.X86_64.constants) fun s' =>
      Keeps [.rdx, .r9, .rsi, .r10] s s' ∧ s'.memory = s.memory ∧ Env (fixedOf k tab) s' ∧ Arguments k n pub s' ∧ Constants s' ∧
      view.lane s' 11 0 = 0) s := by
  refine .publicCons (s₁ := s.setReg .rdx (s.gpr .rsi)) (t := []) rfl nofun
    (.publicCons (s₁ := (s.setReg .rdx (s.gpr .rsi)).setReg .r9 (s.gpr .rdi)) (t := []) ?_ nofun ?_)
  · simp only [isa, exec]
    reads
  generalize hs₁ : (s.setReg .rdx _).setReg .r9 _ = s₁
  have k₁ : Keeps [.rdx, .r9, .rsi, .r10] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have x₁ : s₁.gpr .rdx = k.args := by rw [← hs₁]; reads; exact args
  have c₁ : s₁.gpr .r9 = k.ctx := by rw [← hs₁]; reads; exact ctx
  have a₁ : Arguments k n pub s₁ := ⟨x₁, hn.2, by rw [m₁, m]; exact reads, isPublic, fun i _ => by rw [m₁, m]; rfl⟩
  refine argument_ok 0 a₁ hn.1 fun s₂ k₂ m₂ v₂ g₂ => ?_
  refine .publicCons (s₁ := s₂.setReg .r10 s₂.memory.constants) (t := []) rfl nofun (.publicNil ?_)
  generalize hs₃ : s₂.setReg .r10 _ = s₃
  have k₃ : Keeps [.rdx, .r9, .rsi, .r10] s s₃ := by rw [← hs₃]; exact kept (k₁.trans (k₂.mono (by decide)))
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂.trans m₁
  have t₃ : s₃.gpr .r10 = tab := by rw [← hs₃]; reads; rw [m₂, m₁, ht]
  have x₃ : s₃.gpr .rdx = k.args := by rw [← hs₃]; reads; exact (k₂.gpr _ (by decide)).trans x₁
  have c₃ : s₃.gpr .r9 = k.ctx := by rw [← hs₃]; reads; exact (k₂.gpr _ (by decide)).trans c₁
  have n₃ : s₃.gpr .rsi = BitVec.ofNat 64 k.rounds := by
    rw [← hs₃]; reads; exact g₂.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  have e₃ : Env (fixedOf k tab) s₃ := ⟨c₃, n₃, r.keys.rounds, t₃, by rw [m₃, m]; exact r.keys.readsCtx, by rw [m₃, m]; exact r.reads,
    by rw [m₃, m]; exact r.holds⟩
  have a₃ : Arguments k n pub s₃ := ⟨x₃, hn.2, by rw [m₃, m]; exact reads, isPublic, fun i _ => by rw [m₃, m]; rfl⟩
  refine (constants_ok e₃).mono fun s₄ ⟨k₄, m₄, c₄, z₄⟩ => ?_
  exact ⟨k₃.trans (k₄.mono (List.nil_subset _)), m₄.trans m₃, e₃.same k₄ m₄, a₃.same k₄ m₄, c₄, z₄⟩

end
end Proof.AesGcm.X86_64
