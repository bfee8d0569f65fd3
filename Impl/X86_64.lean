import Impl.Code
import TCB.X86_64.Isa

/-!
# Notation for x86-64 kernels
-/

set_option autoImplicit false
namespace Impl.X86_64
open TCB.X86_64

/-- Structured x86-64 code. -/
abbrev Kernel := Impl.Code Instr Cond

/-- The immediate operand `k`. -/
def imm (k : Nat) : Src := .imm (BitVec.ofNat 32 k)

/-- The vector register of a number. -/
def vec (r : Nat) : Vec := Fin.ofNat 16 r

/-- The memory operand `[base + k]`. -/
def at_ (base : Reg) (k : Nat := 0) : Ea := { base, disp := BitVec.ofNat 32 k }

/-- The memory operand `[base + index - k]`. -/
def before (base index : Reg) (k : Nat) : Ea := { base, index := some index, disp := BitVec.ofInt 32 (-k) }

end Impl.X86_64
