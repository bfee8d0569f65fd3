import Impl.Gather.AArch64
import Proof.AArch64.Verified
import Proof.CopySlice.AArch64
import Proof.Gather.Contract
import Proof.Gather.Walk

/-!
# The gather-copy kernel on AArch64, verified
-/

set_option autoImplicit false
namespace Proof.Gather.AArch64
open TCB TCB.AArch64 Spec.Gather Impl.AArch64 Impl.Gather.AArch64

/-- The registers that the kernel may change. -/
def clobbered : List Reg := [.x0, .x1, .x2, .x4, .x5, .x6, .x7, .x8, .x9]

/-- The invariant: the list stands at slice `k`, and the first `j` slices are copied. -/
structure At (s₀ : State) (src dst : Addr) (count k j : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  list : s.gpr .x0 = src + BitVec.ofNat 64 (16 * k)
  left : s.gpr .x1 = BitVec.ofNat 64 (count - k)
  room : s.gpr .x2 = dst + BitVec.ofNat 64 (pos s₀.memory src j)
  memory : s.memory = s₀.memory.set (after s₀.memory src dst j)

section
variable {pub : List Region} {s₀ s : State} {src dst : Addr} {count len k : Nat} (h : Pre s₀.memory src dst count len)
  (hp : ⟨src, 16 * count⟩ ∈ pub)

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put

include h hp in
/-- Reading the next slice from the list. -/
theorem next_ok (hs : At s₀ src dst count k k s) (hk : k < count) :
    isa.Wp pub (.publicBlock next) (fun s => At s₀ src dst count k k s ∧
      s.gpr .x4 = (sliceAt s₀.memory.bytes src k).base ∧
      s.gpr .x5 = BitVec.ofNat 64 (sliceAt s₀.memory.bytes src k).len) s := by
  have bound := h.countBound
  have isPublic : ∀ {j}, j + 8 ≤ 16 * count → covered pub (src + BitVec.ofNat 64 j) 8 = true := fun {j} hj =>
    covered_of_mem hp (by rw [offset_add _ (by omega)]; exact hj)
  refine wp_publicLdp (p := src + BitVec.ofNat 64 (16 * k)) (by decide) (ea_pair (o := 0) hs.list (by decide) rfl)
    (add_ofNat_add ..) hs.memory (h.canReadList (j := 16 * k) (n := 8) (by omega) (by decide))
    (h.canReadList (j := 16 * k + 8) (n := 8) (by omega) (by decide)) (isPublic (by omega)) (isPublic (by omega))
    (h.readList (j := 16 * k) (n := 8) (by omega) (by omega))
    (h.readList (j := 16 * k + 8) (n := 8) (by omega) (by omega)) ?_
  refine .publicNil ⟨⟨kept hs.keeps, get hs.list, get hs.left, get hs.room, get hs.memory⟩, ?_, ?_⟩
  · reads; rfl
  · reads; exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm

include h in
/-- Copying a slice. -/
theorem slice_ok (hs : At s₀ src dst count k k s) (hk : k < count)
    (h4 : s.gpr .x4 = (sliceAt s₀.memory.bytes src k).base)
    (h5 : s.gpr .x5 = BitVec.ofNat 64 (sliceAt s₀.memory.bytes src k).len) :
    isa.Wp pub Impl.CopySlice.AArch64.code (At s₀ src dst count k (k + 1)) s := by
  have hc := h.copySlice hk
  rw [← hs.memory] at hc
  refine (CopySlice.AArch64.copySlice_ok hc h4 h5 hs.room).mono fun s' ⟨keeps, hd, hm⟩ => ?_
  refine ⟨hs.keeps.trans (keeps.mono (by decide)), (keeps.gpr _ (by decide)).trans hs.list,
    (keeps.gpr _ (by decide)).trans hs.left, ?_, ?_⟩
  · rw [hd, pos_succ, add_ofNat_add]
  · rw [hm, hs.memory, h.copied_eq hk, Memory.set_set]

/-- Counting a slice. -/
theorem advance_ok (hs : At s₀ src dst count k (k + 1) s) (hk : k < count) (hc : count < 2 ^ 64) :
    isa.Wp pub (.block advance) (fun s => At s₀ src dst count (k + 1) (k + 1) s ∧
      isa.eval (.nonzero .x1) s = some (!decide (count - (k + 1) = 0))) s := by
  have left := ofNat_sub_ofNat (show k + 1 ≤ count from hk)
  refine .cons rfl (.cons rfl (.nil ?_))
  simp only [src_imm (show 16 < 4096 by decide), src_imm (show 1 < 4096 by decide), alu_add, alu_sub]
  refine ⟨⟨kept hs.keeps, ?_, ?_, get hs.room, get hs.memory⟩, ?_⟩
  · reads; rw [hs.list, add_ofNat_add, Nat.mul_succ]
  · reads; rw [hs.left, left]
  · simp only [isa, eval]
    reads
    rw [hs.left, left, bne, ofNat_beq_zero (by omega)]

/-- Clearing the registers changes nothing else. -/
theorem clear_ok : isa.Wp pub (.block clear) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory) s :=
  .cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.cons rfl (.nil ⟨kept (Keeps.refl clobbered s), by reads⟩))))))

include h hp in
/-- The kernel copies all slices. -/
theorem copy_ok (hsrc : s₀.gpr .x0 = src) (hcount : s₀.gpr .x1 = BitVec.ofNat 64 count) (hdst : s₀.gpr .x2 = dst) :
    isa.Wp pub code (fun s => Keeps clobbered s₀ s ∧ s.memory = s₀.memory.set (after s₀.memory src dst count)) s₀ := by
  have bound := h.countBound
  refine .seq ((walk_ok (count := count) (fun k => At s₀ src dst count k k) (.nil ⟨?_, ?_⟩) fun {k s} hs hk => ?_).mono fun s hs => ?_)
  · exact ⟨.refl _ _, by simp [hsrc], by simp [hcount], by simp [hdst, pos, slicesAt, totalLen],
      by simp [after, gathered, slicesAt, concat]⟩
  · simp only [isa, eval, hcount]
    exact congrArg some (ofNat_beq_zero (by omega))
  · refine .seq ((next_ok h hp hs hk).mono fun s ⟨hs, h4, h5⟩ => ?_)
    exact .seq ((slice_ok h hs hk h4 h5).mono fun s hs => advance_ok hs hk (by omega))
  · exact clear_ok.mono fun s' ⟨keeps, hm⟩ => ⟨hs.keeps.trans keeps, hm.trans hs.memory⟩

end

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  refine (copy_ok (pre_of target h) (list_isPublic target) rfl
    ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm rfl).mono fun s' ⟨keeps, hm⟩ => ?_
  have ⟨result, frame⟩ := result_of target (s' := s') h (congrArg Memory.bytes hm)
  refine ⟨result, nofun, frame, fun r hr => keeps.gpr r ?_, fun r hr => by rw [keeps.vec r hr], keeps.control⟩
  revert r
  decide

/-- A call on the witness memory. -/
def witness (b : Byte) : State where
  gpr
    | .x0 => 0x1000
    | .x1 => 2
    | .x2 => 0x4000
    | .x3 => 105
    | _ => 0
  vec _ := 0
  nzcv := ⟨false, false, false, false⟩
  control := { sp := 0x5000, fpcr := 0, fpsr := 0, dit := true }
  memory := Witness.memory b

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel)
    (witness := Witness.ok (t := target) (state := witness)
      (fun _ i => match i with | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 => rfl | _ + 8 => rfl) (fun _ => rfl) nofun)

end Proof.Gather.AArch64
