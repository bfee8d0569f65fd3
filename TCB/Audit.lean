import TCB.Audit.Registration
import TCB.Audit.Replay

/-!
# The audit

Nothing is emitted unless every artifact passes: its registration has the right form, all constants of the project pass
the kernel again, and what the artifact rests on are definitions, theorems and three axioms.
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- An artifact that passed. -/
structure Audited extends Registration where
  axioms : Array Name

/-- What passed. -/
structure Result where
  project : Project
  /-- The replayed environment: what the kernel has checked. -/
  env : Kernel.Environment
  artifacts : Array Audited
  /-- How many theorems of the project there are. -/
  theorems : Nat
  /-- How many constants of the project were replayed. -/
  replayed : Nat
  /-- How many constants of the library are taken as they are. -/
  library : Nat

/-- The module belongs to the trusted part. -/
def isTrusted (module : Name) : Bool := module.getRoot == `TCB || module.getRoot == `Spec

/-- Audit the modules of artifacts; `tools` are modules of TCB that the emitter needs besides. -/
def audit (modules tools : Array Name) : AuditM Result := do
  for module in modules do
    unless module.getRoot == `Artifacts do refuse s!"{module} is not under Artifacts"
  let project ← Project.load (modules ++ tools)
  checkProject project
  let mut artifacts := #[]
  let mut library : Std.HashSet Name := {}
  for r in ← registrations project modules do
    let found ← walk project r.name fun _ => true
    discard <| walk project r.contract isTrusted
    discard <| walk project (r.targetNamespace ++ `target) (·.getRoot == `TCB)
    library := library.insertMany found.library
    artifacts := artifacts.push { r with axioms := found.axioms.qsort Name.lt }
  let (env, replayed) ← replay project
  let theorems := project.constants.fold (fun n _ c => if c.info matches .thmInfo _ then n + 1 else n) 0
  return { project, env, artifacts, theorems, replayed, library := library.size }

end TCB.Audit
