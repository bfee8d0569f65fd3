import TCB.X86_64.Abi
import Proof.Framework.Verified
import Proof.X86_64.Taint

/-!
# From structured proofs to `Verified`, on x86-64

What is public on entry and what must be public on return follows from the signature and the calling convention, so a
kernel's constant time and its lack of residue are two evaluations of the checker.
-/

set_option autoImplicit false
namespace TCB.X86_64
open Impl

namespace Dom

/-- The given general registers are public, and nothing else. -/
def ofRegs (rs : List Reg) : Dom where
  regs := rs.foldr (fun r b => put b r.index true) 0#16
  low := 0
  high := 0
  flags := false
  mask := false

/-- The registers of the first `n` arguments are public, and nothing else. -/
def ofArgs (n : Nat) : Dom := ofRegs (argRegs.take n)

/-- All that is caller-saved is public. -/
def volatile : Dom where
  regs := calleeSaved.foldl (fun b r => put b r.index false) (.allOnes 16)
  low := .allOnes 16
  high := .allOnes 16
  flags := true
  mask := true

/-- What must be public on return: all that is caller-saved, but for the register of the result. -/
def onReturn (returns : Bool) : Dom := if returns then volatile.setReg .rax false else volatile

/-- What is public in `ofRegs`. -/
theorem has_ofRegs {rs : List Reg} {r : Reg} : (ofRegs rs).has r = true ↔ r ∈ rs := by
  simp only [ofRegs, has]
  induction rs with
  | nil => simp
  | cons d rs ih => simp [-BitVec.getLsbD_eq_getElem, getLsbD_put _ _ r.index_lt, Reg.index_inj, ih]

/-- What is public in `volatile`. -/
theorem has_volatile {r : Reg} : volatile.has r = true ↔ r ∉ calleeSaved := by cases r <;> decide

variable {c : Contract} {s₁ s₂ : State}

/-- Calls with the same public inputs agree on the argument registers. -/
theorem agree_ofArgs (h : target.SamePublic c s₁ s₂) : Agree (ofArgs c.sig.params.length) s₁ s₂ where
  gpr r hr := by
    obtain ⟨i, hi, rfl⟩ := List.mem_iff_getElem.1 (has_ofRegs.1 hr)
    simp only [List.length_take] at hi
    have := h.args i (by omega)
    simpa [target, sysv64, List.getElem?_eq_getElem (show i < argRegs.length by omega)] using this
  low r hr := by simp [hasLow, ofArgs, ofRegs] at hr
  high r hr := by simp [hasHigh, ofArgs, ofRegs] at hr
  flag := nofun
  mask := nofun

/-- Calls with the same caller-saved state agree on it. -/
theorem agree_volatile (h : sysv64.SameVolatile true s₁ s₂) : Agree volatile s₁ s₂ where
  gpr r hr := h.1 r (has_volatile.1 hr) fun _ => rfl
  low r _ := congrArg (·.setWidth 128) (congrFun h.2.1 r)
  high r _ := congrArg (·.extractLsb' 128 384) (congrFun h.2.1 r)
  flag _ := h.2.2.2
  mask _ := h.2.2.1

/-- States that agree on what must be public on return leave no residue. -/
theorem Agree.sameVolatile {returns : Bool} (h : Agree (onReturn returns) s₁ s₂) :
    sysv64.SameVolatile (!returns) s₁ s₂ := by
  obtain ⟨low, high, flags, mask⟩ : (onReturn returns).low = .allOnes 16 ∧ (onReturn returns).high = .allOnes 16 ∧
    (onReturn returns).flags = true ∧ (onReturn returns).mask = true := by cases returns <;> decide
  have all : ∀ r : Vec, (BitVec.allOnes 16).getLsbD r.val = true := by decide
  refine ⟨fun r hr hx => h.gpr r ?_, funext fun r => ?_, h.mask mask, h.flag flags⟩
  · cases returns with
    | false => exact has_volatile.2 hr
    | true =>
      have : r ≠ .rax := fun e => nomatch hx e
      simpa [onReturn, this] using has_volatile.2 hr
  · have hl := h.low r (by rw [hasLow, low, all])
    have hh := h.high r (by rw [hasHigh, high, all])
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    by_cases hi' : i < 128
    · simpa [State.xmm, hi'] using congrArg (·.getLsbD i) hl
    · simpa [State.upper, show i - 128 < 384 by omega, show 128 + (i - 128) = i by omega]
        using congrArg (·.getLsbD (i - 128)) hh

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

end TCB.X86_64
