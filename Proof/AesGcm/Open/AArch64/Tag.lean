import Impl.AesGcm.Open.AArch64
import Proof.AesGcm.Open.Contract
import Proof.AesGcm.AArch64.Enter

/-!
# Comparing the tag
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Open.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.AArch64 Proof.Ghash.AArch64

/-- The tag that was given, at `x3`. -/
def givenLayout : Layout := { areas := [{ len := 16 }], ptrs := [(3, 0, 0)] }

/-- The tag that was given. -/
def givenOutcome : Outcome VecUn SymBin := outcome ((29, [.load 0 0]) :: keptE [0, 1, 2, 3, 4, 5, 6, 7, 20])

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {c : Fixed} {k : Call} {n : Nat} {pub : List Region} {s : State}

/-- **The tag that was given**, and its length. -/
theorem given_ok (e : Env c s) (a : Arguments k n pub s) (hn : 8 < n) (hl : k.tagLen ∈ Spec.Gcm.tagLengths)
    (reads : Within s.memory.readable ⟨k.tag, k.tagLen⟩) : isa.Wp pub given (fun s' =>
      Frame [.x5, .x6, .x7, .x3, .x4] [0, 1, 2, 3, 4, 5, 6, 7, 20] s s' ∧ s'.memory = s.memory ∧ s'.gpr .x4 = BitVec.ofNat 64 k.tagLen ∧
      view.lane s' 29 0 = ofBytes 128 (bytesAt s.memory.bytes k.tag k.tagLen)) s := by
  have size : 1 ≤ k.tagLen ∧ k.tagLen ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, 1 ≤ l ∧ l ≤ 16 := by decide
    exact this _ hl
  refine .seq ((arguments_ok 7 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have l₁ : s₁.gpr .x4 = BitVec.ofNat 64 k.tagLen := l₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine (compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial l₁).mono
    fun s₂ ⟨_, f₂, m₂, _, z₂, _⟩ => ?_
  have f : Frame [.x5, .x6, .x7, .x3, .x4] (List.range 32) s s₂ := (f₁.mono (by decide) fun _ h => h).trans (f₂.mono (List.nil_subset _) fun _ h => h)
  have m := m₂.trans m₁
  have p₂ : s₂.gpr .x3 = k.tag := (f₂.gpr .x3).trans p₁
  have l₂ := (f₂.gpr .x4).trans l₁
  refine .ite z₂ (fun z => ?_) fun z => ?_
  · have z : k.tagLen = 16 := of_decide_eq_true z
    have holds : givenLayout.Holds view (fun _ => k.tag) s₂ := {
      ptrs := fun q hq => by
        obtain rfl := List.mem_singleton.1 hq
        exact p₂.trans (BitVec.add_zero _).symm
      small := ⟨by decide, trivial⟩
      reads := ⟨fun _ => by simp only [view, m]; rw [← z]; exact reads, trivial⟩
      writes := ⟨nofun, trivial⟩
      apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
    refine machine.wp givenOutcome holds (by decide +kernel) fun s₃ o => ?_
    have f₃ : Frame [] [0, 1, 2, 3, 4, 5, 6, 7, 20] s₂ s₃ := .of_ends o (by decide +kernel)
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h), Eq.trans o.memory m, (f₃.gpr .x4).trans l₂, ?_⟩
    have value : view.lane s₃ 29 0 = ofBytes 128 (bytesAt s₂.memory.bytes (k.tag + 0#64) 16) := o.vec (r := 29) rfl 0
    rw [value, BitVec.add_zero, m, z]
  · have z : k.tagLen ≠ 16 := of_decide_eq_false z
    refine (Proof.Partial.AArch64.load_ok (a := k.tag) (k := k.tagLen) (by decide) (by decide) (by decide) p₂ l₂ size.1 (by omega)
      (by rw [m]; exact reads) (e.same f.keeps m).slide).mono fun s₃ l₃ => ?_
    have f₃ : Frame [.x5, .x6, .x7] [0, 1, 2, 3, 4, 5, 6, 7, 20] s₂ s₃ := .of_loaded l₃ (by decide)
    refine ⟨(f.mono (fun _ h => h) (by decide)).trans (f₃.mono (by decide) fun _ h => h), l₃.memory.trans m, (f₃.gpr .x4).trans l₂, ?_⟩
    rw [show view.lane s₃ 29 0 = _ from l₃.lane, m]

/-- The difference. -/
def differenceOutcome : Outcome VecUn SymBin := outcome ((20, [xorE (.reg 20 0) (.reg 29 0)]) :: keptE (List.range 8))

/-- A number is zero if its halves are. -/
theorem or_halves (v : BitVec 128) : (hi64 v ||| lo64 v == 0#64) = decide (v = 0) := by
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq]
  constructor
  · intro h
    rw [BitVec.or_eq_zero_iff] at h
    rw [← hi64_append_lo64 v, h.1, h.2]
    decide
  · rintro rfl
    decide

/-- **The comparison**: whether no bit differs. -/
theorem compareTags_ok : isa.Wp pub (.block compare) (fun s' => Frame [.x5, .x6] (List.range 8) s s' ∧ s'.memory = s.memory ∧
      isa.eval (.zero .x5) s' = some (decide (view.lane s 20 0 ^^^ view.lane s 29 0 = 0))) s := by
  refine .append (xs := [_]) (machine.wp_registers differenceOutcome (by decide +kernel) fun s₁ o₁ => ?_)
  have f₁ : Frame [] (List.range 8) s s₁ := .of_ends o₁ (by decide +kernel)
  have m₁ : s₁.memory = s.memory := o₁.memory
  have v₁ : s₁.vec 20 = view.lane s 20 0 ^^^ view.lane s 29 0 := (lane_view s₁ 20).symm.trans (o₁.vec (r := 20) rfl 0)
  refine .cons rfl (.cons rfl (.cons rfl (.nil ?_)))
  generalize hs₂ : ((s₁.setReg .x5 _).setReg .x6 _).setReg .x5 _ = s₂
  have f₂ : Frame [.x5, .x6] (List.range 8) s₁ s₂ := by rw [← hs₂]; exact .of_vec (kept (Keeps.refl _ s₁)) (by vecs)
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have x₂ : s₂.gpr .x5 = lo64 (s₁.vec 20) ||| hi64 (s₁.vec 20) := by rw [← hs₂]; reads; rfl
  refine ⟨(f₁.mono (List.nil_subset _) fun _ h => h).trans f₂, m₂, ?_⟩
  show some (s₂.gpr .x5 == 0#64) = _
  rw [x₂, BitVec.or_comm, or_halves, v₁]

end
end Proof.AesGcm.Open.AArch64
