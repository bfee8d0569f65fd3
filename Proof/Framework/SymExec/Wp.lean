import Proof.Framework.SymExec.Sound

/-!
# What a block does, by symbolic evaluation

One computed check of a block, which the kernel runs, gives total correctness with the live-out registers and the stores
as expressions.
-/

set_option autoImplicit false
namespace TCB.SymExec
variable {S I C F R U B : Type}

/-- What a block does. -/
structure Outcome (U B : Type) where
  /-- Lanes of the vector registers that matter afterwards, zero beyond the last. -/
  vec : List (Nat × List (Expr U B)) := []
  /-- The general registers that change. -/
  gpr : List (Nat × Val) := []
  /-- The stores: pieces of 16 bytes from an offset of an area. -/
  mem : List (Nat × Nat × List (Expr U B)) := []

/-- Registers that are kept, for an outcome. -/
def keptE (rs : List Nat) : List (Nat × List (Expr U B)) := rs.map fun r => (r, [.reg r 0])

section Check
variable [DecidableEq U] [DecidableEq B]

/-- Equal lists of expressions. -/
def sameExprs : List (Expr U B) → List (Expr U B) → Bool
  | [], [] => true
  | a :: as, b :: bs => a.same b && sameExprs as bs
  | _, _ => false

/-- Equal lists of stores. -/
def sameStores : List (Store U B) → List (Store U B) → Bool
  | [], [] => true
  | a :: as, b :: bs => Nat.beq a.area b.area && (Nat.beq a.off b.off && (a.val.same b.val && sameStores as bs))
  | _, _ => false

/-- The stores of an outcome, sorted; `none` if one may not be written. -/
def storesOf (L : Layout) : List (Nat × Nat × List (Expr U B)) → List (Store U B) → Option (List (Store U B))
  | [], mem => some mem
  | (t, off, es) :: rest, mem =>
    bif L.mayWrite t off (16 * es.length) then (Sym.stores t off es mem).bind (storesOf L rest) else none

/-- Vector registers are as the outcome says. -/
def sameVecs (vec : List (List (Expr U B))) : List (Nat × List (Expr U B)) → Bool
  | [] => true
  | (r, es) :: rest => (match nth vec r with
      | none => false
      | some xs => sameExprs (xs.take es.length) es && (xs.drop es.length).all (Expr.same (.const 0))) &&
    sameVecs vec rest

/-- General registers from number `r` on are as the outcome says, or as they were. -/
def sameGprs (L : Layout) (out : List (Nat × Val)) : Nat → List Val → Bool
  | _, [] => true
  | r, v :: vs => decide (v = (find r out).getD (L.start r)) && sameGprs L out (r + 1) vs

/-- The outcome describes the symbolic state. -/
def Outcome.describes (L : Layout) (out : Outcome U B) (σ : Sym U B) : Bool :=
  sameVecs σ.vec out.vec && (sameGprs L out.gpr 0 σ.gpr && match storesOf L out.mem [] with
    | none => false
    | some mem => sameStores σ.mem mem)
end Check

variable [Ops U B] {isa : Isa S I C F} {V : View S R}

/-- The block has the outcome. -/
def Machine.check [DecidableEq U] [DecidableEq B] (M : Machine isa V U B) (L : Layout) (is : List I)
    (out : Outcome U B) : Bool :=
  match M.run L is (.start L M.gprs M.vecs M.lanes) with
  | none => false
  | some σ => out.describes L σ

/-- The contents of memory after pieces were stored. -/
def writeRuns (base : Nat → Addr) (V : View S R) (s : S) : List (Nat × Nat × List (Expr U B)) → Mem → Mem
  | [], m => m
  | (t, off, es) :: rest, m =>
    writeRuns base V s rest (writeBytes m (base t + BitVec.ofNat 64 off) (laneBytes (es.map (Expr.at base V s))))

