import TCB.Aes
import TCB.Clmul
import TCB.AArch64.State

/-!
# Operations on vector registers

Each names its page of the Arm Architecture Reference Manual for A-profile (DDI 0487), section C7.2, and where the page has
more than one, the arrangement of lanes that is meant. Lane 0 has the lowest bits.
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The lane `i` of `w` bits. -/
def lane (w : Nat) (v : BitVec 128) (i : Nat) : BitVec w := v.extractLsb' (w * i) w

/-- A vector of two lanes. -/
def lanes2d (f : Nat → BitVec 64) : BitVec 128 := f 1 ++ f 0

/-- A vector of four lanes. -/
def lanes4s (f : Nat → BitVec 32) : BitVec 128 := f 3 ++ f 2 ++ f 1 ++ f 0

/-- A vector of 16 lanes. -/
def lanes16b (f : Nat → Byte) : BitVec 128 := ofBytes 128 ((List.range 16).map f)

/-- A lane of 32 or 64 bits. -/
inductive Lane where
  | s (i : BitVec 2)
  | d (i : BitVec 1)
  deriving DecidableEq

/-- The lane, with zeros above it. -/
def Lane.get : Lane → BitVec 128 → BitVec 64
  | .s i, v => (lane 32 v i.toNat).setWidth 64
  | .d i, v => lane 64 v i.toNat

/-- The vector with the lane replaced by the low bits of `x`. -/
def Lane.set : Lane → BitVec 128 → BitVec 64 → BitVec 128
  | .s i, v, x => lanes4s fun k => if k = i.toNat then x.setWidth 32 else lane 32 v k
  | .d i, v, x => lanes2d fun k => if k = i.toNat then x else lane 64 v k

/-- Operations on the vectors `n` and `m`. -/
inductive VecBin where
  /-- AND (vector) -/
  | and
  /-- ORR (vector, register), whose preferred form is MOV (vector) where both operands are one register -/
  | orr
  /-- EOR (vector) -/
  | eor
  /-- ADD (vector), 4S -/
  | add4s
  /-- ADD (vector), 2D -/
  | add2d
  /-- PMULL, 1Q from 1D: the low lanes -/
  | pmull
  /-- PMULL2, 1Q from 2D: the high lanes -/
  | pmull2
  /-- TBL, single register table, 16B: the bytes of `n` that `m` numbers, and 0 where it has more than 15 -/
  | tbl
  /-- ZIP1, 2D: the low lanes -/
  | zip1
  /-- ZIP2, 2D: the high lanes -/
  | zip2
  /-- EXT, 16B: 16 bytes from byte `k` of `n` on, with `m` above it -/
  | ext (k : BitVec 4)
  deriving DecidableEq

/-- What the operation computes. -/
def VecBin.eval : VecBin → BitVec 128 → BitVec 128 → BitVec 128
  | .and, n, m => n &&& m
  | .orr, n, m => n ||| m
  | .eor, n, m => n ^^^ m
  | .add4s, n, m => lanes4s fun i => lane 32 n i + lane 32 m i
  | .add2d, n, m => lanes2d fun i => lane 64 n i + lane 64 m i
  | .pmull, n, m => clmul (lane 64 n 0) (lane 64 m 0)
  | .pmull2, n, m => clmul (lane 64 n 1) (lane 64 m 1)
  | .tbl, n, m => lanes16b fun i => let k := (lane 8 m i).toNat; if k < 16 then lane 8 n k else 0
  | .zip1, n, m => lane 64 m 0 ++ lane 64 n 0
  | .zip2, n, m => lane 64 m 1 ++ lane 64 n 1
  | .ext k, n, m => (m ++ n).extractLsb' (8 * k.toNat) 128

/-- The operation is of FEAT_PMULL. -/
def VecBin.isPmull : VecBin → Bool
  | .pmull | .pmull2 => true
  | _ => false

/-- Operations on one vector. Shifts to the right are by the number of bits in a lane, minus `k`. -/
inductive VecUn where
  /-- AESMC -/
  | aesmc
  /-- REV64, 16B: reverse the bytes of each 64 bits -/
  | rev64
  /-- REV32 (vector), 16B: reverse the bytes of each 32 bits -/
  | rev32
  /-- SHL, vector, 4S -/
  | shl4s (k : BitVec 5)
  /-- SHL, vector, 2D -/
  | shl2d (k : BitVec 6)
  /-- USHR, vector, 4S -/
  | ushr4s (k : BitVec 5)
  /-- USHR, vector, 2D -/
  | ushr2d (k : BitVec 6)
  /-- SSHR, vector, 4S -/
  | sshr4s (k : BitVec 5)
  /-- SSHR, vector, 2D -/
  | sshr2d (k : BitVec 6)
  /-- DUP (element), vector, 4S or 2D -/
  | dup (l : Lane)
  deriving DecidableEq

/-- What the operation computes. -/
def VecUn.eval : VecUn → BitVec 128 → BitVec 128
  | .aesmc, n => Aes.mixColumns n
  | .rev64, n => lanes16b fun i => lane 8 n (i / 8 * 8 + (7 - i % 8))
  | .rev32, n => lanes16b fun i => lane 8 n (i / 4 * 4 + (3 - i % 4))
  | .shl4s k, n => lanes4s fun i => lane 32 n i <<< k.toNat
  | .shl2d k, n => lanes2d fun i => lane 64 n i <<< k.toNat
  | .ushr4s k, n => lanes4s fun i => lane 32 n i >>> (32 - k.toNat)
  | .ushr2d k, n => lanes2d fun i => lane 64 n i >>> (64 - k.toNat)
  | .sshr4s k, n => lanes4s fun i => (lane 32 n i).sshiftRight (32 - k.toNat)
  | .sshr2d k, n => lanes2d fun i => (lane 64 n i).sshiftRight (64 - k.toNat)
  | .dup (.s i), n => lanes4s fun _ => lane 32 n i.toNat
  | .dup (.d i), n => lanes2d fun _ => lane 64 n i.toNat

end TCB.AArch64
