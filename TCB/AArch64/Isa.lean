import TCB.Isa
import TCB.AArch64.Vector

/-!
# The AArch64 instructions that kernels use

Each clause of `exec` names its page of the Arm Architecture Reference Manual for A-profile (DDI 0487), chapters C6 (base
instructions) and C7 (SIMD). Only instructions whose time PSTATE.DIT makes independent of the values of their operands
(page DIT, section C5.2), and accesses of any alignment: memory is of type Normal and SCTLR_ELx.A is 0, as operating systems
set it. Offsets and shifts are held as they are encoded, so that none is out of range.
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- A register or a 12-bit immediate, which is not shifted. -/
inductive Src where
  | reg (r : Reg)
  | imm (v : BitVec 12)
  deriving DecidableEq

/-- Three-operand arithmetic on 64 bits. -/
inductive Alu where
  | add | sub | subs
  deriving DecidableEq

/-- Bitwise operations on two registers of 64 bits. -/
inductive Logic where
  | and | orr | eor
  deriving DecidableEq

/-- Operations on one general register. -/
inductive Un where
  | mov
  /-- Reverse the bytes of 64 bits. -/
  | rev
  /-- Reverse the bytes of the low 32 bits; the others become 0. -/
  | revw
  /-- Shift left by `k + 1`: an assembler takes a shift by 0 for one to the right. -/
  | lsl (k : Fin 63)
  | lsr (k : BitVec 6)
  deriving DecidableEq

/-- The size of an access by a general register. -/
inductive Width where
  | byte | word | dword
  deriving DecidableEq

/-- The size in bytes. -/
def Width.bytes : Width → Nat
  | .byte => 1
  | .word => 4
  | .dword => 8

/-- The register that is loaded or stored: the low bytes of a general register, or a vector register. -/
inductive Transfer where
  | gpr (w : Width) (r : Reg)
  | vec (v : Vec)
  deriving DecidableEq

/-- The size in bytes. -/
def Transfer.bytes : Transfer → Nat
  | .gpr w _ => w.bytes
  | .vec _ => 16

/-- The offset of an address. -/
inductive Offset where
  /-- A multiple of the size of the access, not negative. -/
  | scaled (k : BitVec 12)
  /-- A signed number of bytes. -/
  | unscaled (k : BitVec 9)
  deriving DecidableEq

/-- An address: a base register and an offset (section C1.3.3). -/
structure Ea where
  base : Reg
  offset : Offset := .scaled 0
  deriving DecidableEq

/-- The registers of a load or store of a pair. -/
inductive Pair where
  | gpr (t u : Reg)
  | vec (t u : Vec)
  deriving DecidableEq

/-- The first register. -/
def Pair.first : Pair → Transfer
  | .gpr t _ => .gpr .dword t
  | .vec t _ => .vec t

/-- The second register. -/
def Pair.second : Pair → Transfer
  | .gpr _ u => .gpr .dword u
  | .vec _ u => .vec u

/-- The instructions. -/
inductive Instr where
  /-- `add`, `sub` or `subs d, n, s` -/
  | alu (op : Alu) (d n : Reg) (s : Src)
  /-- `cmp n, s` -/
  | cmp (n : Reg) (s : Src)
  /-- `mov d, #v` -/
  | mov (d : Reg) (v : BitVec 16)
  /-- `ldrb`, `ldr`, `ldurb` or `ldur t, a` -/
  | ldr (t : Transfer) (a : Ea)
  /-- `strb`, `str`, `sturb` or `stur t, a` -/
  | str (t : Transfer) (a : Ea)
  /-- `ldp t, u, [n, #k]`, where `k` is a multiple of the size of a register -/
  | ldp (p : Pair) (n : Reg) (k : BitVec 7)
  /-- `stp t, u, [n, #k]`, where `k` is a multiple of the size of a register -/
  | stp (p : Pair) (n : Reg) (k : BitVec 7)
  /-- `adrp d, table`: the page of the table of constants -/
  | adrpTable (d : Reg)
  /-- `add d, n, :lo12:table`: add where the table of constants begins in its page -/
  | addTable (d n : Reg)
  /-- `movi d.16b, #v` -/
  | movi (d : Vec) (v : BitVec 8)
  /-- `and`, `orr` or `eor d, n, m` -/
  | logic (op : Logic) (d n m : Reg)
  /-- `mov`, `rev`, `lsl` or `lsr d, n` -/
  | un (op : Un) (d n : Reg)
  /-- `movk d, #v, lsl #16k` -/
  | movk (d : Reg) (v : BitVec 16) (k : BitVec 2)
  /-- An operation on two vector registers -/
  | vecBin (op : VecBin) (d n m : Vec)
  /-- An operation on one vector register -/
  | vecUn (op : VecUn) (d n : Vec)
  /-- `aese d.16b, n.16b` -/
  | aese (d n : Vec)
  /-- `mov d.l, n` -/
  | ins (l : Lane) (d : Vec) (n : Reg)
  /-- `mov d, n.l` -/
  | umov (l : Lane) (d : Reg) (n : Vec)
  /-- `ldr t, [n], #k` -/
  | ldrPost (t : Vec) (n : Reg) (k : BitVec 9)
  /-- `str t, [n], #k` -/
  | strPost (t : Vec) (n : Reg) (k : BitVec 9)
  deriving DecidableEq

