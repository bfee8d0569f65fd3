import Proof.AesGcm.Message.Call
import Proof.AesGcm.X86_64.Env

/-!
# Loading arguments
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.AesGcm.Message

/-- The structure of `n` arguments is where `rdx` says, and public. -/
structure Arguments (k : Call) (n : Nat) (pub : List Region) (s : State) : Prop where
  place : s.gpr .rdx = k.args
  few : n ≤ 16
  reads : Within s.memory.readable ⟨k.args, 8 * n⟩
  isPublic : Within pub ⟨k.args, 8 * n⟩
  values : ∀ i, i < n → word64 s.memory.bytes (k.args + BitVec.ofNat 64 (8 * i)) = k.value i

section
variable {k : Call} {n : Nat} {pub : List Region} {s s' : State}

/-- The same contents of memory. -/
theorem Arguments.same (h : Arguments k n pub s) {rs : List Reg} (g : Keeps rs s s') (m : s'.memory = s.memory)
    (hr : Reg.rdx ∉ rs := by decide) : Arguments k n pub s' :=
  ⟨(g.gpr _ hr).trans h.place, h.few, by rw [m]; exact h.reads, h.isPublic, by rw [m]; exact h.values⟩

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- One argument. -/
theorem argument_ok {is : List Instr} {Q : State → Prop} {d : Reg} (i : Nat) (a : Arguments k n pub s) (hi : i < n)
    (h : ∀ s', Keeps [d] s s' → s'.memory = s.memory → s'.vec = s.vec → s'.gpr d = k.value i → isa.Wp pub (.publicBlock is) Q s') :
    isa.Wp pub (.publicBlock (.load .qword d (at_ .rdx (8 * i)) :: is)) Q s := by
  have few := a.few
  have read := a.reads.covered (i := 8 * i) (k := 8) (by omega) (by omega)
  have isPublic := a.isPublic.covered (i := 8 * i) (k := 8) (by omega) (by omega)
  refine wp_publicLoad (p := k.args + BitVec.ofNat 64 (8 * i)) (m := s.memory) (b := s.memory.bytes)
    (ea_at (i := 0) (by rw [a.place, BitVec.add_zero]) (by omega) (Nat.zero_add _)) rfl read isPublic rfl (h _ ?_ ?_ ?_ ?_)
  · exact (Keeps.refl [d] s).setReg (.head _)
  · reads
  · reads
  · rw [gpr_setReg, if_pos rfl, ← a.values i hi]
    rfl

/-- Two arguments, a pointer and a length. -/
theorem arguments_ok (i : Nat) (a : Arguments k n pub s) (hi : i + 1 < n) : isa.Wp pub (arguments i) (fun s' =>
      Frame [.rcx, .r8] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.gpr .rcx = k.value i ∧ s'.gpr .r8 = k.value (i + 1)) s := by
  refine argument_ok i a (by omega) fun s₁ k₁ m₁ v₁ g₁ => ?_
  refine argument_ok (i + 1) (a.same k₁ m₁) hi fun s₂ k₂ m₂ v₂ g₂ => .publicNil ⟨.of_vec ?_ (v₂.trans v₁), m₂.trans m₁, ?_, g₂⟩
  · exact (k₁.mono (by decide)).trans (k₂.mono (by decide))
  · exact (k₂.gpr .rcx (by decide)).trans g₁

end
end Proof.AesGcm.X86_64
