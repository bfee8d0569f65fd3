import Proof.X86_64.Verified

/-!
# What the taint checker accepts and refuses

The arguments of these kernels are the addresses `rdi` and `rsi`.
-/

set_option autoImplicit false
namespace TCB.X86_64.TaintExamples
open Impl

/-- Whether the checker finds the code constant time. -/
def constantTime (code : Code Instr Cond) : Bool := (taint.check code (.ofArgs 2)).isSome

/-- Whether the checker finds that the code leaves nothing secret behind. -/
def noResidue (returns : Bool) (code : Code Instr Cond) : Bool :=
  (taint.check code .volatile).any (taint.le (.onReturn returns))

/-- Load a number from memory, then run `rest`. -/
def loading (isPublic : Bool) (rest : List Instr) : Code Instr Cond :=
  let load : List Instr := [.load .qword .rax { base := .rdi }]
  .seq (if isPublic then .publicBlock load else .block load) (.block rest)

/-- Compare what was loaded with 0 and branch. -/
def branching (isPublic : Bool) : Code Instr Cond :=
  .seq (loading isPublic [.alu .test .rax (.reg .rax)]) (.skipIf .e (.block []))

/-- Store a byte at an address that depends on what was loaded. -/
def indexing (isPublic : Bool) : Code Instr Cond :=
  loading isPublic [.store .byte { base := .rsi, index := some .rax } .rsi]

/-- Count down from what `first` puts into `rcx`, moving the pointer by what is in `rdx` each time. -/
def counting (first : List Instr) : Code Instr Cond :=
  .seq (.block first) (.loop (.block [.load .byte .rax { base := .rdi }, .alu .add .rdi (.reg .rdx),
    .alu .sub .rcx (.imm 1)]) .ne)

/-- Copy 16 bytes through `xmm0`, then run `rest`. -/
def copying (rest : List Instr) : Code Instr Cond :=
  .block ([.movdquLoad 0 { base := .rdi }, .movdquStore { base := .rsi } 0] ++ rest)

/-! ## Constant time -/

/-- A branch on a secret is refused, on a public input not. -/
example : constantTime (branching false) = false ∧ constantTime (branching true) = true := by decide +kernel

/-- An address from a secret is refused, from a public input not. -/
example : constantTime (indexing false) = false ∧ constantTime (indexing true) = true := by decide +kernel

/-- A branch on initial junk is refused: in a flag, and in a register that holds no argument. -/
example : constantTime (.skipIf .e (.block [])) = false ∧
    constantTime (.seq (.block [.alu .test .rdx (.reg .rdx)]) (.skipIf .e (.block []))) = false := by decide +kernel

/-- The number of rounds of a loop must be public, and the address in every round: the first round alone shows nothing
wrong when `rdx` is junk. -/
example : constantTime (counting [.clear .rcx, .clear .rdx]) = true ∧ constantTime (counting [.clear .rdx]) = false ∧
    constantTime (counting [.clear .rcx]) = false := by decide +kernel

/-- A secret that is overwritten on one path only is still secret after both. -/
example :
    let after (branches : Code Instr Cond) : Code Instr Cond := .seq (loading false [.alu .test .rsi (.reg .rsi)])
      (.seq branches (.block [.load .byte .rax { base := .rax }]))
    constantTime (after (.skipIf .e (.block [.clear .rax]))) = false ∧
    constantTime (after (.ite .e (.block []) (.block [.clear .rax]))) = false ∧
    constantTime (after (.ite .e (.block [.clear .rax]) (.block [.clear .rax]))) = true := by decide +kernel

/-! ## No residue -/

/-- A vector register left with secret bytes is refused; cleared, it is not. -/
example : noResidue false (copying []) = false ∧ noResidue false (copying [.pxor 0 0]) = true := by decide +kernel

/-- Combining a secret with a public register does not clear it. -/
example : noResidue false (copying [.pxor 0 1]) = false := by decide +kernel

