import Proof.Partial.X86_64.Sizes

/-!
# Loading 1 to 15 bytes, on x86-64
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64
open TCB TCB.X86_64 Impl Impl.X86_64 Impl.Partial.X86_64
open SymExec (Within)

/-- The registers that the fragments may change. -/
def clobbered : List Reg := [.rax, .r11]

/-- Register `d` is `x` with zeros above, only `t` of the other vector registers has changed, and memory is as it was. -/
structure Loaded (s₀ : State) (d t : Vec) (x : BitVec 128) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  value : s.vec d = ofLanes x 0 0 0
  others : ∀ r, r ≠ d → r ≠ t → s.vec r = s₀.vec r

section
variable {pub : List Region} {s₀ s : State} {d t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat} {x : BitVec 128}

/-- A word from a general register. -/
theorem setWidth_register {bs : List Byte} (h : bs.length ≤ 8) :
    (ofBytes 64 bs).setWidth 512 = ofLanes (ofBytes 128 bs) 0 0 0 := by
  rw [setWidth_eq_ofLanes _ (by decide), setWidth_ofBytes (by omega)]

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- What a register held that does not change. -/
theorem unchanged {v : BitVec 64} (h : Keeps clobbered s₀ s) (hp : p ∉ clobbered) (e : s₀.gpr p = v) : s.gpr p = v :=
  (h.gpr p hp).trans e

