import Impl.AesGcm.Init.X86_64
import Proof.Aes.Cipher

/-!
# Key expansion on x86-64: what the instructions do to four words
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.Aes Spec.Aes Proof.Aes

attribute [local irreducible] sbox

variable {a b c d e f g h w : Word}

/-! ## Words -/

theorem getLsbD_ofWords (a b c d : Word) (i : Nat) : (ofWords a b c d).getLsbD i =
    if i < 32 then a.getLsbD i else if i < 64 then b.getLsbD (i - 32)
    else if i < 96 then c.getLsbD (i - 64) else d.getLsbD (i - 96) := by
  rw [ofWords, BitVec.getLsbD_append, BitVec.getLsbD_append, BitVec.getLsbD_append]
  simp only [Nat.sub_sub, show i - 32 < 32 ↔ i < 64 by omega, show i - (32 + 32) < 32 ↔ i < 96 by omega]

theorem xor_ofWords : ofWords a b c d ^^^ ofWords e f g h = ofWords (a ^^^ e) (b ^^^ f) (c ^^^ g) (d ^^^ h) := by
  apply BitVec.eq_of_getLsbD_eq
  intro i _
  simp only [BitVec.getLsbD_xor, getLsbD_ofWords]
  repeat' split
  all_goals rfl

/-- Words of a block, from those of one or two others. -/
theorem dword_ofWords : dword (ofWords a b c d) 0 = a ∧ dword (ofWords a b c d) 1 = b ∧
    dword (ofWords a b c d) 2 = c ∧ dword (ofWords a b c d) 3 = d := by
  refine ⟨?_, ?_, ?_, ?_⟩ <;>
  · apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [dword, BitVec.getLsbD_extractLsb', getLsbD_ofWords, decide_eq_true hi, Bool.true_and]
    simp only [Nat.reduceMul, Nat.zero_add]
    repeat rw [if_neg (by omega)]
    try rw [if_pos (by omega)]
    try rw [Nat.add_sub_cancel_left]

theorem pslldq_4 : VecUn.eval (.pslldq 4) (ofWords a b c d) = ofWords 0#32 a b c := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show (ofWords a b c d <<< 32).getLsbD i = _
  simp only [BitVec.getLsbD_shiftLeft, getLsbD_ofWords, Nat.sub_sub]
  by_cases h : i < 32
  · simp [h]
  · simp [h, hi, show i - 32 < 32 ↔ i < 64 by omega, show i - 32 < 64 ↔ i < 96 by omega, show i - 32 < 96 by omega]

theorem pslldq_8 : VecUn.eval (.pslldq 8) (ofWords a b c d) = ofWords 0#32 0#32 a b := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show (ofWords a b c d <<< 64).getLsbD i = _
  simp only [BitVec.getLsbD_shiftLeft, getLsbD_ofWords, Nat.sub_sub]
  by_cases h : i < 64
  · simp [h]
  · simp [h, hi, show ¬i < 32 by omega, show i - 64 < 32 ↔ i < 96 by omega, show i - 64 < 64 by omega]

theorem psllq_32 : VecUn.eval (.psllq 32) (ofWords a b c d) = ofWords 0#32 a 0#32 c := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show (qword (ofWords a b c d) 1 <<< 32 ++ qword (ofWords a b c d) 0 <<< 32).getLsbD i = _
  simp only [qword, BitVec.getLsbD_append, BitVec.getLsbD_shiftLeft, BitVec.getLsbD_extractLsb', getLsbD_ofWords]
  by_cases h : i < 32
  · simp [h, show i < 64 by omega]
  by_cases h : i < 64
  · simp [*, show i - 32 < 64 by omega, show i - 32 < 32 by omega]
  by_cases h : i < 96
  · simp [*, show i - 64 < 32 by omega]
  · simp [*, show i - 64 < 64 by omega, show ¬i - 64 < 32 by omega, show i - 64 - 32 < 64 by omega,
      show ¬64 + (i - 64 - 32) < 64 by omega, show ¬64 + (i - 64 - 32) < 32 by omega,
      show 64 + (i - 64 - 32) < 96 by omega, show 64 + (i - 64 - 32) - 64 = i - 96 by omega]

theorem palignr_8 : VecBin.eval (.palignr 8) (ofWords a b c d) (ofWords e f g h) = ofWords g h a b := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show (((ofWords a b c d ++ ofWords e f g h) >>> 64).setWidth 128).getLsbD i = _
  simp only [BitVec.getLsbD_setWidth, BitVec.getLsbD_ushiftRight, BitVec.getLsbD_append, getLsbD_ofWords, hi, decide_true,
    Bool.true_and]
  by_cases h : i < 32
  · simp [h, show 64 + i < 128 by omega, show ¬64 + i < 64 by omega, show ¬64 + i < 32 by omega, show 64 + i < 96 by omega]
  by_cases h : i < 64
  · simp [*, show 64 + i < 128 by omega, show ¬64 + i < 64 by omega, show ¬64 + i < 32 by omega, show ¬64 + i < 96 by omega,
      show 64 + i - 96 = i - 32 by omega]
  by_cases h : i < 96
  · simp [*, show ¬64 + i < 128 by omega, show 64 + i - 128 = i - 64 by omega, show i - 64 < 32 by omega]
  · simp [*, show ¬64 + i < 128 by omega, show ¬64 + i - 128 < 32 by omega, show 64 + i - 128 < 64 by omega,
      show 64 + i - 128 - 32 = i - 96 by omega]

theorem pshufd_3 : VecUn.eval (.pshufd 0xff) (ofWords a b c d) = ofWords d d d d := by
  have order : ∀ i, i < 4 → (0xff : BitVec 8).toNat / 4 ^ i % 4 = 3 := by decide
  simp only [VecUn.eval, ofDwords]
  rw [order 0 (by decide), order 1 (by decide), order 2 (by decide), order 3 (by decide), dword_ofWords.2.2.2]
  rfl

/-! ## Bytes -/

/-- Blocks with equal bytes. -/
theorem byte_ext {x y : Block} (h : ∀ i, i < 16 → byte x i = byte y i) : x = y := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  have := congrArg (·.getLsbD (i % 8)) (h (i / 8) (by omega))
  simpa [byte, show i % 8 < 8 by omega, show 8 * (i / 8) + i % 8 = i by omega] using this

/-- A byte of a word. -/
def wordByte (w : Word) (i : Nat) : Byte := w.extractLsb' (8 * i) 8

theorem byte_ofWords {i : Nat} (hi : i < 16) : byte (ofWords a b c d) i =
    wordByte (if i < 4 then a else if i < 8 then b else if i < 12 then c else d) (i % 4) := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [byte, wordByte, BitVec.getLsbD_extractLsb', hj, decide_true, Bool.true_and, getLsbD_ofWords]
  by_cases h : i < 4
  · simp [h, show 8 * i + j < 32 by omega, show i % 4 = i by omega]
  by_cases h : i < 8
  · simp [*, show ¬8 * i + j < 32 by omega, show 8 * i + j < 64 by omega, show 8 * i + j - 32 = 8 * (i % 4) + j by omega]
  by_cases h : i < 12
  · simp [*, show ¬8 * i + j < 32 by omega, show ¬8 * i + j < 64 by omega, show 8 * i + j < 96 by omega,
      show 8 * i + j - 64 = 8 * (i % 4) + j by omega]
  · simp [*, show ¬8 * i + j < 32 by omega, show ¬8 * i + j < 64 by omega, show ¬8 * i + j < 96 by omega,
      show 8 * i + j - 96 = 8 * (i % 4) + j by omega]

theorem wordByte_rotWord {i : Nat} (hi : i < 4) : wordByte (rotWord w) i = wordByte w ((i + 1) % 4) := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [wordByte, rotWord, BitVec.getLsbD_extractLsb', hj, decide_true, Bool.true_and, BitVec.getLsbD_rotateRight]
  by_cases h : i < 3
  · simp [show 8 * i + j < 24 by omega, show (i + 1) % 4 = i + 1 by omega, show 8 + (8 * i + j) = 8 * (i + 1) + j by omega]
  · obtain rfl : i = 3 := by omega
    simp [show ¬24 + j < 24 by omega, show 24 + j < 32 by omega]

theorem wordByte_subWord {i : Nat} (hi : i < 4) : wordByte (subWord w) i = sbox (wordByte w i) := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [wordByte, subWord, BitVec.getLsbD_extractLsb', hj, decide_true, Bool.true_and, getLsbD_ofBytes, toBytes,
    List.map_map, List.getElem?_map, show (8 * i + j) / 8 = i by omega, show (8 * i + j) % 8 = j by omega,
    List.getElem?_range hi, Option.map_some, Option.getD_some, Function.comp_apply, show 8 * i + j < 32 by omega]

/-- SHIFTROWS does nothing to equal words. -/
theorem subBytes_same : subBytes (shiftRows (ofWords w w w w)) =
    ofWords (subWord w) (subWord w) (subWord w) (subWord w) := by
  refine byte_ext fun i hi => ?_
  rw [subBytes, byte_ofFn _ hi, shiftRows, byte_ofFn _ hi, byte_ofWords (by omega), byte_ofWords hi]
  simp only [ite_self]
  rw [wordByte_subWord (by omega), show (i % 4 + 4 * ((i / 4 + i % 4) % 4)) % 4 = i % 4 by omega]

/-- AESENCLAST on equal words. -/
theorem aesenclast_same : VecBin.eval .aesenclast (ofWords w w w w) (ofWords a a a a) =
    ofWords (subWord w ^^^ a) (subWord w ^^^ a) (subWord w ^^^ a) (subWord w ^^^ a) := by
  rw [VecBin.eval, subBytes_same, xor_ofWords]

/-- The shuffle that rotates the last word into every word. -/
theorem pshufb_rotWord : VecBin.eval .pshufb (ofWords a b c d) 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 =
    ofWords (rotWord d) (rotWord d) (rotWord d) (rotWord d) := by
  refine byte_ext fun i hi => ?_
  have control : ∀ i, i < 16 → (byte 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 i).msb = false ∧
      (byte 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128 i).toNat % 16 = 12 + (i + 1) % 4 := by decide
  simp only [VecBin.eval]
  rw [byte_ofFn _ hi, (control i hi).1, (control i hi).2, byte_ofWords (by omega), byte_ofWords hi]
  simp only [ite_self, Bool.false_eq_true, if_false, show ¬12 + (i + 1) % 4 < 4 by omega,
    show ¬12 + (i + 1) % 4 < 8 by omega, show ¬12 + (i + 1) % 4 < 12 by omega]
  rw [wordByte_rotWord (by omega), show (12 + (i + 1) % 4) % 4 = (i % 4 + 1) % 4 by omega]

end Proof.AesGcm.Init.X86_64
