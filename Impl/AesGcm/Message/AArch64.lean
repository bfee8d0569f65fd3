import Impl.AesCtr32.AArch64
import Impl.Ghash.AArch64
import Impl.Partial.AArch64

/-!
# What kernels for messages share on AArch64

General registers: `x0` and `x9` the key context (`x0` moves within the cipher), `x1` the number of rounds, `x2` the structure
of arguments, `x10` the table of constants, `x3` and `x4` what is being processed and how many bytes of it are left. Vector
registers: `v17` the counter block, the bytes of each 32 bits reversed, `v18` one in the place of its number, `v20` the running
value of the hash, `v21` the encrypted pre-counter block, `v31` the constant of the reduction.
-/

set_option autoImplicit false
namespace Impl.AesGcm.AArch64
open TCB.AArch64 Impl.AArch64 Impl.Ghash.AArch64
open Impl.Aes.AArch64 (cipher)

/-! ## Constants -/

/-- Where the table holds what `Impl.Partial` takes. -/
def slideAt : Nat := 0
@[inherit_doc slideAt] def onesAt : Nat := 48

/-- The table of constants. -/
def table : List TCB.Byte := Impl.Partial.slide ++ Impl.Partial.ones

/-- Where the stored form of `H^p` is. -/
def power (p : Nat) : Ea := word .x9 (place p / 16)

/-! ## Sums of products -/

/-- The block in `v25`, with its halves exchanged in `v26`, times a stored power, added to the sums in `v22`, `v23` and `v24`. -/
def add (power : Ea) : List Instr :=
  [.ldr (.vec 27) power, mul false 28 25 27, xor 22 28, mul false 28 26 27, xor 23 28, mul true 28 26 27, xor 23 28,
   mul true 28 25 27, xor 24 28]

/-- Load block `i` at `x3` into `v0`, and with its halves exchanged into `v1`; the running value is added to the first block. -/
def load (i : Nat) : List Instr :=
  .ldr (.vec 0) (word .x3 i) :: reverse 0 1 ++ if i = 0 then [xor 0 20, swap 1 0] else []

/-- The block in `v0` and `v1` times `H^p`, in `v2`, `v3` and `v4`. -/
def products (p : Nat) : List Instr :=
  [.ldr (.vec 6) (power p), mul false 2 0 6, mul false 3 1 6, mul true 5 1 6, xor 3 5, mul true 4 0 6]

/-- The block in `v0` and `v1` times `H^p`, added to `v2`, `v3` and `v4`. -/
def sums (p : Nat) : List Instr :=
  [.ldr (.vec 6) (power p), mul false 5 0 6, xor 2 5, mul false 5 1 6, xor 3 5, mul true 5 1 6, xor 3 5, mul true 5 0 6, xor 4 5]

/-- The hash of what the sums stand for. -/
def reduce : List Instr := fold 5 2 3 3 ++ fold 5 3 4 20

/-- Hash `k + 1` blocks at `x3`: the last block first, because it does not need the running value. -/
def hash (k : Nat) : List Instr :=
  load k ++ products 1 ++ (List.range k).flatMap (fun i => load (k - 1 - i) ++ sums (i + 2)) ++ reduce

/-- Hash the block in `v0`. -/
def hashOne : List Instr := xor 0 20 :: swap 1 0 :: products 1 ++ reduce

/-! ## Strings -/

/-- As many groups of `n` bytes as there are. -/
def runs (n : Nat) (body : Kernel) : Kernel :=
  .seq (.block [.cmp .x4 (imm n)]) <| .skipIf .lo <|
    .loop (.seq body (.block [.alu .add .x3 .x3 (imm n), .alu .sub .x4 .x4 (imm n), .cmp .x4 (imm n)])) .hs

/-- Hash the `x4` bytes at `x3`, with zeros up to whole blocks. -/
def absorb : Kernel := Code.seqs [
  runs 128 (.block (hash 7)), runs 16 (.block (hash 0)),
  .skipIf (.zero .x4) (.seq (Impl.Partial.AArch64.load slideAt 0 1 .x3 .x4) (.block (reverse 0 1 ++ hashOne)))]

