import emitter.Cosim.X86_64

/-!
# What the cases refuse about a model before any processor runs them
-/

set_option autoImplicit false
namespace Emitter.Examples.Cosim
open TCB TCB.X86_64 Emitter.Cosim Emitter.Cosim.X86_64

/-- x86-64 with other instructions. -/
def with' (f : Instr → State → Option (State × Trace)) : Machine State Instr Cond Feature :=
  { machine with target := { target with isa := { isa with exec := f } }, commuted := fun _ => none, commuted_same := by simp }

/-- A case of an instruction whose address is `rsi`, if it has one, is written. -/
def accepts (m : Machine State Instr Cond Feature) (i : Instr) (memory : Bool) : Bool :=
  let operands := if memory then #[.address { base := Reg.rsi.ctorIdx, index := none, disp := 0 }] else #[]
  let case := m.case 0 { form := 0, item := .instr i, operands } m.zero m.zero ByteArray.empty
  match (case.run ⟨1⟩).1 with | .ok _ => true | .error _ => false

def load : Instr := .load .dword .rax { base := .rsi }
def store : Instr := .store .dword { base := .rsi } .rsi
def add : Instr := .alu .add .rax (.reg .rcx)

#guard accepts machine load true && accepts machine store true && accepts machine add false

/-- The instruction with another trace. -/
def leaking (f : Trace → Trace) : Machine State Instr Cond Feature := with' fun i s => (exec i s).map fun r => (r.1, f r.2)

-- no access, a part of one, one at another address, one more
#guard !accepts (leaking fun _ => []) load true && !accepts (leaking fun _ => []) store true
#guard !accepts (leaking (·.map fun | .store a n => .store a (n - 1) | e => e)) store true
#guard !accepts (leaking (·.map fun | .load a n => .load (a + 1) n | e => e)) load true
#guard !accepts (leaking fun t => t ++ t) load true && !accepts (leaking fun _ => [.load 0 8]) add false
#guard !accepts (leaking (·.map fun | .store a n => .load a n | e => e)) store true

/-- The instruction in a state with other memory. -/
def allowed (f : Memory → Memory) : Machine State Instr Cond Feature :=
  with' fun i s => (exec i { s with memory := f s.memory }).map fun r => ({ r.1 with memory := { s.memory with bytes := r.1.memory.bytes } }, r.2)

-- no fault where nothing may be accessed, or where the last byte may not be; no store where it may be accessed
#guard accepts (allowed id) load true && accepts (allowed id) store true
#guard !accepts (allowed fun m => { m with readable := [⟨0, 2 ^ 64⟩] }) load true
#guard !accepts (allowed fun m => { m with writable := [⟨0, 2 ^ 64⟩] }) store true
#guard !accepts (allowed fun m => { m with readable := m.readable.map fun r => ⟨r.base, r.len + 1⟩ }) load true
#guard !accepts (allowed fun m => { m with writable := [] }) store true

end Emitter.Examples.Cosim
