import Proof.AesGcm.Init.X86_64.Steps

/-!
# Key expansion on x86-64: all round keys, for each length of the key
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.SymExec Spec.Aes Proof.Aes Impl.AesGcm.Init.X86_64

variable {s₀ s : State} {len n i : Nat} {W : List Word} {pub : List Region}

/-! ## The table -/

/-- The table is in memory. -/
def Table (s : State) (m : Mem) : Prop := ∀ k < 14, SymExec.word (base s) m 2 (16 * k) = table.getD k 0

/-- What the elements of the table are. -/
theorem rcon_table : ∀ j < 11, j ≠ 0 → table.getD (3 + j) 0 = rconV j := by decide +kernel

variable {b : Nat → Addr} {m : Mem}

/-- The key and the table are in memory when a step begins. -/
structure Ready (len : Nat) (W : List Word) (s₀ s : State) : Prop where
  table : Table s₀ s.memory.bytes
  key : ∀ off, off + 16 ≤ len → SymExec.word (base s₀) s.memory.bytes 0 off =
    SymExec.word (base s₀) s₀.memory.bytes 0 off

theorem Made.ready (h : Made n (rk W) s₀ i s) (hs : (layout len).Holds view (base s₀) s₀) (hi : i < 15)
    (ht : Table s₀ s₀.memory.bytes) : Ready len W s₀ s where
  table k hk := by
    rw [h.word hs hi (by decide) ?_, ht k hk]
    simp only [Layout.mayRead, layout, nth, Bool.true_and]
    exact Nat.ble_eq_true_of_le (by omega)
  key off ho := h.word hs hi (by decide) (by
    simp only [Layout.mayRead, layout, nth, Bool.true_and]
    exact Nat.ble_eq_true_of_le ho)

/-! ## Values -/

section Values
variable (h : Ready len W s₀ s)
include h

theorem rotated_at {e : VecExpr} {j : Nat} (hj : j < 11) (h0 : j ≠ 0) :
    (rotatedE e j).at (base s₀) view s = rotatedV (e.at (base s₀) view s) (rconV j) := by
  rw [← rcon_table j hj h0, ← h.table (3 + j) (by omega), rotatedV, show rotV = table.getD 0 0 from rfl,
    ← h.table 0 (by decide)]
  rfl

theorem substituted_at {e : VecExpr} :
    Expr.at (base s₀) view s (.bin .aesenclast (plainE e) (entryE 3)) = substitutedV (e.at (base s₀) view s) 0 := by
  rw [substitutedV, show (0 : TCB.Aes.Block) = table.getD 3 0 from rfl, ← h.table 3 (by decide)]
  rfl

theorem joined_at {p cur : VecExpr} {j : Nat} (hj : j < 11) (h0 : j ≠ 0) : (joinedE p cur j).at (base s₀) view s =
    joinedV (p.at (base s₀) view s) (cur.at (base s₀) view s) (rconV j) := by
  rw [joinedV, ← rotated_at h hj h0]
  rfl

end Values

theorem sums_at {o t : VecExpr} :
    (sumsE o t).at (base s₀) view s = sumsV (o.at (base s₀) view s) (t.at (base s₀) view s) := rfl

theorem plain_at {e : VecExpr} : (plainE e).at (base s₀) view s = plainV (e.at (base s₀) view s) := rfl

theorem reg_at : (regE i).at (base s₀) view s = view.lane s (reg i).val 0 := rfl

/-- The register before the last. -/
theorem reg_succ (h : i ≠ 0) : reg (i + 1) = reg (i - 1) := by
  rw [reg, reg, show (i + 1) % 2 = (i - 1) % 2 by omega]

/-! ## Round keys -/

section Keys
attribute [local irreducible] Proof.Aes.word
variable (h : Made n (rk W) s₀ i s) (r : Ready len W s₀ s)
include h r

