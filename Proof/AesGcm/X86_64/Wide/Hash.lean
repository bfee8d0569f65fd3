import Proof.AesGcm.Message.Lanes
import Proof.AesGcm.X86_64.Wide.Rounds

/-!
# Hashing sixteen blocks at once
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.Ghash.X86_64
open Proof.GhashBlocks.X86_64 (same_lane)

/-! ## Symbolic values -/

/-- Block `2 * i + l`, as it is hashed. -/
def lineE (i l : Nat) : VecExpr :=
  let x := Expr.bin .pshufb (.load 1 (32 * i + 16 * l)) (.load 3 (Wide.reverseAt + 16 * l))
  if i = 0 then xorE x (.reg 11 l) else x

/-- The power by which it is multiplied. -/
def powerE (i l : Nat) : VecExpr := .load 2 (256 + 32 * i + 16 * l)

/-- The sum of products of low or of high halves on lane `l`. -/
def outerE (high : Bool) (l : Nat) : Nat → VecExpr
  | 0 => mulE high high (lineE 0 l) (powerE 0 l)
  | i + 1 => xorE (outerE high l i) (mulE high high (lineE (i + 1) l) (powerE (i + 1) l))

/-- The sum of the middle products on lane `l`. -/
def midE (l : Nat) : Nat → VecExpr
  | 0 => xorE (mulE true false (lineE 0 l) (powerE 0 l)) (mulE false true (lineE 0 l) (powerE 0 l))
  | i + 1 => xorE (xorE (midE l i) (mulE true false (lineE (i + 1) l) (powerE (i + 1) l)))
      (mulE false true (lineE (i + 1) l) (powerE (i + 1) l))

/-- The sums of a lane, reduced. -/
def laneE (l : Nat) : VecExpr := foldE (.load 3 constantAt) (outerE false l 7) (midE l 7) (outerE true l 7)

/-- The hash. -/
def hashE : VecExpr := xorE (laneE 0) (laneE 1)

/-! ## Their values -/

section
variable {k : Call} {tab : Addr} {s s' : State} {j p n : Nat}

/-- The block that is multiplied with the power of a place. -/
def blockOf (s : State) (k : Call) (p i : Nat) : Spec.Ghash.Block :=
  let x := Proof.GhashBlocks.blockAt s.memory.bytes (k.data + BitVec.ofNat 64 p) i
  if i = 0 then view.lane s 11 0 ^^^ x else x

/-- Its value. -/
theorem lineE_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) (zero : view.lane s 11 1 = 0) {l : Nat} (hl : l < 2) (i : Nat) :
    (lineE i l).at (places k tab j p) view s = blockOf s k p (2 * i + l) := by
  have x : (Expr.bin .pshufb (.load 1 (32 * i + 16 * l)) (.load 3 (Wide.reverseAt + 16 * l)) : VecExpr).at (places k tab j p) view s =
      Proof.GhashBlocks.blockAt s.memory.bytes (k.data + BitVec.ofNat 64 p) (2 * i + l) := by
    show VecBin.eval .pshufb (ofBytes 128 (bytesAt s.memory.bytes (k.data + BitVec.ofNat 64 p + BitVec.ofNat 64 (32 * i + 16 * l)) 16))
      ((Expr.load 3 (Wide.reverseAt + 16 * l) : VecExpr).at (places k tab j p) view s) = _
    rw [mask_at r m hl, Gf2.X86_64.pshufb_reverseMask, Proof.GhashBlocks.blockAt, show 16 * (2 * i + l) = 32 * i + 16 * l by omega]
  rw [lineE, blockOf]
  by_cases hi : i = 0
  · subst hi
    simp only [if_true]
    rw [xorE_at, x]
    rcases l with _ | _ | l
    · exact BitVec.xor_comm ..
    · show _ ^^^ view.lane s 11 1 = _
      rw [zero]
      exact BitVec.xor_zero
    · omega
  · rw [if_neg hi, if_neg (by omega), x]

/-- The power of a place. -/
theorem powerE_at {l : Nat} (hl : l < 2) {i : Nat} (hi : i < 8) : (powerE i l).at (places k tab j p) view s =
    tableAt s.memory.bytes k.ctx (16 - 1 - (2 * i + l)) := by
  rw [tableAt, show 256 + 16 * (15 - (16 - 1 - (2 * i + l))) = 256 + 32 * i + 16 * l by omega]
  rfl

/-- The sums of a lane. -/
theorem sums_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) (zero : view.lane s 11 1 = 0) {l : Nat} (hl : l < 2) {i : Nat}
    (hi : i < 8) : Acc.mk ((outerE false l i).at (places k tab j p) view s) ((midE l i).at (places k tab j p) view s)
      ((outerE true l i).at (places k tab j p) view s) =
        laneSum (tableAt s.memory.bytes k.ctx) (blockOf s k p) 16 l (i + 1) := by
  have mul (high₁ high₂ : Bool) (i : Nat) (hi : i < 8) : (mulE high₁ high₂ (lineE i l) (powerE i l)).at (places k tab j p) view s =
      pclmul high₁ high₂ (blockOf s k p (2 * i + l)) (tableAt s.memory.bytes k.ctx (16 - 1 - (2 * i + l))) := by
    rw [mulE_at, lineE_at r m zero hl, powerE_at hl hi]
  induction i with
  | zero =>
    rw [laneSum, laneSum, zero_xor, outerE, outerE, midE, xorE_at, mul _ _ 0 hi, mul _ _ 0 hi, mul _ _ 0 hi, mul _ _ 0 hi]
    rfl
  | succ i ih =>
    rw [laneSum, ← ih (by omega), outerE, outerE, midE, xorE_at, xorE_at, xorE_at, xorE_at, mul _ _ _ hi, mul _ _ _ hi, mul _ _ _ hi,
      mul _ _ _ hi, BitVec.xor_assoc]
    rfl

/-- **The hash of sixteen blocks.** -/
theorem hashE_at (r : Ready k tab) (m : s.memory = k.memory.set (k.text.mem n)) (zero : view.lane s 11 1 = 0) :
    hashE.at (places k tab j p) view s =
      Spec.Ghash.ghash k.subkey (view.lane s 11 0) (blocksAt s.memory.bytes (k.data + BitVec.ofNat 64 p) 16) := by
  have hc : half false ((Expr.load 3 constantAt : VecExpr).at (places k tab j p) view s) = poly := by
    rw [constant_at r constantAt (by decide) m]
    decide +kernel
  have powers : IsTable k.subkey (tableAt s.memory.bytes k.ctx) 16 := by
    rw [m, Memory.bytes_set]
    exact (r.holds_mem n).powers
  have group := Proof.GhashBlocks.fold_group (m := s.memory.bytes) (p := k.data + BitVec.ofNat 64 p) (y := view.lane s 11 0)
    (x := blockOf s k p) (k := 15) powers rfl fun i => rfl
  rw [hashE, xorE_at, laneE, laneE, foldE_at hc, foldE_at hc, sums_at r m zero (by decide) (by decide),
    sums_at r m zero (by decide) (by decide), fold_lanes _ _ (show 16 = 2 * (7 + 1) from rfl)]
  exact group

end
end Proof.AesGcm.X86_64.Wide
