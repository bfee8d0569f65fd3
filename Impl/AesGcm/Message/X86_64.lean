import Impl.AesCtr32.X86_64
import Impl.Ghash.X86_64
import Impl.Partial.X86_64

/-!
# What kernels for messages share on x86-64

General registers: `rdi` and `r9` the key context (`rdi` moves within the cipher), `rsi` the number of rounds, `rdx` the
structure of arguments, `r10` the table of constants, `rcx` and `r8` what is being processed and how many bytes of it are left.
Vector registers: `xmm8` the counter as a number, `xmm9` the mask that reverses bytes, `xmm10` one, `xmm11` the running value
of the hash, `xmm13` the encrypted pre-counter block.
-/

set_option autoImplicit false
namespace Impl.AesGcm.X86_64
open TCB.X86_64 Impl.X86_64 Impl.Ghash.X86_64
open Impl.Aes.X86_64 (cipher step)

/-! ## Constants -/

/-- Where the table holds the mask that reverses 16 bytes, one, the constant of the reduction, and what `Impl.Partial` takes. -/
def reverseAt : Nat := 0
@[inherit_doc reverseAt] def oneAt : Nat := 16
@[inherit_doc reverseAt] def constantAt : Nat := 32
@[inherit_doc reverseAt] def slideAt : Nat := 48
@[inherit_doc reverseAt] def onesAt : Nat := 96

/-- The table of constants. -/
def table : List TCB.Byte :=
  [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
   0, 0, 0, 0, 0, 0, 0, 0xC2, 0, 0, 0, 0, 0, 0, 0, 0] ++ Impl.Partial.X86_64.slide ++ Impl.Partial.X86_64.ones

/-! ## Sums of products -/

/-- The block in `xmm15` times a stored power, added to the sums in `xmm8`, `xmm10` and `xmm14`. -/
def add (power : Ea) : List Instr :=
  let mul (high₁ high₂ : Bool) := Instr.vecBin (.pclmulqdq high₁ high₂) .xmm 12 15 (.mem power)
  [mul false false, xor .xmm 8 12, mul true false, xor .xmm 10 12, mul false true, xor .xmm 10 12, mul true true, xor .xmm 14 12]

/-- Load block `i` at `rcx` into `xmm0`; the running value is added to the first block. -/
def load (i : Nat) : List Instr :=
  [.vmovdquLoad .xmm 0 (at_ .rcx (16 * i)), .vecBin .pshufb .xmm 0 0 (.reg 9)] ++ if i = 0 then [xor .xmm 0 11] else []

/-- The block in `xmm0` times `H^p`, in `xmm1`, `xmm2` and `xmm3`. -/
def products (p : Nat) : List Instr :=
  let mul (high₁ high₂ : Bool) (d : Vec) := Instr.vecBin (.pclmulqdq high₁ high₂) .xmm d 0 (.mem (at_ .r9 (place p)))
  [mul false false 1, mul true false 2, mul false true 4, xor .xmm 2 4, mul true true 3]

/-- The block in `xmm0` times `H^p`, added to `xmm1`, `xmm2` and `xmm3`. -/
def sums (p : Nat) : List Instr :=
  let mul (high₁ high₂ : Bool) := Instr.vecBin (.pclmulqdq high₁ high₂) .xmm 4 0 (.mem (at_ .r9 (place p)))
  [mul false false, xor .xmm 1 4, mul true false, xor .xmm 2 4, mul false true, xor .xmm 2 4, mul true true, xor .xmm 3 4]

/-- The hash of what the sums stand for. -/
def reduce : List Instr :=
  [.vmovdquLoad .xmm 5 (at_ .r10 constantAt)] ++ fold .xmm 5 4 1 2 ++ fold .xmm 5 4 2 3 ++ [.vmovdqa .xmm 11 3]

/-- Hash `k + 1` blocks at `rcx`: the last block first, because it does not need the running value. -/
def hash (k : Nat) : List Instr :=
  load k ++ products 1 ++ (List.range k).flatMap (fun i => load (k - 1 - i) ++ sums (i + 2)) ++ reduce

/-- Hash the block in `xmm0`. -/
def hashOne : List Instr := xor .xmm 0 11 :: products 1 ++ reduce

/-! ## Strings -/

/-- As many groups of `n` bytes as there are. -/
def runs (n : Nat) (body : Kernel) : Kernel :=
  .seq (.block [.alu .cmp .r8 (imm n)]) <| .skipIf .b <|
    .loop (.seq body (.block [.alu .add .rcx (imm n), .alu .sub .r8 (imm n), .alu .cmp .r8 (imm n)])) .ae

/-- Hash the `r8` bytes at `rcx`, with zeros up to whole blocks. -/
def absorb : Kernel := Code.seqs [
  runs 128 (.block (hash 7)), runs 16 (.block (hash 0)),
  .block [.alu .test .r8 (.reg .r8)],
  .skipIf .e (.seq (Impl.Partial.X86_64.load slideAt 0 1 .rcx .r8) (.block (.vecBin .pshufb .xmm 0 0 (.reg 9) :: hashOne)))]

