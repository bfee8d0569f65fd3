import TCB.Artifact
import TCB.Print

/-!
# The Rust text of an artifact

A naked function, its documentation, constants with its CPU features and with the number of bytes that it writes, and its
table of constants.
-/

set_option autoImplicit false
namespace TCB

/-- The types of parameters in Rust. -/
inductive RustType where
  | usize | constBytes | mutBytes | slices
  | record (type : String)
  deriving DecidableEq

/-- The Rust type of a parameter. -/
def Ty.rust : Ty → RustType
  | .usize => .usize
  | .bytes role _ => if role.writes then .mutBytes else .constBytes
  | .slices _ => .slices
  | .record type => .record type

/-- What the Rust text of an artifact says to the compiler. -/
structure Function (I C F : Type) where
  symbol : String
  /-- Names and types. -/
  params : List (String × RustType)
  /-- Whether the function returns a `u32`. -/
  returns : Bool
  program : Program I C F
  /-- The parameters of which only the first bytes are written, and how many. -/
  written : List (String × Nat)

variable {S I C F : Type} [DecidableEq F] {t : Target S I C F}

/-- The declared prefixes of constant length, of what parameters point to. -/
def Contract.constantWrites (c : Contract) : List (String × Nat) :=
  c.writtenWithin.filterMap fun w => match w.2 with
    | .const n => if c.sig.params.any (·.name == w.1) then some (w.1, n) else none
    | .arg _ => none

/-- The function that an artifact is emitted as. -/
def Artifact.function (a : Artifact t) : Function I C F where
  symbol := a.symbol
  params := a.contract.sig.params.map fun p => (p.name, p.ty.rust)
  returns := a.contract.sig.returns
  program := a.program
  written := a.contract.constantWrites

/-! ## Text -/

/-- The text of a type. -/
def RustType.text : RustType → String
  | .usize => "usize"
  | .constBytes => "*const u8"
  | .mutBytes => "*mut u8"
  | .slices => "*const Slice"
  | .record type => s!"*const {type}"

/-- A line of documentation. -/
def docLine (s : String) : String := if s.isEmpty then "///" else "/// " ++ s

/-- Code font. -/
def tick (s : String) : String := "`" ++ s ++ "`"

/-- A number of things. -/
def Extent.text (things : String) : Extent → String
  | .const n => s!"{n} {things}"
  | .arg a => s!"{tick a} {things}"

/-- What a caller must ensure about a parameter. -/
def Param.safety (p : Param) : List String :=
  match p.ty with
  | .usize => []
  | .record type =>
    [s!"{tick p.name} is valid for reads of one [`{type}`], which is not kept secret, and whose fields are named here as \
      arguments are."]
  | .bytes role len =>
    let access := match role.reads, role.writes with
      | true, true => "reads and writes"
      | _, true => "writes"
      | _, false => "reads"
    let contents := if role = .publicInput then ", which are not kept secret" else ""
    [s!"{tick p.name} is valid for {access} of {len.text "bytes"}{contents}."]
  | .slices count =>
    [s!"{tick p.name} is valid for reads of {count.text "[`crate::asm::Slice`]s"}, whose addresses and lengths are not kept secret.",
     s!"The {tick "ptr"} of each slice of {tick p.name} is valid for reads of its {tick "len"} bytes, and any pointer \
      where {tick "len"} is 0."]

/-- The parameters whose buffers the kernel may write. -/
def Sig.written (sig : Sig) : List String :=
  (sig.all.filter fun p => match p.ty with
    | .bytes role _ => role.writes
    | _ => false).map (·.name)

/-- What a caller must ensure. -/
def Contract.safety (c : Contract) (features : List String) : List String :=
  (if features.isEmpty then [] else [s!"The CPU has {", ".intercalate (features.map tick)}."]) ++
  c.sig.all.flatMap Param.safety ++
  c.sig.written.map (s!"The bytes of {tick ·} overlap no other bytes that this function may access.") ++
  c.requires.map (·.text ++ ".")

/-- What the function may write. -/
def Contract.frame (c : Contract) : String :=
  if c.writtenWithin.isEmpty then "Writes no memory." else
  let parts := c.writtenWithin.map fun w => s!"the first {w.2.text "bytes"} of {tick w.1}"
  s!"Writes only {" and ".intercalate parts}."

/-! ## Structures -/

/-- A structure that functions take: its name and its fields. -/
structure Record where
  type : String
  fields : List Param
  deriving DecidableEq

/-- The structure of a signature, if it has one. -/
def Sig.structure (sig : Sig) : Option Record :=
  sig.params.findSome? fun p => match p.ty with
    | .record type => some { type, fields := sig.fields }
    | _ => none

