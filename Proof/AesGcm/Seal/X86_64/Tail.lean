import Impl.AesGcm.Seal.X86_64
import Proof.AesGcm.X86_64.Lengths

/-!
# Sealing what is left after groups of eight blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Seal.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-! ## One block -/

/-- Block `i`, sealed. -/
def sealedE (i : Nat) : VecExpr := xorE (.reg i 0) (.load 0 (16 * i))

/-- The data at `rcx`, and the powers at `rdi`. -/
def wholeLayout (i : Nat) : Layout :=
  { areas := [{ len := 16 * (i + 1), writes := true }, { len := 16 * (i + 1) }], ptrs := [(1, 0, 0), (7, 1, 0)] }

/-- The registers of the blocks after block `i`. -/
def after (i : Nat) : List Nat := (List.range 8).filter fun j => Nat.blt i j

/-- What sealing block `i` does. -/
def wholeOutcome (i : Nat) : Outcome VecUn VecBin :=
  { vec := nextE (reverseE (sealedE i)) (.load 1 (16 * i)) ++ ([9, 13] ++ after i).map keepE, mem := [(0, 16 * i, [sealedE i])] }

@[inherit_doc hash_checked]
theorem whole_checked : ∀ i, i < 7 → (machine.check (wholeLayout i) (whole i) (wholeOutcome i) &&
    (keepsVecs (wholeOutcome i) ([9, 13] ++ after i) && keepsRegs (wholeOutcome i) [])) = true := by decide +kernel

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d i : Nat} {y : Spec.Ghash.Block}

/-- The blocks of the text that are left after `d` bytes, as they are hashed. -/
def rest (k : Call) (d : Nat) : List Spec.Ghash.Block := (List.range (k.len / 16 - d / 16)).map (fun i => k.text.block (d / 16 + i)) ++
  if k.len % 16 = 0 then [] else [k.text.lastBlock (k.len / 16) (k.len % 16)]

/-- How many they are. -/
theorem length_rest (hd : d % 16 = 0) (hle : d ≤ k.len) : (rest k d).length = (k.len - d + 15) / 16 := by
  rw [rest, List.length_append, List.length_map, List.length_range]
  split
  · simp only [List.length_nil]; omega
  · simp only [List.length_singleton]; omega

/-- The blocks that are hashed last. -/
abbrev ending (k : Call) (d : Nat) : List Spec.Ghash.Block := rest k d ++ [lengths k.aadLen k.len]

/-- A whole block of them. -/
theorem ending_whole (h : d + 16 * (i + 1) ≤ k.len) (hd : d % 16 = 0) : (ending k d)[i]? = some (k.text.block (d / 16 + i)) := by
  have hi : i < k.len / 16 - d / 16 := by omega
  rw [ending, rest, List.append_assoc, List.getElem?_append_left (by simpa using hi), List.getElem?_map, List.getElem?_range hi]
  rfl

/-- The block beyond whole ones. -/
theorem ending_last (h : k.len = d + 16 * i + k.len % 16) (hd : d % 16 = 0) (hr : k.len % 16 ≠ 0) :
    (ending k d)[i]? = some (k.text.lastBlock (k.len / 16) (k.len % 16)) := by
  have hi : i = k.len / 16 - d / 16 := by omega
  rw [ending, rest, if_neg hr, List.append_assoc, List.getElem?_append_right (by simp; omega), List.length_map, List.length_range, hi,
    Nat.sub_self]
  rfl

/-- What stays while the end is sealed, with the first `i` blocks of it done. -/
structure Ended (k : Call) (tab : Addr) (s₀ : State) (d : Nat) (y : Spec.Ghash.Block) (i done : Nat) (s : State) : Prop where
  frame : Frame [.rax, .r11, .rdi, .rcx, .r8] [9, 13] s₀ s
  sums : Summed (tableAt k.memory.bytes k.ctx) y (ending k d) i s
  memory : s.memory = k.memory.set (k.text.mem done)

/-- The first `i` blocks are sealed. -/
structure Left (k : Call) (tab : Addr) (s₀ : State) (d : Nat) (y : Spec.Ghash.Block) (i : Nat) (s : State) : Prop
    extends Ended k tab s₀ d y i (d + 16 * i) s where
  stream : ∀ j, i ≤ j → j < 8 → view.lane s j 0 = k.text.key (d / 16 + j)
  powers : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16))
  next : s.gpr .rcx = k.data + BitVec.ofNat 64 d
  left : s.gpr .r8 = BitVec.ofNat 64 (k.len - d)

/-- The registers and the memory hold what they should. -/
theorem Ended.env {done : Nat} (h : Ended k tab s₀ d y i done s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem done) (by rw [h.memory, m]) (r.holds_mem done)

