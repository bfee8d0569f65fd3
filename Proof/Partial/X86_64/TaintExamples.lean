import Impl.Partial.X86_64
import Proof.X86_64.TaintExamples

/-!
# What the taint checker says of the fragments for 1 to 15 bytes

The pointer and the length are the arguments `rdi` and `rsi`; `rdx` holds no argument. The bytes are secret.
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64.TaintExamples
open TCB.X86_64 TCB.X86_64.TaintExamples Impl Impl.X86_64 Impl.Partial.X86_64

/-- Code with the address of a table in `r10`. -/
def withTable (code : Kernel) : Kernel := .seq (.block [.leaTable .r10]) code

/-- Loading is constant time if the pointer, the length and the address of the table are public. -/
example : constantTime (withTable (load 0 0 1 .rdi .rsi)) = true ∧ constantTime (withTable (load 0 0 1 .rdi .rdx)) = false ∧
    constantTime (withTable (load 0 0 1 .rdx .rsi)) = false ∧ constantTime (load 0 0 1 .rdi .rsi) = false := by decide +kernel

/-- Storing is constant time if the pointer, the length and the address of the table are public. -/
example : constantTime (withTable (store 0 0 1 .rdi .rsi)) = true ∧ constantTime (withTable (store 0 0 1 .rdi .rdx)) = false ∧
    constantTime (withTable (store 0 0 1 .rdx .rsi)) = false ∧ constantTime (store 0 0 1 .rdi .rsi) = false := by decide +kernel

/-- Keeping bytes is constant time if the length and the address of the table are public. -/
example : constantTime (withTable (keepFirst 48 0 .rsi)) = true ∧ constantTime (withTable (keepFirst 48 0 .rdx)) = false ∧
    constantTime (keepFirst 48 0 .rsi) = false := by decide +kernel

/-- Load the bytes, keep some, store them, and run `rest`. -/
def moving (rest : List Instr) : Kernel := withTable <|
  Code.seqs [load 0 0 1 .rdi .rsi, keepFirst 48 0 .rsi, store 0 0 1 .rdi .rsi, .block rest]

/-- What is left behind is in both vector registers, in `rax` and in `r11`. -/
example :
    let zero (r : Vec) : Instr := .vecBin .pxor .xmm r r (.reg r)
    noResidue false (moving [zero 0, zero 1, .clear .rax, .clear .r11]) = true ∧
    noResidue false (moving [zero 1, .clear .rax, .clear .r11]) = false ∧
    noResidue false (moving [zero 0, .clear .rax, .clear .r11]) = false ∧
    noResidue false (moving [zero 0, zero 1, .clear .r11]) = false ∧
    noResidue false (moving [zero 0, zero 1, .clear .rax]) = false := by decide +kernel

end Proof.Partial.X86_64.TaintExamples
