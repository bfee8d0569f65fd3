import Impl.AArch64
import Impl.Ghash

/-!
# What kernels for GHASH share on AArch64

The key context is at `x0`, and both halves of `v31` are the constant of the reduction.
-/

set_option autoImplicit false
namespace Impl.Ghash.AArch64
open TCB.AArch64 Impl.AArch64

export Impl.Ghash (place)

/-- The constant of the reduction, `x^63 + x^62 + x^57`. -/
def constant : List Instr := [.movi 31 0xc2, .vecUn (.shl2d 56) 31 31]

/-- `d ^= s` -/
def xor (d s : Vec) : Instr := .vecBin .eor d d s

/-- `s` with its halves exchanged. -/
def swap (d s : Vec) : Instr := .vecBin (.ext 8) d s s

/-- Reverse the bytes of `d`; `t` becomes the same with its halves exchanged. -/
def reverse (d t : Vec) : List Instr := [.vecUn .rev64 t d, swap d t]

/-- The product of two low halves or of two high halves. -/
def mul (high : Bool) (d a b : Vec) : Instr := .vecBin (if high then .pmull2 else .pmull) d a b

/-- Karatsuba's three products of `a` and `b`; the high or the low halves of `a'` and `b'` are the sums of their halves. -/
def product (high : Bool) (a a' b b' lo mid hi : Vec) : List Instr := [mul false lo a b, mul high mid a' b', mul true hi a b]

/-- `d` becomes the sum of `mid` and the fold of `lo`, by way of `t`. -/
def fold (t lo mid d : Vec) : List Instr := [mul false t lo 31, swap lo lo, xor mid lo, .vecBin .eor d mid t]

/-- Karatsuba's sums, reduced. -/
def reduce (t lo mid hi d : Vec) : List Instr := [xor mid lo, xor mid hi] ++ fold t lo mid mid ++ fold t mid hi d

/-- Leave nothing in the registers. -/
def clear (rs : List Nat) : List Instr := rs.map fun r => .movi (vec r) 0

end Impl.Ghash.AArch64
