import TCB.Parse
import TCB.Rust

/-!
# Reading the Rust text of artifacts

The reverse of `Artifact.rust`, up to comments, for checking what was printed.
-/

set_option autoImplicit false
namespace TCB

/-- The tokens of a line of code. -/
def tokensOf (code : Word) : List Token := lex (code.filter (· != ' '))

/-- The parts of a list between the elements `a`. -/
def splitAt {α : Type} [BEq α] (a : α) : List α → List (List α)
  | [] => [[]]
  | b :: bs =>
    bif b == a then [] :: splitAt a bs else
    match splitAt a bs with
    | [] => [[b]]
    | p :: ps => (b :: p) :: ps

/-- The parts of a list between commas. -/
def listOf {α : Type} (f : List Token → Option α) (ts : List Token) : Option (List α) :=
  bif ts.isEmpty then some [] else collect f (splitAt [','] ts)

/-- A parameter: its name and its type. -/
def paramOf : List Token → Option (Token × RustType)
  | name :: [':'] :: ty =>
    ([([chars!"usize"], .usize), ([['*'], chars!"const", chars!"u8"], .constBytes),
      ([['*'], chars!"mut", chars!"u8"], .mutBytes),
      ([['*'], chars!"const", chars!"Slice"], .slices)].lookup ty).map ((name, ·))
  | _ => none

/-- Whether a function returns a `u32`, from what follows its parameters. -/
def returnsOf (ts : List Token) : Option Bool :=
  [([['{']], false), ([['-'], ['>'], chars!"u32", ['{']], true)].lookup ts

/-- The first line of a function: its calling convention, name, parameters, and whether it returns. -/
def headOf : List Token → Option (Token × Token × List (Token × RustType) × Bool)
  | a :: b :: c :: ['"'] :: conv :: ['"'] :: d :: name :: ['('] :: rest =>
    bif [a, b, c, d] == [chars!"pub", chars!"unsafe", chars!"extern", chars!"fn"] then
      match splitAt [')'] rest with
      | [params, tail] =>
        match listOf paramOf params, returnsOf tail with
        | some ps, some r => some (conv, name, ps, r)
        | _, _ => none
      | _ => none
    else none
  | _ => none

/-- A constant: its name, its type, and its value. -/
def constantOf : List Token → Option (Token × List Token × List Token)
  | a :: b :: name :: [':'] :: rest =>
    match [a, b] == [chars!"pub", chars!"const"], splitAt ['='] rest with
    | true, [ty, value] =>
      match value.reverse with
      | [';'] :: v => some (name, ty, v.reverse)
      | _ => none
    | _, _ => none
  | _ => none

/-- The word in a string literal. -/
def stringOf : List Token → Option Token
  | [['"'], s, ['"']] => some s
  | _ => none

/-- In capitals. -/
def capitals (t : Token) : Token := t.map Char.toUpper

/-- The names of the CPU features that a function says it needs. -/
def featuresOf (symbol : Token) (ts : List Token) : Option (List Token) :=
  match constantOf ts with
  | some (name, ty, ['&'] :: ['['] :: value) =>
    bif name == capitals symbol ++ chars!"_FEATURES" && ty == tokensOf chars!"&[&str]" then
      match value.reverse with
      | [']'] :: v => listOf stringOf v.reverse
      | _ => none
    else none
  | _ => none

/-- The parameter of which a function says how many bytes are written, and how many. -/
def writtenOf (symbol : Token) (params : List Token) (ts : List Token) : Option (String × Nat) :=
  match constantOf ts with
  | some (name, [ty], [value]) =>
    bif ty == chars!"usize" then
      match params.find? fun p => name == capitals symbol ++ '_' :: capitals p ++ chars!"_WRITTEN", natural value with
      | some p, some n => some (String.ofList p, n)
      | _, _ => none
    else none
  | _ => none

/-- The constants of the bytes that are written, and the lines from the first that is none. -/
def allWrittenOf (symbol : Token) (params : List Token) : List Line → List (String × Nat) × List Line
  | [] => ([], [])
  | l :: ls =>
    bif l.isIdle then allWrittenOf symbol params ls else
    match writtenOf symbol params l.tokens with
    | some w => let r := allWrittenOf symbol params ls; (w :: r.1, r.2)
    | none => ([], l :: ls)

/-- The constants after a function, and the lines after them. -/
def constantsOf (symbol : Token) (params : List Token) (lines : List Line) :
    Option (List Token × List (String × Nat) × List Line) :=
  match lines.dropWhile Line.isIdle with
  | l :: ls => (featuresOf symbol l.tokens).map ((·, allWrittenOf symbol params ls))
  | [] => none

variable {I C F : Type}

namespace Parser
variable (p : Parser I C F)

/-- A function, and the lines after it. -/
def function : List Line → Option (Function I C F × List Line)
  | a :: h :: o :: body =>
    bif a.tokens == tokensOf chars!"#[unsafe(naked)]" && o.tokens == tokensOf chars!"core::arch::naked_asm!(" then
      match headOf h.tokens, p.code body with
      | some (conv, name, params, returns), some (directives, code, c :: d :: rest) =>
        match conv == p.callConv && [c.tokens, d.tokens] == [[[')']], [['}']]],
          constantsOf name (params.map (·.1)) rest with
        | true, some (features, written, rest) =>
          match collect p.feature features with
          | some features =>
            bif p.startsWith directives features then
              some ({
                symbol := String.ofList name
                params := params.map fun p => (String.ofList p.1, p.2)
                program := { features, code }
                returns, written }, rest)
            else none
          | none => none
        | _, _ => none
      | _, _ => none
    else none
  | _ => none

/-- So many functions with nothing but blank lines and comments between them. -/
def functions : Nat → List Line → Option (List (Function I C F))
  | 0, lines => bif lines.all Line.isIdle then some [] else none
  | n + 1, lines =>
    match p.function (lines.dropWhile Line.isIdle) with
    | some (f, rest) => (functions n rest).map (f :: ·)
    | none => none

/-- The functions of a file, which are so many. -/
def file (n : Nat) (lines : List Line) : Option (List (Function I C F)) :=
  match lines.dropWhile Line.isIdle with
  | l :: ls => p.functions n (bif l.tokens == [chars!"use"] ++ tokensOf chars!"crate::asm::Slice;" then ls else l :: ls)
  | [] => none

end Parser
end TCB
