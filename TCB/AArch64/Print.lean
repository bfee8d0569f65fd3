import TCB.Print
import TCB.AArch64.Isa

/-!
# The text of AArch64 instructions

As disassemblers print them. An assembler takes `ldr` and `str` for the form with a scaled offset wherever the offset can be
encoded so, `mov` with an immediate of 16 bits for MOVZ, and `mov` between vector registers for ORR.
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The number of a register. -/
def Reg.number : Reg → Nat
  | .x0 => 0 | .x1 => 1 | .x2 => 2 | .x3 => 3 | .x4 => 4 | .x5 => 5 | .x6 => 6 | .x7 => 7 | .x8 => 8 | .x9 => 9 | .x10 => 10
  | .x11 => 11 | .x12 => 12 | .x13 => 13 | .x14 => 14 | .x15 => 15 | .x16 => 16 | .x17 => 17 | .x19 => 19 | .x20 => 20
  | .x21 => 21 | .x22 => 22 | .x23 => 23 | .x24 => 24 | .x25 => 25 | .x26 => 26 | .x27 => 27 | .x28 => 28 | .x29 => 29
  | .x30 => 30

/-- The name of a register, 64 bits. -/
def Reg.name (r : Reg) : String := s!"x{r.number}"

/-- A register or an immediate. -/
def Src.text : Src → String
  | .reg r => r.name
  | .imm v => s!"#{v.toNat}"

/-- The mnemonic. -/
def Alu.name : Alu → String
  | .add => "add" | .sub => "sub" | .subs => "subs"

/-- The name of a register that is loaded or stored. -/
def Transfer.name : Transfer → String
  | .gpr .dword r => r.name
  | .gpr _ r => s!"w{r.number}"
  | .vec v => s!"q{v.val}"

/-- An address. -/
def address (base : Reg) (offset : Int) : String :=
  if offset = 0 then s!"[{base.name}]" else s!"[{base.name}, #{offset}]"

/-- A load or a store: the mnemonic says how the offset is encoded, and that one byte is accessed. -/
def access (name : String) (t : Transfer) (a : Ea) : String :=
  let byte := match t with
    | .gpr .byte _ => "b"
    | _ => ""
  match a.offset with
  | .scaled k => s!"{name}r{byte} {t.name}, {address a.base (k.toNat * t.bytes)}"
  | .unscaled k => s!"{name}ur{byte} {t.name}, {address a.base k.toInt}"

/-- The registers and the address of a pair. -/
def Pair.text (p : Pair) (n : Reg) (k : BitVec 7) : String :=
  s!"{p.first.name}, {p.second.name}, {address n (k.toInt * p.first.bytes)}"

/-- The mnemonic. -/
def Logic.name : Logic → String
  | .and => "and" | .orr => "orr" | .eor => "eor"

/-- An operation on a general register. -/
def Un.text (d n : Reg) : Un → String
  | .mov => s!"mov {d.name}, {n.name}"
  | .rev => s!"rev {d.name}, {n.name}"
  | .revw => s!"rev w{d.number}, w{n.number}"
  | .lsl k => s!"lsl {d.name}, {n.name}, #{k.val + 1}"
  | .lsr k => s!"lsr {d.name}, {n.name}, #{k.toNat}"

/-- A lane of a vector register. -/
def Lane.text (v : Vec) : Lane → String
  | .s i => s!"v{v.val}.s[{i.toNat}]"
  | .d i => s!"v{v.val}.d[{i.toNat}]"

/-- The register that a lane is moved from or to. -/
def Lane.gpr (r : Reg) : Lane → String
  | .s _ => s!"w{r.number}"
  | .d _ => r.name

/-- An operation on two vector registers. -/
def VecBin.text (d n m : Vec) (op : VecBin) : String :=
  let three (name lanes : String) := s!"{name} v{d.val}.{lanes}, v{n.val}.{lanes}, v{m.val}.{lanes}"
  match op with
  | .and => three "and" "16b"
  | .orr => if n = m then s!"mov v{d.val}.16b, v{n.val}.16b" else three "orr" "16b"
  | .eor => three "eor" "16b"
  | .add4s => three "add" "4s"
  | .add2d => three "add" "2d"
  | .pmull => s!"pmull v{d.val}.1q, v{n.val}.1d, v{m.val}.1d"
  | .pmull2 => s!"pmull2 v{d.val}.1q, v{n.val}.2d, v{m.val}.2d"
  | .tbl => s!"tbl v{d.val}.16b, \{v{n.val}.16b}, v{m.val}.16b"
  | .zip1 => three "zip1" "2d"
  | .zip2 => three "zip2" "2d"
  | .ext k => s!"{three "ext" "16b"}, #{k.toNat}"

