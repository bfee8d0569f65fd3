/-!
# Induction along xor

A property that holds for zero and the powers of two and is closed under xor holds for every number and every word. So
two xor-linear maps are equal when they agree on single bits.
-/

set_option autoImplicit false
namespace Proof.Gf2

/-- A bound holds for every larger width. -/
theorem lt_two_pow_of_le {a m n : Nat} (h : a < 2 ^ m) (hmn : m ≤ n) : a < 2 ^ n :=
  Nat.lt_of_lt_of_le h (Nat.pow_le_pow_right (by omega) hmn)

/-- Bits at and above the width are zero. -/
theorem testBit_of_lt {a m i : Nat} (h : a < 2 ^ m) (hi : m ≤ i) : a.testBit i = false :=
  Nat.testBit_lt_two_pow (lt_two_pow_of_le h hi)

/-- A number of `w + 1` bits is its low `w` bits xor its top bit. -/
theorem split_top (n w : Nat) (h : n < 2 ^ (w + 1)) : n = n % 2 ^ w ^^^ if n.testBit w then 2 ^ w else 0 := by
  apply Nat.eq_of_testBit_eq
  intro i
  rw [Nat.testBit_xor, Nat.testBit_mod_two_pow]
  by_cases hi : i < w
  · have : ¬w = i := by omega
    split <;> simp [hi, this]
  · by_cases hw : i = w
    · subst hw
      cases hb : n.testBit i <;> simp
    · have h1 : n.testBit i = false := testBit_of_lt h (by omega)
      have h2 : ¬w = i := by omega
      split <;> simp [hi, h1, h2]

/-- A number is its high part, shifted back, xor its low part. -/
theorem split_at (n k : Nat) : n = (n >>> k) <<< k ^^^ n % 2 ^ k := by
  apply Nat.eq_of_testBit_eq
  intro i
  rw [Nat.testBit_xor, Nat.testBit_shiftLeft, Nat.testBit_shiftRight, Nat.testBit_mod_two_pow]
  by_cases h : i < k
  · simp [h, Nat.not_le.mpr h]
  · simp [h, Nat.not_lt.mp h, Nat.add_sub_cancel' (Nat.not_lt.mp h)]

/-- Xor induction below `2 ^ w`. -/
theorem xor_induction_lt {P : Nat → Prop} (w : Nat) (zero : P 0) (bit : ∀ i, i < w → P (2 ^ i))
    (xor : ∀ a b, P a → P b → P (a ^^^ b)) : ∀ n, n < 2 ^ w → P n := by
  induction w with
  | zero => intro n hn; rwa [show n = 0 by omega]
  | succ w ih =>
    intro n hn
    rw [split_top n w hn]
    refine xor _ _ (ih (fun i hi => bit i (by omega)) _ (Nat.mod_lt _ (Nat.two_pow_pos w))) ?_
    split
    · exact bit w (by omega)
    · exact zero

/-- Xor induction over all numbers. -/
theorem xor_induction {P : Nat → Prop} (zero : P 0) (bit : ∀ i, P (2 ^ i)) (xor : ∀ a b, P a → P b → P (a ^^^ b))
    (n : Nat) : P n :=
  xor_induction_lt n zero (fun i _ => bit i) xor n Nat.lt_two_pow_self

/-- The word of a xor is the xor of the words. -/
theorem ofNat_xor {w : Nat} (a b : Nat) : BitVec.ofNat w (a ^^^ b) = BitVec.ofNat w a ^^^ BitVec.ofNat w b := by
  apply BitVec.eq_of_toNat_eq
  rw [BitVec.toNat_xor, BitVec.toNat_ofNat, BitVec.toNat_ofNat, BitVec.toNat_ofNat, Nat.xor_mod_two_pow]

/-- Xor induction on words. -/
theorem word_induction {w : Nat} {P : BitVec w → Prop} (zero : P 0#w) (bit : ∀ i, i < w → P (BitVec.ofNat w (2 ^ i)))
    (xor : ∀ a b, P a → P b → P (a ^^^ b)) (v : BitVec w) : P v := by
  have := xor_induction_lt (P := fun n => P (BitVec.ofNat w n)) w zero bit
    (fun a b ha hb => (congrArg P (ofNat_xor a b)).mpr (xor _ _ ha hb)) v.toNat v.isLt
  simpa using this

/-- Two xor-linear maps that agree on single bits are equal. -/
theorem linear_ext {w v : Nat} {f f' : BitVec w → BitVec v} (hf : ∀ a b, f (a ^^^ b) = f a ^^^ f b)
    (hf' : ∀ a b, f' (a ^^^ b) = f' a ^^^ f' b)
    (h : ∀ i, i < w → f (BitVec.ofNat w (2 ^ i)) = f' (BitVec.ofNat w (2 ^ i))) (a : BitVec w) : f a = f' a := by
  have zero (k : BitVec w → BitVec v) (hk : ∀ a b, k (a ^^^ b) = k a ^^^ k b) : k 0#w = 0#v := by
    simpa using hk 0#w 0#w
  induction a using word_induction with
  | zero => rw [zero f hf, zero f' hf']
  | xor a b ih ih' => rw [hf, hf', ih, ih']
  | bit i hi => exact h i hi

end Proof.Gf2
