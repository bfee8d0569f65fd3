import TCB.Contract

/-!
# Artifacts

What is emitted: a program with its contract, which cannot be registered without the proof that the program meets it.
-/

set_option autoImplicit false
namespace TCB

/-- A proven kernel, registered for the target `t`. -/
structure Artifact {S I C F : Type} [DecidableEq F] (t : Target S I C F) where
  /-- The name of the emitted function. -/
  symbol : String
  /-- The name of the emitted file, without its extension. -/
  file : String
  program : Program I C F
  contract : Contract
  proof : Verified t program contract
  wellFormed : contract.wellFormed = true := by decide
  argsFit : contract.sig.params.length ≤ t.abi.argCount := by decide

end TCB
