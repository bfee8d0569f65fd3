import Impl.Ghash.AArch64

/-!
# The powers of the hash subkey on AArch64

Products of stored powers, several at a time, from the context to the context. The products of a group have a factor in common,
`H^n`: its halves are exchanged once, and so four multiplications a product cost less than Karatsuba's three and their sums.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Prepare16.AArch64
open TCB.AArch64 Impl.AArch64 Impl.Ghash.AArch64

/-- The registers of product `i`; the last one has the other factor first. -/
def lo (i : Nat) : Vec := vec i
def mid (i : Nat) : Vec := vec (4 + i)
def hi (i : Nat) : Vec := vec (16 + i)
def tmp (i : Nat) : Vec := vec (20 + i)

/-- Where the context holds the stored form of `H^p`. -/
def power (p : Nat) : Ea := word .x0 (place p / 16)

/-- One step of product `i`: `H^n` is in `v24`, and with its halves exchanged in `v25`; the other factor is `H^p`. -/
def steps (n : Nat) : List (Nat → Nat → List Instr) :=
  [fun i p => [.ldr (.vec (tmp i)) (power p), mul false (lo i) 24 (tmp i), mul true (hi i) 24 (tmp i),
     mul false (mid i) 25 (tmp i), mul true (tmp i) 25 (tmp i), xor (mid i) (tmp i)],
   fun i _ => fold (tmp i) (lo i) (mid i) (mid i),
   fun i _ => fold (tmp i) (mid i) (hi i) (hi i),
   fun i p => [.str (.vec (hi i)) (power (n + p))]]

/-- The products of `H^n` with `k` powers from `H^(j+1)` on. -/
def products (n j k : Nat) : List Instr :=
  .ldr (.vec 24) (power n) :: swap 25 24 :: (steps n).flatMap fun step => (List.range k).flatMap fun i => step i (j + i + 1)

/-- The first power is the hash subkey. -/
def first : List Instr := [.ldr (.vec 0) (word .x0 15), .str (.vec 0) (power 1)]

/-- The kernel. -/
def code : Kernel := Code.seqs [
  .block constant, .block first,
  .block (products 1 0 1), .block (products 2 0 2), .block (products 4 0 4), .block (products 8 0 4), .block (products 8 4 4),
  .block (clear ([0, 1, 2, 3, 4, 5, 6, 7] ++ List.range' 16 10 ++ [31]))]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower }

end Impl.AesGcm.Prepare16.AArch64
