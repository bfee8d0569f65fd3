import Impl.Ghash
import Impl.X86_64

/-!
# What kernels for GHASH share on x86-64

`constant` puts the constant of the reduction into the low half of register 15.
-/

set_option autoImplicit false
namespace Impl.Ghash.X86_64
open TCB.X86_64 Impl.X86_64

export Impl.Ghash (place)
export Impl.X86_64 (vec)

/-- The constant of the reduction, `x^63 + x^62 + x^57`. -/
def constant : List Instr := [.movImm .rax 0xC200000000000000, .vmovqFrom 15 .rax]

/-- `d ^= s` -/
def xor (w : VecWidth) (d s : Vec) : Instr := .vecBin .pxor w d d (.reg s)

/-- Add the fold of `lo` to `mid`, by way of the register `t`, with the constant of the reduction in `c`. -/
def fold (w : VecWidth) (c t lo mid : Vec) : List Instr :=
  [.vecBin (.pclmulqdq false false) w t lo (.reg c), .vecUn (.pshufd 0x4e) w lo lo, xor w mid lo, xor w mid t]

/-- Leave nothing in the registers. -/
def clear (rs : List Nat) : List Instr := rs.map fun r => xor .xmm (vec r) (vec r)

end Impl.Ghash.X86_64
