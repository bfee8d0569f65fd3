import Proof.Framework.SymExec.Stores

/-!
# Lanes of 16 bytes in memory
-/

set_option autoImplicit false
namespace TCB

/-- A part of what was written. -/
theorem bytesAt_writeBytes_part (m : Mem) (a : Addr) {bs : List Byte} (hl : bs.length ≤ 2 ^ 64) {i k : Nat}
    (h : i + k ≤ bs.length) : bytesAt (writeBytes m a bs) (a + BitVec.ofNat 64 i) k = (bs.drop i).take k := by
  rw [bytesAt_part _ _ h, bytesAt_writeBytes_same _ _ hl]

namespace SymExec

/-- The number of bytes of lanes. -/
theorem length_laneBytes (vs : List (BitVec 128)) : (laneBytes vs).length = 16 * vs.length := by
  induction vs with
  | nil => rfl
  | cons v vs ih =>
    simp only [laneBytes, List.flatMap_cons, List.length_append, length_toBytes, List.length_cons] at *
    omega

/-- The bytes of one lane. -/
theorem piece_laneBytes {vs : List (BitVec 128)} {i : Nat} (h : i < vs.length) :
    ((laneBytes vs).drop (16 * i)).take 16 = toBytes 16 vs[i] := by
  induction vs generalizing i with
  | nil => cases h
  | cons v vs ih =>
    simp only [laneBytes, List.flatMap_cons] at *
    cases i with
    | zero => exact List.take_left' (length_toBytes ..)
    | succ i =>
      rw [show 16 * (i + 1) = 16 + 16 * i by omega, ← List.drop_drop, List.drop_left' (length_toBytes ..),
        List.getElem_cons_succ]
      exact ih (Nat.lt_of_succ_lt_succ h)

/-- One of the lanes that memory holds. -/
theorem ofBytes_laneBytes {m : Mem} {a : Addr} {n : Nat} {vs : List (BitVec 128)} (hm : bytesAt m a n = laneBytes vs) {i : Nat}
    (h : i < vs.length) : ofBytes 128 (bytesAt m (a + BitVec.ofNat 64 (16 * i)) 16) = vs[i] := by
  have hn := congrArg List.length hm
  rw [length_bytesAt, length_laneBytes] at hn
  rw [bytesAt_part _ _ (show 16 * i + 16 ≤ n by omega), hm, piece_laneBytes h, ofBytes_toBytes _ (by decide)]

end SymExec
end TCB