/-- A stored power of the key, where `rdi` says. -/
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
theorem whole_ok (r : Ready k tab) (hc : view.lane s₀ 9 0 = Gf2.X86_64.reverseMask)
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
  have f : Frame [] ([9, 13] ++ after i) s s' := .of_ends o checked.2
  have bytes : s.memory.bytes = k.text.mem (d + 16 * i) := by rw [memory]; rfl
  have data : k.text.data = k.data := rfl
  have len : k.text.len = k.len := rfl
  have value : (sealedE i).at (endPlaces k d) view s = k.text.key (d / 16 + i) ^^^ k.text.word (d / 16 + i) := by
    rw [sealedE, xorE_at, ← k.text.word_mem_rest (d := d + 16 * i) (by omega) (by omega),
      show 16 * (d / 16 + i) = d + 16 * i by omega, data, ← word_add, ← bytes]
    exact congrArg (· ^^^ _) (h.stream i (Nat.le_refl i) (by omega))
  have mask : view.lane s 9 0 = Gf2.X86_64.reverseMask := (h.frame.lane 9).trans hc
  refine {
    frame := h.frame.trans (f.mono (List.nil_subset _) (List.subset_append_left ..))
    sums := ?_
    memory := ?_
    stream := ?_
    powers := (f.gpr .rdi).trans h.powers
    next := (f.gpr .rcx).trans h.next
    left := (f.gpr .r8).trans h.left }
  · refine h.sums.next o (xE := reverseE (sealedE i)) (pE := .load 1 (16 * i)) (fun r hr => ?_) ?_ (ending_whole le hd) ?_
    · simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      rcases hr with rfl | rfl | rfl | rfl <;> rfl
    · show VecBin.pshufb.eval ((sealedE i).at _ view s) (view.lane s 9 0) = _
      rw [mask, Gf2.X86_64.pshufb_reverseMask, value]
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
  powers : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) + BitVec.ofNat 64 (16 * i)
  next : s.gpr .rcx = k.data + BitVec.ofNat 64 (d + 16 * i)
  left : s.gpr .r8 = BitVec.ofNat 64 (k.len - d - 16 * i)

/-- The keystream of the next block. -/
def pastOutcome (i : Nat) : Outcome VecUn VecBin := { vec := [(0, [.reg i 0])] ++ [8, 9, 10, 11, 13, 14].map keepE }

