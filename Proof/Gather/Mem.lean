import Proof.CopySlice.Mem
import Spec.Gather

/-!
# Gathering: the memory

What the precondition says, and what the memory holds while slices are gathered, whatever the architecture.
-/

set_option autoImplicit false
namespace Proof.Gather
open TCB Spec.Gather

/-- What a gathering kernel may rely on: `count` slices listed at `src`, of `len` bytes together, and room at `dst`. -/
structure Pre (m : Memory) (src dst : Addr) (count len : Nat) : Prop where
  countBound : 16 * count ≤ 2 ^ 64
  lenBound : len < 2 ^ 64
  list : Region.mk src (16 * count) ∈ m.readable
  slice : ∀ {k}, k < count → sliceAt m.bytes src k ∈ m.readable
  room : Region.mk dst len ∈ m.writable
  listApart : (Region.mk dst len).Disjoint ⟨src, 16 * count⟩
  sliceApart : ∀ {k}, k < count → (Region.mk dst len).Disjoint (sliceAt m.bytes src k)
  total : totalLen (slicesAt m.bytes src count) = len

/-- The contents of the first `k` slices. -/
def gathered (m : Memory) (src : Addr) (k : Nat) : List Byte := concat m.bytes (slicesAt m.bytes src k)

/-- The length of the first `k` slices. -/
def pos (m : Memory) (src : Addr) (k : Nat) : Nat := totalLen (slicesAt m.bytes src k)

/-- The memory when `k` slices were copied. -/
def after (m : Memory) (src dst : Addr) (k : Nat) : Mem := writeBytes m.bytes dst (gathered m src k)

section
variable (m : Memory) (src dst : Addr) (k : Nat)

/-- One slice more. -/
theorem gathered_succ : gathered m src (k + 1) = gathered m src k ++ (sliceAt m.bytes src k).bytes m.bytes := by
  simp [gathered, concat, slicesAt, List.range_succ, List.flatMap_append]

/-- One slice more. -/
theorem pos_succ : pos m src (k + 1) = pos m src k + (sliceAt m.bytes src k).len := by
  simp [pos, totalLen, slicesAt, List.range_succ]

/-- The lengths add up. -/
theorem length_gathered : (gathered m src k).length = pos m src k := by
  induction k with
  | zero => rfl
  | succ k ih => rw [gathered_succ, pos_succ, List.length_append, ih, Region.bytes, length_bytesAt]

/-- More slices are no shorter. -/
theorem pos_mono {j k : Nat} (h : j ≤ k) : pos m src j ≤ pos m src k := by
  induction h with
  | refl => exact Nat.le_refl _
  | step _ ih => rw [pos_succ]; omega

end

namespace Pre
variable {m : Memory} {src dst : Addr} {count len k : Nat} (h : Pre m src dst count len)
include h

/-- The first slices fit. -/
theorem pos_le (hk : k ≤ count) : pos m src k ≤ len := h.total ▸ pos_mono m src hk

/-- The kernel may read the list of slices. -/
theorem canReadList {j n : Nat} (hj : j + n ≤ 16 * count) (hn : 0 < n) :
    covered m.readable (src + BitVec.ofNat 64 j) n = true := by
  have := h.countBound
  exact covered_of_mem h.list (by rw [offset_add _ (by omega)]; exact hj)

/-- Copying slices does not change the list of slices. -/
theorem readList {j n : Nat} (hk : k ≤ count) (hj : j + n ≤ 16 * count) :
    bytesAt (after m src dst k) (src + BitVec.ofNat 64 j) n = bytesAt m.bytes (src + BitVec.ofNat 64 j) n := by
  have := h.countBound
  have := h.lenBound
  have hp := h.pos_le hk
  have := h.listApart.sub (i := 0) (n' := pos m src k) (j := j) (k' := n) (by omega) hj (by omega) (by omega)
  exact bytesAt_writeBytes_disjoint _ (by omega) (by simpa [length_gathered] using this)

/-- Copying slices does not change the slices. -/
theorem readSlice {i : Nat} (hk : k ≤ count) (hi : i < count) :
    (sliceAt m.bytes src i).bytes (after m src dst k) = (sliceAt m.bytes src i).bytes m.bytes := by
  have := h.lenBound
  have hp := h.pos_le hk
  have hl : (sliceAt m.bytes src i).len < 2 ^ 64 := BitVec.isLt _
  have := (h.sliceApart hi).sub (k := (sliceAt m.bytes src i).len) (i := 0) (n' := pos m src k) (j := 0) (k' := (sliceAt m.bytes src i).len)
    (by omega) (by omega) (by omega) (by omega)
  exact bytesAt_writeBytes_disjoint _ (k := (sliceAt m.bytes src i).len) (by omega)
    (by simpa [length_gathered] using this)

/-- The next slice may be copied to where it belongs. -/
theorem copySlice (hk : k < count) : CopySlice.Pre (m.set (after m src dst k)) (sliceAt m.bytes src k).base
    (dst + BitVec.ofNat 64 (pos m src k)) (sliceAt m.bytes src k).len where
  bound := BitVec.isLt _
  canRead {j n} hj := by
    have hl : (sliceAt m.bytes src k).len < 2 ^ 64 := BitVec.isLt _
    exact covered_of_mem (h.slice hk) (by rw [offset_add _ (by omega)]; exact hj)
  canWrite {j n} hj := by
    have := h.lenBound
    have hp := h.pos_le hk
    rw [pos_succ] at hp
    rw [BitVec.add_assoc, ← BitVec.ofNat_add]
    exact covered_of_mem h.room (by rw [offset_add _ (by omega)]; simp only; omega)
  disjoint := by
    have := h.lenBound
    have hl : (sliceAt m.bytes src k).len < 2 ^ 64 := BitVec.isLt _
    have hp := h.pos_le hk
    rw [pos_succ] at hp
    have := (h.sliceApart hk).sub (k := (sliceAt m.bytes src k).len) (i := pos m src k) (n' := (sliceAt m.bytes src k).len) (j := 0)
      (k' := (sliceAt m.bytes src k).len) (by omega) (by omega) (by omega) (by omega)
    simpa using this

/-- Copying the next slice. -/
theorem copied_eq (hk : k < count) : CopySlice.copied (m.set (after m src dst k)) (sliceAt m.bytes src k).base
    (dst + BitVec.ofNat 64 (pos m src k)) (sliceAt m.bytes src k).len = after m src dst (k + 1) := by
  have := h.lenBound
  have hp := h.pos_le hk
  rw [pos_succ] at hp
  have := h.readSlice (k := k) (by omega) hk
  simp only [Region.bytes] at this
  simp only [CopySlice.copied, Memory.bytes_set, this]
  rw [after, writeBytes_append _ _ (length_gathered ..) (by simp; omega), ← Region.bytes, ← gathered_succ, after]

end Pre
end Proof.Gather
