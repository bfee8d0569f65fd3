import Impl.AesGcm.Seal.AArch64
import Proof.AesGcm.AArch64.Lengths
import Proof.AesGcm.Seal.Ending

/-!
# Sealing what is left after groups of eight blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Seal.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.AArch64 Proof.Ghash.AArch64

/-! ## One block -/

/-- Block `i`, sealed. -/
def sealedE (i : Nat) : VecExpr := xorE (.reg i 0) (.load 0 (16 * i))

/-- The data at `x3`, and the powers at `x0`. -/
def wholeLayout (i : Nat) : Layout :=
  { areas := [{ len := 16 * (i + 1), writes := true }, { len := 16 * (i + 1) }], ptrs := [(3, 0, 0), (0, 1, 0)] }

/-- The registers of the blocks after block `i`. -/
def after (i : Nat) : List Nat := (List.range 8).filter fun j => Nat.blt i j

/-- What sealing block `i` does. -/
def wholeOutcome (i : Nat) : Outcome VecUn SymBin :=
  outcome (nextE (reverseE (sealedE i)) (.load 1 (16 * i)) ++ keptE ([18, 21, 31] ++ after i)) [(0, 16 * i, [sealedE i])]

@[inherit_doc hash_checked]
theorem whole_checked : ∀ i, i < 7 → (machine.check (wholeLayout i) (whole i) (wholeOutcome i) &&
    keepsVecs (wholeOutcome i) ([18, 21, 31] ++ after i)) = true := by decide +kernel

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d i : Nat} {y : Spec.Ghash.Block}

/-- What stays while the end is sealed, with the first `i` blocks of it done. -/
structure Ended (k : Call) (tab : Addr) (s₀ : State) (d : Nat) (y : Spec.Ghash.Block) (i done : Nat) (s : State) : Prop where
  frame : Frame [.x5, .x6, .x7, .x0, .x3, .x4] [18, 21, 31] s₀ s
  sums : Summed (tableAt k.memory.bytes k.ctx) y (ending k d) i s
  memory : s.memory = k.memory.set (k.text.mem done)

/-- The first `i` blocks are sealed. -/
structure Left (k : Call) (tab : Addr) (s₀ : State) (d : Nat) (y : Spec.Ghash.Block) (i : Nat) (s : State) : Prop
    extends Ended k tab s₀ d y i (d + 16 * i) s where
  stream : ∀ j, i ≤ j → j < 8 → view.lane s j 0 = k.text.key (d / 16 + j)
  powers : s.gpr .x0 = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16))
  next : s.gpr .x3 = k.data + BitVec.ofNat 64 d
  left : s.gpr .x4 = BitVec.ofNat 64 (k.len - d)

/-- The registers and the memory hold what they should. -/
theorem Ended.env {done : Nat} (h : Ended k tab s₀ d y i done s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem done) (by rw [h.memory, m]) (r.holds_mem done)

/-- A stored power of the key, where `x0` says. -/
theorem power_word (r : Ready k tab) (hd : d % 16 = 0) (hle : d ≤ k.len) (hs : k.len - d < 128) (done : Nat)
    (hi : i ≤ (k.len - d + 15) / 16) :
    Spec.AesGcm.Context.word (k.text.mem done) (k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16))) (16 * i) =
      tableAt k.memory.bytes k.ctx ((ending k d).length - 1 - i) := by
  rw [word_add, List.length_append, length_rest hd hle, List.length_singleton, Nat.add_sub_cancel]
  have same : tableAt (k.text.mem done) k.ctx ((k.len - d + 15) / 16 - i) = tableAt k.memory.bytes k.ctx ((k.len - d + 15) / 16 - i) := by
    have a : tableAt (k.text.mem done) k.ctx ((k.len - d + 15) / 16 - i) = _ := (r.holds_mem done).powers _ (by omega)
    exact a.trans (r.holds.powers _ (by omega)).symm
  rw [← same, tableAt]
  congr 1
  omega

/-- Where the data and the powers are. -/
def endPlaces (k : Call) (d : Nat) : Nat → Addr
  | 0 => k.data + BitVec.ofNat 64 d
  | _ => k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16))

