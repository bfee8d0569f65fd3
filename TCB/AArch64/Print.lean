import TCB.Print
import TCB.AArch64.Isa

/-!
# The text of AArch64 instructions

As disassemblers print them. An assembler takes `ldr` and `str` for the form with a scaled offset wherever the offset can be
encoded so, and `mov` with an immediate of 16 bits for MOVZ.
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

/-- The text of an instruction. -/
def Instr.text : Instr → String
  | .alu op d n s => s!"{op.name} {d.name}, {n.name}, {s.text}"
  | .cmp n s => s!"cmp {n.name}, {s.text}"
  | .mov d v => s!"mov {d.name}, #{v.toNat}"
  | .ldr t a => access "ld" t a
  | .str t a => access "st" t a
  | .ldp p n k => s!"ldp {p.text n k}"
  | .stp p n k => s!"stp {p.text n k}"
  | .movi d v => s!"movi v{Fin.val d}.16b, #{v.toNat}"

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

/-- How AArch64 prints. A directive for the architecture holds until the next one, also in later functions: each function has
its own. -/
def printer : Printer Instr Cond Feature where
  arch := "aarch64"
  callConv := "C"
  prologue _ := [".arch armv8-a"]
  instr := Instr.text
  jcc c l := c.branch l
  jmp l := s!"b {l}"
  ret := "ret"
  feature := Feature.name

end TCB.AArch64
