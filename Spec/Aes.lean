import TCB.Aes

/-!
# AES

FIPS 197, sections 5.1 and 5.2, for keys of 16, 24 and 32 bytes.
-/

set_option autoImplicit false
namespace Spec.Aes
open TCB TCB.Aes

/-- A word: 4 bytes, the first one in the low bits. -/
abbrev Word := BitVec 32

/-! ## The key schedule (section 5.2) -/

/-- ROTWORD: `[a0, a1, a2, a3]` becomes `[a1, a2, a3, a0]`. -/
def rotWord (w : Word) : Word := w.rotateRight 8

/-- SUBWORD: the S-box on each byte. -/
def subWord (w : Word) : Word := ofBytes 32 ((toBytes 4 w).map sbox)

/-- `x^j` in GF(2^8). -/
def xPow : Nat → Byte
  | 0 => 1
  | j + 1 => xtime (xPow j)

/-- `Rcon[j] = [x^(j-1), 0, 0, 0]`, for `j` from 1. -/
def rcon (j : Nat) : Word := (xPow (j - 1)).setWidth 32

/-- `temp` for the word `i`, from the word before it, with a key of `nk` words (algorithm 2, lines 8 to 13). -/
def temp (nk i : Nat) (w : Word) : Word :=
  if i % nk = 0 then subWord (rotWord w) ^^^ rcon (i / nk)
  else if 6 < nk ∧ i % nk = 4 then subWord w
  else w

/-- The word `i`, from the words `w` before it (algorithm 2). -/
def nextWord (key w : List Word) (i : Nat) : Word :=
  if i < key.length then key.getD i 0
  else w.getD (i - key.length) 0 ^^^ temp key.length i (w.getD (i - 1) 0)

/-- The first words of the key schedule, as many as are asked for (algorithm 2). -/
def words (key : List Word) : Nat → List Word
  | 0 => []
  | i + 1 => words key i ++ [nextWord key (words key i) i]

/-- The words of a key. -/
def keyWords (key : List Byte) : List Word :=
  (List.range (key.length / 4)).map fun i => ofBytes 32 ((key.drop (4 * i)).take 4)

/-- The number of rounds: 10, 12 or 14 for a key of 16, 24 or 32 bytes (table 3). -/
def rounds (keyLen : Nat) : Nat := keyLen / 4 + 6

/-- The block of four words. -/
def ofWords (a b c d : Word) : Block := d ++ c ++ b ++ a

/-- The round keys, from the one that is added first (algorithm 2; section 5.1.4). -/
def expandKey (key : List Byte) : List Block :=
  let w := words (keyWords key) (4 * (rounds key.length + 1))
  (List.range (rounds key.length + 1)).map fun i =>
    ofWords (w.getD (4 * i) 0) (w.getD (4 * i + 1) 0) (w.getD (4 * i + 2) 0) (w.getD (4 * i + 3) 0)

/-! ## The cipher (section 5.1) -/

/-- A round (algorithm 1, lines 5 to 8). -/
def round (s k : Block) : Block := mixColumns (shiftRows (subBytes s)) ^^^ k

/-- The last round, which has no MIXCOLUMNS (algorithm 1, lines 10 to 12). -/
def lastRound (s k : Block) : Block := shiftRows (subBytes s) ^^^ k

/-- CIPHER (algorithm 1). -/
def cipher (keys : List Block) (s : Block) : Block :=
  lastRound (keys.tail.dropLast.foldl round (s ^^^ keys.headD 0)) (keys.getLastD 0)

/-- The encryption of a block. -/
def encryptBlock (key : List Byte) (s : Block) : Block := cipher (expandKey key) s

end Spec.Aes
