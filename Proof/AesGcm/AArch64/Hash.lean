import Proof.AesGcm.AArch64.Env
import Proof.GhashBlocks.Group

/-!
# Hashing groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.AArch64
open Proof.GhashBlocks

/-! ## Symbolic values -/

/-- Block `i` of a group; the running value is added to the first. -/
def blockE : Nat → VecExpr
  | 0 => xorE (reverseE (.load 1 0)) (.reg 20 0)
  | i + 1 => reverseE (.load 1 (16 * (i + 1)))

/-- The block with its halves exchanged. -/
def swappedE : Nat → VecExpr
  | 0 => swapE (blockE 0)
  | i + 1 => .un .rev64 (.load 1 (16 * (i + 1)))

/-- The block in `v0`, with the running value. -/
def oneE (_ : Nat) : VecExpr := xorE (.reg 0 0) (.reg 20 0)

/-- The stored form of `H^(p+1)`. -/
def powerE (p : Nat) : VecExpr := .load 0 (place (p + 1))

/-- The sum of the products of low or high halves. -/
def outerE (block : Nat → VecExpr) (high : Bool) : Nat → Nat → VecExpr :=
  let mul (i p : Nat) := mulE high (block i) (powerE p)
  sumE (mul · 0) fun sum i p => xorE sum (mul i p)

/-- The sum of the middle products. -/
def midE (swapped : Nat → VecExpr) : Nat → Nat → VecExpr :=
  let mul (high : Bool) (i p : Nat) := mulE high (swapped i) (powerE p)
  sumE (fun i => xorE (mul false i 0) (mul true i 0)) fun sum i p => xorE (xorE sum (mul false i p)) (mul true i p)

/-- The sums, reduced. -/
def hashE (block swapped : Nat → VecExpr) (k : Nat) : VecExpr :=
  foldE (outerE block false 0 k) (midE swapped 0 k) (outerE block true 0 k)

/-- The key context, and `n` bytes of blocks. -/
def hashLayout (n : Nat) : Layout := { areas := [{ len := 1024 }, { len := n }], ptrs := [(9, 0, 0), (3, 1, 0)] }

/-- The key context. -/
def oneLayout : Layout := { areas := [{ len := 1024 }], ptrs := [(9, 0, 0)] }

/-- What hashing changes. -/
def hashOutcome (block swapped : Nat → VecExpr) (k : Nat) : Outcome VecUn SymBin :=
  outcome ((20, [hashE block swapped k]) :: keptE [17, 18, 21, 31])

/-- The checks of the evaluator. -/
theorem hash_checked : machine.check (hashLayout 128) (hash 7) (hashOutcome blockE swappedE 7) = true := by decide +kernel
@[inherit_doc hash_checked]
theorem hashBlock_checked : machine.check (hashLayout 16) (hash 0) (hashOutcome blockE swappedE 0) = true := by decide +kernel
@[inherit_doc hash_checked]
theorem hashOne_checked : machine.check oneLayout hashOne (hashOutcome oneE (fun i => swapE (oneE i)) 0) = true := by
  decide +kernel

/-! ## Their values -/

