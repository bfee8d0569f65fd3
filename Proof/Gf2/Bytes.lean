import Proof.Framework.Mem
import Proof.Gf2.Words
import Spec.Gcm

/-!
# Blocks in memory

The standard reads a block big-endian, and the processors load it little-endian: kernels reverse the 16 bytes.
-/

set_option autoImplicit false
namespace Proof.Gf2
open TCB (Byte)

/-- The 16 bytes in reverse. -/
def bswap128 (v : BitVec 128) : BitVec 128 := TCB.ofBytes 128 (TCB.toBytes 16 v).reverse

/-- What was loaded, reversed, is the block of the standard. -/
theorem bswap128_ofBytes {bs : List Byte} (h : bs.length = 16) :
    bswap128 (TCB.ofBytes 128 bs) = Spec.Gcm.ofBytes bs := by
  rw [bswap128, TCB.toBytes_ofBytes h (by omega), Spec.Gcm.ofBytes]

/-- What is stored of a reversed block are the standard's bytes. -/
theorem toBytes_bswap128 (x : BitVec 128) : TCB.toBytes 16 (bswap128 x) = Spec.Gcm.toBytes x := by
  rw [bswap128, TCB.toBytes_ofBytes (by simp) (by omega), Spec.Gcm.toBytes]

/-- The bits of the bytes `f 0`, ..., `f 15`. -/
theorem getLsbD_ofBytes_map (f : Nat → Byte) {j : Nat} (hj : j < 128) :
    (TCB.ofBytes 128 ((List.range 16).map f)).getLsbD j = (f (j / 8)).getLsbD (j % 8) := by
  rw [TCB.getLsbD_ofBytes, List.getElem?_map, List.getElem?_range (show j / 8 < 16 by omega)]
  simp [hj]

/-- The reversal by the numbers of the bytes (`pshufb`, `tbl`). -/
theorem ofBytes_map_eq_bswap128 (v : BitVec 128) {f : Nat → Byte}
    (hf : ∀ i, i < 16 → f i = v.extractLsb' (8 * (15 - i)) 8) :
    TCB.ofBytes 128 ((List.range 16).map f) = bswap128 v := by
  have : (List.range 16).map f = (TCB.toBytes 16 v).reverse := by
    rw [List.map_congr_left fun i hi => hf i (List.mem_range.1 hi)]
    rfl
  rw [this, bswap128]

theorem getLsbD_bswap128 (v : BitVec 128) {j : Nat} (hj : j < 128) :
    (bswap128 v).getLsbD j = v.getLsbD (8 * (15 - j / 8) + j % 8) := by
  rw [← ofBytes_map_eq_bswap128 v (fun _ _ => rfl), getLsbD_ofBytes_map _ hj, BitVec.getLsbD_extractLsb']
  simp [show j % 8 < 8 by omega]

@[simp] theorem bswap128_bswap128 (v : BitVec 128) : bswap128 (bswap128 v) = v := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_bswap128 _ hj, getLsbD_bswap128 _ (by omega)]
  congr 1
  omega

theorem bswap128_xor (a b : BitVec 128) : bswap128 (a ^^^ b) = bswap128 a ^^^ bswap128 b := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [getLsbD_bswap128 _ hj, BitVec.getLsbD_xor]

@[simp] theorem bswap128_zero : bswap128 0#128 = 0#128 := by decide +kernel

theorem swap64_bswap128 (v : BitVec 128) : swap64 (bswap128 v) = bswap128 (swap64 v) := by
  have halves (a : BitVec 128) {i : Nat} (hi : i < 128) :
      (swap64 a).getLsbD i = a.getLsbD (if i < 64 then 64 + i else i - 64) := by
    rw [swap64, BitVec.getLsbD_append, lo64, hi64, BitVec.getLsbD_extractLsb', BitVec.getLsbD_extractLsb']
    by_cases h : i < 64
    · simp [h]
    · simp [h, show i - 64 < 64 by omega]
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [halves _ hi, getLsbD_bswap128 _ (by split <;> omega), getLsbD_bswap128 _ hi, halves _ (by omega)]
  congr 1
  split <;> split <;> omega

/-- The reversal in each half, and the halves exchanged (`rev64`, `ext #8`). -/
theorem swap64_ofBytes_map_eq_bswap128 (v : BitVec 128) {f : Nat → Byte}
    (hf : ∀ i, i < 16 → f i = v.extractLsb' (8 * (i / 8 * 8 + (7 - i % 8))) 8) :
    swap64 (TCB.ofBytes 128 ((List.range 16).map f)) = bswap128 v := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [swap64, BitVec.getLsbD_append, lo64, hi64, BitVec.getLsbD_extractLsb', BitVec.getLsbD_extractLsb',
    getLsbD_bswap128 v hj]
  by_cases h : j < 64
  · simp only [h, decide_true, Bool.true_and, if_true]
    rw [getLsbD_ofBytes_map _ (by omega), hf _ (by omega), BitVec.getLsbD_extractLsb']
    simp only [show (64 + j) % 8 < 8 by omega, decide_true, Bool.true_and]
    congr 1
    omega
  · simp only [h, if_false, show j - 64 < 64 by omega, decide_true, Bool.true_and]
    rw [getLsbD_ofBytes_map _ (by omega), hf _ (by omega), BitVec.getLsbD_extractLsb']
    simp only [show (0 + (j - 64)) % 8 < 8 by omega, decide_true, Bool.true_and]
    congr 1
    omega

end Proof.Gf2
