import TCB.Parse
import TCB.AArch64.Isa

/-!
# Reading AArch64 instructions
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The general registers, by number. -/
def regs : List (Nat × Reg) := [
  (0, .x0), (1, .x1), (2, .x2), (3, .x3), (4, .x4), (5, .x5), (6, .x6), (7, .x7), (8, .x8), (9, .x9), (10, .x10), (11, .x11),
  (12, .x12), (13, .x13), (14, .x14), (15, .x15), (16, .x16), (17, .x17), (19, .x19), (20, .x20), (21, .x21), (22, .x22),
  (23, .x23), (24, .x24), (25, .x25), (26, .x26), (27, .x27), (28, .x28), (29, .x29), (30, .x30)]

/-- A general register by its number. -/
def reg (ds : Token) : Option Reg := (natural ds).bind fun n => regs.lookup n

/-- A vector register by its number. -/
def vec (ds : Token) : Option Vec := (natural ds).bind fun n => if h : n < 32 then some ⟨n, h⟩ else none

/-- The arrangements of lanes. -/
inductive Arrangement where
  | b16 | s4 | d2 | d1 | q1
  deriving DecidableEq

/-- The arrangement with a name. -/
def arrangement (t : Token) : Option Arrangement :=
  [(chars!"16b", .b16), (chars!"4s", .s4), (chars!"2d", .d2), (chars!"1d", .d1), (chars!"1q", .q1)].lookup t

/-- The lane with the name of its size and its number. -/
def laneOf (size i : Token) : Option Lane :=
  match size, natural i with
  | ['s'], some i => bif i.blt 4 then some (.s (BitVec.ofNat 2 i)) else none
  | ['d'], some i => bif i.blt 2 then some (.d (BitVec.ofNat 1 i)) else none
  | _, _ => none

/-- What an operand can be. -/
inductive Operand where
  /-- `x0` -/
  | x (r : Reg)
  /-- `w0` -/
  | w (r : Reg)
  /-- `q0` -/
  | q (v : Vec)
  /-- `v0.16b` -/
  | v (v : Vec) (lanes : Arrangement)
  /-- `{v0.16b}`, with each brace twice: the text is a template. -/
  | table (v : Vec)
  /-- `v0.d[1]` -/
  | lane (v : Vec) (l : Lane)
  /-- `#8`, `#-8` -/
  | imm (negative : Bool) (n : Nat)
  /-- `[x0]`, or `[x0` before an offset -/
  | mem (base : Reg) (closed : Bool)
  /-- `#8]` -/
  | offset (negative : Bool) (n : Nat)
  /-- `lsl #16` -/
  | lsl (n : Nat)

/-- A number, after its sign. -/
def number : List Token → Option (Bool × Nat)
  | [['-'], t] => (natural t).map (true, ·)
  | [t] => (natural t).map (false, ·)
  | _ => none

/-- A base register. -/
def base : Token → Option Reg
  | 'x' :: ds => reg ds
  | _ => none

/-- An operand. -/
def operand : List Token → Option Operand
  | ['x' :: ds] => (reg ds).map .x
  | ['w' :: ds] => (reg ds).map .w
  | ['q' :: ds] => (vec ds).map .q
  | ['v' :: ds, ['.'], lanes] => (vec ds).bind fun v => (arrangement lanes).map (.v v)
  | [['{'], ['{'], 'v' :: ds, ['.'], lanes, ['}'], ['}']] => bif lanes == chars!"16b" then (vec ds).map .table else none
  | ['v' :: ds, ['.'], size, ['['], i, [']']] => (vec ds).bind fun v => (laneOf size i).map (.lane v)
  | [['['], b] => (base b).map (.mem · false)
  | [['['], b, [']']] => (base b).map (.mem · true)
  | ['#'] :: ts =>
    bif ts.getLast? == some [']'] then (number ts.dropLast).map fun n => .offset n.1 n.2
    else (number ts).map fun n => .imm n.1 n.2
  | [t, ['#'], k] => bif t == chars!"lsl" then (natural k).map .lsl else none
  | _ => none

/-- The mnemonics of loads and stores of one register. -/
structure Access where
  store : Bool
  unscaled : Bool
  byte : Bool

