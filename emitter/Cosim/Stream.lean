import emitter.Cosim.Machine

/-!
# The stream of cases

First what the machine and its instructions are, a line of JSON each; then the cases in binary, each as what differs from
the state after the case before.
-/

set_option autoImplicit false
namespace Emitter.Cosim
open Lean TCB

variable {S I C F : Type} [DecidableEq I] [DecidableEq C] [DecidableEq F]

/-- A form of a line of code. -/
structure Form (I C : Type) where
  name : String
  draw : Draw (Item I C)

/-- Forms of instructions, of conditional jumps, and of jumps. -/
def Machine.forms (m : Machine S I C F) : Array (Form I C) :=
  let instructions : List (Form I C) := m.shapes.map fun s => { name := " ".intercalate s.parts, draw := .instr <$> s.draw }
  let jumps : List (Form I C) := m.conds.map fun c => { name := " ".intercalate ("jcc" :: c.parts), draw := do return .jcc (← c.draw) 0 }
  (instructions ++ jumps ++ [({ name := "jmp", draw := pure (.jmp 0) } : Form I C)]).toArray

/-- An instruction in a test, and the code that it stands in. -/
structure Sample (I C : Type) where
  form : Nat
  item : Item I C
  operands : Array Operand

/-- Code whose first line is the item: the next line comes after it, and its jump goes to the one after that. -/
def codeOf : Item I C → Flat I C
  | .instr i => [.instr i]
  | item => [item, .label 1, .label 0]

/-- Which forms a run is about: every `of`-th one. -/
structure Part where
  first : Nat
  of : Nat

/-- All distinct instructions of a test. Of those with one text all but the last one again are kept: the gate has to see them. -/
def Machine.draw (m : Machine S I C F) (part : Part) (count : Nat) : Rand (Array (Sample I C)) := do
  let mut samples := #[]
  for h : form in [0 : m.forms.size] do
    if form % part.of != part.first then continue
    let mut distinct : Std.HashMap String (Item I C) := {}
    for sample in [0 : count] do
      let rng ← get
      let (item, d) := (m.forms[form]).draw.run { rng, sample }
      set d.rng
      let text := m.printer.item (codeOf item) 0 item
      unless distinct[text]? == some item do
        distinct := distinct.insert text item
        samples := samples.push { form, item, operands := d.operands }
  return samples

/-- The printed text, without what surrounds the code of a function. -/
def Machine.text (m : Machine S I C F) (code : Flat I C) : List String :=
  code.zipIdx.map fun x => m.printer.item code x.2 x.1

/-- The CPU features that code needs, and no others. -/
def Machine.program (m : Machine S I C F) (code : Flat I C) : Program I C F where
  features := (code.flatMap fun | .instr i => m.target.isa.requires i | _ => []).eraseDups
  code

/-- The text reads as nothing but this code, by a reader that shares nothing with the printer. -/
def Machine.readsBack (m : Machine S I C F) (code : Flat I C) : Bool :=
  let p := m.program code
  let lineOf (s : String) : Line := (s!"{s},".splitOn ", ").map fun p => (p.splitOn " ").map (·.toList)
  match m.parser.code ((m.printer.arguments p).map lineOf) with
  | some (directives, found, _) => m.parser.startsWith directives p.features && found == code
  | none => false

/-- The line that describes the machine. -/
def Machine.describe (m : Machine S I C F) (samples : Nat) : Json := Json.mkObj [
  ("arch", m.printer.arch),
  ("components", Json.arr (m.components.map fun c => Json.mkObj [("name", c.name), ("size", c.size)])),
  ("memory", Json.mkObj [("base", memoryBase), ("length", memoryLength), ("fill", fill.toNat), ("window", windowBytes)]),
  ("constructors", toJson m.constructors),
  ("forms", toJson (m.forms.map (·.name))),
  ("samples", samples)]

/-- The linker fills in a part of the instruction: what it does depends on where things lie. -/
def Machine.isLinked (m : Machine S I C F) : Item I C → Bool
  | .instr i => ((m.printer.instr i).splitOn tableText).length != 1
  | _ => false

