import TCB.Access

/-!
# The state of an x86-64 processor

Intel SDM volume 1, chapter 3 (general registers, RFLAGS) and chapters 10, 14 and 15 (vector and mask registers, MXCSR).
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The general registers, of 64 bits. -/
inductive Reg where
  | rax | rcx | rdx | rbx | rsp | rbp | rsi | rdi | r8 | r9 | r10 | r11 | r12 | r13 | r14 | r15
  deriving DecidableEq

/-- The vector registers that SSE and VEX instructions name, of 512 bits. -/
abbrev Vec := Fin 16

/-- The mask registers k0-k7, of 64 bits. -/
abbrev Mask := Fin 8

/-- The arithmetic flags (SDM volume 1, section 3.4.3.1). -/
inductive Flag where
  | cf | pf | af | zf | sf | of
  deriving DecidableEq

/-- The CPU features that a kernel may need. -/
inductive Feature where
  | sse2 | avx | avx2 | aes | pclmulqdq | vaes | vpclmulqdq
  deriving DecidableEq

/-- The state: `none` for a flag means that it is undefined. -/
structure State where
  gpr : Reg → BitVec 64
  vec : Vec → BitVec 512
  mask : Mask → BitVec 64
  flag : Flag → Option Bool
  /-- The direction flag (SDM volume 1, section 3.4.3.2). -/
  df : Bool
  /-- Control and status of SSE floating point (SDM volume 1, section 10.2.3). -/
  mxcsr : BitVec 32
  memory : Memory

/-- Bits `128 * i` and on of a vector register. -/
def lane (v : BitVec 512) (i : Nat) : BitVec 128 := v.extractLsb' (128 * i) 128

/-- A vector register from its lanes of 128 bits, lowest first. -/
def ofLanes (a b c d : BitVec 128) : BitVec 512 := d ++ c ++ b ++ a

namespace State

/-- The state with a general register changed. -/
def setReg (s : State) (d : Reg) (v : BitVec 64) : State := { s with gpr := fun r => if r = d then v else s.gpr r }

/-- The state with a vector register changed. -/
def setVec (s : State) (d : Vec) (v : BitVec 512) : State := { s with vec := fun r => if r = d then v else s.vec r }

/-- The state with all arithmetic flags changed. -/
def setFlags (s : State) (f : Flag → Option Bool) : State := { s with flag := f }

/-- The state with the memory changed. -/
def setMemory (s : State) (m : Memory) : State := { s with memory := m }

/-- The low 128 bits of a vector register. -/
def xmm (s : State) (r : Vec) : BitVec 128 := (s.vec r).setWidth 128

/-- Bits `128 * i` and on of a vector register. -/
def lane (s : State) (r : Vec) (i : Nat) : BitVec 128 := X86_64.lane (s.vec r) i

/-- A write of a legacy SSE instruction: bits 128 and above stay (SDM volume 1, section 14.1). -/
def setXmm (s : State) (d : Vec) (v : BitVec 128) : State :=
  s.setVec d ((s.vec d).extractLsb' 128 384 ++ v)

/-- The state with bits 128 and above of all vector registers cleared. -/
def clearUpper (s : State) : State := { s with vec := fun r => (s.xmm r).setWidth 512 }

end State
end TCB.X86_64
