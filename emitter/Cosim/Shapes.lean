import Lean
import emitter.Cosim.Random

/-!
# Every form of an instruction

The forms of an instruction set are read off its inductive types: a form for each constructor and each way to choose among
the constructors inside it (operations, widths, a register or an immediate, an index or none), down to registers and
numbers. So a constructor that is added to the model has forms, or does not compile.
-/

set_option autoImplicit false
namespace Emitter.Cosim
open Lean Elab Term Meta

/-- A memory operand: components of the state that are its base and its index, and what is added. -/
structure Address where
  base : Nat
  index : Option Nat
  disp : BitVec 64

/-- What an instruction reads or writes. -/
inductive Operand where
  /-- A component of the state, by its position. -/
  | component (i : Nat)
  | address (a : Address)
  | immediate (v : Nat)

/-- An instruction that is being drawn. -/
structure Drawing where
  rng : Rng
  /-- How many were drawn of the same form. -/
  sample : Nat
  /-- How many of its registers are drawn. -/
  registers : Nat := 0
  operands : Array Operand := #[]

/-- A part of an instruction, drawn. -/
abbrev Draw := StateM Drawing

/-- Random numbers for a drawing. -/
def random {α : Type} (r : Rand α) : Draw α := modifyGet fun d => let (a, rng) := r d.rng; (a, { d with rng })

/-- Note an operand. -/
def note (o : Operand) : Draw Unit := modify fun d => { d with operands := d.operands.push o }

/--
One of `n` registers. In the course of `2n` samples each register stands in each place, also together with itself; in the
course of `n²` the first and any other, and any two neighbours, take every pair of values.
-/
def register (n : Nat) : Draw Nat := modifyGet fun d =>
  let a := d.sample % n
  let b := d.sample / n + d.sample
  (match d.registers with | 0 => a | k + 1 => (k * a + b) % n, { d with registers := d.registers + 1 })

/-- A form of an `α`: the parts of its name, and how one is drawn. -/
structure Shape (α : Type) where
  parts : List String
  draw : Draw α

/-- Types whose forms are known. -/
class Shapes (α : Type) where
  shapes : List (Shape α)

/-- The form of a constructor before its fields. -/
def constructor {α : Type} (name : String) (a : α) : List (Shape α) := [⟨[name], pure a⟩]

/-- One more field of a constructor. -/
def field {α β : Type} [Shapes α] (fs : List (Shape (α → β))) : List (Shape β) :=
  fs.flatMap fun f => Shapes.shapes.map fun a => ⟨f.parts ++ a.parts, do return (← f.draw) (← a.draw)⟩

/-- The constructors of the inductive type that an identifier names. -/
def constructorsOf (type : Ident) : TermElabM (List ConstructorVal) := do
  let name ← realizeGlobalConstNoOverloadWithInfo type
  let .inductInfo info ← getConstInfo name | throwError "{name} is not an inductive type"
  info.ctors.mapM fun c => do
    let .ctorInfo c ← getConstInfo c | throwError "{c} is not a constructor"
    return c

/-- The name of a constructor without that of its type. -/
def shortName (c : ConstructorVal) : String := c.name.getString!

/-- The forms of an inductive type: those of all its constructors. -/
elab "shapes_of% " type:ident : term <= expected => do
  let forms ← (← constructorsOf type).mapM fun c => do
    let mut form ← `(constructor $(quote (shortName c)) $(mkIdent c.name))
    for _ in [0 : c.numFields] do form ← `(field $form)
    return form
  elabTerm (← `(List.flatten [$(forms.toArray),*])) expected

/-- The names of the constructors of an inductive type. -/
elab "constructors_of% " type:ident : term => do
  let names : Term := quote ((← constructorsOf type).map shortName)
  elabTerm names none

/-- The elements of an enumeration. -/
elab "elements_of% " type:ident : term => do
  let constructors ← constructorsOf type
  if let some c := constructors.find? (·.numFields != 0) then throwError "{c.name} has fields"
  let elements := (constructors.map fun c => mkIdent c.name).toArray
  elabTerm (← `(#[$elements,*])) none

/-- Immediates by the size of their encodings: absent, one byte, more. -/
def immediates (n : Nat) : List (Shape (BitVec n)) :=
  let drawn (i : Rand Int) : Draw (BitVec n) := do
    let v := BitVec.ofInt n (← random i)
    note (.immediate (v.signExtend 64).toNat)
    return v
  let top : Int := 2 ^ (n - 1)
  [⟨["0"], pure 0⟩,
    ⟨["i8"], drawn do
      let v : Int := (← below 256) - 128
      if v == 0 || (← below 2) == 0 then oneOf #[1, -1, 127, -128] else return v⟩,
    ⟨["i32"], drawn do
      let v : Int := (← bits n) - top
      if (← below 2) == 0 || (-128 ≤ v && v < 128) then oneOf #[128, -129, 255, 256, 65535, top - 1, -top, 1 - top] else return v⟩]

end Emitter.Cosim
