import Impl.Aes.AArch64
import Impl.AesGcm.Init

/-!
# The key context, on AArch64

Each round key is made, stored, and the one before it used at once for a round on the zero block, whose encryption is the hash
subkey: AESE adds a round key first. AESE with a round key of zero on four equal columns is SUBWORD in each of them.

The key is at `x0`, the context at `x2` and the table at `x3`; `v0` holds the block, `v1` and `v2` the last two round keys,
`v6` the shuffle for ROTWORD and `v7` zero.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Init.AArch64
open TCB.AArch64 Impl.AArch64 Impl.Aes.AArch64

/-- The register of a round key. -/
def reg (i : Nat) : Vec := Fin.ofNat 32 (keyReg i)

/-- Load an element of the table. -/
def entry (d : Vec) (k : Nat) : Instr := .ldr (.vec d) (word .x3 k)

/-! ## What is added to the words before, in `v3`, and in `v5` the round constant -/

/-- SUBWORD of ROTWORD of the last word, in every word, and a round constant. -/
def rotated (last : Vec) (rcon : Nat) : List Instr := [.vecBin .tbl 3 last 6, .aese 3 7, entry 5 (3 + rcon)]

/-- The last word in every word. -/
def plain (last : Vec) : List Instr := [.vecUn (.dup (.s 3)) 3 last]

/-- SUBWORD of the last word, in every word. -/
def substituted (last : Vec) : List Instr := plain last ++ [.aese 3 7]

/-! ## Four words from those before -/

/-- Add registers: last the one that is known last. -/
def add (d : Vec) (rs : List Vec) : List Instr := rs.map fun r => .vecBin .eor d d r

/-- The sums of the first words of `old`, of one to four of them, plus registers. -/
def sums (d old : Vec) (rs : List Vec) : List Instr := [
  .vecBin (.ext 12) 4 7 old, .vecBin .eor d old 4,
  .vecBin (.ext 8) 4 7 d, .vecBin .eor d d 4] ++ add d rs

/-- The upper half of `d`, then two words from the lower half of `cur`: the first of them is after a multiple of six. -/
def joined (d cur : Vec) (rcon : Nat) : List Instr := rotated d rcon ++
  [.vecUn (.shl2d 32) 4 cur, .vecBin .eor 4 4 cur] ++ add 4 [5, 3] ++ [.vecBin (.ext 8) d d 4]

/-- The round key `i + 1` of 128 bits of key. -/
def next128 (i : Nat) : List Instr := rotated (reg i) (i + 1) ++ sums (reg (i + 1)) (reg i) [5, 3]

/-- The round key `i + 1` of 192 bits of key: the words before it, six words away, are in two round keys. -/
def next192 (i : Nat) : List Instr :=
  let cur := reg i
  let d := reg (i + 1)
  if i = 0 then .ldr (.vec d) { base := .x0, offset := .unscaled 8 } :: joined d cur 1
  else if i % 3 = 0 then [.vecUn (.shl2d 32) 4 d, .vecBin .eor d d 4] ++ plain cur ++ add d [3] ++ joined d cur (2 * i / 3 + 1)
  else if i % 3 = 1 then plain cur ++ .vecBin (.ext 8) d d cur :: sums d d [3]
  else rotated cur (2 * (i + 1) / 3) ++ .vecBin (.ext 8) d d cur :: sums d d [5, 3]

/-- The round key `i + 1` of 256 bits of key. -/
def next256 (i : Nat) : List Instr :=
  if i = 0 then [.ldr (.vec (reg 1)) (word .x0 1)]
  else if i % 2 = 1 then rotated (reg i) (i / 2 + 1) ++ sums (reg (i + 1)) (reg (i + 1)) [5, 3]
  else substituted (reg i) ++ sums (reg (i + 1)) (reg (i + 1)) [3]

/-! ## The kernel -/

/-- The address of the table. -/
def address : List Instr := [.adrpTable .x3, .addTable .x3 .x3]

/-- The constants that stay in registers. -/
def fixed : List Instr := [entry 6 0, .movi 7 0]

/-- The round key 0, and the zero block. -/
def start : List Instr := [.ldr (.vec 1) (word .x0 0), .str (.vec 1) (word .x2 0), .movi 0 0]

/-- Round `i + 1` of `n`, but for its round key; the last one is another, and its round key is added. -/
def round (n i : Nat) : List Instr :=
  [.aese 0 (reg i), if i + 1 = n then .vecBin .eor 0 0 (reg (i + 1)) else .vecUn .aesmc 0 0]

/-- The round key `i + 1`, stored, and a round. -/
def step (n : Nat) (next : Nat → List Instr) (i : Nat) : List Instr :=
  next i ++ .str (.vec (reg (i + 1))) (word .x2 (i + 1)) :: round n i

/-- All round keys, and the encryption of the zero block. -/
def rounds (n : Nat) (next : Nat → List Instr) : List Instr := start ++ (List.range n).flatMap (step n next)

/-- The subkey, divided by `x`, and nothing secret left. -/
def finish : List Instr := [
  .vecUn .rev64 0 0, .vecBin (.ext 8) 0 0 0,
  .vecUn (.dup (.d 1)) 1 0, .vecUn (.sshr2d 1) 1 1, entry 3 2, .vecBin .and 1 1 3,
  .vecUn (.ushr2d 1) 2 0, .vecBin (.ext 8) 2 7 2, .vecUn (.shl2d 1) 0 0,
  .vecBin .orr 0 0 2, .vecBin .eor 0 0 1, .str (.vec 0) (word .x2 15)] ++
  [0, 1, 2, 3, 4, 5, 6].map fun r => .movi r 0

/-- The kernel. -/
def code : Kernel := Code.seqs [
  .block address, .block fixed, .block [.cmp .x1 (imm 24)],
  .ite .lo (.block (rounds 10 next128)) (.ite .eq (.block (rounds 12 next192)) (.block (rounds 14 next256))),
  .block finish]

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower, constants }

end Impl.AesGcm.Init.AArch64