/-- The state `s'` is what the outcome says, after a block that began in `s`. -/
structure Outcome.Ends (base : Nat → Addr) (V : View S R) (M : Machine isa V U B) (out : Outcome U B) (s s' : S) :
    Prop where
  vec : ∀ {r es}, find r out.vec = some es → ∀ i, V.lane s' r i = (laneOf es i).at base V s
  gpr : ∀ {r}, r < M.gprs → match find r out.gpr with
    | none => V.gpr s' r = V.gpr s r
    | some v => v.Means base V s (V.gpr s' r)
  memory : V.memory s' = (V.memory s).set (writeRuns base V s out.mem (V.memory s).bytes)
  other : V.other s' = V.other s

section Sound
variable [DecidableEq U] [DecidableEq B] {M : Machine isa V U B} {L : Layout} {base : Nat → Addr} {s s' : S}
  {σ : Sym U B} {out : Outcome U B}

omit [Ops U B] in
/-- The computed answer is right. -/
theorem eq_of_sameExprs : ∀ {as bs : List (Expr U B)}, sameExprs as bs = true → as = bs
  | [], [], _ => rfl
  | a :: as, b :: bs, h => by
    simp only [sameExprs, Bool.and_eq_true] at h
    rw [Expr.eq_of_same h.1, eq_of_sameExprs h.2]
  | [], _ :: _, h | _ :: _, [], h => by cases h

omit [Ops U B] in
/-- The computed answer is right. -/
theorem eq_of_sameStores : ∀ {as bs : List (Store U B)}, sameStores as bs = true → as = bs
  | [], [], _ => rfl
  | ⟨t, off, a⟩ :: as, ⟨t', off', b⟩ :: bs, h => by
    simp only [sameStores, Bool.and_eq_true] at h
    rw [Nat.eq_of_beq_eq_true h.1, Nat.eq_of_beq_eq_true h.2.1, Expr.eq_of_same h.2.2.1, eq_of_sameStores h.2.2.2]
  | [], _ :: _, h | _ :: _, [], h => by cases h

omit [DecidableEq U] [DecidableEq B] in
/-- The stores of an outcome have their effect. -/
theorem storesOf_sound (H : L.Holds V base s) {runs : List (Nat × Nat × List (Expr U B))} {mem mem' : List (Store U B)}
    (hm : Stores L mem) (h : storesOf L runs mem = some mem') :
    memAfter base V s mem' = writeRuns base V s runs (memAfter base V s mem) := by
  induction runs generalizing mem with
  | nil => cases h; rfl
  | cons run rest ih =>
    obtain ⟨t, off, es⟩ := run
    simp only [storesOf, Bool.cond_eq_ite] at h
    split at h
    · rename_i hw
      obtain ⟨k, hk, h⟩ := Option.bind_eq_some_iff.1 h
      obtain ⟨hs, he⟩ := stores_sound H hm (Layout.inside_of_mayWrite hw) hk
      rw [ih hs h, he]
      rfl
    · cases h

omit [Ops U B] [DecidableEq U] [DecidableEq B] in
/-- A lane of a list that continues with zeros. -/
theorem laneOf_append_zeros {es zs : List (Expr U B)} (hz : ∀ z ∈ zs, z = .const 0) (i : Nat) :
    laneOf (es ++ zs) i = laneOf es i := by
  induction es generalizing i with
  | nil =>
    induction zs generalizing i with
    | nil => rfl
    | cons z zs ih =>
      cases i with
      | zero => exact hz z (.head _)
      | succ i => exact ih (fun z h => hz z (.tail _ h)) i
  | cons e es ih =>
    cases i with
    | zero => rfl
    | succ i => exact ih i

omit [Ops U B] in
/-- A symbolic state and its outcome say the same of a vector register. -/
theorem sameVecs_sound {vec : List (List (Expr U B))} {l : List (Nat × List (Expr U B))} (h : sameVecs vec l = true)
    {r : Nat} {es : List (Expr U B)} (hf : find r l = some es) :
    ∃ xs, nth vec r = some xs ∧ ∀ i, laneOf xs i = laneOf es i := by
  induction l with
  | nil => cases hf
  | cons y rest ih =>
    obtain ⟨q, ys⟩ := y
    simp only [sameVecs, Bool.and_eq_true] at h
    simp only [find, Bool.cond_eq_ite] at hf
    split at hf
    · rename_i e
      cases hf
      have e := Nat.eq_of_beq_eq_true e
      subst e
      have h := h.1
      split at h
      · cases h
      · rename_i xs hx
        simp only [Bool.and_eq_true, List.all_eq_true] at h
        refine ⟨xs, hx, fun i => ?_⟩
        rw [← List.take_append_drop es.length xs, eq_of_sameExprs h.1]
        exact laneOf_append_zeros (fun z hz => (Expr.eq_of_same (h.2 z hz)).symm) i
    · exact ih h.2 hf

/-- A symbolic state and its outcome say the same of a general register. -/
theorem sameGprs_sound {l : List (Nat × Val)} {n r : Nat} {vs : List Val} (h : sameGprs L l n vs = true) {v : Val}
    (hv : nth vs r = some v) : v = (find (n + r) l).getD (L.start (n + r)) := by
  induction vs generalizing n r with
  | nil => cases hv
  | cons w ws ih =>
    simp only [sameGprs, Bool.and_eq_true, decide_eq_true_eq] at h
    cases r with
    | zero => cases hv; exact h.1
    | succ r =>
      rw [show n + (r + 1) = n + 1 + r by omega]
      exact ih h.2 hv

/-- The registers of the symbolic state are as many as those of the machine. -/
theorem exists_nth_put {α : Type} {l : List α} {n r : Nat} {v : α} (h : ∃ w, nth l r = some w) :
    ∃ w, nth (put l n v) r = some w := by
  induction l generalizing n r with
  | nil => obtain ⟨w, hw⟩ := h; cases hw
  | cons x xs ih =>
    cases n <;> cases r <;> simp only [put, nth] at h ⊢
    · exact ⟨_, rfl⟩
    · exact h
    · exact ⟨_, rfl⟩
    · exact ih h

omit [DecidableEq U] [DecidableEq B] in
/-- No register is lost. -/
theorem Machine.run_gprs {r : Nat} {is : List I} {σ σ' : Sym U B} (hr : M.run L is σ = some σ')
    (h : ∃ v, nth σ.gpr r = some v) : ∃ v, nth σ'.gpr r = some v := by
  induction is generalizing σ with
  | nil => cases hr; exact h
  | cons i is ih =>
    simp only [Machine.run, Option.bind_eq_some_iff] at hr
    obtain ⟨x, hx, σ₁, h₁, hr⟩ := hr
    simp only [Sym.step, Option.bind_eq_some_iff, Option.map_eq_some_iff] at h₁
    obtain ⟨_, _, _, _, _, _, rfl⟩ := h₁
    refine ih hr ?_
    simp only [Sym.setGpr]
    split
    · exact h
    · exact exists_nth_put h
    · exact exists_nth_put h

/-- **A block whose check succeeds ends as its outcome says.** -/
theorem Machine.wp {pub : List Region} {Q : S → Prop} {is : List I} (out : Outcome U B) (H : L.Holds V base s)
    (h : M.check L is out = true) (hq : ∀ s', out.Ends base V M s s' → Q s') : isa.Wp pub (.block is) Q s := by
  unfold Machine.check at h
  split at h
  · cases h
  rename_i σ hr
  obtain ⟨s', t, hx, hm⟩ := M.run_sound H (Sym.start_means (M := M) H) hr
  refine ⟨t, s', .block hx, hq s' ?_⟩
  simp only [Outcome.describes, Bool.and_eq_true] at h
  obtain ⟨hv, hg, hs⟩ := h
  refine ⟨fun hf i => ?_, fun {r} hlt => ?_, ?_, hm.other⟩
  · obtain ⟨xs, hx, he⟩ := sameVecs_sound hv hf
    rw [hm.vec hx i, he i]
  · obtain ⟨v, hv⟩ := M.run_gprs hr (r := r) ⟨_, nth_listFrom_lt hlt⟩
    have e := sameGprs_sound hg hv
    rw [Nat.zero_add] at e
    have m := hm.gpr hv
    split
    · rename_i hf
      rw [hf, Option.getD_none] at e
      have m₀ := (Sym.start_means (M := M) H).gpr (r := r) (nth_listFrom_lt hlt)
      rw [Nat.zero_add] at m₀
      rw [e] at m
      cases hp : find r L.ptrs with
      | none => simpa [Layout.start, hp, Val.Means] using m
      | some p =>
        simp only [Layout.start, hp, Val.Means] at m m₀
        rw [m, m₀]
    · rename_i w hf
      rw [hf, Option.getD_some] at e
      exact e ▸ m
  · split at hs
    · cases hs
    · rename_i mem hmem
      rw [hm.memory, eq_of_sameStores hs, storesOf_sound H (fun _ h => absurd h List.not_mem_nil) hmem]
      rfl

/-- The same for a block that accesses no memory. -/
theorem Machine.wp_registers {pub : List Region} {Q : S → Prop} {is : List I} (out : Outcome U B)
    (h : M.check ⟨[], []⟩ is out = true) (hq : ∀ s', out.Ends (fun _ => 0) V M s s' → Q s') : isa.Wp pub (.block is) Q s :=
  M.wp (L := ⟨[], []⟩) out ⟨fun _ h => absurd h List.not_mem_nil, trivial, trivial, trivial, trivial⟩ h hq

end Sound
end TCB.SymExec
