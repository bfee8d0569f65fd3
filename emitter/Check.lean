import TCB.Audit
import TCB.ParseRust

/-!
# Reading back what is written

The text of a file becomes a literal, and the kernel checks that it reads as the functions of the proven artifacts. So
neither the printer nor the compiled code that ran it needs trust.
-/

set_option autoImplicit false
namespace Emitter
open Lean TCB TCB.Audit

/-- A list literal. -/
def listLit (type : Expr) (elements : List Expr) : Expr :=
  elements.foldr (fun x xs => mkApp3 (mkConst ``List.cons [0]) type x xs) (mkApp (mkConst ``List.nil [0]) type)

/-- Literals by what they stand for, so that equal ones are one object: the kernel reads it once. -/
abbrev Shared := StateM (Std.HashMap String Expr)

/-- The literal for a string, made by `make` if there is none. -/
def shared (s : String) (make : Shared Expr) : Shared Expr := do
  if let some e := (← get)[s]? then return e
  let e ← make
  modify (·.insert s e)
  return e

/-- A word as `TCB.Lex` has it. -/
def wordLit (word : String) : Shared Expr := shared word do
  return listLit (mkConst ``Char) (word.toList.map fun c => mkApp (mkConst ``Char.ofNat) (mkRawNatLit c.toNat))

/-- A part; the separator in its key cannot stand in a word. -/
def partLit (part : String) : Shared Expr := shared (part ++ "\n") do
  return listLit (mkConst ``Word) (← (part.splitOn " ").mapM wordLit)

/-- A line. -/
def lineLit (line : String) : Shared Expr := return listLit (mkConst ``Part) (← (line.splitOn ", ").mapM partLit)

/-- A text. -/
def textLit (text : String) : Expr :=
  ((text.splitOn "\n").mapM lineLit : Shared (List Expr)).run' {} |>.run |> listLit (mkConst ``Line)

/-- The statement that a text reads as the functions of these artifacts. -/
def statement (text : String) (rs : Array Registration) (r : Registration) : Expr :=
  let i := r.target[1]!
  let c := r.target[2]!
  let f := r.target[3]!
  let parser := mkConst (r.targetNamespace ++ `parser)
  let function := mkApp3 (mkConst ``Function) i c f
  let functions := rs.map fun r => mkAppN (mkConst ``Artifact.function) (r.target.push (mkConst r.name))
  let type := mkApp (mkConst ``List [0]) function
  mkApp3 (mkConst ``Eq [1]) (mkApp (mkConst ``Option [0]) type)
    (mkApp6 (mkConst ``Parser.file) i c f parser (mkRawNatLit rs.size) (textLit text))
    (mkApp2 (mkConst ``Option.some [0]) type (listLit function functions.toList))

/-- Refuse a text, unless the kernel finds that it reads as the functions of these artifacts, by evaluation alone. -/
def checkText (result : Result) (file text : String) (rs : Array Registration) : AuditM Unit := do
  let some r := rs[0]? | refuse s!"{file} has no artifact"
  unless isOf result.project `TCB (r.targetNamespace ++ `parser) do
    refuse s!"there is no {r.targetNamespace ++ `parser} of TCB"
  let type := statement text rs r
  let value := mkApp2 (mkConst ``Eq.refl [1]) (type.getArg! 0) (type.getArg! 1)
  let theorem_ := Declaration.thmDecl { name := `Emitter.reads, levelParams := [], type, value }
  match result.env.addDeclCore 0 theorem_ none with
  | .ok _ => pure ()
  | .error e =>
    let why := match e with
      | .deepRecursion => "the kernel ran out of stack"
      | .excessiveMemory => "the kernel ran out of memory"
      | .declTypeMismatch .. => "they differ"
      | .unknownConstant _ name => s!"{name} is not known"
      | .other message => message
      | _ => "the kernel refuses the statement"
    refuse s!"{file} does not read back as {", ".intercalate (rs.map (·.symbol)).toList}: {why}"

end Emitter
