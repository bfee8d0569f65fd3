import Proof.Gf2.Product
import Proof.Gf2.Reflect

/-!
# Reduction of a product by two folds

Each fold moves the low 64 bits up by a carry-less product with one constant.
-/

set_option autoImplicit false
namespace Proof.Gf2

attribute [local irreducible] Nat.shiftLeft Nat.shiftRight

/-- The constant of the reduction: `x^63 + x^62 + x^57`. -/
def poly : BitVec 64 := 0xC200000000000000

/-- One fold: the halves exchanged, and the low one times the constant. -/
def foldStep (v : BitVec 128) : BitVec 128 := swap64 v ^^^ TCB.clmul (lo64 v) poly

/-- The reduction of a product of 256 bits. -/
def reduce (high low : BitVec 128) : BitVec 128 := high ^^^ foldStep (foldStep low)

theorem foldStep_xor (a b : BitVec 128) : foldStep (a ^^^ b) = foldStep a ^^^ foldStep b := by
  simp only [foldStep, swap64_xor, lo64_xor, xor_clmul]
  ac_rfl

theorem reduce_xor (h l h' l' : BitVec 128) : reduce (h ^^^ h') (l ^^^ l') = reduce h l ^^^ reduce h' l' := by
  simp only [reduce, foldStep_xor]
  ac_rfl

theorem rev_halves (v : BitVec 128) : rev v = rev (hi64 v) ^^^ rev (lo64 v) <<< 64 := by
  rw [← rev_append, hi64_append_lo64]

/-- One fold multiplies by `x^64`. -/
theorem rev_foldStep (v : BitVec 128) : rev (foldStep v) = polyMod (rev v <<< 64) := by
  have hpoly : rev poly <<< 1 = 0x86 := by decide +kernel
  have e : rev (foldStep v) = rev (hi64 v) <<< 64 ^^^ polyMul (rev (lo64 v)) 0x87 := by
    rw [foldStep, swap64, rev_xor, rev_append, clmul_eq, rev_polyMul (w := 64) (v := 128) rfl, ← polyMul_shiftLeft,
      hpoly, show (0x87 : Nat) = 1 ^^^ 0x86 by decide, polyMul_xor, polyMul_one]
    ac_rfl
  rw [← polyMod_of_lt (rev_lt (foldStep v)), e, rev_halves v, Nat.shiftLeft_xor_distrib, polyMod_xor, polyMod_xor,
    ← polyMod_shiftLeft_128, ← Nat.shiftLeft_add]

/-- Two folds multiply by `x^128`. -/
theorem rev_foldStep_foldStep (v : BitVec 128) : rev (foldStep (foldStep v)) = polyMod (rev v <<< 128) := by
  rw [rev_foldStep, rev_foldStep, polyMod_shiftLeft_polyMod, ← Nat.shiftLeft_add]

/-- The two folds reduce modulo the field's polynomial. -/
theorem rev_reduce (h l : BitVec 128) : rev (reduce h l) = polyMod (rev (h ++ l)) := by
  rw [reduce, rev_xor, rev_foldStep_foldStep, rev_append, polyMod_xor, polyMod_of_lt (rev_lt h)]

/-! ## Reduction of partial sums -/

/-- Assemble the product, then reduce. -/
def fold (p : Acc) : BitVec 128 := reduce p.high p.low

/-- Reduce without assembling: `lo` folds into `mid`, and `mid` into `hi`. -/
def foldLazy (p : Acc) : BitVec 128 := p.hi ^^^ foldStep (p.mid ^^^ foldStep p.lo)

theorem foldStep_mid (m : BitVec 128) : m >>> 64 ^^^ foldStep (foldStep (m <<< 64)) = foldStep m := by
  apply rev_inj
  have hlt : rev (hi64 m) <<< 64 < 2 ^ 128 := by
    have := rev_lt (hi64 m)
    rw [Nat.shiftLeft_eq]
    omega
  rw [rev_xor, rev_foldStep_foldStep, rev_foldStep, shiftLeft_64, ushiftRight_64, rev_append, rev_append, rev_halves m,
    rev_zero, Nat.zero_shiftLeft, Nat.zero_xor, Nat.xor_zero, Nat.shiftLeft_xor_distrib, polyMod_xor,
    polyMod_of_lt hlt, ← Nat.shiftLeft_add]

/-- The two reductions are the same function. -/
theorem foldLazy_eq (p : Acc) : foldLazy p = fold p := by
  rw [foldLazy, fold, reduce, Acc.high, Acc.low, foldStep_xor, ← foldStep_mid p.mid, foldStep_xor, foldStep_xor]
  ac_rfl

/-- One reduction serves a sum of products. -/
theorem fold_xor (p q : Acc) : fold (p.xor q) = fold p ^^^ fold q := by
  rw [fold, Acc.low_xor, Acc.high_xor, reduce_xor, fold, fold]

/-- One lazy reduction serves a sum of products. -/
theorem foldLazy_xor (p q : Acc) : foldLazy (p.xor q) = foldLazy p ^^^ foldLazy q := by
  simp only [foldLazy_eq, fold_xor]

theorem fold_zero : fold Acc.zero = 0#128 := by decide +kernel

end Proof.Gf2
