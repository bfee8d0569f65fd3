import Proof.AesGcm.Seal.AArch64.Tail

/-!
# Sealing the last bytes, beyond whole blocks
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Seal.AArch64 Impl.Ghash.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.AArch64 Proof.Ghash.AArch64

/-- The last bytes are encrypted. -/
def addOutcome : Outcome VecUn SymBin :=
  outcome ((0, [xorE (.reg 0 0) (.reg 1 0)]) :: keptE [18, 20, 21, 22, 23, 24, 31])

/-- The power at `x0`. -/
def lastLayout : Layout := { areas := [{ len := 16 }], ptrs := [(0, 0, 0)] }

/-- The last bytes are in the sums. -/
def lastOutcome : Outcome VecUn SymBin := outcome (nextE (reverseE (.reg 0 0)) (.load 0 0) ++ keptE [18, 21, 31])

@[inherit_doc hash_checked]
theorem last_checked :
    machine.check lastLayout (.vecUn .rev64 26 0 :: swap 25 26 :: next (at_ .x0)) lastOutcome = true := by
  decide +kernel

section
variable {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d i : Nat} {y : Spec.Ghash.Block}

/-- **The last bytes are sealed.** -/
theorem last_ok (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m₀ : s₀.memory = k.memory)
    (hd : d % 16 = 0) (hs : k.len - d < 128) (h : Past k tab s₀ d y i s) :
    isa.Wp pub last (Ended k tab s₀ d y (rest k d).length k.len) s := by
  have le := h.le
  have few := h.few
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  refine .skipIf (eval_zero (by omega) h.left) (fun z => ?_) fun z => ?_
  · have z := of_decide_eq_true z
    have whole : (rest k d).length = i := by rw [length_rest hd (by omega)]; omega
    rw [whole]
    refine ⟨h.frame, h.sums, ?_⟩
    rw [h.memory, show d + 16 * i = k.len by omega]
  have z := of_decide_eq_false z
  have count : (rest k d).length = i + 1 := by rw [length_rest hd (by omega)]; omega
  have size : k.len - d - 16 * i = k.len % 16 := by omega
  have env := h.env r e m₀
  have readable : s.memory.readable = k.memory.readable := by rw [h.memory]; rfl
  refine .seq ((Proof.Partial.AArch64.load_ok (a := k.data + BitVec.ofNat 64 (d + 16 * i)) (k := k.len - d - 16 * i) (by decide) (by decide)
    (by decide) h.next h.left (by omega) (by omega) (by rw [readable]; exact r.pre.reads.part _ (by omega)) env.slide).mono
      fun s₂ l₂ => .seq ?_)
  have f₂ : Frame [.x5, .x6, .x7] [0, 18, 20, 21, 22, 23, 24, 31] s s₂ := .of_loaded l₂ (by decide)
  have x₂ : view.lane s₂ 1 0 = ofBytes 128 (bytesAt s.memory.bytes (k.data + BitVec.ofNat 64 (d + 16 * i)) (k.len - d - 16 * i)) := l₂.lane
  refine machine.wp_registers addOutcome (by decide +kernel) fun s₃ o₃ => .seq ?_
  have f₃ : Frame [] [18, 20, 21, 22, 23, 24, 31] s₂ s₃ := .of_ends o₃ (by decide +kernel)
  have m₃ : s₃.memory = s.memory := Eq.trans o₃.memory l₂.memory
  have x₃ : view.lane s₃ 0 0 = k.text.key (k.len / 16) ^^^
      ofBytes 128 (bytesAt k.text.bytes (k.text.data + BitVec.ofNat 64 (16 * (k.len / 16))) (k.len % 16)) := by
    have : view.lane s₃ 0 0 = view.lane s₂ 0 0 ^^^ view.lane s₂ 1 0 := o₃.vec (r := 0) rfl 0
    have bytes : s.memory.bytes = k.text.mem (d + 16 * i) := by rw [h.memory]; rfl
    rw [this, x₂, f₂.lane 0, h.stream, bytes, ← data, k.text.bytesAt_mem_rest (Nat.le_refl _) (by omega), size,
      show d + 16 * i = 16 * (k.len / 16) by omega, show d / 16 + i = k.len / 16 by omega]
  have f₀₃ : Frame [.x5, .x6, .x7] [18, 20, 21, 22, 23, 24, 31] s s₃ := (f₂.mono (fun _ h => h) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h)
  have env₃ : Env (fixedOf k tab) s₃ := env.same f₀₃.keeps m₃
  refine (Proof.Partial.AArch64.keepFirst_ok (t := 2) (k := k.len - d - 16 * i) (by decide) (by decide) ((f₀₃.gpr .x4).trans h.left) (by omega) env₃.ones).mono
    fun s₄ l₄ => .seq ?_
  have f₄ : Frame [.x5, .x6, .x7] [18, 20, 21, 22, 23, 24, 31] s₃ s₄ := .of_loaded l₄ (by decide)
  generalize hb : (toBytes 16 (k.text.key (k.len / 16) ^^^ ofBytes 128 (bytesAt k.text.bytes (k.text.data + BitVec.ofNat 64 (16 * (k.len / 16)))
    (k.len % 16)))).take (k.len % 16) = bs
  have length : bs.length = k.len % 16 := by rw [← hb, List.length_take, length_toBytes]; omega
  have x₄ : view.lane s₄ 0 0 = ofBytes 128 bs := by
    rw [show view.lane s₄ 0 0 = _ from l₄.lane, show (0 : Vec).val = 0 from rfl, x₃, size, hb]
  have f₀₄ : Frame [.x5, .x6, .x7] [18, 20, 21, 22, 23, 24, 31] s s₄ := f₀₃.trans f₄
  have m₄ : s₄.memory = s.memory := l₄.memory.trans m₃
  have env₄ : Env (fixedOf k tab) s₄ := env.same f₀₄.keeps m₄
  have writable : s₄.memory.writable = k.memory.writable := by rw [m₄, h.memory]; rfl
  refine (Proof.Partial.AArch64.store_ok (a := k.data + BitVec.ofNat 64 (d + 16 * i)) (k := k.len - d - 16 * i) (by decide) (by decide) (by decide)
    ((f₀₄.gpr .x3).trans h.next) ((f₀₄.gpr .x4).trans h.left) (by omega) (by omega)
    (by rw [writable]; exact r.pre.writes.part _ (by omega)) env₄.slide).mono fun s₅ l₅ => ?_
  have lane₅ (r : Nat) (hr : r ≠ 2) : view.lane s₅ r 0 = view.lane s₄ r 0 := l₅.lane_others hr 0
  have f₅ : Frame [.x5, .x6, .x7] [18, 20, 21, 22, 23, 24, 31] s₄ s₅ := ⟨l₅.keeps, fun r hr => lane₅ r (by rintro rfl; revert hr; decide)⟩
  have f₀₅ : Frame [.x5, .x6, .x7] [18, 20, 21, 22, 23, 24, 31] s s₅ := f₀₄.trans f₅
  have whole : (toBytes 16 (ofBytes 128 bs)).take bs.length = bs := by
    have : toBytes 16 (ofBytes 128 bs) = bs ++ List.replicate (16 - bs.length) 0 := by
      rw [← ofBytes_append_zeros bs (16 - bs.length), toBytes_ofBytes (by simp; omega) (by decide)]
    rw [this, List.take_left' rfl]
  have m₅ : s₅.memory = k.memory.set (k.text.mem k.len) := by
    have store := k.text.store_last (k := k.len / 16) (r := k.len % 16) (by omega) (by omega)
    rw [hb] at store
    have m : s₄.memory = k.memory.set (k.text.mem (d + 16 * i)) := m₄.trans h.memory
    rw [l₅.memory, show (0 : Vec).val = 0 from rfl, x₄, size, ← length, whole, m, Memory.set_set, Memory.bytes_set, ← len, ← store, data,
      show d + 16 * i = 16 * (k.len / 16) by omega]
  have powers₅ : s₅.gpr .x0 = k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) + BitVec.ofNat 64 (16 * i) :=
    (f₀₅.gpr .x0).trans h.powers
  have holds : lastLayout.Holds view (fun _ => k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16)) + BitVec.ofNat 64 (16 * i)) s₅ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact powers₅.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by
      simp only [view, m₅]
      rw [BitVec.add_assoc, ← BitVec.ofNat_add]
      exact r.pre.readsCtx.part _ (by omega), trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp lastOutcome holds last_checked fun s₆ o => ?_
  have f₆ : Frame [] [18, 21, 31] s₅ s₆ := .of_ends o (by decide +kernel)
  rw [count]
  refine ⟨?_, ?_, Eq.trans o.memory m₅⟩
  · exact h.frame.trans ((f₀₅.mono (by decide) (by decide)).trans (f₆.mono (List.nil_subset _) fun _ h => h))
  · refine (h.sums.of_frame f₀₅).next o (xE := reverseE (.reg 0 0)) (pE := .load 0 0) (fun r hr => ?_) ?_
      (ending_last (by omega) hd (by omega)) ?_
    · simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      rcases hr with rfl | rfl | rfl | rfl <;> rfl
    · rw [reverseE_at, show (Expr.reg 0 0 : VecExpr).at _ view s₅ = view.lane s₅ 0 0 from rfl, lane₅ 0 (by decide), x₄,
        Text.lastBlock, hb, partialBlock]
    · have bytes : s₅.memory.bytes = k.text.mem k.len := by rw [m₅]; rfl
      have place := word_add (k.text.mem k.len) (k.ctx + BitVec.ofNat 64 (496 - 16 * ((k.len - d + 15) / 16))) (16 * i) 0
      rw [← power_word r hd (by omega) hs k.len (by omega)]
      refine Eq.trans ?_ place
      rw [← bytes]
      rfl

end
end Proof.AesGcm.Seal.AArch64
