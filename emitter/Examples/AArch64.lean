import emitter.Examples.Text
import TCB.AArch64.Parse
import TCB.AArch64.Print

/-!
# What the reader of AArch64 text accepts, and what it refuses
-/

set_option autoImplicit false
namespace Emitter.Examples.AArch64
open TCB TCB.AArch64

/-- One instruction of every shape, for general registers and for copies. -/
def instructions : List Instr := [
  .alu .add .x0 .x17 (.reg .x19), .alu .sub .x30 .x1 (.imm 4095), .alu .subs .x2 .x3 (.imm 0), .cmp .x4 (.reg .x5),
  .cmp .x29 (.imm 16), .mov .x8 0, .mov .x16 65535,
  .ldr (.gpr .byte .x1) { base := .x2 }, .ldr (.gpr .byte .x1) { base := .x2, offset := .scaled 4095 },
  .ldr (.gpr .byte .x1) { base := .x2, offset := .unscaled 0 }, .ldr (.gpr .word .x3) { base := .x4, offset := .scaled 1 },
  .ldr (.gpr .word .x3) { base := .x4, offset := .unscaled 4 }, .ldr (.gpr .dword .x5) { base := .x6, offset := .scaled 4095 },
  .ldr (.gpr .dword .x5) { base := .x6, offset := .unscaled (-256) }, .ldr (.vec 31) { base := .x7, offset := .scaled 4095 },
  .ldr (.vec 0) { base := .x7, offset := .unscaled 255 }, .str (.gpr .byte .x1) { base := .x2, offset := .unscaled (-1) },
  .str (.gpr .word .x1) { base := .x2 }, .str (.gpr .dword .x1) { base := .x2, offset := .scaled 2 }, .str (.vec 9) { base := .x2 },
  .str (.vec 9) { base := .x2, offset := .unscaled (-16) }, .ldp (.gpr .x4 .x5) .x0 0, .ldp (.gpr .x4 .x5) .x0 63,
  .ldp (.vec 0 1) .x4 (-64), .stp (.gpr .x4 .x4) .x0 (-64), .stp (.vec 2 3) .x2 2, .movi 0 0, .movi 31 255]

#guard instructions.all fun i => reads parser i.text == some i

/-- One instruction of every shape, for vectors. -/
def vectors : List Instr := [
  .logic .and .x0 .x30 .x17, .logic .orr .x1 .x1 .x1, .logic .eor .x2 .x3 .x4, .un .mov .x5 .x6, .un .rev .x7 .x8, .un .revw .x9 .x10,
  .un (.lsl 0) .x0 .x1, .un (.lsl 62) .x0 .x1, .un (.lsr 0) .x0 .x1, .un (.lsr 63) .x0 .x1, .movk .x0 0 0, .movk .x1 65535 3,
  .vecBin .and 0 1 2, .vecBin .orr 3 4 5, .vecBin .orr 6 7 7, .vecBin .eor 29 30 31, .vecBin .add4s 0 1 2, .vecBin .add2d 0 1 2,
  .vecBin .pmull 0 1 2, .vecBin .pmull2 0 1 2, .vecBin .tbl 9 10 11, .vecBin .zip1 0 1 2, .vecBin .zip2 0 1 2,
  .vecBin (.ext 0) 0 1 2, .vecBin (.ext 15) 0 1 2, .vecUn .aesmc 0 1, .vecUn .rev64 0 1, .vecUn .rev32 0 1, .vecUn (.shl4s 0) 0 1,
  .vecUn (.shl4s 31) 0 1, .vecUn (.shl2d 63) 0 1, .vecUn (.ushr4s 0) 0 1, .vecUn (.ushr4s 31) 0 1, .vecUn (.ushr2d 0) 0 1,
  .vecUn (.ushr2d 1) 0 1, .vecUn (.sshr4s 1) 0 1, .vecUn (.sshr2d 0) 0 1, .vecUn (.dup (.s 3)) 0 1, .vecUn (.dup (.d 1)) 0 1,
  .aese 0 31, .ins (.s 3) 0 .x1, .ins (.d 1) 0 .x1, .umov (.s 0) .x1 0, .umov (.d 0) .x1 0, .ldrPost 0 .x1 0, .ldrPost 0 .x1 255,
  .strPost 31 .x30 (-256)]

