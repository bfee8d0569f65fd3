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
variable {pub : List Region} {s₀ s : State} {p d : Addr} {n i j k : Nat} (h : Pre s₀.memory p d n)

attribute [local irreducible] State.setReg State.setXmm State.setFlags State.setMemory

omit h in
/-- Comparing what is left with `k`. -/
theorem cmp_ok (hs : At s₀ p d n i j s) (hn : n < 2 ^ 64) (hk : k < 2 ^ 31) :
    isa.Wp pub (.block [.alu .cmp .r9 (imm k)])
      (fun s => At s₀ p d n i j s ∧ s.flag .cf = some (decide (n - i < k))) s := by
  refine .cons rfl (.nil ?_)
  rw [src_imm hk, alu_cmp]
  refine ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_⟩
  reads
  rw [subFlags, hs.left, ult_ofNat (by omega) (by omega)]

omit h in
/-- Comparing what is left with nothing: the test before the last move. -/
theorem setupLast_ok (hs : At s₀ p d n i j s) (hn : n < 2 ^ 64) :
    isa.Wp pub (.block [.alu .test .r9 (.reg .r9)])
      (fun s => At s₀ p d n i j s ∧ s.flag .zf = some (decide (n - i = 0))) s := by
  refine .cons rfl (.nil ?_)
  rw [alu_test]
  refine ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_⟩
  reads
  simp only [logicFlags, State.src, hs.left, BitVec.and_self]
  exact congrArg some (ofNat_beq_zero (by omega))

omit h in
/-- Going forward by the `k` bytes that were copied; ZF says whether any are left. -/
theorem step_ok (hs : At s₀ p d n i (i + k) s) (hn : n < 2 ^ 64) (hi : i + k ≤ n) (hk : k < 2 ^ 31) :
    isa.Wp pub (.block (step k))
      (fun s => At s₀ p d n (i + k) (i + k) s ∧ s.flag .zf = some (decide (n - (i + k) = 0))) s := by
  refine .cons rfl (.cons rfl (.cons rfl (.nil ?_)))
  simp only [src_imm hk, alu_add, alu_sub]
  refine ⟨⟨kept hs.keeps, hi, ?_, ?_, ?_, get hs.memory⟩, ?_⟩
  · reads; rw [hs.src, add_ofNat_add]
  · reads; rw [hs.left, ofNat_sub_ofNat hi]
  · reads; rw [hs.dst, add_ofNat_add]
  · reads
    simp only [subFlags, hs.left, ofNat_sub_ofNat hi]
    exact congrArg some (ofNat_beq_zero (by omega))

include h in
/-- A copying loop behind its guard: fewer than `k` bytes are left. -/
theorem blocks_ok {moves : List Instr} (hk : k < 2 ^ 31) (pos : 0 < k)
    (hm : ∀ {i s}, At s₀ p d n i i s → i + k ≤ n → isa.Wp pub (.block moves) (At s₀ p d n i (i + k)) s)
    (hs : At s₀ p d n i i s) :
    isa.Wp pub (blocks k moves) (fun s => ∃ j, n - j < k ∧ At s₀ p d n j j s) s := by
  refine .seq ((cmp_ok hs h.bound hk).mono fun s ⟨hs, hc⟩ => ?_)
  refine .skipIf hc (fun hv => ⟨i, by simpa using hv, hs⟩) (fun hv => ?_)
  simp only [decide_eq_false_iff_not, Nat.not_lt] at hv
  refine .loop (k := n - i) (fun m s => ∃ i, m = n - i ∧ k ≤ n - i ∧ At s₀ p d n i i s) ?_ ⟨i, rfl, hv, hs⟩
  rintro _ s ⟨i, rfl, hi, hs⟩
  refine .append (.append ((hm hs (by omega)).mono fun s hs => ?_))
  refine (step_ok hs h.bound (by omega) hk).mono fun s ⟨hs, _⟩ => ?_
  refine (cmp_ok hs h.bound hk).mono fun s ⟨hs, hc⟩ => ?_
  refine ⟨_, congrArg (Option.map not) hc, fun hv => ?_, fun hv => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not, Nat.not_lt] at hv
    exact ⟨_, by omega, _, rfl, hv, hs⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
    exact ⟨_, hv, hs⟩

/-- All bytes are copied, and the destination register and what is left add up to the end of the destination. -/
def Done (s₀ : State) (p d : Addr) (n : Nat) (s : State) : Prop := ∃ i, At s₀ p d n i n s

omit h in
/-- The invariant holds at the start. -/
theorem At.start (hp : s₀.gpr .r8 = p) (hn : s₀.gpr .r9 = BitVec.ofNat 64 n) (hd : s₀.gpr .rdx = d) :
    At s₀ p d n 0 0 s₀ :=
  ⟨.refl _ _, Nat.zero_le _, by simp [hp], by simp [hn], by simp [hd], by simp [copied, Memory.set]⟩

