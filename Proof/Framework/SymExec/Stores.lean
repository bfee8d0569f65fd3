import Proof.Framework.SymExec.Area

/-!
# Symbolic memory

The stores of a block, 16 bytes each, sorted by area and offset, so that one block has one list of stores whatever their
order was.
-/

set_option autoImplicit false
namespace TCB.SymExec
variable {S R U B : Type} [Ops U B]

/-- A store of 16 bytes. -/
structure Store (U B : Type) where
  area : Nat
  off : Nat
  val : Expr U B

/-- Load 16 bytes after stores; `none` if one overlaps them in part. -/
def loadAfter (t off : Nat) : List (Store U B) → Option (Expr U B)
  | [] => some (.load t off)
  | x :: rest =>
    bif Nat.beq t x.area then
      bif Nat.beq off x.off then some x.val
      else bif Nat.ble (off + 16) x.off || Nat.ble (x.off + 16) off then loadAfter t off rest
      else none
    else loadAfter t off rest

/-- One more store: the list is in descending order, and a store to the same place replaces an earlier one; `none` if it
overlaps another in part. -/
def addStore (s : Store U B) : List (Store U B) → Option (List (Store U B))
  | [] => some [s]
  | x :: rest =>
    bif Nat.blt x.area s.area then some (s :: x :: rest)
    else bif Nat.beq s.area x.area then
      bif Nat.ble (x.off + 16) s.off then some (s :: x :: rest)
      else bif Nat.beq s.off x.off then some (s :: rest)
      else bif Nat.ble (s.off + 16) x.off then (addStore s rest).map (x :: ·)
      else none
    else (addStore s rest).map (x :: ·)

section Meaning
variable (reg load : Nat → Nat → BitVec 128) (base : Nat → Addr) (m : Mem)

/-- The contents of memory after the stores. -/
def Store.apply (x : Store U B) (m : Mem) : Mem :=
  writeBytes m (base x.area + BitVec.ofNat 64 x.off) (toBytes 16 (x.val.eval reg load))

/-- The contents of memory after all stores; the first of the list is the latest. -/
def applyStores : List (Store U B) → Mem
  | [] => m
  | x :: rest => x.apply reg load base (applyStores rest)
end Meaning

/-- The 16 bytes at an offset of an area. -/
def word (base : Nat → Addr) (m : Mem) (t off : Nat) : BitVec 128 :=
  ofBytes 128 (bytesAt m (base t + BitVec.ofNat 64 off) 16)

/-- Writes to disjoint ranges commute. -/
theorem writeBytes_comm (m : Mem) {a b : Addr} {bs cs : List Byte}
    (h : (Region.mk a bs.length).Disjoint ⟨b, cs.length⟩) :
    writeBytes (writeBytes m a bs) b cs = writeBytes (writeBytes m b cs) a bs := by
  funext x
  have := h x
  simp only [Region.Contains, not_and, Nat.not_lt] at this
  simp only [writeBytes]
  by_cases hx : offset a x < bs.length
  · simp [List.getElem?_eq_none (this hx)]
  · simp [List.getElem?_eq_none (Nat.not_lt.1 hx)]

section Sound
variable {L : Layout} {V : View S R} {base : Nat → Addr} {s : S} {m : Mem} {reg load : Nat → Nat → BitVec 128}

/-- All stores lie in areas that may be written. -/
def Stores (L : Layout) (l : List (Store U B)) : Prop := ∀ x ∈ l, L.Inside x.area x.off 16 true

