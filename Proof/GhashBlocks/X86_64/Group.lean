import Impl.GhashBlocks.X86_64
import Proof.Ghash.X86_64
import Proof.GhashBlocks.Group

/-!
# Groups of blocks on x86-64

A group of any number of blocks is one evaluation of the symbolic evaluator.
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

/-- What a group of `k + 1` blocks does. -/
def groupOutcome (k : Nat) : Outcome VecUn VecBin where
  vec := [(0, [foldE (.reg 15 0) (outerE blockE false 0 k) (midE blockE 0 k) (outerE blockE true 0 k)]), keepE 14, keepE 15]
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
theorem same_lane (e : out.Ends base view machine s s') {r : Nat} (hf : find r out.vec = some (keepE r).2) (i : Nat) :
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

/-- **A group gives the hash of its blocks.** -/
theorem group_at {hkey : Spec.Ghash.Block} {k : Nat} (h : Ready s) (hk : k < 16)
    (ht : IsTable hkey (tableAt s.memory.bytes (base 0)) 16) :
    (foldE (.reg 15 0) (outerE blockE false 0 k) (midE blockE 0 k) (outerE blockE true 0 k)).at base view s =
      Spec.Ghash.ghash hkey (view.lane s 0 0) (blocksAt s.memory.bytes (base 1) (k + 1)) := by
  have hc : half false ((Expr.reg 15 0 : VecExpr).at base view s) = poly := h.constant 0 (by decide)
  rw [foldE_at hc, sums_at, foldLazy_eq]
  refine fold_group (ht.mono (by omega)) ?_ fun i => ?_
  · rw [blockE, xorE_at, reverseE_at h]
    rfl
  · rw [blockE, reverseE_at h]
    rfl

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
