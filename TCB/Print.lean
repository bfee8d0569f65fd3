import TCB.Flat

/-!
# Printing flat code

One line an item. The label `n` prints as the numeric local label `2n`, so that none looks like a binary literal; a
reference says whether the label stands before or after it.
-/

set_option autoImplicit false
namespace TCB

/-- How a target prints. -/
structure Printer (I C F : Type) where
  /-- What Rust's `target_arch` is. -/
  arch : String
  /-- The calling convention, as `extern` names it. -/
  callConv : String
  /-- The directives that a function with the CPU features begins with. -/
  prologue : List F → List String := fun _ => []
  instr : I → String
  /-- A conditional jump to a label. -/
  jcc : C → String → String
  /-- A jump to a label. -/
  jmp : String → String
  /-- The return instruction. -/
  ret : String
  /-- A CPU feature, as `is_x86_feature_detected!` and its like name it. -/
  feature : F → String

variable {I C F : Type}

/-- The text of the label `l`. -/
def labelText (l : Nat) : String := "2" ++ toString l

/-- A reference to the label `l` from position `k`. -/
def Flat.reference (p : Flat I C) (k l : Nat) : String :=
  labelText l ++ if (p.find l).any (· < k) then "b" else "f"

namespace Printer

/-- The text of the item at position `k`. -/
def item (pr : Printer I C F) (p : Flat I C) (k : Nat) : Item I C → String
  | .instr i => pr.instr i
  | .label l => labelText l ++ ":"
  | .jcc c l => pr.jcc c (p.reference k l)
  | .jmp l => pr.jmp (p.reference k l)

/-- The lines of a function: directives, then code that falls off its end, where the return instruction stands. -/
def lines (pr : Printer I C F) (p : Program I C F) : List String :=
  pr.prologue p.features ++ p.code.zipIdx.map (fun x => pr.item p.code x.2 x.1) ++ [pr.ret]

/-- A line in the template of Rust's `naked_asm!`, where a brace is written twice. -/
def template (line : String) : String := (line.replace "{" "{{").replace "}" "}}"

end Printer
end TCB
