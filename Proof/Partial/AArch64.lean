import Proof.Partial.AArch64.Store

/-!
# The 1 to 15 bytes at the end of a buffer, on AArch64

What the fragments do is `load_ok`, `store_ok`, and here `keepFirst_ok`.
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64
open TCB TCB.AArch64 Impl Impl.AArch64 Impl.Partial.AArch64
open Impl.Partial (ones)

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put in
/-- The fragment keeps the first bytes of a register, 0 to 16 of them. -/
theorem keepFirst_ok {pub : List Region} {s : State} {v t : Vec} {n : Reg} {k onesAt : Nat} (hv : v ≠ t)
    (hn : n ∉ clobbered) (hl : s.gpr n = BitVec.ofNat 64 k) (hk : k ≤ 16) (ht : HasTable s.memory (s.gpr .x10) onesAt ones)
    (near : onesAt < 128 := by decide) (vv : savesLow v = false := by decide) (vt : savesLow t = false := by decide) :
    isa.Wp pub (keepFirst onesAt v t n) (Loaded s v t (ofBytes 128 ((toBytes 16 (view.lane s v.val 0)).take k))) s := by
  rw [lane_view]
  have ⟨n5, n6, n7⟩ : n ≠ .x5 ∧ n ≠ .x6 ∧ n ≠ .x7 := by simpa [clobbered] using hn
  refine .cons rfl ?_
  simp only [alu_sub, State.src]
  refine wp_ldrVec (ea_plus (i := onesAt + (16 - k)) (k := k) (p := s.gpr .x10) ?_ (by omega) (by omega)) (by reads)
    (ht.covered (show 16 - k + 16 ≤ 32 by omega)) (ht.word (show 16 - k + 16 ≤ 32 by omega)) (.cons rfl (.nil ?_))
  · reads
    rw [hl]
  refine ⟨kept (Keeps.refl _ s), by reads, ?_, fun r hr hrt => ?_⟩
  · reads
    simp only [hv, if_false]
    rw [and_ones _ hk]
  · reads
    simp only [hr, hrt, if_false]

end Proof.Partial.AArch64
