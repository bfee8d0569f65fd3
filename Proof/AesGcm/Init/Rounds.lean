import Proof.Aes.RoundKeys
import Proof.AesGcm.Init.Steps

/-!
# The whole key context, for every target

All round keys, for each length of the key, from what the instructions of a step compute; then the subkey.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init
open TCB TCB.SymExec Spec.Aes Proof.Aes Proof.Gf2 Impl.AesGcm.Init

variable {S I C F R U B : Type} [Ops U B] {isa : Isa S I C F} {V : View S R} {M : Machine isa V U B} {g : Regs}
  {s₀ s : S} {len n i : Nat} {W : List Word} {bs : List Byte} {block : Nat → TCB.Aes.Block}

/-! ## The key and the table -/

/-- What the elements of the table are. -/
theorem rcon_table : ∀ j < 11, j ≠ 0 → table.getD (3 + j) 0 = repeated (rcon j) := by decide +kernel

theorem length_constants : constants.length = 224 := by decide +kernel

/-- The key and the table are in memory. -/
structure Ready (V : View S R) (g : Regs) (len : Nat) (W : List Word) (s₀ s : S) : Prop where
  table : ∀ k < 14, SymExec.word (base V g s₀) (V.memory s).bytes 2 (16 * k) = table.getD k 0
  key : ∀ j, 4 * j + 16 ≤ len → SymExec.word (base V g s₀) (V.memory s).bytes 0 (4 * j) = four W j

theorem Ready.rcon (h : Ready V g len W s₀ s) {j : Nat} (hj : j < 11) (h0 : j ≠ 0) :
    SymExec.word (base V g s₀) (V.memory s).bytes 2 (16 * (3 + j)) = repeated (rcon j) :=
  (h.table _ (by omega)).trans (rcon_table j hj h0)

/-- They stay there. -/
theorem Made.ready {key : Nat → TCB.Aes.Block} (h : Made M g block key s₀ i s) (hs : (layout g len).Holds V (base V g s₀) s₀)
    (hi : i < 15) (ht : Ready V g len W s₀ s₀) : Ready V g len W s₀ s where
  table k hk := by
    rw [h.word hs hi (by decide) ?_, ht.table k hk]
    simp only [Layout.mayRead, layout, nth, Bool.true_and]
    exact Nat.ble_eq_true_of_le (by omega)
  key j hj := by
    rw [h.word hs hi (by decide) ?_, ht.key j hj]
    simp only [Layout.mayRead, layout, nth, Bool.true_and]
    exact Nat.ble_eq_true_of_le hj

/-- What the rounds need on entry. -/
structure Entry (V : View S R) (g : Regs) (len : Nat) (bs : List Byte) (s : S) : Prop where
  valid : len ∈ [16, 24, 32]
  length : bs.length = len
  holds : (layout g len).Holds V (base V g s) s
  ready : Ready V g len (keyWords bs) s s