/-- What the documentation of a structure says of a field. -/
def Record.doc (r : Record) (p : Param) : String :=
  match p.ty with
  | .usize | .record _ =>
    match r.fields.find? fun q => q.ty.extents.contains (.arg p.name) with
    | some q => s!"How much is at {tick q.name}."
    | none => "See the functions that take this structure."
  | .bytes role len =>
    let access := match role.reads, role.writes with
      | true, true => "read and written"
      | _, true => "written"
      | _, false => "read"
    s!"Where {len.text "bytes"} are {access}."
  | .slices count => s!"Where {count.text "slices"} are."

/-- The lines of a structure. -/
def Record.lines (r : Record) : List String :=
  [docLine "Arguments of functions that take more than there are registers for.",
   "#[repr(C)]",
   "#[derive(Clone, Copy, Debug)]",
   s!"pub struct {r.type} \{"] ++
  (r.fields.flatMap fun p => ["    " ++ docLine (r.doc p), s!"    pub {p.name}: {p.ty.rust.text},"]) ++
  ["}",
   "",
   "#[cfg(target_pointer_width = \"64\")]",
   "const _: () = {"] ++
  ((List.range r.fields.length).zip r.fields).map (fun (i, p) =>
    s!"    assert!(core::mem::offset_of!({r.type}, {p.name}) == {8 * i});") ++
  [s!"    assert!(size_of::<{r.type}>() == {8 * r.fields.length});",
   "};"]

/-- The name of a constant of a function. -/
def constantName (symbol suffix : String) : String := s!"{symbol.toUpper}_{suffix}"

/-- The type of tables. -/
def tableType : List String := [
  "/// A table of constants.",
  "#[allow(dead_code, reason = \"only machine code reads it\")]",
  "#[repr(C, align(64))]",
  "struct Table<const N: usize>([u8; N]);"]

/-- A byte, in hexadecimal. -/
def byteText (b : Byte) : String :=
  let digit (n : Nat) := ((Nat.toDigits 16 n).map (·.toString))
  "0x" ++ String.join (digit (b.toNat / 16) ++ digit (b.toNat % 16))

/-- Lists of `n` elements, and of what remains. -/
def chunks {α : Type} (n : Nat) : (fuel : Nat) → List α → List (List α)
  | 0, _ | _, [] => []
  | fuel + 1, xs => xs.take n :: chunks n fuel (xs.drop n)

/-- The table of constants of a function. -/
def tableLines (symbol : String) (bytes : List Byte) : List String :=
  if bytes.isEmpty then [] else
  ["", docLine s!"The constants of [{tick symbol}].",
    s!"static {constantName symbol "TABLE"}: Table<{bytes.length}> = Table(["] ++
  (chunks 16 bytes.length bytes).map (fun bs => "    " ++ ", ".intercalate (bs.map byteText) ++ ",") ++
  ["]);"]

/-- The lines of an artifact in its Rust file, with the names of its contract and its proof. -/
def Artifact.rust (pr : Printer I C F) (a : Artifact t) (contract proof : String) : List String :=
  let f := a.function
  let names := f.program.features.map pr.feature
  let params := ", ".intercalate (f.params.map fun p => s!"{p.1}: {p.2.text}")
  let returns := if f.returns then " -> u32" else ""
  let features := ", ".intercalate (names.map fun n => s!"\"{n}\"")
  [a.contract.summary, "", s!"Meets {tick contract}; proven by {tick proof}.", a.contract.frame, "", "# Safety", ""].map docLine ++
  (a.contract.safety names).map (docLine <| "- " ++ ·) ++
  ["#[unsafe(naked)]",
   s!"pub unsafe extern \"{pr.callConv}\" fn {f.symbol}({params}){returns} \{",
   "    core::arch::naked_asm!("] ++
  (pr.arguments f.program).map (s!"        {·},") ++
  (if f.program.constants.isEmpty then [] else [s!"        table = sym {constantName f.symbol "TABLE"},"]) ++
  ["    )",
   "}",
   "",
   docLine s!"The CPU features that [{tick f.symbol}] needs.",
   s!"pub const {constantName f.symbol "FEATURES"}: &[&str] = &[{features}];"] ++
  (f.written.flatMap fun w => [
   docLine s!"How many bytes of {tick w.1} [{tick f.symbol}] may write.",
   s!"pub const {constantName f.symbol s!"{w.1.toUpper}_WRITTEN"}: usize = {w.2};"]) ++
  tableLines f.symbol f.program.constants

end TCB
