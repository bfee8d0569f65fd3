import Proof.Framework.Code
import Proof.Framework.SymExec.Stores

/-!
# The symbolic evaluator

Runs a block of instructions on symbolic values, by their footprints. It is proven sound here, once, for every
instruction set, and evaluated by the kernel for each block, in whatever order and with whatever registers the block is
written.
-/

set_option autoImplicit false
namespace TCB.SymExec
variable {S I C F R U B : Type} [Ops U B]

/-- The value of a general register. -/
inductive Val where
  /-- The register at the start, plus a constant modulo 2^64. -/
  | init (r k : Nat)
  /-- The address of an offset, modulo 2^64, of an area. -/
  | ptr (t off : Nat)
  /-- Anything. -/
  | unknown
  deriving DecidableEq

/-- A symbolic state. -/
structure Sym (U B : Type) where
  gpr : List Val
  vec : List (List (Expr U B))
  mem : List (Store U B)

/-- The instructions of a machine as the evaluator sees them. -/
structure Machine (isa : Isa S I C F) (V : View S R) (U B : Type) [Ops U B] where
  /-- The number of general registers, of vector registers, and of lanes of a vector register. -/
  gprs : Nat
  vecs : Nat
  lanes : Nat
  /-- The footprint of an instruction, if the evaluator knows it. -/
  step : I → Option (Step U B)
  step_sound : ∀ {i x s}, step i = some x → x.Allowed V s → ∃ s' t, isa.exec i s = some (s', t) ∧ x.Effect V s s'
  /-- There are no further lanes. -/
  lane_zero : ∀ s r i, lanes ≤ i → V.lane s r i = 0

/-! ## Evaluation -/

/-- The list `f n`, ..., `f (n + k - 1)`. -/
def listFrom {α : Type} (f : Nat → α) : Nat → Nat → List α
  | _, 0 => []
  | n, k + 1 => f n :: listFrom f (n + 1) k

/-- What a register is at the start: a pointer, if the layout says so. -/
def Layout.start (L : Layout) (r : Nat) : Val :=
  match find r L.ptrs with
  | none => .init r 0
  | some (t, off) => .ptr t off

/-- The symbolic state at the start. -/
def Sym.start (L : Layout) (gprs vecs lanes : Nat) : Sym U B where
  gpr := listFrom L.start 0 gprs
  vec := listFrom (fun r => listFrom (.reg r) 0 lanes) 0 vecs
  mem := []

/-- A register plus a constant. -/
def Val.add (k : Nat) : Val → Val
  | .init r j => .init r ((j + k) % 2 ^ 64)
  | .ptr t off => .ptr t ((off + k) % 2 ^ 64)
  | .unknown => .unknown

namespace Sym
variable (L : Layout) (σ : Sym U B)

/-- The place of a memory operand. -/
def place (b d : Nat) : Option (Nat × Nat) :=
  match nth σ.gpr b with
  | some (.ptr t off) => some (t, (off + d) % 2 ^ 64)
  | _ => none

/-- Load pieces of 16 bytes. -/
def pieces (t off : Nat) : Nat → Option (List (Expr U B))
  | 0 => some []
  | n + 1 => (loadAfter t off σ.mem).bind fun e => (pieces t (off + 16) n).map fun es => e :: es

/-- What an instruction loads. -/
def loads (x : Step U B) : Option (List (Expr U B)) :=
  match x.load with
  | none => some []
  | some (b, d, n) => (σ.place b d).bind fun p =>
    bif L.mayRead p.1 p.2 (16 * n) then σ.pieces p.1 p.2 n else none

/-- A lane of a vector register. -/
def lane (r i : Nat) : Option (Expr U B) := (nth σ.vec r).map fun es => laneOf es i

/-- The symbolic values of expressions of a footprint. -/
def values (ls : List (Expr U B)) : List (Expr U B) → Option (List (Expr U B))
  | [] => some []
  | e :: es => (e.subst σ.lane fun _ i => nth ls i).bind fun v => (values ls es).map fun vs => v :: vs

/-- New vector registers. -/
def setVecs (ls : List (Expr U B)) : List (Nat × List (Expr U B)) → List (List (Expr U B)) →
    Option (List (List (Expr U B)))
  | [], vec => some vec
  | (r, es) :: rest, vec => (setVecs ls rest vec).bind fun vec => (σ.values ls es).map fun vs => put vec r vs

/-- Store pieces of 16 bytes. -/
def stores (t off : Nat) : List (Expr U B) → List (Store U B) → Option (List (Store U B))
  | [], mem => some mem
  | v :: vs, mem => (addStore ⟨t, off, v⟩ mem).bind fun mem => stores t (off + 16) vs mem

/-- The stores after an instruction. -/
def setMem (ls : List (Expr U B)) (x : Step U B) : Option (List (Store U B)) :=
  match x.store with
  | none => some σ.mem
  | some (b, d, es) => (σ.place b d).bind fun p =>
    bif L.mayWrite p.1 p.2 (16 * es.length) then (σ.values ls es).bind fun vs => stores p.1 p.2 vs σ.mem else none

/-- The general registers after an instruction. -/
def setGpr (x : Step U B) : List Val :=
  match x.gpr with
  | none => σ.gpr
  | some (d, none) => put σ.gpr d .unknown
  | some (d, some (q, k)) => put σ.gpr d (((nth σ.gpr q).map (Val.add k)).getD .unknown)

/-- The symbolic state after an instruction. -/
def step (x : Step U B) : Option (Sym U B) :=
  (σ.loads L x).bind fun ls => (σ.setVecs ls x.vec σ.vec).bind fun vec => (σ.setMem L ls x).map fun mem =>
    { gpr := σ.setGpr x, vec, mem }

end Sym

variable {isa : Isa S I C F} {V : View S R} (M : Machine isa V U B)

/-- The symbolic state after a block. -/
def Machine.run (L : Layout) : List I → Sym U B → Option (Sym U B)
  | [], σ => some σ
  | i :: is, σ => (M.step i).bind fun x => (σ.step L x).bind fun σ => run L is σ

/-! ## Soundness -/

/-- What a symbolic value says of a register. -/
def Val.Means (base : Nat → Addr) (V : View S R) (s₀ : S) (v : BitVec 64) : Val → Prop
  | .init r k => v = V.gpr s₀ r + BitVec.ofNat 64 k
  | .ptr t off => v = base t + BitVec.ofNat 64 off
  | .unknown => True

/-- The value of an expression over the state at the start. -/
def Expr.at (base : Nat → Addr) (V : View S R) (s₀ : S) (e : Expr U B) : BitVec 128 :=
  e.eval (V.lane s₀) (word base (V.memory s₀).bytes)

/-- The contents of memory after stores. -/
def memAfter (base : Nat → Addr) (V : View S R) (s₀ : S) (l : List (Store U B)) : Mem :=
  applyStores (V.lane s₀) (word base (V.memory s₀).bytes) base (V.memory s₀).bytes l

/-- The symbolic state describes `s` in terms of `s₀`. -/
structure Sym.Means (L : Layout) (base : Nat → Addr) (V : View S R) (s₀ s : S) (σ : Sym U B) : Prop where
  gpr : ∀ {r v}, nth σ.gpr r = some v → v.Means base V s₀ (V.gpr s r)
  vec : ∀ {r es}, nth σ.vec r = some es → ∀ i, V.lane s r i = (laneOf es i).at base V s₀
  memory : V.memory s = (V.memory s₀).set (memAfter base V s₀ σ.mem)
  stores : Stores L σ.mem
  other : V.other s = V.other s₀

end TCB.SymExec
