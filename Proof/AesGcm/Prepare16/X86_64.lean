import Proof.AesGcm.Prepare16.X86_64.Products
import Proof.X86_64.Witness

/-!
# The powers of the hash subkey on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16.X86_64
open TCB TCB.X86_64 SymExec Spec.AesGcm.Prepare16 Impl.AesGcm.Prepare16.X86_64

/-- The kernel with PCLMULQDQ meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  obtain ⟨hr, hw⟩ := pre_of target h
  refine .seq (start_ok.mono fun _ a => .seq ((first_ok hr hw a).mono fun _ a => .seq ?_))
  refine (products_ok (l := 1) (n := 1) (j := 0) (ps := [2]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 2) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 1) (n := 2) (j := 0) (ps := [3, 4]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 4) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 1) (n := 4) (j := 0) (ps := [5, 6, 7, 8]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 8) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (l := 1) (n := 8) (j := 0) (ps := [9, 10, 11, 12]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 12) (by decide) (by decide) (by decide) a).mono fun _ a => .seq ?_
  exact (products_ok (l := 1) (n := 8) (j := 4) (ps := [13, 14, 15, 16]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 16) (by decide) (by decide) (by decide) a).mono fun _ a => end_ok a

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    nofun rfl

/-- The kernel with PCLMULQDQ meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Prepare16.X86_64
