import TCB.Access

/-!
# What an instruction set supplies
-/

set_option autoImplicit false
namespace TCB

/--
An instruction set: straight-line instructions `I` and branch conditions `C` over machine states `S`, and the CPU
features `F` that instructions need.
-/
structure Isa (S I C F : Type) where
  /-- The state after the instruction, and what it leaks; `none` is a fault. -/
  exec : I → S → Option (S × Trace)
  /-- Whether the condition holds; `none` is a fault (the use of an undefined flag). -/
  eval : C → S → Option Bool
  /-- The CPU features without which the instruction faults. -/
  requires : I → List F

end TCB
