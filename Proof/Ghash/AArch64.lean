import Impl.Ghash.AArch64
import Proof.AArch64.SymExec
import Proof.Gf2.AArch64
import Proof.Gf2.Context

/-!
# Products and reductions on AArch64, by symbolic evaluation
-/

set_option autoImplicit false
namespace Proof.Ghash.AArch64
open TCB TCB.AArch64 TCB.SymExec Impl.Ghash.AArch64 Proof.Gf2

/-! ## Symbolic values -/

/-- The sum. -/
def xorE (a b : VecExpr) : VecExpr := .bin (.vec .eor) a b

/-- Exchanged halves. -/
def swapE (a : VecExpr) : VecExpr := .bin (.vec (.ext 8)) a a

/-- Reversed bytes. -/
def reverseE (a : VecExpr) : VecExpr := swapE (.un .rev64 a)

/-- The product of two low halves or of two high halves. -/
def mulE (high : Bool) (a b : VecExpr) : VecExpr := .bin (.vec (if high then .pmull2 else .pmull)) a b

/-- Partial sums, reduced with the constant. -/
def foldE (lo mid hi : VecExpr) : VecExpr :=
  let step (v to : VecExpr) := xorE (xorE to (swapE v)) (mulE false v (.reg 31 0))
  step (step lo mid) hi

/-- Karatsuba's sums, reduced with the constant. -/
def reduceE (lo mid hi : VecExpr) : VecExpr := foldE lo (xorE (xorE mid lo) hi) hi

/-- Both halves of register 31 are the constant of the reduction. -/
def HasConstant (s : State) : Prop := view.lane s 31 0 = poly ++ poly

section
variable {base : Nat → Addr} {s s' : State} {a b lo mid hi : VecExpr}

theorem xorE_at : (xorE a b).at base view s = a.at base view s ^^^ b.at base view s := rfl

theorem swapE_at : (swapE a).at base view s = swap64 (a.at base view s) := Gf2.AArch64.ext_8 _

theorem reverseE_at : (reverseE a).at base view s = bswap128 (a.at base view s) := Gf2.AArch64.ext_8_rev64 _

/-- The bytes in reverse but for the halves. -/
theorem rev64_at : Expr.at base view s (.un .rev64 a) = swap64 (bswap128 (a.at base view s)) := by
  rw [← Gf2.AArch64.ext_8_rev64, Gf2.AArch64.ext_8, swap64_swap64]
  rfl

theorem mulE_at (high : Bool) :
    (mulE high a b).at base view s = pclmul high high (a.at base view s) (b.at base view s) := by
  cases high
  · exact Gf2.AArch64.pmull ..
  · exact Gf2.AArch64.pmull2 ..

/-- The reduction reduces. -/
theorem foldE_at (hc : HasConstant s) : (foldE lo mid hi).at base view s =
    foldLazy ⟨lo.at base view s, mid.at base view s, hi.at base view s⟩ := by
  have half : half false ((Expr.reg 31 0 : VecExpr).at base view s) = poly := by
    rw [show (Expr.reg 31 0 : VecExpr).at base view s = _ from hc]
    exact lo64_append ..
  simp only [foldE, xorE_at, swapE_at, mulE_at, BitVec.xor_assoc, foldStep_eq half]
  simp only [foldLazy]

/-- The reduction corrects the middle sum, and reduces. -/
theorem reduceE_at (hc : HasConstant s) : (reduceE lo mid hi).at base view s =
    fold (Acc.correct ⟨lo.at base view s, mid.at base view s, hi.at base view s⟩) := by
  rw [reduceE, foldE_at hc, foldLazy_eq]
  rfl

/-- The constant stays. -/
theorem HasConstant.of_lane (h : HasConstant s) (e : view.lane s' 31 0 = view.lane s 31 0) : HasConstant s' := e.trans h

end

/-! ## Fragments -/

/-- A block that accesses no memory. -/
theorem wp_registers {pub : List Region} {s : State} {is : List Instr} {rest : List (Nat × List VecExpr)}
    (h : machine.check ⟨[], []⟩ is { vec := keptE saved ++ rest } = true) : isa.Wp pub (.block is) (fun s' =>
      Outcome.Ends (fun _ => 0) view machine { vec := keptE saved ++ rest } s s' ∧ Keeps [] s s' ∧ s'.memory = s.memory) s := by
  exact machine.wp_registers _ h fun _ e => ⟨e, keeps_of_ends e [] rfl rfl, e.memory⟩

/-- The constant is loaded. -/
theorem constant_ok {pub : List Region} {s : State} : isa.Wp pub (.block constant) (fun s' =>
    Keeps [] s s' ∧ s'.memory = s.memory ∧ HasConstant s') s :=
  (wp_registers (rest := [(31, [.un (.shl2d 56) (.const (0xc2 * 0x01010101010101010101010101010101))])])
    (by decide +kernel)).mono fun _ ⟨e, keeps, hm⟩ => ⟨keeps, hm, (e.vec (r := 31) rfl 0).trans
      (by decide +kernel : (VecUn.shl2d 56).eval (BitVec.ofNat 128 (0xc2 * 0x01010101010101010101010101010101)) = poly ++ poly)⟩

/-- Nothing is left in vector registers. -/
theorem clear_ok {pub : List Region} {s : State} {rs : List Nat}
    (h : machine.check ⟨[], []⟩ (clear rs) { vec := keptE saved ++ [] } = true) :
    isa.Wp pub (.block (clear rs)) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory) s :=
  (wp_registers h).mono fun _ h => h.2

end Proof.Ghash.AArch64
