import Proof.Framework.Code
import Proof.Gf2.Context
import Proof.Gf2.Kernel

/-!
# Groups of blocks, on every target

The sums of the products of the blocks of a group, in the order in which kernels add them, and the loop over groups.
-/

set_option autoImplicit false
namespace Proof.GhashBlocks
open TCB Impl Proof.Gf2
variable {S I C F E : Type}

/-! ## The sums -/

/-- The sum of one product for each of the blocks from `i` to `i + n`: `first` is that of the last block, with the first power,
and `add sum i p` adds that of block `i` with power number `p`, the first of which is number 0. -/
def sumE (first : Nat → E) (add : E → Nat → Nat → E) (i : Nat) : Nat → E
  | 0 => first i
  | n + 1 => add (sumE first add (i + 1) n) i (n + 1)

/-- A part of the sum of products. -/
theorem sumE_at {first : Nat → E} {add : E → Nat → Nat → E} {value : E → Spec.Ghash.Block} {part : Acc → Spec.Ghash.Block}
    {product : Spec.Ghash.Block → Spec.Ghash.Block → Acc} {t x : Nat → Spec.Ghash.Block} {k : Nat}
    (part_xor : ∀ a b, part (a.xor b) = part a ^^^ part b) (first_at : ∀ i, value (first i) = part (product (x i) (t 0)))
    (add_at : ∀ sum i p, p ≤ k → value (add sum i p) = value sum ^^^ part (product (x i) (t p))) {n : Nat} (hn : n ≤ k) (i : Nat) :
    value (sumE first add i n) = part (accumWith product t ((List.range' i (n + 1)).map x)) := by
  induction n generalizing i with
  | zero => exact (first_at i).trans (congrArg part (Acc.xor_zero _).symm)
  | succ n ih =>
    show _ = part (accumWith product t (x i :: (List.range' (i + 1) (n + 1)).map x))
    rw [sumE, add_at _ _ _ hn, ih (by omega), accumWith, part_xor, List.length_map, List.length_range', BitVec.xor_comm]

/-- Block `i` at an address. -/
def blockAt (m : Mem) (p : Addr) (i : Nat) : Spec.Ghash.Block :=
  bswap128 (ofBytes 128 (bytesAt m (p + BitVec.ofNat 64 (16 * i)) 16))

/-- **The sum of the products of a group, reduced, is the hash of its blocks**, if the running value was added to the first. -/
theorem fold_group {m : Mem} {p : Addr} {hkey y : Spec.Ghash.Block} {t x : Nat → Spec.Ghash.Block} {k : Nat}
    (ht : IsTable hkey t (k + 1)) (head : x 0 = y ^^^ blockAt m p 0) (tail : ∀ i, x (i + 1) = blockAt m p (i + 1)) :
    fold (accum t ((List.range' 0 (k + 1)).map x)) = Spec.Ghash.ghash hkey y (blocksAt m p (k + 1)) := by
  have blocks : blocksAt m p (k + 1) = blockAt m p 0 :: (List.range' 1 k).map x := by
    rw [blocksAt, List.range_eq_range', List.range'_succ, List.map_cons]
    refine congrArg _ (List.map_congr_left fun i hi => ?_)
    obtain ⟨j, rfl⟩ : ∃ j, i = j + 1 := ⟨i - 1, by have := List.mem_range'_1.1 hi; omega⟩
    exact (tail j).symm
  rw [blocks, List.range'_succ, List.map_cons, head]
  refine aggregate ?_ _
  rw [List.length_map, List.length_range']
  exact ht

/-! ## The loop -/

/-- As many groups of `g` blocks as there are, if there is one: `At k` says that `k` of `n` blocks are hashed. -/
theorem groups_ok {isa : Isa S I C F} {pub : List Region} {body : Code I C} {more : C} {n g k : Nat} {s : S}
    (At : Nat → S → Prop) (pos : 0 < g) (body_ok : ∀ {k s}, At k s → k + g ≤ n → isa.Wp pub body (fun s =>
      At (k + g) s ∧ isa.eval more s = some (!decide (n - (k + g) < g))) s) (h : At k s) (hk : k + g ≤ n) :
    isa.Wp pub (.loop body more) (fun s => ∃ k, k ≤ n ∧ n - k < g ∧ At k s) s := by
  refine .loop (k := n - k) (fun l s => ∃ k, l = n - k ∧ k + g ≤ n ∧ At k s) ?_ ⟨k, rfl, hk, h⟩
  rintro _ s ⟨k, rfl, hk, h⟩
  refine (body_ok h hk).mono fun s ⟨h, hv⟩ => ⟨_, hv, fun hv => ?_, fun hv => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at hv
    exact ⟨_, by omega, _, rfl, by omega, h⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
    exact ⟨_, hk, hv, h⟩

end Proof.GhashBlocks
