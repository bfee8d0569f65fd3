import Impl.Partial.AArch64
import Proof.AArch64.TaintExamples

/-!
# What the taint checker says of the fragments for 1 to 15 bytes

The pointer and the length are the arguments `x0` and `x1`; `x2` holds no argument. The bytes are secret.
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64.TaintExamples
open TCB.AArch64 TCB.AArch64.TaintExamples Impl Impl.AArch64 Impl.Partial.AArch64

/-- Code with the address of a table in `x10`. -/
def withTable (code : Kernel) : Kernel := .seq (.block [.adrpTable .x10, .addTable .x10 .x10]) code

/-- Loading is constant time if the pointer, the length and the address of the table are public. -/
example : constantTime (withTable (load 0 0 1 .x0 .x1)) = true ∧ constantTime (withTable (load 0 0 1 .x0 .x2)) = false ∧
    constantTime (withTable (load 0 0 1 .x2 .x1)) = false ∧ constantTime (load 0 0 1 .x0 .x1) = false := by decide +kernel

/-- Storing is constant time if the pointer, the length and the address of the table are public. -/
example : constantTime (withTable (store 0 0 1 .x0 .x1)) = true ∧ constantTime (withTable (store 0 0 1 .x0 .x2)) = false ∧
    constantTime (withTable (store 0 0 1 .x2 .x1)) = false ∧ constantTime (store 0 0 1 .x0 .x1) = false := by decide +kernel

/-- Keeping bytes is constant time if the length and the address of the table are public. -/
example : constantTime (withTable (keepFirst 48 0 1 .x1)) = true ∧ constantTime (withTable (keepFirst 48 0 1 .x2)) = false ∧
    constantTime (keepFirst 48 0 1 .x1) = false := by decide +kernel

/-- Load the bytes, keep some, store them, and run `rest`. -/
def moving (rest : List Instr) : Kernel := withTable <|
  Code.seqs [load 0 0 1 .x0 .x1, keepFirst 48 0 1 .x1, store 0 0 1 .x0 .x1, .block rest]

/-- What is left behind is in both vector registers, in `x5` and in `x6`. -/
example :
    noResidue false (moving [.movi 0 0, .movi 1 0, .mov .x5 0, .mov .x6 0]) = true ∧
    noResidue false (moving [.movi 1 0, .mov .x5 0, .mov .x6 0]) = false ∧
    noResidue false (moving [.movi 0 0, .mov .x5 0, .mov .x6 0]) = false ∧
    noResidue false (moving [.movi 0 0, .movi 1 0, .mov .x6 0]) = false ∧
    noResidue false (moving [.movi 0 0, .movi 1 0, .mov .x5 0]) = false := by decide +kernel

end Proof.Partial.AArch64.TaintExamples