/-- Load field `i` of the structure of arguments. -/
def argument (d : Reg) (i : Nat) : Instr := .ldr (.gpr .dword d) (word .x2 i)

/-- Load arguments: `x3` and `x4` from two fields of the structure. -/
def arguments (i : Nat) : Kernel := .publicBlock [argument .x3 i, argument .x4 (i + 1)]

/-! ## The start of a message -/

/-- Where everything is. -/
def enter : Kernel := .publicBlock [.un .mov .x2 .x1, .un .mov .x9 .x0, argument .x1 0, .adrpTable .x10, .addTable .x10 .x10]

/-- The constants, and no hash yet. -/
def constants : List Instr :=
  constant ++ [.movi 18 1, .vecUn (.ushr4s 8) 18 18, .movi 20 0, .vecBin (.ext 4) 18 20 18]

/-- The pre-counter block from a nonce of 12 bytes. -/
def twelve : List Instr :=
  [.ldr (.gpr .dword .x5) (at_ .x3), .ldr (.gpr .word .x6) (word .x3 2), .mov .x4 0x0100, .un (.lsl 47) .x4 .x4,
   .logic .orr .x6 .x6 .x4, .ins (.d 0) 17 .x5, .ins (.d 1) 17 .x6, .vecUn .rev32 17 17]

/-- The running value becomes the counter, and there is no hash yet. -/
def move : List Instr := [.vecUn .rev64 17 20, swap 17 17, .vecUn .rev32 17 17, .movi 20 0]

/-- The pre-counter block from any other nonce. -/
def hashed : Kernel := Code.seqs [
  absorb, .publicBlock [argument .x4 2], .block (.un (.lsl 2) .x4 .x4 :: Impl.Partial.AArch64.setLow 0 .x4),
  .block (hashOne ++ move)]

/-- The pre-counter block. -/
def nonce : Kernel := Code.seqs [arguments 1, .block [.cmp .x4 (imm 12)], .ite .eq (.block twelve) hashed]

/-- The pre-counter block is encrypted, and the counter goes on. -/
def mask : Kernel := Code.seqs [
  .block [.vecUn .rev32 21 17, .vecBin .add4s 17 17 18], cipher [21], .block [.un .mov .x0 .x9]]

/-- The counter, the encrypted pre-counter block and the hash of the additional data. -/
def head : Kernel := Code.seqs [enter, .block constants, nonce, mask, arguments 3, absorb]

/-- All up to the text. -/
def start : Kernel := .seq head (arguments 5)

/-! ## The end of a message -/

/-- The next blocks of the keystream. -/
def keystream (n : Nat) : Kernel := .seq (.block (Impl.AesCtr32.AArch64.start n)) (cipher (List.range n))

/-- `x0` is where the stored power is by which the next block is multiplied, and there is no sum yet. -/
def ready : List Instr :=
  [.alu .add .x5 .x4 (imm 15), .un (.lsr 4) .x5 .x5, .un (.lsl 3) .x5 .x5, .alu .add .x0 .x9 (imm 496),
   .alu .sub .x0 .x0 (.reg .x5)]

/-- No sum yet. -/
def empty : List Instr := [.movi 22 0, .movi 23 0, .movi 24 0]

/-- The block in `v25` is the next. -/
def next (power : Ea) : List Instr := [xor 25 20, .movi 20 0, swap 26 25] ++ add power

/-- The block of the lengths, which are two of the arguments. -/
def loadLengths (d : Vec) (aad text : Nat) : Kernel := .seq
  (.publicBlock [argument .x5 aad, argument .x6 text])
  (.block [.un (.lsl 2) .x5 .x5, .un (.lsl 2) .x6 .x6, .ins (.d 0) d .x6, .ins (.d 1) d .x5])

/-- The lengths are the last block, and what is summed up makes a tag. -/
def finish : List Instr :=
  next (power 1) ++ fold 28 22 23 23 ++ fold 28 23 24 20 ++ reverse 20 28 ++ [xor 20 21]

/-- Leave nothing in vector registers. -/
def clearAll : List Instr := clear (List.range 8 ++ List.range' 16 16)

end Impl.AesGcm.AArch64