/-- The line that describes an instruction. -/
def Machine.describeSample (m : Machine S I C F) (s : Sample I C) : Json :=
  let features := (m.program [s.item]).features
  Json.mkObj [
    ("form", s.form),
    ("linked", m.isLinked s.item),
    ("features", toJson (features.map m.printer.feature)),
    ("prologue", toJson (m.printer.prologue features)),
    ("lines", toJson (m.text (codeOf s.item)))]

/-- The low bytes of a number. -/
def putNat (out : ByteArray) (n : Nat) : Nat → ByteArray
  | 0 => out
  | 1 => out.push (UInt8.ofNat (n % 256))
  | 2 => (out.push (UInt8.ofNat (n % 256))).push (UInt8.ofNat (n / 256 % 256))
  | size + 3 =>
    -- Three bytes at a time: numbers below 2^31 are not allocated on a 32-bit machine.
    let low := n % 16777216
    putNat (((out.push (UInt8.ofNat low)).push (UInt8.ofNat (low / 256))).push (UInt8.ofNat (low / 65536))) (n / 16777216) size

/-- Tags of the stream; smaller ones are those of components. -/
def tagWindow : UInt8 := 253
def tagByte : UInt8 := 254
def tagEnd : UInt8 := 255

/-- What is different in the second image. -/
def Machine.putChanges (m : Machine S I C F) (out : ByteArray) (x y : Image) : ByteArray := Id.run do
  let mut out := out
  for h : i in [0 : m.components.size] do
    let v := y.values[i]!
    if x.values[i]! != v then out := putNat (out.push (UInt8.ofNat i)) v m.components[i].size
  if x.window != y.window then out := putNat (out.push tagWindow) y.window 8
  for i in [0 : windowBytes] do
    let v := y.bytes[i]!
    if x.bytes[i]! != v then out := ((out.push tagByte).push (UInt8.ofNat i)).push (UInt8.ofNat v.toNat)
  return out.push tagEnd

/-- The accesses of a trace: where, and how many bytes. -/
def accesses (t : Trace) : List (Nat × Nat) := t.filterMap fun
  | .load a n | .store a n => some (a.toNat, n)
  | .branch _ => none

/-- All accesses as one, if they lie one right after the other. -/
def joined : List (Nat × Nat) → Option (Nat × Nat)
  | [] => none
  | first :: rest => rest.foldl (init := some first) fun all x =>
    all.bind fun (a, n) => if x.1 == a + n then some (a, n + x.2) else none

/-- The bytes that change are among those that the trace says are stored. -/
def storedIn (before after : Image) (t : Trace) : Bool :=
  let stored := t.filterMap fun | .store a n => some (a.toNat, n) | _ => none
  (List.range windowBytes).all fun i =>
    let x := before.window + i
    before.bytes[i]! == after.bytes[i]! || stored.any fun s => s.1 ≤ x && x < s.1 + s.2

/--
What no processor shows: the trace has accesses exactly from the address of the operands on, they lie in the window with guards
on both sides, nothing else is stored, and the model faults where the first byte or the last may not be accessed.
-/
def Machine.accessesRight (m : Machine S I C F) (s : Sample I C) (before after : Image) (t : Trace) : Bool :=
  let addressOnly := match s.item with | .instr i => m.addressOnly i | _ => false
  let address? := s.operands.findSome? fun | .address a => some (before.effective a) | _ => none
  match (if addressOnly then none else address?), joined (accesses t) with
  | none, none => (accesses t).isEmpty && storedIn before after t
  | some address, some (a, n) =>
    let faults (a n : Nat) : Bool :=
      let only : List Region := [⟨BitVec.ofNat 64 a, n⟩]
      let memory := { before.memory with readable := only, writable := only }
      (m.target.isa.step { features := m.features, code := codeOf s.item } (0, m.state before memory)).isNone
    a == address && 0 < n && storedIn before after t && before.window + guard ≤ a &&
      a + n + guard ≤ before.window + windowBytes && !faults a n && faults (a + 1) (n - 1) && faults a (n - 1)
  | _, _ => false

