import TCB.Audit.Project

/-!
# Replaying the project through the kernel

A compiled module can hold constants that no kernel has seen. So every constant of the project is sent through the kernel,
in an environment that holds Lean's library only. (`Lean.Environment.replay` does the same with less: it goes through the
elaborator's environment, which takes private names of different modules for one.)
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- The kernel made the same of a constant as the compiled module holds. -/
def sameConstant : ConstantInfo → ConstantInfo → Bool
  | .defnInfo a, .defnInfo b => a.toConstantVal == b.toConstantVal && a.value == b.value && a.safety == b.safety
  | .thmInfo a, .thmInfo b => a.toConstantVal == b.toConstantVal && a.value == b.value
  | .opaqueInfo a, .opaqueInfo b => a.toConstantVal == b.toConstantVal && a.value == b.value
  | .inductInfo a, .inductInfo b =>
    a.toConstantVal == b.toConstantVal && a.numParams == b.numParams && a.numIndices == b.numIndices && a.all == b.all &&
      a.ctors == b.ctors && a.numNested == b.numNested && a.isRec == b.isRec && a.isReflexive == b.isReflexive
  | .ctorInfo a, .ctorInfo b => a == b
  | .recInfo a, .recInfo b => a == b
  | _, _ => false

/-- What is replayed, and how far it is. -/
structure Replay where
  constants : Std.HashMap Name Constant
  env : Kernel.Environment
  begun : Std.HashSet Name := {}

/-- Replaying stops at the first constant that the kernel refuses. -/
abbrev ReplayM := StateT Replay (Except String)

/-- The inductive types declared together, as they are given to the kernel. -/
def inductiveTypes (constants : Std.HashMap Name Constant) (v : InductiveVal) : Except String (List InductiveType) :=
  v.all.mapM fun name => do
    let some ⟨_, .inductInfo v⟩ := constants.get? name | throw s!"{name} is not an inductive type"
    let ctors ← v.ctors.mapM fun name => do
      let some ⟨_, .ctorInfo c⟩ := constants.get? name | throw s!"{name} is not a constructor"
      return { name, type := c.type }
    return { name, type := v.type, ctors }

/-- What the kernel is asked to add for a constant; constructors and recursors come with their type. -/
def declaration? (constants : Std.HashMap Name Constant) : ConstantInfo → Except String (Option Declaration)
  | .defnInfo v => return some (.defnDecl v)
  | .thmInfo v => return some (.thmDecl v)
  | .opaqueInfo v => return some (.opaqueDecl v)
  | .inductInfo v => return some (.inductDecl v.levelParams v.numParams (← inductiveTypes constants v) v.isUnsafe)
  | .ctorInfo _ | .recInfo _ => return none
  | .axiomInfo v => throw s!"{v.name} is an axiom"
  | .quotInfo v => throw s!"{v.name} declares quotients"

/-- The constants that must be there before a constant. -/
def needs (constants : Std.HashMap Name Constant) : ConstantInfo → Array Name
  | .inductInfo v => v.all.toArray.flatMap fun name =>
    match constants.get? name with
    | some ⟨_, .inductInfo v⟩ =>
      v.type.getUsedConstants ++ v.ctors.toArray.flatMap fun c => (constants[c]?.map (·.info.type.getUsedConstants)).getD #[]
    | _ => #[]
  | c => uses c

/-- Add a constant after those that it needs. -/
partial def add (name : Name) : ReplayM Unit := do
  let r ← get
  let some c := r.constants[name]? | return
  if r.begun.contains name then return
  let together := match c.info with
    | .inductInfo v => v.all
    | _ => [name]
  modify fun r => { r with begun := r.begun.insertMany together }
  for n in needs r.constants c.info do add n
  if let some d ← declaration? r.constants c.info then
    match (← get).env.addDeclCore 0 d none with
    | .ok env => modify fun r => { r with env }
    | .error e => throw s!"{name} in {c.module}: {describe e}"
where
  /-- One line about what the kernel says. -/
  describe : Kernel.Exception → String
    | .declTypeMismatch .. => "its value does not have its type"
    | .alreadyDeclared .. => "it takes the name of a library constant"
    | .deepRecursion => "deep recursion"
    | .deterministicTimeout => "timeout"
    | .unknownConstant _ n => s!"unknown constant {n}"
    | .other e => e
    | _ => "it is not well typed"

/-- The kernel's environment of Lean's library and the replayed constants of the project, and how many these are. -/
def replay (p : Project) : AuditM (Kernel.Environment × Nat) := do
  let env := (← importAll p.library).toKernelEnv
  let logical := p.constants.filter fun _ c => isLogical c.info
  match (logical.keys.forM add).run { constants := logical, env } with
  | .error e =>
    refuse s!"the kernel refuses {e}"
    return (env, 0)
  | .ok (_, { env, .. }) =>
    for (n, c) in logical do
      unless (env.find? n).any (sameConstant c.info) do refuse s!"{n} in {c.module} is not what the kernel makes of it"
    return (env, logical.size)

end TCB.Audit
