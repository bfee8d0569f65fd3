import Impl.AesGcm.Seal.X86_64
import Proof.AesGcm.X86_64.Text

/-!
# Sealing groups of eight blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Seal.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.AesGcm.X86_64

/-- The first `d` bytes of the text are sealed and hashed, which are whole blocks. -/
structure Sealed (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  frame : Frame [.rdi, .rcx, .r8] [9, 10, 13] s₀ s
  whole : d % 16 = 0
  le : d ≤ k.len
  memory : s.memory = k.memory.set (k.text.mem d)
  counter : view.lane s 8 0 = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey k.aadHash ((List.range (d / 16)).map k.text.block)
  key : s.gpr .rdi = k.ctx

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d : Nat}

/-- Counting changes nothing. -/
theorem Sealed.stable (d : Nat) : Stable [.rcx, .r8] (Sealed k s₀ d) := fun s s' h g m v =>
  have lane (r : Nat) : view.lane s' r 0 = view.lane s r 0 := by simp only [view, State.lane, v]
  ⟨h.frame.trans (.of_vec (g.mono (by decide)) v), h.whole, h.le, m.trans h.memory, (lane 8).trans h.counter, (lane 11).trans h.hash,
    (g.gpr _ (by decide)).trans h.key⟩

/-- The registers and the memory hold what they should. -/
theorem Sealed.env (h : Sealed k s₀ d s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- **Eight blocks are sealed.** -/
theorem group_ok (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Sealed k s₀) k.data k.len d s) (hd : d + 128 ≤ k.len) : isa.Wp pub group (fun s' =>
      Sealed k s₀ (d + 128) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
  have hs := h.holds
  have whole := hs.whole
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  have env := hs.env r e m
  have consts : Constants s := hc.of_frame hs.frame
  refine .seq ((encrypt_ok group_eight r env consts hs.key whole hd h.next hs.memory hs.counter).mono fun _ w => .seq (w.mono
    fun s₂ ⟨f, memory, counter⟩ => .seq ?_))
  have env₂ : Env (fixedOf k tab) s₂ := e.set ((hs.frame.keeps.trans (f.keeps.mono (by decide)))) (by decide) (b := k.text.mem (d + 128))
    (by rw [memory, m]) (r.holds_mem _)
  refine (hash_ok (k := 7) env₂ (consts.of_frame f) (by decide) hash_checked ((f.gpr .rcx).trans h.next)
    (by rw [memory]; exact r.pre.reads.part d hd)).mono fun s₃ ⟨f₃, m₃, h₃⟩ => ?_
  refine .cons (s₁ := s₃.setReg .rdi (s₃.gpr .r9)) rfl (.nil ?_)
  have same (r : Nat) : view.lane (s₃.setReg .rdi (s₃.gpr .r9)) r 0 = view.lane s₃ r 0 := by
    simp only [view, State.lane]
    reads
  refine ⟨⟨?_, by omega, hd, ?_, ?_, ?_, ?_⟩, ?_, ?_⟩
  · refine hs.frame.trans ((f.mono (by decide) (by decide)).trans ⟨?_, fun r hr => (same r).trans (f₃.lanes r (.tail _ hr))⟩)
    exact kept (f₃.keeps.mono (List.nil_subset _))
  · reads
    exact m₃.trans memory
  · exact (same 8).trans ((f₃.lane 8).trans counter)
  · have blocks : blocksAt s₂.memory.bytes (k.data + BitVec.ofNat 64 d) 8 = (List.range 8).map fun i => k.text.block (d / 16 + i) := by
      have := k.text.blocksAt_mem (d := d + 128) (k := d / 16) (n := 8) (by omega) (by omega)
      rw [show 16 * (d / 16) = d by omega, data] at this
      rw [memory]
      refine this.trans ?_
      rw [k.text.blocks_eq, ← List.map_drop, ← List.map_take, take_drop_range (by omega), List.map_map]
      rfl
    rw [same, h₃, f.lane 11, hs.hash, blocks, show (d + 128) / 16 = d / 16 + 8 by omega, List.range_add, List.map_append, List.map_map]
    exact (ghash_append ..).symm
  · reads
    exact (f₃.gpr .r9).trans env₂.key
  · reads
    exact (f₃.gpr .rcx).trans (f.gpr .rcx)
  · reads
    exact (f₃.gpr .r8).trans (f.gpr .r8)

end
end Proof.AesGcm.Seal.X86_64
