import Proof.AesGcm.Message.Sums

/-!
# Sums of products on two lanes

Pairs of blocks with pairs of stored powers: each lane sums up every other block, and the two sums make GHASH of all.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open Proof.Gf2
open Spec.Ghash (Block ghash)

/-- What lane `l` has summed up of the first `n` pairs of `m` blocks. -/
def laneSum (t x : Nat → Block) (m l : Nat) : Nat → Acc
  | 0 => Acc.zero
  | n + 1 => (laneSum t x m l n).xor (school (x (2 * n + l)) (t (m - 1 - (2 * n + l))))

/-- The lanes have summed up all blocks. -/
theorem laneSum_xor {t x : Nat → Block} {m n : Nat} (h : 2 * n ≤ m) : (laneSum t x m 0 n).xor (laneSum t x m 1 n) =
    sumTo school t ((List.range' 0 m).map x) (2 * n) := by
  induction n with
  | zero => exact Acc.xor_zero _
  | succ n ih =>
    have at_ (i : Nat) (hi : i < m) : ((List.range' 0 m).map x)[i]? = some (x i) := by
      rw [List.getElem?_map, List.getElem?_range' (by omega)]
      simp
    rw [show 2 * (n + 1) = 2 * n + 1 + 1 by omega, sumTo_succ _ _ _ (at_ _ (by omega)), sumTo_succ _ _ _ (at_ _ (by omega)),
      ← ih (by omega), List.length_map, List.length_range', laneSum, laneSum, Nat.add_zero]
    simp only [Acc.xor, Acc.mk.injEq]
    refine ⟨?_, ?_, ?_⟩ <;> ac_rfl

/-- The sums of both lanes, reduced, are the reduced sum of all blocks. -/
theorem fold_lanes (t x : Nat → Block) {m n : Nat} (h : m = 2 * n) :
    foldLazy (laneSum t x m 0 n) ^^^ foldLazy (laneSum t x m 1 n) = fold (accum t ((List.range' 0 m).map x)) := by
  have all := sumTo_length school t ((List.range' 0 m).map x)
  rw [List.length_map, List.length_range'] at all
  rw [← foldLazy_xor, laneSum_xor (by omega), ← h, all, foldLazy_eq]
  rfl

end Proof.AesGcm.Message
