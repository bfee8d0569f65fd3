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

/-- What an operand can be. -/
inductive Operand where
  /-- `x0` -/
  | x (r : Reg)
  /-- `w0` -/
  | w (r : Reg)
  /-- `q0` -/
  | q (v : Vec)
  /-- `v0.16b` -/
  | v16b (v : Vec)
  /-- `#8`, `#-8` -/
  | imm (negative : Bool) (n : Nat)
  /-- `[x0]`, or `[x0` before an offset -/
  | mem (base : Reg) (closed : Bool)
  /-- `#8]` -/
  | offset (negative : Bool) (n : Nat)

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
  | ['v' :: ds, ['.'], lanes] => bif lanes == chars!"16b" then (vec ds).map .v16b else none
  | [['['], b] => (base b).map (.mem · false)
  | [['['], b, [']']] => (base b).map (.mem · true)
  | ['#'] :: ts =>
    bif ts.getLast? == some [']'] then (number ts.dropLast).map fun n => .offset n.1 n.2
    else (number ts).map fun n => .imm n.1 n.2
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

/-- The mnemonic of an instruction. -/
def mnemonic (t : Token) : Option Mnemonic :=
  [(chars!"add", .alu .add), (chars!"sub", .alu .sub), (chars!"subs", .alu .subs), (chars!"cmp", .cmp), (chars!"mov", .mov),
    (chars!"movi", .movi), (chars!"ldp", .ldp), (chars!"stp", .stp),
    (chars!"ldr", .access ⟨false, false, false⟩), (chars!"ldrb", .access ⟨false, false, true⟩),
    (chars!"ldur", .access ⟨false, true, false⟩), (chars!"ldurb", .access ⟨false, true, true⟩),
    (chars!"str", .access ⟨true, false, false⟩), (chars!"strb", .access ⟨true, false, true⟩),
    (chars!"stur", .access ⟨true, true, false⟩), (chars!"sturb", .access ⟨true, true, true⟩)].lookup t

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

/-- The instruction with a mnemonic and operands. -/
def assemble : Mnemonic → List Operand → Option Instr
  | .alu op, [.x d, .x n, s] => (source s).map (.alu op d n)
  | .cmp, [.x n, s] => (source s).map (.cmp n)
  | .mov, [.x d, .imm false v] => bif v.blt 65536 then some (.mov d (BitVec.ofNat 16 v)) else none
  | .movi, [.v16b d, .imm false v] => bif v.blt 256 then some (.movi d (BitVec.ofNat 8 v)) else none
  | .access m, t :: a =>
    match transfer m.byte t, addressed a with
    | some t, some (b, negative, n) =>
      (offsetOf m.unscaled negative n t.bytes).map fun o => bif m.store then .str t ⟨b, o⟩ else .ldr t ⟨b, o⟩
    | _, _ => none
  | .ldp, t :: u :: a => (pairAccess t u a).map fun (p, b, k) => .ldp p b k
  | .stp, t :: u :: a => (pairAccess t u a).map fun (p, b, k) => .stp p b k
  | _, _ => none

/-- The instruction with a mnemonic and operands. -/
def instruction (m : Token) (operands : List (List Token)) : Option Instr :=
  (mnemonic m).bind fun m => (collect operand operands).bind (assemble m)

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
  prologue _ := [[['.'], chars!"arch", chars!"armv8", ['-'], chars!"a"]]
  feature t := [(chars!"neon", .neon)].lookup t
  instr := instruction
  jump := jump
  ret := chars!"ret"

end TCB.AArch64
