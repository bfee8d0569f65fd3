import TCB.Aes
import TCB.Clmul

/-!
# What vector instructions do to 128 bits

VEX encoded instructions compute each lane of 128 bits alone (Intel SDM volume 2, under the mnemonics named here without
their `v`). An immediate byte is part of the operation.
-/

set_option autoImplicit false
namespace TCB.X86_64
open Aes (byte ofFn)

/-- Operations on two sources. -/
inductive VecBin where
  | pxor | pand | por | paddd | paddq | pshufb | punpcklqdq | punpckhqdq | aesenc | aesenclast
  /-- Which halves of the first and the second source: bits 0 and 4 of the immediate. -/
  | pclmulqdq (high₁ high₂ : Bool)
  | palignr (n : BitVec 8)
  deriving DecidableEq

/-- Operations on one source. -/
inductive VecUn where
  /-- Shifts by bytes. -/
  | pslldq (n : BitVec 8) | psrldq (n : BitVec 8)
  | psllq (n : BitVec 8) | psrlq (n : BitVec 8) | pslld (n : BitVec 8) | psrld (n : BitVec 8) | psrad (n : BitVec 8)
  | pshufd (order : BitVec 8)
  deriving DecidableEq

/-- The 32-bit element `i`. -/
def dword (a : BitVec 128) (i : Nat) : BitVec 32 := a.extractLsb' (32 * i) 32

/-- The 64-bit element `i`. -/
def qword (a : BitVec 128) (i : Nat) : BitVec 64 := a.extractLsb' (64 * i) 64

/-- The word of the elements `f 0`, ..., `f 3`. -/
def ofDwords (f : Nat → BitVec 32) : BitVec 128 := f 3 ++ f 2 ++ f 1 ++ f 0

/-- The word of the elements `f 0` and `f 1`. -/
def ofQwords (f : Nat → BitVec 64) : BitVec 128 := f 1 ++ f 0

/-- The result from the first and the second source. -/
def VecBin.eval : VecBin → BitVec 128 → BitVec 128 → BitVec 128
  -- PXOR, PAND, POR
  | .pxor, a, b => a ^^^ b
  | .pand, a, b => a &&& b
  | .por, a, b => a ||| b
  -- PADDB/PADDW/PADDD/PADDQ: no carry between elements
  | .paddd, a, b => ofDwords fun i => dword a i + dword b i
  | .paddq, a, b => ofQwords fun i => qword a i + qword b i
  -- PSHUFB: bit 7 of a control byte gives zero, its low four bits choose a byte of the first source
  | .pshufb, a, b => ofFn fun i => if (byte b i).msb then 0 else byte a ((byte b i).toNat % 16)
  -- PUNPCKLQDQ, PUNPCKHQDQ: the first source gives the low half
  | .punpcklqdq, a, b => qword b 0 ++ qword a 0
  | .punpckhqdq, a, b => qword b 1 ++ qword a 1
  -- AESENC, AESENCLAST: the first source is the state, the second the round key
  | .aesenc, a, b => Aes.mixColumns (Aes.subBytes (Aes.shiftRows a)) ^^^ b
  | .aesenclast, a, b => Aes.subBytes (Aes.shiftRows a) ^^^ b
  -- PCLMULQDQ
  | .pclmulqdq h₁ h₂, a, b => clmul (qword a h₁.toNat) (qword b h₂.toNat)
  -- PALIGNR: the first source is the upper half of what is shifted
  | .palignr n, a, b => ((a ++ b) >>> (8 * n.toNat)).setWidth 128

/-- The result from the source. -/
def VecUn.eval : VecUn → BitVec 128 → BitVec 128
  -- PSLLDQ, PSRLDQ: a count above 15 gives zero
  | .pslldq n, a => a <<< (8 * n.toNat)
  | .psrldq n, a => a >>> (8 * n.toNat)
  -- PSLLW/PSLLD/PSLLQ, PSRLW/PSRLD/PSRLQ: a count of the size of the elements or more gives zero
  | .psllq n, a => ofQwords fun i => qword a i <<< n.toNat
  | .psrlq n, a => ofQwords fun i => qword a i >>> n.toNat
  | .pslld n, a => ofDwords fun i => dword a i <<< n.toNat
  | .psrld n, a => ofDwords fun i => dword a i >>> n.toNat
  -- PSRAW/PSRAD/PSRAQ: a count of 32 or more gives the sign
  | .psrad n, a => ofDwords fun i => (dword a i).sshiftRight n.toNat
  -- PSHUFD: two bits of the immediate choose each element
  | .pshufd order, a => ofDwords fun i => dword a (order.toNat / 4 ^ i % 4)

end TCB.X86_64
