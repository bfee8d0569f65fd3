import Impl.AesGcm.Seal.AArch64
import Proof.AesGcm.AArch64.Text

/-!
# Sealing groups of eight blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Seal.AArch64 Proof.Gf2 Proof.AesGcm.Message Proof.AesGcm.AArch64

/-- The first `d` bytes of the text are sealed and hashed, which are whole blocks. -/
structure Sealed (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  frame : Frame [.x0, .x3, .x4] [18, 21, 31] s₀ s
  whole : d % 16 = 0
  le : d ≤ k.len
  memory : s.memory = k.memory.set (k.text.mem d)
  counter : view.lane s 17 0 = held (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16))
  hash : view.lane s 20 0 = Spec.Ghash.ghash k.subkey k.aadHash ((List.range (d / 16)).map k.text.block)
  key : s.gpr .x0 = k.ctx

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d : Nat}

/-- Counting changes nothing. -/
theorem Sealed.stable (d : Nat) : Stable [.x3, .x4] (Sealed k s₀ d) := fun s s' h g m v =>
  have lane (r : Nat) : view.lane s' r 0 = view.lane s r 0 := by simp only [view, v]
  ⟨h.frame.trans (.of_vec (g.mono (by decide)) v), h.whole, h.le, m.trans h.memory, (lane 17).trans h.counter, (lane 20).trans h.hash,
    (g.gpr _ (by decide)).trans h.key⟩

/-- The registers and the memory hold what they should. -/
theorem Sealed.env (h : Sealed k s₀ d s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- **Eight blocks are sealed.** -/
theorem group_ok (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Sealed k s₀) k.data k.len d s) (hd : d + 128 ≤ k.len) : isa.Wp pub group (fun s' =>
      Sealed k s₀ (d + 128) s' ∧ s'.gpr .x3 = s.gpr .x3 ∧ s'.gpr .x4 = s.gpr .x4) s := by
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
  refine (hash_ok (k := 7) env₂ (consts.of_frame f) (by decide) hash_checked ((f.gpr .x3).trans h.next)
    (by rw [memory]; exact r.pre.reads.part d hd)).mono fun s₃ ⟨f₃, m₃, h₃⟩ =>
      again_ok.mono fun s₄ ⟨f₄, m₄, x₄⟩ => ?_
  refine ⟨⟨?_, by omega, hd, ?_, ?_, ?_, ?_⟩, ?_, ?_⟩
  · exact hs.frame.trans ((f.mono (by decide) (by decide)).trans ((f₃.mono (List.nil_subset _) (by decide)).trans
      (f₄.mono (by decide) (by decide))))
  · exact m₄.trans (m₃.trans memory)
  · rw [f₄.lane 17, f₃.lane 17, counter]
  · have blocks := k.text.blocksAt_done (d := d + 128) (k := d / 16) (n := 8) (by omega) (by omega)
    rw [show 16 * (d / 16) = d by omega, data] at blocks
    rw [f₄.lane 20, h₃, f.lane 20, hs.hash, memory, Memory.bytes_set, blocks, show (d + 128) / 16 = d / 16 + 8 by omega, List.range_add,
      List.map_append, List.map_map]
    exact (ghash_append ..).symm
  · exact x₄.trans ((f₃.gpr .x9).trans env₂.key)
  · exact (f₄.gpr .x3).trans ((f₃.gpr .x3).trans (f.gpr .x3))
  · exact (f₄.gpr .x4).trans ((f₃.gpr .x4).trans (f.gpr .x4))

end
end Proof.AesGcm.Seal.AArch64
