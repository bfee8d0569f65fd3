import Proof.Gf2.Words

/-!
# The product of two registers

A kernel keeps a product of 256 bits in three registers: the low and the high part, and a middle part that overlaps
both.
-/

set_option autoImplicit false
namespace Proof.Gf2

/- `ac_rfl` compares every atom with a neutral element; a closed shift costs it nothing. -/
attribute [local irreducible] Nat.shiftLeft Nat.shiftRight

/-- The partial sums of `hi * 2^128 + mid * 2^64 + lo`. -/
structure Acc where
  lo : BitVec 128
  mid : BitVec 128
  hi : BitVec 128

namespace Acc

/-- The empty sum. -/
def zero : Acc := ⟨0#128, 0#128, 0#128⟩

/-- The sum, part by part. -/
def xor (p q : Acc) : Acc := ⟨p.lo ^^^ q.lo, p.mid ^^^ q.mid, p.hi ^^^ q.hi⟩

theorem xor_assoc (p q r : Acc) : (p.xor q).xor r = p.xor (q.xor r) := by simp only [xor, BitVec.xor_assoc]

theorem xor_comm (p q : Acc) : p.xor q = q.xor p := by
  simp only [xor, mk.injEq]
  exact ⟨BitVec.xor_comm .., BitVec.xor_comm .., BitVec.xor_comm ..⟩

@[simp] theorem xor_zero (p : Acc) : p.xor zero = p := by simp [xor, zero]

instance : Std.Associative Acc.xor := ⟨xor_assoc⟩
instance : Std.Commutative Acc.xor := ⟨xor_comm⟩

/-- The low half of the product. -/
def low (p : Acc) : BitVec 128 := p.lo ^^^ p.mid <<< 64

/-- The high half of the product. -/
def high (p : Acc) : BitVec 128 := p.hi ^^^ p.mid >>> 64

theorem low_xor (p q : Acc) : (p.xor q).low = p.low ^^^ q.low := by
  simp only [low, xor, BitVec.shiftLeft_xor_distrib]
  ac_rfl

theorem high_xor (p q : Acc) : (p.xor q).high = p.high ^^^ q.high := by
  simp only [high, xor, BitVec.ushiftRight_xor_distrib]
  ac_rfl

/-- The middle part of Karatsuba's method, from the product of the sums of the halves. -/
def correct (p : Acc) : Acc := ⟨p.lo, p.mid ^^^ p.lo ^^^ p.hi, p.hi⟩

/-- One correction serves a sum of products. -/
theorem correct_xor (p q : Acc) : (p.xor q).correct = p.correct.xor q.correct := by
  simp only [xor, correct, mk.injEq, true_and, and_true]
  ac_rfl

end Acc

/-! ## Four multiplications -/

/-- The product by the schoolbook method. -/
def school (a b : BitVec 128) : Acc :=
  ⟨pclmul false false a b, pclmul true false a b ^^^ pclmul false true a b, pclmul true true a b⟩

/-- Splitting the middle part between the two halves loses nothing. -/
theorem assemble (h m l : Nat) :
    (h ^^^ m >>> 64) <<< 128 ^^^ (l ^^^ m <<< 64 % 2 ^ 128) = h <<< 128 ^^^ m <<< 64 ^^^ l := by
  have e := split_at (m <<< 64) 128
  rw [show m <<< 64 >>> 128 = m >>> 64 by rw [Nat.shiftRight_add _ 64 64, Nat.shiftLeft_shiftRight]] at e
  have comm (a b c d : Nat) : a ^^^ b ^^^ (c ^^^ d) = a ^^^ (b ^^^ d) ^^^ c := by ac_rfl
  rw [Nat.shiftLeft_xor_distrib, comm, ← e]

/-- The halves of the sum are the product of the polynomials. -/
theorem school_toNat (a b : BitVec 128) :
    (school a b).high.toNat <<< 128 ^^^ (school a b).low.toNat = polyMul a.toNat b.toNat := by
  simp only [Acc.high, Acc.low, school, pclmul_lo_lo, pclmul_hi_lo, pclmul_lo_hi, pclmul_hi_hi, BitVec.toNat_xor,
    BitVec.toNat_shiftLeft, BitVec.toNat_ushiftRight, toNat_clmul]
  rw [assemble, toNat_halves a, toNat_halves b]
  generalize (hi64 a).toNat = ah
  generalize (lo64 a).toNat = al
  generalize (hi64 b).toNat = bh
  generalize (lo64 b).toNat = bl
  rw [xor_polyMul, polyMul_xor, polyMul_xor, polyMul_shiftLeft, polyMul_shiftLeft, shiftLeft_polyMul,
    shiftLeft_polyMul, ← Nat.shiftLeft_add, Nat.shiftLeft_xor_distrib]
  ac_rfl

