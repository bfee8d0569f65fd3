import Lean

/-!
# Terms made anew

Names, levels and terms carry what their constructors computed: hashes, whether they have parameters, how many variables
are loose. The kernel believes these, and compiled modules hold them as bits that anybody can write. So the audit makes
everything again with the constructors before it looks at it.

What was made is found again by `==`. This may miss two equal terms with different forged hashes, but it never takes
different terms for equal: equal hashes alone are not enough for it.
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- What was made so far. -/
structure Made where
  names : Std.HashMap Name Name := {}
  terms : Std.HashMap Expr Expr := {}

/-- Making stops at what no closed term has. -/
abbrev FreshM := StateT Made (Except String)

/-- A number from its digits: a large one is an object, and could hold what the arithmetic of Lean never makes. -/
partial def freshNat (n : Nat) : Nat :=
  let low := n.toUInt16.toNat
  if n < 65536 then low else freshNat (n / 65536) * 65536 + low

/-- A string from its characters. -/
def freshString (s : String) : String := String.ofList (s.toList.map fun c => Char.ofNat c.toNat)

/-- The compiler would return the old object where it matched a constructor without fields, so this is not to be seen. -/
@[noinline] def anonymous (_ : Unit) : Name := .anonymous

@[inherit_doc anonymous, noinline] def levelZero (_ : Unit) : Level := .zero

/-- A name. -/
def freshName (n : Name) : FreshM Name := do
  if let some made := (← get).names[n]? then return made
  let made ← match n with
    | .anonymous => return anonymous ()
    | .str p s => pure <| .str (← freshName p) (freshString s)
    | .num p i => pure <| .num (← freshName p) (freshNat i)
  modify fun m => { m with names := m.names.insert n made }
  return made

/-- Some names. -/
def freshNames (ns : List Name) : FreshM (List Name) := ns.mapM freshName

/-- A universe level. -/
def freshLevel : Level → FreshM Level
  | .zero => return levelZero ()
  | .succ u => return .succ (← freshLevel u)
  | .max u v => return .max (← freshLevel u) (← freshLevel v)
  | .imax u v => return .imax (← freshLevel u) (← freshLevel v)
  | .param n => return .param (← freshName n)
  | .mvar _ => throw "has a level that is not known"

/-- A term, without the metadata, which mean nothing. -/
partial def freshTerm (e : Expr) : FreshM Expr := do
  if let some made := (← get).terms[e]? then return made
  let made ← match e with
    | .bvar i =>
      -- A term has no room for the number of so many loose variables.
      unless i < 2 ^ 19 do throw "has a variable too far from where it is bound"
      pure <| .bvar (freshNat i)
    | .sort u => pure <| .sort (← freshLevel u)
    | .const n us => pure <| .const (← freshName n) (← us.mapM freshLevel)
    | .app f a => pure <| .app (← freshTerm f) (← freshTerm a)
    | .lam n t b i => pure <| .lam (← freshName n) (← freshTerm t) (← freshTerm b) i
    | .forallE n t b i => pure <| .forallE (← freshName n) (← freshTerm t) (← freshTerm b) i
    | .letE n t v b i => pure <| .letE (← freshName n) (← freshTerm t) (← freshTerm v) (← freshTerm b) i
    | .lit (.natVal n) => pure <| .lit (.natVal (freshNat n))
    | .lit (.strVal s) => pure <| .lit (.strVal (freshString s))
    | .mdata _ e => freshTerm e
    | .proj s i e => pure <| .proj (← freshName s) (freshNat i) (← freshTerm e)
    | .fvar _ | .mvar _ => throw "has a variable that is not bound"
  modify fun m => { m with terms := m.terms.insert e made }
  return made

/-- What all constants have. -/
def freshVal (v : ConstantVal) : FreshM ConstantVal :=
  return { name := ← freshName v.name, levelParams := ← freshNames v.levelParams, type := ← freshTerm v.type }

/-- How far a definition can be used in proofs. -/
def freshSafety (s : DefinitionSafety) : DefinitionSafety :=
  if s == .safe then .safe else if s == .partial then .partial else .«unsafe»

/-- What a recursor computes for a constructor. -/
def freshRule (r : RecursorRule) : FreshM RecursorRule :=
  return { ctor := ← freshName r.ctor, nfields := freshNat r.nfields, rhs := ← freshTerm r.rhs }

/-- A constant. -/
def freshConstant : ConstantInfo → FreshM ConstantInfo
  | .axiomInfo v => return .axiomInfo { v with toConstantVal := ← freshVal v.toConstantVal }
  | .quotInfo v => return .quotInfo { v with toConstantVal := ← freshVal v.toConstantVal }
  | .defnInfo v => return .defnInfo {
      toConstantVal := ← freshVal v.toConstantVal, value := ← freshTerm v.value, hints := v.hints
      safety := freshSafety v.safety, all := ← freshNames v.all }
  | .thmInfo v => return .thmInfo {
      toConstantVal := ← freshVal v.toConstantVal, value := ← freshTerm v.value, all := ← freshNames v.all }
  | .opaqueInfo v => return .opaqueInfo {
      toConstantVal := ← freshVal v.toConstantVal, value := ← freshTerm v.value, isUnsafe := v.isUnsafe
      all := ← freshNames v.all }
  | .inductInfo v => return .inductInfo { v with
      toConstantVal := ← freshVal v.toConstantVal, numParams := freshNat v.numParams
      numIndices := freshNat v.numIndices, all := ← freshNames v.all, ctors := ← freshNames v.ctors
      numNested := freshNat v.numNested }
  | .ctorInfo v => return .ctorInfo { v with
      toConstantVal := ← freshVal v.toConstantVal, induct := ← freshName v.induct, cidx := freshNat v.cidx
      numParams := freshNat v.numParams, numFields := freshNat v.numFields }
  | .recInfo v => return .recInfo { v with
      toConstantVal := ← freshVal v.toConstantVal, all := ← freshNames v.all, numParams := freshNat v.numParams
      numIndices := freshNat v.numIndices, numMotives := freshNat v.numMotives, numMinors := freshNat v.numMinors
      rules := ← v.rules.mapM freshRule }

/-- The constants of a module, by their names. -/
def freshConstants (infos : Array ConstantInfo) : Array (Name × Except String ConstantInfo) := Id.run do
  let mut made : Made := {}
  let mut all := #[]
  for info in infos do
    match (freshConstant info).run made with
    | .ok (fresh, now) =>
      made := now
      all := all.push (fresh.name, .ok fresh)
    | .error e => all := all.push (info.name, .error e)
  return all

end TCB.Audit
