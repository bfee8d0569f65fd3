import TCB.AArch64.Abi
import Proof.Framework.Verified
import Proof.AArch64.Taint

/-!
# From structured proofs to `Verified`, on AArch64

What is public on entry and what must be public on return follows from the signature and the calling convention, so a
kernel's constant time and its lack of residue are two evaluations of the checker.
-/

set_option autoImplicit false
namespace TCB.AArch64
open Impl

namespace Dom

/-- The registers of the first `n` arguments are public, and nothing else. -/
def ofArgs (n : Nat) : Dom where
  regs := (argRegs.take n).foldr (fun r b => TCB.put b r.index true) 0#30
  vecs := 0
  flags := false

/-- All that is caller-saved is public. -/
def volatile : Dom where
  regs := calleeSaved.foldl (fun b r => TCB.put b r.index false) (.allOnes 30)
  vecs := .allOnes 32
  flags := true

/-- What must be public on return: all that is caller-saved, but for the register of the result. -/
def onReturn (returns : Bool) : Dom := if returns then volatile.setReg .x0 false else volatile

/-- What is public in a call. -/
theorem has_ofArgs {n : Nat} {r : Reg} : (ofArgs n).has r = true ↔ r ∈ argRegs.take n := by
  simp only [ofArgs, has]
  induction argRegs.take n with
  | nil => simp
  | cons d rs ih => simp [-BitVec.getLsbD_eq_getElem, getLsbD_put _ _ r.index_lt, Reg.index_inj, ih]

/-- What is public in `volatile`. -/
theorem has_volatile {r : Reg} : volatile.has r = true ↔ r ∉ calleeSaved := by cases r <;> decide

variable {c : Contract} {s₁ s₂ : State}

/-- Calls with the same public inputs agree on the argument registers. -/
theorem agree_ofArgs (h : target.SamePublic c s₁ s₂) : Agree (ofArgs c.sig.params.length) s₁ s₂ where
  gpr r hr := by
    obtain ⟨i, hi, rfl⟩ := List.mem_iff_getElem.1 (has_ofArgs.1 hr)
    simp only [List.length_take] at hi
    have := h.args i (by omega)
    simpa [target, aapcs64, List.getElem?_eq_getElem (show i < argRegs.length by omega)] using this
  vec r hr := by simp [hasVec, ofArgs] at hr
  flag := nofun

/-- Calls with the same caller-saved state agree on it. -/
theorem agree_volatile (h : aapcs64.SameVolatile true s₁ s₂) : Agree volatile s₁ s₂ where
  gpr r hr := h.1 r (has_volatile.1 hr) fun _ => rfl
  vec r _ := h.2.1 r
  flag _ := h.2.2

/-- States that agree on what must be public on return leave no residue. -/
theorem Agree.sameVolatile {returns : Bool} (h : Agree (onReturn returns) s₁ s₂) :
    aapcs64.SameVolatile (!returns) s₁ s₂ := by
  obtain ⟨vecs, flags⟩ : (onReturn returns).vecs = .allOnes 32 ∧ (onReturn returns).flags = true := by cases returns <;> decide
  have all : ∀ r : Vec, (BitVec.allOnes 32).getLsbD r.val = true := by decide
  refine ⟨fun r hr hx => h.gpr r ?_, fun r => h.vec r (by rw [hasVec, vecs, all]), h.flag flags⟩
  cases returns with
  | false => exact has_volatile.2 hr
  | true =>
    have : r ≠ .x0 := fun e => nomatch hx e
    simpa [onReturn, this] using has_volatile.2 hr

end Dom

/-- Total correctness and two evaluations of the taint checker verify a kernel, also one that has scratch buffers or reveals
what its contract declassifies. -/
theorem Verified.of_code_revealing {c : Contract} {code : Code Instr Cond} {features : List Feature} {constants : List Byte}
    (permits : isa.permits features code.lower = true)
    (cleared : c.sig.simple = true ∨ ∀ s, target.Pre c constants s →
      isa.WpRevealing (target.publicRegions c constants s) (target.revealed c s) code (target.Cleared c s) s)
    (correct : ∀ s, target.Pre c constants s →
      isa.WpRevealing (target.publicRegions c constants s) (target.revealed c s) code (target.Post c s) s)
    (constantTime : (taint.check code (.ofArgs c.sig.params.length)).isSome = true)
    (noResidue : (taint.check code .volatile).any (taint.le (.onReturn c.sig.returns)) = true)
    (witness : target.HasWitness c constants) :
    Verified target ⟨features, code.lower, constants⟩ c :=
  TCB.Verified.of_code taint permits cleared correct Dom.agree_ofArgs constantTime (fun _ => Dom.agree_volatile)
    noResidue Dom.Agree.sameVolatile witness

/-- Total correctness and two evaluations of the taint checker verify a kernel. -/
theorem Verified.of_code {c : Contract} {code : Code Instr Cond} {features : List Feature} {constants : List Byte}
    (permits : isa.permits features code.lower = true)
    (simple : c.sig.simple = true)
    (correct : ∀ s, target.Pre c constants s → isa.Wp (target.publicRegions c constants s) code (target.Post c s) s)
    (constantTime : (taint.check code (.ofArgs c.sig.params.length)).isSome = true)
    (noResidue : (taint.check code .volatile).any (taint.le (.onReturn c.sig.returns)) = true)
    (witness : target.HasWitness c constants) :
    Verified target ⟨features, code.lower, constants⟩ c :=
  Verified.of_code_revealing permits (.inl simple) (fun s h => .of_wp (correct s h)) constantTime noResidue witness

end TCB.AArch64