/-- The mnemonics. -/
inductive Mnemonic where
  | alu (op : Alu)
  | cmp | mov | movi
  | access (a : Access)
  | ldp | stp
  /-- One of general registers, and of vectors. -/
  | logic (op : Logic) (v : VecBin)
  /-- Any other, by its operands. -/
  | other (read : List Operand → Option Instr)

/-- The operation on vectors that all have one arrangement. -/
def binary (op : VecBin) (lanes : Arrangement) : List Operand → Option Instr
  | [.v d a, .v n b, .v m c] => bif a == lanes && b == lanes && c == lanes then some (.vecBin op d n m) else none
  | _ => none

/-- The operation on a vector of bytes. -/
def unary (op : VecUn) : List Operand → Option Instr
  | [.v d .b16, .v n .b16] => some (.vecUn op d n)
  | _ => none

/-- The product of low or of high lanes. -/
def product (op : VecBin) (lanes : Arrangement) : List Operand → Option Instr
  | [.v d .q1, .v n a, .v m b] => bif a == lanes && b == lanes then some (.vecBin op d n m) else none
  | _ => none

/-- Bytes from two vectors. -/
def extract : List Operand → Option Instr
  | [.v d .b16, .v n .b16, .v m .b16, .imm false k] =>
    bif k.blt 16 then some (.vecBin (.ext (BitVec.ofNat 4 k)) d n m) else none
  | _ => none

/-- Bytes from a table. -/
def lookUp : List Operand → Option Instr
  | [.v d .b16, .table n, .v m .b16] => some (.vecBin .tbl d n m)
  | _ => none

/-- A lane in all lanes. -/
def duplicate : List Operand → Option Instr
  | [.v d .s4, .lane n (.s i)] => some (.vecUn (.dup (.s i)) d n)
  | [.v d .d2, .lane n (.d i)] => some (.vecUn (.dup (.d i)) d n)
  | _ => none

/-- A shift of `2^w` bits to the left by `k`, as it is encoded. -/
def left (w k : Nat) : Option (BitVec w) := bif k.blt (2 ^ w) then some (BitVec.ofNat w k) else none

/-- A shift of `2^w` bits to the right by `k`, as it is encoded. -/
def right (w k : Nat) : Option (BitVec w) :=
  bif k == 0 || (2 ^ w).blt k then none else some (BitVec.ofNat w (2 ^ w - k))

/-- A shift of lanes. -/
def shift (amount : (w k : Nat) → Option (BitVec w)) (op4s : BitVec 5 → VecUn) (op2d : BitVec 6 → VecUn) :
    List Operand → Option Instr
  | [.v d .s4, .v n .s4, .imm false k] => (amount 5 k).map fun k => .vecUn (op4s k) d n
  | [.v d .d2, .v n .d2, .imm false k] => (amount 6 k).map fun k => .vecUn (op2d k) d n
  | _ => none

/-- `aese` -/
def aese : List Operand → Option Instr
  | [.v d .b16, .v n .b16] => some (.aese d n)
  | _ => none

/-- `rev` -/
def reverse : List Operand → Option Instr
  | [.x d, .x n] => some (.un .rev d n)
  | [.w d, .w n] => some (.un .revw d n)
  | _ => none

/-- `lsl` -/
def shiftLeft : List Operand → Option Instr
  | [.x d, .x n, .imm false k] => if h : k - 1 < 63 then bif k == 0 then none else some (.un (.lsl ⟨k - 1, h⟩) d n) else none
  | _ => none

/-- `lsr` -/
def shiftRight : List Operand → Option Instr
  | [.x d, .x n, .imm false k] => (left 6 k).map fun k => .un (.lsr k) d n
  | _ => none

/-- `movk` -/
def keep : List Operand → Option Instr
  | [.x d, .imm false v] => bif v.blt 65536 then some (.movk d (BitVec.ofNat 16 v) 0) else none
  | [.x d, .imm false v, .lsl k] =>
    bif v.blt 65536 && k % 16 == 0 && !(k == 0) && k.blt 64 then
      some (.movk d (BitVec.ofNat 16 v) (BitVec.ofNat 2 (k / 16)))
    else none
  | _ => none

