import Impl.AesGcm.Init
import Proof.AesGcm.Init.Contract
import Proof.Framework.SymExec.Wp

/-!
# The round keys, one after the other, for every target

Every step is one evaluation of the symbolic evaluator: the next round key is made, stored, and used for a round, for one of the
key before it, on the zero block, which is in register 0.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init
open TCB TCB.SymExec Impl.AesGcm.Init

/-- The general registers that point to the key, the context and the table, and the vector registers that are
kept besides. -/
structure Regs where
  key : Nat
  ctx : Nat
  table : Nat
  others : List Nat := []

/-- The key, the first 256 bytes of the context, and the table. -/
def layout (g : Regs) (len : Nat) : Layout where
  areas := [{ len }, { len := 256, reads := false, writes := true }, { len := 224 }]
  ptrs := [(g.key, 0, 0), (g.ctx, 1, 0), (g.table, 2, 0)]

variable {S I C F R U B : Type} [Ops U B] {isa : Isa S I C F} {V : View S R} {M : Machine isa V U B} {g : Regs}

/-- Where the areas begin. -/
def base (V : View S R) (g : Regs) (s : S) (t : Nat) : Addr :=
  V.gpr s (if t = 0 then g.key else if t = 1 then g.ctx else g.table)

/-- What the start does. -/
def startOutcome (g : Regs) (block : Expr U B) : Outcome U B where
  vec := keptE g.others ++ [(0, [block]), (keyReg 0, [.load 0 0])]
  mem := [(1, 0, [.load 0 0])]

/-- What step `i` does: `round` is the block after it, and `next` the new round key. -/
def outcome (M : Machine isa V U B) (g : Regs) (round next : Nat → Expr U B) (i : Nat) : Outcome U B where
  vec := keptE g.others ++ [(0, [round i]), (keyReg (i + 1), [next i]), (keyReg i, (List.range M.lanes).map (.reg (keyReg i)))]
  mem := [(1, 16 * (i + 1), [next i])]

/-- The subkey is stored, and registers are kept. -/
def finishOutcome (kept : List Nat) (subkey : Expr U B) : Outcome U B where
  vec := keptE kept
  mem := [(1, 240, [subkey])]

/-- The registers are those of the machine, and apart from those of the block and the round keys. -/
structure Regs.Fit (M : Machine isa V U B) (g : Regs) : Prop where
  key : g.key < M.gprs
  ctx : g.ctx < M.gprs
  table : g.table < M.gprs
  others : ∀ r ∈ g.others, 2 < r
  lanes : M.lanes ≠ 0

/-- What is kept. -/
structure Same (M : Machine isa V U B) (kept : List Nat) (s₀ s : S) : Prop where
  gpr : ∀ r, r < M.gprs → V.gpr s r = V.gpr s₀ r
  lane : ∀ r ∈ kept, V.lane s r 0 = V.lane s₀ r 0
  other : V.other s = V.other s₀

