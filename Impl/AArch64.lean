import Impl.Code
import TCB.AArch64.Isa

/-!
# Notation for AArch64 kernels
-/

set_option autoImplicit false
namespace Impl.AArch64
open TCB.AArch64

/-- Structured AArch64 code. -/
abbrev Kernel := Impl.Code Instr Cond

/-- The immediate operand `k`. -/
def imm (k : Nat) : Src := .imm (BitVec.ofNat 12 k)

/-- The address `[base]`. -/
def at_ (base : Reg) : Ea := { base }

/-- The address `[base, #-k]`. -/
def before (base : Reg) (k : Nat) : Ea := { base, offset := .unscaled (BitVec.ofInt 9 (-k)) }

end Impl.AArch64
