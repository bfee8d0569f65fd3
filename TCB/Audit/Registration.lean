import TCB.Artifact
import TCB.Audit.Walk

/-!
# The form of a registration

A registration is read as it stands, without unfolding anything: an artifact is the constructor applied to constants, and
its proof a theorem stated literally as `Verified target program contract`.
-/

set_option autoImplicit false
namespace TCB.Audit
open Lean

/-- A registered artifact. -/
structure Registration where
  name : Name
  module : Name
  /-- The second part of the module's name: the name of the architecture. -/
  arch : Name
  symbol : String
  file : String
  /-- The arguments of `Artifact` in its type. -/
  target : Array Expr
  program : Name
  contract : Name
  proof : Name

/-- The namespace of the target in TCB. -/
def Registration.targetNamespace (r : Registration) : Name := `TCB ++ r.arch

/-- The constant is declared, in a module with the given root, where its name says. -/
def isOf (p : Project) (root n : Name) : Bool := p.rootOf? n == some root && root.isPrefixOf n

/-- The characters of symbols and file names. -/
def isPlain (s : String) : Bool := !s.isEmpty && s.all fun c => c.isLower || c.isDigit || c == '_'

/-- The constant says that it is an artifact. -/
def isArtifact (c : Constant) : Bool := c.info.type.isAppOf ``Artifact

/-- The artifact that a constant is. -/
def registration (p : Project) (name : Name) (c : Constant) : Except String Registration := do
  let (`Artifacts :: arch :: _ :: _) := c.module.components | throw s!"{c.module} is not under Artifacts.<architecture>"
  if !c.module.isPrefixOf name then throw s!"is not in the namespace {c.module}"
  let .defnInfo { value, levelParams := [], .. } := c.info | throw "is not a plain definition"
  let args := c.info.type.getAppArgs
  let values := value.getAppArgs
  if args.size != 6 || !value.isAppOfArity ``Artifact.mk 13 || values.extract 0 6 != args then
    throw "is not the constructor of Artifact applied to its fields"
  let target := `TCB ++ arch ++ `target
  if args[5]! != mkConst target || !isOf p `TCB target then throw s!"is not for the target {target}"
  let .lit (.strVal symbol) := values[6]! | throw "has a symbol that is not a literal"
  let .lit (.strVal file) := values[7]! | throw "has a file that is not a literal"
  let .const program [] := values[8]! | throw "has a program that is not a constant"
  let .const contract [] := values[9]! | throw "has a contract that is not a constant"
  let .const proof [] := values[10]! | throw "has a proof that is not a constant"
  if !symbol.startsWith "vg_" || !isPlain symbol then throw s!"has the symbol {symbol}, which is not vg_…"
  if !isPlain file then throw s!"has the file name {file}, which is not plain"
  if !isOf p `Spec contract then throw s!"has the contract {contract}, which is not of Spec"
  if !isOf p `Impl program then throw s!"has the program {program}, which is not of Impl"
  if !isOf p `Proof proof then throw s!"has the proof {proof}, which is not of Proof"
  let some { info := .thmInfo { type := statement, levelParams := [], .. }, .. } := p.constants[proof]?
    | throw s!"has the proof {proof}, which is not a theorem"
  if statement != mkAppN (mkConst ``Verified) (args ++ #[mkConst program, mkConst contract]) then
    throw s!"has the proof {proof}, which does not literally state `Verified {target} {program} {contract}`"
  return { name, module := c.module, arch, symbol, file, target := args, program, contract, proof }

/-- All artifacts of the given modules. -/
def registrations (p : Project) (modules : Array Name) : AuditM (Array Registration) := do
  let mut found : Array Registration := #[]
  for module in modules do
    let before := found.size
    let mut refused := false
    for (name, c) in p.constants do
      if c.module != module || !isArtifact c then continue
      match registration p name c with
      | .error e => refuse s!"{name} {e}"; refused := true
      | .ok r => found := found.push r
    if found.size == before && !refused then refuse s!"{module} registers no artifact"
  for r in found do
    for other in found do
      if r.arch == other.arch && r.symbol == other.symbol && r.name.lt other.name then
        refuse s!"{r.name} and {other.name} have the same symbol, {r.symbol}"
  if modules.isEmpty then refuse "there is no module of artifacts"
  return found.qsort fun a b => a.name.lt b.name

end TCB.Audit
