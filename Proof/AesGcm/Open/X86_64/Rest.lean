import Impl.AesGcm.Open.X86_64
import Proof.AesGcm.Open.Ending
import Proof.AesGcm.X86_64.Lengths

/-!
# Hashing what is left after groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Proof.Gf2
open Proof.AesGcm.Message hiding stream Fixed fixedOf shl_three counter_add word_add key_text
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- The registers that hashing leaves as they are: the keystream, and what else is needed later. -/
def untouched : List Nat := [0, 1, 2, 3, 4, 5, 6, 7, 9, 13]

/-- The next block, and its power. -/
def nextLayout : Layout := { areas := [{ len := 16 }, { len := 16 }], ptrs := [(1, 0, 0), (7, 1, 0)] }

/-- The block is in the sums, and `rdi` is at the next power. -/
def nextOutcome : Outcome VecUn VecBin :=
  { vec := nextE (reverseE (.load 0 0)) (.load 1 0) ++ untouched.map keepE, gpr := [(7, .ptr 1 16)] }

@[inherit_doc hash_checked]
theorem next_checked : machine.check nextLayout (.vmovdquLoad .xmm 15 (at_ .rcx) :: hashNext ++ [.alu .add .rdi (imm 16)]) nextOutcome =
    true := by decide +kernel

/-- The power of the last block. -/
def lastLayout : Layout := { areas := [{ len := 16 }], ptrs := [(7, 0, 0)] }

/-- The last block is in the sums. -/
def lastOutcome : Outcome VecUn VecBin := { vec := nextE (reverseE (.reg 15 0)) (.load 0 0) ++ untouched.map keepE }

@[inherit_doc hash_checked]
theorem last_checked : machine.check lastLayout hashNext lastOutcome = true := by decide +kernel

/-- The first `k` of `n` bytes are in the sums, which are whole blocks. -/
structure Left (c : Fixed) (s₀ : State) (n : Nat) (y : Spec.Ghash.Block) (xs : List Spec.Ghash.Block) (k : Nat) (s : State) : Prop where
  frame : Frame [.rdi, .rcx, .r8] untouched s₀ s
  memory : s.memory = s₀.memory
  whole : k % 16 = 0
  sums : Summed (tableAt s₀.memory.bytes c.ctx) y xs (k / 16) s
  powers : s.gpr .rdi = c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16))

section
variable {c : Fixed} {s₀ s : State} {p : Addr} {pub : List Region} {n k : Nat} {y z : Spec.Ghash.Block} {xs : List Spec.Ghash.Block}

/-- Counting changes nothing. -/
theorem Left.stable (k : Nat) : Stable [.rcx, .r8] (Left c s₀ n y xs k) := fun s s' h g m v =>
  have f : Frame [.rcx, .r8] (List.range 16) s s' := .of_vec g v
  ⟨h.frame.trans (f.mono (by decide) (by decide)), m.trans h.memory, h.whole, h.sums.of_frame f, (g.gpr _ (by decide)).trans h.powers⟩

/-- **The next whole block.** -/
theorem hashNext_ok (e : Env c s₀) (mask : view.lane s₀ 9 0 = Gf2.X86_64.reverseMask) (hn : n < 128)
    (reads : Within s₀.memory.readable ⟨p, n⟩) (h : At (Left c s₀ n y (paddedAt s₀.memory.bytes p n ++ [z])) p n k s) (hk : k + 16 ≤ n) :
    isa.Wp pub (.block (.vmovdquLoad .xmm 15 (at_ .rcx) :: hashNext ++ [.alu .add .rdi (imm 16)])) (fun s' =>
      Left c s₀ n y (paddedAt s₀.memory.bytes p n ++ [z]) (k + 16) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
  have hh := h.holds
  have whole := hh.whole
  have m := hh.memory
  have holds : nextLayout.Holds view
      (fun | 0 => p + BitVec.ofNat 64 k | _ => c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16))) s := {
    ptrs := fun q hq => by
      simp only [nextLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact h.next.trans (BitVec.add_zero _).symm
      · exact hh.powers.trans (BitVec.add_zero _).symm
    small := ⟨by decide, by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, m]; exact reads.part _ hk, fun _ => by simp only [view, m]; exact e.readsKey.part _ (by omega), trivial⟩
    writes := ⟨nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp nextOutcome holds next_checked fun s' o => ?_
  have f : Frame [.rdi] untouched s s' := .of_ends o (by decide +kernel)
  refine ⟨⟨hh.frame.trans (f.mono (by decide) fun _ h => h), Eq.trans o.memory m, by omega, ?_, ?_⟩, f.gpr .rcx, f.gpr .r8⟩
  · rw [show (k + 16) / 16 = k / 16 + 1 by omega]
    refine hh.sums.next o (xE := reverseE (.load 0 0)) (pE := .load 1 0) (fun r hr => ?_) ?_ (padded_whole (i := k / 16) (by omega)) ?_
    · simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      rcases hr with rfl | rfl | rfl | rfl <;> rfl
    · show VecBin.pshufb.eval (Spec.AesGcm.Context.word s.memory.bytes (p + BitVec.ofNat 64 k) 0) (view.lane s 9 0) = _
      rw [hh.frame.lane 9, mask, Gf2.X86_64.pshufb_reverseMask, m, show 16 * (k / 16) = k by omega]
    · show Spec.AesGcm.Context.word s.memory.bytes (c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16))) 0 = _
      rw [m, word_power (by omega) (by omega), List.length_append, length_paddedAt, List.length_singleton, Nat.add_sub_cancel]
  · have := o.gpr (r := 7) (by decide)
    rw [show find 7 nextOutcome.gpr = some (.ptr 1 16) from rfl] at this
    have : s'.gpr .rdi = c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16)) + BitVec.ofNat 64 16 := this
    rw [this, BitVec.add_assoc, ← BitVec.ofNat_add, Nat.add_assoc, show (k + 16) / 16 = k / 16 + 1 by omega]
    rfl

