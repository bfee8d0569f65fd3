import Proof.Partial.AArch64.Load

/-!
# Storing 1 to 15 bytes, on AArch64
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64
open TCB TCB.AArch64 Impl Impl.AArch64 Impl.Partial.AArch64
open SymExec (Within)
open Impl.Partial (slide)

/-- Memory holds `m`, and only `t` of the vector registers has changed. -/
structure Stored (s₀ : State) (t : Vec) (m : Mem) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory.set m
  others : ∀ r, r ≠ t → s.vec r = s₀.vec r

/-- What memory holds after the first `k` bytes of register `v` are stored. -/
def stored (s₀ : State) (v : Vec) (a : Addr) (k : Nat) : Mem :=
  writeBytes s₀.memory.bytes a ((toBytes 16 (s₀.vec v)).take k)

section
variable {pub : List Region} {s₀ s : State} {v t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat}

/-- More bytes are stored, which may overlap the first. -/
theorem stored_more {i j w : Nat} (hi : i ≤ j) (hj : j ≤ i + w) (hk : i + w ≤ 16) :
    writeBytes (stored s₀ v a j) (a + BitVec.ofNat 64 i) (((toBytes 16 (s₀.vec v)).drop i).take w) = stored s₀ v a (i + w) :=
  writeBytes_take _ _ hi hj (by rw [length_toBytes]; exact hk) (by rw [length_toBytes]; decide)

/-- Nothing is stored yet. -/
theorem stored_zero : stored s₀ v a 0 = s₀.memory.bytes := by rw [stored, List.take_zero, writeBytes_nil]

/-- The low bytes of a word that was shifted. -/
theorem toBytes_low {i w : Nat} (x : BitVec 128) (hw : w ≤ 8) (hi : i + w ≤ 16) :
    toBytes w (Lane.get (.d 0) (x >>> (8 * i))) = ((toBytes 16 x).drop i).take w := by
  refine toBytes_part hi fun j hj => ?_
  simp [Lane.get, lane, show j < 64 by omega]

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put

