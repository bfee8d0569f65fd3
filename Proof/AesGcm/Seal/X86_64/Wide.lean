import Impl.AesGcm.Seal.X86_64.Wide
import Proof.AesGcm.Seal.X86_64
import Proof.AesGcm.Seal.X86_64.Wide.Groups

/-!
# Sealing a message on x86-64 with VAES, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Seal.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.AesGcm.X86_64.Wide Spec.AesGcm.Seal
open Proof.GhashBlocks.X86_64 (same_lane)

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d : Nat}

/-- **What is sealed last is hashed**, and the registers are as other code wants them. -/
theorem after_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Lag k s₀) k.data k.len d s) : isa.Wp pub (.block (Wide.hash 256)) (isa.Wp pub (.block Wide.restore)
      (isa.Wp pub (.block [.vzeroupper]) (At (Sealed k s₀) k.data k.len d))) s := by
  have hs := h.holds
  have some := hs.some
  have le := hs.le
  have env := hs.env r e m
  have next : s.gpr .rcx = k.data + BitVec.ofNat 64 (d - 256 + 256) := by rw [Nat.sub_add_cancel some]; exact h.next
  have key : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * 0) := hs.key.trans (BitVec.add_zero _).symm
  refine machine.wp hashOutcome (layout_holds (d := d - 256) (o := 256) (j := 0) r env false hs.memory key (by decide) next (by omega))
    hash_checked fun s₁ o₁ => ?_
  have k₁ : Keeps [] s s₁ := Aes.X86_64.keeps_of_ends o₁ [] rfl
  have m₁ : s₁.memory = s.memory := o₁.memory
  refine (restore_ok r (env.same k₁ m₁) (m₁.trans hs.memory) ((k₁.gpr _ (by decide)).trans hs.key)
    ((k₁.gpr _ (by decide)).trans h.next) le).mono fun _ w => w.mono fun s₂ ⟨c₂, k₂, m₂, l₂⟩ => ?_
  have all : Keeps [] s s₂ := k₁.trans k₂
  refine ⟨{
    frame := ⟨hs.keeps.trans (all.mono (List.nil_subset _)), fun r hr => ?_⟩
    whole := hs.whole
    le := le
    memory := m₂.trans (m₁.trans hs.memory)
    counter := by rw [l₂ 8 (by decide), same_lane o₁ rfl, hs.counters 0 (by decide), Nat.add_zero]
    hash := by
      rw [l₂ 11 (by decide), o₁.vec (r := 11) rfl 0]
      exact hash_at r hs.whole some le hs.memory hs.hash hs.zero
    key := (all.gpr _ (by decide)).trans hs.key }, le, (all.gpr _ (by decide)).trans h.next, (all.gpr _ (by decide)).trans h.left⟩
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
  rcases hr with rfl | rfl | rfl
  · exact c₂.mask.trans hc.mask.symm
  · exact c₂.one.trans hc.one.symm
  · rw [l₂ 13 (by decide), same_lane o₁ rfl, hs.mask]

/-- **Groups of sixteen blocks.** -/
theorem groups_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Sealed k s₀) k.data k.len 0 s) : isa.Wp pub Wide.encrypted (fun s' => ∃ d, At (Sealed k s₀) k.data k.len d s') s := by
  have stable : Stable [] (At (Sealed k s₀) k.data k.len 0) := fun s s' h g m v =>
    ⟨Sealed.stable _ h.holds (g.mono (List.nil_subset _)) m v, h.le, (g.gpr _ (by decide)).trans h.next, (g.gpr _ (by decide)).trans h.left⟩
  refine .seq ((compare_ok stable (k.value 6).isLt (by decide) h (h.left.trans (by rw [Nat.sub_zero]; rfl))).mono fun s₁ ⟨h₁, _, _, c₁, _⟩ => ?_)
  refine .skipIf c₁ (fun _ => ⟨0, h₁⟩) fun c => .seq ?_
  have some : 256 ≤ k.len := Nat.not_lt.1 (of_decide_eq_false c)
  refine (first_ok r e m h₁ some fun s₂ l₂ x₂ y₂ => .seq ?_).mono fun _ w => .seq (w.mono fun _ w => .seq (w.mono fun _ w => .seq
    (w.mono fun _ w => .seq w)))
  refine (past_ok l₂ some (x₂.trans (h₁.next.trans (BitVec.add_zero _))) (y₂.trans (h₁.left.trans (by rw [Nat.sub_zero])))).mono fun s₃ h₃ => .seq ?_
  refine (runs_ok (n := 256) Lag.stable (k.value 6).isLt (by decide) h₃ fun h hd => group_ok r e m h hd).mono fun s₄ ⟨d, h₄, _⟩ => .seq ?_
  exact (after_ok r e hc m h₄).mono fun _ w => .seq (w.mono fun _ w => w.mono fun _ h => ⟨d, h⟩)

end

/-- What the kernel has on entry. -/
theorem ready_of {s : State} (h : target.Pre contract Wide.table s) (r : X86_64.Ready (callOf target s) s.memory.constants) :
    Wide.Ready (callOf target s) s.memory.constants :=
  have ⟨all, reads, apart⟩ := constants_of (n := 224) h (buffers_of target s) 4 rfl (by decide) (by decide +kernel)
    (show Wide.table.take 224 = Wide.table by decide +kernel)
  { r with all := all, readsAll := reads, apartAll := apart }

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract Wide.table s) :
    isa.Wp (target.publicRegions contract Wide.table s) Impl.AesGcm.Seal.X86_64.Wide.code (target.Post contract s) s :=
  sealing_ok s h (by decide +kernel) fun r _ _ e c m h₀ => .seq ((groups_ok (ready_of h r) e c m h₀).mono fun _ ⟨_, h₁⟩ =>
    (runs_ok (n := 128) Sealed.stable ((callOf target s).value 6).isLt (by decide) h₁ fun h hd => X86_64.group_ok r e c m h hd).mono
      fun _ ⟨d, h, _, few⟩ => ⟨d, h, few⟩)

/-- The kernel meets its contract. -/
theorem verified : Verified target Impl.AesGcm.Seal.X86_64.Wide.program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness (by decide +kernel) (by decide +kernel))

end Proof.AesGcm.Seal.X86_64.Wide
