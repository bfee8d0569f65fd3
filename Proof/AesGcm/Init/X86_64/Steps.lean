import Proof.Aes.X86_64
import Proof.AesGcm.Init.X86_64.Schedule
import Proof.Framework.Lanes

/-!
# Key expansion on x86-64: the round keys, one after the other

Every step is one evaluation of the symbolic evaluator: the next round key is made, stored, and used for a round.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.SymExec Spec.Aes Proof.Aes Impl.AesGcm.Init.X86_64

/-! ## Symbolic values -/

/-- A round key in its register. -/
def regE (i : Nat) : VecExpr := .reg (reg i).val 0

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

/-- The key at `rdi`, the first 256 bytes of the context at `rdx`, the table at `rax`. -/
def layout (len : Nat) : Layout where
  areas := [{ len }, { len := 256, reads := false, writes := true }, { len := 224 }]
  ptrs := [(7, 0, 0), (2, 1, 0), (0, 2, 0)]

/-- What a step does. -/
def outcome (n : Nat) (next : Nat → VecExpr) (i : Nat) : Outcome VecUn VecBin where
  vec := [(0, [.bin (roundOf n (i + 1)) (.reg 0 0) (next i)]), ((reg (i + 1)).val, [next i]),
    ((reg i).val, [.reg (reg i).val 0, .reg (reg i).val 1, .reg (reg i).val 2, .reg (reg i).val 3])]
  mem := [(1, 16 * (i + 1), [next i])]

/-- What the start does. -/
def startOutcome : Outcome VecUn VecBin := { vec := [(0, [.load 0 0]), (1, [.load 0 0])], mem := [(1, 0, [.load 0 0])] }

theorem start_checked : ∀ len ∈ [16, 24, 32], machine.check (layout len) start startOutcome = true := by decide +kernel

theorem checked128 : ∀ i < 10, machine.check (layout 16) (step 10 next128 i) (outcome 10 next128E i) = true := by
  decide +kernel

theorem checked192 : ∀ i < 12, machine.check (layout 24) (step 12 next192 i) (outcome 12 next192E i) = true := by
  decide +kernel

theorem checked256 : ∀ i < 14, machine.check (layout 32) (step 14 next256 i) (outcome 14 next256E i) = true := by
  decide +kernel

/-! ## Steps -/

variable {s₀ s : State} {len n : Nat} {key : Nat → TCB.Aes.Block}

/-- Where the areas begin. -/
def base (s : State) (t : Nat) : Addr := if t = 0 then s.gpr .rdi else if t = 1 then s.gpr .rdx else s.gpr .rax

/-- The zero block after round `i` of `n`. -/
def roundsTo (n : Nat) (key : Nat → TCB.Aes.Block) : Nat → TCB.Aes.Block
  | 0 => key 0
  | i + 1 => (roundOf n (i + 1)).eval (roundsTo n key i) (key (i + 1))

/-- The round keys up to `i` were made, since `s₀`. -/
structure Made (n : Nat) (key : Nat → TCB.Aes.Block) (s₀ : State) (i : Nat) (s : State) : Prop where
  block : view.lane s 0 0 = roundsTo n key i
  cur : view.lane s (reg i).val 0 = key i
  prev : view.lane s (reg (i - 1)).val 0 = key (i - 1)
  memory : s.memory = s₀.memory.set (writeBytes s₀.memory.bytes (s₀.gpr .rdx)
    (laneBytes ((List.range (i + 1)).map key)))
  keeps : Keeps [] s₀ s

/-- The layout holds as long as registers are kept and only the contents of memory change. -/
theorem holds_of {L : Layout} {b : Nat → Addr} {m : Mem} (h : L.Holds view b s₀) (hk : Keeps [] s₀ s)
    (hm : s.memory = s₀.memory.set m) : L.Holds view b s where
  ptrs p hp := by
    rw [← h.ptrs p hp]
    simp only [view]
    cases regOf p.1 with
    | none => rfl
    | some r => exact hk.gpr r nofun
  small := h.small
  reads := by simp only [view, hm]; exact h.reads
  writes := by simp only [view, hm]; exact h.writes
  apart := h.apart

