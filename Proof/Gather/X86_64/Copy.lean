import Impl.Gather.X86_64
import Proof.CopySlice.X86_64.Copy
import Proof.Gather.Mem
import Proof.Gather.Walk

/-!
# Gathering on x86-64: total correctness
-/

set_option autoImplicit false
namespace Proof.Gather.X86_64
open TCB TCB.X86_64 Impl.X86_64 Impl.Gather.X86_64

/-- The registers that the kernel may change. -/
def clobbered : List Reg := [.rax, .rdx, .rsi, .rdi, .r8, .r9, .r10]

/-- The invariant: the list stands at slice `k`, and the first `j` slices are copied. -/
structure At (s₀ : State) (src dst : Addr) (count k j : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  list : s.gpr .rdi = src + BitVec.ofNat 64 (16 * k)
  left : s.gpr .rsi = BitVec.ofNat 64 (count - k)
  room : s.gpr .rdx = dst + BitVec.ofNat 64 (pos s₀.memory src j)
  memory : s.memory = s₀.memory.set (after s₀.memory src dst j)

section
variable {pub : List Region} {s₀ s : State} {src dst : Addr} {count len k : Nat} (h : Pre s₀.memory src dst count len)
  (hp : ⟨src, 16 * count⟩ ∈ pub)

attribute [local irreducible] State.setReg State.setXmm State.setFlags State.setMemory

include h hp in
/-- Reading the next slice from the list. -/
theorem next_ok (hs : At s₀ src dst count k k s) (hk : k < count) :
    isa.Wp pub (.publicBlock next) (fun s => At s₀ src dst count k k s ∧
      s.gpr .r8 = (sliceAt s₀.memory.bytes src k).base ∧
      s.gpr .r9 = BitVec.ofNat 64 (sliceAt s₀.memory.bytes src k).len) s := by
  have bound := h.countBound
  have isPublic : ∀ {j}, j + 8 ≤ 16 * count → covered pub (src + BitVec.ofNat 64 j) 8 = true := fun {j} hj =>
    covered_of_mem hp (by rw [offset_add _ (by omega)]; exact hj)
  refine wp_publicLoad (w := .qword) (p := src + BitVec.ofNat 64 (16 * k)) (ea_at hs.list (by decide) rfl) hs.memory
    (h.canReadList (j := 16 * k) (n := 8) (by omega) (by decide)) (isPublic (by omega))
    (h.readList (j := 16 * k) (n := 8) (by omega) (by omega)) ?_
  refine wp_publicLoad (w := .qword) (p := src + BitVec.ofNat 64 (16 * k + 8)) (ea_at (get hs.list) (by decide) rfl)
    (get hs.memory) (h.canReadList (j := 16 * k + 8) (n := 8) (by omega) (by decide)) (isPublic (by omega))
    (h.readList (j := 16 * k + 8) (n := 8) (by omega) (by omega)) ?_
  refine .publicNil ⟨⟨kept hs.keeps, get hs.list, get hs.left, get hs.room, get hs.memory⟩, ?_, ?_⟩
  · reads; rfl
  · reads; exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm

/-- A fragment that copies one slice. -/
def CopiesSlice (copySlice : Kernel) : Prop := ∀ {pub : List Region} {s₀ : State} {p d : Addr} {n : Nat},
  CopySlice.Pre s₀.memory p d n → s₀.gpr .r8 = p → s₀.gpr .r9 = BitVec.ofNat 64 n → s₀.gpr .rdx = d →
  isa.Wp pub copySlice (CopySlice.X86_64.Post s₀ p d n) s₀

include h in
/-- Copying a slice. -/
theorem slice_ok {copySlice : Kernel} (copies : CopiesSlice copySlice) (hs : At s₀ src dst count k k s) (hk : k < count)
    (h8 : s.gpr .r8 = (sliceAt s₀.memory.bytes src k).base)
    (h9 : s.gpr .r9 = BitVec.ofNat 64 (sliceAt s₀.memory.bytes src k).len) :
    isa.Wp pub copySlice (At s₀ src dst count k (k + 1)) s := by
  have hc := h.copySlice hk
  rw [← hs.memory] at hc
  refine (copies hc h8 h9 hs.room).mono fun s' ⟨keeps, hd, hm⟩ => ?_
  refine ⟨hs.keeps.trans (keeps.mono (by decide)), (keeps.gpr _ (by decide)).trans hs.list,
    (keeps.gpr _ (by decide)).trans hs.left, ?_, ?_⟩
  · rw [hd, pos_succ, add_ofNat_add]
  · rw [hm, hs.memory, h.copied_eq hk, Memory.set_set]

/-- Counting a slice. -/
theorem advance_ok (hs : At s₀ src dst count k (k + 1) s) (hk : k < count) (hc : count < 2 ^ 64) :
    isa.Wp pub (.block advance) (fun s => At s₀ src dst count (k + 1) (k + 1) s ∧
      isa.eval .ne s = some (!decide (count - (k + 1) = 0))) s := by
  have left := ofNat_sub_ofNat (show k + 1 ≤ count from hk)
  refine .cons rfl (.cons rfl (.nil ?_))
  simp only [src_imm (show 16 < 2 ^ 31 by decide), src_imm (show 1 < 2 ^ 31 by decide), alu_add, alu_sub]
  refine ⟨⟨kept hs.keeps, ?_, ?_, get hs.room, get hs.memory⟩, ?_⟩
  · reads; rw [hs.list, add_ofNat_add, Nat.mul_succ]
  · reads; rw [hs.left, left]
  · simp only [isa, eval]
    reads
    simp only [subFlags, hs.left, left]
    exact congrArg (some ∘ not) (ofNat_beq_zero (by omega))

include h hp in
/-- The kernel copies all slices. -/
theorem copy_ok {copySlice : Kernel} {clear : List Instr} (copies : CopiesSlice copySlice)
    (clears : ∀ {s}, isa.Wp pub (.block clear) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory) s)
    (hsrc : s₀.gpr .rdi = src) (hcount : s₀.gpr .rsi = BitVec.ofNat 64 count) (hdst : s₀.gpr .rdx = dst) :
    isa.Wp pub (code copySlice clear) (fun s => Keeps clobbered s₀ s ∧ s.memory = s₀.memory.set (after s₀.memory src dst count)) s₀ := by
  have bound := h.countBound
  have start : At s₀ src dst count 0 0 s₀ := ⟨.refl _ _, by simp [hsrc], by simp [hcount],
    by simp [hdst, pos, slicesAt, Spec.Gather.totalLen], by simp [after, gathered, slicesAt, Spec.Gather.concat]⟩
  refine .seq ((walk_ok (count := count) (fun k => At s₀ src dst count k k) (.cons rfl (.nil ?_)) fun {k s} hs hk => ?_).mono
    fun s hs => ?_)
  · simp only [alu_test, State.src, hcount, BitVec.and_self]
    refine ⟨⟨kept start.keeps, get start.list, get start.left, get start.room, get start.memory⟩, ?_⟩
    simp only [isa, eval]
    reads
    exact congrArg some (ofNat_beq_zero (by omega))
  · refine .seq ((next_ok h hp hs hk).mono fun s ⟨hs, h8, h9⟩ => ?_)
    exact .seq ((slice_ok h copies hs hk h8 h9).mono fun s hs => advance_ok hs hk (by omega))
  · exact clears.mono fun s' ⟨keeps, hm⟩ => ⟨hs.keeps.trans keeps, hm.trans hs.memory⟩

end
end Proof.Gather.X86_64