theorem append_eq (x y : BitVec 128) : x ++ y = BitVec.ofNat 256 (x.toNat <<< 128 ^^^ y.toNat) := by
  apply BitVec.eq_of_toNat_eq
  rw [BitVec.toNat_append, BitVec.toNat_ofNat, Nat.mod_eq_of_lt]
  · apply Nat.eq_of_testBit_eq
    intro i
    rw [Nat.testBit_or, Nat.testBit_xor, Nat.testBit_shiftLeft]
    by_cases h : 128 ≤ i
    · simp [testBit_of_lt y.isLt h]
    · simp [h]
  · refine Nat.xor_lt_two_pow ?_ (lt_two_pow_of_le y.isLt (by omega))
    rw [Nat.shiftLeft_eq]
    have := x.isLt
    omega

/-- The halves of the sum, as one word of 256 bits. -/
theorem school_append (a b : BitVec 128) :
    (school a b).high ++ (school a b).low = BitVec.ofNat 256 (polyMul a.toNat b.toNat) := by
  rw [append_eq, school_toNat]

/-! ## Three multiplications -/

/-- The sum of the halves. -/
def sum64 (a : BitVec 128) : BitVec 64 := hi64 a ^^^ lo64 a

/-- The three products of Karatsuba's method; the middle one still lacks `Acc.correct`. -/
def karatsuba (a b : BitVec 128) : Acc :=
  ⟨pclmul false false a b, TCB.clmul (sum64 a) (sum64 b), pclmul true true a b⟩

/-- The two methods give the same sums. -/
theorem correct_karatsuba (a b : BitVec 128) : (karatsuba a b).correct = school a b := by
  simp only [karatsuba, Acc.correct, school, sum64, pclmul_lo_lo, pclmul_hi_lo, pclmul_lo_hi, pclmul_hi_hi,
    xor_clmul, clmul_xor, Acc.mk.injEq, true_and, and_true]
  generalize TCB.clmul (hi64 a) (hi64 b) = hh
  generalize TCB.clmul (lo64 a) (lo64 b) = ll
  generalize TCB.clmul (hi64 a) (lo64 b) = hl
  generalize TCB.clmul (lo64 a) (hi64 b) = lh
  have : hh ^^^ lh ^^^ (hl ^^^ ll) ^^^ ll ^^^ hh = (hl ^^^ lh) ^^^ (ll ^^^ ll) ^^^ (hh ^^^ hh) := by ac_rfl
  rw [this]
  simp

/-- The sum of the halves stands in the low half of `v ^^^ swap64 v` (`pshufd 0x4e`, `pxor`; `ext #8`, `eor`). -/
@[simp] theorem lo64_xor_swap64 (v : BitVec 128) : lo64 (v ^^^ swap64 v) = sum64 v := by
  rw [lo64_xor, lo64_swap64, sum64, BitVec.xor_comm]

/-- The sum of the halves stands in the high half of `v ^^^ swap64 v` as well. -/
@[simp] theorem hi64_xor_swap64 (v : BitVec 128) : hi64 (v ^^^ swap64 v) = sum64 v := by
  rw [hi64_xor, hi64_swap64, sum64]

@[simp] theorem lo64_swap64_xor (v : BitVec 128) : lo64 (swap64 v ^^^ v) = sum64 v := by
  rw [BitVec.xor_comm, lo64_xor_swap64]

@[simp] theorem hi64_swap64_xor (v : BitVec 128) : hi64 (swap64 v ^^^ v) = sum64 v := by
  rw [BitVec.xor_comm, hi64_xor_swap64]

/-- The sums of the halves of two registers in one (`punpcklqdq`, `punpckhqdq`, `pxor`). -/
def packed (a b : BitVec 128) : BitVec 128 := (lo64 b ++ lo64 a) ^^^ (hi64 b ++ hi64 a)

@[simp] theorem lo64_packed (a b : BitVec 128) : lo64 (packed a b) = sum64 a := by
  rw [packed, lo64_xor, lo64_append, lo64_append, sum64, BitVec.xor_comm]

@[simp] theorem hi64_packed (a b : BitVec 128) : hi64 (packed a b) = sum64 b := by
  rw [packed, hi64_xor, hi64_append, hi64_append, sum64, BitVec.xor_comm]

end Proof.Gf2
