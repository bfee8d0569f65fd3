import Proof.AesGcm.X86_64.Env
import Proof.Ghash.X86_64

/-!
# Hashing groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.Ghash.X86_64 Proof.GhashBlocks

/-! ## Symbolic values -/

/-- Reversed bytes. -/
def reverseE (a : VecExpr) : VecExpr := .bin .pshufb a (.reg 9 0)

/-- Block `i` of a group; the running value is added to the first. -/
def blockE : Nat → VecExpr
  | 0 => xorE (reverseE (.load 1 0)) (.reg 11 0)
  | i + 1 => reverseE (.load 1 (16 * (i + 1)))

/-- The sums, reduced. -/
def hashE (block : Nat → VecExpr) (k : Nat) : VecExpr :=
  foldE (.load 2 constantAt) (outerE block false 0 k) (midE block 0 k) (outerE block true 0 k)

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

/-- The reduction of the sums. -/
theorem hashE_at (e : Env c s) {p : Addr} (block : Nat → VecExpr) (k : Nat) : (hashE block k).at (places c p) view s =
    fold (accum (tableAt s.memory.bytes c.ctx) ((List.range' 0 (k + 1)).map fun i => (block i).at (places c p) view s)) := by
  have hc : half false ((Expr.load 2 constantAt : VecExpr).at (places c p) view s) = poly := e.constant
  rw [hashE, foldE_at hc, sums_at, foldLazy_eq]
  rfl

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
  rw [o.vec (r := 11) rfl 0]
  refine (hashE_at e blockE k).trans (fold_group (e.holds.powers.mono (by omega)) ?_ fun i => ?_)
  · rw [blockE, xorE_at, reverseE_at hc, BitVec.xor_comm]
    rfl
  · rw [blockE, reverseE_at hc]
    rfl

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
  refine ((hashE_at e oneE 0).trans ?_).trans (aggregate (xs := []) (e.holds.powers.mono (by decide)) _)
  exact congrArg (fun x => fold (accum _ [x])) (BitVec.xor_comm ..)

end
end Proof.AesGcm.X86_64
