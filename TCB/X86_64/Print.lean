import TCB.Print
import TCB.X86_64.Isa

/-!
# The text of x86-64 instructions, in Intel syntax
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The name of a register, 64 bits. -/
def Reg.name : Reg → String
  | .rax => "rax" | .rcx => "rcx" | .rdx => "rdx" | .rbx => "rbx" | .rsp => "rsp" | .rbp => "rbp" | .rsi => "rsi"
  | .rdi => "rdi" | .r8 => "r8" | .r9 => "r9" | .r10 => "r10" | .r11 => "r11" | .r12 => "r12" | .r13 => "r13"
  | .r14 => "r14" | .r15 => "r15"

/-- The name of the low 32 bits of a register. -/
def Reg.dwordName : Reg → String
  | .rax => "eax" | .rcx => "ecx" | .rdx => "edx" | .rbx => "ebx" | .rsp => "esp" | .rbp => "ebp" | .rsi => "esi"
  | .rdi => "edi" | r => r.name ++ "d"

/-- The name of the low byte of a register. -/
def Reg.byteName : Reg → String
  | .rax => "al" | .rcx => "cl" | .rdx => "dl" | .rbx => "bl" | .rsp => "spl" | .rbp => "bpl" | .rsi => "sil"
  | .rdi => "dil" | r => r.name ++ "b"

/-- The name of the low 128 bits of a vector register. -/
def Vec.xmmName (v : Vec) : String := s!"xmm{v.val}"

/-- The name of a vector register, as wide as said. -/
def Vec.name (v : Vec) : VecWidth → String
  | .xmm => v.xmmName
  | .ymm => s!"ymm{v.val}"

/-- How a memory operand of a vector register begins. -/
def VecWidth.ptr : VecWidth → String
  | .xmm => "xmmword ptr"
  | .ymm => "ymmword ptr"

/-- A memory operand. -/
def Ea.text (a : Ea) : String :=
  let index := match a.index with
    | none => ""
    | some r => " + " ++ r.name
  let disp := match a.disp.toInt with
    | .ofNat 0 => ""
    | .ofNat n => s!" + {n}"
    | .negSucc n => s!" - {n + 1}"
  s!"[{a.base.name}{index}{disp}]"

/-- A register or an immediate. -/
def Src.text : Src → String
  | .reg r => r.name
  | .imm v => toString v.toInt

/-- The mnemonic. -/
def Alu.name : Alu → String
  | .add => "add" | .sub => "sub" | .cmp => "cmp" | .test => "test" | .and => "and" | .or => "or" | .xor => "xor"

/-- The mnemonic. -/
def Shift.name : Shift → String
  | .shl => "shl" | .shr => "shr"

/-- An immediate byte after other operands. -/
def immediate (n : BitVec 8) : String := s!", {n.toNat}"

/-- The mnemonic, and what follows the operands. -/
def VecBin.text : VecBin → String × String
  | .pxor => ("vpxor", "") | .pand => ("vpand", "") | .por => ("vpor", "") | .paddd => ("vpaddd", "")
  | .paddq => ("vpaddq", "") | .pshufb => ("vpshufb", "") | .punpcklqdq => ("vpunpcklqdq", "")
  | .punpckhqdq => ("vpunpckhqdq", "") | .aesenc => ("vaesenc", "") | .aesenclast => ("vaesenclast", "")
  | .pclmulqdq h₁ h₂ => ("vpclmulqdq", s!", {h₁.toNat + 16 * h₂.toNat}")
  | .palignr n => ("vpalignr", immediate n)

/-- The mnemonic, and what follows the operands. -/
def VecUn.text : VecUn → String × String
  | .pslldq n => ("vpslldq", immediate n) | .psrldq n => ("vpsrldq", immediate n)
  | .psllq n => ("vpsllq", immediate n) | .psrlq n => ("vpsrlq", immediate n)
  | .pslld n => ("vpslld", immediate n) | .psrld n => ("vpsrld", immediate n)
  | .psrad n => ("vpsrad", immediate n) | .pshufd order => ("vpshufd", immediate order)

