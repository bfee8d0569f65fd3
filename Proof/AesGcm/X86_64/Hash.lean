import Proof.AesGcm.X86_64.Env
import Proof.Ghash.X86_64

/-!
# Hashing groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.Ghash.X86_64

/-! ## Symbolic values -/

/-- Reversed bytes. -/
def reverseE (a : VecExpr) : VecExpr := .bin .pshufb a (.reg 9 0)

/-- Block `i` of a group; the running value is added to the first. -/
def blockE : Nat → VecExpr
  | 0 => xorE (reverseE (.load 1 0)) (.reg 11 0)
  | i + 1 => reverseE (.load 1 (16 * (i + 1)))

/-- The sum of one product for each of `n + 1` blocks from `i` on, the last of which is multiplied with `H^1`. -/
def sumE (block : Nat → VecExpr) (f : VecExpr → VecExpr → VecExpr) (add : VecExpr → VecExpr → VecExpr → VecExpr) (i : Nat) :
    Nat → VecExpr
  | 0 => f (block i) (.load 0 (place 1))
  | n + 1 => add (sumE block f add (i + 1) n) (block i) (.load 0 (place (n + 2)))

/-- The sum of the products of the halves. -/
def halvesE (block : Nat → VecExpr) (high : Bool) : Nat → Nat → VecExpr :=
  sumE block (mulE high high) fun sum a b => xorE sum (mulE high high a b)

/-- The sum of the middle products. -/
def midE (block : Nat → VecExpr) : Nat → Nat → VecExpr :=
  sumE block (fun a b => xorE (mulE true false a b) (mulE false true a b))
    fun sum a b => xorE (xorE sum (mulE true false a b)) (mulE false true a b)

/-- The sums, reduced. -/
def hashE (block : Nat → VecExpr) (k : Nat) : VecExpr :=
  foldE (.load 2 constantAt) (halvesE block false 0 k) (midE block 0 k) (halvesE block true 0 k)

/-- The key context, the blocks and the table of constants. -/
def hashLayout (n : Nat) : Layout :=
  { areas := [{ len := 1024 }, { len := n }, { len := 128 }], ptrs := [(9, 0, 0), (1, 1, 0), (10, 2, 0)] }

/-- The key context and the table of constants. -/
def oneLayout : Layout :=
  { areas := [{ len := 1024 }, { len := 0, reads := false }, { len := 128 }], ptrs := [(9, 0, 0), (10, 2, 0)] }

/-- What hashing changes. -/
def hashOutcome (block : Nat → VecExpr) (k : Nat) : Outcome VecUn VecBin :=
  { vec := [(11, [hashE block k]), keepE 8, keepE 9, keepE 10, keepE 13] }

/-- The block in `xmm0`, with the running value. -/
def oneE (_ : Nat) : VecExpr := xorE (.reg 0 0) (.reg 11 0)

/-- The checks of the evaluator. -/
theorem hash_checked : machine.check (hashLayout 128) (hash 7) (hashOutcome blockE 7) = true := by decide +kernel
@[inherit_doc hash_checked]
theorem hashBlock_checked : machine.check (hashLayout 16) (hash 0) (hashOutcome blockE 0) = true := by decide +kernel
@[inherit_doc hash_checked]
theorem hashOne_checked : machine.check oneLayout hashOne (hashOutcome oneE 0) = true := by decide +kernel

/-! ## Their values -/

