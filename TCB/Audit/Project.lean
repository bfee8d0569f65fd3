import TCB.Audit.Fresh

/-!
# The constants of the project

Everything that the modules of artifacts import, told apart by the root of the declaring module: the library of Lean, and
the project.
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- The roots of the modules of Lean's library. -/
def libraryRoots : List Name := [`Init, `Std, `Lean]

/-- The roots of the modules that artifacts may rest on. -/
def projectRoots : List Name := [`TCB, `Spec, `Impl, `Proof, `Artifacts]

/-- An audit collects what it refuses. -/
abbrev AuditM := StateT (Array String) IO

/-- Refuse something, and go on. -/
def refuse (message : String) : AuditM Unit := modify (·.push message)

/-- A constant of the project, and the module that declares it. -/
structure Constant where
  module : Name
  info : ConstantInfo

/-- The modules of artifacts with everything that they import. -/
structure Project where
  /-- The environment that the checked modules say they have: nothing in it is believed before it is replayed. -/
  env : Environment
  /-- The modules of Lean's library. -/
  library : Array Name
  constants : Std.HashMap Name Constant

/-- Import modules without running any code of theirs. -/
def importAll (modules : Array Name) : IO Environment :=
  importModules (modules.map fun m => { module := m }) {} (trustLevel := 0) (loadExts := false)

/-- Two modules may each hold a theorem that Lean made where it was needed first. -/
def sameTheorem : ConstantInfo → ConstantInfo → Bool
  | .thmInfo a, .thmInfo b => a.toConstantVal == b.toConstantVal
  | _, _ => false

/-- Load the modules of artifacts, and what else the emitter needs. -/
def Project.load (modules : Array Name) : AuditM Project := do
  let env ← importAll modules
  let mut library := #[]
  let mut constants : Std.HashMap Name Constant := {}
  for module in env.header.moduleNames, data in env.header.moduleData do
    unless module.getRoot == `Lean do
      for i in data.imports do
        if i.module.getRoot == `Lean then refuse s!"{module} imports {i.module}: no proof needs the code of Lean itself"
    if libraryRoots.contains module.getRoot then
      library := library.push module
    else
      unless projectRoots.contains module.getRoot do
        refuse s!"the module {module} is neither of the project nor of Lean's library"
      for (name, info) in freshConstants data.constants do
        match info with
        | .error e => refuse s!"{name} in {module} {e}"
        | .ok info =>
          if let some other := constants[name]? then
            unless sameTheorem other.info info do refuse s!"{name} is in {other.module} and in {module}"
          constants := constants.insert name { module, info }
  return { env, library, constants }

/-- The root of the module that declares a constant of the project. -/
def Project.rootOf? (p : Project) (n : Name) : Option Name := p.constants[n]?.map (·.module.getRoot)

/-- A constant of the project or of the library. -/
def Project.find? (p : Project) (n : Name) : Option ConstantInfo := (p.constants[n]?.map (·.info)).or (p.env.find? n)

/-- The constant takes part in proofs: what is unsafe or partial cannot be used in one. -/
def isLogical (c : ConstantInfo) : Bool := !c.isUnsafe && !c.isPartial

/-- The constants that a constant mentions. -/
def uses (c : ConstantInfo) : Array Name :=
  c.type.getUsedConstants ++ match c with
  | .defnInfo v => v.value.getUsedConstants
  | .thmInfo v => v.value.getUsedConstants
  | .opaqueInfo v => v.value.getUsedConstants
  | .inductInfo v => v.ctors.toArray ++ v.all.toArray
  | .ctorInfo v => #[v.induct]
  | .recInfo v => v.all.toArray ++ v.rules.toArray.flatMap fun r => r.rhs.getUsedConstants
  | .axiomInfo _ | .quotInfo _ => #[]

end TCB.Audit
