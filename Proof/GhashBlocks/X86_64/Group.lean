import Impl.GhashBlocks.X86_64
import Proof.Ghash.X86_64

/-!
# Groups of blocks on x86-64

A group of any number of blocks is one evaluation of the symbolic evaluator; that the sums of products are those of the
blocks is an induction over the blocks.
-/

set_option autoImplicit false
namespace Proof.GhashBlocks.X86_64
open TCB TCB.X86_64 SymExec Spec.AesGcm Proof.Gf2 Proof.Ghash.X86_64
open Impl.Ghash.X86_64 Impl.GhashBlocks.X86_64

/-! ## Symbolic values -/

/-- Reversed bytes. -/
def reverseE (a : VecExpr) : VecExpr := .bin .pshufb a (.reg 14 0)

/-- Block `i` of a group; the running value is added to the first. -/
def blockE : Nat → VecExpr
  | 0 => xorE (.reg 0 0) (reverseE (.load 1 0))
  | i + 1 => reverseE (.load 1 (16 * (i + 1)))

/-- The sum of one product for each of the blocks from `i` to `i + n`, the last of which is multiplied with `H^1`. -/
def sumE (f : VecExpr → VecExpr → VecExpr) (add : VecExpr → VecExpr → VecExpr → VecExpr) (i : Nat) : Nat → VecExpr
  | 0 => f (blockE i) (.load 0 (place 1))
  | n + 1 => add (sumE f add (i + 1) n) (blockE i) (.load 0 (place (n + 2)))

/-- The sum of the products of the halves. -/
def halvesE (high : Bool) : Nat → Nat → VecExpr :=
  sumE (mulE high high) fun sum a b => xorE sum (mulE high high a b)

/-- The sum of the middle products. -/
def midE : Nat → Nat → VecExpr :=
  sumE (fun a b => xorE (mulE true false a b) (mulE false true a b))
    fun sum a b => xorE (xorE sum (mulE true false a b)) (mulE false true a b)

/-- Register `r` as it was. -/
def sameE (r : Nat) : Nat × List VecExpr := (r, [.reg r 0, .reg r 1, .reg r 2, .reg r 3])

/-- What a group of `k + 1` blocks does. -/
def groupOutcome (k : Nat) : Outcome VecUn VecBin where
  vec := [(0, [foldE (.reg 15 0) (halvesE false 0 k) (midE 0 k) (halvesE true 0 k)]), sameE 14, sameE 15]
  gpr := [(2, .ptr 1 (16 * (k + 1)))]

/-- The key context at `rdi` and the blocks at `rdx`. -/
def groupLayout (k : Nat) : Layout := { areas := [{ len := 1024 }, { len := 16 * (k + 1) }], ptrs := [(7, 0, 0), (2, 1, 0)] }

/-! ## Their values -/

/-- The registers of the mask and of the constant. -/
structure Ready (s : State) : Prop where
  mask : view.lane s 14 0 = Gf2.X86_64.reverseMask
  constant : HasConstant 1 s

