import Proof.AesGcm.X86_64.Tail

/-!
# The text of a message in memory
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message

/-- Other memory with the same key context and the same table. -/
theorem Holds.congr {c : Fixed} {m m' : Mem} (h : Holds c m) (hr : c.rounds ∈ [10, 12, 14])
    (key : bytesAt m' c.ctx 1024 = bytesAt m c.ctx 1024) (tab : bytesAt m' c.tab 128 = bytesAt m c.tab 128) : Holds c m' := by
  have word {i : Nat} (hi : i + 16 ≤ 1024) : Spec.AesGcm.Context.word m' c.ctx i = Spec.AesGcm.Context.word m c.ctx i := by
    generalize 1024 = n at key hi
    have a := bytesAt_part m' c.ctx hi
    rw [key, ← bytesAt_part m c.ctx hi] at a
    simp only [Spec.AesGcm.Context.word, a]
  refine ⟨tab.trans h.table, fun i hi => ?_, fun x => ?_⟩
  · rw [← h.powers i hi, tableAt, tableAt, word (by omega)]
  · have keys : Spec.AesGcm.Context.roundKeys m' c.ctx c.rounds = Spec.AesGcm.Context.roundKeys m c.ctx c.rounds := by
      refine List.map_congr_left fun i hi => word ?_
      have := List.mem_range.1 hi
      simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      omega
    rw [← h.cipher x, stream, stream, keys]

/-- What belongs to a call: the key context, and where the table is. -/
def fixedOf (k : Call) (tab : Addr) : Fixed :=
  ⟨k.ctx, tab, k.rounds, k.subkey, stream k.memory.bytes k.ctx k.rounds⟩

/-- What a kernel has on entry: the requirements of the contract, and its table apart from the text. -/
structure Ready (k : Call) (tab : Addr) : Prop where
  pre : k.Pre
  table : bytesAt k.memory.bytes tab 128 = table
  reads : Within k.memory.readable ⟨tab, 128⟩
  apart : (Region.mk k.data k.len).Disjoint ⟨tab, 128⟩

namespace Ready
variable {k : Call} {tab : Addr} (h : Ready k tab)
include h

/-- On entry the key context and the table hold what they should. -/
theorem holds : Holds (fixedOf k tab) k.memory.bytes := ⟨h.table, h.pre.table, fun _ => rfl⟩

/-- And while the text is processed. -/
theorem holds_mem (d : Nat) : Holds (fixedOf k tab) (k.text.mem d) :=
  h.holds.congr h.pre.rounds (k.text.bytesAt_mem_apart d (by decide) h.pre.apartCtx)
    (k.text.bytesAt_mem_apart d (by decide) h.apart)

omit h in
/-- Block `j` of the keystream of the text. -/
theorem key_text (j : Nat) : k.text.key j = (fixedOf k tab).cipher (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) j) :=
  keyBlock_aes ..

end Ready

/-- Counting goes on. -/
theorem counter_add (x : Spec.Ghash.Block) (i j : Nat) :
    Spec.Gcm.counter (Spec.Gcm.counter x i) j = Spec.Gcm.counter x (i + j) := by
  induction j with
  | zero => rfl
  | succ j ih => rw [Spec.Gcm.counter, ih]; rfl

/-- A run of numbers. -/
theorem take_drop_range {k n m : Nat} (h : k + n ≤ m) : ((List.range m).drop k).take n = (List.range n).map (k + ·) := by
  obtain ⟨r, rfl⟩ : ∃ r, m = k + (n + r) := ⟨m - (k + n), by omega⟩
  rw [List.range_add, List.drop_left' (by simp), List.range_add, List.map_append, List.take_left' (by simp)]

/-- A word at an offset. -/
theorem word_add (m : Mem) (p : Addr) (i j : Nat) :
    Spec.AesGcm.Context.word m (p + BitVec.ofNat 64 i) j = Spec.AesGcm.Context.word m p (i + j) := by
  rw [Spec.AesGcm.Context.word, Spec.AesGcm.Context.word, BitVec.add_assoc, ← BitVec.ofNat_add]

end Proof.AesGcm.X86_64
