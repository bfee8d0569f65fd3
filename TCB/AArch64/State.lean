import TCB.Access

/-!
# The state of an AArch64 processor

Arm Architecture Reference Manual for A-profile (DDI 0487), section B1.2 (registers in AArch64 state) and the pages NZCV, FPCR,
FPSR and DIT of section C5.2 (special-purpose registers).
-/

set_option autoImplicit false
namespace TCB.AArch64

/-- The general registers X0-X30, of 64 bits, without the platform register X18: code cannot name it (AAPCS64, section
6.1.1). -/
inductive Reg where
  | x0 | x1 | x2 | x3 | x4 | x5 | x6 | x7 | x8 | x9 | x10 | x11 | x12 | x13 | x14 | x15 | x16 | x17
  | x19 | x20 | x21 | x22 | x23 | x24 | x25 | x26 | x27 | x28 | x29 | x30
  deriving DecidableEq

/-- The vector registers V0-V31, of 128 bits. -/
abbrev Vec := Fin 32

/-- The condition flags (NZCV). They are never undefined. -/
structure Nzcv where
  n : Bool
  z : Bool
  c : Bool
  v : Bool
  deriving DecidableEq

/-- What no instruction of a kernel names. -/
structure Control where
  /-- The stack pointer. -/
  sp : BitVec 64
  /-- Control of floating point (FPCR). -/
  fpcr : BitVec 64
  /-- Status of floating point (FPSR). -/
  fpsr : BitVec 64
  /-- PSTATE.DIT, data-independent timing. -/
  dit : Bool

/-- The CPU features that a kernel may need. -/
inductive Feature where
  | neon
  /-- FEAT_AES and FEAT_PMULL, as Rust's feature of this name. -/
  | aes
  deriving DecidableEq

/-- The state. -/
structure State where
  gpr : Reg → BitVec 64
  vec : Vec → BitVec 128
  nzcv : Nzcv
  control : Control
  memory : Memory

namespace State

/-- The state with a general register changed. -/
def setReg (s : State) (d : Reg) (v : BitVec 64) : State := { s with gpr := fun r => if r = d then v else s.gpr r }

/-- The state with a vector register changed. -/
def setVec (s : State) (d : Vec) (v : BitVec 128) : State := { s with vec := fun r => if r = d then v else s.vec r }

/-- The state with the condition flags changed. -/
def setFlags (s : State) (f : Nzcv) : State := { s with nzcv := f }

/-- The state with the memory changed. -/
def setMemory (s : State) (m : Memory) : State := { s with memory := m }

end State
end TCB.AArch64