/-- The registers of round keys take turns. -/
theorem regs (i : Nat) : (reg i = 1 ∧ reg (i + 1) = 2) ∨ (reg i = 2 ∧ reg (i + 1) = 1) := by
  rcases Nat.mod_two_eq_zero_or_one i with h | h
  · exact .inl ⟨by rw [reg, h]; rfl, by rw [reg, show (i + 1) % 2 = 1 by omega]; rfl⟩
  · exact .inr ⟨by rw [reg, h]; rfl, by rw [reg, show (i + 1) % 2 = 0 by omega]; rfl⟩

section Outcome
variable {next : Nat → VecExpr} {i : Nat}

theorem find_new : find (reg (i + 1)).val (outcome n next i).vec = some [next i] := by
  rcases regs i with ⟨a, b⟩ | ⟨a, b⟩ <;> simp only [outcome, a, b] <;> rfl

theorem find_old : find (reg i).val (outcome n next i).vec =
    some [.reg (reg i).val 0, .reg (reg i).val 1, .reg (reg i).val 2, .reg (reg i).val 3] := by
  rcases regs i with ⟨a, b⟩ | ⟨a, b⟩ <;> simp only [outcome, a, b] <;> rfl
end Outcome

/-- The key and the table stay as they were. -/
theorem Made.word {i : Nat} (h : Made n key s₀ i s) (hs : (layout len).Holds view (base s₀) s₀) (hi : i < 15) {t off : Nat}
    (ht : t ≠ 1) (hr : (layout len).mayRead t off 16 = true) :
    SymExec.word (base s₀) s.memory.bytes t off = SymExec.word (base s₀) s₀.memory.bytes t off := by
  have w : (layout len).Inside 1 0 (16 * (i + 1)) true := ⟨_, rfl, by simp only; omega, fun _ => rfl⟩
  have d := hs.disjoint w (Layout.inside_of_mayRead hr) (.inl fun e => ht e.symm)
  simp only [SymExec.word, h.memory, Memory.bytes_set]
  rw [bytesAt_writeBytes_disjoint _ (by decide)]
  rw [length_laneBytes, List.length_map, List.length_range]
  simpa [base] using d

/-- One more round key. -/
theorem step_ok {pub : List Region} {i : Nat} {next : Nat → List Instr} {nextE : Nat → VecExpr}
    (hs : (layout len).Holds view (base s₀) s₀) (hc : machine.check (layout len) (step n next i) (outcome n nextE i) = true)
    (hi : i < 14) (h : Made n key s₀ i s) (new : (nextE i).at (base s₀) view s = key (i + 1)) :
    isa.Wp pub (.block (step n next i)) (Made n key s₀ (i + 1)) s := by
  refine machine.wp (outcome n nextE i) (holds_of hs h.keeps h.memory) hc fun s' e => ?_
  constructor
  · rw [e.vec (r := 0) rfl 0, roundsTo, ← h.block, ← new]
    rfl
  · rw [e.vec find_new 0]
    exact new
  · rw [Nat.add_sub_cancel, e.vec find_old 0, ← h.cur]
    rfl
  · have m : s'.memory = s.memory.set (writeBytes s.memory.bytes (s₀.gpr .rdx + BitVec.ofNat 64 (16 * (i + 1)))
      (toBytes 16 ((nextE i).at (base s₀) view s) ++ [])) := e.memory
    rw [m, h.memory, new, Memory.bytes_set, Memory.set_set, writeBytes_append _ _ (by rw [length_laneBytes]; simp) (by simp; omega),
      List.range_succ (n := i + 1)]
    simp [laneBytes]
  · exact h.keeps.trans (Proof.Aes.X86_64.keeps_of_ends e [] rfl)

/-- All of them. -/
theorem steps_ok {pub : List Region} {next : Nat → List Instr} {k : Nat}
    (hstep : ∀ i < k, ∀ s, Made n key s₀ i s → isa.Wp pub (.block (step n next i)) (Made n key s₀ (i + 1)) s)
    (h : Made n key s₀ 0 s) : isa.Wp pub (.block ((List.range k).flatMap (step n next))) (Made n key s₀ k) s := by
  induction k with
  | zero => exact .nil h
  | succ k ih =>
    rw [List.range_succ, List.flatMap_append, List.flatMap_singleton]
    exact .append ((ih fun i hi => hstep i (by omega)).mono fun s h => hstep k (by omega) s h)

end Proof.AesGcm.Init.X86_64
