import Impl.Partial.AArch64
import Proof.AArch64.Keeps
import Proof.AArch64.SymExec
import Proof.Framework.Nat
import Proof.Partial.AArch64.Masks

/-!
# The 1 to 15 bytes at the end of a buffer, on AArch64: the steps of the fragments, and which code runs
-/

set_option autoImplicit false
namespace Proof.Partial.AArch64
open TCB TCB.AArch64 Impl Impl.AArch64 Impl.Partial.AArch64

/-! ## Instructions -/

/-- A number in the low half. -/
theorem set_low (v : BitVec 64) : Lane.set (.d 0) 0 v = v.setWidth 128 := by
  apply BitVec.eq_of_getLsbD_eq
  intro i hi
  show ((0#128).extractLsb' 64 64 ++ v).getLsbD i = _
  simp only [BitVec.getLsbD_append, BitVec.getLsbD_setWidth, BitVec.getLsbD_extractLsb', BitVec.getLsbD_zero, Bool.and_false]
  by_cases h : i < 64
  · simp [h, hi]
  · simp [h, BitVec.getLsbD_of_ge v i (by omega)]

section
variable {pub : List Region} {is : List Instr} {Q : State → Prop} {s s' : State} {r n : Reg} {x y : Vec} {w : Width} {a : Ea}
  {p : Addr} {bs : List Byte} {m : Memory} {b b' : Mem} {k c i : Nat} {q : BitVec 128} {v : BitVec 64}

/-- Store the low bytes of a general register. -/
theorem wp_strLow (he : s.ea a w.bytes = p) (hm : s.memory = m.set b) (hc : covered m.writable p w.bytes = true)
    (hr : toBytes w.bytes (s.gpr r) = bs) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) : isa.Wp pub (.block (.str (.gpr w r) a :: is)) Q s := by
  subst he hb hr
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a w.bytes) w.bytes])
    (by simp [isa, exec, State.storing, State.data, Transfer.bytes, Memory.store, Memory.set, hm, hc]) h

/-- Load a vector register. -/
theorem wp_ldrVec (he : s.ea a 16 = p) (hm : s.memory = m) (hc : covered m.readable p 16 = true)
    (hb : ofBytes 128 (bytesAt m.bytes p 16) = q) (h : isa.Wp pub (.block is) Q (s.setVec x q)) :
    isa.Wp pub (.block (.ldr (.vec x) a :: is)) Q s := by
  subst he hm hb
  exact .cons (s₁ := s.setVec x _) (t := [.load (s.ea a 16) 16])
    (by simp [isa, exec, State.loading, Memory.load, Transfer.bytes, put_vec, hc]) h

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put in
/-- A vector register becomes a number. -/
theorem wp_set (hv : s.gpr r = v) (h : isa.Wp pub (.block is) Q ((s.setVec x 0).setVec x (v.setWidth 128))) :
    isa.Wp pub (.block (.movi x 0 :: .ins (.d 0) x r :: is)) Q s := by
  refine .cons (s₁ := s.setVec x 0) (t := []) rfl (.cons (t := []) ?_ h)
  simp only [isa, exec]
  reads
  rw [hv, set_low]

/-- The address `[base, #c]`, where the base points `k` bytes before `p`. -/
theorem ea_plus (hr : s.gpr r = p - BitVec.ofNat 64 k) (hc : c < 256) (hk : i + k = c) {l : Nat} :
    s.ea (plus r c) l = p + BitVec.ofNat 64 i := by
  have e : (BitVec.ofNat 9 c).signExtend 64 = BitVec.ofNat 64 c := by
    apply BitVec.eq_of_toInt_eq
    rw [BitVec.toInt_signExtend_of_le (by omega), BitVec.toInt_ofNat', BitVec.toInt_ofNat']
    simp only [Int.bmod]
    omega
  simp only [State.ea, plus, hr, e]
  rw [← hk, BitVec.ofNat_add]
  bv_omega

/-- The address of a byte. -/
theorem ea_byte (hr : s.gpr r = p) (hi : i < 4096) : s.ea (Impl.AArch64.word r i) 1 = p + BitVec.ofNat 64 i := by
  simp only [State.ea, Impl.AArch64.word, hr, BitVec.toNat_ofNat, Nat.mul_one]
  rw [Nat.mod_eq_of_lt (by omega)]

end

/-! ## Which code runs -/

section
variable {pub : List Region} {Q : State → Prop} {s : State} {n : Reg} {k : Nat}

/-- Comparing the number of bytes. -/
theorem compare_ok {is : List Instr} {j : Nat} (hn : s.gpr n = BitVec.ofNat 64 k) (hk : k < 16) (hj : j < 16)
    (h : ∀ f : Nzcv, f.c = !decide (k < j) → isa.Wp pub (.block is) Q (s.setFlags f)) :
    isa.Wp pub (.block (.cmp n (imm j) :: is)) Q s := by
  refine .cons rfl ?_
  rw [src_imm (by omega), hn]
  exact h _ (by rw [subFlags, ult_ofNat (by omega) (by omega)])

/-- Whether the number was lower. -/
theorem lo_of {f : Nzcv} {b : Bool} (hf : f.c = !b) : isa.eval .lo (s.setFlags f) = some b := by
  show some (!f.c) = _
  rw [hf, Bool.not_not]

/-- The code of the size runs. -/
theorem bySize_ok {bytes : Kernel} {ends : Width → List Instr} (hn : s.gpr n = BitVec.ofNat 64 k) (hk : k < 16)
    (hb : k < 4 → ∀ f, isa.Wp pub bytes Q (s.setFlags f))
    (he : ∀ w f, w.bytes ≤ 8 → w.bytes ≤ k → k ≤ 2 * w.bytes → isa.Wp pub (.block (ends w)) Q (s.setFlags f)) :
    isa.Wp pub (bySize n bytes ends) Q s := by
  refine .seq (compare_ok hn hk (by decide) fun f hf => .nil (.ite (v := decide (k < 8)) (lo_of hf) (fun h8 => ?_) fun h8 => ?_))
  · have h8 := of_decide_eq_true h8
    refine .seq (compare_ok hn hk (by decide) fun g hg => .nil (.ite (v := decide (k < 4)) (lo_of hg) (fun h4 => ?_) fun h4 => ?_))
    · exact hb (of_decide_eq_true h4) g
    · have h4 := of_decide_eq_false h4
      exact he .word g (by decide) (show 4 ≤ k by omega) (show k ≤ 8 by omega)
  · have h8 := of_decide_eq_false h8
    exact he .dword f (by decide) (show 8 ≤ k by omega) (show k ≤ 16 by omega)

/-- As many bytes are moved as there are. -/
theorem byBytes_ok {move : Nat → List Instr} (Inv : Nat → State → Prop)
    (len : ∀ {i s}, Inv i s → s.gpr n = BitVec.ofNat 64 k) (flags : ∀ {i s}, Inv i s → ∀ f, Inv i (s.setFlags f))
    (step : ∀ {i s}, i < k → i < 3 → Inv i s → isa.Wp pub (.block (move i)) (Inv (i + 1)) s) (h1 : 1 ≤ k) (h3 : k < 4)
    (h : Inv 0 s) : isa.Wp pub (byBytes n move) (Inv k) s := by
  refine .seq (.mono (step h1 (by decide) h) fun s h => .seq (compare_ok (len h) (by omega) (by decide) fun f hf => .nil
    (.skipIf (v := decide (k < 2)) (lo_of hf) (fun h2 => ?_) fun h2 => ?_)))
  · obtain rfl : k = 1 := by have := of_decide_eq_true h2; omega
    exact flags h f
  have h2 := of_decide_eq_false h2
  refine .seq (.mono (step (by omega) (by decide) (flags h f)) fun s h => .seq (compare_ok (len h) (by omega) (by decide)
    fun f hf => .nil (.skipIf (v := decide (k < 3)) (lo_of hf) (fun h3 => ?_) fun h3 => ?_)))
  · obtain rfl : k = 2 := by have := of_decide_eq_true h3; omega
    exact flags h f
  · obtain rfl : k = 3 := by have := of_decide_eq_false h3; omega
    exact step (by decide) (by decide) (flags h f)

end
end Proof.Partial.AArch64
