import Lean
/-!
Checks one module after another in one process, so that Lean's library is loaded once and not for every file.

Reads a job a line on stdin, `{"token": …, "module": …, "source": …, "olean": …, "library": [..]}`; answers on stdout with
`{"token": …, "message": …}` for each of Lean's own JSON messages, a line each, then `{"token": …, "finished": true}` when the
.olean is written, else `{"token": …, "finished": false}`. Code of the module can print too, but does not know the token.
-/
open Lean Elab

namespace LeanWorker

structure Job where
  token : String
  module : String
  source : String
  olean : String
  /-- The library modules that the module and its imports import; loaded once for all jobs that name the same. -/
  library : Array String
  deriving FromJson

/-- Loaded library data, never freed; project modules are added on top of a copy. -/
abbrev Libraries := Std.HashMap (Array String) ImportState

def loadLibrary (libraries : IO.Ref Libraries) (modules : Array String) : IO ImportState := do
  if let some state := (← libraries.get)[modules]? then return state
  let (_, state) ← (importModulesCore (modules.map ({ module := ·.toName })) (globalLevel := .private)).run
  libraries.modify (·.insert modules state)
  return state

def answer (job : Job) (key : String) (value : Json) : IO Unit :=
  IO.println (Json.mkObj [("token", job.token), (key, value)]).compress

def importError (job : Job) (e : IO.Error) : Json := .mkObj
  [("severity", "error"), ("fileName", job.source), ("data", toString e), ("pos", .mkObj [("line", 1), ("column", 0)])]

/-- Elaborates a module with native Lean's import level; true when it has no error and its .olean is written. -/
def check (libraries : IO.Ref Libraries) (options : Options) (job : Job) : IO Bool := do
  let input := Parser.mkInputContext (← IO.FS.readFile job.source) job.source
  let (header, parserState, messages) ← Parser.parseHeader input
  let imports := headerToImports header
  let env? ← EIO.toBaseIO <| withImporting do
    let library ← loadLibrary libraries job.library
    let (_, state) ← (importModulesCore imports (globalLevel := .private)).run library
    finalizeImport state imports options (leakEnv := false) (loadExts := true) (level := .private)
  match env? with
  | .error e =>
    answer job "message" (importError job e)
    return false
  | .ok env =>
    let state := Command.mkState (env.setMainModule job.module.toName) messages options
    let final := (← IO.processCommands input parserState state).commandState
    for m in final.messages.toList do answer job "message" (← m.toJson)
    if final.messages.hasErrors then return false
    writeModule final.env job.olean
    return true

partial def loop (libraries : IO.Ref Libraries) (options : Options) (input : IO.FS.Stream) : IO Unit := do
  let line ← input.getLine
  if line.isEmpty then return
  let job ← IO.ofExcept (Json.parse line >>= fromJson?)
  let finished ← try check libraries options job catch e => do
    answer job "message" (importError job e)
    pure false
  answer job "finished" finished
  loop libraries options input

unsafe def main : IO Unit := do
  enableInitializersExecution
  let options : Options := ({} : Options).setBool `Elab.async false
  -- The main thread's stack is small whatever `-s` says; a dedicated thread gets that size.
  let task ← IO.asTask (prio := .dedicated) (loop (← IO.mkRef {}) options (← IO.getStdin))
  IO.ofExcept (← IO.wait task)

end LeanWorker
