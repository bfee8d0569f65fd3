import TCB.Access
import Proof.Framework.Access
import Proof.Framework.SymExec.Expr

/-!
# Footprints

What an instruction reads, writes and computes, in the terms of the symbolic evaluator: one 128-bit lane after the other,
pointers that move by constants, at most one access.
-/

set_option autoImplicit false
namespace TCB.SymExec

/-- How the evaluator sees a machine state: registers by number, vector registers by lanes of 128 bits (zero beyond the
last), and what no instruction of a block changes. -/
structure View (S R : Type) where
  gpr : S → Nat → BitVec 64
  lane : S → Nat → Nat → BitVec 128
  memory : S → Memory
  other : S → R

/-- The footprint of an instruction. In its expressions, `load 0 i` is piece `i` of what it loads. -/
structure Step (U B : Type) where
  /-- The base register, the displacement and the number of pieces of 16 bytes of a load. -/
  load : Option (Nat × Nat × Nat) := none
  /-- New lanes of vector registers, zero beyond the last. -/
  vec : List (Nat × List (Expr U B)) := []
  /-- The base register, the displacement and the pieces of 16 bytes of a store. -/
  store : Option (Nat × Nat × List (Expr U B)) := none
  /-- A general register that changes: a register plus a constant, or something of which nothing is said. -/
  gpr : Option (Nat × Option (Nat × Nat)) := none

/-- Piece `i` of 16 bytes from an address. -/
def piece (m : Mem) (a : Addr) (i : Nat) : BitVec 128 := ofBytes 128 (bytesAt m (a + BitVec.ofNat 64 (16 * i)) 16)

/-- The bytes of lanes. -/
def laneBytes (vs : List (BitVec 128)) : List Byte := vs.flatMap (toBytes 16)

variable {S R U B : Type} [Ops U B] (V : View S R)

/-- The address of a memory operand. -/
def View.ea (s : S) (b d : Nat) : Addr := V.gpr s b + BitVec.ofNat 64 d

/-- The lane of a list of expressions, zero beyond the last. -/
def laneOf (es : List (Expr U B)) (i : Nat) : Expr U B := (nth es i).getD (.const 0)

namespace Step
variable (x : Step U B) (s s' : S)

/-- What the instruction loads. -/
def loaded (_ i : Nat) : BitVec 128 :=
  match x.load with
  | none => 0
  | some (b, d, _) => piece (V.memory s).bytes (V.ea s b d) i

/-- The instruction may access what it does. -/
structure Allowed : Prop where
  load : ∀ {b d n}, x.load = some (b, d, n) → covered (V.memory s).readable (V.ea s b d) (16 * n) = true
  store : ∀ {b d es}, x.store = some (b, d, es) → covered (V.memory s).writable (V.ea s b d) (16 * es.length) = true

/-- The contents of memory after the instruction. -/
def stored : Mem :=
  match x.store with
  | none => (V.memory s).bytes
  | some (b, d, es) => writeBytes (V.memory s).bytes (V.ea s b d)
      (laneBytes (es.map (Expr.eval (V.lane s) (x.loaded V s))))

/-- The instruction does what its footprint says. -/
structure Effect : Prop where
  vec : ∀ r i, V.lane s' r i = match find r x.vec with
    | none => V.lane s r i
    | some es => (laneOf es i).eval (V.lane s) (x.loaded V s)
  gpr : ∀ r, match x.gpr with
    | none => V.gpr s' r = V.gpr s r
    | some (d, v) => if r = d then ∀ q k, v = some (q, k) → V.gpr s' r = V.gpr s q + BitVec.ofNat 64 k
        else V.gpr s' r = V.gpr s r
  memory : V.memory s' = (V.memory s).set (x.stored V s)
  other : V.other s' = V.other s

end Step
end TCB.SymExec
