import Proof.Framework.Mem
import Proof.Framework.Access

/-!
# Copying one slice: the memory

What the memory holds while a slice is copied, whatever the architecture.
-/

set_option autoImplicit false
namespace Proof.CopySlice
open TCB

/-- `n` bytes at `p` may be read and `n` bytes at `d` written, and the two do not overlap. -/
structure Pre (m : Memory) (p d : Addr) (n : Nat) : Prop where
  bound : n < 2 ^ 64
  canRead : ∀ {j k}, j + k ≤ n → covered m.readable (p + BitVec.ofNat 64 j) k = true
  canWrite : ∀ {j k}, j + k ≤ n → covered m.writable (d + BitVec.ofNat 64 j) k = true
  disjoint : (Region.mk d n).Disjoint ⟨p, n⟩

/-- `k` bytes of the slice from offset `j`. -/
def piece (m : Memory) (p : Addr) (j k : Nat) : List Byte := bytesAt m.bytes (p + BitVec.ofNat 64 j) k

/-- The memory when the first `i` bytes were copied. -/
def copied (m : Memory) (p d : Addr) (i : Nat) : Mem := writeBytes m.bytes d (bytesAt m.bytes p i)

namespace Pre
variable {m : Memory} {p d : Addr} {n i j k l : Nat} (h : Pre m p d n)
include h

/-- The slice itself does not change. -/
theorem read (hi : i ≤ n) (hj : j + k ≤ n) :
    bytesAt (copied m p d i) (p + BitVec.ofNat 64 j) k = piece m p j k := by
  have := h.bound
  have := h.disjoint.sub (i := 0) (n' := i) (j := j) (k' := k) (by omega) hj (by omega) (by omega)
  exact bytesAt_writeBytes_disjoint _ (by omega) (by simpa using this)

/-- Copying the next `k` bytes. -/
theorem grow (hi : i + k ≤ n) (hl : i + k = l) :
    writeBytes (copied m p d i) (d + BitVec.ofNat 64 i) (piece m p i k) = copied m p d l := by
  subst hl
  have := h.bound
  rw [copied, piece, writeBytes_append _ _ (by simp) (by simp; omega), bytesAt_append, copied]

/-- Copying the last `k` bytes, of which some may have been copied. -/
theorem tail (hj : j ≤ i) (hi : i ≤ j + k) (hn : j + k = n) :
    writeBytes (copied m p d i) (d + BitVec.ofNat 64 j) (piece m p j k) = copied m p d n := by
  have := h.bound
  rw [copied, piece, writeBytes_tail _ _ (by simpa using hj) (by simpa using hi) (by simp; omega),
    take_bytesAt _ _ _ _ hj, bytesAt_append, hn, copied]

end Pre
end Proof.CopySlice