/-- One case: inputs made from an image, what the model makes of them, and whether it jumps. The reader has `known`. -/
def Machine.case (m : Machine S I C F) (index : Nat) (s : Sample I C) (known image : Image) (out : ByteArray) :
    Rand (Except String (Image × ByteArray)) := do
  let input ← m.inputs s.operands image
  let code := codeOf s.item
  match m.target.isa.step { features := m.features, code } (0, m.state input input.memory) with
  | none => return .error s!"the model faults on {m.text code}"
  | some ((next, after), trace) =>
    let output := m.image input after
    unless m.accessesRight s input output trace do
      return .error s!"{m.text code} accesses other memory than its operands and the trace say"
    let out := m.putChanges (putNat out index 4) known input
    return .ok (output, m.putChanges (out.push (if next == 1 then 0 else 1)) input output)

/-- How many bytes are written at a time. -/
def chunkBytes : Nat := 1 <<< 16

/-- Write everything: `cases` of each form that needs no linker. -/
def Machine.stream (m : Machine S I C F) (cases seed : Nat) (part : Part) : IO Unit := do
  let out ← IO.getStdout
  let (samples, rng) := (m.draw part (min cases (max m.samples (cases / 64)))).run ⟨UInt64.ofNat seed⟩
  out.putStrLn (m.describe samples.size).compress
  for s in samples do out.putStrLn (m.describeSample s).compress
  let (image, rng) := m.start.run rng
  let mut (known, image, rng, bytes) := (m.zero, image, rng, ByteArray.empty)
  let mut first := 0
  while h : first < samples.size do
    let form := samples[first].form
    let mut count := 1
    while samples[first + count]?.any (·.form == form) do count := count + 1
    for k in [0 : if m.isLinked samples[first].item then 0 else cases] do
      let index := first + k % count
      let some sample := samples[index]? | throw <| IO.userError "a form without instructions"
      let (result, rng') := (m.case index sample known image bytes).run rng
      rng := rng'
      match result with
      | .error e => throw <| IO.userError e
      | .ok (output, more) => (known, image, bytes) := (output, output, more)
      if bytes.size > chunkBytes then
        out.write bytes
        bytes := ByteArray.empty
    first := first + count
  out.write (putNat bytes 0xffffffff 4)
  out.flush

/-- The text of an instruction that does the same with its operands exchanged. -/
def Machine.commutedText (m : Machine S I C F) : Item I C → Option String
  | .instr i => (m.commuted i).map m.printer.instr
  | _ => none

/-- Write the instructions, with whether each reads back; then code with a jump to a label before it. -/
def Machine.list (m : Machine S I C F) (seed : Nat) : IO Unit := do
  let out ← IO.getStdout
  let (samples, _) := (m.draw ⟨0, 1⟩ m.samples).run ⟨UInt64.ofNat seed⟩
  out.putStrLn (m.describe samples.size).compress
  for s in samples do
    let json := (m.describeSample s).setObjVal! "read" (m.readsBack (codeOf s.item))
    out.putStrLn (json.setObjVal! "commuted" (toJson (m.commutedText s.item))).compress
  let jumps : List (Item I C) := .jmp 0 :: m.conds.map fun c => .jcc (c.draw.run { rng := ⟨0⟩, sample := 0 }).1 0
  for item in jumps do
    let code := [.label 0, item]
    let prologue := m.printer.prologue (m.program code).features
    out.putStrLn (Json.mkObj [
      ("prologue", toJson prologue), ("lines", toJson (m.text code)), ("read", m.readsBack code)]).compress
  out.flush

/-- The command: `list SEED`, or `cases COUNT SEED FIRST OF`. -/
def Machine.main (m : Machine S I C F) (args : List String) : IO Unit := do
  try
    match args, args.tail.map (·.toNat?) with
    | "list" :: _, [some seed] => m.list seed
    | "cases" :: _, [some cases, some seed, some first, some of] => m.stream cases seed ⟨first, of⟩
    | _, _ => throw <| IO.userError "usage: list SEED, or cases COUNT SEED FIRST OF"
  catch e =>
    IO.eprintln s!"error: {e}"
    IO.Process.exit 1
  IO.Process.exit 0

end Emitter.Cosim
