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
  | vec (w : VecWidth) (v : Vec)
  | imm (negative : Bool) (n : Nat)
  | mem (w : Width ⊕ VecWidth) (a : Ea)
  /-- A memory operand without a size. -/
  | address (a : Ea)
  /-- `[rip + {table}]` -/
  | table

/-- A signed 32-bit number. -/
def signed32 (negative : Bool) (n : Nat) : Option (BitVec 32) :=
  bif n.ble (bif negative then 0x80000000 else 0x7fffffff) then
    some (BitVec.ofInt 32 (bif negative then -n else n)) else none

/-- A signed 32-bit number. -/
def int32 (negative : Bool) (t : Token) : Option (BitVec 32) := (natural t).bind (signed32 negative)

/-- An unsigned number of `w` bits. -/
def unsigned (w : Nat) (n : Nat) : Option (BitVec w) := bif n.blt (2 ^ w) then some (BitVec.ofNat w n) else none

/-- A general register of 64 bits. -/
def reg64 (t : Token) : Option Reg := (regNames.find? fun n => n.2.1 == t).map (·.1)

/-- An index register: `rsp` is none. -/
def indexReg (t : Token) : Option Reg :=
  match reg64 t with
  | some .rsp | none => none
  | r => r

/-- A vector register by its number. -/
def vecReg (ds : Token) : Option Vec := (natural ds).bind fun n => if h : n < 16 then some ⟨n, h⟩ else none

/-- A vector register of 128 or 256 bits. -/
def vector : Token → Option Operand
  | 'x' :: 'm' :: 'm' :: ds => (vecReg ds).map (.vec .xmm)
  | 'y' :: 'm' :: 'm' :: ds => (vecReg ds).map (.vec .ymm)
  | _ => none

/-- An operand of one token. -/
def atom (t : Token) : Option Operand :=
  match reg64 t, regNames.find? fun n => n.2.2.1 == t, regNames.find? fun n => n.2.2.2 == t with
  | some r, _, _ => some (.reg .qword r)
  | _, some n, _ => some (.reg .dword n.1)
  | _, _, some n => some (.reg .byte n.1)
  | _, _, _ => (vector t).or ((natural t).map (.imm false))

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
def sizeOf (t : Token) : Option (Width ⊕ VecWidth) :=
  [(chars!"byte", .inl .byte), (chars!"dword", .inl .dword), (chars!"qword", .inl .qword),
    (chars!"xmmword", .inr .xmm), (chars!"ymmword", .inr .ymm)].lookup t

/-- An operand. -/
def operand : List Token → Option Operand
  | [t] => atom t
  | [['-'], t] => (natural t).map (.imm true)
  | ['['] :: rest =>
    bif rest == [chars!"rip", ['+']] ++ tableTokens ++ [[']']] then some .table
    else bif rest.getLast? == some [']'] then (address rest.dropLast).map .address else none
  | size :: ptr :: ['['] :: rest =>
    bif ptr == chars!"ptr" && rest.getLast? == some [']'] then
      (sizeOf size).bind fun w => (address rest.dropLast).map (.mem w)
    else none
  | _ => none

/-- The mnemonics. -/
inductive Mnemonic where
  | alu (op : Alu)
  | shift (op : Shift)
  | mov | lea | bswap | movzx | movdqu | pxor | vmovdqu | vzeroupper | vmovdqa | vbroadcasti128 | vinserti128 | vextracti128
  | vmovq | vpinsrq
  /-- Two sources, without and with an immediate byte; one source and an immediate byte. -/
  | bin (op : VecBin)
  | binImm (op : BitVec 8 → Option VecBin)
  | un (op : BitVec 8 → VecUn)

