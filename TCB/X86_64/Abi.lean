import TCB.Abi
import TCB.X86_64.Isa

/-!
# The System V calling convention for x86-64

System V ABI, AMD64 supplement, section 3.2: integer arguments in registers, callee-saved registers, DF and the control
bits of MXCSR preserved (kernels leave all of MXCSR as it is).
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The registers of the first six integer arguments. -/
def argRegs : List Reg := [.rdi, .rsi, .rdx, .rcx, .r8, .r9]

/-- The registers that a callee preserves. -/
def calleeSaved : List Reg := [.rbx, .rsp, .rbp, .r12, .r13, .r14, .r15]

/-- The System V calling convention. -/
def sysv64 : Abi State where
  arg s i := ((argRegs[i]?).map s.gpr).getD 0
  argCount := argRegs.length
  result s := s.gpr .rax
  memory := State.memory
  reserved s := [⟨s.gpr .rsp, 8⟩]
  Preserved s s' := (∀ r ∈ calleeSaved, s'.gpr r = s.gpr r) ∧ s'.df = s.df ∧ s'.mxcsr = s.mxcsr
  SameVolatile withResult s₁ s₂ :=
    (∀ r, r ∉ calleeSaved → (r = .rax → withResult = true) → s₁.gpr r = s₂.gpr r) ∧
    s₁.vec = s₂.vec ∧ s₁.mask = s₂.mask ∧ s₁.flag = s₂.flag

/-- x86-64 with the System V calling convention. -/
def target : Target State Instr Cond Feature := { isa := isa, abi := sysv64 }

end TCB.X86_64
