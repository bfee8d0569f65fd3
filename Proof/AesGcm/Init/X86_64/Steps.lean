import Impl.AesGcm.Init.X86_64
import Proof.Aes.X86_64
import Proof.AesGcm.Init.Rounds
import Proof.AesGcm.Init.X86_64.Words

/-!
# Key expansion on x86-64: the round keys, for each length of the key
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.SymExec Spec.Aes Proof.Aes Impl.AesGcm.Init Impl.AesGcm.Init.X86_64

/-- The key is at `rdi`, the context at `rdx` and the table at `rax`. -/
def regs : Regs := { key := 7, ctx := 2, table := 0 }

/-! ## Symbolic values -/

/-- A round key in its register. -/
def regE (i : Nat) : VecExpr := .reg (keyReg i) 0

/-- An element of the table. -/
def entryE (k : Nat) : VecExpr := .load 2 (16 * k)

def rotatedE (last : VecExpr) (j : Nat) : VecExpr := .bin .aesenclast (.bin .pshufb last (entryE 0)) (entryE (3 + j))

def plainE (last : VecExpr) : VecExpr := .un (.pshufd 0xff) last

def pairsE (old : VecExpr) : VecExpr := .bin .pxor old (.un (.pslldq 4) old)

def sumsE (old t : VecExpr) : VecExpr := .bin .pxor (.bin .pxor (pairsE old) (.un (.pslldq 8) (pairsE old))) t

def joinedE (p cur : VecExpr) (j : Nat) : VecExpr :=
  .bin (.palignr 8) (.bin .pxor (.bin .pxor (.un (.psllq 32) cur) cur) (rotatedE p j)) p

/-- The round key `i + 1`, for each length of the key. -/
def next128E (i : Nat) : VecExpr := sumsE (regE i) (rotatedE (regE i) (i + 1))

def next192E (i : Nat) : VecExpr :=
  if i = 0 then joinedE (.load 0 8) (regE 0) 1
  else if i % 3 = 0 then
    joinedE (.bin .pxor (.bin .pxor (regE (i + 1)) (.un (.psllq 32) (regE (i + 1)))) (plainE (regE i))) (regE i)
      (2 * i / 3 + 1)
  else sumsE (.bin (.palignr 8) (regE i) (regE (i + 1)))
    (if i % 3 = 1 then plainE (regE i) else rotatedE (regE i) (2 * (i + 1) / 3))

def next256E (i : Nat) : VecExpr :=
  if i = 0 then .load 0 16
  else sumsE (regE (i + 1))
    (if i % 2 = 1 then rotatedE (regE i) (i / 2 + 1) else .bin .aesenclast (plainE (regE i)) (entryE 3))

/-- The block after round `i + 1`. -/
def roundE (n : Nat) (next : Nat → VecExpr) (i : Nat) : VecExpr := .bin (roundOf n (i + 1)) (.reg 0 0) (next i)

/-! ## Checks -/

theorem start_checked : ∀ len ∈ [16, 24, 32],
    machine.check (layout regs len) start (startOutcome regs (.load 0 0)) = true := by decide +kernel

theorem checked128 : ∀ i < 10, machine.check (layout regs 16) (step 10 next128 i)
    (outcome machine regs (roundE 10 next128E) next128E i) = true := by decide +kernel

theorem checked192 : ∀ i < 12, machine.check (layout regs 24) (step 12 next192 i)
    (outcome machine regs (roundE 12 next192E) next192E i) = true := by decide +kernel

theorem checked256 : ∀ i < 14, machine.check (layout regs 32) (step 14 next256 i)
    (outcome machine regs (roundE 14 next256E) next256E i) = true := by decide +kernel

/-! ## Values -/

variable {s₀ s : State} {len n i : Nat} {W : List Word} {bs : List Byte} {pub : List Region}

section Values
variable (h : Ready view regs len W s₀ s)
include h

theorem rotated_at {e : VecExpr} {j : Nat} (hj : j < 11) (h0 : j ≠ 0) :
    (rotatedE e j).at (base view regs s₀) view s = rotatedV (e.at (base view regs s₀) view s) j := by
  rw [← rotated_eq, ← h.rcon hj h0, show 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 = table.getD 0 0 from rfl,
    ← h.table 0 (by decide)]
  rfl

