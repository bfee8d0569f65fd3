import Proof.AesGcm.Message.Hash
import Proof.AesGcm.AArch64.Hash
import Proof.Partial.AArch64

/-!
# Hashing a string
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.Partial (HasTable)
open Proof.Partial.AArch64 (Loaded)
open Proof.Ghash.AArch64 (reverseE reverseE_at)

variable {c : Fixed} {s₀ s s' : State} {p : Addr} {pub : List Region}

/-! ## The table of `Impl.Partial` -/

/-- What moves bytes is in the table. -/
theorem Env.slide (e : Env c s) : HasTable s.memory (s.gpr .x10) slideAt Impl.Partial.slide where
  bytes := by
    rw [e.tab]
    exact (bytesAt_part (n := 80) _ _ (by decide)).trans (by rw [e.holds.table]; decide +kernel)
  reads := by
    rw [e.tab]
    exact e.readsTab.part _ (by decide)
  near := by decide

/-- What keeps bytes is in the table. -/
theorem Env.ones (e : Env c s) : HasTable s.memory (s.gpr .x10) onesAt Impl.Partial.ones where
  bytes := by
    rw [e.tab]
    exact (bytesAt_part (n := 80) _ _ (by decide)).trans (by rw [e.holds.table]; decide +kernel)
  reads := by
    rw [e.tab]
    exact e.readsTab.part _ (by decide)
  near := by decide

/-- What loading changes. -/
theorem Frame.of_loaded {d t : Vec} {x : BitVec 128} {vs : List Nat} (h : Loaded s d t x s')
    (hv : (vs.all fun r => r ≠ d.val ∧ r ≠ t.val) = true) : Frame [.x5, .x6, .x7] vs s s' :=
  ⟨h.keeps, fun r hr => have := of_decide_eq_true (List.all_eq_true.1 hv r hr); h.lane_others this.1 this.2 0⟩

/-! ## Whole blocks -/

/-- The first `k` bytes, which are whole blocks, are hashed. -/
structure Hashed (c : Fixed) (s₀ : State) (p : Addr) (k : Nat) (s : State) : Prop where
  frame : Frame [.x3, .x4] [17, 18, 21, 31] s₀ s
  memory : s.memory = s₀.memory
  whole : k % 16 = 0
  hash : view.lane s 20 0 = Spec.Ghash.ghash c.h (view.lane s₀ 20 0) (blocksAt s₀.memory.bytes p (k / 16))

/-- Counting changes nothing. -/
theorem Hashed.stable (k : Nat) : Stable [.x3, .x4] (Hashed c s₀ p k) := fun s s' h g m v =>
  ⟨h.frame.trans (.of_vec g v), m.trans h.memory, h.whole, by rw [← h.hash]; simp only [view, v]⟩

/-- The constants stay where they are. -/
theorem Constants.of_frame {rs : List Reg} {vs : List Nat} (h : Constants s) (f : Frame rs vs s s') (h18 : 18 ∈ vs := by decide)
    (h31 : 31 ∈ vs := by decide) : Constants s' :=
  ⟨(f.lane 18 h18).trans h.one, h.constant.of_lane (f.lane 31 h31)⟩

/-- One more group. -/
theorem hashed_group (e : Env c s₀) (hc : Constants s₀) {L k n : Nat} (hn : n < 16)
    (check : machine.check (hashLayout (16 * (n + 1))) (hash n) (hashOutcome blockE swappedE n) = true)
    (reads : Within s₀.memory.readable ⟨p, L⟩) (h : At (Hashed c s₀ p) p L k s) (hk : k + 16 * (n + 1) ≤ L) :
    isa.Wp pub (.block (hash n)) (fun s' => Hashed c s₀ p (k + 16 * (n + 1)) s' ∧ s'.gpr .x3 = s.gpr .x3 ∧
      s'.gpr .x4 = s.gpr .x4) s := by
  have hh := h.holds
  refine (hash_ok (e.same hh.frame.keeps hh.memory) (hc.of_frame hh.frame) hn check h.next
    (by rw [hh.memory]; exact reads.part k hk)).mono fun s' ⟨f, m, v⟩ => ⟨⟨?_, m.trans hh.memory, ?_, ?_⟩, f.gpr .x3, f.gpr .x4⟩
  · exact hh.frame.trans (f.mono (List.nil_subset _) fun _ h => h)
  · have := hh.whole; omega
  · have whole := hh.whole
    have add := ghash_blocksAt_add c.h (view.lane s₀ 20 0) s₀.memory.bytes p (k / 16) (n + 1)
    rw [show 16 * (k / 16) = k by omega] at add
    rw [v, hh.hash, hh.memory, show (k + 16 * (n + 1)) / 16 = k / 16 + (n + 1) by omega, add]

/-! ## The last block -/

/-- The bytes of `v0` in reverse, and by the way its halves exchanged in `v1`. -/
def reverseOutcome : Outcome VecUn SymBin := outcome ((0, [reverseE (.reg 0 0)]) :: keptE [17, 18, 20, 21, 31])

/-- Bytes are reversed. -/
theorem reverse_ok : isa.Wp pub (.block (Impl.Ghash.AArch64.reverse 0 1)) (fun s' => Frame [] [17, 18, 20, 21, 31] s s' ∧
    s'.memory = s.memory ∧ view.lane s' 0 0 = bswap128 (view.lane s 0 0)) s := by
  refine machine.wp_registers reverseOutcome (by decide +kernel) fun s' e => ⟨.of_ends e (by decide +kernel), e.memory, ?_⟩
  rw [e.vec (r := 0) rfl 0]
  exact reverseE_at

/-- **A string is hashed**, with zeros up to whole blocks. -/
theorem absorb_ok (e : Env c s) (hc : Constants s) {L : Nat} (hL : L < 2 ^ 64) (hp : s.gpr .x3 = p)
    (hl : s.gpr .x4 = BitVec.ofNat 64 L) (reads : Within s.memory.readable ⟨p, L⟩) : isa.Wp pub absorb (fun s' =>
      Frame [.x5, .x6, .x7, .x3, .x4] [17, 18, 21, 31] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 20 0 = Spec.Ghash.ghash c.h (view.lane s 20 0) (paddedAt s.memory.bytes p L)) s := by
  have start : At (Hashed c s p) p L 0 s :=
    ⟨⟨.refl _ _ s, rfl, rfl, rfl⟩, Nat.zero_le _, by rw [hp, BitVec.add_zero], hl⟩
  refine .seq ((runs_ok (n := 128) Hashed.stable hL (by decide) start fun h hk =>
    hashed_group (n := 7) e hc (by decide) hash_checked reads h hk).mono fun s₁ ⟨k₁, h₁, _, _⟩ => ?_)
  refine .seq ((runs_ok (n := 16) Hashed.stable hL (by decide) h₁ fun h hk =>
    hashed_group (n := 0) e hc (by decide) hashBlock_checked reads h hk).mono fun s₂ ⟨k₂, h₂, _, few⟩ => ?_)
  have hh := h₂.holds
  have whole := hh.whole
  have le := h₂.le
  have wide : Frame [.x5, .x6, .x7, .x3, .x4] [17, 18, 21, 31] s s₂ := hh.frame.mono (by decide) fun _ h => h
  refine .skipIf (eval_zero (by omega) h₂.left) (fun z => ⟨wide, hh.memory, ?_⟩) fun z => ?_
  · have z := of_decide_eq_true z
    rw [hh.hash, show L = 16 * (k₂ / 16) by omega, paddedAt_whole]
  have z := of_decide_eq_false z
  have e₂ : Env c s₂ := e.same wide.keeps hh.memory
  refine .seq ((Proof.Partial.AArch64.load_ok (a := p + BitVec.ofNat 64 k₂) (k := L - k₂) (by decide) (by decide) (by decide)
    h₂.next h₂.left (by omega) (by omega) (by rw [hh.memory]; exact reads.part k₂ (by omega)) e₂.slide).mono fun s₄ l₄ => .append ?_)
  have f₄ : Frame [.x5, .x6, .x7] [17, 18, 20, 21, 31] s₂ s₄ := .of_loaded l₄ (by decide)
  refine reverse_ok.mono fun s₅ ⟨f₅, m₅, v₅⟩ => ?_
  have f : Frame [.x5, .x6, .x7, .x3, .x4] [17, 18, 21, 31] s s₅ := wide.trans
    ((f₄.mono (by decide) (by decide)).trans (f₅.mono (List.nil_subset _) (by decide)))
  have m : s₅.memory = s.memory := m₅.trans (l₄.memory.trans hh.memory)
  refine (hashOne_ok (e.same f.keeps m) (hc.of_frame f)).mono fun s₆ ⟨f₆, m₆, h₆⟩ => ?_
  refine ⟨f.trans (f₆.mono (List.nil_subset _) fun _ h => h), m₆.trans m, ?_⟩
  have value : view.lane s₅ 0 0 = partialBlock (bytesAt s.memory.bytes (p + BitVec.ofNat 64 k₂) (L - k₂)) := by
    rw [v₅, partialBlock, ← hh.memory]
    exact congrArg bswap128 l₄.lane
  have split : paddedAt s.memory.bytes p L = blocksAt s.memory.bytes p (k₂ / 16) ++
      [partialBlock (bytesAt s.memory.bytes (p + BitVec.ofNat 64 k₂) (L - k₂))] := by
    rw [show L = 16 * (k₂ / 16) + (L - k₂) by omega, paddedAt_partial _ _ (by omega) (by omega),
      show 16 * (k₂ / 16) = k₂ by omega, show k₂ + (L - k₂) - k₂ = L - k₂ by omega]
  rw [h₆, value, split, ghash_append, ← hh.hash, f₅.lane 20, f₄.lane 20]

end Proof.AesGcm.AArch64
