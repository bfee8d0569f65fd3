import Proof.AesGcm.Message.Call
import Proof.AesGcm.AArch64.Env

/-!
# Loading arguments
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.AesGcm.Message

/-- The structure of `n` arguments is where `x2` says, and public. -/
structure Arguments (k : Call) (n : Nat) (pub : List Region) (s : State) : Prop where
  place : s.gpr .x2 = k.args
  few : n ≤ 16
  reads : Within s.memory.readable ⟨k.args, 8 * n⟩
  isPublic : Within pub ⟨k.args, 8 * n⟩
  values : ∀ i, i < n → word64 s.memory.bytes (k.args + BitVec.ofNat 64 (8 * i)) = k.value i

section
variable {k : Call} {n : Nat} {pub : List Region} {s s' : State}

/-- The same contents of memory. -/
theorem Arguments.same (h : Arguments k n pub s) {rs : List Reg} (g : Keeps rs s s') (m : s'.memory = s.memory)
    (hr : Reg.x2 ∉ rs := by decide) : Arguments k n pub s' :=
  ⟨(g.gpr _ hr).trans h.place, h.few, by rw [m]; exact h.reads, h.isPublic, by rw [m]; exact h.values⟩

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put

/-- The address of a piece of `l` bytes from a base. -/
theorem ea_word {r : Reg} {p : Addr} {i l : Nat} (hr : s.gpr r = p) (hi : i < 4096) :
    s.ea (Impl.AArch64.word r i) l = p + BitVec.ofNat 64 (i * l) := by
  simp only [State.ea, Impl.AArch64.word, hr, BitVec.toNat_ofNat]
  rw [Nat.mod_eq_of_lt (by omega)]

/-- One argument. -/
theorem argument_ok {is : List Instr} {Q : State → Prop} {d : Reg} (i : Nat) (a : Arguments k n pub s) (hi : i < n)
    (h : ∀ s', Keeps [d] s s' → s'.memory = s.memory → s'.vec = s.vec → s'.gpr d = k.value i → isa.Wp pub (.publicBlock is) Q s') :
    isa.Wp pub (.publicBlock (argument d i :: is)) Q s := by
  have few := a.few
  have read := a.reads.covered (i := 8 * i) (k := 8) (by omega) (by omega)
  have isPublic := a.isPublic.covered (i := 8 * i) (k := 8) (by omega) (by omega)
  refine .publicCons (s₁ := s.setReg d (k.value i)) (t := [.load (k.args + BitVec.ofNat 64 (8 * i)) 8]) ?_ ?_ (h _ ?_ ?_ ?_ ?_)
  · show s.loading (.gpr .dword d) (s.ea (Impl.AArch64.word .x2 i) 8) = _
    rw [ea_word a.place (by omega), Nat.mul_comm i 8]
    simp only [State.loading, Memory.load, Transfer.bytes, Width.bytes, read, if_true, Option.map_some, put_gpr]
    rw [← a.values i hi]
    rfl
  · intro q m hq
    simp only [List.mem_singleton, Event.load.injEq] at hq
    obtain ⟨rfl, rfl⟩ := hq
    exact isPublic
  · exact (Keeps.refl [d] s).setReg (.head _)
  · reads
  · vecs
  · rw [gpr_setReg, if_pos rfl]

/-- Two arguments, a pointer and a length. -/
theorem arguments_ok (i : Nat) (a : Arguments k n pub s) (hi : i + 1 < n) : isa.Wp pub (arguments i) (fun s' =>
      Frame [.x3, .x4] (List.range 32) s s' ∧ s'.memory = s.memory ∧ s'.gpr .x3 = k.value i ∧ s'.gpr .x4 = k.value (i + 1)) s := by
  refine argument_ok i a (by omega) fun s₁ k₁ m₁ v₁ g₁ => ?_
  refine argument_ok (i + 1) (a.same k₁ m₁) hi fun s₂ k₂ m₂ v₂ g₂ => .publicNil ⟨.of_vec ?_ (v₂.trans v₁), m₂.trans m₁, ?_, g₂⟩
  · exact (k₁.mono (by decide)).trans (k₂.mono (by decide))
  · exact (k₂.gpr .x3 (by decide)).trans g₁

end
end Proof.AesGcm.AArch64