#guard vectors.all fun i => readsTemplate parser (Printer.template i.text) == some i

-- what is like these
#guard [("mov v1.16b, v2.16b", Instr.vecBin .orr 1 2 2), ("orr v1.16b, v2.16b, v2.16b", .vecBin .orr 1 2 2),
  ("sshr v0.4s, v1.4s, #31", .vecUn (.sshr4s 1) 0 1), ("ushr v0.2d, v1.2d, #64", .vecUn (.ushr2d 0) 0 1),
  ("tbl v0.16b, {{v1.16b}}, v2.16b", .vecBin .tbl 0 1 2), ("rev w0, w1", .un .revw .x0 .x1),
  ("movk x1, #1, lsl #16", .movk .x1 1 1)].all fun (text, i) => reads parser text == some i

-- arrangements, lanes, shifts and tables that are not printed so
#guard ["and v0.2d, v1.2d, v2.2d", "eor v0.16b, v1.16b, v2.8b", "eor v0.16b, v1.16b, x2", "eor v0.16b, v1.16b", "and x0, x1, #15",
  "eor w0, w1, w2", "add v0.4s, v1.4s, v2.2d", "add v0.16b, v1.16b, v2.16b", "sub v0.4s, v1.4s, v2.4s", "pmull v0.1q, v1.2d, v2.2d",
  "pmull v0.2d, v1.1d, v2.1d", "pmull2 v0.1q, v1.1d, v2.1d", "pmull v0.8h, v1.8b, v2.8b", "aese v0.16b, v1.4s", "aese v0.16b",
  "aese v0.16b, v1.16b, v2.16b", "aesmc v0.16b", "rev64 v0.4s, v1.4s", "rev32 v0.8b, v1.8b", "rev16 v0.16b, v1.16b", "rev x0, w1",
  "ext v0.16b, v1.16b, v2.16b, #16", "ext v0.16b, v1.16b, v2.16b", "ext v0.8b, v1.8b, v2.8b, #1", "tbl v0.16b, v1.16b, v2.16b",
  "tbl v0.16b, {v1.16b}, v2.16b", "tbl v0.16b, {{v1.16b, v2.16b}}, v3.16b", "tbl v0.16b, {{v1.8b}}, v2.16b",
  "tbl v0.16b, {{v1.16b}, v2.16b", "tbl v0.16b, {{{{v1.16b}}}}, v2.16b", "tbx v0.16b, {{v1.16b}}, v2.16b", "zip1 v0.4s, v1.4s, v2.4s",
  "shl v0.4s, v1.4s, #32", "shl v0.2d, v1.2d, #64", "shl v0.4s, v1.2d, #1", "ushr v0.4s, v1.4s, #0", "ushr v0.4s, v1.4s, #33",
  "sshr v0.2d, v1.2d, #65", "sshr v0.2d, v1.2d, #-1", "ushr v0.2d, v1.2d, v2.2d", "dup v0.4s, v1.s[4]", "dup v0.2d, v1.d[2]",
  "dup v0.2d, v1.s[1]", "dup v0.16b, v1.b[1]", "dup v0.2d, x1", "mov v0.d[2], x1", "mov v0.d[1], w1", "mov v0.s[1], x1",
  "mov v0.s[4], w1", "mov v0.d[0], v1.d[0]", "mov x0, v1.s[0]", "mov w0, v1.d[0]", "mov x0, v1", "mov v0.4s, v1.4s", "mov w0, w1",
  "umov x0, v1.d[0]", "ins v0.d[0], x1", "lsl x0, x1, #0", "lsl x0, x1, #64", "lsl w0, w1, #1", "lsl x0, x1, x2", "lsr x0, x1, #64",
  "lsr x0, x1, #-1", "movk x0, #65536", "movk x0, #1, lsl #0", "movk x0, #1, lsl #8", "movk x0, #1, lsl #64", "movk x0, #1, lsl 16",
  "movk x0, #1, lsr #16", "movk w0, #1", "movz x0, #1", "fmov d0, x1"].all (reads parser · == none)

