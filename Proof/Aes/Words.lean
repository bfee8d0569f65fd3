import Proof.Aes.Cipher

/-!
# The words and bytes of a block
-/

set_option autoImplicit false
namespace Proof.Aes
open TCB TCB.Aes Spec.Aes

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

/-- Every block is four words. -/
theorem exists_words (v : Block) : ∃ a b c d, v = ofWords a b c d := by
  refine ⟨v.extractLsb' 0 32, v.extractLsb' 32 32, v.extractLsb' 64 32, v.extractLsb' 96 32, ?_⟩
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [getLsbD_ofWords, BitVec.getLsbD_extractLsb']
  split
  · simp [*]
  split
  · simp [show i - 32 < 32 by omega, show 32 + (i - 32) = i by omega]
  split
  · simp [show i - 64 < 32 by omega, show 64 + (i - 64) = i by omega]
  · simp [show i - 96 < 32 by omega, show 96 + (i - 96) = i by omega]

/-- The last word. -/
def lastWord (v : Block) : Word := v.extractLsb' 96 32

/-- A word four times. -/
def repeated (w : Word) : Block := ofWords w w w w

/-- The halves, each moved up by a word. -/
def shiftHalves (v : Block) : Block := v.extractLsb' 64 64 <<< 32 ++ v.extractLsb' 0 64 <<< 32

/-- The high half of `lo`, and the low half of `hi` above it. -/
def window (hi lo : Block) : Block := (hi ++ lo).extractLsb' 64 128

theorem lastWord_ofWords : lastWord (ofWords a b c d) = d := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [lastWord, BitVec.getLsbD_extractLsb', getLsbD_ofWords, decide_eq_true hi, Bool.true_and, if_neg (by omega),
    if_neg (by omega), if_neg (by omega), Nat.add_sub_cancel_left]

theorem xor_repeated (v w : Word) : repeated v ^^^ repeated w = repeated (v ^^^ w) := xor_ofWords

theorem shiftLeft_32 : ofWords a b c d <<< 32 = ofWords 0#32 a b c := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [BitVec.getLsbD_shiftLeft, getLsbD_ofWords, Nat.sub_sub]
  by_cases h : i < 32
  · simp [h]
  · simp [h, hi, show i - 32 < 32 ↔ i < 64 by omega, show i - 32 < 64 ↔ i < 96 by omega, show i - 32 < 96 by omega]

theorem shiftLeft_64 : ofWords a b c d <<< 64 = ofWords 0#32 0#32 a b := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [BitVec.getLsbD_shiftLeft, getLsbD_ofWords, Nat.sub_sub]
  by_cases h : i < 64
  · simp [h]
  · simp [h, hi, show ¬i < 32 by omega, show i - 64 < 32 ↔ i < 96 by omega, show i - 64 < 64 by omega]

theorem shiftHalves_ofWords : shiftHalves (ofWords a b c d) = ofWords 0#32 a 0#32 c := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [shiftHalves, BitVec.getLsbD_append, BitVec.getLsbD_shiftLeft, BitVec.getLsbD_extractLsb', getLsbD_ofWords]
  by_cases h : i < 32
  · simp [h, show i < 64 by omega]
  by_cases h : i < 64
  · simp [*, show i - 32 < 64 by omega, show i - 32 < 32 by omega]
  by_cases h : i < 96
  · simp [*, show i - 64 < 32 by omega]
  · simp [*, show i - 64 < 64 by omega, show ¬i - 64 < 32 by omega, show i - 64 - 32 < 64 by omega,
      show ¬64 + (i - 64 - 32) < 64 by omega, show ¬64 + (i - 64 - 32) < 32 by omega,
      show 64 + (i - 64 - 32) < 96 by omega, show 64 + (i - 64 - 32) - 64 = i - 96 by omega]

theorem window_ofWords : window (ofWords a b c d) (ofWords e f g h) = ofWords g h a b := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [window, BitVec.getLsbD_extractLsb', BitVec.getLsbD_append, getLsbD_ofWords, hi, decide_true,
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
theorem subBytes_same : subBytes (shiftRows (repeated w)) = repeated (subWord w) := by
  refine byte_ext fun i hi => ?_
  rw [subBytes, byte_ofFn _ hi, shiftRows, byte_ofFn _ hi, repeated, repeated, byte_ofWords (by omega), byte_ofWords hi]
  simp only [ite_self]
  rw [wordByte_subWord (by omega), show (i % 4 + 4 * ((i / 4 + i % 4) % 4)) % 4 = i % 4 by omega]

/-- The bytes of the last word, rotated, in every word (`pshufb`, `tbl`). -/
theorem ofFn_rotWord {k : Nat → Nat} (hk : ∀ i, i < 16 → k i = 12 + (i + 1) % 4) :
    ofFn (fun i => byte (ofWords a b c d) (k i)) = repeated (rotWord d) := by
  refine byte_ext fun i hi => ?_
  rw [byte_ofFn _ hi, hk i hi, repeated, byte_ofWords (by omega), byte_ofWords hi]
  simp only [ite_self, show ¬12 + (i + 1) % 4 < 4 by omega, show ¬12 + (i + 1) % 4 < 8 by omega,
    show ¬12 + (i + 1) % 4 < 12 by omega, if_false]
  rw [wordByte_rotWord (by omega), show (12 + (i + 1) % 4) % 4 = (i % 4 + 1) % 4 by omega]

end Proof.Aes