theorem new128 (hW : W.length = 4) (hi : i < 10) : (next128E i).at (base s₀) view s = rk W (i + 1) := by
  rw [next128E, sums_at, rotated_at r (by omega) (by omega), reg_at, h.cur, next128_eq hW]

theorem new256 (hW : W.length = 8) (hi : i < 14)
    (key : SymExec.word (base s₀) s₀.memory.bytes 0 16 = rk W 1) (hl : len = 32) :
    (next256E i).at (base s₀) view s = rk W (i + 1) := by
  rw [next256E]
  split
  · subst i
    rw [← key, ← r.key 16 (by omega)]
    rfl
  · rename_i h0
    split <;> rename_i h1
    · rw [sums_at, rotated_at r (by omega) (by omega), reg_at, reg_at, reg_succ h0, h.cur, h.prev, next256_odd hW h1]
    · rw [sums_at, substituted_at r, reg_at, reg_at, reg_succ h0, h.cur, h.prev, next256_even hW (by omega) h0]

theorem new192 (hW : W.length = 6) (hi : i < 12)
    (key : SymExec.word (base s₀) s₀.memory.bytes 0 8 = ofWords (word W 2) (word W 3) (word W 4) (word W 5)) (hl : len = 24) :
    (next192E i).at (base s₀) view s = rk W (i + 1) := by
  rw [next192E]
  split
  · subst i
    rw [joined_at r (by omega) (by omega), reg_at, h.cur,
      show Expr.at (base s₀) view s (.load 0 8) = SymExec.word (base s₀) s.memory.bytes 0 8 from rfl, r.key 8 (by omega), key]
    exact joined_rk (p := word W 2) (q := word W 3) (i := 0) hW rfl
  · rename_i h0
    split
    · rename_i h3
      rw [joined_at r (by omega) (by omega), ← next192_zero hW h3 h0, ← h.cur, ← h.prev, ← reg_succ h0]
      rfl
    · rw [sums_at, show Expr.at (base s₀) view s (.bin (.palignr 8) (regE i) (regE (i + 1))) =
        VecBin.eval (.palignr 8) (view.lane s (reg i).val 0) (view.lane s (reg (i + 1)).val 0) from rfl, reg_succ h0, h.cur, h.prev]
      split
      · rw [plain_at, reg_at, h.cur, next192_one hW ‹_›]
      · rw [rotated_at r (by omega) (by omega), reg_at, h.cur, next192_two hW (by omega)]

end Keys

/-! ## Blocks -/

/-- The first round key. -/
theorem start_ok {key : Nat → TCB.Aes.Block} (hl : len ∈ [16, 24, 32]) (hs : (layout len).Holds view (base s₀) s₀)
    (first : SymExec.word (base s₀) s₀.memory.bytes 0 0 = key 0) :
    isa.Wp pub (.block start) (Made n key s₀ 0) s₀ := by
  refine machine.wp startOutcome hs (start_checked len hl) fun s' e => ?_
  have h1 : view.lane s' 1 0 = key 0 := (e.vec (r := 1) rfl 0).trans first
  refine ⟨(e.vec (r := 0) rfl 0).trans first, h1, h1, ?_, Proof.Aes.X86_64.keeps_of_ends e [] rfl⟩
  have m : s'.memory = s₀.memory.set (writeBytes s₀.memory.bytes (s₀.gpr .rdx + 0#64)
    (toBytes 16 (SymExec.word (base s₀) s₀.memory.bytes 0 0) ++ [])) := e.memory
  rw [m, first, BitVec.add_zero]
  rfl

/-- What the rounds need on entry. -/
structure Entry (len : Nat) (bs : List Byte) (s : State) : Prop where
  length : bs.length = len
  holds : (layout len).Holds view (base s) s
  table : Table s s.memory.bytes
  key : ∀ j, 4 * j + 16 ≤ len → SymExec.word (base s) s.memory.bytes 0 (4 * j) = ofBytes 128 ((bs.drop (4 * j)).take 16)

