import TCB.Flat
import TCB.Lex

/-!
# Reading flat code

The reverse of `TCB.Print`, for checking what was printed: nothing but text that says exactly one program is read.
-/

set_option autoImplicit false
namespace TCB

/-- The results of `f`, if it has one for every element. -/
def collect {α β : Type} (f : α → Option β) : List α → Option (List β)
  | [] => some []
  | a :: as =>
    match f a, collect f as with
    | some b, some bs => some (b :: bs)
    | _, _ => none

/-- How the text of a target is read. -/
structure Parser (I C F : Type) where
  /-- The calling convention, as `extern` names it. -/
  callConv : Token
  /-- The tokens of the directives that a function with the CPU features begins with. -/
  prologue : List F → List (List Token) := fun _ => []
  /-- The CPU feature with a name. -/
  feature : Token → Option F
  /-- The instruction with a mnemonic and the tokens of its operands. -/
  instr : Token → List (List Token) → Option I
  /-- The instruction in an argument that has another text for Mach-O objects. -/
  byFormat : List Token → Option I := fun _ => none
  /-- The condition of a jump, if it has one, and its reference, from its mnemonic and the tokens of its operands. -/
  jump : Token → List (List Token) → Option (Option C × Token)
  /-- The return instruction. -/
  ret : Token

variable {I C F : Type}

/-- What stands for the table of constants. -/
def tableTokens : List Token := [['{'], chars!"table", ['}']]

/-- A label: `2` and a decimal number. -/
def labelOf : Token → Option Nat
  | '2' :: ds => bif ds.length.ble 8 then natural ds else none
  | _ => none

/-- A reference to a label, and whether it stands ahead. -/
def referenceOf (t : Token) : Option (Nat × Bool) :=
  match labelOf t.dropLast, t.getLast? with
  | some l, some 'f' => some (l, true)
  | some l, some 'b' => some (l, false)
  | _, _ => none

/-- What a line of assembly is. -/
inductive AsmLine (I C : Type) where
  /-- An item; for a jump, whether its label stands ahead. -/
  | item (i : Item I C) (ahead : Option Bool)
  | ret

/-- The mnemonic and the first operand in the part that opens a string literal. -/
def opening (p : Part) : Option (Token × List Token) :=
  match p.tokens with
  | ['"'] :: m :: ts => some (m, ts)
  | _ => none

/-- What stands before the end of a string literal and a comma. -/
def closing (ts : List Token) : Option (List Token) :=
  match ts.reverse with
  | [','] :: ['"'] :: rest => some rest.reverse
  | _ => none

/-- The operands after the first one. -/
def operands : List Part → Option (List (List Token))
  | [] => none
  | [p] => (closing p.tokens).map ([·])
  | p :: ps => (operands ps).map (p.tokens :: ·)

namespace Parser
variable (p : Parser I C F)

/-- A jump. -/
def jumping (m : Token) (ops : List (List Token)) : Option (AsmLine I C) :=
  match p.jump m ops with
  | none => none
  | some (c, r) =>
    match referenceOf r, c with
    | none, _ => none
    | some (l, ahead), some c => some (.item (.jcc c l) (some ahead))
    | some (l, ahead), none => some (.item (.jmp l) (some ahead))

/-- A jump or an instruction: nothing is both. -/
def statement (m : Token) (ops : List (List Token)) : Option (AsmLine I C) :=
  match p.jumping m ops with
  | none => (p.instr m ops).map fun i => .item (.instr i) none
  | j => j

/-- A line of one part. -/
def single (m : Token) : List Token → Option (AsmLine I C)
  | [] => bif m == p.ret then some .ret else p.statement m []
  | [[':']] => (labelOf m).map fun l => .item (.label l) none
  | ts => p.statement m [ts]

/-- A line: a string literal, or one for each format of objects, and a comma. -/
def line : Line → Option (AsmLine I C)
  | [] => none
  | [a] => (opening a).bind fun o => (closing o.2).bind (p.single o.1)
  | a :: parts =>
    match opening a, operands parts with
    | some o, some ops => p.statement o.1 (o.2 :: ops)
    | some _, none => none
    | none, _ => (p.byFormat (Line.tokens (a :: parts))).map fun i => .item (.instr i) none

/--
The lines up to the return instruction are code, and these are the lines after it: labels are unique, and each reference
finds its label on the side that it says, after the labels `before` and with the labels `ahead` to come.
-/
def rest (before ahead : List Nat) : List Line → Option (List Line)
  | [] => none
  | l :: ls =>
    match p.line l with
    | some .ret => bif ahead.isEmpty then some ls else none
    | some (.item (.label l) none) =>
      bif before.contains l then none else rest (l :: before) (ahead.filter (· != l)) ls
    | some (.item (.jcc _ l) (some side)) | some (.item (.jmp l) (some side)) =>
      bif before.contains l == side then none else rest before (bif side then l :: ahead else ahead) ls
    | some (.item (.instr _) none) => rest before ahead ls
    | _ => none

/-- The items up to the return instruction. -/
def items : List Line → Flat I C
  | [] => []
  | l :: ls =>
    match p.line l with
    | some (.item i _) => i :: items ls
    | _ => []

/-- The tokens of the directives that the lines begin with, and the lines after them. -/
def directives : List Line → List (List Token) × List Line
  | [] => ([], [])
  | l :: ls =>
    match l.tokens with
    | ['"'] :: ['.'] :: _ => let r := directives ls; (l.tokens :: r.1, r.2)
    | _ => ([], l :: ls)

/-- The directives are those of a function with the CPU features. -/
def startsWith (found : List (List Token)) (features : List F) : Bool :=
  found == (p.prologue features).map fun d => ['"'] :: d ++ [['"'], [',']]

/-- The directives, the code up to the return instruction, and the lines after it. -/
def code (lines : List Line) : Option (List (List Token) × Flat I C × List Line) :=
  let d := directives lines
  (p.rest [] [] d.2).map fun r => (d.1, p.items d.2, r)

end Parser
end TCB