/-- The instruction in an argument that has two texts. -/
def readsByFormat (a b : String) : Option Instr :=
  readsTemplate parser s!"by_format!(\"{a}\", \"{b}\")"

#guard [Instr.adrpTable .x9, .addTable .x9 .x10].all fun i => readsTemplate parser (printer.argument [] 0 (.instr i)) == some i
#guard readsByFormat "adrp x9, {table}" "adrp x9, {table}@PAGE" == some (.adrpTable .x9) &&
  readsByFormat "add x9, x10, :lo12:{table}" "add x9, x10, {table}@PAGEOFF" == some (.addTable .x9 .x10)

-- the table: other registers for the other format, no part of the address or another one, or in one text only
#guard [("adrp x0, {table}", "adrp x1, {table}@PAGE"), ("adrp x0, {table}", "adrp x0, {table}"),
  ("adrp x0, {table}", "adrp x0, {table}@PAGEOFF"), ("adrp x0, {table}", "adr x0, {table}@PAGE"),
  ("adr x0, {table}", "adr x0, {table}@PAGE"), ("adrp x0, {t}", "adrp x0, {t}@PAGE"), ("adrp w0, {table}", "adrp w0, {table}@PAGE"),
  ("adrp x18, {table}", "adrp x18, {table}@PAGE"), ("add x0, x0, :lo12:{table}", "add x0, x0, {table}@PAGE"),
  ("add x0, x0, :lo12:{table}", "add x0, x1, {table}@PAGEOFF"), ("add x0, x1, {table}", "add x0, x1, {table}@PAGEOFF"),
  ("add x0, x1, :lo13:{table}", "add x0, x1, {table}@PAGEOFF"), ("sub x0, x1, :lo12:{table}", "sub x0, x1, {table}@PAGEOFF"),
  ("add x0, x1, x2", "add x0, x1, x2"), ("ret", "ret")].all fun (a, b) => readsByFormat a b == none
#guard ["adrp x0, {table}", "add x0, x0, :lo12:{table}"].all (reads parser · == none)

-- operands of the wrong size, kind or number
#guard ["ldr w0, [w1]", "ldrb x0, [x1]", "ldrb q0, [x1]", "ldurb x0, [x1]", "ldr v0, [x1]", "ldr q32, [x1]", "ldr x31, [x1]",
  "ldr d0, [x1]", "ldp x0, q1, [x2]", "ldp w0, w1, [x2]", "ldp x0, [x2]", "ldp x0, x1, x2, [x3]", "str [x1], x0", "add w0, w1, w2",
  "add x0, x1", "add x0, x1, x2, x3", "add x0, #1, x2", "add x0, x1, w2", "adds x0, x1, x2", "cmp x0", "cmp #1, x0", "cmp w0, #1",
  "mov w0, #0", "movi v0.16b", "movi v0.2d, #0", "movi q0, #0", "movi v0, #0", "movi v32.16b, #0", "add"].all
  (reads parser · == none)

-- registers that have no name here
#guard ["mov x18, #0", "ldr x18, [x0]", "ldr x0, [x18]", "add x0, x1, x18", "add sp, sp, #16", "ldr x0, [sp]", "add x0, xzr, x1",
  "mov x00, #0", "mov x, #0", "mov X0, #0", "mov lr, #0", "mov x31, #0"].all (reads parser · == none)