variable {s₀ s s' : S} {len : Nat} {block key : Nat → TCB.Aes.Block}

theorem Same.trans {kept kept' : List Nat} {s₁ : S} (h : Same M kept s₀ s₁) (h' : Same M kept' s₁ s) (sub : kept' ⊆ kept) :
    Same M kept' s₀ s where
  gpr r hr := (h'.gpr r hr).trans (h.gpr r hr)
  lane r hr := (h'.lane r hr).trans (h.lane r (sub hr))
  other := h'.other.trans h.other

/-- What an outcome keeps. -/
theorem Same.of_ends {b : Nat → Addr} {out : Outcome U B} {kept : List Nat} {rest : List (Nat × List (Expr U B))}
    (e : out.Ends b V M s s') (hv : out.vec = keptE kept ++ rest) (hg : out.gpr = []) : Same M kept s s' where
  gpr r hr := by
    have := e.gpr hr
    rw [hg] at this
    exact this
  lane r hr := e.vec (r := r) (es := [.reg r 0]) (by rw [hv, keptE, find_map hr]) 0
  other := e.other

/-- The round keys up to `i` were made, since `s₀`. -/
structure Made (M : Machine isa V U B) (g : Regs) (block key : Nat → TCB.Aes.Block) (s₀ : S) (i : Nat) (s : S) : Prop where
  block : V.lane s 0 0 = block i
  cur : V.lane s (keyReg i) 0 = key i
  prev : i ≠ 0 → V.lane s (keyReg (i + 1)) 0 = key (i - 1)
  memory : V.memory s = (V.memory s₀).set (writeBytes (V.memory s₀).bytes (V.gpr s₀ g.ctx)
    (laneBytes ((List.range (i + 1)).map key)))
  same : Same M g.others s₀ s

/-- The layout holds as long as registers are kept and only the contents of memory change. -/
theorem holds_of {m : Mem} {kept : List Nat} (fit : g.Fit M) (h : (layout g len).Holds V (base V g s₀) s₀) (hk : Same M kept s₀ s)
    (hm : V.memory s = (V.memory s₀).set m) : (layout g len).Holds V (base V g s₀) s where
  ptrs p hp := by
    rw [← h.ptrs p hp]
    simp only [layout, List.mem_cons, List.not_mem_nil, or_false] at hp
    rcases hp with rfl | rfl | rfl
    · exact hk.gpr _ fit.key
    · exact hk.gpr _ fit.ctx
    · exact hk.gpr _ fit.table
  small := h.small
  reads := by simp only [hm]; exact h.reads
  writes := by simp only [hm]; exact h.writes
  apart := h.apart

/-- The registers of round keys take turns. -/
theorem keyRegs (i : Nat) : (keyReg i = 1 ∧ keyReg (i + 1) = 2) ∨ (keyReg i = 2 ∧ keyReg (i + 1) = 1) := by
  simp only [keyReg]
  omega

section Outcome
variable {round next : Nat → Expr U B} {i : Nat}

theorem find_after {r : Nat} (fit : g.Fit M) (hr : r ≤ 2) {rest : List (Nat × List (Expr U B))} :
    find r (keptE g.others ++ rest) = find r rest :=
  find_append fun hm => absurd (fit.others r hm) (by omega)

theorem find_block (fit : g.Fit M) : find 0 (outcome M g round next i).vec = some [round i] :=
  (find_after fit (by decide)).trans rfl

theorem find_new (fit : g.Fit M) : find (keyReg (i + 1)) (outcome M g round next i).vec = some [next i] := by
  refine (find_after fit (by simp only [keyReg]; omega)).trans ?_
  rcases keyRegs i with ⟨a, b⟩ | ⟨a, b⟩ <;> simp only [a, b] <;> rfl

theorem find_old (fit : g.Fit M) :
    find (keyReg i) (outcome M g round next i).vec = some ((List.range M.lanes).map (.reg (keyReg i))) := by
  refine (find_after fit (by simp only [keyReg]; omega)).trans ?_
  rcases keyRegs i with ⟨a, b⟩ | ⟨a, b⟩ <;> simp only [a, b] <;> rfl

end Outcome

omit [Ops U B] in
/-- The first lane of all. -/
theorem laneOf_range {r n : Nat} (hn : n ≠ 0) : laneOf (U := U) (B := B) ((List.range n).map (.reg r)) 0 = .reg r 0 := by
  cases n with
  | zero => exact absurd rfl hn
  | succ n => rw [List.range_succ_eq_map, List.map_cons]; rfl

/-- The key and the table stay as they were. -/
theorem Made.word {i : Nat} (h : Made M g block key s₀ i s) (hs : (layout g len).Holds V (base V g s₀) s₀) (hi : i < 15)
    {t off : Nat} (ht : t ≠ 1) (hr : (layout g len).mayRead t off 16 = true) :
    SymExec.word (base V g s₀) (V.memory s).bytes t off = SymExec.word (base V g s₀) (V.memory s₀).bytes t off := by
  have w : (layout g len).Inside 1 0 (16 * (i + 1)) true := ⟨_, rfl, by simp only; omega, fun _ => rfl⟩
  have d := hs.disjoint w (Layout.inside_of_mayRead hr) (.inl fun e => ht e.symm)
  simp only [SymExec.word, h.memory, Memory.bytes_set]
  rw [bytesAt_writeBytes_disjoint _ (by decide)]
  rw [length_laneBytes, List.length_map, List.length_range]
  simpa [base] using d

variable [DecidableEq U] [DecidableEq B] {pub : List Region} {is : List I}

/-- The first round key. -/
theorem start_ok {zero : Expr U B} (fit : g.Fit M) (hs : (layout g len).Holds V (base V g s₀) s₀)
    (hc : M.check (layout g len) is (startOutcome g zero) = true)
    (first : SymExec.word (base V g s₀) (V.memory s₀).bytes 0 0 = key 0)
    (zero_at : zero.at (base V g s₀) V s₀ = block 0) : isa.Wp pub (.block is) (Made M g block key s₀ 0) s₀ := by
  refine M.wp (startOutcome g zero) hs hc fun s' e => ?_
  refine ⟨(e.vec (r := 0) (es := [zero]) ((find_after fit (by decide)).trans rfl) 0).trans zero_at,
    (e.vec (r := 1) (es := [.load 0 0]) ((find_after fit (by decide)).trans rfl) 0).trans first, fun h => absurd rfl h, ?_,
    .of_ends e rfl rfl⟩
  have m : V.memory s' = (V.memory s₀).set (writeBytes (V.memory s₀).bytes (V.gpr s₀ g.ctx + 0#64)
    (toBytes 16 (SymExec.word (base V g s₀) (V.memory s₀).bytes 0 0) ++ [])) := e.memory
  rw [m, first, BitVec.add_zero]
  rfl

/-- One more round key. -/
theorem step_ok {i : Nat} {round next : Nat → Expr U B} (fit : g.Fit M) (hs : (layout g len).Holds V (base V g s₀) s₀)
    (hc : M.check (layout g len) is (outcome M g round next i) = true) (hi : i < 14) (h : Made M g block key s₀ i s)
    (new : (next i).at (base V g s₀) V s = key (i + 1)) (turn : (round i).at (base V g s₀) V s = block (i + 1)) :
    isa.Wp pub (.block is) (Made M g block key s₀ (i + 1)) s := by
  refine M.wp (outcome M g round next i) (holds_of fit hs h.same h.memory) hc fun s' e => ?_
  refine ⟨(e.vec (find_block fit) 0).trans turn, (e.vec (find_new fit) 0).trans new, fun _ => ?_, ?_,
    h.same.trans (.of_ends e rfl rfl) (List.Subset.refl _)⟩
  · have := e.vec (find_old fit) 0
    rw [laneOf_range fit.lanes] at this
    rw [show keyReg (i + 1 + 1) = keyReg i by simp only [keyReg]; omega, Nat.add_sub_cancel, ← h.cur]
    exact this
  · have m : V.memory s' = (V.memory s).set (writeBytes (V.memory s).bytes (V.gpr s₀ g.ctx + BitVec.ofNat 64 (16 * (i + 1)))
      (toBytes 16 ((next i).at (base V g s₀) V s) ++ [])) := e.memory
    rw [m, h.memory, new, Memory.bytes_set, Memory.set_set,
      writeBytes_append _ _ (by rw [length_laneBytes]; simp) (by simp; omega), List.range_succ (n := i + 1)]
    simp [laneBytes]

omit [Ops U B] [DecidableEq U] [DecidableEq B] in
/-- Steps that each go on from the one before. -/
theorem steps_ok {step : Nat → List I} {P : Nat → S → Prop} {k : Nat}
    (hstep : ∀ i < k, ∀ s, P i s → isa.Wp pub (.block (step i)) (P (i + 1)) s) (h : P 0 s) :
    isa.Wp pub (.block ((List.range k).flatMap step)) (P k) s := by
  induction k with
  | zero => exact .nil h
  | succ k ih =>
    rw [List.range_succ, List.flatMap_append, List.flatMap_singleton]
    exact .append ((ih fun i hi => hstep i (by omega)).mono fun s h => hstep k (by omega) s h)

end Proof.AesGcm.Init