/-- Copy 32 bytes through `ymm0`, then run `rest`. -/
def copyingWide (rest : List Instr) : Code Instr Cond :=
  .block ([.vmovdquLoad .ymm 0 { base := .rdi }, .vmovdquStore .ymm { base := .rsi } 0] ++ rest)

/-- An operation of 128 bits clears the high part, one of 256 bits of a register with itself both; a key from memory, a
lane, or a word of a secret register is secret. -/
example : noResidue false (copyingWide []) = false ∧
    noResidue false (copyingWide [.vecBin .pxor .xmm 0 0 (.reg 0)]) = true ∧
    noResidue false (copyingWide [.vecBin .pxor .ymm 0 0 (.reg 0)]) = true ∧
    noResidue false (copyingWide [.pxor 0 0]) = false ∧
    noResidue false (copyingWide [.vecBin .pand .xmm 0 0 (.reg 0)]) = false ∧
    noResidue false (copyingWide [.vecBin .pxor .xmm 0 1 (.reg 1), .vzeroupper]) = true ∧
    noResidue false (.block [.vecBin .aesenc .xmm 0 0 (.mem { base := .rdi })]) = false ∧
    noResidue false (copyingWide [.vextracti128 1 0 true, .vecBin .pxor .ymm 0 0 (.reg 0)]) = false ∧
    noResidue false (copyingWide [.vmovqTo .rax 0, .vecBin .pxor .ymm 0 0 (.reg 0)]) = false ∧
    noResidue false (copyingWide [.vmovqTo .rax 0, .vecBin .pxor .ymm 0 0 (.reg 0), .movImm .rax 0]) = true := by
  decide +kernel

/-- The address of an operand must be public. -/
example : constantTime (loading false [.vecBin .aesenc .xmm 0 0 (.mem { base := .rax })]) = false ∧
    constantTime (loading true [.vecBin .aesenc .xmm 0 0 (.mem { base := .rax })]) = true := by decide +kernel

/-- Flags left by a comparison of secrets are refused, even where the register may keep the secret as the result. -/
example : noResidue true (loading false [.alu .test .rax (.reg .rax)]) = false ∧
    noResidue false (loading false [.alu .test .rax (.reg .rax), .clear .rax]) = true := by decide +kernel

/-- Only the register of the result may hold a secret, and only if there is a result. -/
example : noResidue true (loading false []) = true ∧ noResidue false (loading false []) = false ∧
    noResidue true (.block [.load .qword .rcx { base := .rdi }]) = false := by decide +kernel

/-! ## What the contract declassifies -/

/-- Load a number, and branch on whether it is 0, as code that reveals this. -/
def revealing (rest : List Instr) : Code Instr Cond := .seq (loading false [.alu .test .rax (.reg .rax)])
  (.seq (.revealIf 0 0 .e (.block []) (.block [])) (.block rest))

/-- What is revealed need not be public before; what is left of the secret is residue as ever. -/
example : constantTime (branching false) = false ∧ constantTime (revealing []) = true ∧
    noResidue false (revealing []) = false ∧ noResidue false (revealing [.clear .rax]) = true := by decide +kernel

/-- Where nothing is declassified, nothing can be revealed. -/
example {pub k v c a b Q} {s : State} : ¬ isa.WpRevealing pub [] (.revealIf k v c a b) Q s := by
  rintro ⟨_, _, h, _⟩
  cases h with
  | reveal hk _ => obtain ⟨_, hk, _⟩ := hk; cases hk

/-- The branch reveals the declassified value and nothing else. -/
example {pub v d a b Q} {s : State} (h : s.flag .zf ≠ some (d == v)) :
    ¬ isa.WpRevealing pub [d] (.revealIf 0 v .e a b) Q s := by
  rintro ⟨_, _, hr, _⟩
  cases hr with
  | reveal hk _ => obtain ⟨_, hk, he⟩ := hk; cases hk; exact h he

end TCB.X86_64.TaintExamples
