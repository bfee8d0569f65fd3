import Proof.Partial.AArch64.Steps

/-!
# Loading 1 to 15 bytes, on AArch64
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64
open TCB TCB.AArch64 Impl Impl.AArch64 Impl.Partial.AArch64
open SymExec (Within)
open Impl.Partial (slide)

/-- The registers that the fragments may change. -/
def clobbered : List Reg := [.x5, .x6, .x7]

/-- Register `d` is `x`, only `t` of the other vector registers has changed, and memory is as it was. -/
structure Loaded (s₀ : State) (d t : Vec) (x : BitVec 128) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  value : s.vec d = x
  others : ∀ r, r ≠ d → r ≠ t → s.vec r = s₀.vec r

section
variable {pub : List Region} {s₀ s : State} {d t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat} {x : BitVec 128}

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put

/-- What a register held that does not change. -/
theorem unchanged {v : BitVec 64} (h : Keeps clobbered s₀ s) (hp : p ∉ clobbered) (e : s₀.gpr p = v) : s.gpr p = v :=
  (h.gpr p hp).trans e

/-- Byte by byte: the first `i` bytes are in `x5`. -/
structure LoadInv (s₀ : State) (a : Addr) (i : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  vec : s.vec = s₀.vec
  value : 0 < i → s.gpr .x5 = ofBytes 64 (bytesAt s₀.memory.bytes a i)

/-- The next byte. -/
theorem loadByte_ok {i : Nat} (hp : p ∉ clobbered) (ha : s₀.gpr p = a) (hr : Within s₀.memory.readable ⟨a, k⟩)
    (hk : k < 16) (hi : i < k) (h3 : i < 3) (h : LoadInv s₀ a i s) :
    isa.Wp pub (.block (loadByte p i)) (LoadInv s₀ a (i + 1)) s := by
  have pointer : s.gpr p = a := unchanged h.keeps hp ha
  have memory : s.memory = s₀.memory.set s₀.memory.bytes := h.memory
  have read {j : Nat} (hj : j < k) : covered s₀.memory.readable (a + BitVec.ofNat 64 j) 1 = true := hr.covered hj (by omega)
  rw [loadByte]
  split
  · subst_vars
    refine wp_ldr (t := .gpr .byte .x5) (ea_byte (i := 0) pointer (by decide)) memory (read hi) rfl (.nil ?_)
    refine ⟨kept h.keeps, by reads; exact h.memory, by funext r; reads; exact congrFun h.vec r, fun _ => ?_⟩
    reads
    rw [BitVec.add_zero]
    rfl
  · refine wp_ldr (t := .gpr .byte .x6) (ea_byte (i := i) pointer (by omega)) memory (read hi) rfl ?_
    refine .cons rfl (.cons rfl (.nil ?_))
    have shift : (Fin.ofNat 63 (8 * i - 1)).val + 1 = 8 * i := by
      show (8 * i - 1) % 63 + 1 = _
      omega
    simp only [Un.eval, Logic.eval, shift]
    refine ⟨kept h.keeps, by reads; exact h.memory, by funext r; reads; exact congrFun h.vec r, fun _ => ?_⟩
    reads
    rw [h.value (by omega)]
    exact ofBytes_or _ _ (Nat.le_refl i) (by omega)

/-- The first and the last bytes, which meet. -/
theorem loadEnds_ok (w : Width) (hd : d ≠ t) (vd : savesLow d = false) (vt : savesLow t = false) (hp : p ∉ clobbered)
    (hn : n ∉ clobbered) (ha : s₀.gpr p = a) (hl : s₀.gpr n = BitVec.ofNat 64 k) (hr : Within s₀.memory.readable ⟨a, k⟩)
    (ht : HasTable s₀.memory (s₀.gpr .x10) slideAt slide) (near : slideAt < 128) (h8 : w.bytes ≤ 8) (hw : w.bytes ≤ k)
    (hk : k ≤ 2 * w.bytes) :
    isa.Wp pub (.block (loadEnds slideAt d t p n w)) (Loaded s₀ d t (ofBytes 128 (bytesAt s₀.memory.bytes a k))) s₀ := by
  have same : s₀.memory = s₀.memory.set s₀.memory.bytes := rfl
  have ⟨n5, n6, n7⟩ : n ≠ .x5 ∧ n ≠ .x6 ∧ n ≠ .x7 := by simpa [clobbered] using hn
  rw [loadEnds]
  simp only [setLow, List.cons_append, List.nil_append]
  refine .cons rfl ?_
  simp only [alu_add, State.src]
  refine wp_ldr (t := .gpr w .x6) (ea_before (i := k) (j := k - w.bytes) (p := a) (by reads; rw [ha, hl])
    (by omega) (by omega)) (get same) (hr.covered (show k - w.bytes + w.bytes ≤ k by omega) (by omega)) rfl ?_
  refine wp_set (v := ofBytes 64 (bytesAt s₀.memory.bytes (a + BitVec.ofNat 64 (k - w.bytes)) w.bytes)) (by reads; rfl) (.cons rfl ?_)
  simp only [alu_sub, State.src]
  refine wp_ldrVec (ea_plus (i := slideAt + (16 - (k - w.bytes))) (k := k) (p := s₀.gpr .x10) ?_ (by omega) (by omega))
    (by reads) (ht.covered (show 16 - (k - w.bytes) + 16 ≤ 48 by omega)) (ht.word (show 16 - (k - w.bytes) + 16 ≤ 48 by omega)) ?_
  · reads
    simp only [n6, n7, if_false, hl]
  refine .cons rfl ?_
  refine wp_ldr (t := .gpr w .x5) (ea_at (unchanged (kept (Keeps.refl _ s₀)) hp ha)) (get same)
    (by have := hr.covered (i := 0) (k := w.bytes) (by omega) (by omega); rwa [BitVec.add_zero] at this) rfl ?_
  refine wp_set (v := ofBytes 64 (bytesAt s₀.memory.bytes a w.bytes)) (by reads; rfl) (.cons rfl (.nil
    ⟨kept (Keeps.refl _ s₀), by reads, ?_, fun r hrd hrt => ?_⟩))
  · reads
    simp only [hd, if_false]
    rw [setWidth_ofBytes (by rw [length_bytesAt]; omega), setWidth_ofBytes (by rw [length_bytesAt]; omega), tbl_up _ (by omega)]
    simp only [VecBin.eval]
    rw [BitVec.or_comm, ofBytes_or _ a (by omega) (by omega), Nat.sub_add_cancel hw]
  · reads
    simp only [hrd, hrt, if_false]

end

section
variable {pub : List Region} {s₀ s : State} {d t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat} {x : BitVec 128}

namespace Loaded

/-- The same from before a comparison. -/
theorem of_setFlags {f : Nzcv} (h : Loaded (s₀.setFlags f) d t x s) : Loaded s₀ d t x s :=
  ⟨(Keeps.refl _ _).setFlags.trans h.keeps, h.memory, h.value, h.others⟩

/-- The register. -/
theorem lane (h : Loaded s₀ d t x s) : view.lane s d.val 0 = x := by rw [lane_view, h.value]

/-- The other registers. -/
theorem lane_others (h : Loaded s₀ d t x s) {r : Nat} (hd : r ≠ d.val) (ht : r ≠ t.val) (i : Nat) :
    view.lane s r i = view.lane s₀ r i := by
  simp only [view]
  split
  · rw [h.others _ (fun e => hd (congrArg Fin.val e)) fun e => ht (congrArg Fin.val e)]
  · rfl

end Loaded

/-- The fragment loads the bytes and changes no memory. -/
theorem load_ok (hd : d ≠ t) (hp : p ∉ clobbered) (hn : n ∉ clobbered) (ha : s.gpr p = a) (hl : s.gpr n = BitVec.ofNat 64 k)
    (h1 : 1 ≤ k) (h15 : k ≤ 15) (hr : Within s.memory.readable ⟨a, k⟩)
    (ht : HasTable s.memory (s.gpr .x10) slideAt slide) (near : slideAt < 128 := by decide)
    (vd : savesLow d = false := by decide) (vt : savesLow t = false := by decide) :
    isa.Wp pub (load slideAt d t p n) (Loaded s d t (ofBytes 128 (bytesAt s.memory.bytes a k))) s := by
  refine bySize_ok hl (by omega) (fun h4 f => ?_) fun w f h8 hw hk => ?_
  · refine .seq (.mono (byBytes_ok (LoadInv s a) (k := k) (fun h => unchanged h.keeps hn hl)
      (fun h f => ⟨h.keeps.setFlags, h.memory, h.vec, h.value⟩) (fun hi h3 => loadByte_ok hp ha hr (by omega) hi h3) h1 h4
      ⟨(Keeps.refl _ s).setFlags, rfl, rfl, nofun⟩) fun s' h => wp_set (h.value h1) (.nil ⟨(h.keeps.setVec vd).setVec vd, h.memory, ?_, ?_⟩))
    · rw [vec_setVec, if_pos rfl, setWidth_ofBytes (by rw [length_bytesAt]; omega)]
    · intro r hrd _
      rw [vec_setVec, if_neg hrd, vec_setVec, if_neg hrd, h.vec]
  · exact .mono (loadEnds_ok (s₀ := s.setFlags f) w hd vd vt hp hn ha hl hr ht near h8 hw hk) fun s' h => h.of_setFlags

end
end Proof.Partial.AArch64
