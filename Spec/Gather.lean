import TCB.Contract

/-!
# Gathering a list of slices
-/

set_option autoImplicit false
namespace Spec.Gather
open TCB

/-- The contents of the slices, one after the other. -/
def concat (m : Mem) (slices : List Region) : List Byte := slices.flatMap fun r => r.bytes m

/-- The sum of the lengths of the slices. -/
def totalLen (slices : List Region) : Nat := (slices.map (·.len)).sum

/-- `vg_gather_copy(src, count, dst, len)` -/
def contract : Contract where
  summary := "Copies the `count` slices of `src`, one after the other, to `dst`."
  sig := { params := [
    ⟨"src", .slices (.arg "count")⟩,
    ⟨"count", .usize⟩,
    ⟨"dst", .bytes .output (.arg "len")⟩,
    ⟨"len", .usize⟩] }
  requires := [{
    text := "`len` is the sum of the lengths of the slices"
    Holds := fun a m => totalLen (slicesAt m (a "src") (a "count").toNat) = (a "len").toNat }]
  Ensures := fun a m m' _ =>
    bytesAt m' (a "dst") (a "len").toNat = concat m (slicesAt m (a "src") (a "count").toNat)
  writtenWithin := [("dst", .arg "len")]

end Spec.Gather
