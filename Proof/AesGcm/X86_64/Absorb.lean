import Proof.AesGcm.Message.Hash
import Proof.AesGcm.X86_64.Hash
import Proof.Partial.X86_64

/-!
# Hashing a string
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.Partial (HasTable)
open Proof.Partial.X86_64 (Loaded)

variable {c : Fixed} {s₀ s s' : State} {p : Addr} {pub : List Region}

/-! ## The table of `Impl.Partial` -/

/-- What moves bytes is in the table. -/
theorem Env.slide (e : Env c s) : HasTable s.memory (s.gpr .r10) slideAt Impl.Partial.X86_64.slide where
  bytes := by
    rw [e.tab]
    exact (bytesAt_part (n := 128) _ _ (by decide)).trans (by rw [e.holds.table]; decide +kernel)
  reads := by
    rw [e.tab]
    exact e.readsTab.part _ (by decide)
  near := by decide

/-- What keeps bytes is in the table. -/
theorem Env.ones (e : Env c s) : HasTable s.memory (s.gpr .r10) onesAt Impl.Partial.X86_64.ones where
  bytes := by
    rw [e.tab]
    exact (bytesAt_part (n := 128) _ _ (by decide)).trans (by rw [e.holds.table]; decide +kernel)
  reads := by
    rw [e.tab]
    exact e.readsTab.part _ (by decide)
  near := by decide

/-- What loading changes. -/
theorem Frame.of_loaded {d t : Vec} {x : BitVec 128} {vs : List Nat} (h : Loaded s d t x s')
    (hv : (vs.all fun r => r ≠ d.val ∧ r ≠ t.val) = true) : Frame [.rax, .r11] vs s s' :=
  ⟨h.keeps, fun r hr => have := of_decide_eq_true (List.all_eq_true.1 hv r hr); h.lane_others this.1 this.2 0⟩

/-! ## Whole blocks -/

/-- The first `k` bytes, which are whole blocks, are hashed. -/
structure Hashed (c : Fixed) (s₀ : State) (p : Addr) (k : Nat) (s : State) : Prop where
  frame : Frame [.rcx, .r8] [8, 9, 10, 13] s₀ s
  memory : s.memory = s₀.memory
  whole : k % 16 = 0
  hash : view.lane s 11 0 = Spec.Ghash.ghash c.h (view.lane s₀ 11 0) (blocksAt s₀.memory.bytes p (k / 16))

/-- Counting changes nothing. -/
theorem Hashed.stable (k : Nat) : Stable [.rcx, .r8] (Hashed c s₀ p k) := fun s s' h g m v =>
  ⟨h.frame.trans (.of_vec g v), m.trans h.memory, h.whole, by rw [← h.hash]; simp only [view, State.lane, v]⟩

/-- The constants stay where they are. -/
theorem Constants.of_frame {rs : List Reg} {vs : List Nat} (h : Constants s) (f : Frame rs vs s s') (h9 : 9 ∈ vs := by decide)
    (h10 : 10 ∈ vs := by decide) : Constants s' :=
  ⟨(f.lane 9 h9).trans h.mask, (f.lane 10 h10).trans h.one⟩

/-- One more group. -/
theorem hashed_group (e : Env c s₀) (hc : Constants s₀) {L k n : Nat} (hn : n < 16)
    (check : machine.check (hashLayout (16 * (n + 1))) (hash n) (hashOutcome blockE n) = true)
    (reads : Within s₀.memory.readable ⟨p, L⟩) (h : At (Hashed c s₀ p) p L k s) (hk : k + 16 * (n + 1) ≤ L) :
    isa.Wp pub (.block (hash n)) (fun s' => Hashed c s₀ p (k + 16 * (n + 1)) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧
      s'.gpr .r8 = s.gpr .r8) s := by
  have hh := h.holds
  refine (hash_ok (e.same hh.frame.keeps hh.memory) (hc.of_frame hh.frame) hn check h.next
    (by rw [hh.memory]; exact reads.part k hk)).mono fun s' ⟨f, m, v⟩ => ⟨⟨?_, m.trans hh.memory, ?_, ?_⟩, f.gpr .rcx, f.gpr .r8⟩
  · exact hh.frame.trans (f.mono (List.nil_subset _) fun _ h => h)
  · have := hh.whole; omega
  · have whole := hh.whole
    have add := ghash_blocksAt_add c.h (view.lane s₀ 11 0) s₀.memory.bytes p (k / 16) (n + 1)
    rw [show 16 * (k / 16) = k by omega] at add
    rw [v, hh.hash, hh.memory, show (k + 16 * (n + 1)) / 16 = k / 16 + (n + 1) by omega, add]

/-! ## The last block -/

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The registers change as the evaluator says. -/
theorem pshufb_ok {Q : State → Prop} {d a : Vec} {is : List Instr} (hc : view.lane s 9 0 = Gf2.X86_64.reverseMask)
    (h : ∀ s', Keeps [] s s' → s'.memory = s.memory → (∀ r : Nat, r ≠ d.val → ∀ i, view.lane s' r i = view.lane s r i) →
      view.lane s' d.val 0 = bswap128 (view.lane s a.val 0) → isa.Wp pub (.block is) Q s') :
    isa.Wp pub (.block (.vecBin .pshufb .xmm d a (.reg 9) :: is)) Q s := by
  refine .cons (s₁ := s.setVec d (ofLanes (VecBin.pshufb.eval (s.lane a 0) (lane (s.vec 9) 0)) 0 0 0)) rfl (h _ ?_ ?_ ?_ ?_)
  · exact kept (Keeps.refl _ s)
  · reads
  · intro r hr i
    rw [lane_setVec, if_neg hr]
  · rw [lane_setVec, if_pos rfl, lane_ofLanes_eq]
    have : lane (s.vec 9) 0 = Gf2.X86_64.reverseMask := hc
    rw [this]
    simp only [Gf2.X86_64.pshufb_reverseMask, lane_view]

/-- **A string is hashed**, with zeros up to whole blocks. -/
theorem absorb_ok (e : Env c s) (hc : Constants s) {L : Nat} (hL : L < 2 ^ 64) (hp : s.gpr .rcx = p)
    (hl : s.gpr .r8 = BitVec.ofNat 64 L) (reads : Within s.memory.readable ⟨p, L⟩) : isa.Wp pub absorb (fun s' =>
      Frame [.rax, .r11, .rcx, .r8] [8, 9, 10, 13] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 11 0 = Spec.Ghash.ghash c.h (view.lane s 11 0) (paddedAt s.memory.bytes p L)) s := by
  have start : At (Hashed c s p) p L 0 s :=
    ⟨⟨.refl _ _ s, rfl, rfl, rfl⟩, Nat.zero_le _, by rw [hp, BitVec.add_zero], hl⟩
  refine .seq ((runs_ok (n := 128) Hashed.stable hL (by decide) start fun h hk =>
    hashed_group (n := 7) e hc (by decide) hash_checked reads h hk).mono fun s₁ ⟨k₁, h₁, _, _⟩ => ?_)
  refine .seq ((runs_ok (n := 16) Hashed.stable hL (by decide) h₁ fun h hk =>
    hashed_group (n := 0) e hc (by decide) hashBlock_checked reads h hk).mono fun s₂ ⟨k₂, h₂, _, few⟩ => ?_)
  have hh := h₂.holds
  have whole := hh.whole
  have le := h₂.le
  refine .seq ((test_ok (P := Hashed c s p k₂) (fun _ _ h g m v => Hashed.stable _ h (g.mono (List.nil_subset _)) m v)
    (by omega) hh h₂.left).mono fun s₃ ⟨h₃, f₃, m₃, z₃⟩ => ?_)
  have wide : Frame [.rax, .r11, .rcx, .r8] [8, 9, 10, 13] s s₃ := h₃.frame.mono (by decide) fun _ h => h
  refine .skipIf z₃ (fun z => ⟨wide, h₃.memory, ?_⟩) fun z => ?_
  · have z := of_decide_eq_true z
    rw [h₃.hash, show L = 16 * (k₂ / 16) by omega, paddedAt_whole]
  have z := of_decide_eq_false z
  have e₃ : Env c s₃ := e.same wide.keeps h₃.memory
  refine .seq ((Proof.Partial.X86_64.load_ok (a := p + BitVec.ofNat 64 k₂) (k := L - k₂) (by decide) (by decide) (by decide)
    ((f₃.gpr .rcx).trans h₂.next) ((f₃.gpr .r8).trans h₂.left) (by omega) (by omega)
    (by rw [h₃.memory]; exact reads.part k₂ (by omega)) e₃.slide).mono fun s₄ l₄ => ?_)
  have f₄ : Frame [.rax, .r11] [8, 9, 10, 11, 13] s₃ s₄ := .of_loaded l₄ (by decide)
  refine pshufb_ok ((f₄.lane 9).trans ((wide.lane 9).trans hc.mask)) fun s₅ k₅ m₅ o₅ v₅ => ?_
  have f₅ : Frame [] [8, 9, 10, 11, 13] s₄ s₅ := ⟨k₅, fun r hr => o₅ r (by rintro rfl; revert hr; decide) 0⟩
  have f : Frame [.rax, .r11, .rcx, .r8] [8, 9, 10, 13] s s₅ := wide.trans
    ((f₄.mono (by decide) (by decide)).trans (f₅.mono (List.nil_subset _) (by decide)))
  have m : s₅.memory = s.memory := m₅.trans (l₄.memory.trans h₃.memory)
  refine (hashOne_ok (e.same f.keeps m)).mono fun s₆ ⟨f₆, m₆, h₆⟩ => ?_
  refine ⟨f.trans (f₆.mono (List.nil_subset _) fun _ h => h), m₆.trans m, ?_⟩
  have value : view.lane s₅ 0 0 = partialBlock (bytesAt s.memory.bytes (p + BitVec.ofNat 64 k₂) (L - k₂)) := by
    rw [show view.lane s₅ 0 0 = bswap128 (view.lane s₄ 0 0) from v₅, partialBlock, ← h₃.memory]
    exact congrArg bswap128 l₄.lane
  have split : paddedAt s.memory.bytes p L = blocksAt s.memory.bytes p (k₂ / 16) ++
      [partialBlock (bytesAt s.memory.bytes (p + BitVec.ofNat 64 k₂) (L - k₂))] := by
    rw [show L = 16 * (k₂ / 16) + (L - k₂) by omega, paddedAt_partial _ _ (by omega) (by omega),
      show 16 * (k₂ / 16) = k₂ by omega, show k₂ + (L - k₂) - k₂ = L - k₂ by omega]
  rw [h₆, value, split, ghash_append, ← h₃.hash, f₅.lane 11, f₄.lane 11]

end Proof.AesGcm.X86_64
