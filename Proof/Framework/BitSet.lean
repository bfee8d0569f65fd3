/-!
# Bit sets

Sets of numbers below `n`, which the kernel computes with fast.
-/

set_option autoImplicit false
namespace TCB
variable {n : Nat}

/-- The set with `i` put in or taken out. -/
def put (b : BitVec n) (i : Nat) (v : Bool) : BitVec n :=
  if v then b ||| .twoPow n i else b &&& ~~~ .twoPow n i

/-- What `put` does to each element. -/
theorem getLsbD_put (b : BitVec n) {i j : Nat} (v : Bool) (hj : j < n) :
    (put b i v).getLsbD j = if j = i then v else b.getLsbD j := by
  by_cases h : j = i
  · subst h; cases v <;> simp [put, hj]
  · cases v <;> simp [put, hj, h]

/-- What a set contains, a larger one contains. -/
theorem getLsbD_of_le {b c : BitVec n} (h : b &&& c = b) {i : Nat} (hi : b.getLsbD i = true) : c.getLsbD i = true := by
  rw [← h, BitVec.getLsbD_and, Bool.and_eq_true] at hi
  exact hi.2

/-- The intersection is no larger than either set. -/
theorem and_le (b c : BitVec n) : b &&& c &&& b = b &&& c ∧ b &&& c &&& c = b &&& c := by
  rw [BitVec.and_assoc, BitVec.and_assoc, BitVec.and_self, BitVec.and_comm c b, ← BitVec.and_assoc, BitVec.and_self]
  exact ⟨rfl, rfl⟩

end TCB