@[inherit_doc hash_checked]
theorem past_checked : ∀ i, i < 8 → (machine.check ⟨[], []⟩ [.vmovdqa .xmm 0 (vec i)] (pastOutcome i) &&
    (keepsVecs (pastOutcome i) [8, 9, 10, 11, 13, 14] && keepsRegs (pastOutcome i) [])) = true := by decide +kernel

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- Past the whole blocks. -/
theorem past_ok (h : Left k tab s₀ d y i s) (hi : i < 8) (le : d + 16 * i ≤ k.len) (few : k.len - d - 16 * i < 16) :
    isa.Wp pub (.block (past i)) (Past k tab s₀ d y i) s := by
  have checked := past_checked i hi
  rw [Bool.and_eq_true] at checked
  refine .append (xs := [_]) (machine.wp_registers (pastOutcome i) checked.1 fun s₁ o => ?_)
  have f : Frame [] [8, 9, 10, 11, 13, 14] s s₁ := .of_ends o checked.2
  have v : view.lane s₁ 0 0 = view.lane s i 0 := o.vec (r := 0) rfl 0
  have m₁ : s₁.memory = s.memory := o.memory
  have sm : 16 * i < 2 ^ 31 := by omega
  have c₁ : s₁.gpr .rcx + s₁.src (imm (16 * i)) = k.data + BitVec.ofNat 64 (d + 16 * i) := by
    rw [f.gpr .rcx, h.next, src_imm sm, BitVec.add_assoc, ← BitVec.ofNat_add]
  refine .cons (s₁ := (s₁.setReg .rcx (s₁.gpr .rcx + s₁.src (imm (16 * i)))).setFlags (addFlags (s₁.gpr .rcx) (s₁.src (imm (16 * i))))) rfl ?_
  rw [c₁]
  generalize hs₂ : (s₁.setReg .rcx _).setFlags _ = s₂
  have k₂ : Keeps [.rcx, .rdi, .r8] s s₂ := by rw [← hs₂]; exact kept (f.keeps.mono (List.nil_subset _))
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have v₂ : s₂.vec = s₁.vec := by rw [← hs₂]; reads
  have x₂ : s₂.gpr .rcx = k.data + BitVec.ofNat 64 (d + 16 * i) := by rw [← hs₂]; reads
  have d₂ : s₂.gpr .rdi = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) := by rw [← hs₂]; reads; exact (f.gpr .rdi).trans h.powers
  have l₂ : s₂.gpr .r8 = BitVec.ofNat 64 (k.len - d) := by rw [← hs₂]; reads; exact (f.gpr .r8).trans h.left
  refine .cons (s₁ := (s₂.setReg .rdi (s₂.gpr .rdi + s₂.src (imm (16 * i)))).setFlags (addFlags (s₂.gpr .rdi) (s₂.src (imm (16 * i))))) rfl ?_
  rw [d₂, src_imm sm]
  generalize hs₃ : (s₂.setReg .rdi _).setFlags _ = s₃
  have k₃ : Keeps [.rcx, .rdi, .r8] s s₃ := by rw [← hs₃]; exact kept k₂
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s₁.vec := by rw [← hs₃]; reads; exact v₂
  have x₃ : s₃.gpr .rcx = k.data + BitVec.ofNat 64 (d + 16 * i) := by rw [← hs₃]; reads; exact x₂
  have d₃ : s₃.gpr .rdi = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) + BitVec.ofNat 64 (16 * i) := by rw [← hs₃]; reads
  have l₃ : s₃.gpr .r8 = BitVec.ofNat 64 (k.len - d) := by rw [← hs₃]; reads; exact l₂
  have left : s₃.gpr .r8 - s₃.src (imm (16 * i)) = BitVec.ofNat 64 (k.len - d - 16 * i) := by
    rw [l₃, src_imm sm, show k.len - d = k.len - d - 16 * i + 16 * i by omega, BitVec.ofNat_add, BitVec.add_sub_cancel,
      Nat.add_sub_cancel]
  refine .cons (s₁ := (s₃.setReg .r8 (s₃.gpr .r8 - s₃.src (imm (16 * i)))).setFlags (subFlags (s₃.gpr .r8) (s₃.src (imm (16 * i))))) rfl (.nil ?_)
  rw [left]
  generalize hs₄ : (s₃.setReg .r8 _).setFlags _ = s₄
  have k₄ : Keeps [.rcx, .rdi, .r8] s s₄ := by rw [← hs₄]; exact kept k₃
  have same (r : Nat) : view.lane s₄ r 0 = view.lane s₁ r 0 := by
    rw [← hs₄]
    simp only [view, State.lane]
    reads
    rw [v₃]
  have f₄ : Frame [.rcx, .rdi, .r8] [8, 9, 10, 11, 13, 14] s s₄ := ⟨k₄, fun r hr => (same r).trans (f.lanes r hr)⟩
  refine {
    frame := h.frame.trans (f₄.mono (by decide) (by decide))
    sums := h.sums.of_frame f₄
    memory := ?_
    le := le
    few := few
    stream := ?_
    powers := ?_
    next := ?_
    left := ?_ }
  · rw [← hs₄]; reads; exact m₃.trans h.memory
  · rw [same, v]; exact h.stream i (Nat.le_refl i) hi
  · rw [← hs₄]; reads; exact d₃
  · rw [← hs₄]; reads; exact x₃
  · rw [← hs₄]; reads

/-- **The whole blocks of the end are sealed.** -/
theorem wholes_ok (r : Ready k tab) (hc : view.lane s₀ 9 0 = Gf2.X86_64.reverseMask)
    (hd : d % 16 = 0) (hle : d ≤ k.len) (hs : k.len - d < 128) {n : Nat} (hn : n + i = 7) (le : d + 16 * i ≤ k.len)
    (h : Left k tab s₀ d y i s) : isa.Wp pub (wholes n i) (fun s' => ∃ i, Past k tab s₀ d y i s') s := by
  induction n generalizing i s with
  | zero => exact (past_ok h (by omega) le (by omega)).mono fun s' h => ⟨i, h⟩
  | succ n ih =>
    have stable : Stable [] (Left k tab s₀ d y i) := fun s s' h g m v =>
      have f : Frame [] (List.range 16) s s' := .of_vec g v
      { frame := h.frame.trans (f.mono (List.nil_subset _) (by decide))
        sums := h.sums.of_frame f
        memory := m.trans h.memory
        stream := fun j hj h8 => (f.lanes j (List.mem_range.2 (by omega))).trans (h.stream j hj h8)
        powers := (f.gpr .rdi).trans h.powers
        next := (f.gpr .rcx).trans h.next
        left := (f.gpr .r8).trans h.left }
    refine .seq ((compare_ok stable (by omega) (by omega) h h.left).mono fun s₁ ⟨h₁, _, _, c₁, _⟩ => .ite c₁ (fun c => ?_) fun c => ?_)
    · have := of_decide_eq_true c
      exact (past_ok h₁ (by omega) le (by omega)).mono fun s' h => ⟨i, h⟩
    · have := of_decide_eq_false c
      exact .seq ((whole_ok r hc hd hs h₁ (by omega) (by omega)).mono fun s₂ h₂ => ih (by omega) (by omega) h₂)

end
end Proof.AesGcm.Seal.X86_64