/-- **One block of the end is sealed.** -/
theorem whole_ok (r : Ready k tab)
    (hd : d % 16 = 0) (hs : k.len - d < 128) (h : Left k tab s₀ d y i s) (hi : i < 7)
    (le : d + 16 * (i + 1) ≤ k.len) : isa.Wp pub (.block (whole i)) (Left k tab s₀ d y (i + 1)) s := by
  have checked := whole_checked i hi
  rw [Bool.and_eq_true] at checked
  have memory := h.memory
  have holds : (wholeLayout i).Holds view (endPlaces k d) s := {
    ptrs := fun q hq => by
      simp only [wholeLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact h.next.trans (BitVec.add_zero _).symm
      · exact h.powers.trans (BitVec.add_zero _).symm
    small := ⟨by simp only; omega, by simp only; omega, trivial⟩
    reads := ⟨fun _ => by simp only [view, memory]; exact r.pre.reads.part _ (by omega),
      fun _ => by simp only [view, memory]; exact r.pre.readsCtx.part _ (by omega), trivial⟩
    writes := ⟨fun _ => by simp only [view, memory]; exact r.pre.writes.part _ (by omega), nofun, trivial⟩
    apart := by
      have apart : (Region.mk (k.data + BitVec.ofNat 64 d) (16 * (i + 1))).Disjoint
          ⟨k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)), 16 * (i + 1)⟩ :=
        r.pre.apartCtx.sub (by omega) (by omega) (by have := r.pre.len; omega) (by decide)
      exact ⟨⟨nofun, fun _ _ => apart, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine machine.wp (wholeOutcome i) holds checked.1 fun s' o => ?_
  have f : Frame [] ([18, 21, 31] ++ after i) s s' := .of_ends o checked.2
  have bytes : s.memory.bytes = k.text.mem (d + 16 * i) := by rw [memory]; rfl
  have data : k.text.data = k.data := rfl
  have len : k.text.len = k.len := rfl
  have value : (sealedE i).at (endPlaces k d) view s = k.text.key (d / 16 + i) ^^^ k.text.word (d / 16 + i) := by
    rw [sealedE, xorE_at, ← k.text.word_mem_rest (d := d + 16 * i) (by omega) (by omega),
      show 16 * (d / 16 + i) = d + 16 * i by omega, data, ← word_add, ← bytes]
    exact congrArg (· ^^^ _) (h.stream i (Nat.le_refl i) (by omega))
  refine {
    frame := h.frame.trans (f.mono (List.nil_subset _) (List.subset_append_left ..))
    sums := ?_
    memory := ?_
    stream := ?_
    powers := (f.gpr .x0).trans h.powers
    next := (f.gpr .x3).trans h.next
    left := (f.gpr .x4).trans h.left }
  · refine h.sums.next o (xE := reverseE (sealedE i)) (pE := .load 1 (16 * i)) (fun r hr => ?_) ?_ (ending_whole le hd) ?_
    · simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      rcases hr with rfl | rfl | rfl | rfl <;> rfl
    · rw [reverseE_at, value]
      rfl
    · rw [← power_word r hd (by omega) hs (d + 16 * i) (by omega), ← bytes]
      rfl
  · have stored : s'.memory = s.memory.set (writeBytes s.memory.bytes (k.data + BitVec.ofNat 64 d + BitVec.ofNat 64 (16 * i))
        (toBytes 16 ((sealedE i).at _ view s) ++ [])) := o.memory
    rw [stored, value, List.append_nil, memory, Memory.set_set, Memory.bytes_set, BitVec.add_assoc, ← BitVec.ofNat_add]
    have store := k.text.store_block (k := d / 16 + i) (by omega)
    rw [show 16 * (d / 16 + i) = d + 16 * i by omega, data] at store
    rw [store]
    rfl
  · intro j hj h8
    rw [f.lanes j (List.mem_append_right _ (List.mem_filter.2 ⟨List.mem_range.2 h8, by simpa using hj⟩))]
    exact h.stream j (by omega) h8

/-! ## Past whole blocks -/

/-- After the whole blocks. -/
structure Past (k : Call) (tab : Addr) (s₀ : State) (d : Nat) (y : Spec.Ghash.Block) (i : Nat) (s : State) : Prop
    extends Ended k tab s₀ d y i (d + 16 * i) s where
  le : d + 16 * i ≤ k.len
  few : k.len - d - 16 * i < 16
  stream : view.lane s 0 0 = k.text.key (d / 16 + i)
  powers : s.gpr .x0 = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) + BitVec.ofNat 64 (16 * i)
  next : s.gpr .x3 = k.data + BitVec.ofNat 64 (d + 16 * i)
  left : s.gpr .x4 = BitVec.ofNat 64 (k.len - d - 16 * i)

/-- The keystream of the next block. -/
def pastOutcome (i : Nat) : Outcome VecUn SymBin :=
  outcome ((0, [.bin (.vec .orr) (.reg i 0) (.reg i 0)]) :: keptE [18, 20, 21, 22, 23, 24, 31])

