import Spec.AesGcm.Context
import Proof.Framework.Mem

/-!
# The cipher in the steps of kernels
-/

set_option autoImplicit false
namespace Proof.Aes
open TCB TCB.Aes Spec.Aes

/-- A byte of a block that is made of bytes. -/
theorem byte_ofFn (f : Nat → Byte) {i : Nat} (h : i < 16) : byte (ofFn f) i = f i := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [byte, ofFn, BitVec.getLsbD_extractLsb', getLsbD_ofBytes, hj, decide_true, Bool.true_and,
    show 8 * i + j < 128 by omega, show (8 * i + j) / 8 = i by omega, show (8 * i + j) % 8 = j by omega]
  simp [h]

/-- SUBBYTES and SHIFTROWS commute. -/
theorem subBytes_shiftRows (s : Block) : subBytes (shiftRows s) = shiftRows (subBytes s) := by
  unfold subBytes shiftRows
  simp only [ofFn]
  congr 1
  apply List.map_congr_left
  intro i hi
  have hi := List.mem_range.1 hi
  show sbox (byte (ofFn _) i) = byte (ofFn _) _
  rw [byte_ofFn _ hi, byte_ofFn _ (by omega)]

/-- Round key `i` of the context at `ctx`. -/
def key (m : Mem) (ctx : Addr) (i : Nat) : Block := Spec.AesGcm.Context.word m ctx (16 * i)

/-- Rounds with the round keys `key first`, `key (first + 1)`, .... -/
def roundsFrom (key : Nat → Block) (first : Nat) (s : Block) : Nat → Block
  | 0 => s
  | n + 1 => round (roundsFrom key first s n) (key (first + n))

/-- Rounds go on. -/
theorem roundsFrom_add (key : Nat → Block) (first : Nat) (s : Block) (m n : Nat) :
    roundsFrom key first s (m + n) = roundsFrom key (first + m) (roundsFrom key first s m) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [← Nat.add_assoc, roundsFrom, ih, roundsFrom, Nat.add_assoc]

/-- As `roundsFrom`, but each round adds its key before the other steps: what AESE and AESMC do. -/
def turnsFrom (key : Nat → Block) (first : Nat) (s : Block) : Nat → Block
  | 0 => s
  | n + 1 => mixColumns (shiftRows (subBytes (turnsFrom key first s n ^^^ key (first + n))))

/-- The next round key makes rounds of them. -/
theorem turnsFrom_xor (key : Nat → Block) (first : Nat) (s : Block) (n : Nat) :
    turnsFrom key first s n ^^^ key (first + n) = roundsFrom key (first + 1) (s ^^^ key first) n := by
  induction n with
  | zero => rfl
  | succ n ih => rw [roundsFrom, ← ih, turnsFrom, round, Nat.add_assoc, Nat.add_comm 1 n]

/-- The cipher with `rounds + 1` round keys that a function gives. -/
theorem cipher_eq (key : Nat → Block) (n : Nat) (s : Block) :
    cipher ((List.range (n + 2)).map key) s = lastRound (roundsFrom key 1 (s ^^^ key 0) n) (key (n + 1)) := by
  have mid : ((List.range (n + 2)).map key).tail.dropLast = (List.range n).map fun i => key (1 + i) := by
    rw [List.range_succ_eq_map, List.map_cons, List.tail_cons, List.map_map, List.range_succ, List.map_append,
      List.map_singleton, List.dropLast_concat]
    exact List.map_congr_left fun i _ => congrArg key (by omega)
  have fold (t : Block) : ((List.range n).map fun i => key (1 + i)).foldl round t = roundsFrom key 1 t n := by
    clear mid
    induction n with
    | zero => rfl
    | succ n ih => simp only [List.range_succ, List.map_append, List.foldl_append, List.map_cons, List.map_nil,
        List.foldl_cons, List.foldl_nil, roundsFrom] at *; rw [ih]
  have last : ((List.range (n + 2)).map key).getLastD 0 = key (n + 1) := by
    rw [List.range_succ, List.map_append, List.map_singleton, List.getLastD_concat]
  have head : ((List.range (n + 2)).map key).headD 0 = key 0 := by
    rw [List.range_succ_eq_map]; rfl
  rw [cipher, mid, fold, last, head]

end Proof.Aes