theorem substituted_at {e : VecExpr} : Expr.at (base view regs s₀) view s (.bin .aesenclast (plainE e) (entryE 3)) =
    substitutedV (e.at (base view regs s₀) view s) := by
  rw [← substituted_eq, show (0#128 : TCB.Aes.Block) = table.getD 3 0 from rfl, ← h.table 3 (by decide)]
  rfl

theorem joined_at {p cur : VecExpr} {j : Nat} (hj : j < 11) (h0 : j ≠ 0) : (joinedE p cur j).at (base view regs s₀) view s =
    joinedV (p.at (base view regs s₀) view s) (cur.at (base view regs s₀) view s) j := by
  rw [← joined_eq, ← rotated_at h hj h0]
  rfl

end Values

theorem plain_at {e : VecExpr} :
    (plainE e).at (base view regs s₀) view s = plainV (e.at (base view regs s₀) view s) := by
  rw [← pshufd_3]
  rfl

theorem sums_at {o t : VecExpr} : (sumsE o t).at (base view regs s₀) view s =
    sumsV (o.at (base view regs s₀) view s) (t.at (base view regs s₀) view s) := by
  rw [← sums_eq]
  rfl

theorem window_at {a b : VecExpr} : Expr.at (base view regs s₀) view s (.bin (.palignr 8) a b) =
    window (a.at (base view regs s₀) view s) (b.at (base view regs s₀) view s) := by
  rw [← palignr_8]
  rfl

section Next
attribute [local irreducible] Proof.Aes.word sumsV rotatedV plainV substitutedV joinedV upperV window

theorem next128_at (h : Ready view regs len W s₀ s) (hi : i < 10) : (next128E i).at (base view regs s₀) view s =
    next128V i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) := by
  rw [next128E, sums_at, rotated_at h (by omega) (by omega)]
  rfl

theorem next192_at (h : Ready view regs 24 W s₀ s) (hi : i < 12) : (next192E i).at (base view regs s₀) view s =
    next192V W i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) := by
  rw [next192E, next192V]
  split
  · subst i
    rw [joined_at h (by omega) (by omega), ← h.key 2 (by decide)]
    rfl
  split
  · rw [joined_at h (by omega) (by omega), ← upper_eq]
    rfl
  · rw [sums_at, window_at]
    split
    · rw [plain_at]
      rfl
    · rw [rotated_at h (by omega) (by omega)]
      rfl

theorem next256_at (h : Ready view regs 32 W s₀ s) (hi : i < 14) : (next256E i).at (base view regs s₀) view s =
    next256V W i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) := by
  rw [next256E, next256V]
  split
  · exact h.key 4 (by decide)
  rw [sums_at]
  split
  · rw [rotated_at h (by omega) (by omega)]
    rfl
  · rw [substituted_at h]
    rfl

end Next

/-! ## All rounds -/

/-- The zero block after round `i` of `n`. -/
def roundsTo (n : Nat) (key : Nat → TCB.Aes.Block) : Nat → TCB.Aes.Block
  | 0 => key 0
  | i + 1 => (roundOf n (i + 1)).eval (roundsTo n key i) (key (i + 1))

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

theorem fit : regs.Fit machine := ⟨by decide, by decide, by decide, nofun, by decide⟩

/-- The zero block after `n` rounds and all round keys. -/
abbrev Rounds (n : Nat) (bs : List Byte) (s₀ s : State) : Prop :=
  Made machine regs (roundsTo n (rk (keyWords bs))) (rk (keyWords bs)) s₀ n s

/-- All rounds, if each round key is right. -/
theorem rounds_ok {next : Nat → List Instr} {nextE : Nat → VecExpr}
    {nextV : Nat → TCB.Aes.Block → TCB.Aes.Block → TCB.Aes.Block} (h : Entry view regs len bs s) (hn : n ≤ 14)
    (checked : ∀ i < n, machine.check (layout regs len) (step n next i) (outcome machine regs (roundE n nextE) nextE i) = true)
    (next_rk : ∀ {i p}, (i ≠ 0 → p = rk (keyWords bs) (i - 1)) → nextV i p (rk (keyWords bs) i) = rk (keyWords bs) (i + 1))
    (next_at : ∀ i < n, ∀ s', Ready view regs len (keyWords bs) s s' →
      (nextE i).at (base view regs s) view s' = nextV i (view.lane s' (keyReg (i + 1)) 0) (view.lane s' (keyReg i) 0)) :
    isa.Wp pub (.block (rounds n next)) (Rounds n bs s) s :=
  Init.rounds_ok fit h hn (start_checked len h.valid) checked (h.ready.key 0 (by
    have := h.valid
    simp only [List.mem_cons, List.not_mem_nil, or_false] at this
    omega)) next_rk (fun i hi s' _ => next_at i hi s') fun i hi s' m new => by
      rw [roundsTo, ← m.block, ← new]
      rfl

theorem rounds128_ok (h : Entry view regs 16 bs s) : isa.Wp pub (.block (rounds 10 next128)) (Rounds 10 bs s) s :=
  rounds_ok (nextV := next128V) h (by decide) checked128 (fun _ => next128_rk h.words) fun _ hi _ r => next128_at r hi

theorem rounds192_ok (h : Entry view regs 24 bs s) : isa.Wp pub (.block (rounds 12 next192)) (Rounds 12 bs s) s :=
  rounds_ok h (by decide) checked192 (next192_rk h.words) fun _ hi _ r => next192_at r hi

theorem rounds256_ok (h : Entry view regs 32 bs s) : isa.Wp pub (.block (rounds 14 next256)) (Rounds 14 bs s) s :=
  rounds_ok h (by decide) checked256 (next256_rk h.words) fun _ hi _ r => next256_at r hi

end Proof.AesGcm.Init.X86_64
