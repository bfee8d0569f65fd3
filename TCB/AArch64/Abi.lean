import TCB.Abi
import TCB.AArch64.Isa

/-!
# The calling convention for AArch64

Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), section 6: integer arguments in registers (6.8.2), callee-saved
general registers (6.1.1), the low halves of V8-V15 (6.1.2), FPCR preserved. Kernels leave FPSR and PSTATE.DIT as they are
too. The return address is in X30, so no memory is reserved for it, and nothing is said about the stack of the caller
beyond the buffers: a kernel touches no others.
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The registers of the first eight integer arguments. -/
def argRegs : List Reg := [.x0, .x1, .x2, .x3, .x4, .x5, .x6, .x7]

/-- The registers that a callee preserves, with the frame pointer and the return address. -/
def calleeSaved : List Reg := [.x19, .x20, .x21, .x22, .x23, .x24, .x25, .x26, .x27, .x28, .x29, .x30]

/-- A callee preserves the low half of the vector register. -/
def savesLow (r : Vec) : Bool := decide (8 ≤ r.val ∧ r.val < 16)

/-- The part of a vector register that a callee need not preserve. -/
def State.volatilePart (s : State) (r : Vec) : BitVec 128 := if savesLow r then s.vec r >>> 64 else s.vec r

/-- The calling convention. -/
def aapcs64 : Abi State where
  arg s i := ((argRegs[i]?).map s.gpr).getD 0
  argCount := argRegs.length
  result s := s.gpr .x0
  memory := State.memory
  reserved _ := []
  Preserved s s' := (∀ r ∈ calleeSaved, s'.gpr r = s.gpr r) ∧
    (∀ r, savesLow r = true → (s'.vec r).setWidth 64 = (s.vec r).setWidth 64) ∧ s'.control = s.control
  SameVolatile withResult s₁ s₂ :=
    (∀ r, r ∉ calleeSaved → (r = .x0 → withResult = true) → s₁.gpr r = s₂.gpr r) ∧
    (∀ r, s₁.volatilePart r = s₂.volatilePart r) ∧ s₁.nzcv = s₂.nzcv

/-- AArch64 with its calling convention. -/
def target : Target State Instr Cond Feature := { isa := isa, abi := aapcs64 }

end TCB.AArch64
