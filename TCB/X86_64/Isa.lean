import TCB.Isa
import TCB.X86_64.State
import TCB.X86_64.Vector

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
  | add | sub | cmp | test | and | or | xor
  deriving DecidableEq

/-- Shifts of 64 bits. -/
inductive Shift where
  | shl | shr
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

/-- The size of a vector operation or access. -/
inductive VecWidth where
  | xmm | ymm
  deriving DecidableEq

/-- The size in bytes. -/
def VecWidth.bytes : VecWidth → Nat
  | .xmm => 16
  | .ymm => 32

/-- A vector register or a memory operand, which VEX encoded instructions take at any alignment (SDM volume 1, section
14.9). -/
inductive VecSrc where
  | reg (r : Vec)
  | mem (a : Ea)
  deriving DecidableEq

/-- The instructions. -/
inductive Instr where
  /-- `add`, `sub`, `cmp`, `test`, `and`, `or` or `xor d, s` -/
  | alu (op : Alu) (d : Reg) (s : Src)
  /-- `xor d, d` on 32 bits, the idiom that clears a register -/
  | clear (d : Reg)
  /-- `mov d, s` on 64 bits -/
  | mov (d s : Reg)
  /-- `mov d, v` on 32 bits if the value has no more, else on 64 bits -/
  | movImm (d : Reg) (v : BitVec 64)
  /-- `lea d, a` on 64 bits -/
  | lea (d : Reg) (a : Ea)
  /-- `bswap d` on 64 bits -/
  | bswap (d : Reg)
  /-- `shl` or `shr d, n` on 64 bits -/
  | shift (op : Shift) (d : Reg) (n : BitVec 6)
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
  /-- an operation on two sources, `d, a, b` -/
  | vecBin (op : VecBin) (w : VecWidth) (d a : Vec) (b : VecSrc)
  /-- an operation on one source, `d, a` -/
  | vecUn (op : VecUn) (w : VecWidth) (d a : Vec)
  /-- `vmovdqa d, s` -/
  | vmovdqa (w : VecWidth) (d s : Vec)
  /-- `vbroadcasti128 d, xmmword ptr a` -/
  | vbroadcasti128 (d : Vec) (a : Ea)
  /-- `vinserti128 d, a, b, high` -/
  | vinserti128 (d a : Vec) (b : VecSrc) (high : Bool)
  /-- `vextracti128 d, a, high` -/
  | vextracti128 (d a : Vec) (high : Bool)
  /-- `vmovq d, s`, from a general register -/
  | vmovqFrom (d : Vec) (s : Reg)
  /-- `vmovq d, s`, to a general register -/
  | vmovqTo (d : Reg) (s : Vec)
  /-- `vpinsrq d, a, s, high` -/
  | vpinsrq (d a : Vec) (s : Reg) (high : Bool)
  /-- `lea d, [rip + table]`: the address of the table of constants -/
  | leaTable (d : Reg)
  /-- `vzeroupper` -/
  | vzeroupper
  deriving DecidableEq

/-- Branch conditions (SDM volume 1, appendix B): equal, not equal, below, above or equal, above, below or equal, sign,
no sign. -/
inductive Cond where
  | e | ne | b | ae | a | be | s | ns
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

/-- The flags after a shift of `x` by `n`, which is not 0: CF is the last bit shifted out, OF is defined after a shift by
one only, AF is undefined. -/
def shiftFlags (op : Shift) (x : BitVec 64) (n : Nat) : Flag → Option Bool
  | .cf => some (match op with | .shl => x.getLsbD (64 - n) | .shr => x.getLsbD (n - 1))
  | .of => if n = 1 then some (match op with | .shl => x.msb != x.getLsbD 62 | .shr => x.msb) else none
  | f => logicFlags (match op with | .shl => x <<< n | .shr => x >>> n) f

/-! ## Operands -/

/-- The register whose lanes are `f 0` and, in 256 bits, `f 1`: the rest is cleared (SDM volume 1, section 14.1). -/
def VecWidth.lanewise (w : VecWidth) (f : Nat → BitVec 128) : BitVec 512 :=
  match w with
  | .xmm => ofLanes (f 0) 0 0 0
  | .ymm => ofLanes (f 0) (f 1) 0 0

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

/-- Go on with the low bits of a register or memory operand. -/
def vecSrc (s : State) (w : VecWidth) (b : VecSrc) (k : BitVec 512 → State) : Option (State × Trace) :=
  match b with
  | .reg r => some (k (s.vec r), [])
  | .mem a => s.loading a w.bytes fun bs => k (ofBytes 512 bs)

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
  | .and => (s.setReg d (x &&& y)).setFlags (logicFlags (x &&& y))
  | .or => (s.setReg d (x ||| y)).setFlags (logicFlags (x ||| y))
  | .xor => (s.setReg d (x ^^^ y)).setFlags (logicFlags (x ^^^ y))

/-- A shift of 64 bits; by 0, it changes no flag. -/
def shift (s : State) (op : Shift) (d : Reg) (n : Nat) : State :=
  let x := s.gpr d
  let t := s.setReg d (match op with | .shl => x <<< n | .shr => x >>> n)
  if n = 0 then t else t.setFlags (shiftFlags op x n)

