import Proof.Aes.KeySchedule
import Proof.Aes.Words

/-!
# A round key from those before it
-/

set_option autoImplicit false
namespace Proof.Aes
open TCB TCB.Aes Spec.Aes

/-! ## What kernels compute -/

/-- SUBWORD of ROTWORD of the last word, plus a round constant, in every word. -/
def rotatedV (last : Block) (j : Nat) : Block := repeated (subWord (rotWord (lastWord last)) ^^^ rcon j)

/-- The last word in every word. -/
def plainV (last : Block) : Block := repeated (lastWord last)

/-- SUBWORD of the last word, in every word. -/
def substitutedV (last : Block) : Block := repeated (subWord (lastWord last))

/-- The sums of neighbours. -/
def pairsV (old : Block) : Block := old ^^^ old <<< 32

/-- The sums of the first words of `old`, of one to four of them, plus `t`. -/
def sumsV (old t : Block) : Block := pairsV old ^^^ pairsV old <<< 64 ^^^ t

/-- The upper half of `p`, then two words from the lower half of `cur`: the first of them is after a multiple of six. -/
def joinedV (p cur : Block) (j : Nat) : Block := window (shiftHalves cur ^^^ cur ^^^ rotatedV p j) p

/-- What comes before `joinedV`. -/
def upperV (prev cur : Block) : Block := prev ^^^ shiftHalves prev ^^^ plainV cur

/-! ## In words -/

variable {W : Nat → Word} {a b c d t v p q r s : Word} {j o n : Nat}

/-- Four words by the recurrence. -/
theorem sums_eq (h0 : W n = W o ^^^ t) (h1 : W (n + 1) = W (o + 1) ^^^ W n) (h2 : W (n + 2) = W (o + 2) ^^^ W (n + 1))
    (h3 : W (n + 3) = W (o + 3) ^^^ W (n + 2)) :
    sumsV (ofWords (W o) (W (o + 1)) (W (o + 2)) (W (o + 3))) (repeated t) =
      ofWords (W n) (W (n + 1)) (W (n + 2)) (W (n + 3)) := by
  rw [sumsV, pairsV, shiftLeft_32, xor_ofWords, shiftLeft_64, xor_ofWords, repeated, xor_ofWords, h3, h2, h1, h0]
  simp only [BitVec.xor_zero]
  congr 1 <;> ac_rfl

theorem joined_eq : joinedV (ofWords p q r s) (ofWords a b c d) j =
    let u := subWord (rotWord s) ^^^ rcon j
    ofWords r s (a ^^^ u) (b ^^^ (a ^^^ u)) := by
  rw [joinedV, rotatedV, lastWord_ofWords, shiftHalves_ofWords, xor_ofWords, repeated, xor_ofWords, window_ofWords]
  simp only [BitVec.zero_xor]
  congr 1 <;> ac_rfl

theorem upper_eq : ∃ p q, upperV (ofWords a b r s) (ofWords c d t v) = ofWords p q (r ^^^ v) (s ^^^ (r ^^^ v)) := by
  refine ⟨a ^^^ v, b ^^^ a ^^^ v, ?_⟩
  rw [upperV, plainV, lastWord_ofWords, shiftHalves_ofWords, xor_ofWords, repeated, xor_ofWords]
  simp only [BitVec.xor_zero]
  congr 1
  ac_rfl

/-! ## The recurrence, by the positions of words -/

section Recurrence
variable {key : List Word} {k : Nat} (hk : key.length = k)
include hk

theorem word_plain (h0 : 0 < k) (ho : n = o + k) (hj : n = j + 1) (h : n % k ≠ 0) (h4 : k ≤ 6 ∨ n % k ≠ 4) :
    word key n = word key o ^^^ word key j := by
  subst hk
  rw [word_of_words key h0 (by omega), temp, if_neg h, if_neg (by omega), show n - key.length = o by omega,
    show n - 1 = j by omega]