/-- **What is left is in the sums.** -/
theorem hashRest_ok (e : Env c s) (mask : view.lane s 9 0 = Gf2.X86_64.reverseMask) (hn : n < 128) (next : s.gpr .rcx = p)
    (left : s.gpr .r8 = BitVec.ofNat 64 n) (reads : Within s.memory.readable ⟨p, n⟩)
    (powers : s.gpr .rdi = c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16)))
    (sums : Summed (tableAt s.memory.bytes c.ctx) y (paddedAt s.memory.bytes p n ++ [z]) 0 s) : isa.Wp pub hashRest (fun s' =>
      Frame [.rax, .r11, .rdi, .rcx, .r8] untouched s s' ∧ s'.memory = s.memory ∧
      Summed (tableAt s.memory.bytes c.ctx) y (paddedAt s.memory.bytes p n ++ [z]) (paddedAt s.memory.bytes p n).length s') s := by
  have start : At (Left c s n y (paddedAt s.memory.bytes p n ++ [z])) p n 0 s :=
    ⟨⟨.refl _ _ s, rfl, rfl, sums, powers⟩, Nat.zero_le _, by rw [next, BitVec.add_zero], left⟩
  refine .seq ((runs_ok (n := 16) Left.stable (by omega) (by decide) start fun h hk => hashNext_ok e mask hn reads h hk).mono
    fun s₁ ⟨k, h₁, _, few⟩ => .seq ?_)
  have le := h₁.le
  have whole := h₁.holds.whole
  refine (test_ok (P := Left c s n y _ k) (fun _ _ h g m v => Left.stable _ h (g.mono (List.nil_subset _)) m v)
    (by omega) h₁.holds h₁.left).mono fun s₂ ⟨h₂, f₂, m₂, z₂⟩ => .skipIf z₂ (fun done => ?_) fun more => ?_
  · have done := of_decide_eq_true done
    refine ⟨h₂.frame.mono (by decide) fun _ h => h, h₂.memory, ?_⟩
    have sums := h₂.sums
    rwa [show k / 16 = (paddedAt s.memory.bytes p n).length by rw [length_paddedAt]; omega] at sums
  have more := of_decide_eq_false more
  have e₂ : Env c s₂ := e.same h₂.frame.keeps h₂.memory
  refine .seq ((Proof.Partial.X86_64.load_ok (a := p + BitVec.ofNat 64 k) (k := n - k) (by decide) (by decide) (by decide)
    ((f₂.gpr .rcx).trans h₁.next) ((f₂.gpr .r8).trans h₁.left) (by omega) (by omega)
    (by rw [h₂.memory]; exact reads.part k (by omega)) e₂.slide).mono fun s₃ l₃ => ?_)
  have f₃ : Frame [.rax, .r11] [0, 1, 2, 3, 4, 5, 6, 7, 9, 13, 8, 10, 11, 14] s₂ s₃ := .of_loaded l₃ (by decide)
  have m₃ : s₃.memory = s.memory := l₃.memory.trans h₂.memory
  have holds : lastLayout.Holds view (fun _ => c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16))) s₃ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact ((f₃.gpr .rdi).trans h₂.powers).trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, m₃]; exact e.readsKey.part _ (by omega), trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp lastOutcome holds last_checked fun s₄ o => ?_
  have f₄ : Frame [] untouched s₃ s₄ := .of_ends o (by decide +kernel)
  refine ⟨(h₂.frame.mono (by decide) fun _ h => h).trans ((f₃.mono (by decide) (by decide)).trans (f₄.mono (List.nil_subset _) fun _ h => h)),
    Eq.trans o.memory m₃, ?_⟩
  rw [show (paddedAt s.memory.bytes p n).length = k / 16 + 1 by rw [length_paddedAt]; omega]
  refine (h₂.sums.of_frame f₃).next o (xE := reverseE (.reg 15 0)) (pE := .load 0 0)
    (x := partialBlock (bytesAt s.memory.bytes (p + BitVec.ofNat 64 k) (n - k))) (fun r hr => ?_) ?_ ?_ ?_
  · simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
    rcases hr with rfl | rfl | rfl | rfl <;> rfl
  · show VecBin.pshufb.eval (view.lane s₃ 15 0) (view.lane s₃ 9 0) = _
    rw [f₃.lane 9, h₂.frame.lane 9, mask, Gf2.X86_64.pshufb_reverseMask, show view.lane s₃ 15 0 = _ from l₃.lane, h₂.memory, partialBlock]
  · have last := padded_last (m := s.memory.bytes) (p := p) (n := n) (z := z) (by omega)
    rw [show n / 16 = k / 16 by omega, show 16 * (k / 16) = k by omega, show n % 16 = n - k by omega] at last
    exact last
  · show Spec.AesGcm.Context.word s₃.memory.bytes (c.ctx + BitVec.ofNat 64 (496 - 16 * ((n + 15) / 16) + 16 * (k / 16))) 0 = _
    rw [m₃, word_power (by omega) (by omega), List.length_append, length_paddedAt, List.length_singleton, Nat.add_sub_cancel]

end
end Proof.AesGcm.Open.X86_64