/-- The mnemonic of an instruction. -/
def mnemonic (t : Token) : Option Mnemonic :=
  [(chars!"add", .alu .add), (chars!"sub", .alu .sub), (chars!"subs", .alu .subs), (chars!"cmp", .cmp), (chars!"mov", .mov),
    (chars!"movi", .movi), (chars!"ldp", .ldp), (chars!"stp", .stp),
    (chars!"ldr", .access ⟨false, false, false⟩), (chars!"ldrb", .access ⟨false, false, true⟩),
    (chars!"ldur", .access ⟨false, true, false⟩), (chars!"ldurb", .access ⟨false, true, true⟩),
    (chars!"str", .access ⟨true, false, false⟩), (chars!"strb", .access ⟨true, false, true⟩),
    (chars!"stur", .access ⟨true, true, false⟩), (chars!"sturb", .access ⟨true, true, true⟩),
    (chars!"and", .logic .and .and), (chars!"orr", .logic .orr .orr), (chars!"eor", .logic .eor .eor),
    (chars!"pmull", .other (product .pmull .d1)), (chars!"pmull2", .other (product .pmull2 .d2)),
    (chars!"aese", .other aese), (chars!"aesmc", .other (unary .aesmc)), (chars!"rev64", .other (unary .rev64)),
    (chars!"rev32", .other (unary .rev32)), (chars!"ext", .other extract), (chars!"tbl", .other lookUp),
    (chars!"zip1", .other (binary .zip1 .d2)), (chars!"zip2", .other (binary .zip2 .d2)), (chars!"dup", .other duplicate),
    (chars!"shl", .other (shift left .shl4s .shl2d)), (chars!"ushr", .other (shift right .ushr4s .ushr2d)),
    (chars!"sshr", .other (shift right .sshr4s .sshr2d)), (chars!"lsl", .other shiftLeft), (chars!"lsr", .other shiftRight),
    (chars!"rev", .other reverse), (chars!"movk", .other keep)].lookup t

/-- A register or an immediate of arithmetic. -/
def source : Operand → Option Src
  | .x r => some (.reg r)
  | .imm false n => bif n.blt 4096 then some (.imm (BitVec.ofNat 12 n)) else none
  | _ => none

/-- A base register, the sign of an offset and its number, from the last operands. -/
def addressed : List Operand → Option (Reg × Bool × Nat)
  | [.mem b true] => some (b, false, 0)
  | [.mem b false, .offset negative n] => bif negative && n == 0 then none else some (b, negative, n)
  | _ => none

/-- A signed number of `w` bits. -/
def signed (w : Nat) (negative : Bool) (n : Nat) : Option (BitVec w) :=
  let bound := 2 ^ (w - 1)
  bif bif negative then n.ble bound else n.blt bound then some (BitVec.ofInt w (bif negative then -n else n)) else none

/-- An offset that a mnemonic says is scaled by the size of the access, or is not. -/
def offsetOf (unscaled negative : Bool) (n size : Nat) : Option Offset :=
  bif unscaled then (signed 9 negative n).map .unscaled
  else bif !negative && n % size == 0 && (n / size).blt 4096 then some (.scaled (BitVec.ofNat 12 (n / size))) else none

/-- A register that a mnemonic loads or stores. -/
def transfer (byte : Bool) : Operand → Option Transfer
  | .w r => some (.gpr (bif byte then .byte else .word) r)
  | .x r => bif byte then none else some (.gpr .dword r)
  | .q v => bif byte then none else some (.vec v)
  | _ => none

/-- Two registers of one kind. -/
def pair : Operand → Operand → Option Pair
  | .x t, .x u => some (.gpr t u)
  | .q t, .q u => some (.vec t u)
  | _, _ => none

/-- The registers, base and offset of a load or a store of a pair. -/
def pairAccess (t u : Operand) (a : List Operand) : Option (Pair × Reg × BitVec 7) :=
  match pair t u, addressed a with
  | some p, some (b, negative, n) =>
    bif n % p.first.bytes == 0 then (signed 7 negative (n / p.first.bytes)).map (p, b, ·) else none
  | _, _ => none

/-- A load or a store of one register. -/
def accessing (m : Access) : List Operand → Option Instr
  | [.q t, .mem n true, .imm negative k] =>
    bif m.unscaled || m.byte || (negative && k == 0) then none else
    (signed 9 negative k).map fun k => bif m.store then .strPost t n k else .ldrPost t n k
  | t :: a =>
    match transfer m.byte t, addressed a with
    | some t, some (b, negative, n) =>
      (offsetOf m.unscaled negative n t.bytes).map fun o => bif m.store then .str t ⟨b, o⟩ else .ldr t ⟨b, o⟩
    | _, _ => none
  | [] => none