/-- Branch conditions: equal, not equal, unsigned higher or same, unsigned lower (section C1.2.4); a register is zero, or
is not. -/
inductive Cond where
  | eq | ne | hs | lo
  | zero (r : Reg)
  | nonzero (r : Reg)
  deriving DecidableEq

/-- The flags of `x - y`: AddWithCarry of `x`, NOT `y` and 1 (section J1.3, shared pseudocode). -/
def subFlags (x y : BitVec 64) : Nzcv where
  n := (x - y).msb
  z := x - y == 0
  c := !x.ult y
  v := x.msb != y.msb && (x - y).msb != x.msb

/-- What the operation computes. -/
def Logic.eval : Logic → BitVec 64 → BitVec 64 → BitVec 64
  | .and, x, y => x &&& y
  | .orr, x, y => x ||| y
  | .eor, x, y => x ^^^ y

/-- What the operation computes. -/
def Un.eval : Un → BitVec 64 → BitVec 64
  | .mov, x => x
  | .rev, x => ofBytes 64 (toBytes 8 x).reverse
  | .revw, x => ofBytes 64 (toBytes 4 x).reverse
  | .lsl k, x => x <<< (k.val + 1)
  | .lsr k, x => x >>> k.toNat

/-- `x` with its 16 bits from bit `16 * k` replaced. -/
def keep16 (x : BitVec 64) (v : BitVec 16) (k : BitVec 2) : BitVec 64 :=
  x &&& ~~~((0xffff : BitVec 64) <<< (16 * k.toNat)) ||| v.setWidth 64 <<< (16 * k.toNat)

/-! ## Operands -/

namespace State

/-- The value of a register or immediate operand. -/
def src (s : State) : Src → BitVec 64
  | .reg r => s.gpr r
  | .imm v => v.setWidth 64

/-- The address of an access of `n` bytes. -/
def ea (s : State) (a : Ea) (n : Nat) : Addr :=
  s.gpr a.base + match a.offset with
    | .scaled k => BitVec.ofNat 64 (k.toNat * n)
    | .unscaled k => k.signExtend 64

/-- The address of the first register of a pair. -/
def pairEa (s : State) (p : Pair) (n : Reg) (k : BitVec 7) : Addr :=
  s.gpr n + k.signExtend 64 * BitVec.ofNat 64 p.first.bytes

/-- A register with what was loaded into it; the rest of a general register is cleared. -/
def put (s : State) (t : Transfer) (bs : List Byte) : State :=
  match t with
  | .gpr _ r => s.setReg r (ofBytes 64 bs)
  | .vec v => s.setVec v (ofBytes 128 bs)

/-- What is stored from a register. -/
def data (s : State) : Transfer → List Byte
  | .gpr w r => toBytes w.bytes (s.gpr r)
  | .vec v => toBytes 16 (s.vec v)

/-- Load a register. -/
def loading (s : State) (t : Transfer) (a : Addr) : Option (State × Trace) :=
  (s.memory.load a t.bytes).map fun r => (s.put t r.1, r.2)

/-- Store bytes. -/
def storing (s : State) (a : Addr) (bs : List Byte) : Option (State × Trace) :=
  (s.memory.store a bs).map fun r => (s.setMemory r.1, r.2)

/-- One access after the other. -/
def andThen (x : Option (State × Trace)) (f : State → Option (State × Trace)) : Option (State × Trace) :=
  x.bind fun r => (f r.1).map fun q => (q.1, r.2 ++ q.2)

/-- Then a number is added to a register that held the base. -/
def postIndex (x : Option (State × Trace)) (n : Reg) (base k : BitVec 64) : Option (State × Trace) :=
  x.map fun r => (r.1.setReg n (base + k), r.2)

/-- Arithmetic on 64 bits. -/
def alu (s : State) (op : Alu) (d : Reg) (x y : BitVec 64) : State :=
  match op with
  | .add => s.setReg d (x + y)
  | .sub => s.setReg d (x - y)
  | .subs => (s.setReg d (x - y)).setFlags (subFlags x y)

end State

/-! ## Instructions -/

