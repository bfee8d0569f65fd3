import Impl.AesGcm.Init.AArch64
import Proof.AesGcm.Init.AArch64.Words
import Proof.AesGcm.Init.Rounds

/-!
# Key expansion on AArch64: the round keys, for each length of the key
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.AArch64
open TCB TCB.AArch64 TCB.SymExec Spec.Aes Proof.Aes Impl.AesGcm.Init Impl.AesGcm.Init.AArch64

/-- The key is at `x0`, the context at `x2` and the table at `x3`; besides what a callee preserves, two constants are kept. -/
def regs : Regs := { key := 0, ctx := 2, table := 3, others := saved ++ [6, 7] }

/-! ## Symbolic values -/

/-- A round key in its register. -/
def regE (i : Nat) : VecExpr := .reg (keyReg i) 0

/-- The shuffle for ROTWORD. -/
def maskE : VecExpr := .reg 6 0

def zeroE : VecExpr := .reg 7 0

/-- An element of the table. -/
def entryE (k : Nat) : VecExpr := .load 2 (16 * k)

def xorE (a b : VecExpr) : VecExpr := .bin (.vec .eor) a b

/-- An expression, and others added to it. -/
def addE (e : VecExpr) (ts : List VecExpr) : VecExpr := ts.foldl xorE e

def rotatedE (last : VecExpr) (j : Nat) : List VecExpr := [entryE (3 + j), .bin .aese (.bin (.vec .tbl) last maskE) zeroE]

def plainE (last : VecExpr) : VecExpr := .un (.dup (.s 3)) last

def pairsE (old : VecExpr) : VecExpr := xorE old (.bin (.vec (.ext 12)) zeroE old)

def sumsE (old : VecExpr) (ts : List VecExpr) : VecExpr :=
  addE (xorE (pairsE old) (.bin (.vec (.ext 8)) zeroE (pairsE old))) ts

def shiftE (e : VecExpr) : VecExpr := .un (.shl2d 32) e

def joinedE (p cur : VecExpr) (j : Nat) : VecExpr := .bin (.vec (.ext 8)) p (addE (xorE (shiftE cur) cur) (rotatedE p j))

/-- The round key `i + 1`, for each length of the key. -/
def next128E (i : Nat) : VecExpr := sumsE (regE i) (rotatedE (regE i) (i + 1))

def next192E (i : Nat) : VecExpr :=
  if i = 0 then joinedE (.load 0 8) (regE 0) 1
  else if i % 3 = 0 then
    joinedE (xorE (xorE (regE (i + 1)) (shiftE (regE (i + 1)))) (plainE (regE i))) (regE i) (2 * i / 3 + 1)
  else sumsE (.bin (.vec (.ext 8)) (regE (i + 1)) (regE i))
    (if i % 3 = 1 then [plainE (regE i)] else rotatedE (regE i) (2 * (i + 1) / 3))

def next256E (i : Nat) : VecExpr :=
  if i = 0 then .load 0 16
  else sumsE (regE (i + 1)) (if i % 2 = 1 then rotatedE (regE i) (i / 2 + 1) else [.bin .aese (plainE (regE i)) zeroE])

/-- The block after round `i + 1`, but for its round key unless it is the last. -/
def roundE (n : Nat) (next : Nat → VecExpr) (i : Nat) : VecExpr :=
  let t : VecExpr := .bin .aese (.reg 0 0) (regE i)
  if i + 1 = n then xorE t (next i) else .un .aesmc t

/-! ## Checks -/

theorem start_checked : ∀ len ∈ [16, 24, 32],
    machine.check (layout regs len) start (startOutcome regs (.const 0)) = true := by decide +kernel

theorem checked128 : ∀ i < 10, machine.check (layout regs 16) (step 10 next128 i)
    (outcome machine regs (roundE 10 next128E) next128E i) = true := by decide +kernel

theorem checked192 : ∀ i < 12, machine.check (layout regs 24) (step 12 next192 i)
    (outcome machine regs (roundE 12 next192E) next192E i) = true := by decide +kernel

theorem checked256 : ∀ i < 14, machine.check (layout regs 32) (step 14 next256 i)
    (outcome machine regs (roundE 14 next256E) next256E i) = true := by decide +kernel

