import emitter.Examples.Text
import TCB.ParseRust
import TCB.X86_64.Parse

/-!
# What the reader of a table of constants accepts, and what it refuses
-/

set_option autoImplicit false
namespace Emitter.Examples.Table
open TCB TCB.X86_64

/-- A file with a kernel whose table is the given lines. -/
def file (table : List String) (operand : String := "        table = sym VG_F_TABLE,")
    (type : String := "#[repr(C, align(64))]") : List String :=
  ["// A file.", "", "#[allow(dead_code, reason = \"only machine code reads it\")]", type,
    "struct Table<const N: usize>([u8; N]);", "", "#[unsafe(naked)]", "pub unsafe extern \"sysv64\" fn vg_f(a: usize) {",
    "    core::arch::naked_asm!(", "        \"lea rax, [rip + {table}]\",", "        \"ret\","] ++
  (if operand.isEmpty then [] else [operand]) ++
  ["    )", "}", "", "pub const VG_F_FEATURES: &[&str] = &[];", ""] ++ table

/-- The bytes of the table, if the file reads as one kernel. -/
def bytes (lines : List String) : Option (List Byte) :=
  match parser.file 1 (lines.map lineOf) with
  | some [f] => some f.program.constants
  | _ => none

#guard bytes (file ["static VG_F_TABLE: Table<3> = Table([", "    0x00, 0x1f,", "    0xfe,", "]);"]) == some [0, 0x1f, 0xfe]
#guard bytes (file [] (operand := "")) == some []

-- another length, name, type or form; no bytes, or not as they are printed; more after it
#guard [["static VG_F_TABLE: Table<2> = Table([", "    0x00, 0x1f, 0xfe,", "]);"],
  ["static VG_G_TABLE: Table<1> = Table([", "    0x00,", "]);"], ["static mut VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"],
  ["pub static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"], ["const VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"],
  ["static VG_F_TABLE: [u8; 1] = [", "    0x00,", "];"], ["static VG_F_TABLE: Table<0> = Table([", "]);"], [],
  ["static VG_F_TABLE: Table<1> = Table([", "    0,", "]);"], ["static VG_F_TABLE: Table<1> = Table([", "    0x0,", "]);"],
  ["static VG_F_TABLE: Table<1> = Table([", "    0x0g,", "]);"], ["static VG_F_TABLE: Table<1> = Table([", "    0x0F,", "]);"],
  ["static VG_F_TABLE: Table<1> = Table([", "    0x00", "]);"], ["static VG_F_TABLE: Table<1> = Table([", "    0x00 + 1,", "]);"],
  ["static VG_F_TABLE: Table<1> = Table([", "    0x00,"], ["static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]); fn f() {}"],
  ["static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);", "static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"]].all
  fun table => bytes (file table) == none

-- an import of types by their names, and nothing else
#guard ["use crate::asm::Slice;", "use crate::asm::SealArgs;", "use crate::asm::{OpenArgs, Slice};"].all fun line =>
  bytes (line :: file [] (operand := "")) == some []
#guard ["use crate::asm::*;", "use crate::asm::{Slice, *};", "use crate::Slice;", "use crate::asm::Other as Slice;", "pub use crate::asm::Slice;",
  "use crate::asm::{Slice};fn f() {}"].all fun line => bytes (line :: file [] (operand := "")) == none

-- the operand, and the type
#guard ["", "        table = sym VG_G_TABLE,", "        table = const VG_F_TABLE,", "        t = sym VG_F_TABLE,",
  "        options(raw),"].all fun operand =>
  bytes (file ["static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"] operand) == none
#guard ["#[repr(C, align(32))]", "#[repr(C)]", "#[repr(align(64))]", ""].all fun type =>
  bytes (file ["static VG_F_TABLE: Table<1> = Table([", "    0x00,", "]);"] (type := type)) == none

end Emitter.Examples.Table