variable {bs : List Byte}

/-- Four words of the key. -/
theorem Entry.words (h : Entry len bs s) {j : Nat} (hj : 4 * j + 16 ≤ len) : SymExec.word (base s) s.memory.bytes 0 (4 * j) =
    ofWords (word (keyWords bs) j) (word (keyWords bs) (j + 1)) (word (keyWords bs) (j + 2)) (word (keyWords bs) (j + 3)) := by
  rw [h.key j hj, keyWords_eq (by rw [h.length]; exact hj)]

/-- All round keys, if each step is right. -/
theorem rounds_ok {next : Nat → List Instr} {nextE : Nat → VecExpr} (hl : len ∈ [16, 24, 32]) (hn : n ≤ 14)
    (h : Entry len bs s)
    (checked : ∀ i < n, machine.check (layout len) (step n next i) (outcome n nextE i) = true)
    (new : ∀ i < n, ∀ s', Made n (rk (keyWords bs)) s i s' → Ready len (keyWords bs) s s' →
      (nextE i).at (base s) view s' = rk (keyWords bs) (i + 1)) :
    isa.Wp pub (.block (Impl.AesGcm.Init.X86_64.rounds n next)) (Made n (rk (keyWords bs)) s n) s := by
  have first : SymExec.word (base s) s.memory.bytes 0 0 = rk (keyWords bs) 0 := h.words (j := 0) (by
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hl; omega)
  refine .append ((start_ok hl h.holds first).mono fun s₁ m₁ => steps_ok (fun i hi s' m => ?_) m₁)
  exact step_ok h.holds (checked i hi) (by omega) m (new i hi s' m (m.ready h.holds (by omega) h.table))

theorem length_words (h : Entry len bs s) : (keyWords bs).length = len / 4 := by rw [keyWords_length, h.length]

theorem rounds128_ok (h : Entry 16 bs s) : isa.Wp pub (.block (Impl.AesGcm.Init.X86_64.rounds 10 next128))
    (Made 10 (rk (keyWords bs)) s 10) s :=
  rounds_ok (by decide) (by decide) h checked128 fun _ hi _ m r => new128 m r (length_words h) hi

theorem rounds192_ok (h : Entry 24 bs s) : isa.Wp pub (.block (Impl.AesGcm.Init.X86_64.rounds 12 next192))
    (Made 12 (rk (keyWords bs)) s 12) s :=
  rounds_ok (by decide) (by decide) h checked192 fun _ hi _ m r =>
    new192 m r (length_words h) hi (h.words (j := 2) (by decide)) rfl

theorem rounds256_ok (h : Entry 32 bs s) : isa.Wp pub (.block (Impl.AesGcm.Init.X86_64.rounds 14 next256))
    (Made 14 (rk (keyWords bs)) s 14) s :=
  rounds_ok (by decide) (by decide) h checked256 fun _ hi _ m r =>
    new256 m r (length_words h) hi (h.words (j := 4) (by decide)) rfl

/-- The zero block after all rounds is its encryption. -/
theorem roundsTo_eq (key : Nat → TCB.Aes.Block) (n : Nat) :
    roundsTo (n + 1) key (n + 1) = cipher ((List.range (n + 2)).map key) 0 := by
  have upTo : ∀ i ≤ n, roundsTo (n + 1) key i = roundsFrom key 1 (key 0) i := by
    intro i hi
    induction i with
    | zero => rfl
    | succ i ih =>
      rw [roundsTo, ih (by omega), roundOf, if_neg (by omega), Proof.Aes.X86_64.aesenc_eq, roundsFrom, Nat.add_comm 1 i]
  rw [cipher_eq, roundsTo, upTo n (Nat.le_refl n), roundOf, if_pos rfl, Proof.Aes.X86_64.aesenclast_eq]
  simp

end Proof.AesGcm.Init.X86_64
