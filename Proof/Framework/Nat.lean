/-!
# Numbers in 64-bit registers
-/

set_option autoImplicit false
namespace TCB

/-- Comparing numbers below 2^64. -/
theorem ult_ofNat {a b : Nat} (ha : a < 2 ^ 64) (hb : b < 2 ^ 64) :
    (BitVec.ofNat 64 a).ult (BitVec.ofNat 64 b) = decide (a < b) := by
  simp [BitVec.ult, Nat.mod_eq_of_lt ha, Nat.mod_eq_of_lt hb]

/-- A number below 2^64 against zero. -/
theorem ofNat_beq_zero {a : Nat} (ha : a < 2 ^ 64) : (BitVec.ofNat 64 a == 0) = decide (a = 0) := by
  rw [Bool.eq_iff_iff]; simp [← BitVec.toNat_inj, Nat.mod_eq_of_lt ha]

/-- Counting down. -/
theorem ofNat_sub_ofNat {n i k : Nat} (h : i + k ≤ n) :
    BitVec.ofNat 64 (n - i) - BitVec.ofNat 64 k = BitVec.ofNat 64 (n - (i + k)) := by
  rw [show n - i = (n - (i + k)) + k by omega, BitVec.ofNat_add, BitVec.add_sub_cancel]

/-- Going forward in a buffer. -/
theorem add_ofNat_add (p : BitVec 64) (i k : Nat) :
    p + BitVec.ofNat 64 i + BitVec.ofNat 64 k = p + BitVec.ofNat 64 (i + k) := by
  rw [BitVec.ofNat_add, BitVec.add_assoc]

end TCB