/-- Byte by byte: the first `i` bytes are stored, and the last of them is the lowest byte of `x5`. -/
structure StoreInv (s₀ : State) (v : Vec) (a : Addr) (i : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory.set (stored s₀ v a i)
  vec : s.vec = s₀.vec
  value : s.gpr .x5 = Lane.get (.d 0) (s₀.vec v) >>> (8 * (i - 1))

/-- The next byte. -/
theorem storeByte_ok {i : Nat} (hp : p ∉ clobbered) (ha : s₀.gpr p = a) (hr : Within s₀.memory.writable ⟨a, k⟩) (hk : k < 16)
    (hi : i < k) (h3 : i < 3) (h : StoreInv s₀ v a i s) :
    isa.Wp pub (.block (storeByte p i)) (StoreInv s₀ v a (i + 1)) s := by
  have write {j : Nat} (hj : j < k) : covered s₀.memory.writable (a + BitVec.ofNat 64 j) 1 = true := hr.covered hj (by omega)
  have low : toBytes 1 (Lane.get (.d 0) (s₀.vec v) >>> (8 * i)) = ((toBytes 16 (s₀.vec v)).drop i).take 1 := by
    refine toBytes_part (by omega) fun j hj => ?_
    simp [Lane.get, lane, show 8 * i + j < 64 by omega]
  have value := h.value
  have place {s : State} (k : Keeps clobbered s₀ s) : s.ea (Impl.AArch64.word p i) Width.byte.bytes = a + BitVec.ofNat 64 i :=
    ea_byte (unchanged k hp ha) (by omega)
  rw [storeByte]
  split
  · subst_vars
    refine wp_strLow (w := .byte) (place h.keeps) h.memory (write hi)
      (by rw [value]; exact low) (stored_more (Nat.le_refl _) (Nat.zero_le _) (by decide)) (.nil ?_)
    exact ⟨kept h.keeps, by reads, by funext r; reads; exact congrFun h.vec r, by reads; exact value⟩
  · refine .cons rfl ?_
    simp only [Un.eval, show (8 : BitVec 6).toNat = 8 from rfl]
    have shifted : s.gpr .x5 >>> 8 = Lane.get (.d 0) (s₀.vec v) >>> (8 * i) := by
      rw [value, ← BitVec.shiftRight_add]
      congr 1
      omega
    rw [shifted]
    refine wp_strLow (w := .byte) (place (kept h.keeps)) (get h.memory)
      (write hi) (by reads; exact low) (stored_more (Nat.le_refl _) (by omega) (by omega)) (.nil ?_)
    exact ⟨kept h.keeps, by reads, by funext r; reads; exact congrFun h.vec r, by reads; rfl⟩

/-- The first and the last bytes, which meet. -/
theorem storeEnds_ok (w : Width) (hv : v ≠ t) (vt : savesLow t = false) (hp : p ∉ clobbered) (hn : n ∉ clobbered)
    (ha : s₀.gpr p = a) (hl : s₀.gpr n = BitVec.ofNat 64 k) (hr : Within s₀.memory.writable ⟨a, k⟩)
    (ht : HasTable s₀.memory (s₀.gpr .x10) slideAt slide) (near : slideAt < 128) (h8 : w.bytes ≤ 8) (hw : w.bytes ≤ k)
    (hk : k ≤ 2 * w.bytes) :
    isa.Wp pub (.block (storeEnds slideAt v t p n w)) (Stored s₀ t (stored s₀ v a k)) s₀ := by
  have same : s₀.memory = s₀.memory.set (stored s₀ v a 0) := by rw [stored_zero]; rfl
  have ⟨p5, p6, p7⟩ : p ≠ .x5 ∧ p ≠ .x6 ∧ p ≠ .x7 := by simpa [clobbered] using hp
  have ⟨n5, n6, n7⟩ : n ≠ .x5 ∧ n ≠ .x6 ∧ n ≠ .x7 := by simpa [clobbered] using hn
  refine .cons rfl ?_
  simp only [alu_add, State.src]
  refine wp_ldrVec (p := s₀.gpr .x10 + BitVec.ofNat 64 (slideAt + (16 + (k - w.bytes)))) ?_ (by reads)
    (ht.covered (show 16 + (k - w.bytes) + 16 ≤ 48 by omega)) (ht.word (show 16 + (k - w.bytes) + 16 ≤ 48 by omega)) ?_
  · rw [ea_plus (i := slideAt + 16 - w.bytes) (k := 0) (p := s₀.gpr .x10 + BitVec.ofNat 64 k)
      (by reads; rw [hl]; bv_omega) (by omega) (by omega), BitVec.add_assoc, ← BitVec.ofNat_add]
    congr 2
    omega
  refine .cons rfl (.cons rfl (.cons rfl (.cons rfl ?_)))
  simp only [alu_add, State.src]
  refine wp_strLow (ea_at (unchanged (kept (Keeps.refl _ s₀)) hp (ha.trans (BitVec.add_zero a).symm))) (get same)
    (hr.covered (by omega) (by omega)) (bs := ((toBytes 16 (s₀.vec v)).drop 0).take w.bytes) ?_
    (stored_more (Nat.le_refl _) (Nat.zero_le _) (by omega)) ?_
  · reads
    simp only [hv, if_false]
    exact toBytes_low (i := 0) (s₀.vec v) h8 (by omega)
  refine wp_strLow (ea_before (i := k) (j := k - w.bytes) (p := a) (by reads; simp only [p5, p6, p7, n5, n6, n7, if_false, ha, hl]) (by omega) (by omega)) (by reads)
    (hr.covered (by omega) (by omega)) (bs := ((toBytes 16 (s₀.vec v)).drop (k - w.bytes)).take w.bytes) ?_
    (stored_more (j := 0 + w.bytes) (by omega) (by omega) (by omega)) ?_
  · reads
    simp only [hv, if_false]
    rw [tbl_down _ (by omega)]
    exact toBytes_low (s₀.vec v) h8 (by omega)
  refine .nil ⟨kept (Keeps.refl _ s₀), ?_, fun r hrt => ?_⟩
  · reads
    rw [Nat.sub_add_cancel hw]
  · reads
    simp only [hrt, if_false]

end

section
variable {pub : List Region} {s₀ s : State} {v t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat} {m : Mem}

namespace Stored

/-- The same from before a comparison. -/
theorem of_setFlags {f : Nzcv} (h : Stored (s₀.setFlags f) t m s) : Stored s₀ t m s :=
  ⟨(Keeps.refl _ _).setFlags.trans h.keeps, h.memory, h.others⟩

/-- The other registers. -/
theorem lane_others (h : Stored s₀ t m s) {r : Nat} (ht : r ≠ t.val) (i : Nat) : view.lane s r i = view.lane s₀ r i := by
  simp only [view]
  split
  · rw [h.others _ fun e => ht (congrArg Fin.val e)]
  · rfl

end Stored

/-- The fragment stores the bytes and changes no others. -/
theorem store_ok (hv : v ≠ t) (hp : p ∉ clobbered) (hn : n ∉ clobbered) (ha : s.gpr p = a) (hl : s.gpr n = BitVec.ofNat 64 k)
    (h1 : 1 ≤ k) (h15 : k ≤ 15) (hr : Within s.memory.writable ⟨a, k⟩)
    (ht : HasTable s.memory (s.gpr .x10) slideAt slide) (near : slideAt < 128 := by decide)
    (vt : savesLow t = false := by decide) :
    isa.Wp pub (store slideAt v t p n)
      (Stored s t (writeBytes s.memory.bytes a ((toBytes 16 (view.lane s v.val 0)).take k))) s := by
  rw [lane_view]
  refine bySize_ok hl (by omega) (fun h4 f => ?_) fun w f h8 hw hk => ?_
  · refine .seq (.cons rfl (.nil (.mono (byBytes_ok (StoreInv s v a) (k := k) (fun h => unchanged h.keeps hn hl)
      (fun h f => ⟨h.keeps.setFlags, h.memory, h.vec, h.value⟩) (fun hi h3 => storeByte_ok hp ha hr (by omega) hi h3) h1 h4
      ⟨(Keeps.refl _ s).setFlags.setReg (by decide), by rw [stored_zero]; rfl, rfl, by
        rw [gpr_setReg, if_pos rfl]; exact (BitVec.ushiftRight_zero ..).symm⟩) fun s' h =>
      ⟨h.keeps, h.memory, fun r _ => by rw [h.vec]⟩)))
  · exact .mono (storeEnds_ok (s₀ := s.setFlags f) w hv vt hp hn ha hl hr ht near h8 hw hk) fun s' h => h.of_setFlags

end
end Proof.Partial.AArch64