/-- A register or a memory operand. -/
def VecSrc.text (w : VecWidth) : VecSrc → String
  | .reg r => Vec.name r w
  | .mem a => s!"{w.ptr} {a.text}"

/-- The text of an instruction. -/
def Instr.text : Instr → String
  | .alu op d s => s!"{op.name} {d.name}, {s.text}"
  | .clear d => s!"xor {d.dwordName}, {d.dwordName}"
  | .mov d s => s!"mov {d.name}, {s.name}"
  | .movImm d v => s!"mov {if v.toNat < 2 ^ 32 then d.dwordName else d.name}, {v.toNat}"
  | .lea d a => s!"lea {d.name}, {a.text}"
  | .bswap d => s!"bswap {d.name}"
  | .shift op d n => s!"{op.name} {d.name}, {n.toNat}"
  | .load .byte d a => s!"movzx {d.dwordName}, byte ptr {a.text}"
  | .load .dword d a => s!"mov {d.dwordName}, dword ptr {a.text}"
  | .load .qword d a => s!"mov {d.name}, qword ptr {a.text}"
  | .store .byte a s => s!"mov byte ptr {a.text}, {s.byteName}"
  | .store .dword a s => s!"mov dword ptr {a.text}, {s.dwordName}"
  | .store .qword a s => s!"mov qword ptr {a.text}, {s.name}"
  | .movdquLoad d a => s!"movdqu {Vec.xmmName d}, xmmword ptr {a.text}"
  | .movdquStore a s => s!"movdqu xmmword ptr {a.text}, {Vec.xmmName s}"
  | .pxor d s => s!"pxor {Vec.xmmName d}, {Vec.xmmName s}"
  | .vmovdquLoad w d a => s!"vmovdqu {Vec.name d w}, {w.ptr} {a.text}"
  | .vmovdquStore w a s => s!"vmovdqu {w.ptr} {a.text}, {Vec.name s w}"
  | .vecBin op w d a b => s!"{op.text.1} {Vec.name d w}, {Vec.name a w}, {b.text w}{op.text.2}"
  | .vecUn op w d a => s!"{op.text.1} {Vec.name d w}, {Vec.name a w}{op.text.2}"
  | .vmovdqa w d s => s!"vmovdqa {Vec.name d w}, {Vec.name s w}"
  | .vbroadcasti128 d a => s!"vbroadcasti128 {Vec.name d .ymm}, xmmword ptr {a.text}"
  | .vinserti128 d a b high => s!"vinserti128 {Vec.name d .ymm}, {Vec.name a .ymm}, {b.text .xmm}, {high.toNat}"
  | .vextracti128 d a high => s!"vextracti128 {Vec.xmmName d}, {Vec.name a .ymm}, {high.toNat}"
  | .vmovqFrom d s => s!"vmovq {Vec.xmmName d}, {s.name}"
  | .vmovqTo d s => s!"vmovq {d.name}, {Vec.xmmName s}"
  | .vpinsrq d a s high => s!"vpinsrq {Vec.xmmName d}, {Vec.xmmName a}, {s.name}, {high.toNat}"
  | .leaTable d => s!"lea {d.name}, [rip + {tableText}]"
  | .vzeroupper => "vzeroupper"

/-- The suffix of `j`. -/
def Cond.name : Cond → String
  | .e => "e" | .ne => "ne" | .b => "b" | .ae => "ae" | .a => "a" | .be => "be" | .s => "s" | .ns => "ns"

/-- The name of a CPU feature. -/
def Feature.name : Feature → String
  | .sse2 => "sse2"
  | .avx => "avx"
  | .avx2 => "avx2"
  | .aes => "aes"
  | .pclmulqdq => "pclmulqdq"
  | .vaes => "vaes"
  | .vpclmulqdq => "vpclmulqdq"

/-- How x86-64 prints. -/
def printer : Printer Instr Cond Feature where
  arch := "x86_64"
  callConv := "sysv64"
  instr := Instr.text
  jcc c l := s!"j{c.name} {l}"
  jmp l := s!"jmp {l}"
  ret := "ret"
  feature := Feature.name

end TCB.X86_64
