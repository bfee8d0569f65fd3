import Proof.AesGcm.X86_64.Counter
import Proof.Gf2.Context

/-!
# What stays throughout a message
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2

/-- What does not change while a message is processed: where the key context and the table of constants are, the number of
rounds, the hash subkey, and the cipher on little-endian counter blocks. -/
structure Fixed where
  ctx : Addr
  tab : Addr
  rounds : Nat
  h : Spec.Ghash.Block
  cipher : BitVec 128 → BitVec 128

/-- The table and the key context hold what they should, in memory. -/
structure Holds (c : Fixed) (m : Mem) : Prop where
  table : bytesAt m c.tab 128 = table
  powers : IsTable c.h (tableAt m c.ctx) 16
  cipher : ∀ x, stream m c.ctx c.rounds x = c.cipher x

/-- The registers and the memory hold what they should. -/
structure Env (c : Fixed) (s : State) : Prop where
  key : s.gpr .r9 = c.ctx
  number : s.gpr .rsi = BitVec.ofNat 64 c.rounds
  valid : c.rounds ∈ [10, 12, 14]
  tab : s.gpr .r10 = c.tab
  readsKey : Within s.memory.readable ⟨c.ctx, 1024⟩
  readsTab : Within s.memory.readable ⟨c.tab, 128⟩
  holds : Holds c s.memory.bytes

namespace Env
variable {c : Fixed} {s s' : State}

/-- What counter mode needs. -/
theorem keyed (h : Env c s) : Keyed c.ctx c.rounds s := ⟨h.key, h.number, h.valid, h.readsKey⟩

/-- Other contents of memory. -/
theorem set (h : Env c s) {rs : List Reg} {b : Mem} (k : Keeps rs s s') (hr : (rs.all fun r => r ≠ .r9 ∧ r ≠ .r10 ∧ r ≠ .rsi) = true)
    (m : s'.memory = s.memory.set b) (hb : Holds c b) : Env c s' := by
  have out (q : Reg) (hq : q = .r9 ∨ q = .r10 ∨ q = .rsi) : q ∉ rs := fun hm => by
    have := of_decide_eq_true (List.all_eq_true.1 hr q hm)
    rcases hq with rfl | rfl | rfl <;> simp at this
  exact ⟨(k.gpr _ (out _ (.inl rfl))).trans h.key, (k.gpr _ (out _ (.inr (.inr rfl)))).trans h.number, h.valid,
    (k.gpr _ (out _ (.inr (.inl rfl)))).trans h.tab, by rw [m]; exact h.readsKey, by rw [m]; exact h.readsTab, by rw [m]; exact hb⟩

/-- The same contents of memory. -/
theorem same (h : Env c s) {rs : List Reg} (k : Keeps rs s s') (m : s'.memory = s.memory)
    (hr : (rs.all fun r => r ≠ .r9 ∧ r ≠ .r10 ∧ r ≠ .rsi) = true := by decide) : Env c s' :=
  h.set k hr (b := s.memory.bytes) (by rw [m]; rfl) h.holds

/-- A word of the table. -/
theorem word (h : Env c s) (i : Nat) (hi : i + 16 ≤ 128 := by decide) :
    ofBytes 128 (bytesAt s.memory.bytes (c.tab + BitVec.ofNat 64 i) 16) = ofBytes 128 ((table.drop i).take 16) := by
  rw [bytesAt_part _ _ hi, h.holds.table]

/-- The constant of the reduction. -/
theorem constant (h : Env c s) :
    half false (ofBytes 128 (bytesAt s.memory.bytes (c.tab + BitVec.ofNat 64 constantAt) 16)) = poly := by
  rw [h.word constantAt]
  decide +kernel

end Env
end Proof.AesGcm.X86_64
