import TCB.Flat

/-!
# What a calling convention supplies
-/

set_option autoImplicit false
namespace TCB

/-- A calling convention over machine states `S`. -/
structure Abi (S : Type) where
  /-- The integer argument at a position, on entry. -/
  arg : S → Nat → BitVec 64
  /-- How many arguments are passed in registers. -/
  argCount : Nat
  /-- The integer result, on return. -/
  result : S → BitVec 64
  /-- The memory. -/
  memory : S → Memory
  /-- What lies in memory and must stay as it is for the kernel to return: the return address, where it is on the stack. -/
  reserved : S → List Region
  /-- What a callee must preserve is in the second state as in the first. -/
  Preserved : S → S → Prop
  /-- All caller-saved general, vector and mask registers and all flags are equal; the register of the result only if `withResult`. -/
  SameVolatile : (withResult : Bool) → S → S → Prop

/-- A target: an instruction set with a calling convention. -/
structure Target (S I C F : Type) where
  isa : Isa S I C F
  abi : Abi S

end TCB