section
variable {c : Fixed} {s s' : State} {base : Nat → Addr} {block swapped : Nat → VecExpr}

/-- A product with the halves of the first factor exchanged. -/
theorem pclmul_swap64 (high : Bool) (a b : BitVec 128) : pclmul high high (swap64 a) b = pclmul (!high) high a b := by
  cases high <;> simp [pclmul, half]

/-- The stored powers. -/
theorem powerE_at (p : Nat) : (powerE p).at base view s = tableAt s.memory.bytes (base 0) p := by
  rw [tableAt, show 15 - p = 16 - (p + 1) by omega]
  rfl

/-- The sums are those of the products. -/
theorem sums_at (hs : ∀ i, (swapped i).at base view s = swap64 ((block i).at base view s)) (k : Nat) :
    Acc.mk ((outerE block false 0 k).at base view s) ((midE swapped 0 k).at base view s) ((outerE block true 0 k).at base view s) =
      accum (tableAt s.memory.bytes (base 0)) ((List.range' 0 (k + 1)).map fun i => (block i).at base view s) := by
  have outer (high : Bool) (i p : Nat) : (mulE high (block i) (powerE p)).at base view s =
      pclmul high high ((block i).at base view s) (tableAt s.memory.bytes (base 0) p) := by rw [mulE_at, powerE_at]
  have mid (high : Bool) (i p : Nat) : (mulE high (swapped i) (powerE p)).at base view s =
      pclmul (!high) high ((block i).at base view s) (tableAt s.memory.bytes (base 0) p) := by
    rw [mulE_at, powerE_at, hs, pclmul_swap64]
  refine Acc.mk.injEq .. ▸ ⟨?_, ?_, ?_⟩
  · exact sumE_at (part := Acc.lo) (fun _ _ => rfl) (fun i => outer ..) (fun sum i p _ => by rw [xorE_at, outer]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.mid) (fun _ _ => rfl) (fun i => by rw [xorE_at, mid, mid]; rfl)
      (fun sum i p _ => by rw [xorE_at, xorE_at, mid, mid, BitVec.xor_assoc]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.hi) (fun _ _ => rfl) (fun i => outer ..) (fun sum i p _ => by rw [xorE_at, outer]; rfl) (Nat.le_refl k) 0

/-- The halves of a block are exchanged. -/
theorem swappedE_at (i : Nat) : (swappedE i).at base view s = swap64 ((blockE i).at base view s) := by
  cases i with
  | zero => exact swapE_at
  | succ i => rw [swappedE, rev64_at, blockE, reverseE_at]

/-- The reduction of the sums. -/
theorem hashE_at (hc : HasConstant s) (hs : ∀ i, (swapped i).at base view s = swap64 ((block i).at base view s)) (k : Nat) :
    (hashE block swapped k).at base view s =
      fold (accum (tableAt s.memory.bytes (base 0)) ((List.range' 0 (k + 1)).map fun i => (block i).at base view s)) := by
  rw [hashE, foldE_at hc, sums_at hs, foldLazy_eq]

variable {pub : List Region}

/-- Where things are. -/
def places (c : Fixed) (p : Addr) : Nat → Addr
  | 0 => c.ctx
  | _ => p

/-- **A group of blocks is hashed.** -/
theorem hash_ok (e : Env c s) (hc : Constants s) {p : Addr} {k : Nat} (hk : k < 16)
    (check : machine.check (hashLayout (16 * (k + 1))) (hash k) (hashOutcome blockE swappedE k) = true) (hp : s.gpr .x3 = p)
    (reads : Within s.memory.readable ⟨p, 16 * (k + 1)⟩) : isa.Wp pub (.block (hash k)) (fun s' =>
      Frame [] [17, 18, 21, 31] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 20 0 = Spec.Ghash.ghash c.h (view.lane s 20 0) (blocksAt s.memory.bytes p (k + 1))) s := by
  have holds : (hashLayout (16 * (k + 1))).Holds view (places c p) s := {
    ptrs := fun q hq => by
      simp only [hashLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact e.key.trans (BitVec.add_zero _).symm
      · exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by decide, by simp only; omega, trivial⟩
    reads := ⟨fun _ => e.readsKey, fun _ => reads, trivial⟩
    writes := ⟨nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds check fun s' o => ⟨.of_ends o rfl, o.memory, ?_⟩
  rw [o.vec (r := 20) rfl 0]
  refine (hashE_at hc.constant swappedE_at k).trans (fold_group (e.holds.powers.mono (by omega)) ?_ fun i => ?_)
  · rw [blockE, xorE_at, reverseE_at, BitVec.xor_comm]
    rfl
  · rw [blockE, reverseE_at]
    rfl

/-- The key context may be read. -/
theorem oneLayout_holds (e : Env c s) : oneLayout.Holds view (fun _ => c.ctx) s where
  ptrs q hq := by
    obtain rfl := List.mem_singleton.1 hq
    exact e.key.trans (BitVec.add_zero _).symm
  small := ⟨by decide, trivial⟩
  reads := ⟨fun _ => e.readsKey, trivial⟩
  writes := ⟨nofun, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- The block in `v0` is hashed. -/
theorem hashOne_ok (e : Env c s) (hc : Constants s) : isa.Wp pub (.block hashOne) (fun s' =>
      Frame [] [17, 18, 21, 31] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 20 0 = Spec.Ghash.ghash c.h (view.lane s 20 0) [view.lane s 0 0]) s := by
  refine machine.wp _ (oneLayout_holds e) hashOne_checked fun s' o => ⟨.of_ends o (by decide +kernel), o.memory, ?_⟩
  rw [o.vec (r := 20) rfl 0]
  refine ((hashE_at hc.constant (fun _ => swapE_at) 0).trans ?_).trans (aggregate (xs := []) (e.holds.powers.mono (by decide)) _)
  exact congrArg (fun x => fold (accum _ [x])) (BitVec.xor_comm ..)

end
end Proof.AesGcm.AArch64
