import Proof.AesGcm.AArch64.Counter
import Proof.Gf2.Context

/-!
# What stays throughout a message
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.Gf2 Proof.AesGcm.Message

/-- The table and the key context hold what they should, in memory. -/
structure Holds (c : Fixed) (m : Mem) : Prop where
  table : bytesAt m c.tab 80 = table
  powers : IsTable c.h (tableAt m c.ctx) 16
  cipher : ∀ x, stream m c.ctx c.rounds x = c.cipher x

/-- The registers and the memory hold what they should. -/
structure Env (c : Fixed) (s : State) : Prop where
  key : s.gpr .x9 = c.ctx
  number : s.gpr .x1 = BitVec.ofNat 64 c.rounds
  valid : c.rounds ∈ [10, 12, 14]
  tab : s.gpr .x10 = c.tab
  readsKey : Within s.memory.readable ⟨c.ctx, 1024⟩
  readsTab : Within s.memory.readable ⟨c.tab, 80⟩
  holds : Holds c s.memory.bytes

namespace Env
variable {c : Fixed} {s s' : State}

/-- What counter mode needs. -/
theorem keyed (h : Env c s) : Keyed c.ctx c.rounds s := ⟨h.key, h.number, h.valid, h.readsKey⟩

/-- Other contents of memory. -/
theorem set (h : Env c s) {rs : List Reg} {b : Mem} (k : Keeps rs s s') (hr : (rs.all fun r => r ≠ .x9 ∧ r ≠ .x10 ∧ r ≠ .x1) = true)
    (m : s'.memory = s.memory.set b) (hb : Holds c b) : Env c s' := by
  have out (q : Reg) (hq : q = .x9 ∨ q = .x10 ∨ q = .x1) : q ∉ rs := fun hm => by
    have := of_decide_eq_true (List.all_eq_true.1 hr q hm)
    rcases hq with rfl | rfl | rfl <;> simp at this
  exact ⟨(k.gpr _ (out _ (.inl rfl))).trans h.key, (k.gpr _ (out _ (.inr (.inr rfl)))).trans h.number, h.valid,
    (k.gpr _ (out _ (.inr (.inl rfl)))).trans h.tab, by rw [m]; exact h.readsKey, by rw [m]; exact h.readsTab, by rw [m]; exact hb⟩

/-- The same contents of memory. -/
theorem same (h : Env c s) {rs : List Reg} (k : Keeps rs s s') (m : s'.memory = s.memory)
    (hr : (rs.all fun r => r ≠ .x9 ∧ r ≠ .x10 ∧ r ≠ .x1) = true := by decide) : Env c s' :=
  h.set k hr (b := s.memory.bytes) (by rw [m]; rfl) h.holds

end Env
end Proof.AesGcm.AArch64
