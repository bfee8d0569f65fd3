import Lean.Replay
import TCB.Audit.Project

/-!
# Replaying the project through the kernel

A compiled module can hold constants that no kernel has seen. So every constant of the project is sent through the kernel,
in an environment that holds Lean's library only.
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

/-- The environment of Lean's library and the replayed constants of the project, and how many these are. -/
def replay (p : Project) : AuditM (Environment × Nat) := do
  let library ← importAll p.library
  let logical := p.constants.filter fun _ c => isLogical c.info
  for (n, c) in logical do
    if library.contains n then refuse s!"{n} in {c.module} takes the name of a library constant"
  let env ← try
      library.replay (logical.map fun _ c => c.info)
    catch e =>
      refuse s!"the kernel refuses the project: {e}"
      return (library, 0)
  for (n, c) in logical do
    match env.find? n with
    | none => refuse s!"{n} in {c.module} was not replayed"
    | some replayed =>
      unless sameConstant c.info replayed do
        refuse s!"{n} in {c.module} is not what the kernel makes of it"
  return (env, logical.size)

end TCB.Audit
