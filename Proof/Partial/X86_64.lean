import Proof.Partial.X86_64.Store

/-!
# The 1 to 15 bytes at the end of a buffer, on x86-64

What the fragments do is `load_ok`, `store_ok`, and here `keepFirst_ok`.
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64
open TCB TCB.X86_64 Impl Impl.X86_64 Impl.Partial.X86_64

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The fragment keeps the first bytes of a register, 0 to 16 of them. -/
theorem keepFirst_ok {pub : List Region} {s : State} {v : Vec} {n : Reg} {k onesAt : Nat}
    (hn : n ∉ clobbered) (hl : s.gpr n = BitVec.ofNat 64 k) (hk : k ≤ 16) (ht : HasTable s.memory (s.gpr .r10) onesAt ones) :
    isa.Wp pub (keepFirst onesAt v n) (Loaded s v v (ofBytes 128 ((toBytes 16 (view.lane s v.val 0)).take k))) s := by
  rw [lane_view]
  have near := ht.near
  rw [show ones.length = 32 from rfl] at near
  have ⟨na, n11⟩ : n ≠ .rax ∧ n ≠ .r11 := by simpa [clobbered] using hn
  refine .cons rfl (.cons rfl ?_)
  simp only [alu_sub, State.src]
  refine wp_vecBinMem (ea_back (i := onesAt + (16 - k)) (k := k) (p := s.gpr .r10) ?_ (by omega) (by omega)) (by reads)
    (ht.covered (show 16 - k + 16 ≤ 32 by omega)) (ht.word (show 16 - k + 16 ≤ 32 by omega)) (.nil ?_)
  · reads
    simp only [n11, if_false, hl]
  refine ⟨kept (Keeps.refl _ s), by reads, ?_, fun r hr _ => ?_⟩
  · simp only [State.lane]
    reads
    rw [pand_ones _ hk]
  · reads
    rw [if_neg hr]

end Proof.Partial.X86_64
