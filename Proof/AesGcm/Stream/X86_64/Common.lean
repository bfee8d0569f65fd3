import Impl.AesGcm.Stream.X86_64
import Proof.AesGcm.X86_64.Start

/-!
# A message in pieces on x86-64: what the kernels share
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- What the kernels have on entry. -/
theorem based_of {con : Contract} {s : State} (h : target.Pre con table s) (p : (callOf target s).Keys) :
    Based (callOf target s) s.memory.constants where
  keys := p
  table := (h.table (by decide)).2.1
  reads := .of_mem (h.table (by decide)).1

/-- The first bytes of a region. -/
theorem within_first {rs : List Region} {a : Addr} {n k : Nat} (h : Within rs ⟨a, n⟩) (hk : k ≤ n) : Within rs ⟨a, k⟩ := by
  have := h.part (n' := k) 0 (by omega)
  rwa [BitVec.add_zero] at this

/-- A 64-bit number. -/
theorem ofNat_toNat (v : BitVec 64) : v = BitVec.ofNat 64 v.toNat := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {k : Call} {n : Nat} {pub : List Region} {s : State}

/-- One argument. -/
theorem arg_ok {d : Reg} (i : Nat) (a : Arguments k n pub s) (hi : i < n) : isa.Wp pub (argument d i) (fun s' =>
    Frame [d] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.gpr d = k.value i) s :=
  argument_ok i a hi fun _ k₁ m₁ v₁ g₁ => .publicNil ⟨.of_vec k₁ v₁, m₁, g₁⟩

/-- The bytes of a length beyond whole blocks. -/
theorem and_15 (L : Nat) : BitVec.ofNat 64 L &&& 15#64 = BitVec.ofNat 64 (L % 16) := by
  apply BitVec.eq_of_toNat_eq
  simp only [BitVec.toNat_and, BitVec.toNat_ofNat]
  have := Nat.and_two_pow_sub_one_eq_mod (L % 2 ^ 64) 4
  simp only [Nat.reducePow, Nat.add_one_sub_one] at this ⊢
  rw [show 15 % 18446744073709551616 = 15 from rfl]
  omega

/-- The length of a register beyond whole blocks. -/
theorem mask_ok {r : Reg} {L : Nat} (h : s.gpr r = BitVec.ofNat 64 L) : isa.Wp pub (.block [.alu .and r (imm 15)]) (fun s' =>
    Frame [r] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.gpr r = BitVec.ofNat 64 (L % 16) ∧
    s'.flag .zf = some (decide (L % 16 = 0))) s := by
  have value : s.gpr r &&& s.src (imm 15) = BitVec.ofNat 64 (L % 16) := by rw [h, src_imm (by decide), and_15]
  refine .cons (s₁ := (s.setReg r (s.gpr r &&& s.src (imm 15))).setFlags (logicFlags (s.gpr r &&& s.src (imm 15)))) rfl ?_
  rw [value]
  refine .nil ⟨.of_vec (Keeps.setFlags ((Keeps.refl _ s).setReg (.head _))) (by reads), by reads, by rw [gpr_setFlags, gpr_setReg, if_pos rfl], ?_⟩
  reads
  simp only [logicFlags]
  congr 1
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, ← BitVec.toNat_inj]
  simp only [BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
  omega

/-- Nothing is left. -/
theorem leave_ok : isa.Wp pub leave (fun s' => Keeps [.rax, .r11] s s' ∧ s'.memory = s.memory) s := by
  refine .seq ((clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁ ⟨k₁, m₁⟩ => ?_)
  exact .cons rfl (.cons rfl (.nil ⟨kept (k₁.mono (List.nil_subset _)), by reads; exact m₁⟩))

end
end Proof.AesGcm.Stream.X86_64
