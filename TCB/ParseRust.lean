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
    match [([chars!"usize"], .usize), ([['*'], chars!"const", chars!"u8"], .constBytes),
      ([['*'], chars!"mut", chars!"u8"], .mutBytes),
      ([['*'], chars!"const", chars!"Slice"], .slices)].lookup ty, ty with
    | some t, _ => some (name, t)
    | none, [a, b, type] => bif [a, b] == [['*'], chars!"const"] then some (name, .record (String.ofList type)) else none
    | none, _ => none
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

/-- The value of a hexadecimal digit. -/
def hexDigit (c : Char) : Option Nat :=
  bif c.isDigit then some (c.toNat - 48)
  else bif Nat.ble 97 c.toNat && Nat.ble c.toNat 102 then some (c.toNat - 87) else none

/-- A byte: `0x0f`. -/
def byteOf : List Token → Option Byte
  | [['0', 'x', h, l]] =>
    match hexDigit h, hexDigit l with
    | some h, some l => some (BitVec.ofNat 8 (16 * h + l))
    | _, _ => none
  | _ => none

/-- The bytes in lines with a comma after each, up to the end of a table, and the lines after it. -/
def bytesOf : List Line → Option (List Byte × List Line)
  | [] => none
  | l :: ls =>
    match l.tokens.reverse with
    | [[';'], [')'], [']']] => some ([], ls)
    | [','] :: ts =>
      match collect byteOf (splitAt [','] ts.reverse), bytesOf ls with
      | some bs, some (cs, rest) => some (bs ++ cs, rest)
      | _, _ => none
    | _ => none

/-- The name of the table of a function. -/
def tableName (symbol : Token) : Token := capitals symbol ++ chars!"_TABLE"

/-- The table of constants of a function that has one, and the lines after it. -/
def tableOf (symbol : Token) : (present : Bool) → List Line → Option (List Byte × List Line)
  | false, lines => some ([], lines)
  | true, lines =>
    match lines.dropWhile Line.isIdle with
    | [] => none
    | l :: ls =>
      match l.tokens, bytesOf ls with
      | [a, name, [':'], b, ['<'], n, ['>'], ['='], c, ['('], ['[']], some (x :: bs, rest) =>
        bif [a, b, c] == [chars!"static", chars!"Table", chars!"Table"] && name == tableName symbol &&
          natural n == some (bs.length + 1) then some (x :: bs, rest) else none
      | _, _ => none

/-- Whether a function has a table of constants, from the lines after its code, and the lines after its end. -/
def endOf (symbol : Token) : List Line → Option (Bool × List Line)
  | [] => none
  | l :: ls =>
    let present := l.tokens == [chars!"table", ['='], chars!"sym", tableName symbol, [',']]
    match bif present then ls else l :: ls with
    | c :: d :: rest => bif [c.tokens, d.tokens] == [[[')']], [['}']]] then some (present, rest) else none
    | _ => none

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
      | some (conv, name, params, returns), some (directives, code, rest) =>
        bif conv == p.callConv then
          (endOf name rest).bind fun (present, rest) =>
          (constantsOf name (params.map (·.1)) rest).bind fun (features, written, rest) =>
          (tableOf name present rest).bind fun (constants, rest) =>
          (collect p.feature features).bind fun features =>
          bif p.startsWith directives features then
            some ({
              symbol := String.ofList name
              params := params.map fun p => (String.ofList p.1, p.2)
              program := { features, code, constants }
              returns, written }, rest)
          else none
        else none
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

/-- The lines after the given ones, if the first that is not idle is one of these, as it must be then. -/
def after (lines : List Line) (start : List (List Token)) : Option (List Line) :=
  let lines := lines.dropWhile Line.isIdle
  bif (lines.head?.map Line.tokens) == start.head? then
    bif (lines.take start.length).map Line.tokens == start then some (lines.drop start.length) else none
  else some lines

/-- The type of tables: bytes alone, at a multiple of 64. -/
def tableType : List (List Token) := [
  tokensOf chars!"#[allow(dead_code," ++ [chars!"reason", ['='], ['"'], chars!"only", chars!"machine", chars!"code", chars!"reads",
    chars!"it", ['"'], [')'], [']']],
  tokensOf chars!"#[repr(C,align(64))]",
  [chars!"struct", chars!"Table", ['<'], chars!"const"] ++ tokensOf chars!"N:usize>([u8;N]);"]

/-- A name. -/
def isName (t : Token) : Bool := !t.isEmpty && t.all Char.isAlphanum

/-- The line imports types of `asm` by their names. -/
def isImport (ts : List Token) : Bool :=
  let start := [chars!"use"] ++ tokensOf chars!"crate::asm::"
  ts.take start.length == start && match ts.drop start.length with
    | [name, [';']] => isName name
    | ['{'] :: rest => match rest.reverse with
      | [';'] :: ['}'] :: names => (splitAt [','] names).all fun | [name] => isName name | _ => false
      | _ => false
    | _ => false

/-- The lines after the import of types, if there is one. -/
def afterImport (lines : List Line) : List Line :=
  match lines.dropWhile Line.isIdle with
  | [] => []
  | l :: ls => bif isImport l.tokens then ls else l :: ls

/-- The functions of a file, which are so many. -/
def file (n : Nat) (lines : List Line) : Option (List (Function I C F)) :=
  (after (afterImport lines) tableType).bind fun lines =>
  bif lines.isEmpty then none else p.functions n lines

end Parser
end TCB
