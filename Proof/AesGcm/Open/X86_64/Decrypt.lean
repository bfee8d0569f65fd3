import Impl.AesGcm.Open.X86_64
import Proof.AesGcm.X86_64.Lengths

/-!
# Decrypting what is left, when its tag is right
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- The text at `rcx`. -/
def decryptLayout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(1, 0, 0)] }

/-- A block is decrypted, and the keystream moves down. -/
def decryptOutcome : Outcome VecUn VecBin :=
  { vec := (List.range 7).map fun i => (i, [.reg (i + 1) 0]), mem := [(0, 0, [xorE (.reg 0 0) (.load 0 0)])] }

/-- The last bytes are decrypted. -/
def addOutcome : Outcome VecUn VecBin := { vec := [(0, [xorE (.reg 0 0) (.reg 1 0)])] }

/-- The first `d` bytes of the text are decrypted, and the keystream of the others is in registers. -/
structure Decrypted (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  keeps : Keeps [.rcx, .r8] s₀ s
  whole : d % 16 = 0
  few : k.len - d < 128
  memory : s.memory = k.memory.set (k.text.mem d)
  stream : ∀ i, d + 16 * i < k.len → view.lane s i 0 = k.text.key (d / 16 + i)

section
attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory
variable {c : Fixed} {k : Call} {tab p : Addr} {s₀ s : State} {pub : List Region} {d n : Nat}

/-- **The keystream of what is left.** -/
theorem streamRest_ok (e : Env c s) (hc : Constants s) (key : s.gpr .rdi = c.ctx) (left : s.gpr .r8 = BitVec.ofNat 64 n) (hn : n < 128)
    {count : BitVec 128} (counter : view.lane s 8 0 = count) : isa.Wp pub streamRest (fun s' =>
      (∀ i, 16 * i < n → view.lane s' i 0 = c.cipher (Spec.Gcm.counter count i)) ∧ Frame [.rdi] [9, 10, 11, 13] s s' ∧
      s'.memory = s.memory) s := by
  refine .seq ((compare_ok (P := fun _ => True) (fun _ _ _ _ _ _ => trivial) (by omega) (by decide) trivial left).mono
    fun s₁ ⟨_, f₁, m₁, c₁, _⟩ => ?_)
  have e₁ := e.same f₁.keeps m₁
  have next {n' : Nat} (g : Group n') (few : ∀ i, 16 * i < n → i < n') : isa.Wp pub (keystream n') (fun s' =>
      (∀ i, 16 * i < n → view.lane s' i 0 = c.cipher (Spec.Gcm.counter count i)) ∧ Frame [.rdi] [9, 10, 11, 13] s s' ∧
      s'.memory = s.memory) s₁ :=
    (keystream_ok g ((f₁.gpr .rdi).trans key) e₁.keyed (hc.of_frame f₁) ((f₁.lane 8).trans counter)).mono fun s₂ ⟨b₂, _, f₂, m₂⟩ =>
      ⟨fun i hi => (b₂ i (few i hi)).trans (e₁.holds.cipher _), (f₁.mono (List.nil_subset _) (by decide)).trans f₂, m₂.trans m₁⟩
  exact .ite c₁ (fun c => next group_four fun i hi => by have := of_decide_eq_true c; omega) fun _ => next group_eight fun i hi => by omega

/-- Numbers below 128. -/
theorem and_127 (n : Nat) : BitVec.ofNat 64 n &&& BitVec.ofNat 64 127 = BitVec.ofNat 64 (n % 128) := by
  apply BitVec.eq_of_toNat_eq
  rw [BitVec.toNat_and, BitVec.toNat_ofNat, BitVec.toNat_ofNat, BitVec.toNat_ofNat, show 127 % 2 ^ 64 = 2 ^ 7 - 1 from rfl,
    Nat.and_two_pow_sub_one_eq_mod]
  omega

/-- Past the groups. -/
theorem skip_ok (next : s.gpr .rcx = p) (left : s.gpr .r8 = BitVec.ofNat 64 n) : isa.Wp pub (.block skip) (fun s' =>
      Frame [.rax, .rcx, .r8] (List.range 16) s s' ∧ s'.memory = s.memory ∧ s'.gpr .rcx = p + BitVec.ofNat 64 (n - n % 128) ∧
      s'.gpr .r8 = BitVec.ofNat 64 (n % 128)) s := by
  refine .cons (s₁ := s.setReg .rax (s.gpr .r8)) rfl ?_
  generalize hs₁ : s.setReg .rax _ = s₁
  have k₁ : Keeps [.rax, .rcx, .r8] s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = s.memory := by rw [← hs₁]; reads
  have v₁ : s₁.vec = s.vec := by rw [← hs₁]; reads
  have c₁ : s₁.gpr .rcx = p := by rw [← hs₁]; reads; exact next
  have a₁ : s₁.gpr .rax = BitVec.ofNat 64 n := by rw [← hs₁]; reads; exact left
  have l₁ : s₁.gpr .r8 &&& s₁.src (imm 127) = BitVec.ofNat 64 (n % 128) := by
    rw [src_imm (by decide), ← and_127, ← hs₁]; reads; rw [left]
  refine .cons (s₁ := (s₁.setReg .r8 (s₁.gpr .r8 &&& s₁.src (imm 127))).setFlags (logicFlags (s₁.gpr .r8 &&& s₁.src (imm 127)))) rfl ?_
  rw [l₁]
  generalize hs₂ : (s₁.setReg .r8 _).setFlags _ = s₂
  have k₂ : Keeps [.rax, .rcx, .r8] s s₂ := by rw [← hs₂]; exact kept k₁
  have m₂ : s₂.memory = s.memory := by rw [← hs₂]; reads; exact m₁
  have v₂ : s₂.vec = s.vec := by rw [← hs₂]; reads; exact v₁
  have c₂ : s₂.gpr .rcx = p := by rw [← hs₂]; reads; exact c₁
  have a₂ : s₂.gpr .rax = BitVec.ofNat 64 n := by rw [← hs₂]; reads; exact a₁
  have l₂ : s₂.gpr .r8 = BitVec.ofNat 64 (n % 128) := by rw [← hs₂]; reads
  have done : s₂.gpr .rax - s₂.src (.reg .r8) = BitVec.ofNat 64 (n - n % 128) := by
    rw [State.src, a₂, l₂, show BitVec.ofNat 64 n = BitVec.ofNat 64 (n - n % 128 + n % 128) by
      rw [Nat.sub_add_cancel (Nat.mod_le ..)], BitVec.ofNat_add, BitVec.add_sub_cancel]
  refine .cons (s₁ := (s₂.setReg .rax (s₂.gpr .rax - s₂.src (.reg .r8))).setFlags (subFlags (s₂.gpr .rax) (s₂.src (.reg .r8)))) rfl ?_
  rw [done]
  generalize hs₃ : (s₂.setReg .rax _).setFlags _ = s₃
  have k₃ : Keeps [.rax, .rcx, .r8] s s₃ := by rw [← hs₃]; exact kept k₂
  have m₃ : s₃.memory = s.memory := by rw [← hs₃]; reads; exact m₂
  have v₃ : s₃.vec = s.vec := by rw [← hs₃]; reads; exact v₂
  have l₃ : s₃.gpr .r8 = BitVec.ofNat 64 (n % 128) := by rw [← hs₃]; reads; exact l₂
  have sum : s₃.gpr .rcx + s₃.src (.reg .rax) = p + BitVec.ofNat 64 (n - n % 128) := by
    rw [State.src, ← hs₃]; reads; rw [c₂]
  refine .cons (s₁ := (s₃.setReg .rcx (s₃.gpr .rcx + s₃.src (.reg .rax))).setFlags (addFlags (s₃.gpr .rcx) (s₃.src (.reg .rax)))) rfl (.nil ?_)
  rw [sum]
  exact ⟨.of_vec (kept k₃) (by reads; exact v₃), by reads; exact m₃, by reads, by reads; exact l₃⟩

/-- Counting changes nothing. -/
theorem Decrypted.stable (d : Nat) : Stable [.rcx, .r8] (Decrypted k s₀ d) := fun s s' h g m v =>
  ⟨h.keeps.trans g, h.whole, h.few, m.trans h.memory, fun i hi => by rw [← h.stream i hi]; simp only [view, State.lane, v]⟩

/-- **The next block.** -/
theorem decryptNext_ok (r : Ready k tab) (h : At (Decrypted k s₀) k.data k.len d s) (hd : d + 16 ≤ k.len) :
    isa.Wp pub (.block decryptNext) (fun s' => Decrypted k s₀ (d + 16) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
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
  have g : Keeps [] s s' := Aes.X86_64.keeps_of_ends o [] rfl
  refine ⟨⟨hs.keeps.trans (g.mono (List.nil_subset _)), by omega, by omega, ?_, fun i hi => ?_⟩, g.gpr _ (by decide), g.gpr _ (by decide)⟩
  · have stored : s'.memory = s.memory.set (writeBytes s.memory.bytes (k.data + BitVec.ofNat 64 d + 0#64) (toBytes 16
        (view.lane s 0 0 ^^^ Spec.AesGcm.Context.word s.memory.bytes (k.data + BitVec.ofNat 64 d) 0) ++ [])) := o.memory
    have bytes : s.memory.bytes = k.text.mem d := by rw [memory]; rfl
    have store := k.text.store_block (k := d / 16) (by omega)
    have word := k.text.word_mem_rest (d := d) (k := d / 16) (by omega) (by omega)
    rw [show 16 * (d / 16) = d by omega] at store word
    rw [stored, List.append_nil, BitVec.add_zero, hs.stream 0 (by omega), Nat.add_zero, bytes, word_add, Nat.add_zero, ← data, word, store,
      memory, Memory.set_set]
  · have : ∀ i, i < 7 → find i decryptOutcome.vec = some [.reg (i + 1) 0] := fun i hi => by
      rcases i with _ | _ | _ | _ | _ | _ | _ | i <;> first | rfl | omega
    rw [o.vec (this i (by omega)) 0, show (d + 16) / 16 + i = d / 16 + (i + 1) by omega]
    exact hs.stream (i + 1) (by omega)

/-- **What is left is decrypted.** -/
theorem decryptRest_ok (r : Ready k tab) (e : Env (fixedOf k tab) s) (a : Arguments k n pub s) (hn : 6 < n) (hd : d = k.len - k.len % 128)
    (m : s.memory = k.memory.set (k.text.mem d)) (stream : ∀ i, d + 16 * i < k.len → view.lane s i 0 = k.text.key (d / 16 + i)) :
    isa.Wp pub decryptRest (fun s' => Keeps [.rax, .r11, .rcx, .r8] s s' ∧ s'.memory = k.memory.set (k.text.mem k.len)) s := by
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  refine .seq ((arguments_ok 5 a hn).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have l₁ : s₁.gpr .r8 = BitVec.ofNat 64 k.len := l₁.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine (skip_ok p₁ l₁).mono fun s₂ ⟨f₂, m₂, p₂, l₂⟩ => .seq ?_
  have f₂ : Frame [.rax, .rcx, .r8] (List.range 16) s s₂ := (f₁.mono (by decide) fun _ h => h).trans f₂
  have small := k.text.small
  have start : At (Decrypted k s₂) k.data k.len d s₂ := {
    holds := ⟨.refl _ s₂, by omega, by omega, (m₂.trans m₁).trans m, fun i hi => (f₂.lanes i (List.mem_range.2 (by omega))).trans (stream i hi)⟩
    le := by omega
    next := by rw [p₂, hd]; rfl
    left := by rw [l₂, hd]; congr 1; omega }
  refine (runs_ok (L := k.len) (n := 16) Decrypted.stable (k.value 6).isLt (by decide) start fun h hd => decryptNext_ok r h hd).mono
    fun s₃ ⟨d', h₃, _, few⟩ => .seq ?_
  have few : k.len - d' < 16 := few
  have le := h₃.le
  have stable : Stable [] (At (Decrypted k s₂) k.data k.len d') := fun s s' h g m v =>
    ⟨Decrypted.stable d' h.holds (g.mono (List.nil_subset _)) m v, h.le, (g.gpr _ (by decide)).trans h.next, (g.gpr _ (by decide)).trans h.left⟩
  refine (test_ok stable (by omega) h₃ h₃.left).mono fun s₄ ⟨h₄, _, _, z₄⟩ => ?_
  have hs := h₄.holds
  have k₄ : Keeps [.rax, .r11, .rcx, .r8] s s₄ := (f₂.keeps.mono (by decide)).trans (hs.keeps.mono (by decide))
  refine .skipIf z₄ (fun z => ⟨k₄, ?_⟩) fun z => .seq ?_
  · have z : k.len - d' = 0 := of_decide_eq_true z
    rw [hs.memory, show d' = k.len by omega]
  have z := of_decide_eq_false z
  have whole := hs.whole
  have size : k.len - d' = k.len % 16 := by omega
  have env₄ : Env (fixedOf k tab) s₄ := e.set k₄ (by decide) (b := k.text.mem d') (by rw [hs.memory, m]; rfl) (r.holds_mem d')
  have readable : s₄.memory.readable = k.memory.readable := by rw [hs.memory]; rfl
  refine (Proof.Partial.X86_64.load_ok (a := k.data + BitVec.ofNat 64 d') (k := k.len - d') (by decide) (by decide)
    (by decide) h₄.next h₄.left (by omega) (by omega) (by rw [readable]; exact r.pre.reads.part _ (by omega)) env₄.slide).mono
      fun s₅ l₅ => .seq ?_
  have f₅ : Frame [.rax, .r11] [0] s₄ s₅ := .of_loaded l₅ (by decide)
  have x₅ : view.lane s₅ 1 0 = ofBytes 128 (bytesAt s₄.memory.bytes (k.data + BitVec.ofNat 64 d') (k.len - d')) := l₅.lane
  refine machine.wp_registers addOutcome (by decide +kernel) fun s₆ o₆ => ?_
  have k₆ : Keeps [] s₅ s₆ := Aes.X86_64.keeps_of_ends o₆ [] rfl
  have m₆ : s₆.memory = s₄.memory := Eq.trans o₆.memory l₅.memory
  have x₆ : view.lane s₆ 0 0 = k.text.key (k.len / 16) ^^^
      ofBytes 128 (bytesAt k.text.bytes (k.text.data + BitVec.ofNat 64 d') (k.len % 16)) := by
    have : view.lane s₆ 0 0 = view.lane s₅ 0 0 ^^^ view.lane s₅ 1 0 := o₆.vec (r := 0) rfl 0
    have bytes : s₄.memory.bytes = k.text.mem d' := by rw [hs.memory]; rfl
    rw [this, x₅, f₅.lane 0, hs.stream 0 (by omega), bytes, ← data, k.text.bytesAt_mem_rest (Nat.le_refl _) (by omega), size, Nat.add_zero,
      show d' / 16 = k.len / 16 by omega]
  have k₄₆ : Keeps [.rax, .r11] s₄ s₆ := f₅.keeps.trans (k₆.mono (List.nil_subset _))
  have env₆ := env₄.same k₄₆ m₆
  have writable : s₆.memory.writable = k.memory.writable := by rw [m₆, hs.memory]; rfl
  refine (Proof.Partial.X86_64.store_ok (a := k.data + BitVec.ofNat 64 d') (k := k.len - d') (by decide) (by decide) (by decide)
    ((k₄₆.gpr .rcx (by decide)).trans h₄.next) ((k₄₆.gpr .r8 (by decide)).trans h₄.left) (by omega) (by omega)
    (by rw [writable]; exact r.pre.writes.part _ (by omega)) env₆.slide).mono fun s₇ l₇ => ?_
  refine ⟨k₄.trans ((k₄₆.mono (by decide)).trans (l₇.keeps.mono (by decide))), ?_⟩
  have store := k.text.store_last (k := k.len / 16) (r := k.len % 16) (by omega) (by omega)
  rw [show 16 * (k.len / 16) = d' by omega] at store
  have before : s₆.memory = k.memory.set (k.text.mem d') := m₆.trans hs.memory
  rw [l₇.memory, show (0 : Vec).val = 0 from rfl, x₆, size, before]
  exact congrArg k.memory.set store

end
end Proof.AesGcm.Open.X86_64
