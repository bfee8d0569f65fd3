import Impl.Ghash.X86_64
import Proof.Aes.X86_64
import Proof.Gf2.Context
import Proof.Gf2.X86_64
import Proof.GhashBlocks.Group

/-!
# Products and reductions on x86-64, by symbolic evaluation
-/

set_option autoImplicit false
namespace Proof.Ghash.X86_64
open TCB TCB.X86_64 TCB.SymExec Impl.Ghash.X86_64 Proof.Gf2 Proof.GhashBlocks

/-! ## Symbolic values -/

/-- The product of two halves. -/
def mulE (high₁ high₂ : Bool) (a b : VecExpr) : VecExpr := .bin (.pclmulqdq high₁ high₂) a b

/-- The sum. -/
def xorE (a b : VecExpr) : VecExpr := .bin .pxor a b

/-- Partial sums, reduced with the constant `c`. -/
def foldE (c lo mid hi : VecExpr) : VecExpr :=
  let step (v to : VecExpr) := xorE (xorE to (.un (.pshufd 0x4e) v)) (mulE false false v c)
  step (step lo mid) hi

/-- The product of stored keys. -/
def dotE (c a b : VecExpr) : VecExpr :=
  foldE c (mulE false false a b) (xorE (mulE true false a b) (mulE false true a b)) (mulE true true a b)

/-- The stored form of `H^(p+1)`. -/
def powerE (p : Nat) : VecExpr := .load 0 (place (p + 1))

/-- The sum of the products of low or high halves. -/
def outerE (block : Nat → VecExpr) (high : Bool) : Nat → Nat → VecExpr :=
  let mul (i p : Nat) := mulE high high (block i) (powerE p)
  sumE (mul · 0) fun sum i p => xorE sum (mul i p)

/-- The sum of the middle products. -/
def midE (block : Nat → VecExpr) : Nat → Nat → VecExpr :=
  let mul (high : Bool) (i p : Nat) := mulE high (!high) (block i) (powerE p)
  sumE (fun i => xorE (mul true i 0) (mul false i 0)) fun sum i p => xorE (xorE sum (mul true i p)) (mul false i p)

section
variable {base : Nat → Addr} {s s' : State} {c a b lo mid hi : VecExpr}

theorem mulE_at (high₁ high₂ : Bool) :
    (mulE high₁ high₂ a b).at base view s = pclmul high₁ high₂ (a.at base view s) (b.at base view s) :=
  Gf2.X86_64.pclmulqdq ..

theorem xorE_at : (xorE a b).at base view s = a.at base view s ^^^ b.at base view s := rfl

/-- The reduction reduces. -/
theorem foldE_at (hc : half false (c.at base view s) = poly) : (foldE c lo mid hi).at base view s =
    foldLazy ⟨lo.at base view s, mid.at base view s, hi.at base view s⟩ := by
  have swap (v : VecExpr) : Expr.at base view s (.un (.pshufd 0x4e) v) = swap64 (v.at base view s) :=
    Gf2.X86_64.pshufd_0x4e _
  simp only [foldE, xorE_at, swap, mulE_at, BitVec.xor_assoc, foldStep_eq hc]
  simp only [foldLazy]

/-- The product is one. -/
theorem dotE_at (hc : half false (c.at base view s) = poly) : (dotE c a b).at base view s =
    dot (a.at base view s) (b.at base view s) := by
  rw [dotE, foldE_at hc, dot, ← foldLazy_eq, school]
  simp only [mulE_at, xorE_at]

/-- The stored powers. -/
theorem powerE_at (p : Nat) : (powerE p).at base view s = tableAt s.memory.bytes (base 0) p := by
  rw [tableAt, show 15 - p = 16 - (p + 1) by omega]
  rfl

/-- The sums are those of the products. -/
theorem sums_at (block : Nat → VecExpr) (k : Nat) : Acc.mk ((outerE block false 0 k).at base view s) ((midE block 0 k).at base view s)
    ((outerE block true 0 k).at base view s) =
      accum (tableAt s.memory.bytes (base 0)) ((List.range' 0 (k + 1)).map fun i => (block i).at base view s) := by
  have mul (high₁ high₂ : Bool) (i p : Nat) : (mulE high₁ high₂ (block i) (powerE p)).at base view s =
      pclmul high₁ high₂ ((block i).at base view s) (tableAt s.memory.bytes (base 0) p) := by rw [mulE_at, powerE_at]
  refine Acc.mk.injEq .. ▸ ⟨?_, ?_, ?_⟩
  · exact sumE_at (part := Acc.lo) (fun _ _ => rfl) (fun i => mul ..) (fun sum i p _ => by rw [xorE_at, mul]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.mid) (fun _ _ => rfl) (fun i => by rw [xorE_at, mul, mul]; rfl)
      (fun sum i p _ => by rw [xorE_at, xorE_at, mul, mul, BitVec.xor_assoc]; rfl) (Nat.le_refl k) 0
  · exact sumE_at (part := Acc.hi) (fun _ _ => rfl) (fun i => mul ..) (fun sum i p _ => by rw [xorE_at, mul]; rfl) (Nat.le_refl k) 0

end

/-! ## Fragments -/

/-- The constant of the reduction is in register 15, on so many lanes. -/
def HasConstant (lanes : Nat) (s : State) : Prop := ∀ i, i < lanes → half false (view.lane s 15 i) = poly

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- A number is loaded into a vector register. -/
theorem loadQword_ok {pub : List Region} {s : State} {d : Vec} {v : BitVec 64} {Q : State → Prop}
    (h : ∀ s', Keeps [.rax] s s' → s'.memory = s.memory → s'.vec = (s.setVec d (v.setWidth 512)).vec → Q s') :
    isa.Wp pub (.block [.movImm .rax v, .vmovqFrom d .rax]) Q s := by
  refine .cons (s₁ := s.setReg .rax v) (t := []) rfl
    (.cons (s₁ := (s.setReg .rax v).setVec d (((s.setReg .rax v).gpr .rax).setWidth 512)) (t := []) rfl (.nil (h _ ?_ ?_ ?_)))
  · exact kept (Keeps.refl _ s)
  · reads
  · funext r
    reads

/-- The low half of what was loaded. -/
theorem half_setWidth (v : BitVec 64) : half false (lane (v.setWidth 512) 0) = v := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp [half, lo64, lane, hi, show i < 512 by omega]

/-- The constant is loaded. -/
theorem constant_ok {pub : List Region} {s : State} : isa.Wp pub (.block constant) (fun s' =>
    Keeps [.rax] s s' ∧ s'.memory = s.memory ∧ HasConstant 1 s') s :=
  loadQword_ok fun s' keeps hm hv => ⟨keeps, hm, fun i hi => by
    obtain rfl : i = 0 := by omega
    rw [show view.lane s' 15 0 = lane (s'.vec 15) 0 from rfl, hv]
    exact half_setWidth _⟩

/-- Nothing is left in vector registers. -/
theorem clear_ok {pub : List Region} {s : State} {rs : List Nat} (h : machine.check ⟨[], []⟩ (clear rs) {} = true) :
    isa.Wp pub (.block (clear rs)) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory) s := by
  exact machine.wp_registers {} h fun _ he => ⟨Aes.X86_64.keeps_of_ends he [] rfl, he.memory⟩

end Proof.Ghash.X86_64