/-- An operation on one vector register. -/
def VecUn.text (d n : Vec) (op : VecUn) : String :=
  let two (name lanes : String) := s!"{name} v{d.val}.{lanes}, v{n.val}.{lanes}"
  match op with
  | .aesmc => two "aesmc" "16b"
  | .rev64 => two "rev64" "16b"
  | .rev32 => two "rev32" "16b"
  | .shl4s k => s!"{two "shl" "4s"}, #{k.toNat}"
  | .shl2d k => s!"{two "shl" "2d"}, #{k.toNat}"
  | .ushr4s k => s!"{two "ushr" "4s"}, #{32 - k.toNat}"
  | .ushr2d k => s!"{two "ushr" "2d"}, #{64 - k.toNat}"
  | .sshr4s k => s!"{two "sshr" "4s"}, #{32 - k.toNat}"
  | .sshr2d k => s!"{two "sshr" "2d"}, #{64 - k.toNat}"
  | .dup (.s i) => s!"dup v{d.val}.4s, {Lane.text n (.s i)}"
  | .dup (.d i) => s!"dup v{d.val}.2d, {Lane.text n (.d i)}"

/-- The text of an instruction. -/
def Instr.text : Instr → String
  | .alu op d n s => s!"{op.name} {d.name}, {n.name}, {s.text}"
  | .cmp n s => s!"cmp {n.name}, {s.text}"
  | .mov d v => s!"mov {d.name}, #{v.toNat}"
  | .ldr t a => access "ld" t a
  | .str t a => access "st" t a
  | .ldp p n k => s!"ldp {p.text n k}"
  | .stp p n k => s!"stp {p.text n k}"
  | .adrpTable d => s!"adrp {d.name}, {tableText}"
  | .addTable d n => s!"add {d.name}, {n.name}, :lo12:{tableText}"
  | .movi d v => s!"movi v{Fin.val d}.16b, #{v.toNat}"
  | .logic op d n m => s!"{op.name} {d.name}, {n.name}, {m.name}"
  | .un op d n => op.text d n
  | .movk d v k => s!"movk {d.name}, #{v.toNat}" ++ if k = 0 then "" else s!", lsl #{16 * k.toNat}"
  | .vecBin op d n m => op.text d n m
  | .vecUn op d n => op.text d n
  | .aese d n => s!"aese v{Fin.val d}.16b, v{Fin.val n}.16b"
  | .ins l d n => s!"mov {l.text d}, {l.gpr n}"
  | .umov l d n => s!"mov {l.gpr d}, {l.text n}"
  | .ldrPost t n k => s!"ldr q{Fin.val t}, [{n.name}], #{k.toInt}"
  | .strPost t n k => s!"str q{Fin.val t}, [{n.name}], #{k.toInt}"

/-- The text of an instruction for Mach-O objects, whose relocations are written otherwise. -/
def Instr.machO : Instr → Option String
  | .adrpTable d => some s!"adrp {d.name}, {tableText}@PAGE"
  | .addTable d n => some s!"add {d.name}, {n.name}, {tableText}@PAGEOFF"
  | _ => none

/-- A conditional branch to a label. -/
def Cond.branch (l : String) : Cond → String
  | .eq => s!"b.eq {l}"
  | .ne => s!"b.ne {l}"
  | .hs => s!"b.hs {l}"
  | .lo => s!"b.lo {l}"
  | .zero r => s!"cbz {r.name}, {l}"
  | .nonzero r => s!"cbnz {r.name}, {l}"

/-- The name of a CPU feature. -/
def Feature.name : Feature → String
  | .neon => "neon"
  | .aes => "aes"

/-- The architecture with the extensions that features name; Armv8-A itself has Advanced SIMD. -/
def directive (features : List Feature) : String :=
  ".arch armv8-a" ++ if features.contains .aes then "+aes" else ""

/-- How AArch64 prints. A directive for the architecture holds until the next one, also in later functions: each function has
its own. -/
def printer : Printer Instr Cond Feature where
  arch := "aarch64"
  callConv := "C"
  prologue features := [directive features]
  instr := Instr.text
  machO := Instr.machO
  jcc c l := c.branch l
  jmp l := s!"b {l}"
  ret := "ret"
  feature := Feature.name

end TCB.AArch64
