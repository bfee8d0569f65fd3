import Proof.CopySlice.Count
import Proof.CopySlice.X86_64.Moves

/-!
# Copying one slice, on x86-64: the fragment

Total correctness and memory safety for every length. The result is stated for any place in a kernel, so that kernels
that gather their input use the fragment as it is.
-/

set_option autoImplicit false
namespace Proof.CopySlice.X86_64
open TCB TCB.X86_64 Impl.X86_64 Impl.CopySlice.X86_64

section
variable {pub : List Region} {s₀ s : State} {p d : Addr} {n : Nat} (h : Pre s₀.memory p d n)

attribute [local irreducible] State.setReg State.setXmm State.setFlags State.setMemory

include h in
/-- Counting in `r9` is right. -/
theorem counts : Counts isa pub counter n (At s₀ p d n) where
  le := At.le
  compare_ok {i j k s} hs hk := by
    have bound := h.bound
    refine .cons rfl (.nil ?_)
    rw [src_imm (by omega), alu_cmp]
    refine ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_⟩
    simp only [counter, isa, eval]
    reads
    rw [subFlags, hs.left, ult_ofNat (by omega) (by omega)]
    exact ⟨rfl, rfl⟩
  setupLast_ok {i j s} hs := by
    have bound := h.bound
    refine .cons rfl (.nil ?_)
    rw [alu_test]
    refine ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_⟩
    simp only [counter, isa, eval]
    reads
    simp only [logicFlags, State.src, hs.left, BitVec.and_self]
    exact congrArg some (ofNat_beq_zero (by omega))
  step_ok {i k s} hs hi hk := by
    have bound := h.bound
    have hk : k < 2 ^ 31 := by omega
    refine .cons rfl (.cons rfl (.cons rfl (.nil ?_)))
    simp only [src_imm hk, alu_add, alu_sub]
    refine ⟨⟨kept hs.keeps, hi, ?_, ?_, ?_, get hs.memory⟩, ?_⟩
    · reads; rw [hs.src, add_ofNat_add]
    · reads; rw [hs.left, ofNat_sub_ofNat hi]
    · reads; rw [hs.dst, add_ofNat_add]
    · simp only [counter, isa, eval]
      reads
      simp only [subFlags, hs.left, ofNat_sub_ofNat hi]
      exact congrArg (some ∘ not) (ofNat_beq_zero (by omega))

/-- The invariant holds at the start. -/
theorem At.start (hp : s₀.gpr .r8 = p) (hn : s₀.gpr .r9 = BitVec.ofNat 64 n) (hd : s₀.gpr .rdx = d) :
    At s₀ p d n 0 0 s₀ :=
  ⟨.refl _ _, Nat.zero_le _, by simp [hp], by simp [hn], by simp [hd], by simp [copied, Memory.set]⟩

/-- The slice is copied, nothing else has changed, and `rdx` is the end of the destination. -/
structure Post (s₀ : State) (p d : Addr) (n : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  dst : s.gpr .rdx = d + BitVec.ofNat 64 n
  memory : s.memory = s₀.memory.set (copied s₀.memory p d n)

/-- The end of the fragment. -/
theorem finish_ok (hs : ∃ i, At s₀ p d n i n s) : isa.Wp pub (.block [.alu .add .rdx (.reg .r9)]) (Post s₀ p d n) s := by
  obtain ⟨i, hs⟩ := hs
  refine .cons rfl (.nil ?_)
  have le := hs.le
  simp only [alu_add, State.src]
  refine ⟨kept hs.keeps, ?_, get hs.memory⟩
  reads
  rw [hs.dst, hs.left, add_ofNat_add, show i + (n - i) = n by omega]

include h

/-- A slice of fewer than 16 bytes. -/
theorem short_ok (hs : At s₀ p d n 0 0 s) (hn : n < 16) : isa.Wp pub short (fun s => ∃ i, At s₀ p d n i n s) s :=
  (counts h).short_ok (moveByte_ok h) (copyEnds_ok h .dword) (copyEnds_ok h .qword) hs hn

/-- The fragment copies the slice, changes nothing else, and leaves the end of the destination in `rdx`. -/
theorem copySlice_ok (hp : s₀.gpr .r8 = p) (hn : s₀.gpr .r9 = BitVec.ofNat 64 n) (hd : s₀.gpr .rdx = d) :
    isa.Wp pub code (Post s₀ p d n) s₀ := by
  have c := counts (pub := pub) h
  refine .seq ((c.compare_ok (At.start hp hn hd) (by decide)).mono fun s ⟨hs, hc, _⟩ => .seq ?_)
  refine (Isa.Wp.ite (Q := fun s => ∃ i, At s₀ p d n i n s) hc (fun hv => ?_) (fun hv => ?_)).mono fun s hs => finish_ok hs
  · exact short_ok h hs (by simpa using hv)
  · have hn : 16 ≤ n := by simpa using hv
    exact c.long_ok (by decide) (by decide) (by decide) (by decide) (moves64_ok h) (moves16_ok h) (copyLast_ok h hn) hs

end
end Proof.CopySlice.X86_64