end State

/-! ## Instructions -/

/-- What an instruction does; `none` is a fault. -/
def exec : Instr → State → Option (State × Trace)
  -- ADD, SUB, CMP, TEST, AND, OR, XOR
  | .alu op d v, s => some (s.alu op d (s.src v), [])
  -- XOR: a 32-bit result clears the upper half (SDM volume 1, section 3.4.1.1)
  | .clear d, s => some ((s.setReg d 0).setFlags (logicFlags 0), [])
  -- MOV: no flags
  | .mov d r, s => some (s.setReg d (s.gpr r), [])
  | .movImm d v, s => some (s.setReg d v, [])
  -- LEA: no access, no flags
  | .lea d a, s => some (s.setReg d (s.ea a), [])
  -- LEA, RIP-relative (SDM volume 1, section 3.7.5.1): the linker fills in the distance
  | .leaTable d, s => some (s.setReg d s.memory.constants, [])
  -- BSWAP: no flags
  | .bswap d, s => some (s.setReg d (ofBytes 64 (toBytes 8 (s.gpr d)).reverse), [])
  -- SAL/SAR/SHL/SHR
  | .shift op d n, s => some (s.shift op d n.toNat, [])
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
  -- see `VecBin.eval` and `VecUn.eval`
  | .vecBin op w d r b, s => s.vecSrc w b fun y => s.setVec d (w.lanewise fun i => op.eval (s.lane r i) (lane y i))
  | .vecUn op w d r, s => some (s.setVec d (w.lanewise fun i => op.eval (s.lane r i)), [])
  -- MOVDQA, VEX encoded
  | .vmovdqa w d r, s => some (s.setVec d (w.lanewise fun i => s.lane r i), [])
  -- VBROADCAST (VBROADCASTI128)
  | .vbroadcasti128 d a, s => s.loading a 16 fun bs => s.setVec d (ofLanes (ofBytes 128 bs) (ofBytes 128 bs) 0 0)
  -- VINSERTI128
  | .vinserti128 d r b high, s => s.vecSrc .xmm b fun y => s.setVec d <|
      if high then ofLanes (s.lane r 0) (lane y 0) 0 0 else ofLanes (lane y 0) (s.lane r 1) 0 0
  -- VEXTRACTI128
  | .vextracti128 d r high, s => some (s.setVec d (ofLanes (s.lane r high.toNat) 0 0 0), [])
  -- MOVD/MOVQ, VEX encoded
  | .vmovqFrom d r, s => some (s.setVec d ((s.gpr r).setWidth 512), [])
  | .vmovqTo d r, s => some (s.setReg d (qword (s.lane r 0) 0), [])
  -- PINSRB/PINSRD/PINSRQ, VEX encoded
  | .vpinsrq d r q high, s => some (s.setVec d <|
      let a := s.lane r 0
      ofLanes (if high then s.gpr q ++ qword a 0 else qword a 1 ++ s.gpr q) 0 0 0, [])
  -- VZEROUPPER
  | .vzeroupper, s => some (s.clearUpper, [])

/-- Whether a branch condition holds; `none` if a flag that it reads is undefined. -/
def eval : Cond → State → Option Bool
  | .e, s => s.flag .zf
  | .ne, s => (s.flag .zf).map (!·)
  | .b, s => s.flag .cf
  | .ae, s => (s.flag .cf).map (!·)
  | .a, s => (s.flag .cf).bind fun c => (s.flag .zf).map fun z => !c && !z
  | .be, s => (s.flag .cf).bind fun c => (s.flag .zf).map fun z => c || z
  | .s, s => s.flag .sf
  | .ns, s => (s.flag .sf).map (!·)

/-- The CPU features that an operation on vectors needs. -/
def VecBin.requires : VecBin → VecWidth → List Feature
  | .aesenc, .xmm | .aesenclast, .xmm => [.aes, .avx]
  | .aesenc, .ymm | .aesenclast, .ymm => [.vaes, .avx]
  | .pclmulqdq .., .xmm => [.pclmulqdq, .avx]
  | .pclmulqdq .., .ymm => [.vpclmulqdq, .avx]
  | _, .xmm => [.avx]
  | _, .ymm => [.avx2]

/-- The CPU features that an instruction needs (SDM volume 2, column "CPUID feature flag"). -/
def requires : Instr → List Feature
  | .movdquLoad .. | .movdquStore .. | .pxor .. => [.sse2]
  | .vmovdquLoad .. | .vmovdquStore .. | .vmovdqa .. | .vmovqFrom .. | .vmovqTo .. | .vpinsrq .. | .vzeroupper => [.avx]
  | .vecBin op w _ _ _ => op.requires w
  | .vecUn _ .xmm _ _ => [.avx]
  | .vecUn _ .ymm _ _ | .vbroadcasti128 .. | .vinserti128 .. | .vextracti128 .. => [.avx2]
  | _ => []

/-- The x86-64 instruction set. -/
def isa : Isa State Instr Cond Feature := { exec, eval, requires }

end TCB.X86_64
