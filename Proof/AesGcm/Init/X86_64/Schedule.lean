import Proof.Aes.KeySchedule
import Proof.AesGcm.Init.X86_64.Words

/-!
# Key expansion on x86-64: a round key from those before it
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.Aes Spec.Aes Proof.Aes

/-! ## What the instructions compute -/

/-- The element of the table with a round constant, or zero. -/
def rconV (j : Nat) : Block := ofWords (rcon j) (rcon j) (rcon j) (rcon j)

/-- The shuffle for ROTWORD. -/
def rotV : Block := 0x0c0f0e0d0c0f0e0d0c0f0e0d0c0f0e0d#128

/-- What `rotated` computes. -/
def rotatedV (last c : Block) : Block := VecBin.eval .aesenclast (VecBin.eval .pshufb last rotV) c

/-- What `plain` computes. -/
def plainV (last : Block) : Block := VecUn.eval (.pshufd 0xff) last

/-- What `substituted` computes. -/
def substitutedV (last c : Block) : Block := VecBin.eval .aesenclast (plainV last) c

/-- The sums of neighbours. -/
def pairsV (old : Block) : Block := VecBin.eval .pxor old (VecUn.eval (.pslldq 4) old)

/-- What `sums` computes. -/
def sumsV (old t : Block) : Block :=
  VecBin.eval .pxor (VecBin.eval .pxor (pairsV old) (VecUn.eval (.pslldq 8) (pairsV old))) t

/-- What `joined` computes. -/
def joinedV (p cur c : Block) : Block := VecBin.eval (.palignr 8)
  (VecBin.eval .pxor (VecBin.eval .pxor (VecUn.eval (.psllq 32) cur) cur) (rotatedV p c)) p

/-- What comes before `joined`. -/
def upperV (prev cur : Block) : Block :=
  VecBin.eval .pxor (VecBin.eval .pxor prev (VecUn.eval (.psllq 32) prev)) (plainV cur)

/-! ## In words -/

theorem pxor_ofWords {a b c d e f g h : Word} : VecBin.eval .pxor (ofWords a b c d) (ofWords e f g h) =
    ofWords (a ^^^ e) (b ^^^ f) (c ^^^ g) (d ^^^ h) := xor_ofWords

variable {W : Nat → Word} {a b c d t v p q r s : Word} {j o n : Nat}

theorem rotated_eq : rotatedV (ofWords a b c d) (ofWords t t t t) =
    let u := subWord (rotWord d) ^^^ t
    ofWords u u u u := by
  rw [rotatedV, rotV, pshufb_rotWord, aesenclast_same]

theorem substituted_eq : substitutedV (ofWords a b c d) (ofWords t t t t) =
    let u := subWord d ^^^ t
    ofWords u u u u := by
  rw [substitutedV, plainV, pshufd_3, aesenclast_same]

/-- Four words by the recurrence. -/
theorem sums_eq (h0 : W n = W o ^^^ t) (h1 : W (n + 1) = W (o + 1) ^^^ W n) (h2 : W (n + 2) = W (o + 2) ^^^ W (n + 1))
    (h3 : W (n + 3) = W (o + 3) ^^^ W (n + 2)) :
    sumsV (ofWords (W o) (W (o + 1)) (W (o + 2)) (W (o + 3))) (ofWords t t t t) =
      ofWords (W n) (W (n + 1)) (W (n + 2)) (W (n + 3)) := by
  rw [sumsV, pairsV, pslldq_4, pxor_ofWords, pslldq_8, pxor_ofWords, pxor_ofWords, h3, h2, h1, h0]
  simp only [BitVec.xor_zero]
  congr 1 <;> ac_rfl

theorem joined_eq : joinedV (ofWords p q r s) (ofWords a b c d) (ofWords t t t t) =
    let u := subWord (rotWord s) ^^^ t
    ofWords r s (a ^^^ u) (b ^^^ (a ^^^ u)) := by
  rw [joinedV, rotated_eq, psllq_32, pxor_ofWords, pxor_ofWords, palignr_8]
  simp only [BitVec.zero_xor]
  congr 1 <;> ac_rfl

