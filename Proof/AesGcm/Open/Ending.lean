import Proof.AesGcm.Message.Kernel

/-!
# The blocks of a text that are hashed last when it is opened, on every target
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open
open TCB Proof.Gf2 Proof.AesGcm.Message

variable {m : Mem} {p : Addr} {n i : Nat} {z : Spec.Ghash.Block}

/-- How many they are. -/
theorem length_paddedAt (m : Mem) (p : Addr) (n : Nat) : (paddedAt m p n).length = (n + 15) / 16 := by
  rw [paddedAt, List.length_append, length_blocksAt]
  split
  · simp only [List.length_nil]; omega
  · simp only [List.length_singleton]; omega

/-- A whole block. -/
theorem padded_whole (h : 16 * i + 16 ≤ n) : (paddedAt m p n ++ [z])[i]? =
    some (bswap128 (Spec.AesGcm.Context.word m (p + BitVec.ofNat 64 (16 * i)) 0)) := by
  have hi : i < n / 16 := by omega
  rw [paddedAt, List.append_assoc, List.getElem?_append_left (by simpa using hi), blocksAt, List.getElem?_map, List.getElem?_range hi,
    word_add]
  rfl

/-- The block beyond whole ones. -/
theorem padded_last (h : n % 16 ≠ 0) : (paddedAt m p n ++ [z])[n / 16]? =
    some (partialBlock (bytesAt m (p + BitVec.ofNat 64 (16 * (n / 16))) (n % 16))) := by
  rw [paddedAt, if_neg h, List.append_assoc, List.getElem?_append_right (by simp), length_blocksAt, Nat.sub_self]
  rfl

/-- Blocks, and what is left after them. -/
theorem paddedAt_add {d : Nat} (hd : d % 16 = 0) (h : d ≤ n) :
    paddedAt m p n = blocksAt m p (d / 16) ++ paddedAt m (p + BitVec.ofNat 64 d) (n - d) := by
  have add := blocksAt_add m p (d / 16) ((n - d) / 16)
  rw [show 16 * (d / 16) = d by omega, show d / 16 + (n - d) / 16 = n / 16 by omega] at add
  rw [paddedAt, paddedAt, add, List.append_assoc, show (n - d) % 16 = n % 16 by omega, BitVec.add_assoc, ← BitVec.ofNat_add,
    show d + 16 * ((n - d) / 16) = 16 * (n / 16) by omega]

/-- A stored power of the key. -/
theorem word_power {ctx : Addr} (hi : i ≤ n) (hn : n ≤ 8) : Spec.AesGcm.Context.word m (ctx + BitVec.ofNat 64 (496 - 16 * n + 16 * i)) 0 =
    tableAt m ctx (n - i) := by
  rw [word_add, tableAt]
  congr 1
  omega

end Proof.AesGcm.Open