/-- They have it. -/
theorem entry_of (p : Pre constants (V.memory s) (V.gpr s g.key) (V.gpr s g.ctx) len)
    (hr : V.gpr s g.table = (V.memory s).constants) : Entry V g len (bytesAt (V.memory s).bytes (V.gpr s g.key) len) s where
  valid := p.valid
  length := length_bytesAt ..
  holds := {
    ptrs := fun q hq => by
      simp only [layout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl | rfl <;> simp [base]
    small := ⟨by have := p.valid; simp only [List.mem_cons, List.not_mem_nil, or_false] at this; simp only; omega,
      by decide, by decide, trivial⟩
    reads := ⟨fun _ => p.reads, nofun, fun _ => by
      have := p.readsTable
      rw [length_constants, ← hr] at this
      exact this, trivial⟩
    writes := ⟨nofun, fun _ a k hk => p.writes a k (Nat.le_trans hk (show (256 : Nat) ≤ 1024 by decide)), nofun, trivial⟩
    apart := by
      have short : ∀ x, (Region.mk (V.gpr s g.ctx) 256).Contains x → (Region.mk (V.gpr s g.ctx) 1024).Contains x :=
        fun x hx => Nat.lt_trans hx (by simp only; decide)
      have table := p.tableApart
      rw [length_constants, ← hr] at table
      exact ⟨⟨nofun, fun _ _ x hx => p.apart x ⟨hx.1, short x hx.2⟩, nofun, trivial⟩,
        ⟨nofun, nofun, fun _ _ x hx => table x ⟨short x hx.1, hx.2⟩, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, trivial⟩ }
  ready := {
    table := fun k hk => by
      have := p.table
      rw [← hr] at this
      rw [List.getD_eq_getElem?_getD, List.getElem?_eq_getElem hk, Option.getD_some]
      exact ofBytes_laneBytes (vs := table) this hk
    key := fun j hj => by
      rw [← keyWords_eq (by rw [length_bytesAt]; exact hj), ← bytesAt_part _ _ hj]
      rfl }

theorem Entry.words (h : Entry V g len bs s) : (keyWords bs).length = len / 4 := by rw [keyWords_length, h.length]

variable [DecidableEq U] [DecidableEq B] {pub : List Region}

/-! ## The round keys -/

/-- All round keys, if each step is right. -/
theorem rounds_ok {start : List I} {step : Nat → List I} {zero : Expr U B} {round next : Nat → Expr U B}
    {nextV : Nat → TCB.Aes.Block → TCB.Aes.Block → TCB.Aes.Block} (fit : g.Fit M) (h : Entry V g len bs s₀) (hn : n ≤ 14)
    (startCheck : M.check (layout g len) start (startOutcome g zero) = true)
    (stepCheck : ∀ i < n, M.check (layout g len) (step i) (outcome M g round next i) = true)
    (zero_at : zero.at (base V g s₀) V s₀ = block 0)
    (next_rk : ∀ {i p}, (i ≠ 0 → p = rk (keyWords bs) (i - 1)) → nextV i p (rk (keyWords bs) i) = rk (keyWords bs) (i + 1))
    (next_at : ∀ i < n, ∀ s, Same M g.others s₀ s → Ready V g len (keyWords bs) s₀ s →
      (next i).at (base V g s₀) V s = nextV i (V.lane s (keyReg (i + 1)) 0) (V.lane s (keyReg i) 0))
    (round_at : ∀ i < n, ∀ s, Made M g block (rk (keyWords bs)) s₀ i s →
      (next i).at (base V g s₀) V s = rk (keyWords bs) (i + 1) → (round i).at (base V g s₀) V s = block (i + 1)) :
    isa.Wp pub (.block (start ++ (List.range n).flatMap step)) (Made M g block (rk (keyWords bs)) s₀ n) s₀ := by
  have first : SymExec.word (base V g s₀) (V.memory s₀).bytes 0 0 = rk (keyWords bs) 0 := h.ready.key 0 (by
    have := h.valid
    simp only [List.mem_cons, List.not_mem_nil, or_false] at this
    omega)
  refine .append ((start_ok fit h.holds startCheck first zero_at).mono fun s₁ m₁ => steps_ok (fun i hi s m => ?_) m₁)
  have new : (next i).at (base V g s₀) V s = rk (keyWords bs) (i + 1) := by
    rw [next_at i hi s m.same (m.ready h.holds (by omega) h.ready), m.cur]
    exact next_rk m.prev
  exact step_ok fit h.holds (stepCheck i hi) (by omega) m new (round_at i hi s m new)

/-! ## The subkey -/

/-- The subkey, after all round keys. -/
theorem finish_ok {is : List I} {kept : List Nat} {subkey : Expr U B} (fit : g.Fit M) (h : Entry V g len bs s₀) (sub : kept ⊆ g.others)
    (check : M.check (layout g len) is (finishOutcome kept subkey) = true) (hn : n + 1 = rounds len)
    (m : Made M g block (rk (keyWords bs)) s₀ (n + 1) s)
    (cipher : block (n + 1) = cipher ((List.range (n + 2)).map (rk (keyWords bs))) 0)
    (subkey_at : Ready V g len (keyWords bs) s₀ s → subkey.at (base V g s₀) V s = twist (bswap128 (V.lane s 0 0))) :
    isa.Wp pub (.block is) (fun s' => (V.memory s').bytes =
      after (V.memory s₀).bytes (V.gpr s₀ g.ctx) (expandKey bs) ∧ Same M kept s₀ s') s := by
  have bound : n + 1 < 15 := by
    have := h.valid
    rw [hn, rounds]
    simp only [List.mem_cons, List.not_mem_nil, or_false] at this
    omega
  refine M.wp (finishOutcome kept subkey) (holds_of fit h.holds m.same m.memory) check fun s' e =>
    ⟨?_, m.same.trans (.of_ends e (List.append_nil _).symm rfl) sub⟩
  have mem : V.memory s' = (V.memory s).set (writeBytes (V.memory s).bytes (V.gpr s₀ g.ctx + BitVec.ofNat 64 240)
    (toBytes 16 (subkey.at (base V g s₀) V s) ++ [])) := e.memory
  rw [mem, Memory.bytes_set, subkey_at (m.ready h.holds bound h.ready), m.block, cipher, List.append_nil, after,
    expandKey_rk, h.length, ← hn, m.memory, Memory.bytes_set]

end Proof.AesGcm.Init
