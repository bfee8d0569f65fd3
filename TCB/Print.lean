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
  /-- The text of an instruction for Mach-O objects, where it is another one. -/
  machO : I → Option String := fun _ => none
  /-- A conditional jump to a label. -/
  jcc : C → String → String
  /-- A jump to a label. -/
  jmp : String → String
  /-- The return instruction. -/
  ret : String
  /-- A CPU feature, as `is_x86_feature_detected!` and its like name it. -/
  feature : F → String

variable {I C F : Type}

/-- What stands for the table of constants. -/
def tableText : String := "vg_table"

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

/-- A line as a string literal in the template of Rust's `naked_asm!`, where a brace is written twice. -/
def template (line : String) : String :=
  "\"" ++ ((line.replace "{" "{{").replace "}" "}}").replace tableText "{table}" ++ "\""

/-- The item at position `k`, as an argument of `naked_asm!`. -/
def argument (pr : Printer I C F) (p : Flat I C) (k : Nat) (x : Item I C) : String :=
  let text := template (pr.item p k x)
  match x with
  | .instr i => ((pr.machO i).map fun m => s!"by_format!({text}, {template m})").getD text
  | _ => text

/-- The arguments that are the lines of a function: directives, then code that falls off its end, where the return
instruction stands. -/
def arguments (pr : Printer I C F) (p : Program I C F) : List String :=
  (pr.prologue p.features).map template ++ p.code.zipIdx.map (fun x => pr.argument p.code x.2 x.1) ++ [template pr.ret]

end Printer
end TCB