/-- A move. -/
def moving : List Operand → Option Instr
  | [.x d, .imm false v] => bif v.blt 65536 then some (.mov d (BitVec.ofNat 16 v)) else none
  | [.x d, .x n] => some (.un .mov d n)
  | [.v d .b16, .v n .b16] => some (.vecBin .orr d n n)
  | [.lane d (.s i), .w n] => some (.ins (.s i) d n)
  | [.lane d (.d i), .x n] => some (.ins (.d i) d n)
  | [.w d, .lane n (.s i)] => some (.umov (.s i) d n)
  | [.x d, .lane n (.d i)] => some (.umov (.d i) d n)
  | _ => none

/-- The instruction with a mnemonic and operands. -/
def assemble : Mnemonic → List Operand → Option Instr
  | .alu op, [.x d, .x n, s] => (source s).map (.alu op d n)
  | .alu .add, [.v d .s4, .v n .s4, .v m .s4] => some (.vecBin .add4s d n m)
  | .alu .add, [.v d .d2, .v n .d2, .v m .d2] => some (.vecBin .add2d d n m)
  | .logic op _, [.x d, .x n, .x m] => some (.logic op d n m)
  | .logic _ op, ops => binary op .b16 ops
  | .other read, ops => read ops
  | .cmp, [.x n, s] => (source s).map (.cmp n)
  | .mov, ops => moving ops
  | .movi, [.v d .b16, .imm false v] => bif v.blt 256 then some (.movi d (BitVec.ofNat 8 v)) else none
  | .access m, ops => accessing m ops
  | .ldp, t :: u :: a => (pairAccess t u a).map fun (p, b, k) => .ldp p b k
  | .stp, t :: u :: a => (pairAccess t u a).map fun (p, b, k) => .stp p b k
  | _, _ => none

/-- The instruction with a mnemonic and operands. -/
def instruction (m : Token) (operands : List (List Token)) : Option Instr :=
  (mnemonic m).bind fun m => (collect operand operands).bind (assemble m)

/-- An instruction that finds the table of constants, as ELF and as Mach-O write it. -/
def byFormat (ts : List Token) : Option Instr :=
  let both (a b : List Token) := ([chars!"by_format", ['!'], ['('], ['"']] ++ a ++ [['"'], [','], ['"']] ++ b ++ [['"'], [')'], [',']])
  match ts with
  | _ :: _ :: _ :: _ :: m :: d :: _ :: n :: _ =>
    bif ts == both ([m, d, [',']] ++ tableTokens) ([m, d, [',']] ++ tableTokens ++ [['@'], chars!"PAGE"]) then
      bif m == chars!"adrp" then (base d).map .adrpTable else none
    else bif ts == both ([m, d, [','], n, [','], [':'], chars!"lo12", [':']] ++ tableTokens)
        ([m, d, [','], n, [',']] ++ tableTokens ++ [['@'], chars!"PAGEOFF"]) then
      bif m == chars!"add" then (base d).bind fun d => (base n).map (.addTable d) else none
    else none
  | _ => none

/-- A branch: its last operand is the reference. -/
def jump (m : Token) : List (List Token) → Option (Option Cond × Token)
  | [[r]] => bif m == ['b'] then some (none, r) else none
  | [[['.'], c, r]] =>
    bif m == ['b'] then
      ([(chars!"eq", Cond.eq), (chars!"ne", .ne), (chars!"hs", .hs), (chars!"lo", .lo)].lookup c).map (some ·, r)
    else none
  | [['x' :: ds], [r]] =>
    match reg ds with
    | some x => bif m == chars!"cbz" then some (some (.zero x), r)
        else bif m == chars!"cbnz" then some (some (.nonzero x), r) else none
    | none => none
  | _ => none

/-- How AArch64 is read. -/
def parser : Parser Instr Cond Feature where
  callConv := chars!"C"
  prologue features :=
    [[['.'], chars!"arch", chars!"armv8", ['-'], chars!"a"] ++ bif features.contains .aes then [['+'], chars!"aes"] else []]
  feature t := [(chars!"neon", .neon), (chars!"aes", .aes)].lookup t
  instr := instruction
  byFormat := byFormat
  jump := jump
  ret := chars!"ret"

end TCB.AArch64
