import Impl.Ghash.AArch64

/-!
# GHASH of whole blocks on AArch64

Eight blocks with one reduction, then one block at a time, by Karatsuba's method. The running value is in `v0`. The powers of the
hash subkey are loaded before each loop, and their sums of halves computed there.
-/

set_option autoImplicit false
namespace Impl.GhashBlocks.AArch64
open TCB.AArch64 Impl.AArch64 Impl.Ghash.AArch64

/-- The register of `H^(p+1)`. -/
def power (p : Nat) : Nat := 16 + p

/-- The register of the sums of the halves of `H^(2j+1)` and `H^(2j+2)`. -/
def sums (j : Nat) : Nat := 24 + j

/-- Load the running value. -/
def start : List Instr := .ldr (.vec 0) (at_ .x1) :: reverse 0 4

/-- Load the first `2 * n` powers. -/
def powers (n : Nat) : List Instr :=
  (List.range n).flatMap fun j =>
    let a := vec (power (2 * j))
    let b := vec (power (2 * j + 1))
    [.ldp (.vec b a) .x0 (BitVec.ofNat 7 (place (2 * j + 2) / 16)),
     .vecBin .zip1 (vec (sums j)) a b, .vecBin .zip2 4 a b, xor (vec (sums j)) 4]

/-- Load block `i` and the sum of its halves; the running value is added to the first block. -/
def load (i : Nat) : List Instr :=
  .ldr (.vec 4) (word .x2 i) :: reverse 4 5 ++ (if i = 0 then [xor 4 0, swap 5 4] else []) ++ [xor 5 4]

/-- The products of the block with `H^(p+1)`. -/
def products (p : Nat) : Vec → Vec → Vec → List Instr :=
  product (p % 2 = 1) 4 5 (vec (power p)) (vec (sums (p / 2)))

/-- A group of `k + 1` blocks: the last block first, because it does not need the running value. -/
def group (k : Nat) : List Instr :=
  load k ++ products 0 1 2 3 ++
    (List.range k).flatMap (fun i => load (k - 1 - i) ++ products (i + 1) 6 7 28 ++ [xor 1 6, xor 2 7, xor 3 28]) ++
    reduce 4 1 2 3 0 ++ [.alu .add .x2 .x2 (imm (16 * (k + 1)))]

/-- As many groups of `k + 1` blocks as there are. -/
def groups (k : Nat) : Kernel :=
  .seq (.block [.cmp .x3 (imm (16 * (k + 1)))]) <| .skipIf .lo <| .seq (.block (powers (k / 2 + 1))) <|
    .loop (.seq (.block (group k)) (.block [.alu .sub .x3 .x3 (imm (16 * (k + 1))), .cmp .x3 (imm (16 * (k + 1)))])) .hs

/-- Store the running value. -/
def finish : List Instr := reverse 0 4 ++ [.str (.vec 0) (at_ .x1)]

/-- The kernel. -/
def code : Kernel := Code.seqs [
  .block constant, .block start, groups 7, groups 0, .block finish,
  .block (clear ([0, 1, 2, 3, 4, 5, 6, 7] ++ List.range' 16 13 ++ [31]))]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower }

end Impl.GhashBlocks.AArch64
