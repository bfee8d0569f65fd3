import Spec.Aes

/-!
# The key schedule by its recurrence
-/

set_option autoImplicit false
namespace Proof.Aes
open TCB TCB.Aes Spec.Aes

/-- The word `i` of the key schedule. -/
def word (key : List Word) (i : Nat) : Word := nextWord key (words key i) i

theorem words_length (key : List Word) (n : Nat) : (words key n).length = n := by
  induction n with
  | zero => rfl
  | succ n ih => simp [words, ih]

theorem words_getD (key : List Word) {i n : Nat} (h : i < n) : (words key n).getD i 0 = word key i := by
  induction n with
  | zero => omega
  | succ n ih =>
    have := words_length key n
    by_cases hi : i < n
    · rw [← ih hi, words, List.getD_eq_getElem?_getD, List.getD_eq_getElem?_getD, List.getElem?_append_left (by omega)]
    · obtain rfl : i = n := by omega
      rw [words, List.getD_eq_getElem?_getD, List.getElem?_append_right (by omega), this, Nat.sub_self]
      rfl

theorem word_of_key (key : List Word) {i : Nat} (h : i < key.length) : word key i = key.getD i 0 := if_pos h

theorem word_of_words (key : List Word) {i : Nat} (h0 : 0 < key.length) (h : key.length ≤ i) :
    word key i = word key (i - key.length) ^^^ temp key.length i (word key (i - 1)) := by
  rw [word, nextWord, if_neg (by omega), words_getD key (by omega), words_getD key (by omega)]

theorem keyWords_length (key : List Byte) : (keyWords key).length = key.length / 4 := by simp [keyWords]

/-- The round keys by the words. -/
theorem expandKey_eq (key : List Byte) :
    expandKey key = (List.range (rounds key.length + 1)).map fun i =>
      ofWords (word (keyWords key) (4 * i)) (word (keyWords key) (4 * i + 1)) (word (keyWords key) (4 * i + 2))
        (word (keyWords key) (4 * i + 3)) := by
  refine List.map_congr_left fun i h => ?_
  have := List.mem_range.mp h
  rw [words_getD _ (by omega), words_getD _ (by omega), words_getD _ (by omega), words_getD _ (by omega)]

theorem expandKey_length (key : List Byte) : (expandKey key).length = rounds key.length + 1 := by simp [expandKey]

end Proof.Aes
