import Proof.Gf2.Aggregate
import Proof.Gf2.Bytes
import Spec.AesGcm.Context

/-!
# Keys and messages in memory

The key context holds stored keys, and a message is the list of blocks at an address.
-/

set_option autoImplicit false
namespace Proof.Gf2
open TCB (Mem Addr bytesAt)
open Spec.Ghash
open Spec.AesGcm

/-! ## The key context -/

/-- A word is the stored form of the key that it is, times `x`. -/
theorem mulX_eq_iff {v h : Block} : mulX v = h ↔ v = twist h :=
  ⟨fun e => by rw [← e, twist_mulX], fun e => by rw [e, mulX_twist]⟩

theorem power_eq (h : Block) (i : Nat) : Context.power h i = pow h (i + 1) := by
  induction i with
  | zero => exact (pow_one h).symm
  | succ i ih => rw [Context.power, ih]; rfl

/-- The context holds the stored form of its hash subkey. -/
theorem word_subkey (m : Mem) (ctx : Addr) : Context.word m ctx 240 = twist (Context.subkey m ctx) :=
  mulX_eq_iff.1 rfl

/-- The stored powers of a prepared context, the first first. -/
def tableAt (m : Mem) (ctx : Addr) (i : Nat) : Block := Context.word m ctx (256 + 16 * (15 - i))

theorem prepared_iff (m : Mem) (ctx : Addr) :
    Context.Prepared m ctx ↔ IsTable (Context.subkey m ctx) (tableAt m ctx) 16 := by
  simp only [Context.Prepared, IsTable, power_eq, mulX_eq_iff, tableAt]

/-! ## Messages -/

/-- The `n` blocks at an address. -/
def blocksAt (m : Mem) (p : Addr) (n : Nat) : List Block :=
  (List.range n).map fun i => bswap128 (TCB.ofBytes 128 (bytesAt m (p + BitVec.ofNat 64 (16 * i)) 16))

@[simp] theorem length_blocksAt (m : Mem) (p : Addr) (n : Nat) : (blocksAt m p n).length = n := by simp [blocksAt]

@[simp] theorem blocksAt_zero (m : Mem) (p : Addr) : blocksAt m p 0 = [] := rfl

/-- The blocks of the bytes at an address. -/
theorem blocks_bytesAt (m : Mem) (p : Addr) (n : Nat) : Spec.Gcm.blocks (bytesAt m p n) = blocksAt m p (n / 16) := by
  rw [Spec.Gcm.blocks, blocksAt, TCB.length_bytesAt]
  apply List.map_congr_left
  intro i hi
  have hn : 16 * i + 16 ≤ n := by
    have := List.mem_range.1 hi
    omega
  have e : bytesAt m p n = bytesAt m p (16 * i) ++ bytesAt m (p + BitVec.ofNat 64 (16 * i)) (n - 16 * i) := by
    rw [TCB.bytesAt_append, Nat.add_sub_cancel' (by omega)]
  have piece : ((bytesAt m p n).drop (16 * i)).take 16 = bytesAt m (p + BitVec.ofNat 64 (16 * i)) 16 := by
    rw [e, List.drop_left' (TCB.length_bytesAt ..), TCB.take_bytesAt _ _ _ _ (by omega)]
  rw [piece, bswap128_ofBytes (TCB.length_bytesAt ..)]

/-- Blocks, then the blocks that follow. -/
theorem blocksAt_add (m : Mem) (p : Addr) (i j : Nat) :
    blocksAt m p (i + j) = blocksAt m p i ++ blocksAt m (p + BitVec.ofNat 64 (16 * i)) j := by
  have next (k : Nat) :
      p + BitVec.ofNat 64 (16 * (i + k)) = p + BitVec.ofNat 64 (16 * i) + BitVec.ofNat 64 (16 * k) := by
    rw [Nat.mul_add, BitVec.ofNat_add, BitVec.add_assoc]
  simp only [blocksAt, List.range_add, List.map_append, List.map_map, Function.comp_def, next]

/-- Hashing a group of blocks after the blocks before it. -/
theorem ghash_blocksAt_add (h y : Block) (m : Mem) (p : Addr) (i j : Nat) :
    ghash h y (blocksAt m p (i + j)) =
      ghash h (ghash h y (blocksAt m p i)) (blocksAt m (p + BitVec.ofNat 64 (16 * i)) j) := by
  rw [blocksAt_add, ghash_append]

end Proof.Gf2
