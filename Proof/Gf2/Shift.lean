import Proof.Gf2.Key

/-!
# The stored form of a key, by shifts of lanes

The processors have no shift of 128 bits by one: kernels shift the halves and carry one bit across.
-/

set_option autoImplicit false
namespace Proof.Gf2
open Spec.Ghash

/-- The shifted halves lack the bit 64 alone, and the bits that leave the halves at the top, moved up, are that bit. -/
theorem getLsbD_carry (v : BitVec 128) (i : Nat) (hi : i < 128) :
    (hi64 v <<< 1 ++ lo64 v <<< 1).getLsbD i = (decide (i ≠ 64) && (v <<< 1).getLsbD i) ∧
      ((hi64 v >>> 63 ++ lo64 v >>> 63) <<< 64).getLsbD i = (decide (i = 64) && (v <<< 1).getLsbD i) := by
  simp only [BitVec.getLsbD_append, BitVec.getLsbD_shiftLeft, BitVec.getLsbD_ushiftRight, hi64, lo64,
    BitVec.getLsbD_extractLsb']
  by_cases h : i < 64
  · simp [h, show ¬i = 64 by omega, show i - 1 < 64 by omega, show i < 128 by omega]
  · by_cases h64 : i = 64
    · subst h64; simp
    · simp [h, h64, hi, show i - 64 < 64 by omega, show ¬i - 64 < 1 by omega, show ¬i < 1 by omega,
        show i - 64 - 1 < 64 by omega, show ¬63 + (i - 64) < 64 by omega, show 64 + (i - 64 - 1) = i - 1 by omega]

/-- The shift by one place from shifts of the halves, joined by or. -/
theorem or_eq_shiftLeft_one (v : BitVec 128) :
    (hi64 v <<< 1 ++ lo64 v <<< 1) ||| (hi64 v >>> 63 ++ lo64 v >>> 63) <<< 64 = v <<< 1 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_or, (getLsbD_carry v i hi).1, (getLsbD_carry v i hi).2]
  by_cases h : i = 64 <;> simp [h]

/-- The shift by one place from shifts of the halves, joined by xor. -/
theorem xor_eq_shiftLeft_one (v : BitVec 128) :
    (hi64 v <<< 1 ++ lo64 v <<< 1) ^^^ (hi64 v >>> 63 ++ lo64 v >>> 63) <<< 64 = v <<< 1 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_xor, (getLsbD_carry v i hi).1, (getLsbD_carry v i hi).2]
  by_cases h : i = 64 <;> simp [h]

/-- An arithmetic shift by all but one place spreads the sign. -/
theorem sshiftRight_eq_sign {w : Nat} (v : BitVec w) :
    v.sshiftRight (w - 1) = if v.msb then BitVec.allOnes w else 0#w := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_sshiftRight]
  have top : v.getLsbD (w - 1) = v.msb := (BitVec.msb_eq_getLsbD_last v).symm
  by_cases h : w - 1 + i < w
  · rw [show w - 1 + i = w - 1 by omega, top]
    cases v.msb <;> simp [hi]
  · cases v.msb <;> simp [hi, h]

theorem msb_hi64 (v : BitVec 128) : (hi64 v).msb = v.msb := by
  simp [hi64, BitVec.msb_eq_getLsbD_last]

theorem msb_extractLsb'_96 (v : BitVec 128) : (v.extractLsb' 96 32).msb = v.msb := by
  simp [BitVec.msb_eq_getLsbD_last]

/-- The lanes of 32 bits of one word four times. -/
theorem extractLsb'_append_self (s : BitVec 32) {i : Nat} (hi : i < 4) :
    (s ++ s ++ s ++ s).extractLsb' (32 * i) 32 = s := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [BitVec.getLsbD_extractLsb', BitVec.getLsbD_append, BitVec.getLsbD_append, BitVec.getLsbD_append]
  have : i = 0 ∨ i = 1 ∨ i = 2 ∨ i = 3 := by omega
  rcases this with h | h | h | h <;> subst h <;> simp [hj, show ¬32 + j < 32 by omega,
    show ¬64 + j < 32 by omega, show ¬96 + j < 32 by omega, show 32 + j - 32 = j by omega,
    show 64 + j - 32 = 32 + j by omega, show 96 + j - 32 = 64 + j by omega]

/-- All ones if the top bit is set, else zero. -/
def signMask (v : BitVec 128) : BitVec 128 := if v.msb then BitVec.allOnes 128 else 0#128

/-- The sign of the top 32 bits in all lanes of 32 bits (`pshufd 0xff` and `psrad 31`). -/
theorem signMask_of_dwords (v : BitVec 128) :
    (let s := (v.extractLsb' 96 32).sshiftRight 31; s ++ s ++ s ++ s) = signMask v := by
  simp only [sshiftRight_eq_sign (w := 32), msb_extractLsb'_96, signMask]
  cases v.msb <;> decide +kernel

/-- The sign of the high half in both halves (`sshr #63` and `dup`). -/
theorem signMask_of_halves (v : BitVec 128) : (let s := (hi64 v).sshiftRight 63; s ++ s) = signMask v := by
  simp only [sshiftRight_eq_sign (w := 64), msb_hi64, signMask]
  cases v.msb <;> decide +kernel

theorem signMask_and (v c : BitVec 128) : signMask v &&& c = if v.msb then c else 0#128 := by
  rw [signMask]
  cases v.msb
  · exact BitVec.zero_and
  · exact BitVec.allOnes_and

/-- The stored form of a key as kernels compute it. -/
theorem twist_eq (h : Block) : h <<< 1 ^^^ (signMask h &&& invX) = twist h := by rw [signMask_and, twist]

end Proof.Gf2