-- numbers that are not encoded so
#guard ["add x0, x1, #4096", "add x0, x1, #-1", "add x0, x1, 1", "add x0, x1, #01", "add x0, x1, #0x1", "add x0, x1, #1 lsl 12",
  "add x0, x1, #1, lsl #12", "cmp x0, #4096", "mov x0, #65536", "mov x0, #-1", "movi v0.16b, #256", "ldr x0, [x1, #7]",
  "ldr x0, [x1, #-8]", "ldr x0, [x1, #32768]", "ldr w0, [x1, #2]", "ldrb w0, [x1, #4096]", "ldr q0, [x1, #8]",
  "ldur x0, [x1, #256]", "ldur x0, [x1, #-257]", "ldp q0, q1, [x2, #1024]", "ldp q0, q1, [x2, #-1040]", "ldp q0, q1, [x2, #8]",
  "ldp x0, x1, [x2, #512]", "ldp x0, x1, [x2, #-520]", "ldp x0, x1, [x2, #4]", "ldur x0, [x1, #-0]"].all (reads parser · == none)

-- addresses that are not printed so
#guard ["ldr x0, [x1], #8", "ldr q0, [x1], #256", "ldr q0, [x1], #-257", "ldr q0, [x1], #-0", "ldr q0, [x1], 16", "ldr q0, [x1, #16], #16",
  "ldur q0, [x1], #16", "ldrb q0, [x1], #16", "ldr q0, [x1], x2", "str x0, [x1], #8", "str q0, [x1, #16]!", "ldr x0, [x1, #8]!", "ldr x0, [x1, x2]", "ldr x0, [x1, 8]", "ldr x0, [x1", "ldr x0, x1]",
  "ldr x0, [x1]]", "ldr x0, [[x1]", "ldr x0, [x1, #8", "ldr x0, [x1], [x2]", "ldr x0, x1", "ldr x0, #8]", "ldr x0, =x1",
  "ldp x0, x1, [x2], #16", "ldp x0, x1, [x2, #16]!"].all (reads parser · == none)

-- what is more than one instruction, or none that is known
#guard ["", "nop", "ret", "ADD x0, x1, x2", "add x0, x1, x2; nop", "add x0, x1, x2 // nop", "add x0, x1, x2\", \"nop",
  "add x0, x1, x2\\nnop", ".inst 0", ".arch armv8-a", "bl x0", "br x0", "ret x0", "b x0"].all (reads parser · == none)

/-- The directive that functions begin with. -/
def arch : String := ".arch armv8-a"

#guard code parser [arch, "cbz x1, 20f", "21:", "b.lo 21b", "cbnz x30, 21b", "b.eq 20f", "b.ne 21b", "b.hs 21b", "b 20f", "20:", "ret"] ==
  some [.jcc (.zero .x1) 0, .label 1, .jcc .lo 1, .jcc (.nonzero .x30) 1, .jcc .eq 0, .jcc .ne 1, .jcc .hs 1, .jmp 0, .label 0]

-- the directive: missing, another, twice, later
#guard [["ret"], [".arch armv8.2-a", "ret"], [".arch armv8-a+crypto", "ret"], [".arch", "ret"], [arch, arch, "ret"],
  ["mov x0, #0", arch, "ret"], [arch, "ret x0"], [arch], [arch ++ "+aes", "ret"], [arch, ".p2align 2", "ret"],
  [".p2align 2", arch, "ret"]].all (code parser · == none)

-- it names the extensions that the features need, and no others
#guard code parser [arch ++ "+aes", "aese v0.16b, v1.16b", "ret"] [.neon, .aes] == some [.instr (.aese 0 1)]
#guard [[arch, "ret"], [arch ++ "+aes+sve", "ret"], [arch ++ "+aes", arch, "ret"], ["ret"]].all (code parser · [.neon, .aes] == none)

-- branches that are none, or whose label is elsewhere
#guard [["b.lt 20f", "20:"], ["b.eq x0, 20f", "20:"], ["beq 20f", "20:"], ["cbz 20f", "20:"], ["cbz w0, 20f", "20:"],
  ["cbz x18, 20f", "20:"], ["cbz x0, x1, 20f", "20:"], ["tbz x0, 20f", "20:"], ["cbz x0, 20", "20:"], ["cbz x0, 20b", "20:"],
  ["20:", "cbnz x0, 20f"], ["b.eq 20f"], ["b. eq 20f"], ["b 20f, 20f", "20:"]].all fun ls => code parser (arch :: ls ++ ["ret"]) == none

end Emitter.Examples.AArch64
