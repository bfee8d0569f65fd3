import Impl.AArch64
import Impl.Partial

/-!
# The 1 to 15 bytes at the end of a buffer, on AArch64

Fragments that load and store them without touching a byte outside of the buffer: two accesses of 8 or 4 bytes that overlap,
or byte by byte. Register `x10` holds the address of the kernel's table of constants, in which `slide` and `ones` begin at
offsets that the kernel chooses. The branches depend on the length only. Uses `x5`, `x6` and `x7`.
-/

set_option autoImplicit false
namespace Impl.Partial.AArch64
open TCB.AArch64 Impl.AArch64

/-- Which code runs for the number of bytes in `n`: `ends` of a width that two accesses cover, or `bytes` below 4. -/
def bySize (n : Reg) (bytes : Kernel) (ends : Width → List Instr) : Kernel :=
  .seq (.block [.cmp n (imm 8)]) <| .ite .lo
    (.seq (.block [.cmp n (imm 4)]) (.ite .lo bytes (.block (ends .word))))
    (.block (ends .dword))

/-- Move bytes 0, 1 and 2, as many as `n` says. -/
def byBytes (n : Reg) (move : Nat → List Instr) : Kernel :=
  Code.seqs [.block (move 0), .block [.cmp n (imm 2)], .skipIf .lo <|
    Code.seqs [.block (move 1), .block [.cmp n (imm 3)], .skipIf .lo (.block (move 2))]]

/-- Register `d` becomes the number in `r`. -/
def setLow (d : Vec) (r : Reg) : List Instr := [.movi d 0, .ins (.d 0) d r]

/-- Put byte `i` into its place in `x5`. -/
def loadByte (p : Reg) (i : Nat) : List Instr :=
  if i = 0 then [.ldr (.gpr .byte .x5) (word p 0)]
  else [.ldr (.gpr .byte .x6) (word p i), .un (.lsl (Fin.ofNat 63 (8 * i - 1))) .x6 .x6, .logic .orr .x5 .x5 .x6]

/-- Load the first and the last bytes, as many as `w` says: the last ones move up to their places. -/
def loadEnds (slideAt : Nat) (d t : Vec) (p n : Reg) (w : Width) : List Instr :=
  .alu .add .x7 p (.reg n) :: .ldr (.gpr w .x6) (before .x7 w.bytes) :: setLow d .x6 ++
  .alu .sub .x7 .x10 (.reg n) :: .ldr (.vec t) (plus .x7 (slideAt + 16 + w.bytes)) :: .vecBin .tbl d d t ::
  .ldr (.gpr w .x5) (at_ p) :: setLow t .x5 ++ [.vecBin .orr d d t]

/-- Register `d` becomes the `n` bytes at `p`, and zeros. -/
def load (slideAt : Nat) (d t : Vec) (p n : Reg) : Kernel :=
  bySize n (.seq (byBytes n (loadByte p)) (.block (setLow d .x5))) (loadEnds slideAt d t p n)

/-- Store byte `i`, the next one in `x5`. -/
def storeByte (p : Reg) (i : Nat) : List Instr :=
  if i = 0 then [.str (.gpr .byte .x5) (word p 0)] else [.un (.lsr 8) .x5 .x5, .str (.gpr .byte .x5) (word p i)]

/-- Store the first and the last bytes, as many as `w` says: the last ones move down to the low bytes. -/
def storeEnds (slideAt : Nat) (v t : Vec) (p n : Reg) (w : Width) : List Instr :=
  [.alu .add .x7 .x10 (.reg n), .ldr (.vec t) (plus .x7 (slideAt + 16 - w.bytes)), .vecBin .tbl t v t,
   .umov (.d 0) .x5 v, .umov (.d 0) .x6 t, .alu .add .x7 p (.reg n), .str (.gpr w .x5) (at_ p),
   .str (.gpr w .x6) (before .x7 w.bytes)]

/-- The `n` bytes at `p` become those of register `v`. -/
def store (slideAt : Nat) (v t : Vec) (p n : Reg) : Kernel :=
  bySize n (.seq (.block [.umov (.d 0) .x5 v]) (byBytes n (storeByte p))) (storeEnds slideAt v t p n)

/-- Register `v` keeps its first `n` bytes, and the others become zero: for 0 to 16 bytes. -/
def keepFirst (onesAt : Nat) (v t : Vec) (n : Reg) : Kernel :=
  .block [.alu .sub .x7 .x10 (.reg n), .ldr (.vec t) (plus .x7 (onesAt + 16)), .vecBin .and v v t]

end Impl.Partial.AArch64
