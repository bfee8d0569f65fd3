import Proof.Framework.SymExec.Run

/-!
# The symbolic evaluator is sound
-/

set_option autoImplicit false
namespace TCB.SymExec
variable {S I C F R U B : Type} [Ops U B] {isa : Isa S I C F} {V : View S R} (M : Machine isa V U B)

/-- What `listFrom` has at a position. -/
theorem nth_listFrom {α : Type} {f : Nat → α} {n k r : Nat} {v : α} (h : nth (listFrom f n k) r = some v) :
    v = f (n + r) ∧ r < k := by
  induction k generalizing n r with
  | zero => cases r <;> cases h
  | succ k ih =>
    cases r with
    | zero => cases h; exact ⟨rfl, by omega⟩
    | succ r =>
      obtain ⟨h, hr⟩ := ih h
      exact ⟨by rw [h, Nat.succ_add_eq_add_succ], by omega⟩

/-- What `listFrom` has at a position before its end. -/
theorem nth_listFrom_lt {α : Type} {f : Nat → α} {n k r : Nat} (h : r < k) : nth (listFrom f n k) r = some (f (n + r)) := by
  induction k generalizing n r with
  | zero => omega
  | succ k ih =>
    cases r with
    | zero => rfl
    | succ r =>
      rw [show n + (r + 1) = n + 1 + r by omega]
      exact ih (by omega)

/-- `listFrom` has nothing beyond its end. -/
theorem nth_listFrom_ge {α : Type} {f : Nat → α} {n k r : Nat} (h : k ≤ r) : nth (listFrom f n k) r = none := by
  induction k generalizing n r with
  | zero => rfl
  | succ k ih =>
    cases r with
    | zero => omega
    | succ r => exact ih (by omega)

/-- What is found is there. -/
theorem mem_of_find {α : Type} {k : Nat} {v : α} {l : List (Nat × α)} (h : find k l = some v) : (k, v) ∈ l := by
  induction l with
  | nil => cases h
  | cons x xs ih =>
    simp only [find, Bool.cond_eq_ite] at h
    split at h
    · rename_i e
      cases h
      rw [← Nat.eq_of_beq_eq_true e]
      exact .head _
    · exact .tail _ (ih h)

/-- What is found in a list of pairs that is made from a list of keys. -/
theorem find_map {α : Type} {f : Nat → α} {l : List Nat} {r : Nat} {rest : List (Nat × α)} (h : r ∈ l) :
    find r (l.map (fun q => (q, f q)) ++ rest) = some (f r) := by
  induction l with
  | nil => cases h
  | cons q qs ih =>
    simp only [List.map_cons, List.cons_append, find, Bool.cond_eq_ite, Nat.beq_eq]
    split
    · subst_vars; rfl
    · rename_i e
      exact ih ((List.mem_cons.1 h).resolve_left fun h => e h.symm)

/-- What is found in the second part of a list. -/
theorem find_append {α : Type} {f : Nat → α} {l : List Nat} {r : Nat} {rest : List (Nat × α)} (h : r ∉ l) :
    find r (l.map (fun q => (q, f q)) ++ rest) = find r rest := by
  induction l with
  | nil => rfl
  | cons q qs ih =>
    simp only [List.mem_cons, not_or] at h
    simp only [List.map_cons, List.cons_append, find, Bool.cond_eq_ite, Nat.beq_eq, if_neg (Ne.symm h.1)]
    exact ih h.2

section Sound
variable {L : Layout} {base : Nat → Addr} {s₀ s : S} {σ : Sym U B} {M}

/-- The symbolic state at the start describes the start. -/
theorem Sym.start_means (H : L.Holds V base s₀) :
    (Sym.start L M.gprs M.vecs M.lanes : Sym U B).Means L base V s₀ s₀ where
  gpr {r v} h := by
    obtain ⟨rfl, _⟩ := nth_listFrom h
    rw [Nat.zero_add]
    unfold Layout.start
    split
    · simp [Val.Means]
    · rename_i h
      exact H.ptrs _ (mem_of_find h)
  vec {r es} h i := by
    obtain ⟨rfl, _⟩ := nth_listFrom h
    rw [Nat.zero_add, laneOf]
    rcases Nat.lt_or_ge i M.lanes with hi | hi
    · rw [nth_listFrom_lt hi, Nat.zero_add]; rfl
    · rw [nth_listFrom_ge hi, M.lane_zero _ _ _ hi]; rfl
  memory := rfl
  stores := nofun
  other := rfl