/-! ## Values -/

/-- The constants are in their registers. -/
structure Fixed (s : State) : Prop where
  mask : view.lane s 6 0 = 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128
  zero : view.lane s 7 0 = 0#128

variable {s₀ s : State} {len n i : Nat} {W : List Word} {bs : List Byte} {pub : List Region}

/-- They stay there. -/
theorem Fixed.of_same (c : Fixed s₀) (h : Same machine regs.others s₀ s) : Fixed s :=
  ⟨(h.lane 6 (by decide)).trans c.mask, (h.lane 7 (by decide)).trans c.zero⟩

/-- The expressions, added to another, add a value. -/
def Adds (s₀ s : State) (ts : List VecExpr) (t : TCB.Aes.Block) : Prop :=
  ∀ e : VecExpr, (addE e ts).at (base view regs s₀) view s = e.at (base view regs s₀) view s ^^^ t

section Values
variable (c : Fixed s)
include c

theorem rotated_adds (h : Ready view regs len W s₀ s) {e : VecExpr} {j : Nat} (hj : j < 11) (h0 : j ≠ 0) :
    Adds s₀ s (rotatedE e j) (rotatedV (e.at (base view regs s₀) view s) j) := fun x => by
  rw [rotatedV, ← xor_repeated, ← rotated_eq, ← c.mask, ← c.zero, ← h.rcon hj h0, BitVec.xor_comm (SymBin.eval ..), ← BitVec.xor_assoc]
  rfl

theorem substituted_adds {e : VecExpr} :
    Adds s₀ s [.bin .aese (plainE e) zeroE] (substitutedV (e.at (base view regs s₀) view s)) := fun x => by
  rw [← substituted_eq, ← c.zero]
  rfl

theorem sums_at {o : VecExpr} {ts : List VecExpr} {t : TCB.Aes.Block} (h : Adds s₀ s ts t) :
    (sumsE o ts).at (base view regs s₀) view s = sumsV (o.at (base view regs s₀) view s) t := by
  rw [sumsE, h, ← sums_eq, ← c.zero]
  rfl

end Values

theorem plain_adds {e : VecExpr} : Adds s₀ s [plainE e] (plainV (e.at (base view regs s₀) view s)) := fun _ => rfl

section Next
attribute [local irreducible] Proof.Aes.word sumsV rotatedV plainV substitutedV

theorem joined_at {p cur : VecExpr} {j : Nat} (h : Adds s₀ s (rotatedE p j) (rotatedV (p.at (base view regs s₀) view s) j)) :
    (joinedE p cur j).at (base view regs s₀) view s =
      joinedV (p.at (base view regs s₀) view s) (cur.at (base view regs s₀) view s) j := by
  rw [joinedV, ← ext_8, ← shl2d_32]
  exact congrArg (VecBin.eval (.ext 8) _) (h _)

variable (c : Fixed s)
include c

theorem next128_at (h : Ready view regs 16 W s₀ s) (hi : i < 10) : (next128E i).at (base view regs s₀) view s =
    next128V i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) :=
  sums_at c (rotated_adds c h (by omega) (by omega))

theorem next192_at (h : Ready view regs 24 W s₀ s) (hi : i < 12) : (next192E i).at (base view regs s₀) view s =
    next192V W i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) := by
  rw [next192E, next192V]
  split
  · subst i
    rw [joined_at (rotated_adds c h (by omega) (by omega)), ← h.key 2 (by decide)]
    rfl
  split
  · rw [joined_at (rotated_adds c h (by omega) (by omega)), upperV, ← dup_3, ← shl2d_32]
    rfl
  · rw [← ext_8]
    split
    · exact sums_at c plain_adds
    · exact sums_at c (rotated_adds c h (by omega) (by omega))

theorem next256_at (h : Ready view regs 32 W s₀ s) (hi : i < 14) : (next256E i).at (base view regs s₀) view s =
    next256V W i (view.lane s (keyReg (i + 1)) 0) (view.lane s (keyReg i) 0) := by
  rw [next256E, next256V]
  split
  · exact h.key 4 (by decide)
  split
  · exact sums_at c (rotated_adds c h (by omega) (by omega))
  · exact sums_at c (substituted_adds c)

