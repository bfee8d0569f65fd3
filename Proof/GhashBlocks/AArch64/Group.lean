import Impl.GhashBlocks.AArch64
import Proof.Ghash.AArch64
import Proof.GhashBlocks.Group

/-!
# Groups of blocks on AArch64

A group of any number of blocks is one evaluation of the symbolic evaluator.
-/

set_option autoImplicit false
namespace Proof.GhashBlocks.AArch64
open TCB TCB.AArch64 SymExec Spec.AesGcm Proof.Gf2 Proof.Ghash.AArch64
open Impl.Ghash.AArch64 Impl.GhashBlocks.AArch64

/-! ## The powers -/

/-- The constant of the reduction, and the first `2 * n` powers with the sums of their halves, are in their registers. -/
structure Ready (t : Nat → Spec.Ghash.Block) (n : Nat) (s : State) : Prop where
  constant : HasConstant s
  powers : ∀ p, p < 2 * n → view.lane s (power p) 0 = t p
  sums : ∀ j, j < n → view.lane s (sums j) 0 = packed (t (2 * j)) (t (2 * j + 1))

/-- The registers of the powers. -/
def powerRegs (n : Nat) : List Nat := (List.range (2 * n)).map power

/-- The registers of their sums. -/
def sumRegs (n : Nat) : List Nat := (List.range n).map sums

theorem mem_powerRegs {n p : Nat} (h : p < 2 * n) : power p ∈ powerRegs n := List.mem_map.2 ⟨p, List.mem_range.2 h, rfl⟩

theorem mem_sumRegs {n j : Nat} (h : j < n) : sums j ∈ sumRegs n := List.mem_map.2 ⟨j, List.mem_range.2 h, rfl⟩

/-- The stored form of `H^(p+1)`. -/
def powerE (p : Nat) : VecExpr := .load 0 (place (p + 1))

/-- The sums of the halves of two powers. -/
def packedE (j : Nat) : VecExpr :=
  xorE (.bin (.vec .zip1) (powerE (2 * j)) (powerE (2 * j + 1))) (.bin (.vec .zip2) (powerE (2 * j)) (powerE (2 * j + 1)))

/-- What is loaded. -/
def powersOutcome (n : Nat) : Outcome VecUn SymBin :=
  { vec := keptE saved ++ (keptE [0, 31] ++ ((powerRegs n).map (fun r => (r, [powerE (r - 16)])) ++
      (sumRegs n).map fun r => (r, [packedE (r - 24)]))) }

/-- The key context at `x0`. -/
def powersLayout : Layout := { areas := [{ len := 1024 }], ptrs := [(0, 0, 0)] }

section
variable {pub : List Region} {s s' : State} {base : Nat → Addr} {ctx p : Addr} {n k : Nat} {out : Outcome VecUn SymBin}

/-- The stored powers. -/
theorem powerE_at : (powerE n).at base view s = tableAt s.memory.bytes (base 0) n := by
  rw [tableAt, show 15 - n = 16 - (n + 1) by omega]
  rfl

/-- Powers are loaded. -/
theorem powers_ok (hn : n ≤ 4) (hc : machine.check powersLayout (powers n) (powersOutcome n) = true) (h : HasConstant s)
    (hctx : s.gpr .x0 = ctx) (rctx : Within s.memory.readable ⟨ctx, 1024⟩) :
    isa.Wp pub (.block (powers n)) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory ∧
      Ready (tableAt s.memory.bytes ctx) n s' ∧ view.lane s' 0 0 = view.lane s 0 0) s := by
  have holds : powersLayout.Holds view (fun _ => ctx) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hctx.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => rctx, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  have unsaved : ∀ p, p < 8 → power p ∉ saved ∧ power p ∉ [0, 31] := by decide
  have unsaved' : ∀ j, j < 4 → sums j ∉ saved ∧ sums j ∉ [0, 31] := by decide
  refine machine.wp _ holds hc fun s' e => ⟨keeps_of_ends e [] rfl rfl, e.memory, ⟨h.of_lane (e.vec (r := 31) rfl 0), fun p hp => ?_,
    fun j hj => ?_⟩, e.vec (r := 0) rfl 0⟩
  · obtain ⟨h₁, h₂⟩ := unsaved p (by omega)
    rw [e.vec (r := power p) (es := [powerE (power p - 16)]) (by
      rw [powersOutcome, keptE, find_append h₁, keptE, find_append h₂, find_map (mem_powerRegs hp)]) 0]
    rw [show power p - 16 = p from Nat.add_sub_cancel_left ..]
    exact powerE_at
  · obtain ⟨h₁, h₂⟩ := unsaved' j (by omega)
    have h₃ : sums j ∉ powerRegs n := fun hm => by
      obtain ⟨p, hp, e⟩ := List.mem_map.1 hm
      have := List.mem_range.1 hp
      simp only [power, sums] at e
      omega
    rw [e.vec (r := sums j) (es := [packedE (sums j - 24)]) (by
      rw [powersOutcome, keptE, find_append h₁, keptE, find_append h₂, find_append h₃,
        ← List.append_nil (List.map _ (sumRegs n)), find_map (mem_sumRegs hj)]) 0]
    rw [show sums j - 24 = j from Nat.add_sub_cancel_left ..]
    exact (Gf2.AArch64.zip1_xor_zip2 _ _).trans (by rw [← powerE_at (base := fun _ => ctx), ← powerE_at (base := fun _ => ctx)]; rfl)