/-- Load arguments: `rcx` and `r8` from two fields of the structure. -/
def arguments (i : Nat) : Kernel := .publicBlock [.load .qword .rcx (at_ .rdx (8 * i)), .load .qword .r8 (at_ .rdx (8 * i + 8))]

/-! ## The start of a message -/

/-- Where everything is. -/
def enter : Kernel := .publicBlock [.mov .rdx .rsi, .mov .r9 .rdi, .load .qword .rsi (at_ .rdx 0), .leaTable .r10]

/-- The constants, and no hash yet. -/
def constants : List Instr :=
  [.vmovdquLoad .xmm 9 (at_ .r10 reverseAt), .vmovdquLoad .xmm 10 (at_ .r10 oneAt), xor .xmm 11 11]

/-- The pre-counter block from a nonce of 12 bytes. -/
def twelve : List Instr :=
  [.load .qword .rax (at_ .rcx), .load .dword .r11 (at_ .rcx 8), .movImm .r8 0x0100000000000000, .alu .or .r11 (.reg .r8),
   .vmovqFrom 8 .rax, .vpinsrq 8 8 .r11 true, .vecBin .pshufb .xmm 8 8 (.reg 9)]

/-- The pre-counter block from any other nonce. -/
def hashed : Kernel := Code.seqs [
  absorb, .publicBlock [.load .qword .r8 (at_ .rdx 16)], .block [.shift .shl .r8 3, .vmovqFrom 0 .r8],
  .block (hashOne ++ [.vmovdqa .xmm 8 11, xor .xmm 11 11])]

/-- The pre-counter block. -/
def nonce : Kernel := Code.seqs [arguments 1, .block [.alu .cmp .r8 (imm 12)], .ite .e (.block twelve) hashed]

/-- The pre-counter block is encrypted, and the counter goes on. -/
def mask : Kernel := Code.seqs [
  .block ([.vecBin .pshufb .xmm 13 8 (.reg 9), .vecBin .paddd .xmm 8 8 (.reg 10)] ++ step .pxor 0 [13]),
  cipher [13], .block [.mov .rdi .r9]]

/-- The counter, the encrypted pre-counter block and the hash of the additional data. -/
def head : Kernel := Code.seqs [enter, .block constants, nonce, mask, arguments 3, absorb]

/-- All up to the text. -/
def start : Kernel := .seq head (arguments 5)

/-! ## The end of a message -/

/-- The next blocks of the keystream. -/
def keystream (n : Nat) : Kernel := .seq (.block (Impl.AesCtr32.X86_64.start n)) (cipher (List.range n))

/-- `rdi` is where the stored power is by which the next block is multiplied, and there is no sum yet. -/
def ready : List Instr :=
  [.lea .rax (at_ .r8 15), .alu .and .rax (.imm (BitVec.ofInt 32 (-16))), .mov .rdi .r9, .alu .add .rdi (imm 496), .alu .sub .rdi (.reg .rax)]

/-- No sum yet. -/
def empty : List Instr := [xor .xmm 8 8, xor .xmm 10 10, xor .xmm 14 14]

/-- The block in `xmm15` is the next. -/
def next (power : Ea) : List Instr := [xor .xmm 15 11, xor .xmm 11 11] ++ add power

/-- The block of the lengths, which are two of the arguments. -/
def loadLengths (d : Vec) (aad text : Nat) : Kernel := .seq
  (.publicBlock [.load .qword .rax (at_ .rdx (8 * aad)), .load .qword .r11 (at_ .rdx (8 * text))])
  (.block [.shift .shl .rax 3, .shift .shl .r11 3, .vmovqFrom d .r11, .vpinsrq d d .rax true])

/-- The lengths are the last block, and what is summed up makes a tag. -/
def finish : List Instr :=
  next (at_ .r9 (place 1)) ++ [.vmovdquLoad .xmm 15 (at_ .r10 constantAt)] ++ fold .xmm 15 12 8 10 ++ fold .xmm 15 12 10 14 ++
    [.vecBin .pshufb .xmm 11 14 (.reg 9), xor .xmm 11 13]

/-- The tag of what was hashed. -/
def tagOf (aad text : Nat) : Kernel := Code.seqs [
  loadLengths 0 aad text, .block hashOne, .block [.vecBin .pshufb .xmm 11 11 (.reg 9), xor .xmm 11 13]]

/-- The tag that was given, which is an argument, in `xmm12`. -/
def given (i : Nat) : Kernel := Code.seqs [
  arguments i, .block [.alu .cmp .r8 (imm 16)],
  .ite .e (.block [.vmovdquLoad .xmm 12 (at_ .rcx)]) (Impl.Partial.X86_64.load slideAt 12 14 .rcx .r8)]

/-- No bit of the two differs. -/
def compare : List Instr :=
  [xor .xmm 11 12, .vmovqTo .rax 11, .vecUn (.pshufd 0x4e) .xmm 11 11, .vmovqTo .r11 11, .alu .or .rax (.reg .r11)]

/-- Leave nothing in vector registers. -/
def clearAll : List Instr := clear (List.range 16)

end Impl.AesGcm.X86_64
