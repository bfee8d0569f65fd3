import TCB.Isa
import TCB.X86_64.State

/-!
# The x86-64 instructions that kernels use

Each clause of `exec` names its page of the Intel SDM, volume 2. Only instructions whose time does not depend on the
values of their operands.
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- A memory operand `[base + index * 1 + disp]` (SDM volume 1, section 3.7.5). -/
structure Ea where
  base : Reg
  /-- `rsp` cannot be an index; the printer's assembler refuses it. -/
  index : Option Reg := none
  disp : BitVec 32 := 0
  deriving DecidableEq

/-- A register or a sign-extended immediate. -/
inductive Src where
  | reg (r : Reg)
  | imm (v : BitVec 32)
  deriving DecidableEq

/-- Two-operand arithmetic on 64 bits. -/
inductive Alu where
  | add | sub | cmp | test
  deriving DecidableEq

/-- The size of an access by a general register. -/
inductive Width where
  | byte | dword | qword
  deriving DecidableEq

/-- The size in bytes. -/
def Width.bytes : Width → Nat
  | .byte => 1
  | .dword => 4
  | .qword => 8

/-- The size of an access by a vector register. -/
inductive VecWidth where
  | xmm | ymm
  deriving DecidableEq

/-- The size in bytes. -/
def VecWidth.bytes : VecWidth → Nat
  | .xmm => 16
  | .ymm => 32

/-- The instructions. -/
inductive Instr where
  /-- `add`, `sub`, `cmp` or `test d, s` -/
  | alu (op : Alu) (d : Reg) (s : Src)
  /-- `xor d, d` on 32 bits, the idiom that clears a register -/
  | clear (d : Reg)
  /-- `movzx d, byte ptr a` and `mov d, dword ptr a` on 32 bits, `mov d, qword ptr a` -/
  | load (w : Width) (d : Reg) (a : Ea)
  /-- `mov w ptr a, s` -/
  | store (w : Width) (a : Ea) (s : Reg)
  /-- `movdqu d, xmmword ptr a` -/
  | movdquLoad (d : Vec) (a : Ea)
  /-- `movdqu xmmword ptr a, s` -/
  | movdquStore (a : Ea) (s : Vec)
  /-- `pxor d, s` -/
  | pxor (d s : Vec)
  /-- `vmovdqu d, xmmword ptr a` and `vmovdqu d, ymmword ptr a` -/
  | vmovdquLoad (w : VecWidth) (d : Vec) (a : Ea)
  /-- `vmovdqu xmmword ptr a, s` and `vmovdqu ymmword ptr a, s` -/
  | vmovdquStore (w : VecWidth) (a : Ea) (s : Vec)
  /-- `vpxor d, s, t` on 128 bits -/
  | vpxor (d s t : Vec)
  /-- `vzeroupper` -/
  | vzeroupper
  deriving DecidableEq

/-- Branch conditions (SDM volume 1, appendix B): equal, not equal, below, above or equal. -/
inductive Cond where
  | e | ne | b | ae
  deriving DecidableEq

/-! ## Flags (SDM volume 1, section 3.4.3.1) -/

/-- PF: the low byte has an even number of ones. -/
def parity (v : BitVec 64) : Bool :=
  !((List.range 8).foldl (fun p i => p ^^ v.getLsbD i) false)

/-- The flags of `x + y`. -/
def addFlags (x y : BitVec 64) : Flag → Option Bool
  | .cf => some ((x + y).ult x)
  | .pf => some (parity (x + y))
  | .af => some ((x ^^^ y ^^^ (x + y)).getLsbD 4)
  | .zf => some (x + y == 0)
  | .sf => some (x + y).msb
  | .of => some (x.msb == y.msb && (x + y).msb != x.msb)

/-- The flags of `x - y`. -/
def subFlags (x y : BitVec 64) : Flag → Option Bool
  | .cf => some (x.ult y)
  | .pf => some (parity (x - y))
  | .af => some ((x ^^^ y ^^^ (x - y)).getLsbD 4)
  | .zf => some (x - y == 0)
  | .sf => some (x - y).msb
  | .of => some (x.msb != y.msb && (x - y).msb != x.msb)