/-! ## The blocks -/

/-- Block `i` of a group; the running value is added to the first. -/
def blockE : Nat → VecExpr
  | 0 => xorE (reverseE (.load 0 0)) (.reg 0 0)
  | i + 1 => reverseE (.load 0 (16 * (i + 1)))

/-- The sum of its halves, twice. -/
def halvesE : Nat → VecExpr
  | 0 => xorE (swapE (blockE 0)) (blockE 0)
  | i + 1 => xorE (.un .rev64 (.load 0 (16 * (i + 1)))) (blockE (i + 1))

/-- The sum of the products of low or high halves. -/
def outerE (high : Bool) : Nat → Nat → VecExpr :=
  let mul (i p : Nat) := mulE high (blockE i) (.reg (power p) 0)
  sumE (mul · 0) fun sum i p => xorE sum (mul i p)

/-- The sum of the middle products. -/
def midE : Nat → Nat → VecExpr :=
  let mul (i p : Nat) := mulE (p % 2 = 1) (halvesE i) (.reg (sums (p / 2)) 0)
  sumE (mul · 0) fun sum i p => xorE sum (mul i p)

/-- What a group of `k + 1` blocks does. -/
def groupOutcome (k : Nat) : Outcome VecUn SymBin where
  vec := keptE saved ++ ((0, [reduceE (outerE false 0 k) (midE 0 k) (outerE true 0 k)]) ::
    keptE (31 :: (powerRegs (k / 2 + 1) ++ sumRegs (k / 2 + 1))))
  gpr := [(2, .ptr 0 (16 * (k + 1)))]

/-- The blocks at `x2`. -/
def groupLayout (k : Nat) : Layout := { areas := [{ len := 16 * (k + 1) }], ptrs := [(2, 0, 0)] }

/-- The sums of the halves. -/
theorem halvesE_at (high : Bool) (i : Nat) :
    half high ((halvesE i).at base view s) = sum64 ((blockE i).at base view s) := by
  have e : (halvesE i).at base view s = swap64 ((blockE i).at base view s) ^^^ (blockE i).at base view s := by
    cases i with
    | zero => rw [halvesE, xorE_at, swapE_at]
    | succ i => rw [halvesE, xorE_at, rev64_at, blockE, reverseE_at]
  rw [e]
  cases high
  · exact lo64_swap64_xor _
  · exact hi64_swap64_xor _