/-- The slice is copied, nothing else has changed, and `rdx` is the end of the destination. -/
structure Post (s₀ : State) (p d : Addr) (n : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  dst : s.gpr .rdx = d + BitVec.ofNat 64 n
  memory : s.memory = s₀.memory.set (copied s₀.memory p d n)

omit h in
/-- The end of the fragment. -/
theorem finish_ok (hs : Done s₀ p d n s) : isa.Wp pub (.block [.alu .add .rdx (.reg .r9)]) (Post s₀ p d n) s := by
  obtain ⟨i, hs⟩ := hs
  refine .cons rfl (.nil ?_)
  have le := hs.le
  simp only [alu_add, State.src]
  refine ⟨kept hs.keeps, ?_, get hs.memory⟩
  reads
  rw [hs.dst, hs.left, add_ofNat_add, show i + (n - i) = n by omega]

omit h in
/-- A slice of which nothing is left. -/
theorem done_of_left (hs : At s₀ p d n i i s) (hi : n - i = 0) : Done s₀ p d n s := by
  have : i = n := by have := hs.le; omega
  exact ⟨i, this ▸ hs⟩

include h

/-- A slice of at least 16 bytes. -/
theorem long_ok (hs : At s₀ p d n 0 0 s) (hn : 16 ≤ n) : isa.Wp pub long (Done s₀ p d n) s := by
  refine .seq ((blocks_ok h (by decide) (by decide) (moves64_ok h) hs).mono fun s ⟨i, _, hs⟩ => ?_)
  refine .seq ((blocks_ok h (by decide) (by decide) (moves16_ok h) hs).mono fun s ⟨i, hi, hs⟩ => ?_)
  refine .seq ((setupLast_ok hs h.bound).mono fun s ⟨hs, hz⟩ => ?_)
  refine .skipIf hz (fun hv => done_of_left hs (by simpa using hv)) (fun hv => ?_)
  exact (copyLast_ok h hs hi hn).mono fun s hs => ⟨i, hs⟩

/-- A slice of fewer than 4 bytes. -/
theorem bytewise_ok (hs : At s₀ p d n 0 0 s) : isa.Wp pub bytewise (Done s₀ p d n) s := by
  refine .seq ((setupLast_ok hs h.bound).mono fun s ⟨hs, hz⟩ => ?_)
  refine .skipIf hz (fun hv => done_of_left hs (by simpa using hv)) (fun hv => ?_)
  simp only [decide_eq_false_iff_not] at hv
  refine .loop (k := n) (fun m s => ∃ i, m = n - i ∧ 0 < n - i ∧ At s₀ p d n i i s) ?_ ⟨0, rfl, by omega, hs⟩
  rintro _ s ⟨i, rfl, hi, hs⟩
  refine .append ((moveByte_ok h hs (by omega)).mono fun s hs => ?_)
  refine (step_ok hs h.bound (by omega) (by decide)).mono fun s ⟨hs, hz⟩ => ?_
  refine ⟨_, congrArg (Option.map not) hz, fun hv => ?_, fun hv => ?_⟩
  · simp only [Bool.not_eq_true', decide_eq_false_iff_not] at hv
    exact ⟨_, by omega, _, rfl, by omega, hs⟩
  · simp only [Bool.not_eq_false', decide_eq_true_eq] at hv
    exact done_of_left hs hv

/-- A slice of fewer than 16 bytes. -/
theorem short_ok (hs : At s₀ p d n 0 0 s) (hn : n < 16) : isa.Wp pub short (Done s₀ p d n) s := by
  refine .seq ((cmp_ok hs h.bound (by decide)).mono fun s ⟨hs, hc⟩ => ?_)
  refine .ite hc (fun hv => ?_) (fun hv => ?_)
  · simp only [decide_eq_true_eq] at hv
    refine .seq ((cmp_ok hs h.bound (by decide)).mono fun s ⟨hs, hc⟩ => ?_)
    refine .ite hc (fun _ => bytewise_ok h hs) (fun hw => ?_)
    simp only [decide_eq_false_iff_not] at hw
    exact (copyEnds_ok h hs (by simp only [Width.bytes]; omega) (by simp only [Width.bytes]; omega)).mono fun s hs => ⟨0, hs⟩
  · simp only [decide_eq_false_iff_not] at hv
    exact (copyEnds_ok h hs (by simp only [Width.bytes]; omega) (by simp only [Width.bytes]; omega)).mono fun s hs => ⟨0, hs⟩

/-- The fragment copies the slice, changes nothing else, and leaves the end of the destination in `rdx`. -/
theorem copySlice_ok (hp : s₀.gpr .r8 = p) (hn : s₀.gpr .r9 = BitVec.ofNat 64 n) (hd : s₀.gpr .rdx = d) :
    isa.Wp pub code (Post s₀ p d n) s₀ := by
  refine .seq ((cmp_ok (At.start hp hn hd) h.bound (by decide)).mono fun s ⟨hs, hc⟩ => .seq ?_)
  refine (Isa.Wp.ite (Q := Done s₀ p d n) hc (fun hv => ?_) (fun hv => ?_)).mono fun s hs => finish_ok hs
  · exact short_ok h hs (by simpa using hv)
  · exact long_ok h hs (by simpa using hv)

end
end Proof.CopySlice.X86_64
