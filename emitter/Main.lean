import emitter.Files
import TCB.AArch64.Parse
import TCB.AArch64.Print
import TCB.X86_64.Parse
import TCB.X86_64.Print

/-!
# The emitter

`lean --run emitter/Main.lean OUT MODULE…` audits the modules of artifacts and writes their Rust to `OUT/asm`, with a
report in `OUT/report.json`. It writes nothing if it refuses anything. The modules that print and read a target are found
by its name; they are imported here so that the emitter is run again when they change.
-/

set_option autoImplicit false
namespace Emitter
open Lean TCB TCB.Audit

/-- The modules that the emitter evaluates, for the architectures of some modules of artifacts. -/
def tools (modules : Array Name) : Array Name :=
  let archs := (modules.toList.filterMap fun m => m.components[1]?).eraseDups.toArray
  #[`TCB.ParseRust] ++ archs.flatMap fun a => #[`TCB ++ a ++ `Print, `TCB ++ a ++ `Parse]

/-- Groups by a key, in its order. -/
def groups {α : Type} (key : α → String) (xs : Array α) : Array (String × Array α) :=
  let keys := (xs.map key).toList.eraseDups.toArray.qsort (· < ·)
  keys.map fun k => (k, xs.filter (key · == k))

/-- Audit, print, and check what is printed. -/
unsafe def emit (modules : Array Name) : AuditM (Result × Array Printed × Array (String × String)) := do
  let result ← audit modules (tools modules)
  unless (← get).isEmpty do return (result, #[], #[])
  IO.eprintln s!"replayed {result.replayed} constants of the project"
  let mut printed := #[]
  for a in result.artifacts do
    match printAny result a with
    | .ok p => printed := printed.push p
    | .error e => refuse s!"{a.name} cannot be evaluated: {e}"
  let mut files := #[]
  for (path, ps) in groups Printed.path printed do
    let text := kernelFile ps
    IO.eprintln s!"reading back {path}"
    checkText result path text (ps.map (·.artifact.toRegistration))
    files := files.push (path, text)
  for (arch, ps) in groups Printed.arch printed do
    files := files.push (s!"{arch}/mod.rs", archFile arch (ps.any (·.byFormat)) ((groups (·.artifact.file) ps).map (·.1)).toList)
  let archs := (groups Printed.arch printed).map (·.1)
  let records := (printed.filterMap (·.record)).toList.eraseDups.mergeSort fun a b => a.type ≤ b.type
  unless (records.map (·.type)).eraseDups.length = records.length do
    refuse s!"two structures of one name: {", ".intercalate (records.map (·.type))}"
  return (result, printed, files.push ("mod.rs", rootFile archs.toList (printed.any (·.usesSlices)) records))

/-- Write the files, or say what is refused. -/
unsafe def run (out : System.FilePath) (modules : Array Name) : IO UInt8 := do
  let ((result, printed, files), refusals) ← (emit modules).run #[]
  unless refusals.isEmpty do
    for refusal in refusals do IO.eprintln s!"refused: {refusal}"
    return 1
  for (path, text) in files do
    let path := out / "asm" / path
    if let some dir := path.parent then IO.FS.createDirAll dir
    IO.FS.writeFile path text
  IO.FS.writeFile (out / "report.json") ((report result printed).pretty ++ "\n")
  return 0

end Emitter

/-- The command. -/
unsafe def main (args : List String) : IO Unit := do
  let code ← try
      match args with
      | out :: modules => Emitter.run out (modules.map String.toName).toArray
      | [] => throw <| IO.userError "usage: OUT MODULE…"
    catch e =>
      IO.eprintln s!"error: {e}"
      pure 1
  IO.Process.exit code