/-- The flags of a logical operation with result `v`; AF is undefined. -/
def logicFlags (v : BitVec 64) : Flag → Option Bool
  | .cf | .of => some false
  | .pf => some (parity v)
  | .af => none
  | .zf => some (v == 0)
  | .sf => some v.msb

/-! ## Operands -/

namespace State

/-- The effective address of a memory operand. -/
def ea (s : State) (a : Ea) : Addr :=
  s.gpr a.base + (a.index.map s.gpr).getD 0 + a.disp.signExtend 64

/-- The value of a register or immediate operand. -/
def src (s : State) : Src → BitVec 64
  | .reg r => s.gpr r
  | .imm v => v.signExtend 64

/-- Load `n` bytes from a memory operand and go on with them. -/
def loading (s : State) (a : Ea) (n : Nat) (k : List Byte → State) : Option (State × Trace) :=
  (s.memory.load (s.ea a) n).map fun r => (k r.1, r.2)

/-- Store bytes to a memory operand. -/
def storing (s : State) (a : Ea) (bs : List Byte) : Option (State × Trace) :=
  (s.memory.store (s.ea a) bs).map fun r => (s.setMemory r.1, r.2)

/-- Arithmetic on 64 bits. -/
def alu (s : State) (op : Alu) (d : Reg) (y : BitVec 64) : State :=
  let x := s.gpr d
  match op with
  | .add => (s.setReg d (x + y)).setFlags (addFlags x y)
  | .sub => (s.setReg d (x - y)).setFlags (subFlags x y)
  | .cmp => s.setFlags (subFlags x y)
  | .test => s.setFlags (logicFlags (x &&& y))

end State

/-! ## Instructions -/

/-- What an instruction does; `none` is a fault. -/
def exec : Instr → State → Option (State × Trace)
  -- ADD, SUB, CMP, TEST
  | .alu op d v, s => some (s.alu op d (s.src v), [])
  -- XOR: a 32-bit result clears the upper half (SDM volume 1, section 3.4.1.1)
  | .clear d, s => some ((s.setReg d 0).setFlags (logicFlags 0), [])
  -- MOVZX, MOV: no flags; a 32-bit result clears the upper half
  | .load w d a, s => s.loading a w.bytes fun bs => s.setReg d (ofBytes 64 bs)
  -- MOV
  | .store w a r, s => s.storing a (toBytes w.bytes (s.gpr r))
  -- MOVDQU: any alignment
  | .movdquLoad d a, s => s.loading a 16 fun bs => s.setXmm d (ofBytes 128 bs)
  | .movdquStore a r, s => s.storing a (toBytes 16 (s.xmm r))
  -- PXOR
  | .pxor d r, s => some (s.setXmm d (s.xmm d ^^^ s.xmm r), [])
  -- MOVDQU, VEX encoded: the rest of the register is cleared (SDM volume 1, section 14.1)
  | .vmovdquLoad w d a, s => s.loading a w.bytes fun bs => s.setVec d (ofBytes 512 bs)
  | .vmovdquStore w a r, s => s.storing a (toBytes w.bytes (s.vec r))
  -- PXOR, VEX.128 encoded
  | .vpxor d r q, s => some (s.setVec d ((s.xmm r ^^^ s.xmm q).setWidth 512), [])
  -- VZEROUPPER
  | .vzeroupper, s => some (s.clearUpper, [])

/-- Whether a branch condition holds; `none` if a flag that it reads is undefined. -/
def eval : Cond → State → Option Bool
  | .e, s => s.flag .zf
  | .ne, s => (s.flag .zf).map (!·)
  | .b, s => s.flag .cf
  | .ae, s => (s.flag .cf).map (!·)

/-- The CPU features that an instruction needs (SDM volume 2, column "CPUID feature flag"). -/
def requires : Instr → List Feature
  | .movdquLoad .. | .movdquStore .. | .pxor .. => [.sse2]
  | .vmovdquLoad .. | .vmovdquStore .. | .vpxor .. | .vzeroupper => [.avx]
  | _ => []

/-- The x86-64 instruction set. -/
def isa : Isa State Instr Cond Feature := { exec, eval, requires }

end TCB.X86_64