/-- A register plus a constant. -/
theorem Val.add_means (v : Val) {a : BitVec 64} (h : v.Means base V s₀ a) (k : Nat) :
    (v.add k).Means base V s₀ (a + BitVec.ofNat 64 k) := by
  have e (p : BitVec 64) (j : Nat) : p + BitVec.ofNat 64 j + BitVec.ofNat 64 k = p + BitVec.ofNat 64 ((j + k) % 2 ^ 64) := by
    apply BitVec.eq_of_toNat_eq
    simp only [BitVec.toNat_add, BitVec.toNat_ofNat]
    omega
  cases v with
  | init r j => rw [Val.Means] at h; rw [h]; exact e _ _
  | ptr t off => rw [Val.Means] at h; rw [h]; exact e _ _
  | unknown => trivial

/-- Storing pieces is storing their bytes. -/
theorem stores_sound (H : L.Holds V base s₀) {t off : Nat} {vs : List (Expr U B)} {mem mem' : List (Store U B)}
    (hm : Stores L mem) (hi : L.Inside t off (16 * vs.length) true) (h : Sym.stores t off vs mem = some mem') :
    Stores L mem' ∧ memAfter base V s₀ mem' = writeBytes (memAfter base V s₀ mem) (base t + BitVec.ofNat 64 off)
      (laneBytes (vs.map (Expr.at base V s₀))) := by
  induction vs generalizing off mem with
  | nil => cases h; exact ⟨hm, by simp [laneBytes]⟩
  | cons v vs ih =>
    simp only [Sym.stores, Option.bind_eq_some_iff] at h
    obtain ⟨k, hk, h⟩ := h
    have hx : L.Inside t off 16 true := hi.part (i := 0) (by rw [List.length_cons]; omega)
    have hi' : L.Inside t (off + 16) (16 * vs.length) true := hi.part (by simp; omega)
    obtain ⟨hs, he⟩ := ih (hm.add (x := ⟨t, off, v⟩) hx hk) hi' h
    refine ⟨hs, ?_⟩
    obtain ⟨a, ha, hlen, _⟩ := hi.area
    have small : a.len ≤ 2 ^ 64 := H.small.nth ha
    rw [he, memAfter, applyStores_add H (x := ⟨t, off, v⟩) hx hm hk]
    simp only [Store.apply, List.map_cons, laneBytes, List.flatMap_cons, Expr.at, memAfter]
    rw [BitVec.ofNat_add, ← BitVec.add_assoc, writeBytes_append _ _ (by simp)]
    rw [List.length_cons] at hlen
    have (l : List (BitVec 128)) : (l.flatMap (toBytes 16)).length = 16 * l.length := by
      induction l with
      | nil => rfl
      | cons y ys ih => simp [ih]; omega
    rw [this]
    simp
    omega

namespace Sym.Means
variable (h : σ.Means L base V s₀ s)
include h

/-- The place of a memory operand is its address. -/
theorem place {b d t off : Nat} (hp : σ.place b d = some (t, off)) : V.ea s b d = base t + BitVec.ofNat 64 off := by
  unfold Sym.place at hp
  split at hp
  · rename_i hg
    cases hp
    exact Val.add_means _ (h.gpr hg) d
  · cases hp

/-- The pieces of a load have the values that are loaded. -/
theorem pieces (H : L.Holds V base s₀) {t off n : Nat} (hi : L.Inside t off (16 * n) false) {es : List (Expr U B)}
    (hs : σ.pieces t off n = some es) {i : Nat} {e : Expr U B} (he : nth es i = some e) :
    e.at base V s₀ = word base (V.memory s).bytes t (off + 16 * i) := by
  induction n generalizing off es i with
  | zero => cases hs; cases he
  | succ n ih =>
    simp only [Sym.pieces, Option.bind_eq_some_iff, Option.map_eq_some_iff] at hs
    obtain ⟨x, hx, xs, hxs, rfl⟩ := hs
    cases i with
    | zero =>
      cases he
      rw [h.memory]
      exact (loadAfter_sound H (hi.part (i := 0) (by omega)) h.stores hx).symm
    | succ i =>
      rw [show off + 16 * (i + 1) = off + 16 + 16 * i by omega]
      exact ih (hi.part (by omega)) hxs he

/-- A load does not fault, and has the values that are loaded. -/
theorem loads (H : L.Holds V base s₀) {x : Step U B} {ls : List (Expr U B)} (hl : σ.loads L x = some ls) :
    (∀ {b d n}, x.load = some (b, d, n) → covered (V.memory s).readable (V.ea s b d) (16 * n) = true) ∧
    ∀ {i e}, nth ls i = some e → e.at base V s₀ = x.loaded V s 0 i := by
  unfold Sym.loads at hl
  split at hl
  · rename_i hx
    cases hl
    exact ⟨fun e => (by rw [hx] at e; cases e), nofun⟩
  · rename_i b d n hx
    simp only [Option.bind_eq_some_iff, Bool.cond_eq_ite] at hl
    obtain ⟨⟨t, off⟩, hp, hl⟩ := hl
    split at hl
    · rename_i hr
      refine ⟨fun e => ?_, fun {i e} he => ?_⟩
      · rw [hx] at e
        cases e
        rw [h.place hp, h.memory]
        exact H.readable hr
      · rw [h.pieces H (Layout.inside_of_mayRead hr) hl he, Step.loaded, hx]
        simp only [piece, word, h.place hp]
        rw [BitVec.add_assoc, ← BitVec.ofNat_add]
    · cases hl

/-- A lane has its value. -/
theorem lane {r i : Nat} {e : Expr U B} (he : σ.lane r i = some e) : e.at base V s₀ = V.lane s r i := by
  simp only [Sym.lane, Option.map_eq_some_iff] at he
  obtain ⟨es, hes, rfl⟩ := he
  exact (h.vec hes i).symm

variable {x : Step U B} {ls : List (Expr U B)} (hl : ∀ {i e}, nth ls i = some e → e.at base V s₀ = x.loaded V s 0 i)
include hl

/-- An expression of a footprint has its value. -/
theorem value {e v : Expr U B} (hv : e.subst σ.lane (fun _ i => nth ls i) = some v) :
    v.at base V s₀ = e.eval (V.lane s) (x.loaded V s) :=
  Expr.eval_subst (fun hr => h.lane hr) (fun hq => hl hq) hv

/-- Expressions of a footprint have their values. -/
theorem values {es vs : List (Expr U B)} (hv : σ.values ls es = some vs) :
    vs.map (Expr.at base V s₀) = es.map (Expr.eval (V.lane s) (x.loaded V s)) := by
  induction es generalizing vs with
  | nil => cases hv; rfl
  | cons e es ih =>
    simp only [Sym.values, Option.bind_eq_some_iff, Option.map_eq_some_iff] at hv
    obtain ⟨w, hw, ws, hws, rfl⟩ := hv
    rw [List.map_cons, List.map_cons, h.value hl hw, ih hws]

/-- Lanes of a footprint have their values. -/
theorem lanes {es vs : List (Expr U B)} (hv : σ.values ls es = some vs) (i : Nat) :
    (laneOf vs i).at base V s₀ = (laneOf es i).eval (V.lane s) (x.loaded V s) := by
  induction es generalizing vs i with
  | nil => cases hv; rfl
  | cons e es ih =>
    simp only [Sym.values, Option.bind_eq_some_iff, Option.map_eq_some_iff] at hv
    obtain ⟨w, hw, ws, hws, rfl⟩ := hv
    cases i with
    | zero => exact h.value hl hw
    | succ i => exact ih hws i

/-- Vector registers have their new values. -/
theorem setVecs {l : List (Nat × List (Expr U B))} {vec vec' : List (List (Expr U B))}
    (hv : σ.setVecs ls l vec = some vec') {r : Nat} {es : List (Expr U B)} (he : nth vec' r = some es) :
    match find r l with
    | none => nth vec r = some es
    | some xs => ∀ i, (laneOf es i).at base V s₀ = (laneOf xs i).eval (V.lane s) (x.loaded V s) := by
  induction l generalizing vec' with
  | nil => cases hv; exact he
  | cons y rest ih =>
    obtain ⟨q, ys⟩ := y
    simp only [Sym.setVecs, Option.bind_eq_some_iff, Option.map_eq_some_iff] at hv
    obtain ⟨w, hw, vs, hvs, rfl⟩ := hv
    rcases nth_put he with ⟨rfl, rfl⟩ | ⟨hr, he⟩
    · simp only [find, Nat.beq_refl, cond_true]
      exact fun i => h.lanes hl hvs i
    · have : Nat.beq q r = false := by
        cases hb : Nat.beq q r with
        | false => rfl
        | true => exact absurd (Nat.eq_of_beq_eq_true hb).symm hr
      simp only [find, this, cond_false]
      exact ih hw he

/-- Stores lie in areas that may be written, and have their effect. -/
theorem setMem (H : L.Holds V base s₀) {mem : List (Store U B)} (hm : σ.setMem L ls x = some mem) :
    (∀ {b d es}, x.store = some (b, d, es) → covered (V.memory s).writable (V.ea s b d) (16 * es.length) = true) ∧
    Stores L mem ∧ memAfter base V s₀ mem = x.stored V s := by
  unfold Sym.setMem at hm
  split at hm
  · rename_i hx
    cases hm
    exact ⟨fun e => (by rw [hx] at e; cases e), h.stores, by simp only [Step.stored, hx, h.memory]; rfl⟩
  · rename_i b d es hx
    simp only [Option.bind_eq_some_iff, Bool.cond_eq_ite] at hm
    obtain ⟨⟨t, off⟩, hp, hm⟩ := hm
    split at hm
    · rename_i hw
      obtain ⟨vs, hvs, hm⟩ := Option.bind_eq_some_iff.1 hm
      have hvals := h.values hl hvs
      have hlen : vs.length = es.length := by simpa using congrArg List.length hvals
      have hi := hlen ▸ Layout.inside_of_mayWrite hw
      obtain ⟨hs, hm⟩ := stores_sound H h.stores hi hm
      refine ⟨fun e => ?_, hs, ?_⟩
      · rw [hx] at e
        cases e
        rw [h.place hp, h.memory]
        exact H.writable hw
      · rw [hm, Step.stored, hx]
        simp only [h.place hp, ← hvals, h.memory, Memory.bytes_set]
    · cases hm

omit hl in
/-- General registers have their new values. -/
theorem setGpr {s' : S} (he : x.Effect V s s') {r : Nat} {v : Val} (hv : nth (σ.setGpr x) r = some v) :
    v.Means base V s₀ (V.gpr s' r) := by
  have hg := he.gpr r
  unfold Sym.setGpr at hv
  split at hv
  · rename_i hx
    rw [hx] at hg
    exact hg ▸ h.gpr hv
  · rename_i d hx
    rw [hx] at hg
    rcases nth_put hv with ⟨rfl, rfl⟩ | ⟨hr, hv⟩
    · trivial
    · simp only [hr, if_false] at hg
      exact hg ▸ h.gpr hv
  · rename_i d q k hx
    rw [hx] at hg
    rcases nth_put hv with ⟨rfl, rfl⟩ | ⟨hr, hv⟩
    · simp only [if_true] at hg
      rw [hg q k rfl]
      cases hq : nth σ.gpr q with
      | none => trivial
      | some w => exact Val.add_means _ (h.gpr hq) k
    · simp only [hr, if_false] at hg
      exact hg ▸ h.gpr hv

end Sym.Means

/-- One instruction. -/
theorem Sym.Means.step {x : Step U B} {i : I} (hi : M.step i = some x) (H : L.Holds V base s₀)
    (h : σ.Means L base V s₀ s) {σ' : Sym U B} (hs : σ.step L x = some σ') :
    ∃ s' t, isa.exec i s = some (s', t) ∧ σ'.Means L base V s₀ s' := by
  simp only [Sym.step, Option.bind_eq_some_iff, Option.map_eq_some_iff] at hs
  obtain ⟨ls, hls, vec, hvec, mem, hmem, rfl⟩ := hs
  obtain ⟨load, hl⟩ := h.loads H hls
  obtain ⟨store, stores, hm⟩ := h.setMem hl H hmem
  obtain ⟨s', t, hx, he⟩ := M.step_sound hi ⟨load, store⟩
  refine ⟨s', t, hx, fun hv => h.setGpr he hv, fun {r es} hv i => ?_, ?_, stores, he.other.trans h.other⟩
  · have := h.setVecs hl hvec hv
    rw [he.vec r i]
    split
    · rename_i hf
      rw [hf] at this
      exact h.vec this i
    · rename_i hf
      rw [hf] at this
      exact (this i).symm
  · rw [he.memory, h.memory, ← hm]
    rfl

/-- **The evaluator is sound.** -/
theorem Machine.run_sound (H : L.Holds V base s₀) {is : List I} (h : σ.Means L base V s₀ s) {σ' : Sym U B}
    (hr : M.run L is σ = some σ') : ∃ s' t, isa.execs is s = some (s', t) ∧ σ'.Means L base V s₀ s' := by
  induction is generalizing s σ with
  | nil => cases hr; exact ⟨s, [], rfl, h⟩
  | cons i is ih =>
    simp only [Machine.run, Option.bind_eq_some_iff] at hr
    obtain ⟨x, hx, σ₁, h₁, hr⟩ := hr
    obtain ⟨s₁, t, he, hm⟩ := h.step hx H h₁
    obtain ⟨s', u, hs, hm⟩ := ih hm hr
    exact ⟨s', t ++ u, by simp [Isa.execs, he, hs], hm⟩

end Sound
end TCB.SymExec