theorem word_rotated (h0 : 0 < k) (ho : n = o + k) (hj : n = j + 1) (h : n % k = 0) {i : Nat} (hi : n / k = i) :
    word key n = word key o ^^^ (subWord (rotWord (word key j)) ^^^ rcon i) := by
  subst hk
  rw [word_of_words key h0 (by omega), temp, if_pos h, show n - key.length = o by omega, show n - 1 = j by omega, hi]

theorem word_substituted (h0 : 6 < k) (ho : n = o + k) (hj : n = j + 1) (h : n % k = 4) :
    word key n = word key o ^^^ subWord (word key j) := by
  subst hk
  rw [word_of_words key (by omega) (by omega), temp, if_neg (by omega), if_pos ⟨h0, h⟩,
    show n - key.length = o by omega, show n - 1 = j by omega]

end Recurrence

/-! ## Round keys -/

/-- Four words of the key schedule. -/
def four (key : List Word) (j : Nat) : Block :=
  ofWords (word key j) (word key (j + 1)) (word key (j + 2)) (word key (j + 3))

/-- Round key `i`. -/
def rk (key : List Word) (i : Nat) : Block := four key (4 * i)

theorem expandKey_rk (key : List Byte) :
    expandKey key = (List.range (rounds key.length + 1)).map (rk (keyWords key)) := expandKey_eq key

variable {key : List Word} {i : Nat} {prev : Block}

/-- Round key `i + 1` of 128 bits of key. -/
def next128V (i : Nat) (_ cur : Block) : Block := sumsV cur (rotatedV cur (i + 1))

/-- Round key `i + 1` of 192 bits of key, from the two before it: its words come six after others. -/
def next192V (key : List Word) (i : Nat) (prev cur : Block) : Block :=
  if i = 0 then joinedV (four key 2) cur 1
  else if i % 3 = 0 then joinedV (upperV prev cur) cur (2 * i / 3 + 1)
  else sumsV (window cur prev) (if i % 3 = 1 then plainV cur else rotatedV cur (2 * (i + 1) / 3))

/-- Round key `i + 1` of 256 bits of key, from the two before it. -/
def next256V (key : List Word) (i : Nat) (prev cur : Block) : Block :=
  if i = 0 then four key 4
  else sumsV prev (if i % 2 = 1 then rotatedV cur (i / 2 + 1) else substitutedV cur)

theorem next128_rk (hk : key.length = 4) : next128V i prev (rk key i) = rk key (i + 1) := by
  rw [next128V, rk, rk, four, four, rotatedV, lastWord_ofWords]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

theorem next256_rk (hk : key.length = 8) (hp : i ≠ 0 → prev = rk key (i - 1)) :
    next256V key i prev (rk key i) = rk key (i + 1) := by
  rw [next256V]
  split
  · subst i; rfl
  rw [hp ‹_›, rk, rk, rk, four, four, four]
  split
  · rw [rotatedV, lastWord_ofWords]
    refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
    · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
    all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  · rw [substitutedV, lastWord_ofWords]
    refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
    · exact word_substituted hk (by omega) (by omega) (by omega) (by omega)
    all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

/-- The words six before a round key. -/
theorem window_rk (h0 : i ≠ 0) : window (rk key i) (rk key (i - 1)) = four key (4 * i - 2) := by
  rw [rk, rk, four, four, four, window_ofWords, show 4 * (i - 1) + 2 = 4 * i - 2 by omega,
    show 4 * (i - 1) + 3 = 4 * i - 2 + 1 by omega, show 4 * i - 2 + 2 = 4 * i by omega, show 4 * i - 2 + 3 = 4 * i + 1 by omega]

/-- The upper words of a round key that begins four words after a multiple of six. -/
theorem joined_rk (hk : key.length = 6) (hi : i % 3 = 0) : joinedV
    (ofWords p q (word key (4 * (i + 1))) (word key (4 * (i + 1) + 1))) (rk key i) (2 * i / 3 + 1) = rk key (i + 1) := by
  rw [rk, rk, four, four, joined_eq]
  have w2 : word key (4 * (i + 1) + 2) = _ :=
    word_rotated hk (o := 4 * i) (j := 4 * (i + 1) + 1) (i := 2 * i / 3 + 1) (by omega) (by omega) (by omega) (by omega) (by omega)
  have w3 : word key (4 * (i + 1) + 3) = word key (4 * i + 1) ^^^ word key (4 * (i + 1) + 2) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  rw [w3, w2]