/-- The sums are those of Karatsuba's products. -/
theorem sums_at {t : Nat → Spec.Ghash.Block} (h : Ready t (k / 2 + 1) s) :
    Acc.mk ((outerE false 0 k).at base view s) ((midE 0 k).at base view s) ((outerE true 0 k).at base view s) =
      accumKaratsuba t ((List.range' 0 (k + 1)).map fun i => (blockE i).at base view s) := by
  have outer (high : Bool) (i p : Nat) (hp : p ≤ k) : (mulE high (blockE i) (.reg (power p) 0)).at base view s =
      pclmul high high ((blockE i).at base view s) (t p) := by
    rw [mulE_at, show (Expr.reg (power p) 0 : VecExpr).at base view s = _ from h.powers p (by omega)]
  have mid (i p : Nat) (hp : p ≤ k) : (mulE (p % 2 = 1) (halvesE i) (.reg (sums (p / 2)) 0)).at base view s =
      clmul (sum64 ((blockE i).at base view s)) (sum64 (t p)) := by
    rw [mulE_at, pclmul, halvesE_at, show (Expr.reg (sums (p / 2)) 0 : VecExpr).at base view s = _ from h.sums (p / 2) (by omega)]
    rcases Nat.mod_two_eq_zero_or_one p with hp | hp
    · rw [hp, show p = 2 * (p / 2) by omega]
      simp [half]
    · rw [hp]
      simp only [decide_true, half, cond_true, hi64_packed]
      rw [show 2 * (p / 2) + 1 = p by omega]
  refine Acc.mk.injEq .. ▸ ⟨?_, ?_, ?_⟩
  · exact sumE_at (part := Acc.lo) (fun _ _ => rfl) (fun i => outer false i 0 (Nat.zero_le k))
      (fun sum i p hp => by rw [xorE_at, outer false i p hp]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.mid) (fun _ _ => rfl) (fun i => mid i 0 (Nat.zero_le k))
      (fun sum i p hp => by rw [xorE_at, mid i p hp]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.hi) (fun _ _ => rfl) (fun i => outer true i 0 (Nat.zero_le k))
      (fun sum i p hp => by rw [xorE_at, outer true i p hp]; rfl) (Nat.le_refl k) 0

/-- **A group gives the hash of its blocks.** -/
theorem group_at {hkey : Spec.Ghash.Block} {t : Nat → Spec.Ghash.Block} (h : Ready t (k / 2 + 1) s) (ht : IsTable hkey t (k + 1)) :
    (reduceE (outerE false 0 k) (midE 0 k) (outerE true 0 k)).at base view s =
      Spec.Ghash.ghash hkey (view.lane s 0 0) (blocksAt s.memory.bytes (base 0) (k + 1)) := by
  rw [reduceE_at h.constant, sums_at h, correct_accumKaratsuba]
  refine fold_group ht ?_ fun i => ?_
  · rw [blockE, xorE_at, reverseE_at, BitVec.xor_comm]
    rfl
  · rw [blockE, reverseE_at]
    rfl

/-- A group of blocks. -/
theorem group_ok {hkey : Spec.Ghash.Block} {t : Nat → Spec.Ghash.Block} (hk : k < 8)
    (hc : machine.check (groupLayout k) (group k) (groupOutcome k) = true) (h : Ready t (k / 2 + 1) s)
    (ht : IsTable hkey t (k + 1)) (hp : s.gpr .x2 = p) (rp : Within s.memory.readable ⟨p, 16 * (k + 1)⟩) :
    isa.Wp pub (.block (group k)) (fun s' => Keeps [.x2] s s' ∧ s'.memory = s.memory ∧ Ready t (k / 2 + 1) s' ∧
      s'.gpr .x2 = p + BitVec.ofNat 64 (16 * (k + 1)) ∧
      view.lane s' 0 0 = Spec.Ghash.ghash hkey (view.lane s 0 0) (blocksAt s.memory.bytes p (k + 1))) s := by
  have holds : (groupLayout k).Holds view (fun _ => p) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by simp only; omega, trivial⟩
    reads := ⟨fun _ => rp, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds hc fun s' e => ?_
  have same {r : Nat} (hr : r ∈ 31 :: (powerRegs (k / 2 + 1) ++ sumRegs (k / 2 + 1))) (h₁ : r ∉ saved) (h₂ : r ≠ 0) :
      view.lane s' r 0 = view.lane s r 0 := e.vec (r := r) (es := [.reg r 0]) (by
    rw [groupOutcome, keptE, find_append h₁, find_cons, if_neg h₂, keptE, ← List.append_nil (List.map _ (31 :: _)), find_map hr]) 0
  have unsaved : ∀ p, p < 8 → power p ∉ saved ∧ power p ≠ 0 := by decide
  have unsaved' : ∀ j, j < 4 → sums j ∉ saved ∧ sums j ≠ 0 := by decide
  refine ⟨keeps_of_ends e _ rfl rfl, e.memory, ⟨h.constant.of_lane (same (.head _) (by decide) (by decide)), fun p hp => ?_,
    fun j hj => ?_⟩, e.gpr (r := 2) (by decide), (e.vec (r := 0) rfl 0).trans (group_at h ht)⟩
  · have ⟨h₁, h₂⟩ := unsaved p (by omega)
    exact (same (.tail _ (List.mem_append_left _ (mem_powerRegs hp))) h₁ h₂).trans (h.powers p hp)
  · have ⟨h₁, h₂⟩ := unsaved' j (by omega)
    exact (same (.tail _ (List.mem_append_right _ (mem_sumRegs hj))) h₁ h₂).trans (h.sums j hj)

end
end Proof.GhashBlocks.AArch64
