import TCB.Parse

/-!
# Text for examples
-/

set_option autoImplicit false
namespace Emitter.Examples
open TCB
variable {I C F : Type} (p : Parser I C F)

/-- A line of text as the reader takes it. -/
def lineOf (s : String) : Line := (s.splitOn ", ").map fun p => (p.splitOn " ").map (·.toList)

/-- The instruction in an argument of `naked_asm!`, if it is one. -/
def readsTemplate (s : String) : Option I :=
  match p.line (lineOf s!"        {s},") with
  | some (.item (.instr i) none) => some i
  | _ => none

/-- The instruction in a string literal, if it is one. -/
def reads (s : String) : Option I := readsTemplate p s!"\"{s}\""

/-- The code in some string literals, of a function with the CPU features. -/
def code (lines : List String) (features : List F := []) : Option (Flat I C) :=
  (p.code (lines.map fun s => lineOf s!"\"{s}\",")).bind fun r => if p.startsWith r.1 features then some r.2.1 else none

end Emitter.Examples