/-- Loading after stores is right. -/
theorem loadAfter_sound (H : L.Holds V base s) {t off : Nat} (hi : L.Inside t off 16 false) {l : List (Store U B)}
    (hl : Stores L l) {e : Expr U B} (h : loadAfter t off l = some e) :
    word base (applyStores reg (word base m) base m l) t off = e.eval reg (word base m) := by
  induction l with
  | nil => cases h; rfl
  | cons x rest ih =>
    have ih := ih fun y hy => hl y (.tail _ hy)
    have hx := hl x (.head _)
    have skip (hd : x.area ≠ t ∨ x.off + 16 ≤ off ∨ off + 16 ≤ x.off) :
        word base (applyStores reg (word base m) base m (x :: rest)) t off =
          word base (applyStores reg (word base m) base m rest) t off := by
      simp only [word, applyStores, Store.apply]
      rw [bytesAt_writeBytes_disjoint _ (by decide)]
      rw [length_toBytes]
      exact H.disjoint hx hi hd
    simp only [loadAfter] at h
    cases ht : Nat.beq t x.area with
    | false =>
      rw [ht] at h
      rw [skip (.inl (Ne.symm (Nat.ne_of_beq_eq_false ht)))]
      exact ih h
    | true =>
      have ht' := Nat.eq_of_beq_eq_true ht
      rw [ht] at h
      cases ho : Nat.beq off x.off with
      | true =>
        have ho' := Nat.eq_of_beq_eq_true ho
        rw [ho] at h
        simp only [cond_true, Option.some.injEq] at h
        subst h ht' ho'
        have same := bytesAt_writeBytes_same (applyStores reg (word base m) base m rest)
          (base x.area + BitVec.ofNat 64 x.off) (bs := toBytes 16 (x.val.eval reg (word base m))) (by simp)
        rw [length_toBytes] at same
        rw [word, applyStores, Store.apply, same, ofBytes_toBytes _ (by decide)]
      | false =>
        rw [ho] at h
        cases hd : Nat.ble (off + 16) x.off || Nat.ble (x.off + 16) off with
        | false => rw [hd] at h; simp at h
        | true =>
          rw [hd] at h
          rw [Bool.or_eq_true] at hd
          rw [skip (.inr (hd.elim (fun h => .inr (Nat.le_of_ble_eq_true h)) fun h => .inl (Nat.le_of_ble_eq_true h)))]
          exact ih h

omit [Ops U B] in
/-- Adding a store keeps all stores in areas that may be written. -/
theorem Stores.add {x : Store U B} (hx : L.Inside x.area x.off 16 true) {l l' : List (Store U B)} (hl : Stores L l)
    (h : addStore x l = some l') : Stores L l' := by
  have cons {y : Store U B} {k : List (Store U B)} (hy : L.Inside y.area y.off 16 true) (hk : Stores L k) :
      Stores L (y :: k) := fun z hz => by
    rcases List.mem_cons.1 hz with rfl | hz
    · exact hy
    · exact hk z hz
  induction l generalizing l' with
  | nil => cases h; exact cons hx hl
  | cons y rest ih =>
    have hy := hl y (.head _)
    have hr : Stores L rest := fun z hz => hl z (.tail _ hz)
    have go (h : (addStore x rest).map (y :: ·) = some l') : Stores L l' := by
      obtain ⟨k, hk, rfl⟩ := Option.map_eq_some_iff.1 h
      exact cons hy (ih hr hk)
    simp only [addStore, Bool.cond_eq_ite] at h
    split at h
    · cases h; exact cons hx hl
    split at h
    · split at h
      · cases h; exact cons hx hl
      split at h
      · cases h; exact cons hx hr
      split at h
      · exact go h
      · cases h
    · exact go h

/-- Adding a store is storing. -/
theorem applyStores_add (H : L.Holds V base s) {x : Store U B} (hx : L.Inside x.area x.off 16 true)
    {l l' : List (Store U B)} (hl : Stores L l) (h : addStore x l = some l') :
    applyStores reg load base m l' = x.apply reg load base (applyStores reg load base m l) := by
  induction l generalizing l' with
  | nil => cases h; rfl
  | cons y rest ih =>
    have hy := hl y (.head _)
    have hr : Stores L rest := fun z hz => hl z (.tail _ hz)
    have go (hd : y.area ≠ x.area ∨ y.off + 16 ≤ x.off ∨ x.off + 16 ≤ y.off)
        (h : (addStore x rest).map (y :: ·) = some l') :
        applyStores reg load base m l' = x.apply reg load base (applyStores reg load base m (y :: rest)) := by
      obtain ⟨k, hk, rfl⟩ := Option.map_eq_some_iff.1 h
      simp only [applyStores, ih hr hk, Store.apply]
      rw [writeBytes_comm]
      simp only [length_toBytes]
      exact (H.disjoint hy hx hd).symm
    simp only [addStore, Bool.cond_eq_ite] at h
    split at h
    · cases h; rfl
    rename_i hlt
    split at h
    · rename_i he
      have he := Nat.eq_of_beq_eq_true he
      split at h
      · cases h; rfl
      split at h
      · rename_i ho
        have ho := Nat.eq_of_beq_eq_true ho
        cases h
        simp only [applyStores, Store.apply, he, ho]
        rw [writeBytes_over _ _ (by simp)]
      split at h
      · rename_i ho
        exact go (.inr (.inr (Nat.le_of_ble_eq_true ho))) h
      · cases h
    · rename_i he
      exact go (.inl fun e => he (by rw [e]; exact Nat.beq_refl _)) h

end Sound
end TCB.SymExec
