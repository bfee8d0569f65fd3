import TCB.Mem

/-!
# The transformations of AES

FIPS 197, sections 4 and 5.1: what the AES instructions of both architectures compute. A state of 4 x 4 bytes is a word
of 128 bits whose byte `r + 4 * c` is the entry of row `r` and column `c`, as the standard and both processors lay it out
in memory.
-/

set_option autoImplicit false
namespace TCB.Aes

/-- Multiplication by `x` in GF(2^8), modulo `x^8 + x^4 + x^3 + x + 1` (FIPS 197, section 4.2). -/
def xtime (b : Byte) : Byte := b <<< 1 ^^^ if b.msb then 0x1b else 0

/-- The sum of `a * x^i` over the low `n` bits `i` of `b`. -/
def mulBits : Nat → Byte → Byte → Byte
  | 0, _, _ => 0
  | n + 1, a, b => (if b.getLsbD 0 then a else 0) ^^^ mulBits n (xtime a) (b >>> 1)

/-- Multiplication in GF(2^8) (FIPS 197, section 4.2). -/
def mul (a b : Byte) : Byte := mulBits 8 a b

/-- The inverse in GF(2^8), 0 for 0: the power 254, a product of the powers 2, 4, ..., 128 (FIPS 197, section 4.4). -/
def inverse (b : Byte) : Byte :=
  let square (x : Byte) := mul x x
  let b2 := square b
  let b4 := square b2
  let b8 := square b4
  let b16 := square b8
  let b32 := square b16
  let b64 := square b32
  mul b2 (mul b4 (mul b8 (mul b16 (mul b32 (mul b64 (square b64))))))

/-- The affine map of the S-box: bit `i` is the sum of the bits `i`, `i + 4`, ..., `i + 7` modulo 8, and of bit `i` of
0x63 (FIPS 197, section 5.1.1). -/
def affine (b : Byte) : Byte :=
  b ^^^ b.rotateRight 4 ^^^ b.rotateRight 5 ^^^ b.rotateRight 6 ^^^ b.rotateRight 7 ^^^ 0x63

/-- The S-box (FIPS 197, section 5.1.1). -/
def sbox (b : Byte) : Byte := affine (inverse b)

/-- A state, a round key, an input or an output. -/
abbrev Block := BitVec 128

/-- Byte `i` of a block. -/
def byte (s : Block) (i : Nat) : Byte := s.extractLsb' (8 * i) 8

/-- The block of the bytes `f 0`, ..., `f 15`. -/
def ofFn (f : Nat → Byte) : Block := ofBytes 128 ((List.range 16).map f)

/-- SUBBYTES (FIPS 197, section 5.1.1). -/
def subBytes (s : Block) : Block := ofFn fun i => sbox (byte s i)

/-- SHIFTROWS: row `r` moves by `r` columns (FIPS 197, section 5.1.2). -/
def shiftRows (s : Block) : Block := ofFn fun i => byte s (i % 4 + 4 * ((i / 4 + i % 4) % 4))

/-- MIXCOLUMNS: each column is multiplied by the matrix whose first row is 2, 3, 1, 1 (FIPS 197, section 5.1.3). -/
def mixColumns (s : Block) : Block := ofFn fun i =>
  let entry (k : Nat) := byte s (4 * (i / 4) + (i + k) % 4)
  xtime (entry 0) ^^^ (xtime (entry 1) ^^^ entry 1) ^^^ entry 2 ^^^ entry 3

end TCB.Aes