section
variable {c : Fixed} {s s' : State} {base : Nat → Addr}

theorem reverseE_at (h : Constants s) (a : VecExpr) : (reverseE a).at base view s = bswap128 (a.at base view s) := by
  show VecBin.pshufb.eval (a.at base view s) (view.lane s 9 0) = _
  rw [h.mask, Gf2.X86_64.pshufb_reverseMask]

/-- Where things are. -/
def places (c : Fixed) (p : Addr) : Nat → Addr
  | 0 => c.ctx
  | 1 => p
  | _ => c.tab

/-- The blocks from `i` on. -/
def blocksFrom (block : Nat → VecExpr) (s : State) (base : Nat → Addr) (i : Nat) : Nat → List Spec.Ghash.Block
  | 0 => []
  | n + 1 => (block i).at base view s :: blocksFrom block s base (i + 1) n

@[simp] theorem length_blocksFrom (block : Nat → VecExpr) (i n : Nat) : (blocksFrom block s base i n).length = n := by
  induction n generalizing i with
  | zero => rfl
  | succ n ih => rw [blocksFrom, List.length_cons, ih]

/-- The stored power by which a block is multiplied. -/
theorem power_at (n : Nat) : (Expr.load 0 (place (n + 1)) : VecExpr).at base view s = tableAt s.memory.bytes (base 0) n := by
  rw [tableAt, show 15 - n = 16 - (n + 1) by omega]
  rfl

/-- The sums are those of the products. -/
theorem sums_at (block : Nat → VecExpr) (i n : Nat) : Acc.mk ((halvesE block false i n).at base view s)
    ((midE block i n).at base view s) ((halvesE block true i n).at base view s) =
      accum (tableAt s.memory.bytes (base 0)) (blocksFrom block s base i (n + 1)) := by
  induction n generalizing i with
  | zero =>
    simp only [halvesE, midE, sumE, mulE_at, xorE_at, power_at 0, blocksFrom, accum_cons, accum_nil, Acc.xor_zero, List.length_nil,
      school]
  | succ n ih =>
    have ih := ih (i + 1)
    rw [blocksFrom, accum_cons, ← ih, length_blocksFrom]
    simp only [halvesE, midE] at ih ⊢
    simp only [sumE, mulE_at, xorE_at, power_at, Acc.xor, school, Acc.mk.injEq]
    refine ⟨BitVec.xor_comm .., ?_, BitVec.xor_comm ..⟩
    rw [BitVec.xor_assoc, BitVec.xor_comm]

/-- The blocks are those of the message. -/
theorem blocksFrom_succ (h : Constants s) (i n : Nat) : blocksFrom blockE s base (i + 1) n =
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

/-- The reduction of the sums is the hash. -/
theorem hashE_at (e : Env c s) {p : Addr} (block : Nat → VecExpr) {k : Nat} (hk : k < 16) {y x : Spec.Ghash.Block}
    (first : (block 0).at (places c p) view s = y ^^^ x) : (hashE block k).at (places c p) view s =
      Spec.Ghash.ghash c.h y (x :: blocksFrom block s (places c p) 1 k) := by
  have hc : half false ((Expr.load 2 constantAt : VecExpr).at (places c p) view s) = poly := e.constant
  rw [hashE, foldE_at hc, sums_at, foldLazy_eq, blocksFrom, first]
  refine aggregate ?_ _
  rw [length_blocksFrom]
  exact e.holds.powers.mono (by omega)

/-- Where the layout says. -/
theorem hashLayout_holds (e : Env c s) {p : Addr} {n : Nat} (hn : n ≤ 2 ^ 64) (hp : s.gpr .rcx = p)
    (reads : Within s.memory.readable ⟨p, n⟩) : (hashLayout n).Holds view (places c p) s where
  ptrs q hq := by
    simp only [hashLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
    rcases hq with rfl | rfl | rfl
    · exact e.key.trans (BitVec.add_zero _).symm
    · exact hp.trans (BitVec.add_zero _).symm
    · exact e.tab.trans (BitVec.add_zero _).symm
  small := ⟨by decide, hn, by decide, trivial⟩
  reads := ⟨fun _ => e.readsKey, fun _ => reads, fun _ => e.readsTab, trivial⟩
  writes := ⟨nofun, nofun, nofun, trivial⟩
  apart := ⟨⟨nofun, nofun, nofun, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, trivial⟩

variable {pub : List Region}

/-- **A group of blocks is hashed.** -/
theorem hash_ok (e : Env c s) (hc : Constants s) {p : Addr} {k : Nat} (hk : k < 16)
    (check : machine.check (hashLayout (16 * (k + 1))) (hash k) (hashOutcome blockE k) = true) (hp : s.gpr .rcx = p)
    (reads : Within s.memory.readable ⟨p, 16 * (k + 1)⟩) : isa.Wp pub (.block (hash k)) (fun s' =>
      Frame [] [8, 9, 10, 13] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 11 0 = Spec.Ghash.ghash c.h (view.lane s 11 0) (blocksAt s.memory.bytes p (k + 1))) s := by
  refine machine.wp _ (hashLayout_holds e (by omega) hp reads) check fun s' o =>
    ⟨.of_ends o rfl, o.memory, ?_⟩
  have first : (blockE 0).at (places c p) view s = view.lane s 11 0 ^^^ bswap128 (ofBytes 128 (bytesAt s.memory.bytes p 16)) := by
    rw [blockE, xorE_at, reverseE_at hc, BitVec.xor_comm]
    have : (Expr.load 1 0 : VecExpr).at (places c p) view s = ofBytes 128 (bytesAt s.memory.bytes (p + 0#64) 16) := rfl
    rw [this, BitVec.add_zero]
    rfl
  have blocks : blocksAt s.memory.bytes p (k + 1) =
      bswap128 (ofBytes 128 (bytesAt s.memory.bytes p 16)) :: blocksFrom blockE s (places c p) 1 k := by
    rw [Nat.add_comm, blocksAt_add, blocksFrom_succ hc]
    simp only [blocksAt, List.range_one, List.map_cons, List.map_nil, Nat.mul_zero, BitVec.add_zero,
      List.cons_append, List.nil_append, Nat.zero_add, places]
  rw [o.vec (r := 11) rfl 0, blocks]
  exact hashE_at e blockE hk first

/-- The block in `xmm0` is hashed. -/
theorem hashOne_ok (e : Env c s) : isa.Wp pub (.block hashOne) (fun s' =>
      Frame [] [8, 9, 10, 13] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 11 0 = Spec.Ghash.ghash c.h (view.lane s 11 0) [view.lane s 0 0]) s := by
  have holds : oneLayout.Holds view (places c 0) s := {
    ptrs := fun q hq => by
      simp only [oneLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact e.key.trans (BitVec.add_zero _).symm
      · exact e.tab.trans (BitVec.add_zero _).symm
    small := ⟨by decide, by decide, by decide, trivial⟩
    reads := ⟨fun _ => e.readsKey, nofun, fun _ => e.readsTab, trivial⟩
    writes := ⟨nofun, nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, nofun, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds hashOne_checked fun s' o => ⟨.of_ends o (by decide +kernel), o.memory, ?_⟩
  rw [o.vec (r := 11) rfl 0]
  exact hashE_at e oneE (by decide) (BitVec.xor_comm ..)

end
end Proof.AesGcm.X86_64
