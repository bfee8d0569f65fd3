import Impl.AesGcm.Open.AArch64
import Proof.AesGcm.AArch64.Enter

/-!
# Decrypting a text
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Open.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.AArch64 Proof.Ghash.AArch64

/-- The first `d` bytes of the text are decrypted, which are whole blocks. -/
structure Decrypted (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  frame : Frame [.x0, .x3, .x4] [18, 31] s₀ s
  whole : d % 16 = 0
  memory : s.memory = k.memory.set (k.text.mem d)
  counter : view.lane s 17 0 = held (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16))
  key : s.gpr .x0 = k.ctx

/-- The last bytes are decrypted. -/
def addOutcome : Outcome VecUn SymBin := outcome [(0, [xorE (.reg 0 0) (.reg 1 0)])]

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d n : Nat}

/-- Counting changes nothing. -/
theorem Decrypted.stable (d : Nat) : Stable [.x3, .x4] (Decrypted k s₀ d) := fun s s' h g m v =>
  ⟨h.frame.trans (.of_vec (g.mono (by decide)) v), h.whole, m.trans h.memory,
    by rw [← h.counter]; simp only [view, v], (g.gpr _ (by decide)).trans h.key⟩

/-- The registers and the memory hold what they should. -/
theorem Decrypted.env (h : Decrypted k s₀ d s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- **A group of blocks is decrypted.** -/
theorem group_ok (g : Group n) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Decrypted k s₀) k.data k.len d s) (hd : d + 16 * n ≤ k.len) : isa.Wp pub (group n) (fun s' =>
      Decrypted k s₀ (d + 16 * n) s' ∧ s'.gpr .x3 = s.gpr .x3 ∧ s'.gpr .x4 = s.gpr .x4) s := by
  have hs := h.holds
  have whole := hs.whole
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  have env := hs.env r e m
  refine .seq ((encrypt_ok g r env (hc.of_frame hs.frame) hs.key whole hd h.next hs.memory hs.counter).mono fun _ w => .seq (w.mono
    fun s₂ ⟨f, memory, counter⟩ => again_ok.mono fun s₃ ⟨f₃, m₃, x₃⟩ => ?_))
  refine ⟨⟨?_, by omega, m₃.trans memory, (f₃.lane 17).trans counter, x₃.trans ((f.gpr .x9).trans env.key)⟩,
    (f₃.gpr .x3).trans (f.gpr .x3), (f₃.gpr .x4).trans (f.gpr .x4)⟩
  exact hs.frame.trans ((f.mono (by decide) (by decide)).trans (f₃.mono (by decide) (by decide)))

/-- What the last bytes are left with. -/
structure Done (k : Call) (s₀ s : State) : Prop where
  keeps : Keeps [.x5, .x6, .x7, .x0, .x3, .x4] s₀ s
  memory : s.memory = k.memory.set (k.text.mem k.len)

/-- **The last bytes are decrypted.** -/
theorem last_ok (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Decrypted k s₀) k.data k.len d s) (few : k.len - d < 16) : isa.Wp pub last (Done k s₀) s := by
  have le := h.le
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  have hs := h.holds
  refine .skipIf (eval_zero (by omega) h.left) (fun z => ?_) fun z => ?_
  · have z := of_decide_eq_true z
    refine ⟨hs.frame.keeps.mono (by decide), ?_⟩
    rw [hs.memory, show d = k.len by omega]
  have z := of_decide_eq_false z
  have whole := hs.whole
  have size : k.len - d = k.len % 16 := by omega
  have env := hs.env r e m
  refine .seq ((keystream_ok group_one hs.key env.keyed (hc.of_frame hs.frame) hs.counter).mono fun s₂ ⟨b₂, _, f₂, m₂⟩ => .seq ?_)
  have env₂ := env.same f₂.keeps m₂
  have readable : s₂.memory.readable = k.memory.readable := by rw [m₂, hs.memory]; rfl
  refine (Proof.Partial.AArch64.load_ok (a := k.data + BitVec.ofNat 64 d) (k := k.len - d) (by decide) (by decide)
    (by decide) ((f₂.gpr .x3).trans h.next) ((f₂.gpr .x4).trans h.left) (by omega) (by omega)
    (by rw [readable]; exact r.pre.reads.part _ (by omega)) env₂.slide).mono fun s₃ l₃ => .seq ?_
  have f₃ : Frame [.x5, .x6, .x7] [0, 18, 20, 21, 31] s₂ s₃ := .of_loaded l₃ (by decide)
  have x₃ : view.lane s₃ 1 0 = ofBytes 128 (bytesAt s₂.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d)) := l₃.lane
  refine machine.wp_registers addOutcome (by decide +kernel) fun s₄ o₄ => ?_
  have k₄ : Keeps [] s₃ s₄ := keeps_of_ends o₄ [] rfl rfl
  have m₄ : s₄.memory = s₂.memory := Eq.trans o₄.memory l₃.memory
  have x₄ : view.lane s₄ 0 0 = k.text.key (k.len / 16) ^^^
      ofBytes 128 (bytesAt k.text.bytes (k.text.data + BitVec.ofNat 64 d) (k.len % 16)) := by
    have : view.lane s₄ 0 0 = view.lane s₃ 0 0 ^^^ view.lane s₃ 1 0 := o₄.vec (r := 0) rfl 0
    have bytes : s₂.memory.bytes = k.text.mem d := by rw [m₂, hs.memory]; rfl
    have key : view.lane s₂ 0 0 = k.text.key (d / 16) := by
      rw [b₂ 0 (by decide), counter_add, Nat.add_zero, key_text k tab]
      exact env.holds.cipher _
    rw [this, x₃, f₃.lane 0, key, bytes, ← data, k.text.bytesAt_mem_rest (Nat.le_refl _) (by omega), size,
      show d / 16 = k.len / 16 by omega]
  have k₀₄ : Keeps [.x5, .x6, .x7, .x0] s s₄ := (f₂.keeps.mono (by decide)).trans ((f₃.keeps.mono (by decide)).trans (k₄.mono (List.nil_subset _)))
  have env₄ := env.same k₀₄ (m₄.trans m₂)
  have writable : s₄.memory.writable = k.memory.writable := by rw [m₄, m₂, hs.memory]; rfl
  refine (Proof.Partial.AArch64.store_ok (a := k.data + BitVec.ofNat 64 d) (k := k.len - d) (by decide) (by decide) (by decide)
    ((k₀₄.gpr .x3 (by decide)).trans h.next) ((k₀₄.gpr .x4 (by decide)).trans h.left) (by omega) (by omega)
    (by rw [writable]; exact r.pre.writes.part _ (by omega)) env₄.slide).mono fun s₅ l₅ => ?_
  refine ⟨(hs.frame.keeps.mono (by decide)).trans ((k₀₄.mono (by decide)).trans (l₅.keeps.mono (by decide))), ?_⟩
  have store := k.text.store_last (k := k.len / 16) (r := k.len % 16) (by omega) (by omega)
  rw [show 16 * (k.len / 16) = d by omega] at store
  have before : s₄.memory = k.memory.set (k.text.mem d) := (m₄.trans m₂).trans hs.memory
  rw [l₅.memory, show (0 : Vec).val = 0 from rfl, x₄, size, before]
  exact congrArg k.memory.set store

