import TCB.Mem

/-!
# The key context from a key: what kernels for all targets share
-/

set_option autoImplicit false
namespace Impl.AesGcm.Init
open TCB

/-- The table: ROTWORD of the last word in every word, all bytes in reverse, the inverse of `x`, and the round constants from
number 0, which is zero, in every word. -/
def table : List (BitVec 128) := [
  0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d, 0x000102030405060708090a0b0c0d0e0f, 0xc2000000000000000000000000000001,
  0, 0x00000001000000010000000100000001, 0x00000002000000020000000200000002, 0x00000004000000040000000400000004,
  0x00000008000000080000000800000008, 0x00000010000000100000001000000010, 0x00000020000000200000002000000020,
  0x00000040000000400000004000000040, 0x00000080000000800000008000000080, 0x0000001b0000001b0000001b0000001b,
  0x00000036000000360000003600000036]

/-- The constants. -/
def constants : List Byte := table.flatMap (toBytes 16)

/-- The vector register of a round key: the last two are kept. -/
def keyReg (i : Nat) : Nat := 1 + i % 2

end Impl.AesGcm.Init
