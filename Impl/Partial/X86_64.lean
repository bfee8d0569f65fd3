import Impl.Partial
import Impl.X86_64

/-!
# The 1 to 15 bytes at the end of a buffer, on x86-64

Fragments that load and store them without touching a byte outside of the buffer: two accesses of 8 or 4 bytes that overlap,
or byte by byte. Register `r10` holds the address of the kernel's table of constants, in which `slide` and `ones` begin at
offsets that the kernel chooses. The branches depend on the length only. Uses `rax` and `r11`.
-/

set_option autoImplicit false
namespace Impl.Partial.X86_64
open TCB.X86_64 Impl.X86_64

export Impl.Partial (slide ones)

/-- Which code runs for the number of bytes in `n`: `ends` of a width that two accesses cover, or `bytes` below 4. -/
def bySize (n : Reg) (bytes : Kernel) (ends : Width → List Instr) : Kernel :=
  .seq (.block [.alu .cmp n (imm 8)]) <| .ite .b
    (.seq (.block [.alu .cmp n (imm 4)]) (.ite .b bytes (.block (ends .dword))))
    (.block (ends .qword))

/-- Move bytes 0, 1 and 2, as many as `n` says. -/
def byBytes (n : Reg) (move : Nat → List Instr) : Kernel :=
  Code.seqs [.block (move 0), .block [.alu .cmp n (imm 2)], .skipIf .b <|
    Code.seqs [.block (move 1), .block [.alu .cmp n (imm 3)], .skipIf .b (.block (move 2))]]

/-- Put byte `i` into its place in `rax`. -/
def loadByte (p : Reg) (i : Nat) : List Instr :=
  if i = 0 then [.load .byte .rax (at_ p)]
  else [.load .byte .r11 (at_ p i), .shift .shl .r11 (BitVec.ofNat 6 (8 * i)), .alu .or .rax (.reg .r11)]

/-- Load the first and the last bytes, as many as `w` says: the last ones move up to their places. -/
def loadEnds (slideAt : Nat) (d t : Vec) (p n : Reg) (w : Width) : List Instr :=
  [.load w .rax (at_ p), .vmovqFrom t .rax, .load w .rax (before p n w.bytes), .vmovqFrom d .rax,
   .mov .r11 .r10, .alu .sub .r11 (.reg n), .vecBin .pshufb .xmm d d (.mem (at_ .r11 (slideAt + 16 + w.bytes))),
   .vecBin .por .xmm d d (.reg t)]

/-- Register `d` becomes the `n` bytes at `p`, and zeros. -/
def load (slideAt : Nat) (d t : Vec) (p n : Reg) : Kernel :=
  bySize n (.seq (byBytes n (loadByte p)) (.block [.vmovqFrom d .rax])) (loadEnds slideAt d t p n)

/-- Store byte `i`, the next one in `rax`. -/
def storeByte (p : Reg) (i : Nat) : List Instr :=
  if i = 0 then [.store .byte (at_ p) .rax] else [.shift .shr .rax 8, .store .byte (at_ p i) .rax]

/-- Store the first and the last bytes, as many as `w` says: the last ones move down to the low bytes. -/
def storeEnds (slideAt : Nat) (v t : Vec) (p n : Reg) (w : Width) : List Instr :=
  [.vecBin .pshufb .xmm t v (.mem { base := .r10, index := some n, disp := BitVec.ofNat 32 (slideAt + 16 - w.bytes) }),
   .vmovqTo .rax v, .vmovqTo .r11 t, .store w (at_ p) .rax, .store w (before p n w.bytes) .r11]

/-- The `n` bytes at `p` become those of register `v`. -/
def store (slideAt : Nat) (v t : Vec) (p n : Reg) : Kernel :=
  bySize n (.seq (.block [.vmovqTo .rax v]) (byBytes n (storeByte p))) (storeEnds slideAt v t p n)

/-- Register `v` keeps its first `n` bytes, and the others become zero: for 0 to 16 bytes. -/
def keepFirst (onesAt : Nat) (v : Vec) (n : Reg) : Kernel :=
  .block [.mov .r11 .r10, .alu .sub .r11 (.reg n), .vecBin .pand .xmm v v (.mem (at_ .r11 (onesAt + 16)))]

end Impl.Partial.X86_64
