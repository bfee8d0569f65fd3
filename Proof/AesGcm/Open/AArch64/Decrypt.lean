import Impl.AesGcm.Open.AArch64
import Proof.AesGcm.AArch64.Lengths

/-!
# Decrypting what is left, when its tag is right
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Impl.AesGcm.Open.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.AArch64 Proof.Ghash.AArch64

/-- The text at `x3`. -/
def decryptLayout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(3, 0, 0)] }

/-- A block is decrypted, and the keystream moves down. -/
def decryptOutcome : Outcome VecUn SymBin :=
  outcome ((List.range 7).map fun i => (i, [.bin (.vec .orr) (.reg (i + 1) 0) (.reg (i + 1) 0)])) [(0, 0, [xorE (.reg 0 0) (.load 0 0)])]

/-- The last bytes are decrypted. -/
def addOutcome : Outcome VecUn SymBin := outcome [(0, [xorE (.reg 0 0) (.reg 1 0)])]

/-- The first `d` bytes of the text are decrypted, and the keystream of the others is in registers. -/
structure Decrypted (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  keeps : Keeps [.x3, .x4] s₀ s
  whole : d % 16 = 0
  few : k.len - d < 128
  memory : s.memory = k.memory.set (k.text.mem d)
  stream : ∀ i, d + 16 * i < k.len → view.lane s i 0 = k.text.key (d / 16 + i)

section
attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put
variable {c : Fixed} {k : Call} {tab p : Addr} {s₀ s : State} {pub : List Region} {d n : Nat}

/-- **The keystream of what is left.** -/
theorem streamRest_ok (e : Env c s) (hc : Constants s) (key : s.gpr .x0 = c.ctx) (left : s.gpr .x4 = BitVec.ofNat 64 n) (hn : n < 128)
    {count : BitVec 128} (counter : view.lane s 17 0 = held count) : isa.Wp pub streamRest (fun s' =>
      (∀ i, 16 * i < n → view.lane s' i 0 = c.cipher (Spec.Gcm.counter count i)) ∧ Frame [.x0] others s s' ∧
      s'.memory = s.memory) s := by
  refine .seq ((compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial left).mono
    fun s₁ ⟨_, f₁, m₁, c₁, _, _⟩ => ?_)
  have e₁ := e.same f₁.keeps m₁
  have next {n' : Nat} (g : Group n') (few : ∀ i, 16 * i < n → i < n') : isa.Wp pub (keystream n') (fun s' =>
      (∀ i, 16 * i < n → view.lane s' i 0 = c.cipher (Spec.Gcm.counter count i)) ∧ Frame [.x0] others s s' ∧
      s'.memory = s.memory) s₁ :=
    (keystream_ok g ((f₁.gpr .x0).trans key) e₁.keyed (hc.of_frame f₁) ((f₁.lane 17).trans counter)).mono fun s₂ ⟨b₂, _, f₂, m₂⟩ =>
      ⟨fun i hi => (b₂ i (few i hi)).trans (e₁.holds.cipher _), (f₁.mono (List.nil_subset _) (by decide)).trans f₂, m₂.trans m₁⟩
  exact .ite c₁ (fun c => next group_four fun i hi => by have := of_decide_eq_true c; omega) fun _ => next group_eight fun i hi => by omega

/-- Groups of 128. -/
theorem groups_eval (hn : n < 2 ^ 64) : Un.eval (.lsl 6) (Un.eval (.lsr 7) (BitVec.ofNat 64 n)) = BitVec.ofNat 64 (n - n % 128) := by
  show (BitVec.ofNat 64 n >>> 7) <<< 7 = _
  apply BitVec.eq_of_toNat_eq
  simp only [BitVec.toNat_shiftLeft, BitVec.toNat_ushiftRight, BitVec.toNat_ofNat, Nat.shiftLeft_eq, Nat.shiftRight_eq_div_pow]
  omega

/-- Past the groups. -/
theorem skip_ok (next : s.gpr .x3 = p) (left : s.gpr .x4 = BitVec.ofNat 64 n) (hn : n < 2 ^ 64) : isa.Wp pub (.block skip) (fun s' =>
      Frame [.x5, .x3, .x4] (List.range 32) s s' ∧ s'.memory = s.memory ∧ s'.gpr .x3 = p + BitVec.ofNat 64 (n - n % 128) ∧
      s'.gpr .x4 = BitVec.ofNat 64 (n % 128)) s := by
  refine .cons rfl (.cons rfl (.cons rfl (.cons rfl (.nil ?_))))
  simp only [alu_add, alu_sub, State.src]
  refine ⟨.of_vec (kept (Keeps.refl _ s)) (by vecs), by reads, ?_, ?_⟩
  · reads
    rw [next, left, groups_eval hn]
  · reads
    rw [left, groups_eval hn, show BitVec.ofNat 64 n - BitVec.ofNat 64 (n - n % 128) =
      BitVec.ofNat 64 (n - 0) - BitVec.ofNat 64 (n - n % 128) from rfl, ofNat_sub_ofNat (by omega)]
    congr 1
    omega

/-- Counting changes nothing. -/
theorem Decrypted.stable (d : Nat) : Stable [.x3, .x4] (Decrypted k s₀ d) := fun s s' h g m v =>
  ⟨h.keeps.trans g, h.whole, h.few, m.trans h.memory, fun i hi => by rw [← h.stream i hi]; simp only [view, v]⟩

/-- **The next block.** -/
theorem decryptNext_ok (r : Ready k tab) (h : At (Decrypted k s₀) k.data k.len d s) (hd : d + 16 ≤ k.len) :
    isa.Wp pub (.block decryptNext) (fun s' => Decrypted k s₀ (d + 16) s' ∧ s'.gpr .x3 = s.gpr .x3 ∧ s'.gpr .x4 = s.gpr .x4) s := by
  have hs := h.holds
  have whole := hs.whole
  have few := hs.few
  have memory := hs.memory
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  have holds : decryptLayout.Holds view (fun _ => k.data + BitVec.ofNat 64 d) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact h.next.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, memory]; exact r.pre.reads.part _ hd, trivial⟩
    writes := ⟨fun _ => by simp only [view, memory]; exact r.pre.writes.part _ hd, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp decryptOutcome holds (by decide +kernel) fun s' o => ?_
  have g : Keeps [] s s' := keeps_of_ends o [] rfl rfl
  refine ⟨⟨hs.keeps.trans (g.mono (List.nil_subset _)), by omega, by omega, ?_, fun i hi => ?_⟩, g.gpr _ (by decide), g.gpr _ (by decide)⟩
  · have stored : s'.memory = s.memory.set (writeBytes s.memory.bytes (k.data + BitVec.ofNat 64 d + 0#64) (toBytes 16
        (view.lane s 0 0 ^^^ Spec.AesGcm.Context.word s.memory.bytes (k.data + BitVec.ofNat 64 d) 0) ++ [])) := o.memory
    have bytes : s.memory.bytes = k.text.mem d := by rw [memory]; rfl
    have store := k.text.store_block (k := d / 16) (by omega)
    have word := k.text.word_mem_rest (d := d) (k := d / 16) (by omega) (by omega)
    rw [show 16 * (d / 16) = d by omega] at store word
    rw [stored, List.append_nil, BitVec.add_zero, hs.stream 0 (by omega), Nat.add_zero, bytes, word_add, Nat.add_zero, ← data, word, store,
      memory, Memory.set_set]
  · have : ∀ i, i < 7 → find i decryptOutcome.vec = some [.bin (.vec .orr) (.reg (i + 1) 0) (.reg (i + 1) 0)] := fun i hi => by
      rcases i with _ | _ | _ | _ | _ | _ | _ | i <;> first | rfl | omega
    rw [o.vec (this i (by omega)) 0, show (d + 16) / 16 + i = d / 16 + (i + 1) by omega]
    exact (BitVec.or_self ..).trans (hs.stream (i + 1) (by omega))

/-- **What is left is decrypted.** -/
theorem decryptRest_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (a : Arguments k n pub s) (hn : 6 < n) (hd : d = k.len - k.len % 128)
    (m : s.memory = k.memory.set (k.text.mem d)) (stream : ∀ i, d + 16 * i < k.len → view.lane s i 0 = k.text.key (d / 16 + i)) :
    isa.Wp pub decryptRest (fun s' => Keeps [.x5, .x6, .x7, .x3, .x4] s s' ∧ s'.memory = k.memory.set (k.text.mem k.len)) s := by
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  refine .seq ((arguments_ok 5 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have l₁ : s₁.gpr .x4 = BitVec.ofNat 64 k.len := l₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine (skip_ok p₁ l₁ (k.value 6).isLt).mono fun s₂ ⟨f₂, m₂, p₂, l₂⟩ => .seq ?_
  have f₂ : Frame [.x5, .x3, .x4] (List.range 32) s s₂ := (f₁.mono (by decide) fun _ h => h).trans f₂
  have small := k.text.small
  have start : At (Decrypted k s₂) k.data k.len d s₂ := {
    holds := ⟨.refl _ s₂, by omega, by omega, (m₂.trans m₁).trans m, fun i hi => (f₂.lanes i (List.mem_range.2 (by omega))).trans (stream i hi)⟩
    le := by omega
    next := by rw [p₂, hd]; rfl
    left := by rw [l₂, hd]; congr 1; omega }
  refine (runs_ok (L := k.len) (n := 16) Decrypted.stable (k.value 6).isLt (by decide) start fun h hd => decryptNext_ok r h hd).mono
    fun s₃ ⟨d', h₃, _, few⟩ => ?_
  have few : k.len - d' < 16 := few
  have le := h₃.le
  have hs := h₃.holds
  have k₃ : Keeps [.x5, .x6, .x7, .x3, .x4] s s₃ := (f₂.keeps.mono (by decide)).trans (hs.keeps.mono (by decide))
  refine .skipIf (eval_zero (by omega) h₃.left) (fun z => ⟨k₃, ?_⟩) fun z => .seq ?_
  · have z : k.len - d' = 0 := of_decide_eq_true z
    rw [hs.memory, show d' = k.len by omega]
  have z := of_decide_eq_false z
  have whole := hs.whole
  have size : k.len - d' = k.len % 16 := by omega
  have env₃ : Env (fixedOf k tab) s₃ := e.set k₃ (by decide) (b := k.text.mem d') (by rw [hs.memory, m]; rfl) (r.holds_mem d')
  have readable : s₃.memory.readable = k.memory.readable := by rw [hs.memory]; rfl
  refine (Proof.Partial.AArch64.load_ok (a := k.data + BitVec.ofNat 64 d') (k := k.len - d') (by decide) (by decide)
    (by decide) h₃.next h₃.left (by omega) (by omega) (by rw [readable]; exact r.pre.reads.part _ (by omega)) env₃.slide).mono
      fun s₅ l₅ => .seq ?_
  have f₅ : Frame [.x5, .x6, .x7] [0] s₃ s₅ := .of_loaded l₅ (by decide)
  have x₅ : view.lane s₅ 1 0 = ofBytes 128 (bytesAt s₃.memory.bytes (k.data + BitVec.ofNat 64 d') (k.len - d')) := l₅.lane
  refine machine.wp_registers addOutcome (by decide +kernel) fun s₆ o₆ => ?_
  have k₆ : Keeps [] s₅ s₆ := keeps_of_ends o₆ [] rfl rfl
  have m₆ : s₆.memory = s₃.memory := Eq.trans o₆.memory l₅.memory
  have x₆ : view.lane s₆ 0 0 = k.text.key (k.len / 16) ^^^
      ofBytes 128 (bytesAt k.text.bytes (k.text.data + BitVec.ofNat 64 d') (k.len % 16)) := by
    have : view.lane s₆ 0 0 = view.lane s₅ 0 0 ^^^ view.lane s₅ 1 0 := o₆.vec (r := 0) rfl 0
    have bytes : s₃.memory.bytes = k.text.mem d' := by rw [hs.memory]; rfl
    rw [this, x₅, f₅.lane 0, hs.stream 0 (by omega), bytes, ← data, k.text.bytesAt_mem_rest (Nat.le_refl _) (by omega), size, Nat.add_zero,
      show d' / 16 = k.len / 16 by omega]
  have k₃₆ : Keeps [.x5, .x6, .x7] s₃ s₆ := f₅.keeps.trans (k₆.mono (List.nil_subset _))
  have env₆ := env₃.same k₃₆ m₆
  have writable : s₆.memory.writable = k.memory.writable := by rw [m₆, hs.memory]; rfl
  refine (Proof.Partial.AArch64.store_ok (a := k.data + BitVec.ofNat 64 d') (k := k.len - d') (by decide) (by decide) (by decide)
    ((k₃₆.gpr .x3 (by decide)).trans h₃.next) ((k₃₆.gpr .x4 (by decide)).trans h₃.left) (by omega) (by omega)
    (by rw [writable]; exact r.pre.writes.part _ (by omega)) env₆.slide).mono fun s₇ l₇ => ?_
  refine ⟨k₃.trans ((k₃₆.mono (by decide)).trans (l₇.keeps.mono (by decide))), ?_⟩
  have store := k.text.store_last (k := k.len / 16) (r := k.len % 16) (by omega) (by omega)
  rw [show 16 * (k.len / 16) = d' by omega] at store
  have before : s₆.memory = k.memory.set (k.text.mem d') := m₆.trans hs.memory
  rw [l₇.memory, show (0 : Vec).val = 0 from rfl, x₆, size, before]
  exact congrArg k.memory.set store

end
end Proof.AesGcm.Open.AArch64