theorem upper_eq : ∃ p q, upperV (ofWords a b r s) (ofWords c d t v) = ofWords p q (r ^^^ v) (s ^^^ (r ^^^ v)) := by
  refine ⟨a ^^^ v, b ^^^ a ^^^ v, ?_⟩
  rw [upperV, plainV, pshufd_3, psllq_32, pxor_ofWords, pxor_ofWords]
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
    word key n = word key o ^^^ (subWord (word key j) ^^^ 0#32) := by
  subst hk
  rw [word_of_words key (by omega) (by omega), temp, if_neg (by omega), if_pos ⟨h0, h⟩,
    show n - key.length = o by omega, show n - 1 = j by omega, BitVec.xor_zero]

end Recurrence

/-! ## Round keys -/

/-- Round key `i`. -/
def rk (key : List Word) (i : Nat) : Block :=
  ofWords (word key (4 * i)) (word key (4 * i + 1)) (word key (4 * i + 2)) (word key (4 * i + 3))

theorem expandKey_rk (key : List Byte) :
    expandKey key = (List.range (rounds key.length + 1)).map (rk (keyWords key)) := expandKey_eq key

variable {key : List Word} {i : Nat}

theorem next128_eq (hk : key.length = 4) : sumsV (rk key i) (rotatedV (rk key i) (rconV (i + 1))) = rk key (i + 1) := by
  rw [rk, rconV, rotated_eq]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

theorem next256_odd (hk : key.length = 8) (hi : i % 2 = 1) :
    sumsV (rk key (i - 1)) (rotatedV (rk key i) (rconV (i / 2 + 1))) = rk key (i + 1) := by
  rw [rk, rk, rconV, rotated_eq]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

theorem next256_even (hk : key.length = 8) (hi : i % 2 = 0) (h0 : i ≠ 0) :
    sumsV (rk key (i - 1)) (substitutedV (rk key i) 0) = rk key (i + 1) := by
  rw [rk, rk, show (0 : Block) = ofWords 0#32 0#32 0#32 0#32 from rfl, substituted_eq]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  · exact word_substituted hk (by omega) (by omega) (by omega) (by omega)
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

/-- The words six before a round key. -/
theorem window (h0 : i ≠ 0) : VecBin.eval (.palignr 8) (rk key i) (rk key (i - 1)) =
    ofWords (word key (4 * i - 2)) (word key (4 * i - 2 + 1)) (word key (4 * i - 2 + 2)) (word key (4 * i - 2 + 3)) := by
  rw [rk, rk, palignr_8, show 4 * (i - 1) + 2 = 4 * i - 2 by omega, show 4 * (i - 1) + 3 = 4 * i - 2 + 1 by omega,
    show 4 * i - 2 + 2 = 4 * i by omega, show 4 * i - 2 + 3 = 4 * i + 1 by omega]

theorem next192_two (hk : key.length = 6) (hi : i % 3 = 2) :
    sumsV (VecBin.eval (.palignr 8) (rk key i) (rk key (i - 1))) (rotatedV (rk key i) (rconV (2 * (i + 1) / 3))) =
      rk key (i + 1) := by
  rw [window (by omega), rk, rconV, rotated_eq]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  · exact word_rotated hk (by omega) (by omega) (by omega) (by omega) (by omega)
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

theorem next192_one (hk : key.length = 6) (hi : i % 3 = 1) :
    sumsV (VecBin.eval (.palignr 8) (rk key i) (rk key (i - 1))) (plainV (rk key i)) = rk key (i + 1) := by
  rw [window (by omega), rk, plainV, pshufd_3]
  refine sums_eq (W := word key) (n := 4 * (i + 1)) ?_ ?_ ?_ ?_
  all_goals exact word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)

/-- The upper words of a round key that begins four words after a multiple of six. -/
theorem joined_rk (hk : key.length = 6) (hi : i % 3 = 0) : joinedV
    (ofWords p q (word key (4 * (i + 1))) (word key (4 * (i + 1) + 1))) (rk key i) (rconV (2 * i / 3 + 1)) =
      rk key (i + 1) := by
  rw [rk, rk, rconV, joined_eq]
  have w2 : word key (4 * (i + 1) + 2) = _ :=
    word_rotated hk (o := 4 * i) (j := 4 * (i + 1) + 1) (i := 2 * i / 3 + 1) (by omega) (by omega) (by omega) (by omega) (by omega)
  have w3 : word key (4 * (i + 1) + 3) = word key (4 * i + 1) ^^^ word key (4 * (i + 1) + 2) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  rw [w3, w2]

theorem next192_zero (hk : key.length = 6) (hi : i % 3 = 0) (h0 : i ≠ 0) :
    joinedV (upperV (rk key (i - 1)) (rk key i)) (rk key i) (rconV (2 * i / 3 + 1)) = rk key (i + 1) := by
  obtain ⟨p, q, h⟩ := upper_eq (a := word key (4 * (i - 1))) (b := word key (4 * (i - 1) + 1))
    (r := word key (4 * (i - 1) + 2)) (s := word key (4 * (i - 1) + 3)) (c := word key (4 * i)) (d := word key (4 * i + 1))
    (t := word key (4 * i + 2)) (v := word key (4 * i + 3))
  have w0 : word key (4 * (i + 1)) = word key (4 * (i - 1) + 2) ^^^ word key (4 * i + 3) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  have w1 : word key (4 * (i + 1) + 1) = word key (4 * (i - 1) + 3) ^^^ word key (4 * (i + 1)) :=
    word_plain hk (by omega) (by omega) (by omega) (by omega) (by omega)
  rw [← joined_rk (p := p) (q := q) hk hi, w1, w0, ← h]
  rfl

/-! ## The key itself -/

/-- Four words of a key in memory. -/
theorem keyWords_eq {bs : List Byte} (h : 4 * j + 16 ≤ bs.length) : ofBytes 128 ((bs.drop (4 * j)).take 16) =
    ofWords (word (keyWords bs) j) (word (keyWords bs) (j + 1)) (word (keyWords bs) (j + 2)) (word (keyWords bs) (j + 3)) := by
  have w {i : Nat} (hi : 4 * i + 4 ≤ bs.length) : word (keyWords bs) i = ofBytes 32 ((bs.drop (4 * i)).take 4) := by
    rw [word_of_key _ (by rw [keyWords_length]; omega), keyWords, List.getD_eq_getElem?_getD, List.getElem?_map,
      List.getElem?_range (by omega)]
    rfl
  rw [w (by omega), w (by omega), w (by omega), w (by omega)]
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

end Proof.AesGcm.Init.X86_64
