import TCB.Mem

/-!
# Laws of memory

Reads, writes, words and regions. Every law is an extensionality argument, never an induction.
-/

set_option autoImplicit false
namespace TCB

/-- The offset of `a + i` is `i`. -/
theorem offset_add (a : Addr) {i : Nat} (h : i < 2 ^ 64) : offset a (a + BitVec.ofNat 64 i) = i := by
  unfold offset; bv_omega

/-! ## Reading -/

@[simp] theorem length_bytesAt (m : Mem) (a : Addr) (n : Nat) : (bytesAt m a n).length = n := by
  simp [bytesAt]

/-- One byte of what is read. -/
theorem getElem?_bytesAt (m : Mem) (a : Addr) (n i : Nat) :
    (bytesAt m a n)[i]? = if i < n then some (m (a + BitVec.ofNat 64 i)) else none := by
  simp only [bytesAt, List.getElem?_map]
  split <;> simp_all

@[simp] theorem bytesAt_zero (m : Mem) (a : Addr) : bytesAt m a 0 = [] := rfl

/-- Two adjacent reads are one. -/
theorem bytesAt_append (m : Mem) (a : Addr) (i j : Nat) :
    bytesAt m a i ++ bytesAt m (a + BitVec.ofNat 64 i) j = bytesAt m a (i + j) := by
  apply List.ext_getElem?
  intro k
  simp only [List.getElem?_append, length_bytesAt, getElem?_bytesAt]
  by_cases h : k < i
  · simp [h, show k < i + j by omega]
  · have hk : BitVec.ofNat 64 i + BitVec.ofNat 64 (k - i) = BitVec.ofNat 64 k := by
      rw [← BitVec.ofNat_add, Nat.add_sub_cancel' (by omega)]
    simp [h, BitVec.add_assoc, hk, show k - i < j ↔ k < i + j by omega]

/-- A prefix of what is read. -/
theorem take_bytesAt (m : Mem) (a : Addr) (n k : Nat) (h : k ≤ n) : (bytesAt m a n).take k = bytesAt m a k := by
  rw [← Nat.add_sub_cancel' h, ← bytesAt_append, List.take_append_of_le_length (by simp),
    List.take_of_length_le (by simp)]

/-- A part of what is read. -/
theorem bytesAt_part (m : Mem) (a : Addr) {i k n : Nat} (h : i + k ≤ n) :
    bytesAt m (a + BitVec.ofNat 64 i) k = ((bytesAt m a n).drop i).take k := by
  apply List.ext_getElem?
  intro j
  simp only [List.getElem?_take, List.getElem?_drop, getElem?_bytesAt]
  by_cases hj : j < k
  · simp only [hj, show i + j < n by omega, if_true, BitVec.add_assoc, ← BitVec.ofNat_add]
  · simp only [hj, if_false]

/-- Memories that agree on a range give the same bytes. -/
theorem bytesAt_congr {m m' : Mem} {a : Addr} {n : Nat}
    (h : ∀ i, i < n → m' (a + BitVec.ofNat 64 i) = m (a + BitVec.ofNat 64 i)) : bytesAt m' a n = bytesAt m a n := by
  simp only [bytesAt]
  exact List.map_congr_left fun i hi => h i (List.mem_range.1 hi)

/-! ## Writing -/

@[simp] theorem writeBytes_nil (m : Mem) (a : Addr) : writeBytes m a [] = m := by
  funext x; simp [writeBytes]

/-- A write changes nothing outside its range. -/
theorem writeBytes_outside (m : Mem) (a : Addr) (bs : List Byte) : ∀ x, bs.length ≤ offset a x → writeBytes m a bs x = m x := by
  intro x h
  simp [writeBytes, h]

/-- Writing a list absorbs an earlier write of a list that is no longer, from the same address. -/
theorem writeBytes_over (m : Mem) (a : Addr) {bs cs : List Byte} (h : bs.length ≤ cs.length) :
    writeBytes (writeBytes m a bs) a cs = writeBytes m a cs := by
  funext x
  simp only [writeBytes]
  by_cases hx : offset a x < cs.length
  · simp [hx]
  · simp [show cs.length ≤ offset a x by omega, show bs.length ≤ offset a x by omega]

/-- Two adjacent writes are one write of the concatenation. -/
theorem writeBytes_append (m : Mem) (a : Addr) {bs cs : List Byte} {k : Nat} (hk : bs.length = k)
    (h : k + cs.length ≤ 2 ^ 64) :
    writeBytes (writeBytes m a bs) (a + BitVec.ofNat 64 k) cs = writeBytes m a (bs ++ cs) := by
  subst hk
  funext x
  simp only [writeBytes, List.getElem?_append]
  by_cases hc : cs.length = 0
  · have : cs = [] := List.eq_nil_of_length_eq_zero hc
    subst this; by_cases hx : offset a x < bs.length <;> simp [hx]
  by_cases hx : offset a x < bs.length
  · have : cs.length ≤ offset (a + BitVec.ofNat 64 bs.length) x := by unfold offset at *; bv_omega
    simp [hx, this]
  · have : offset (a + BitVec.ofNat 64 bs.length) x = offset a x - bs.length := by unfold offset at *; bv_omega
    simp only [hx, this, if_false]
    simp [show bs.length ≤ offset a x by omega]

/-- A write that starts inside an earlier one and reaches its end replaces its tail (the overlapping last block). -/
theorem writeBytes_tail (m : Mem) (a : Addr) {bs cs : List Byte} {k : Nat} (hk : k ≤ bs.length)
    (hc : bs.length ≤ k + cs.length) (h : k + cs.length ≤ 2 ^ 64) :
    writeBytes (writeBytes m a bs) (a + BitVec.ofNat 64 k) cs = writeBytes m a (bs.take k ++ cs) := by
  have hl : (bs.take k).length = k := by simp [hk]
  have h1 : writeBytes m a bs = writeBytes (writeBytes m a (bs.take k)) (a + BitVec.ofNat 64 k) (bs.drop k) := by
    rw [writeBytes_append _ _ hl (by simp; omega), List.take_append_drop]
  rw [h1, writeBytes_over _ _ (by simp; omega), writeBytes_append _ _ hl h]

/-- What was written is read back. -/
theorem bytesAt_writeBytes_same (m : Mem) (a : Addr) {bs : List Byte} (h : bs.length ≤ 2 ^ 64) :
    bytesAt (writeBytes m a bs) a bs.length = bs := by
  apply List.ext_getElem?
  intro i
  rw [getElem?_bytesAt]
  split
  · have : offset a (a + BitVec.ofNat 64 i) = i := offset_add a (by omega)
    simp [writeBytes, *]
  · simp; omega

/-! ## Regions -/

namespace Region

/-- A part of a region lies in it. -/
theorem Contains.of_sub {a x : Addr} {n i n' : Nat} (h : (Region.mk (a + BitVec.ofNat 64 i) n').Contains x)
    (hn : i + n' ≤ n) (hw : n ≤ 2 ^ 64) : (Region.mk a n).Contains x := by
  simp only [Contains, offset] at *
  bv_omega

/-- Parts of disjoint regions are disjoint. -/
theorem Disjoint.sub {a b : Addr} {n k i j n' k' : Nat} (h : (Region.mk a n).Disjoint ⟨b, k⟩) (hn : i + n' ≤ n)
    (hk : j + k' ≤ k) (wn : n ≤ 2 ^ 64) (wk : k ≤ 2 ^ 64) :
    (Region.mk (a + BitVec.ofNat 64 i) n').Disjoint ⟨b + BitVec.ofNat 64 j, k'⟩ :=
  fun x ⟨h1, h2⟩ => h x ⟨h1.of_sub hn wn, h2.of_sub hk wk⟩

/-- Disjointness is symmetric. -/
theorem Disjoint.symm {r q : Region} (h : r.Disjoint q) : q.Disjoint r := fun x ⟨h1, h2⟩ => h x ⟨h2, h1⟩

/-- A region that fits has at most 2^64 bytes. -/
theorem Fits.le {r : Region} (h : r.Fits) : r.len ≤ 2 ^ 64 := by
  simp only [Fits] at h; omega

/-- Two regions on the number line, one after the other, are disjoint. -/
theorem disjoint_of_lt {r q : Region} (h : r.base.toNat + r.len ≤ q.base.toNat) (hq : q.Fits) : r.Disjoint q := by
  intro x ⟨h1, h2⟩
  simp only [Contains, Fits, offset] at *
  bv_omega

end Region

/-- A write does not change what is read from a disjoint range. -/
theorem bytesAt_writeBytes_disjoint (m : Mem) {a b : Addr} {bs : List Byte} {k : Nat} (hk : k ≤ 2 ^ 64)
    (h : (Region.mk a bs.length).Disjoint ⟨b, k⟩) : bytesAt (writeBytes m a bs) b k = bytesAt m b k := by
  apply bytesAt_congr
  intro i hi
  apply writeBytes_outside
  have := h (b + BitVec.ofNat 64 i)
  simp only [Region.Contains, offset_add b (show i < 2 ^ 64 by omega), hi, and_true, Nat.not_lt] at this
  exact this

/-- An access inside one of the regions is covered. -/
theorem covered_of_mem {rs : List Region} {r : Region} {a : Addr} {n : Nat} (h : r ∈ rs)
    (hc : offset r.base a + n ≤ r.len) : covered rs a n = true :=
  List.any_eq_true.2 ⟨r, h, by simp [Region.covers, hc]⟩

/-! ## Words, little-endian -/

@[simp] theorem length_toBytes {w : Nat} (n : Nat) (v : BitVec w) : (toBytes n v).length = n := by
  simp [toBytes]

/-- The bits of a word, from its bytes. -/
theorem getLsbD_ofBytes (w : Nat) (bs : List Byte) (j : Nat) :
    (ofBytes w bs).getLsbD j = (decide (j < w) && (bs[j / 8]?.getD 0).getLsbD (j % 8)) := by
  induction bs generalizing j with
  | nil => simp [ofBytes]
  | cons b bs ih =>
    simp only [ofBytes, BitVec.getLsbD_or, BitVec.getLsbD_shiftLeft, BitVec.getLsbD_setWidth, ih]
    by_cases h : j < 8
    · simp [h, show j / 8 = 0 by omega, show j % 8 = j by omega]
    · have : j / 8 = (j - 8) / 8 + 1 := by omega
      have h8 : b.getLsbD j = false := BitVec.getLsbD_of_ge _ _ (by omega)
      by_cases hw : j < w
      · simp [h, h8, this, hw, show j - 8 < w by omega, show (j - 8) % 8 = j % 8 by omega]
      · simp [hw]

/-- Storing what was loaded: the bytes of a word built from `n` bytes are those bytes. -/
theorem toBytes_ofBytes {w n : Nat} {bs : List Byte} (hn : bs.length = n) (hw : 8 * n ≤ w) :
    toBytes n (ofBytes w bs) = bs := by
  apply List.ext_getElem?
  intro i
  by_cases hi : i < n
  · simp only [toBytes, List.getElem?_map, List.getElem?_range hi, Option.map_some]
    rw [List.getElem?_eq_getElem (by omega)]
    congr 1
    apply BitVec.eq_of_getLsbD_eq
    intro j hj
    simp only [BitVec.getLsbD_extractLsb', getLsbD_ofBytes]
    simp [ hj, show 8 * i + j < w by omega, show (8 * i + j) / 8 = i by omega,
      show (8 * i + j) % 8 = j by omega, show i < bs.length by omega]
  · rw [List.getElem?_eq_none (by simp; omega), List.getElem?_eq_none (by omega)]

/-- Loading what was stored: a word is what its bytes make. -/
theorem ofBytes_toBytes {w n : Nat} (v : BitVec w) (hw : w ≤ 8 * n) : ofBytes w (toBytes n v) = v := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_ofBytes]
  simp only [hj, decide_true, Bool.true_and, toBytes, List.getElem?_map,
    List.getElem?_range (show j / 8 < n by omega), Option.map_some, Option.getD_some, BitVec.getLsbD_extractLsb']
  rw [show 8 * (j / 8) + j % 8 = j by omega]
  simp [show j % 8 < 8 by omega]

end TCB