end Next

/-! ## All rounds -/

/-- The zero block after round `i` of `n`, but for its round key unless it is the last. -/
def turnsTo (n : Nat) (key : Nat → TCB.Aes.Block) : Nat → TCB.Aes.Block
  | 0 => 0
  | i + 1 =>
    let t := SymBin.eval .aese (turnsTo n key i) (key i)
    if i + 1 = n then t ^^^ key (i + 1) else TCB.Aes.mixColumns t

/-- The zero block after all rounds is its encryption. -/
theorem turnsTo_eq (key : Nat → TCB.Aes.Block) (n : Nat) :
    turnsTo (n + 1) key (n + 1) = cipher ((List.range (n + 2)).map key) 0 := by
  have upTo : ∀ i ≤ n, turnsTo (n + 1) key i = turnsFrom key 0 0 i := by
    intro i hi
    induction i with
    | zero => rfl
    | succ i ih => rw [turnsTo, if_neg (by omega), ih (by omega), turnsFrom, SymBin.eval, subBytes_shiftRows, Nat.zero_add]
  rw [cipher_eq, ← turnsFrom_xor, turnsTo, if_pos rfl, upTo n (Nat.le_refl n), SymBin.eval, subBytes_shiftRows, Nat.zero_add]
  rfl

theorem fit : regs.Fit machine := ⟨by decide, by decide, by decide, by decide, by decide⟩

/-- The zero block after `n` rounds and all round keys. -/
abbrev Rounds (n : Nat) (bs : List Byte) (s₀ s : State) : Prop :=
  Made machine regs (turnsTo n (rk (keyWords bs))) (rk (keyWords bs)) s₀ n s

/-- All rounds, if each round key is right. -/
theorem rounds_ok {next : Nat → List Instr} {nextE : Nat → VecExpr}
    {nextV : Nat → TCB.Aes.Block → TCB.Aes.Block → TCB.Aes.Block} (h : Entry view regs len bs s) (c : Fixed s) (hn : n ≤ 14)
    (checked : ∀ i < n, machine.check (layout regs len) (step n next i) (outcome machine regs (roundE n nextE) nextE i) = true)
    (next_rk : ∀ {i p}, (i ≠ 0 → p = rk (keyWords bs) (i - 1)) → nextV i p (rk (keyWords bs) i) = rk (keyWords bs) (i + 1))
    (next_at : ∀ i < n, ∀ s', Fixed s' → Ready view regs len (keyWords bs) s s' →
      (nextE i).at (base view regs s) view s' = nextV i (view.lane s' (keyReg (i + 1)) 0) (view.lane s' (keyReg i) 0)) :
    isa.Wp pub (.block (rounds n next)) (Rounds n bs s) s :=
  Init.rounds_ok fit h hn (start_checked len h.valid) checked rfl next_rk (fun i hi s' same => next_at i hi s' (c.of_same same))
    fun i hi s' m new => by
      rw [turnsTo, ← m.block, ← m.cur, ← new, roundE]
      split <;> rfl

theorem rounds128_ok (h : Entry view regs 16 bs s) (c : Fixed s) : isa.Wp pub (.block (rounds 10 next128)) (Rounds 10 bs s) s :=
  rounds_ok (nextV := next128V) h c (by decide) checked128 (fun _ => next128_rk h.words) fun _ hi _ c r => next128_at c r hi

theorem rounds192_ok (h : Entry view regs 24 bs s) (c : Fixed s) : isa.Wp pub (.block (rounds 12 next192)) (Rounds 12 bs s) s :=
  rounds_ok h c (by decide) checked192 (next192_rk h.words) fun _ hi _ c r => next192_at c r hi

theorem rounds256_ok (h : Entry view regs 32 bs s) (c : Fixed s) : isa.Wp pub (.block (rounds 14 next256)) (Rounds 14 bs s) s :=
  rounds_ok h c (by decide) checked256 (next256_rk h.words) fun _ hi _ c r => next256_at c r hi

end Proof.AesGcm.Init.AArch64
