import Proof.AesGcm.Message.Call

/-!
# The blocks of a sealed text that are hashed last, on every target
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal
open TCB Proof.Gf2 Proof.AesGcm.Message

variable {k : Call} {d i : Nat}

/-- The blocks of the text that are left after `d` bytes, as they are hashed. -/
def rest (k : Call) (d : Nat) : List Spec.Ghash.Block := (List.range (k.len / 16 - d / 16)).map (fun i => k.text.block (d / 16 + i)) ++
  if k.len % 16 = 0 then [] else [k.text.lastBlock (k.len / 16) (k.len % 16)]

/-- How many they are. -/
theorem length_rest (hd : d % 16 = 0) (hle : d ≤ k.len) : (rest k d).length = (k.len - d + 15) / 16 := by
  rw [rest, List.length_append, List.length_map, List.length_range]
  split
  · simp only [List.length_nil]; omega
  · simp only [List.length_singleton]; omega

/-- The first `d` bytes, and the others. -/
theorem padded_rest (hle : d ≤ k.len) : (List.range (d / 16)).map k.text.block ++ rest k d = padded k.text.out :=
  (k.text.padded_split (k := d / 16) (by have : k.text.len = k.len := rfl; omega)).symm

/-- The blocks that are hashed last. -/
abbrev ending (k : Call) (d : Nat) : List Spec.Ghash.Block := rest k d ++ [lengths k.aadLen k.len]

/-- A whole block of them. -/
theorem ending_whole (h : d + 16 * (i + 1) ≤ k.len) (hd : d % 16 = 0) : (ending k d)[i]? = some (k.text.block (d / 16 + i)) := by
  have hi : i < k.len / 16 - d / 16 := by omega
  rw [ending, rest, List.append_assoc, List.getElem?_append_left (by simpa using hi), List.getElem?_map, List.getElem?_range hi]
  rfl

/-- The block beyond whole ones. -/
theorem ending_last (h : k.len = d + 16 * i + k.len % 16) (hd : d % 16 = 0) (hr : k.len % 16 ≠ 0) :
    (ending k d)[i]? = some (k.text.lastBlock (k.len / 16) (k.len % 16)) := by
  have hi : i = k.len / 16 - d / 16 := by omega
  rw [ending, rest, if_neg hr, List.append_assoc, List.getElem?_append_right (by simp; omega), List.length_map, List.length_range, hi,
    Nat.sub_self]
  rfl

end Proof.AesGcm.Seal
