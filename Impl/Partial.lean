import TCB.Mem

/-!
# Masks for the 1 to 15 bytes at the end of a buffer, on every target
-/

set_option autoImplicit false
namespace Impl.Partial

/-- Masks for a shuffle of bytes: the 16 bytes from `16 - k` move bytes up by `k` places, those from `16 + k` down, and zeros
come in. -/
def slide : List TCB.Byte := List.replicate 16 0x80 ++ (List.range 16).map (BitVec.ofNat 8) ++ List.replicate 16 0x80

/-- Masks for AND: the 16 bytes from `16 - k` keep the first `k` bytes. -/
def ones : List TCB.Byte := List.replicate 16 0xff ++ List.replicate 16 0

end Impl.Partial
