import TCB.Parse
import TCB.X86_64.Isa

/-!
# Reading x86-64 instructions, in Intel syntax
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The general registers by the names of their 64, 32 and 8 low bits. -/
def regNames : List (Reg × Token × Token × Token) := [
  (.rax, chars!"rax", chars!"eax", chars!"al"), (.rcx, chars!"rcx", chars!"ecx", chars!"cl"),
  (.rdx, chars!"rdx", chars!"edx", chars!"dl"), (.rbx, chars!"rbx", chars!"ebx", chars!"bl"),
  (.rsp, chars!"rsp", chars!"esp", chars!"spl"), (.rbp, chars!"rbp", chars!"ebp", chars!"bpl"),
  (.rsi, chars!"rsi", chars!"esi", chars!"sil"), (.rdi, chars!"rdi", chars!"edi", chars!"dil"),
  (.r8, chars!"r8", chars!"r8d", chars!"r8b"), (.r9, chars!"r9", chars!"r9d", chars!"r9b"),
  (.r10, chars!"r10", chars!"r10d", chars!"r10b"), (.r11, chars!"r11", chars!"r11d", chars!"r11b"),
  (.r12, chars!"r12", chars!"r12d", chars!"r12b"), (.r13, chars!"r13", chars!"r13d", chars!"r13b"),
  (.r14, chars!"r14", chars!"r14d", chars!"r14b"), (.r15, chars!"r15", chars!"r15d", chars!"r15b")]

/-- What an operand can be. -/
inductive Operand where
  | reg (w : Width) (r : Reg)
  | xmm (v : Vec)
  | imm (v : BitVec 32)
  /-- `none` is a size of 16 bytes. -/
  | mem (w : Option Width) (a : Ea)

/-- A signed 32-bit number. -/
def int32 (negative : Bool) (t : Token) : Option (BitVec 32) :=
  match natural t with
  | some n => bif n.ble (bif negative then 0x80000000 else 0x7fffffff) then
      some (BitVec.ofInt 32 (bif negative then -n else n)) else none
  | none => none

/-- A general register of 64 bits. -/
def reg64 (t : Token) : Option Reg := (regNames.find? fun n => n.2.1 == t).map (·.1)

/-- An index register: `rsp` is none. -/
def indexReg (t : Token) : Option Reg :=
  match reg64 t with
  | some .rsp | none => none
  | r => r

/-- A vector register of 128 bits. -/
def xmmReg : Token → Option Vec
  | 'x' :: 'm' :: 'm' :: ds => (natural ds).bind fun n => if h : n < 16 then some ⟨n, h⟩ else none
  | _ => none

/-- An operand of one token. -/
def atom (t : Token) : Option Operand :=
  match reg64 t, regNames.find? fun n => n.2.2.1 == t, regNames.find? fun n => n.2.2.2 == t with
  | some r, _, _ => some (.reg .qword r)
  | _, some n, _ => some (.reg .dword n.1)
  | _, _, some n => some (.reg .byte n.1)
  | _, _, _ => ((xmmReg t).map .xmm).or ((int32 false t).map .imm)

/-- What stands between the brackets of a memory operand. -/
def address : List Token → Option Ea
  | [b] => (reg64 b).map fun b => { base := b }
  | [b, ['+'], t] => (reg64 b).bind fun b =>
    match indexReg t, int32 false t with
    | some i, _ => some { base := b, index := some i }
    | none, some d => some { base := b, disp := d }
    | none, none => none
  | [b, ['-'], t] => (reg64 b).bind fun b => (int32 true t).map fun d => { base := b, disp := d }
  | [b, ['+'], i, [s], t] => (reg64 b).bind fun b => (indexReg i).bind fun i =>
    bif s == '+' || s == '-' then (int32 (s == '-') t).map fun d => { base := b, index := some i, disp := d } else none
  | _ => none

/-- The size of a memory operand. -/
def sizeOf (t : Token) : Option (Option Width) :=
  [(chars!"byte", some .byte), (chars!"dword", some .dword), (chars!"qword", some .qword),
    (chars!"xmmword", none)].lookup t

/-- An operand. -/
def operand : List Token → Option Operand
  | [t] => atom t
  | [['-'], t] => (int32 true t).map .imm
  | size :: ptr :: ['['] :: rest =>
    bif ptr == chars!"ptr" && rest.getLast? == some [']'] then
      (sizeOf size).bind fun w => (address rest.dropLast).map (.mem w)
    else none
  | _ => none

/-- The mnemonics. -/
inductive Mnemonic where
  | alu (op : Alu)
  | xor | mov | movzx | movdqu | pxor

/-- The mnemonic of an instruction. -/
def mnemonic (t : Token) : Option Mnemonic :=
  [(chars!"add", .alu .add), (chars!"sub", .alu .sub), (chars!"cmp", .alu .cmp), (chars!"test", .alu .test),
    (chars!"xor", .xor), (chars!"mov", .mov), (chars!"movzx", .movzx), (chars!"movdqu", .movdqu),
    (chars!"pxor", .pxor)].lookup t

/-- The instruction with a mnemonic and two operands. -/
def assemble : Mnemonic → Operand → Operand → Option Instr
  | .alu op, .reg .qword d, .reg .qword r => some (.alu op d (.reg r))
  | .alu op, .reg .qword d, .imm v => some (.alu op d (.imm v))
  | .xor, .reg .dword d, .reg .dword s => if d = s then some (.clear d) else none
  | .movzx, .reg .dword d, .mem (some .byte) a => some (.load .byte d a)
  | .mov, .reg .dword d, .mem (some .dword) a => some (.load .dword d a)
  | .mov, .reg .qword d, .mem (some .qword) a => some (.load .qword d a)
  | .mov, .mem (some .byte) a, .reg .byte s => some (.store .byte a s)
  | .mov, .mem (some .dword) a, .reg .dword s => some (.store .dword a s)
  | .mov, .mem (some .qword) a, .reg .qword s => some (.store .qword a s)
  | .movdqu, .xmm d, .mem none a => some (.movdquLoad d a)
  | .movdqu, .mem none a, .xmm s => some (.movdquStore a s)
  | .pxor, .xmm d, .xmm s => some (.pxor d s)
  | _, _, _ => none

/-- The instruction with a mnemonic and operands. -/
def instruction (m : Token) : List (List Token) → Option Instr
  | [a, b] =>
    match mnemonic m, operand a, operand b with
    | some m, some a, some b => assemble m a b
    | _, _, _ => none
  | _ => none

/-- How x86-64 is read. -/
def parser : Parser Instr Cond Feature where
  callConv := chars!"sysv64"
  feature t := [(chars!"sse2", .sse2)].lookup t
  instr := instruction
  jcc t := [(chars!"je", .e), (chars!"jne", .ne), (chars!"jb", .b), (chars!"jae", .ae)].lookup t
  jmp := chars!"jmp"
  ret := chars!"ret"

end TCB.X86_64
