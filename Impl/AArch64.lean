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

/-- The vector register of a number. -/
def vec (r : Nat) : Vec := Fin.ofNat 32 r

/-- The address `[base]`. -/
def at_ (base : Reg) : Ea := { base }

/-- The address of the 16 bytes `i` from a register. -/
def word (base : Reg) (i : Nat) : Ea := { base, offset := .scaled (BitVec.ofNat 12 i) }

/-- The address `[base, #-k]`. -/
def before (base : Reg) (k : Nat) : Ea := { base, offset := .unscaled (BitVec.ofInt 9 (-k)) }

/-- The address `[base, #k]`, for any `k` below 256. -/
def plus (base : Reg) (k : Nat) : Ea := { base, offset := .unscaled (BitVec.ofNat 9 k) }

end Impl.AArch64
