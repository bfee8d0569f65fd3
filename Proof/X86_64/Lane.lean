import Proof.Framework.Mem
import TCB.X86_64.Isa

/-!
# Vector registers as lanes of 128 bits
-/

set_option autoImplicit false
namespace TCB.X86_64

/-- The lowest lane is the low part. -/
theorem lane_zero (v : BitVec 512) : lane v 0 = v.setWidth 128 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  simp [lane, hi]

/-- The other lanes are in the high part. -/
theorem lane_succ (v : BitVec 512) (i : Nat) : lane v (i + 1) = (v.extractLsb' 128 384).extractLsb' (128 * i) 128 := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  by_cases h : 128 * i + j < 384
  · simp [lane, hj, h, show 128 * (i + 1) + j = 128 + (128 * i + j) by omega]
  · simp [lane, hj, h, BitVec.getLsbD_of_ge v _ (show 512 ≤ 128 * (i + 1) + j by omega)]

/-- The low part of a register is its lowest lane. -/
theorem setWidth_ofLanes (a b c d : BitVec 128) : (ofLanes a b c d).setWidth 128 = a := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_setWidth, ofLanes, BitVec.getLsbD_append]
  simp [hi]

/-- The high part of a register is its other lanes. -/
theorem extractLsb'_ofLanes (a b c d : BitVec 128) : (ofLanes a b c d).extractLsb' 128 384 = d ++ c ++ b := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [BitVec.getLsbD_extractLsb', ofLanes, BitVec.getLsbD_append]
  simp [hi, show ¬128 + i < 128 by omega]

/-- The bits of a register that is made of lanes. -/
theorem getLsbD_ofLanes (a b c d : BitVec 128) (i : Nat) : (ofLanes a b c d).getLsbD i =
    if i < 128 then a.getLsbD i else if i < 256 then b.getLsbD (i - 128)
    else if i < 384 then c.getLsbD (i - 256) else d.getLsbD (i - 384) := by
  rw [ofLanes, BitVec.getLsbD_append, BitVec.getLsbD_append, BitVec.getLsbD_append]
  simp only [Nat.sub_sub, show i - 128 < 128 ↔ i < 256 by omega, show i - (128 + 128) < 128 ↔ i < 384 by omega]

/-- The lanes of a register that is made of lanes. -/
theorem lane_ofLanes (a b c d : BitVec 128) : lane (ofLanes a b c d) 0 = a ∧ lane (ofLanes a b c d) 1 = b ∧
    lane (ofLanes a b c d) 2 = c ∧ lane (ofLanes a b c d) 3 = d := by
  refine ⟨?_, ?_, ?_, ?_⟩ <;>
  · apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [lane, BitVec.getLsbD_extractLsb', getLsbD_ofLanes, decide_eq_true hi, Bool.true_and]
    simp only [Nat.reduceMul, Nat.zero_add]
    repeat rw [if_neg (by omega)]
    try rw [if_pos (by omega)]
    try rw [Nat.add_sub_cancel_left]

/-- A register is made of its lanes. -/
theorem ofLanes_lane (v : BitVec 512) : ofLanes (lane v 0) (lane v 1) (lane v 2) (lane v 3) = v := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_ofLanes]
  simp only [lane, BitVec.getLsbD_extractLsb', Nat.reduceMul, Nat.zero_add]
  repeat' split
  · simp [*]
  · simp [show i - 128 < 128 by omega, show 128 + (i - 128) = i by omega]
  · simp [show i - 256 < 128 by omega, show 256 + (i - 256) = i by omega]
  · simp [show i - 384 < 128 by omega, show 384 + (i - 384) = i by omega]

/-- A narrow value in a register. -/
theorem setWidth_eq_ofLanes {n : Nat} (v : BitVec n) (hn : n ≤ 128) : v.setWidth 512 = ofLanes (v.setWidth 128) 0 0 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_ofLanes, BitVec.getLsbD_setWidth, BitVec.getLsbD_setWidth]
  by_cases h : i < 128
  · simp [h, hi]
  · simp [h, BitVec.getLsbD_of_ge v i (by omega)]

/-- Few bytes in a register. -/
theorem ofBytes_eq_ofLanes {bs : List Byte} (h : bs.length = 16) : ofBytes 512 bs = ofLanes (ofBytes 128 bs) 0 0 0 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  rw [getLsbD_ofLanes, getLsbD_ofBytes, getLsbD_ofBytes]
  by_cases hs : i < 128
  · simp [hs, hi]
  · simp [hs, List.getElem?_eq_none (show bs.length ≤ i / 8 by omega)]

end TCB.X86_64