/-- The halves that the immediate of `vpclmulqdq` chooses. -/
def clmulHalves (n : BitVec 8) : Option VecBin :=
  [(0x00#8, VecBin.pclmulqdq false false), (0x01#8, .pclmulqdq true false), (0x10#8, .pclmulqdq false true),
    (0x11#8, .pclmulqdq true true)].lookup n

/-- The mnemonic of an instruction. -/
def mnemonic (t : Token) : Option Mnemonic :=
  [(chars!"add", .alu .add), (chars!"sub", .alu .sub), (chars!"cmp", .alu .cmp), (chars!"test", .alu .test),
    (chars!"and", .alu .and), (chars!"or", .alu .or), (chars!"xor", .alu .xor), (chars!"shl", .shift .shl),
    (chars!"shr", .shift .shr), (chars!"mov", .mov), (chars!"lea", .lea), (chars!"bswap", .bswap), (chars!"movzx", .movzx),
    (chars!"movdqu", .movdqu), (chars!"pxor", .pxor), (chars!"vmovdqu", .vmovdqu), (chars!"vzeroupper", .vzeroupper),
    (chars!"vmovdqa", .vmovdqa), (chars!"vbroadcasti128", .vbroadcasti128), (chars!"vinserti128", .vinserti128),
    (chars!"vextracti128", .vextracti128), (chars!"vmovq", .vmovq), (chars!"vpinsrq", .vpinsrq),
    (chars!"vpxor", .bin .pxor), (chars!"vpand", .bin .pand), (chars!"vpor", .bin .por), (chars!"vpaddd", .bin .paddd),
    (chars!"vpaddq", .bin .paddq), (chars!"vpshufb", .bin .pshufb), (chars!"vpunpcklqdq", .bin .punpcklqdq),
    (chars!"vpunpckhqdq", .bin .punpckhqdq), (chars!"vaesenc", .bin .aesenc), (chars!"vaesenclast", .bin .aesenclast),
    (chars!"vpclmulqdq", .binImm clmulHalves), (chars!"vpalignr", .binImm fun n => some (.palignr n)),
    (chars!"vpslldq", .un .pslldq), (chars!"vpsrldq", .un .psrldq), (chars!"vpsllq", .un .psllq),
    (chars!"vpsrlq", .un .psrlq), (chars!"vpslld", .un .pslld), (chars!"vpsrld", .un .psrld), (chars!"vpsrad", .un .psrad),
    (chars!"vpshufd", .un .pshufd)].lookup t

/-- The second source of an operation on vectors of a width. -/
def vecSrc (w : VecWidth) : Operand → Option VecSrc
  | .vec w' v => if w = w' then some (.reg v) else none
  | .mem (.inr w') a => if w = w' then some (.mem a) else none
  | _ => none

/-- One half or the other. -/
def half : Nat → Option Bool
  | 0 => some false
  | 1 => some true
  | _ => none

/-- The instruction with a mnemonic and operands. -/
def assemble : Mnemonic → List Operand → Option Instr
  | .alu op, [.reg .qword d, .reg .qword r] => some (.alu op d (.reg r))
  | .alu op, [.reg .qword d, .imm negative n] => (signed32 negative n).map fun v => .alu op d (.imm v)
  | .alu .xor, [.reg .dword d, .reg .dword s] => if d = s then some (.clear d) else none
  | .shift op, [.reg .qword d, .imm false n] => (unsigned 6 n).map (.shift op d)
  | .mov, [.reg .qword d, .reg .qword s] => some (.mov d s)
  | .mov, [.reg .dword d, .imm false n] => (unsigned 32 n).map fun v => .movImm d (v.setWidth 64)
  | .mov, [.reg .qword d, .imm false n] => bif n.blt (2 ^ 32) then none else (unsigned 64 n).map (.movImm d)
  | .lea, [.reg .qword d, .address a] => some (.lea d a)
  | .bswap, [.reg .qword d] => some (.bswap d)
  | .movzx, [.reg .dword d, .mem (.inl .byte) a] => some (.load .byte d a)
  | .mov, [.reg .dword d, .mem (.inl .dword) a] => some (.load .dword d a)
  | .mov, [.reg .qword d, .mem (.inl .qword) a] => some (.load .qword d a)
  | .mov, [.mem (.inl .byte) a, .reg .byte s] => some (.store .byte a s)
  | .mov, [.mem (.inl .dword) a, .reg .dword s] => some (.store .dword a s)
  | .mov, [.mem (.inl .qword) a, .reg .qword s] => some (.store .qword a s)
  | .movdqu, [.vec .xmm d, .mem (.inr .xmm) a] => some (.movdquLoad d a)
  | .movdqu, [.mem (.inr .xmm) a, .vec .xmm s] => some (.movdquStore a s)
  | .pxor, [.vec .xmm d, .vec .xmm s] => some (.pxor d s)
  | .vmovdqu, [.vec .xmm d, .mem (.inr .xmm) a] => some (.vmovdquLoad .xmm d a)
  | .vmovdqu, [.vec .ymm d, .mem (.inr .ymm) a] => some (.vmovdquLoad .ymm d a)
  | .vmovdqu, [.mem (.inr .xmm) a, .vec .xmm s] => some (.vmovdquStore .xmm a s)
  | .vmovdqu, [.mem (.inr .ymm) a, .vec .ymm s] => some (.vmovdquStore .ymm a s)
  | .bin op, [.vec w d, .vec w' a, b] => if w = w' then (vecSrc w b).map (.vecBin op w d a) else none
  | .binImm f, [.vec w d, .vec w' a, b, .imm false n] =>
    if w = w' then ((unsigned 8 n).bind f).bind fun op => (vecSrc w b).map (.vecBin op w d a) else none
  | .un f, [.vec w d, .vec w' a, .imm false n] =>
    if w = w' then (unsigned 8 n).map fun v => .vecUn (f v) w d a else none
  | .vmovdqa, [.vec w d, .vec w' s] => if w = w' then some (.vmovdqa w d s) else none
  | .vbroadcasti128, [.vec .ymm d, .mem (.inr .xmm) a] => some (.vbroadcasti128 d a)
  | .vinserti128, [.vec .ymm d, .vec .ymm a, b, .imm false n] =>
    (vecSrc .xmm b).bind fun b => (half n).map (.vinserti128 d a b)
  | .vextracti128, [.vec .xmm d, .vec .ymm a, .imm false n] => (half n).map (.vextracti128 d a)
  | .vmovq, [.vec .xmm d, .reg .qword s] => some (.vmovqFrom d s)
  | .vmovq, [.reg .qword d, .vec .xmm s] => some (.vmovqTo d s)
  | .vpinsrq, [.vec .xmm d, .vec .xmm a, .reg .qword s, .imm false n] => (half n).map (.vpinsrq d a s)
  | .lea, [.reg .qword d, .table] => some (.leaTable d)
  | .vzeroupper, [] => some .vzeroupper
  | _, _ => none

/-- The instruction with a mnemonic and operands. -/
def instruction (m : Token) (operands : List (List Token)) : Option Instr :=
  (mnemonic m).bind fun m => (collect operand operands).bind (assemble m)

/-- A jump: its only operand is the reference. -/
def jump (m : Token) : List (List Token) → Option (Option Cond × Token)
  | [[r]] => ([(chars!"jmp", none), (chars!"je", some .e), (chars!"jne", some .ne), (chars!"jb", some .b),
      (chars!"jae", some .ae), (chars!"ja", some .a), (chars!"jbe", some .be), (chars!"js", some .s), (chars!"jns", some .ns)].lookup m).map (·, r)
  | _ => none

/-- How x86-64 is read. -/
def parser : Parser Instr Cond Feature where
  callConv := chars!"sysv64"
  feature t := [(chars!"sse2", .sse2), (chars!"avx", .avx), (chars!"avx2", .avx2), (chars!"aes", .aes),
    (chars!"pclmulqdq", .pclmulqdq), (chars!"vaes", .vaes), (chars!"vpclmulqdq", .vpclmulqdq)].lookup t
  instr := instruction
  jump := jump
  ret := chars!"ret"

end TCB.X86_64
