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
  /-- The CPU feature with a name. -/
  feature : Token → Option F
  /-- The instruction with a mnemonic and the tokens of its operands. -/
  instr : Token → List (List Token) → Option I
  /-- The condition of the mnemonic of a conditional jump. -/
  jcc : Token → Option C
  /-- The mnemonic of a jump. -/
  jmp : Token
  /-- The return instruction. -/
  ret : Token

variable {I C F : Type}

/-- A label: `2` and a decimal number. -/
def labelOf : Token → Option Nat
  | '2' :: ds => natural ds
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

/-- A line of one part. -/
def single (m : Token) : List Token → Option (AsmLine I C)
  | [] => bif m == p.ret then some .ret else (p.instr m []).map fun i => .item (.instr i) none
  | [[':']] => (labelOf m).map fun l => .item (.label l) none
  | [r] =>
    match referenceOf r with
    | some (l, ahead) =>
      bif m == p.jmp then some (.item (.jmp l) (some ahead)) else (p.jcc m).map fun c => .item (.jcc c l) (some ahead)
    | none => (p.instr m [[r]]).map fun i => .item (.instr i) none
  | ts => (p.instr m [ts]).map fun i => .item (.instr i) none

/-- A line: a string literal and a comma. -/
def line : Line → Option (AsmLine I C)
  | [] => none
  | [a] => (opening a).bind fun o => (closing o.2).bind (p.single o.1)
  | a :: parts =>
    match opening a, operands parts with
    | some o, some ops => (p.instr o.1 (o.2 :: ops)).map fun i => .item (.instr i) none
    | _, _ => none

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

/-- The code up to the return instruction, and the lines after it. -/
def code (lines : List Line) : Option (Flat I C × List Line) := (p.rest [] [] lines).map fun r => (p.items lines, r)

end Parser
end TCB