@[inherit_doc hash_checked]
theorem past_checked : ∀ i, i < 8 → (machine.check ⟨[], []⟩ [.vecBin .orr 0 (vec i) (vec i)] (pastOutcome i) &&
    keepsVecs (pastOutcome i) [18, 20, 21, 22, 23, 24, 31]) = true := by decide +kernel

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put in
/-- Past the whole blocks. -/
theorem past_ok (h : Left k tab s₀ d y i s) (hi : i < 8) (le : d + 16 * i ≤ k.len) (few : k.len - d - 16 * i < 16) :
    isa.Wp pub (.block (past i)) (Past k tab s₀ d y i) s := by
  have checked := past_checked i hi
  rw [Bool.and_eq_true] at checked
  refine .append (xs := [_]) (machine.wp_registers (pastOutcome i) checked.1 fun s₁ o => ?_)
  have f : Frame [] [18, 20, 21, 22, 23, 24, 31] s s₁ := .of_ends o checked.2
  have v : view.lane s₁ 0 0 = view.lane s i 0 := (o.vec (r := 0) rfl 0).trans (BitVec.or_self ..)
  have m₁ : s₁.memory = s.memory := o.memory
  have sm : 16 * i < 4096 := by omega
  refine .cons rfl (.cons rfl (.cons rfl (.nil ?_)))
  simp only [alu_add, alu_sub]
  generalize hs₄ : ((s₁.setReg .x3 _).setReg .x0 _).setReg .x4 _ = s₄
  have f₄ : Frame [.x3, .x0, .x4] [0, 18, 20, 21, 22, 23, 24, 31] s₁ s₄ := by
    rw [← hs₄]; exact .of_vec (kept (Keeps.refl _ s₁)) (by vecs)
  have m₄ : s₄.memory = s.memory := by rw [← hs₄]; reads; exact m₁
  have f₁₄ : Frame [.x3, .x0, .x4] [18, 20, 21, 22, 23, 24, 31] s s₄ :=
    (f.mono (List.nil_subset _) fun _ h => h).trans (f₄.mono (fun _ h => h) (by decide))
  refine {
    frame := h.frame.trans (f₁₄.mono (by decide) (by decide))
    sums := h.sums.of_frame f₁₄
    memory := m₄.trans h.memory
    le := le
    few := few
    stream := ?_
    powers := ?_
    next := ?_
    left := ?_ }
  · rw [f₄.lane 0, v]; exact h.stream i (Nat.le_refl i) hi
  · rw [← hs₄]; reads; rw [src_imm sm, f.gpr .x0, h.powers]
  · rw [← hs₄]; reads; rw [src_imm sm, f.gpr .x3, h.next, add_ofNat_add]
  · rw [← hs₄]; reads
    rw [src_imm sm, f.gpr .x4, h.left, show k.len - d - 16 * i = k.len - (d + 16 * i) by omega, ofNat_sub_ofNat le]

/-- **The whole blocks of the end are sealed.** -/
theorem wholes_ok (r : Ready k tab)
    (hd : d % 16 = 0) (hle : d ≤ k.len) (hs : k.len - d < 128) {n : Nat} (hn : n + i = 7) (le : d + 16 * i ≤ k.len)
    (h : Left k tab s₀ d y i s) : isa.Wp pub (wholes n i) (fun s' => ∃ i, Past k tab s₀ d y i s') s := by
  induction n generalizing i s with
  | zero => exact (past_ok h (by omega) le (by omega)).mono fun s' h => ⟨i, h⟩
  | succ n ih =>
    have stable : Stable [] (Left k tab s₀ d y i) := fun s s' h g m v =>
      have f : Frame [] (List.range 32) s s' := .of_vec g v
      { frame := h.frame.trans (f.mono (List.nil_subset _) (by decide))
        sums := h.sums.of_frame f
        memory := m.trans h.memory
        stream := fun j hj h8 => (f.lanes j (List.mem_range.2 (by omega))).trans (h.stream j hj h8)
        powers := (f.gpr .x0).trans h.powers
        next := (f.gpr .x3).trans h.next
        left := (f.gpr .x4).trans h.left }
    refine .seq ((compare_ok stable (by omega) (by omega) h h.left).mono fun s₁ ⟨h₁, _, _, c₁, _, _⟩ => .ite c₁ (fun c => ?_) fun c => ?_)
    · have := of_decide_eq_true c
      exact (past_ok h₁ (by omega) le (by omega)).mono fun s' h => ⟨i, h⟩
    · have := of_decide_eq_false c
      exact .seq ((whole_ok r hd hs h₁ (by omega) (by omega)).mono fun s₂ h₂ => ih (by omega) (by omega) h₂)

end
end Proof.AesGcm.Seal.AArch64