/-- Byte by byte: the first `i` bytes are in `rax`. -/
structure LoadInv (s₀ : State) (a : Addr) (i : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  vec : s.vec = s₀.vec
  value : 0 < i → s.gpr .rax = ofBytes 64 (bytesAt s₀.memory.bytes a i)

/-- The next byte. -/
theorem loadByte_ok {i : Nat} (hp : p ∉ clobbered) (ha : s₀.gpr p = a) (hr : Within s₀.memory.readable ⟨a, k⟩)
    (hk : k < 16) (hi : i < k) (h3 : i < 3) (h : LoadInv s₀ a i s) :
    isa.Wp pub (.block (loadByte p i)) (LoadInv s₀ a (i + 1)) s := by
  have pointer : s.gpr p = a + BitVec.ofNat 64 0 := unchanged h.keeps hp (by rw [ha, BitVec.add_zero])
  have memory : s.memory = s₀.memory.set s₀.memory.bytes := h.memory
  have read {j : Nat} (hj : j < k) : covered s₀.memory.readable (a + BitVec.ofNat 64 j) 1 = true := hr.covered hj (by omega)
  rw [loadByte]
  split
  · subst_vars
    refine wp_load (w := .byte) (ea_at (j := 0) pointer (by decide) rfl) memory (read hi) rfl (.nil ?_)
    refine ⟨kept h.keeps, by reads; exact h.memory, by reads; exact h.vec, fun _ => ?_⟩
    reads
    rw [BitVec.add_zero]
    rfl
  · refine wp_load (w := .byte) (ea_at (j := i) pointer (by omega) (by omega)) memory (read hi) rfl ?_
    refine .cons rfl (.cons rfl (.nil ?_))
    have shift : (BitVec.ofNat 6 (8 * i)).toNat = 8 * i := by rw [BitVec.toNat_ofNat]; omega
    simp only [alu_or, State.shift, shift, show 8 * i ≠ 0 by omega, if_false, State.src]
    refine ⟨kept h.keeps, by reads; exact h.memory, by reads; exact h.vec, fun _ => ?_⟩
    reads
    rw [h.value (by omega)]
    exact ofBytes_or _ _ (Nat.le_refl i) (by omega)

/-- The first and the last bytes, which meet. -/
theorem loadEnds_ok (w : Width) (hd : d ≠ t) (hp : p ∉ clobbered) (hn : n ∉ clobbered) (ha : s₀.gpr p = a)
    (hl : s₀.gpr n = BitVec.ofNat 64 k) (hr : Within s₀.memory.readable ⟨a, k⟩)
    (ht : HasTable s₀.memory (s₀.gpr .r10) slideAt slide) (h8 : w.bytes ≤ 8) (hw : w.bytes ≤ k) (hk : k ≤ 2 * w.bytes) :
    isa.Wp pub (.block (loadEnds slideAt d t p n w)) (Loaded s₀ d t (ofBytes 128 (bytesAt s₀.memory.bytes a k))) s₀ := by
  have near := ht.near
  rw [show slide.length = 48 from rfl] at near
  have pointer : s₀.gpr p = a + BitVec.ofNat 64 0 := by rw [ha, BitVec.add_zero]
  have same : s₀.memory = s₀.memory.set s₀.memory.bytes := rfl
  refine wp_load (ea_at (j := 0) pointer (by omega) rfl) same (hr.covered (by omega) (by omega)) rfl ?_
  refine .cons rfl ?_
  refine wp_load (ea_before (j := k - w.bytes) (unchanged (kept (Keeps.refl _ s₀)) hp pointer)
    (unchanged (kept (Keeps.refl _ s₀)) hn hl) (by omega) (by omega)) (get same) (hr.covered (by omega) (by omega)) rfl ?_
  refine .cons rfl (.cons rfl (.cons rfl ?_))
  simp only [alu_sub, State.src]
  refine wp_vecBinMem (ea_back (i := slideAt + (16 - (k - w.bytes))) (k := k) (p := s₀.gpr .r10) ?_ (by omega) (by omega))
    (by reads) (ht.covered (show 16 - (k - w.bytes) + 16 ≤ 48 by omega)) (ht.word (show 16 - (k - w.bytes) + 16 ≤ 48 by omega))
    ?_
  · have ⟨na, n11⟩ : n ≠ .rax ∧ n ≠ .r11 := by simpa [clobbered] using hn
    reads
    simp only [na, n11, if_false, hl]
  refine .cons rfl (.nil ⟨kept (Keeps.refl _ s₀), by reads, ?_, fun r hrd hrt => ?_⟩)
  · reads
    simp only [VecWidth.lanewise, State.lane]
    reads
    rw [if_neg hd.symm, if_neg hd.symm, setWidth_register (by rwa [length_bytesAt]), setWidth_register (by rwa [length_bytesAt]),
      (lane_ofLanes _ _ _ _).1, (lane_ofLanes _ _ _ _).1, (lane_ofLanes _ _ _ _).1, pshufb_up _ (by omega), BitVec.add_zero]
    refine congrArg (ofLanes · 0 0 0) ((BitVec.or_comm ..).trans ((ofBytes_or _ a (by omega) (by omega)).trans ?_))
    rw [Nat.sub_add_cancel hw]
  · reads
    simp only [hrd, hrt, if_false]

end

section
variable {pub : List Region} {s₀ s : State} {d t : Vec} {p n : Reg} {a : Addr} {k slideAt : Nat} {x : BitVec 128}

namespace Loaded

/-- The same from before a comparison. -/
theorem of_setFlags {f : Flag → Option Bool} (h : Loaded (s₀.setFlags f) d t x s) : Loaded s₀ d t x s :=
  ⟨(Keeps.refl _ _).setFlags.trans h.keeps, h.memory, h.value, h.others⟩

/-- The lowest lane of the register. -/
theorem lane (h : Loaded s₀ d t x s) : view.lane s d.val 0 = x := by
  rw [lane_view, State.lane, h.value, (lane_ofLanes _ _ _ _).1]

/-- The lanes of the other registers. -/
theorem lane_others (h : Loaded s₀ d t x s) {r : Nat} (hd : r ≠ d.val) (ht : r ≠ t.val) (i : Nat) :
    view.lane s r i = view.lane s₀ r i := by
  simp only [view, State.lane]
  split
  · rw [h.others _ (fun e => hd (congrArg Fin.val e)) fun e => ht (congrArg Fin.val e)]
  · rfl

end Loaded

/-- The fragment loads the bytes and changes no memory. -/
theorem load_ok (hd : d ≠ t) (hp : p ∉ clobbered) (hn : n ∉ clobbered) (ha : s.gpr p = a) (hl : s.gpr n = BitVec.ofNat 64 k)
    (h1 : 1 ≤ k) (h15 : k ≤ 15) (hr : Within s.memory.readable ⟨a, k⟩)
    (ht : HasTable s.memory (s.gpr .r10) slideAt slide) :
    isa.Wp pub (load slideAt d t p n) (Loaded s d t (ofBytes 128 (bytesAt s.memory.bytes a k))) s := by
  refine bySize_ok hl (by omega) (fun h4 f => ?_) fun w f h8 hw hk => ?_
  · refine .seq (.mono (byBytes_ok (LoadInv s a) (k := k) (fun h => unchanged h.keeps hn hl)
      (fun h f => ⟨h.keeps.setFlags, h.memory, h.vec, h.value⟩) (fun hi h3 => loadByte_ok hp ha hr (by omega) hi h3) h1 h4
      ⟨(Keeps.refl _ s).setFlags, rfl, rfl, nofun⟩) fun s' h => .cons rfl (.nil ⟨h.keeps.setVec, h.memory, ?_, ?_⟩))
    · rw [vec_setVec, if_pos rfl, h.value h1, setWidth_register (by rw [length_bytesAt]; omega)]
    · intro r hrd _
      rw [vec_setVec, if_neg hrd, h.vec]
  · exact .mono (loadEnds_ok (s₀ := s.setFlags f) w hd hp hn ha hl hr ht h8 hw hk) fun s' h => h.of_setFlags

end
end Proof.Partial.X86_64