theorem upper_rk (hk : key.length = 6) (hi : i % 3 = 0) (h0 : i ≠ 0) :
    joinedV (upperV (rk key (i - 1)) (rk key i)) (rk key i) (2 * i / 3 + 1) = rk key (i + 1) := by
  obtain ⟨p, q, h⟩ := upper_eq (a := word key (4 * (i - 1))) (b := word key (4 * (i - 1) + 1))
    (r := word key (4 * (i - 1) + 2)) (s := word key (4 * (i - 1) + 3)) (c := word key (4 * i)) (d := word key (4 * i + 1))
    (t := word key (4 * i + 2)) (v := word key (4 * i + 3))
  have w0 : word key (4 * (i + 1)) = word key (4 * (i - 1) + 2) ^^^ word key (4 * i + 3) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  have w1 : word key (4 * (i + 1) + 1) = word key (4 * (i - 1) + 3) ^^^ word key (4 * (i + 1)) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  rw [← joined_rk (p := p) (q := q) hk hi, w1, w0, ← h]
  rfl

theorem next192_rk (hk : key.length = 6) (hp : i ≠ 0 → prev = rk key (i - 1)) :
    next192V key i prev (rk key i) = rk key (i + 1) := by
  rw [next192V]
  split
  · subst i
    exact joined_rk (p := word key 2) (q := word key 3) (i := 0) hk rfl
  rw [hp ‹_›]
  split
  · exact upper_rk hk ‹_› ‹_›
  rw [window_rk ‹_›, rk, rk, four, four, four]
  split
  · rw [plainV, lastWord_ofWords]
    refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
    all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  · rw [rotatedV, lastWord_ofWords]
    refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
    · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
    all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

/-! ## The key itself -/

/-- Four words of a key in memory. -/
theorem keyWords_eq {bs : List Byte} (h : 4 * j + 16 ≤ bs.length) : ofBytes 128 ((bs.drop (4 * j)).take 16) =
    four (keyWords bs) j := by
  have w {i : Nat} (hi : 4 * i + 4 ≤ bs.length) : word (keyWords bs) i = ofBytes 32 ((bs.drop (4 * i)).take 4) := by
    rw [word_of_key _ (by rw [keyWords_length]; omega), keyWords, List.getD_eq_getElem?_getD, List.getElem?_map,
      List.getElem?_range (by omega)]
    rfl
  rw [four, w (by omega), w (by omega), w (by omega), w (by omega)]
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp only [getLsbD_ofWords, getLsbD_ofBytes, List.getElem?_take, List.getElem?_drop, hi, decide_true, Bool.true_and,
    show i / 8 < 16 by omega, if_true]
  by_cases h : i < 32
  · simp [h, show i / 8 < 4 by omega]
  by_cases h : i < 64
  · simp [*, show i - 32 < 32 by omega, show (i - 32) / 8 < 4 by omega, show (i - 32) % 8 = i % 8 by omega,
      show 4 * (j + 1) + (i - 32) / 8 = 4 * j + i / 8 by omega]
  by_cases h : i < 96
  · simp [*, show i - 64 < 32 by omega, show (i - 64) / 8 < 4 by omega, show (i - 64) % 8 = i % 8 by omega,
      show 4 * (j + 2) + (i - 64) / 8 = 4 * j + i / 8 by omega]
  · simp [*, show i - 96 < 32 by omega, show (i - 96) / 8 < 4 by omega, show (i - 96) % 8 = i % 8 by omega,
      show 4 * (j + 3) + (i - 96) / 8 = 4 * j + i / 8 by omega]

end Proof.Aes