/-- What an instruction does; `none` is a fault. -/
def exec : Instr → State → Option (State × Trace)
  -- ADD, SUB, SUBS (immediate) and (shifted register, by 0)
  | .alu op d n v, s => some (s.alu op d (s.gpr n) (s.src v), [])
  -- CMP (immediate) and (shifted register, by 0)
  | .cmp n v, s => some (s.setFlags (subFlags (s.gpr n) (s.src v)), [])
  -- MOV (wide immediate), an alias of MOVZ
  | .mov d v, s => some (s.setReg d (v.setWidth 64), [])
  -- LDR (immediate), LDRB (immediate), LDUR, LDURB, LDR (immediate, SIMD&FP), LDUR (SIMD&FP)
  | .ldr t a, s => s.loading t (s.ea a t.bytes)
  -- STR (immediate), STRB (immediate), STUR, STURB, STR (immediate, SIMD&FP), STUR (SIMD&FP)
  | .str t a, s => s.storing (s.ea a t.bytes) (s.data t)
  -- LDP, LDP (SIMD&FP), signed offset: two accesses. A pair of equal registers is CONSTRAINED UNPREDICTABLE. The base may be
  -- one of the registers: the address was read before.
  | .ldp p n k, s =>
    if p.first = p.second then none else
    let a := s.pairEa p n k
    State.andThen (s.loading p.first a) fun s' => s'.loading p.second (a + BitVec.ofNat 64 p.first.bytes)
  -- STP, STP (SIMD&FP), signed offset: two accesses
  | .stp p n k, s =>
    let a := s.pairEa p n k
    State.andThen (s.storing a (s.data p.first)) fun s' =>
      s'.storing (a + BitVec.ofNat 64 p.first.bytes) (s.data p.second)
  -- ADRP: the address of the page of 4 KiB; the linker fills in the distance
  | .adrpTable d, s => some (s.setReg d (s.memory.constants &&& ~~~0xfff#64), [])
  -- ADD (immediate): the linker fills in the low 12 bits of the address
  | .addTable d n, s => some (s.setReg d (s.gpr n + (s.memory.constants &&& 0xfff#64)), [])
  -- MOVI, 8-bit variant: the byte in all 16 lanes
  | .movi d v, s => some (s.setVec d (ofBytes 128 (List.replicate 16 v)), [])
  -- AND, ORR, EOR (shifted register, by 0)
  | .logic op d n m, s => some (s.setReg d (op.eval (s.gpr n) (s.gpr m)), [])
  -- MOV (register), REV, LSL (immediate), LSR (immediate)
  | .un op d n, s => some (s.setReg d (op.eval (s.gpr n)), [])
  -- MOVK
  | .movk d v k, s => some (s.setReg d (keep16 (s.gpr d) v k), [])
  -- The pages are named in `VecBin`.
  | .vecBin op d n m, s => some (s.setVec d (op.eval (s.vec n) (s.vec m)), [])
  -- The pages are named in `VecUn`.
  | .vecUn op d n, s => some (s.setVec d (op.eval (s.vec n)), [])
  -- AESE: the first operand is also the destination
  | .aese d n, s => some (s.setVec d (Aes.subBytes (Aes.shiftRows (s.vec d ^^^ s.vec n))), [])
  -- MOV (from general), an alias of INS (general): the other lanes stay
  | .ins l d n, s => some (s.setVec d (l.set (s.vec d) (s.gpr n)), [])
  -- MOV (to general), an alias of UMOV
  | .umov l d n, s => some (s.setReg d (l.get (s.vec n)), [])
  -- LDR (immediate, SIMD&FP), post-index
  | .ldrPost t n k, s => State.postIndex (s.loading (.vec t) (s.gpr n)) n (s.gpr n) (k.signExtend 64)
  -- STR (immediate, SIMD&FP), post-index
  | .strPost t n k, s => State.postIndex (s.storing (s.gpr n) (s.data (.vec t))) n (s.gpr n) (k.signExtend 64)

/-- Whether a branch condition holds (ConditionHolds, section J1.3; CBZ and CBNZ). -/
def eval : Cond → State → Option Bool
  | .eq, s => some s.nzcv.z
  | .ne, s => some !s.nzcv.z
  | .hs, s => some s.nzcv.c
  | .lo, s => some !s.nzcv.c
  | .zero r, s => some (s.gpr r == 0)
  | .nonzero r, s => some (s.gpr r != 0)

/-- The registers are vector registers. -/
def Transfer.isVec : Transfer → Bool
  | .gpr .. => false
  | .vec _ => true

/-- The CPU features that an instruction needs: FEAT_AdvSIMD, which `neon` names, and FEAT_AES and FEAT_PMULL. -/
def requires : Instr → List Feature
  | .ldr t _ | .str t _ => if t.isVec then [.neon] else []
  | .ldp p .. | .stp p .. => if p.first.isVec then [.neon] else []
  | .movi .. | .ins .. | .umov .. | .ldrPost .. | .strPost .. => [.neon]
  | .vecBin op .. => if op.isPmull then [.neon, .aes] else [.neon]
  | .vecUn op .. => if op = .aesmc then [.neon, .aes] else [.neon]
  | .aese .. => [.neon, .aes]
  | .adrpTable .. | .addTable .. | .alu .. | .cmp .. | .mov .. | .logic .. | .un .. | .movk .. => []

/-- The AArch64 instruction set. -/
def isa : Isa State Instr Cond Feature := { exec, eval, requires }

end TCB.AArch64