/-- Registers that are as they were. -/
theorem Ready.of_same {s s' : State} (h : Ready s) (h14 : ∀ i, view.lane s' 14 i = view.lane s 14 i)
    (h15 : ∀ i, view.lane s' 15 i = view.lane s 15 i) : Ready s' :=
  ⟨(h14 0).trans h.mask, fun i hi => by rw [h15 i]; exact h.constant i hi⟩

section
variable {s s' : State} {base : Nat → Addr} {out : Outcome VecUn VecBin}

/-- A register as it was. -/
theorem same_lane (e : out.Ends base view machine s s') {r : Nat} (hf : find r out.vec = some (sameE r).2) (i : Nat) :
    view.lane s' r i = view.lane s r i := by
  rw [e.vec hf i]
  rcases i with _ | _ | _ | _ | i
  · rfl
  · rfl
  · rfl
  · rfl
  · exact (machine.lane_zero s r (i + 4) (by show 4 ≤ i + 4; omega)).symm

theorem reverseE_at (h : Ready s) (a : VecExpr) : (reverseE a).at base view s = bswap128 (a.at base view s) := by
  show VecBin.pshufb.eval (a.at base view s) (view.lane s 14 0) = _
  rw [h.mask, Gf2.X86_64.pshufb_reverseMask]

/-- The blocks from `i` on. -/
def blocksFrom (s : State) (base : Nat → Addr) (i : Nat) : Nat → List Spec.Ghash.Block
  | 0 => []
  | n + 1 => (blockE i).at base view s :: blocksFrom s base (i + 1) n

@[simp] theorem length_blocksFrom (i n : Nat) : (blocksFrom s base i n).length = n := by
  induction n generalizing i with
  | zero => rfl
  | succ n ih => rw [blocksFrom, List.length_cons, ih]

/-- The stored power by which a block is multiplied. -/
theorem load_at (n : Nat) : (Expr.load 0 (place (n + 1)) : VecExpr).at base view s = tableAt s.memory.bytes (base 0) n := by
  rw [tableAt, show 15 - n = 16 - (n + 1) by omega]
  rfl

/-- The sums are those of the products. -/
theorem sums_at (i n : Nat) : Acc.mk ((halvesE false i n).at base view s) ((midE i n).at base view s)
    ((halvesE true i n).at base view s) = accum (tableAt s.memory.bytes (base 0)) (blocksFrom s base i (n + 1)) := by
  induction n generalizing i with
  | zero =>
    simp only [halvesE, midE, sumE, mulE_at, xorE_at, load_at 0, blocksFrom, accum_cons, accum_nil, Acc.xor_zero, List.length_nil,
      school]
  | succ n ih =>
    have ih := ih (i + 1)
    rw [blocksFrom, accum_cons, ← ih, length_blocksFrom]
    simp only [halvesE, midE] at ih ⊢
    simp only [sumE, mulE_at, xorE_at, load_at, Acc.xor, school, Acc.mk.injEq]
    refine ⟨BitVec.xor_comm .., ?_, BitVec.xor_comm ..⟩
    rw [BitVec.xor_assoc, BitVec.xor_comm]

/-- The blocks are those of the message. -/
theorem blocksFrom_succ (h : Ready s) (i n : Nat) : blocksFrom s base (i + 1) n =
    blocksAt s.memory.bytes (base 1 + BitVec.ofNat 64 (16 * (i + 1))) n := by
  induction n generalizing i with
  | zero => rfl
  | succ n ih =>
    rw [blocksFrom, ih, Nat.add_comm n 1, blocksAt_add, BitVec.add_assoc, ← BitVec.ofNat_add]
    have one : blocksAt s.memory.bytes (base 1 + BitVec.ofNat 64 (16 * (i + 1))) 1 =
        [(blockE (i + 1)).at base view s] := by
      rw [blockE, reverseE_at h]
      simp only [blocksAt, List.range_one, List.map_cons, List.map_nil, Nat.mul_zero, BitVec.add_zero]
      rfl
    rw [one]
    rfl

/-- **A group gives the hash of its blocks.** -/
theorem group_at {hkey : Spec.Ghash.Block} {k : Nat} (h : Ready s) (hk : k < 16)
    (ht : IsTable hkey (tableAt s.memory.bytes (base 0)) 16) :
    (foldE (.reg 15 0) (halvesE false 0 k) (midE 0 k) (halvesE true 0 k)).at base view s =
      Spec.Ghash.ghash hkey (view.lane s 0 0) (blocksAt s.memory.bytes (base 1) (k + 1)) := by
  have hc : half false ((Expr.reg 15 0 : VecExpr).at base view s) = poly := h.constant 0 (by decide)
  have first : (blockE 0).at base view s = view.lane s 0 0 ^^^ bswap128 (ofBytes 128 (bytesAt s.memory.bytes (base 1) 16)) := by
    rw [blockE, xorE_at, reverseE_at h]
    have : (Expr.load 1 0 : VecExpr).at base view s = ofBytes 128 (bytesAt s.memory.bytes (base 1 + 0#64) 16) := rfl
    rw [this, BitVec.add_zero]
    rfl
  have blocks : blocksAt s.memory.bytes (base 1) (k + 1) =
      bswap128 (ofBytes 128 (bytesAt s.memory.bytes (base 1) 16)) :: blocksFrom s base 1 k := by
    rw [Nat.add_comm, blocksAt_add, blocksFrom_succ h]
    simp only [blocksAt, List.range_one, List.map_cons, List.map_nil, Nat.mul_zero, BitVec.add_zero,
      List.cons_append, List.nil_append, Nat.zero_add]
  rw [foldE_at hc, sums_at, foldLazy_eq, blocks, blocksFrom, first]
  refine aggregate ?_ _
  rw [length_blocksFrom]
  exact ht.mono (by omega)

/-- A group of blocks. -/
theorem group_ok {pub : List Region} {hkey : Spec.Ghash.Block} {ctx p : Addr} {k : Nat} (hk : k < 16)
    (hc : machine.check (groupLayout k) (group k) (groupOutcome k) = true) (h : Ready s)
    (ht : IsTable hkey (tableAt s.memory.bytes ctx) 16) (hctx : s.gpr .rdi = ctx) (hp : s.gpr .rdx = p)
    (rctx : Within s.memory.readable ⟨ctx, 1024⟩) (rp : Within s.memory.readable ⟨p, 16 * (k + 1)⟩) :
    isa.Wp pub (.block (group k)) (fun s' => Keeps [.rdx] s s' ∧ s'.memory = s.memory ∧ Ready s' ∧
      s'.gpr .rdx = p + BitVec.ofNat 64 (16 * (k + 1)) ∧
      view.lane s' 0 0 = Spec.Ghash.ghash hkey (view.lane s 0 0) (blocksAt s.memory.bytes p (k + 1))) s := by
  have holds : (groupLayout k).Holds view (fun | 0 => ctx | _ => p) s := {
    ptrs := fun q hq => by
      simp only [groupLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · simpa [view, regOf] using hctx
      · simpa [view, regOf] using hp
    small := ⟨by decide, by simp only; omega, trivial⟩
    reads := ⟨fun _ => rctx, fun _ => rp, trivial⟩
    writes := ⟨nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds hc fun s' e => ⟨Aes.X86_64.keeps_of_ends e _ rfl, e.memory,
    h.of_same (same_lane e rfl) (same_lane e rfl), e.gpr (r := 2) (by decide), ?_⟩
  rw [e.vec (r := 0) rfl 0]
  exact group_at h hk ht

end
end Proof.GhashBlocks.X86_64
