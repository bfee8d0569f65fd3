import TCB.Audit.Project

/-!
# What an artifact rests on

The walk follows every constant of the project. Where Lean's library holds the bodies of its theorems it follows these
too; otherwise they appear as axioms, and constants of the library are leaves.
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- The axioms that proofs may use. -/
def allowedAxioms : List Name := [``propext, ``Quot.sound, ``Classical.choice]

/-- Constants of the library that prove anything, or that trust compiled code. -/
def forbidden : List Name :=
  [``sorryAx, `Lean.ofReduceBool, `Lean.ofReduceNat, `Lean.reduceBool, `Lean.reduceNat, `Lean.trustCompiler]

/-- The library holds the bodies of its theorems. -/
def hasBodies (env : Environment) : Bool :=
  match env.find? ``Nat.add_comm with
  | some (.thmInfo _) => true
  | _ => false

/-- What was found below a constant. -/
structure Found where
  seen : Std.HashSet Name := {}
  axioms : Array Name := #[]
  library : Array Name := #[]

/-- Why a constant of the project must not be below an artifact. -/
def fault? (p : Project) (n : Name) (c : ConstantInfo) : Option String :=
  if c matches .opaqueInfo _ then some "is opaque or partial"
  else if !isLogical c then some "is unsafe"
  else if (Compiler.getImplementedBy? p.env n).isSome then some "is implemented by other code"
  else if isExtern p.env n then some "is extern"
  else none

/-- Walk everything below a constant; `allowed` says on which modules it may rest. -/
def walk (p : Project) (top : Name) (allowed : Name → Bool) : AuditM Found := do
  let strict := hasBodies p.env
  let mut found : Found := {}
  let mut todo := #[top]
  while !todo.isEmpty do
    let n := todo.back!
    todo := todo.pop
    if found.seen.contains n then continue
    found := { found with seen := found.seen.insert n }
    if forbidden.contains n then refuse s!"{top} rests on {n}"
    let some c := p.find? n | refuse s!"{top} rests on {n}, which does not exist"
    let mut follow := true
    match p.constants[n]? with
    | some own =>
      unless allowed own.module do refuse s!"{top} rests on {n} of {own.module}"
      if let some fault := fault? p n own.info then refuse s!"{top} rests on {n}, which {fault}"
    | none =>
      follow := strict
      found := { found with library := found.library.push n }
      if allowedAxioms.contains n then found := { found with axioms := found.axioms.push n }
      else if strict && c matches .axiomInfo _ then refuse s!"{top} rests on the axiom {n}"
    if follow then
      for m in uses c do
        unless found.seen.contains m do todo := todo.push m
  return found

/-- Refuse what no module of the project may hold, whether an artifact rests on it or not. -/
def checkProject (p : Project) : AuditM Unit := do
  for (n, c) in p.constants do
    if c.info matches .axiomInfo _ | .quotInfo _ then refuse s!"{n} in {c.module} is an axiom"
    for m in uses c.info do
      if forbidden.contains m then refuse s!"{n} in {c.module} uses {m}"
  for module in p.env.header.moduleNames, i in [0:p.env.header.moduleNames.size] do
    unless p.library.contains module do
      unless (Compiler.CSimp.ext.ext.getModuleEntries p.env i).isEmpty do
        refuse s!"{module} replaces compiled code (csimp)"

end TCB.Audit
