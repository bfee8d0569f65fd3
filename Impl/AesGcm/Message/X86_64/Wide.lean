import Impl.AesGcm.Message.X86_64

/-!
# Sixteen blocks at once, on x86-64 with VAES and VPCLMULQDQ

Two blocks a register: the keystream in `ymm0` to `ymm7`, and in `ymm8` the counters of the next two blocks. Hashing takes
`xmm11`, the running value, and `ymm9`, `ymm10`, `ymm12` and `ymm14`. So what `xmm9` and `xmm10` hold elsewhere is restored
in the end, and the table has constants of two lanes.
-/

set_option autoImplicit false
namespace Impl.AesGcm.X86_64.Wide
open TCB.X86_64 Impl.X86_64 Impl.Ghash.X86_64

/-! ## Constants -/

/-- Where the table holds the mask that reverses the bytes of both lanes, the numbers zero and one, and two twice. -/
def reverseAt : Nat := 128
@[inherit_doc reverseAt] def zeroOneAt : Nat := 160
@[inherit_doc reverseAt] def twoAt : Nat := 192

/-- The constants of two lanes. -/
def constants : List TCB.Byte :=
  let number (n : TCB.Byte) := n :: List.replicate 15 0
  let reverse := (List.range 16).map fun i => BitVec.ofNat 8 (15 - i)
  reverse ++ reverse ++ number 0 ++ number 1 ++ number 2 ++ number 2

/-- The table. -/
def table : List TCB.Byte := X86_64.table ++ constants

/-! ## The keystream -/

/-- One operation on every block, with the round key `i`. -/
def step (op : VecBin) (i : Nat) : List Instr :=
  .vbroadcasti128 15 (at_ .rdi (16 * i)) :: (List.range 8).map fun r => .vecBin op .ymm (vec r) (vec r) (.reg 15)

/-- The counters of the next two blocks; and the running value is on one lane. -/
def pair : List Instr :=
  [.vinserti128 8 8 (.reg 8) true, .vecBin .paddd .ymm 8 8 (.mem (at_ .r10 zeroOneAt)), .vmovdqa .xmm 11 11]

/-- The next counter blocks, with round key 0. -/
def start : List Instr :=
  ((List.range 8).flatMap fun r => [.vecBin .pshufb .ymm (vec r) 8 (.mem (at_ .r10 reverseAt)),
    .vecBin .paddd .ymm 8 8 (.mem (at_ .r10 twoAt))]) ++ step .pxor 0

/-- Two rounds, and past their round keys. -/
def twoAhead : List Instr := step .aesenc 1 ++ step .aesenc 2 ++ [.alu .add .rdi (imm 32)]

/-- The rounds before the last ten, with 12 or 14 of them. -/
def ahead : Kernel := .seq (.block [.alu .cmp .rsi (imm 10)]) <| .skipIf .e <| Code.seqs [
  .block twoAhead, .block [.alu .cmp .rsi (imm 12)], .skipIf .e (.block twoAhead)]

/-- The last ten rounds. -/
def lastTen : List Instr := (List.range 9).flatMap (fun i => step .aesenc (i + 1)) ++ step .aesenclast 10

/-- Add the keystream to the data. -/
def write : List Instr := (List.range 8).flatMap fun r =>
  [.vecBin .pxor .ymm (vec r) (vec r) (.mem (at_ .rcx (32 * r))), .vmovdquStore .ymm (at_ .rcx (32 * r)) (vec r)]

/-! ## The hash -/

/-- Load the blocks `2 * j` and `2 * j + 1` of those that begin `back` bytes before `rcx`; the running value is added to the
first block. -/
def load (back j : Nat) : List Instr :=
  [.vmovdquLoad .ymm 14 { base := .rcx, disp := BitVec.ofInt 32 (32 * j - back) },
    .vecBin .pshufb .ymm 14 14 (.mem (at_ .r10 reverseAt))] ++ if j = 0 then [xor .ymm 14 11] else []

/-- Their products, added to the sums in `ymm11`, `ymm12` and `ymm10`. -/
def sums (j : Nat) : List Instr :=
  let mul (high₁ high₂ : Bool) (d : Vec) := Instr.vecBin (.pclmulqdq high₁ high₂) .ymm d 14 (.mem (at_ .r9 (256 + 32 * j)))
  if j = 0 then [mul false false 11, mul true false 12, mul false true 9, xor .ymm 12 9, mul true true 10]
  else [mul false false 9, xor .ymm 11 9, mul true false 9, xor .ymm 12 9, mul false true 9, xor .ymm 12 9,
    mul true true 9, xor .ymm 10 9]

/-- The hash of what the sums stand for. -/
def reduce : List Instr := .vbroadcasti128 14 (at_ .r10 constantAt) :: fold .ymm 14 9 11 12 ++ fold .ymm 14 9 12 10 ++
  [.vextracti128 9 10 true, .vecBin .pxor .xmm 11 10 (.reg 9)]

/-- Hash the sixteen blocks that begin `back` bytes before `rcx`. -/
def hash (back : Nat) : List Instr := (List.range 8).flatMap (fun j => load back j ++ sums j) ++ reduce

/-! ## Both -/

/-- The instructions of two lists, so many of each in turn. -/
def merge : List (Nat × Nat) → List Instr → List Instr → List Instr
  | [], xs, ys => xs ++ ys
  | (m, n) :: more, xs, ys => xs.take m ++ ys.take n ++ merge more (xs.drop m) (ys.drop n)

/-- The last ten rounds, and between them the hash of the sixteen blocks that begin `back` bytes before. -/
def both (back : Nat) : List Instr := merge (List.replicate 30 (3, 3)) lastTen (hash back) ++ write

/-- The constants that `hash` has overwritten. -/
def restore : List Instr :=
  [.vmovdquLoad .xmm 9 (at_ .r10 X86_64.reverseAt), .vmovdquLoad .xmm 10 (at_ .r10 oneAt)]

/-- Sixteen blocks; hashed are, before that, the sixteen that begin `back` bytes before them. -/
def group (back : Nat) : Kernel := Code.seqs [.block start, ahead, .block (both back), .block [.mov .rdi .r9]]

/-- As many groups of sixteen blocks as there are, hashed and decrypted. -/
def decrypted : Kernel := .seq (.block [.alu .cmp .r8 (imm 256)]) <| .skipIf .b <| Code.seqs [
  .block pair, runs 256 (group 0), .block restore, .block [.vzeroupper]]

/-- As many groups of sixteen blocks as there are, encrypted and hashed: while one is encrypted, the one before is hashed. -/
def encrypted : Kernel := .seq (.block [.alu .cmp .r8 (imm 256)]) <| .skipIf .b <| Code.seqs [
  .block pair, .block start, ahead, .block (lastTen ++ write), .block [.mov .rdi .r9],
  .block [.alu .add .rcx (imm 256), .alu .sub .r8 (imm 256)],
  runs 256 (group 256), .block (hash 256), .block restore, .block [.vzeroupper]]

end Impl.AesGcm.X86_64.Wide
