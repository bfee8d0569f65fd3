import TCB.Isa

/-!
# Flat code

What is printed and run: a list of instructions, labels and jumps, executed by program counter.
-/

set_option autoImplicit false
namespace TCB

/-- One line of flat code. Labels are numbers. -/
inductive Item (I C : Type) where
  | instr (i : I)
  | label (l : Nat)
  | jcc (c : C) (l : Nat)
  | jmp (l : Nat)
  deriving DecidableEq

/-- Flat code; a return instruction stands after its last line. -/
abbrev Flat (I C : Type) := List (Item I C)

/-- Flat code, the CPU features that it may use, and its table of constants: bytes that lie beside it in memory. -/
structure Program (I C F : Type) where
  features : List F
  code : Flat I C
  constants : List Byte := []

variable {S I C F : Type}

/-- The item is the label `l`. -/
def Item.isLabel (l : Nat) : Item I C → Bool
  | .label l' => l' == l
  | _ => false

/-- The position of a label. -/
def Flat.find (p : Flat I C) (l : Nat) : Option Nat := p.findIdx? (Item.isLabel l)

/-- A position in the code and a machine state. -/
abbrev Config (S : Type) := Nat × S

namespace Isa
variable (isa : Isa S I C F) [DecidableEq F]

/-- One step of flat code; `none` is a fault, or the end of the code. -/
def step (p : Program I C F) (x : Config S) : Option (Config S × Trace) :=
  match p.code[x.1]? with
  | none => none
  | some (.instr i) =>
    if (isa.requires i).all p.features.contains then (isa.exec i x.2).map fun r => ((x.1 + 1, r.1), r.2) else none
  | some (.label _) => some ((x.1 + 1, x.2), [])
  | some (.jmp l) => (p.code.find l).map fun pc => ((pc, x.2), [])
  | some (.jcc c l) =>
    match isa.eval c x.2, p.code.find l with
    | some b, some pc => some ((if b then pc else x.1 + 1, x.2), [.branch b])
    | _, _ => none

/-- Zero or more steps, with the trace they leave. -/
inductive Steps (p : Program I C F) : Config S → Trace → Config S → Prop
  | refl (x) : Steps p x [] x
  | head {x y z t u} : isa.step p x = some (y, t) → Steps p y u z → Steps p x (t ++ u) z

/-- The program runs from its first line in `s` to its end in `s'` without a fault, and leaks `t`. -/
def Runs (p : Program I C F) (s : S) (t : Trace) (s' : S) : Prop := isa.Steps p (0, s) t (p.code.length, s')

end Isa
end TCB
