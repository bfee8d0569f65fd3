/-!
# The tokens of emitted text

The text of an emitted file, as the kernel of Lean reads it: lines; in a line, the parts between `", "`; in a part, the
words between single spaces. What reads it is independent of what prints it, and is evaluated by the kernel. A part is
read the same way wherever it stands, so that the kernel, which keeps what it has evaluated, reads equal parts once.
-/

set_option autoImplicit false
namespace TCB

/-- What stands between two single spaces. -/
abbrev Word := List Char

/-- What stands between two `", "`. -/
abbrev Part := List Word

/-- A line. -/
abbrev Line := List Part

/-- A sequence of letters, digits and underscores, or any other single character. -/
abbrev Token := List Char

/-- The characters of a string literal. -/
macro:max "chars!" s:str : term => do
  let cs := (s.getString.toList.map Lean.Syntax.mkCharLit).toArray
  `([$cs,*])

/-- Letters, digits and the underscore stand together. -/
def joins (c : Char) : Bool := c.isAlphanum || c == '_'

/-- The tokens of a word. -/
def lex : Word → List Token
  | [] => []
  | c :: cs =>
    match joins c, lex cs with
    | true, (d :: ds) :: ts => bif joins d then (c :: d :: ds) :: ts else [c] :: (d :: ds) :: ts
    | _, ts => [c] :: ts

/-- The tokens of a part. -/
def Part.tokens (p : Part) : List Token := p.flatMap lex

/-- The tokens of a line. -/
def Line.tokens : Line → List Token
  | [] => []
  | [p] => p.tokens
  | p :: ps => p.tokens ++ [','] :: Line.tokens ps

/-- The line is blank or a comment. -/
def Line.isIdle : Line → Bool
  | [] => true
  | p :: ps =>
    match p.dropWhile (·.isEmpty) with
    | ('/' :: '/' :: _) :: _ => true
    | ws => ws.isEmpty && ps.isEmpty

/-- The value of decimal digits after those that make `n`. -/
def digits (n : Nat) : Token → Option Nat
  | [] => some n
  | c :: cs => bif c.isDigit then digits (n * 10 + (c.toNat - 48)) cs else none

/-- A natural number, in decimal without leading zeros. -/
def natural : Token → Option Nat
  | ['0'] => some 0
  | '0' :: _ | [] => none
  | cs => digits 0 cs

end TCB
