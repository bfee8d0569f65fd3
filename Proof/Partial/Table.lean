import Impl.Partial
import Proof.Framework.Mem
import Proof.Framework.Nat
import Proof.Framework.SymExec.Area
import TCB.Aes

/-!
# The masks of `Impl.Partial`, in a kernel's table of constants
-/

set_option autoImplicit false
namespace Proof.Partial
open TCB TCB.Aes Impl.Partial
open SymExec (Within)

/-! ## The masks -/

/-- The 16 bytes of a list from place `i`. -/
def word (bs : List Byte) (i : Nat) : BitVec 128 := ofBytes 128 ((bs.drop i).take 16)

/-- The masks that move bytes up. -/
theorem byte_up {k i : Nat} (hk : k ≤ 16) (hi : i < 16) :
    byte (word slide (16 - k)) i = if i < k then 0x80 else BitVec.ofNat 8 (i - k) := by
  have h : ∀ k, k < 17 → ∀ i, i < 16 → byte (word slide (16 - k)) i = if i < k then 0x80 else BitVec.ofNat 8 (i - k) := by
    decide +kernel
  exact h k (by omega) i hi

/-- The masks that move bytes down. -/
theorem byte_down {k i : Nat} (hk : k ≤ 16) (hi : i < 16) :
    byte (word slide (16 + k)) i = if i + k < 16 then BitVec.ofNat 8 (i + k) else 0x80 := by
  have h : ∀ k, k < 17 → ∀ i, i < 16 → byte (word slide (16 + k)) i = if i + k < 16 then BitVec.ofNat 8 (i + k) else 0x80 := by
    decide +kernel
  exact h k (by omega) i hi

/-- The masks that keep bytes. -/
theorem byte_ones {k i : Nat} (hk : k ≤ 16) (hi : i < 16) : byte (word ones (16 - k)) i = if i < k then 0xff else 0 := by
  have h : ∀ k, k < 17 → ∀ i, i < 16 → byte (word ones (16 - k)) i = if i < k then 0xff else 0 := by decide +kernel
  exact h k (by omega) i hi

/-! ## The table -/

/-- The bytes `bs` lie at offset `off` of what is at `base`, and may be read. -/
structure HasTable (m : Memory) (base : Addr) (off : Nat) (bs : List Byte) : Prop where
  bytes : bytesAt m.bytes (base + BitVec.ofNat 64 off) bs.length = bs
  reads : Within m.readable ⟨base + BitVec.ofNat 64 off, bs.length⟩
  near : off + bs.length < 2 ^ 31

namespace HasTable
variable {m : Memory} {base : Addr} {off i : Nat} {bs table : List Byte}

/-- A part of a kernel's table of constants. -/
theorem of_table (h : bytesAt m.bytes base table.length = table) (r : ⟨base, table.length⟩ ∈ m.readable)
    (part : (table.drop off).take bs.length = bs) (fits : off + bs.length ≤ table.length) (small : table.length < 2 ^ 31) :
    HasTable m base off bs where
  bytes := by rw [bytesAt_part _ _ fits, h, part]
  reads := (Within.of_mem r).part off fits
  near := by omega

/-- Stores elsewhere leave it as it was. -/
theorem stores {a : Addr} {cs : List Byte} (h : HasTable m base off bs)
    (apart : (Region.mk a cs.length).Disjoint ⟨base + BitVec.ofNat 64 off, bs.length⟩) :
    HasTable (m.set (writeBytes m.bytes a cs)) base off bs where
  bytes := (bytesAt_writeBytes_disjoint _ (by have := h.near; omega) apart).trans h.bytes
  reads := h.reads
  near := h.near

/-- Sixteen bytes of it may be read. -/
theorem covered (h : HasTable m base off bs) (hi : i + 16 ≤ bs.length) :
    TCB.covered m.readable (base + BitVec.ofNat 64 (off + i)) 16 = true := by
  have near := h.near
  rw [← add_ofNat_add]
  exact h.reads.covered hi (by omega)

/-- Sixteen bytes of it. -/
theorem word (h : HasTable m base off bs) (hi : i + 16 ≤ bs.length) :
    ofBytes 128 (bytesAt m.bytes (base + BitVec.ofNat 64 (off + i)) 16) = word bs i := by
  rw [← add_ofNat_add, bytesAt_part _ _ hi, h.bytes, Partial.word]

end HasTable

end Proof.Partial