/-- **All is decrypted.** -/
theorem decrypt_ok {n : Nat} (r : Ready k tab) (e : Env (fixedOf k tab) s) (hc : Constants s) (a : Arguments k n pub s) (hn : 6 < n)
    (m : s.memory = k.memory) (counter : view.lane s 17 0 = held (Spec.Gcm.inc32 k.j0)) (key : s.gpr .x0 = k.ctx) :
    isa.Wp pub decrypt (Done k s) s := by
  refine .seq ((arguments_ok 5 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have e₁ := e.same f₁.keeps m₁
  have c₁ := hc.of_frame f₁
  have m₁ : s₁.memory = k.memory := m₁.trans m
  have start : At (Decrypted k s₁) k.data k.len 0 s₁ := {
    holds := ⟨.refl _ _ s₁, rfl, by rw [m₁, show k.text.mem 0 = k.memory.bytes from k.text.mem_zero]; rfl,
      (f₁.lane 17).trans counter, (f₁.gpr .x0).trans key⟩
    le := Nat.zero_le _
    next := p₁.trans (BitVec.add_zero _).symm
    left := l₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm }
  refine (runs_ok (n := 128) Decrypted.stable (k.value 6).isLt (by decide) start fun h hd => group_ok group_eight r e₁ c₁ m₁ h hd).mono
    fun s₂ ⟨d, h₂, _, _⟩ => .seq ?_
  refine (runs_ok (n := 16) Decrypted.stable (k.value 6).isLt (by decide) h₂ fun h hd => group_ok group_one r e₁ c₁ m₁ h hd).mono
    fun s₃ ⟨d, h₃, _, few⟩ => ?_
  exact (last_ok r e₁ c₁ m₁ h₃ few).mono fun s₄ h₄ => ⟨(f₁.keeps.mono (by decide)).trans h₄.keeps, h₄.memory⟩

end
end Proof.AesGcm.Open.AArch64
