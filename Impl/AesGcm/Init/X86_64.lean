import Impl.AesGcm.Init
import Impl.X86_64

/-!
# The key context, on x86-64

Each round key is made, stored, and used at once for a round on the zero block, whose encryption is the hash subkey.
AESENCLAST on four equal columns is SUBWORD in each of them, plus the round constant: faster than AESKEYGENASSIST.

The key is at `rdi`, the context at `rdx` and the table at `rax`; `xmm0` holds the block, `xmm1` and `xmm2` the last two
round keys.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Init.X86_64
open TCB.X86_64 Impl.X86_64

/-- An element of the table. -/
def entry (k : Nat) : VecSrc := .mem (at_ .rax (16 * k))

/-- The register of a round key. -/
def reg (i : Nat) : Vec := Fin.ofNat 16 (keyReg i)

/-! ## What is added to the words before, in `xmm3` -/

/-- SUBWORD of ROTWORD of the last word, plus a round constant, in every word. -/
def rotated (last : Vec) (rcon : Nat) : List Instr :=
  [.vecBin .pshufb .xmm 3 last (entry 0), .vecBin .aesenclast .xmm 3 3 (entry (3 + rcon))]

/-- The last word in every word. -/
def plain (last : Vec) : List Instr := [.vecUn (.pshufd 0xff) .xmm 3 last]

/-- SUBWORD of the last word, in every word. -/
def substituted (last : Vec) : List Instr := plain last ++ [.vecBin .aesenclast .xmm 3 3 (entry 3)]

/-! ## Four words from those before -/

/-- The sums of the first words of `old`, of one to four of them, plus `xmm3`. -/
def sums (d old : Vec) : List Instr := [
  .vecUn (.pslldq 4) .xmm 4 old, .vecBin .pxor .xmm d old (.reg 4),
  .vecUn (.pslldq 8) .xmm 4 d, .vecBin .pxor .xmm d d (.reg 4),
  .vecBin .pxor .xmm d d (.reg 3)]

/-- The upper half of `d`, then two words from the lower half of `cur`: the first of them is after a multiple of six. -/
def joined (d cur : Vec) (rcon : Nat) : List Instr := rotated d rcon ++ [
  .vecUn (.psllq 32) .xmm 4 cur, .vecBin .pxor .xmm 4 4 (.reg cur), .vecBin .pxor .xmm 4 4 (.reg 3),
  .vecBin (.palignr 8) .xmm d 4 (.reg d)]

/-- The round key `i + 1` of 128 bits of key. -/
def next128 (i : Nat) : List Instr := rotated (reg i) (i + 1) ++ sums (reg (i + 1)) (reg i)

/-- The round key `i + 1` of 192 bits of key: the words before it, six words away, are in two round keys. -/
def next192 (i : Nat) : List Instr :=
  let cur := reg i
  let d := reg (i + 1)
  if i = 0 then .vmovdquLoad .xmm d (at_ .rdi 8) :: joined d cur 1
  else if i % 3 = 0 then [.vecUn (.psllq 32) .xmm 4 d, .vecBin .pxor .xmm d d (.reg 4)] ++ plain cur ++
    [.vecBin .pxor .xmm d d (.reg 3)] ++ joined d cur (2 * i / 3 + 1)
  else (if i % 3 = 1 then plain cur else rotated cur (2 * (i + 1) / 3)) ++
    .vecBin (.palignr 8) .xmm d cur (.reg d) :: sums d d

/-- The round key `i + 1` of 256 bits of key. -/
def next256 (i : Nat) : List Instr :=
  if i = 0 then [.vmovdquLoad .xmm (reg 1) (at_ .rdi 16)]
  else (if i % 2 = 1 then rotated (reg i) (i / 2 + 1) else substituted (reg i)) ++ sums (reg (i + 1)) (reg (i + 1))

/-! ## The kernel -/

/-- The round key 0, added to the zero block. -/
def start : List Instr :=
  [.vmovdquLoad .xmm 1 (at_ .rdi), .vmovdquStore .xmm (at_ .rdx) 1, .vmovdqa .xmm 0 1]

/-- The operation of a round: the last one of `n` is another. -/
def roundOf (n i : Nat) : VecBin := if i = n then .aesenclast else .aesenc

/-- The round key `i + 1`, stored, and its round. -/
def step (n : Nat) (next : Nat → List Instr) (i : Nat) : List Instr := next i ++
  [.vmovdquStore .xmm (at_ .rdx (16 * (i + 1))) (reg (i + 1)), .vecBin (roundOf n (i + 1)) .xmm 0 0 (.reg (reg (i + 1)))]

/-- All round keys, and the encryption of the zero block. -/
def rounds (n : Nat) (next : Nat → List Instr) : List Instr := start ++ (List.range n).flatMap (step n next)

/-- The subkey, divided by `x`, and nothing secret left. -/
def finish : List Instr := [
  .vecBin .pshufb .xmm 0 0 (entry 1),
  .vecUn (.pshufd 0xff) .xmm 1 0, .vecUn (.psrad 31) .xmm 1 1, .vecBin .pand .xmm 1 1 (entry 2),
  .vecUn (.psrlq 63) .xmm 2 0, .vecUn (.pslldq 8) .xmm 2 2, .vecUn (.psllq 1) .xmm 0 0,
  .vecBin .por .xmm 0 0 (.reg 2), .vecBin .pxor .xmm 0 0 (.reg 1), .vmovdquStore .xmm (at_ .rdx 240) 0] ++
  [0, 1, 2, 3, 4].map fun r => .vecBin .pxor .xmm r r (.reg r)

/-- The kernel. -/
def code : Kernel := .seq (.block [.leaTable .rax, .alu .cmp .rsi (imm 24)]) <| .seq
  (.ite .b (.block (rounds 10 next128)) (.ite .e (.block (rounds 12 next192)) (.block (rounds 14 next256))))
  (.block finish)

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes], code := code.lower, constants }

end Impl.AesGcm.Init.X86_64
