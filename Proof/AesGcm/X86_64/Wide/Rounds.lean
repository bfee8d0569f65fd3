import Proof.AesGcm.X86_64.Wide.Keystream

/-!
# The rounds before the last ten
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Aes Proof.Aes.X86_64
open Impl.AesGcm.X86_64.Wide (ahead twoAhead)

/-- All rounds but the last ten are done. -/
structure Ahead (k : Call) (tab : Addr) (n j : Nat) (s₀ s : State) : Prop where
  rounds : k.rounds = 10 + j
  blocks : Blocks k n j s
  keeping : Keeping [.rdi] [11, 13] s₀ s
  memory : s.memory = s₀.memory
  key : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * j)
  env : Env (fixedOf k tab) s

/-- Registers with all their lanes. -/
theorem Keeping.trans {qs : List Reg} {rs : List Nat} {s₀ s₁ s : State} (h : Keeping qs rs s₀ s₁) (g : Keeping qs rs s₁ s) :
    Keeping qs rs s₀ s := ⟨h.keeps.trans g.keeps, fun r hr i => (g.lanes r hr i).trans (h.lanes r hr i)⟩

/-- More may change. -/
theorem Keeping.mono {qs qs' : List Reg} {rs rs' : List Nat} {s₀ s : State} (h : Keeping qs rs s₀ s) (hq : qs ⊆ qs') (hr : rs' ⊆ rs) :
    Keeping qs' rs' s₀ s := ⟨h.keeps.mono hq, fun r h' i => h.lanes r (hr h') i⟩

/-- Instructions that change no vector register. -/
theorem Keeping.of_vec {qs : List Reg} {s₀ s : State} (h : Keeps qs s₀ s) (hv : s.vec = s₀.vec) (rs : List Nat) : Keeping qs rs s₀ s :=
  ⟨h, fun r _ i => by simp only [view, State.lane, hv]⟩

section
variable {k : Call} {tab : Addr} {s s₀ s' : State} {pub : List Region} {d n j : Nat}

/-- A comparison changes nothing of it. -/
theorem Blocks.of_vec (h : Blocks k n j s) (hv : s'.vec = s.vec) : Blocks k n j s' :=
  have lane (r i : Nat) : view.lane s' r i = view.lane s r i := by simp only [view, State.lane, hv]
  ⟨fun r hr l hl => (lane r l).trans (h.blocks r hr l hl), fun l hl => (lane 8 l).trans (h.counters l hl)⟩

/-- **The rounds before the last ten.** -/
theorem ahead_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (m : s.memory = k.memory.set (k.text.mem d)) (key : s.gpr .rdi = k.ctx)
    (text : s.gpr .rcx = k.data + BitVec.ofNat 64 d) (hd : d + 256 ≤ k.len) (h : Blocks k n 0 s) :
    isa.Wp pub ahead (fun s' => ∃ j, j ≤ 4 ∧ Ahead k tab n j s s') s := by
  have valid := r.pre.rounds
  simp only [List.mem_cons, List.not_mem_nil, or_false] at valid
  refine .seq ((compareRounds_ok e (by decide)).mono fun s₁ ⟨k₁, v₁, m₁, z₁⟩ => ?_)
  have a₁ : Keeping [.rdi] [11, 13] s s₁ := .of_vec (k₁.mono (List.nil_subset _)) v₁ _
  have e₁ := e.same k₁ m₁
  refine .skipIf z₁ (fun z => ⟨0, by decide, of_decide_eq_true z, h.of_vec v₁, a₁, m₁,
    (k₁.gpr .rdi (by decide)).trans (key.trans (BitVec.add_zero _).symm), e₁⟩) fun z => .seq ?_
  have z := of_decide_eq_false z
  refine (twoAhead_ok r e₁ (m₁.trans m) (j := 0) (by decide) ((k₁.gpr .rdi (by decide)).trans (key.trans (BitVec.add_zero _).symm))
    ((k₁.gpr .rcx (by decide)).trans text) hd (h.of_vec v₁)).mono fun s₂ ⟨b₂, a₂, m₂, g₂⟩ => .seq ?_
  have a₂ := a₁.trans a₂
  have m₂ := m₂.trans m₁
  have e₂ := e.same a₂.keeps m₂
  refine (compareRounds_ok e₂ (by decide)).mono fun s₃ ⟨k₃, v₃, m₃, z₃⟩ => ?_
  have a₃ : Keeping [.rdi] [11, 13] s s₃ := a₂.trans (.of_vec (k₃.mono (List.nil_subset _)) v₃ _)
  have e₃ := e₂.same k₃ m₃
  refine .skipIf z₃ (fun z => ⟨2, by decide, of_decide_eq_true z, b₂.of_vec v₃, a₃, m₃.trans m₂, (k₃.gpr .rdi (by decide)).trans g₂, e₃⟩)
    fun z' => ?_
  have z' := of_decide_eq_false z'
  refine (twoAhead_ok r e₃ ((m₃.trans m₂).trans m) (j := 2) (by decide) ((k₃.gpr .rdi (by decide)).trans g₂)
    ((a₃.keeps.gpr .rcx (by decide)).trans text) hd (b₂.of_vec v₃)).mono fun s₄ ⟨b₄, a₄, m₄, g₄⟩ => ?_
  exact ⟨4, by decide, by omega, b₄, a₃.trans a₄, m₄.trans (m₃.trans m₂), g₄, e.same (a₃.trans a₄).keeps (m₄.trans (m₃.trans m₂))⟩

/-- A block of the keystream, from the rounds ahead. -/
theorem lastTen_at (r : Ready k tab) (a : Ahead k tab n j s₀ s) (m : s.memory = k.memory.set (k.text.mem d)) (hj : j ≤ 4) {p i : Nat} (hi : i < 16) :
    (lastTenE (.reg (i / 2) (i % 2))).at (places k tab j p) view s = k.text.key (n + i) := by
  have block := a.blocks.blocks (i / 2) (by omega) (i % 2) (by omega)
  have reg : (Expr.reg (i / 2) (i % 2) : VecExpr).at (places k tab j p) view s = view.lane s (i / 2) (i % 2) := rfl
  rw [show n + 2 * (i / 2) + i % 2 = n + i by omega] at block
  rw [lastTenE_at (j := j) rfl, rounds_mem r (by omega) _ m, key_mem r _ (by omega) m, reg, block, Nat.add_comm j 1, ← roundsFrom_add,
    Ready.key_text (tab := tab)]
  show _ = stream k.memory.bytes k.ctx k.rounds _
  rw [stream_eq r.pre.rounds, a.rounds, show 10 + j - 1 = j + 9 by omega, Nat.add_comm 10 j]

end
end Proof.AesGcm.X86_64.Wide
