import Impl.Ghash.X86_64

/-!
# The powers of the hash subkey on x86-64

Products of stored powers, several at a time, from the context to the context. The powers lie in descending order, so that
a wide register holds `H^(p+1)` below `H^p`, and a product with `H^n` on both lanes gives the next two powers.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Prepare16.X86_64
open TCB.X86_64 Impl.X86_64 Impl.Ghash.X86_64

/-- The registers of product `i`. -/
def lo (i : Nat) : Vec := vec (3 * i)
def mid (i : Nat) : Vec := vec (3 * i + 1)
def hi (i : Nat) : Vec := vec (3 * i + 2)

/-- The 16 bytes at an offset of the context, on all lanes. -/
def broadcast : VecWidth → Vec → Nat → Instr
  | .xmm, d, off => .vmovdquLoad .xmm d (at_ .rdi off)
  | .ymm, d, off => .vbroadcasti128 d (at_ .rdi off)

/-- One step of product `i`: `H^n` is in register 14, the last other factor is `H^p`. -/
def steps (w : VecWidth) (n : Nat) : List (Nat → Nat → List Instr) :=
  let mul (high₁ high₂ : Bool) (d : Vec) (p : Nat) : Instr :=
    .vecBin (.pclmulqdq high₁ high₂) w d 14 (.mem (at_ .rdi (place p)))
  [fun i p => [mul false false (lo i) p, mul true false (mid i) p, mul false true 13 p, xor w (mid i) 13, mul true true (hi i) p],
   fun i _ => fold w 15 13 (lo i) (mid i),
   fun i _ => fold w 15 13 (mid i) (hi i),
   fun i p => [.vmovdquStore w (at_ .rdi (place (n + p))) (hi i)]]

/-- The products of `H^n` with `k` registers of powers from `H^(j+1)` on. -/
def products (w : VecWidth) (n j k : Nat) : List Instr :=
  broadcast w 14 (place n) :: (steps w n).flatMap fun step =>
    (List.range k).flatMap fun i => step i (j + w.bytes / 16 * (i + 1))

/-- The first power is the hash subkey. -/
def first : List Instr := [.vmovdquLoad .xmm 0 (at_ .rdi 240), .vmovdquStore .xmm (at_ .rdi (place 1)) 0]

/-- The kernel with PCLMULQDQ. -/
def code : Kernel := Code.seqs [
  .block constant, .block first,
  .block (products .xmm 1 0 1), .block (products .xmm 2 0 2), .block (products .xmm 4 0 4),
  .block (products .xmm 8 0 4), .block (products .xmm 8 4 4),
  .block (clear (List.range 16))]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .pclmulqdq], code := code.lower }

namespace Wide

/-- The constant on both lanes. -/
def double : List Instr := [.vinserti128 15 15 (.reg 15) true]

/-- The kernel with VPCLMULQDQ. -/
def code : Kernel := Code.seqs [
  .block constant, .block double, .block first,
  .block (products .xmm 1 0 1), .block (products .ymm 2 0 1), .block (products .ymm 4 0 2), .block (products .ymm 8 0 4),
  .block (clear (List.range 16)), .block [.vzeroupper]]

/-- The program. -/
def program : TCB.Program Instr Cond Feature :=
  { features := [.avx, .avx2, .pclmulqdq, .vpclmulqdq], code := code.lower }

end Wide
end Impl.AesGcm.Prepare16.X86_64
