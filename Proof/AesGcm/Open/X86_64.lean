import Proof.AesGcm.Open.Contract
import Proof.AesGcm.Open.Witness
import Proof.AesGcm.Open.X86_64.Decrypt
import Proof.AesGcm.Open.X86_64.Rest
import Proof.AesGcm.Open.X86_64.Restore
import Proof.AesGcm.X86_64.Compare
import Proof.AesGcm.X86_64.Start
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# Opening a message on x86-64, verified

`opening_ok` is proven for any code that opens all groups of blocks.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Impl.Ghash.X86_64 Proof.Gf2
open Proof.AesGcm.Message hiding fixedOf counter_add
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Spec.AesGcm.Open

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The end: nothing is left, and the result is `v`. -/
theorem leave_ok {pub : List Region} {s : State} (v : Nat) : isa.Wp pub (leave v) (fun s' => Keeps [.rax, .r11] s s' ∧ s'.memory = s.memory ∧
    s'.gpr .rax = BitVec.ofNat 64 v) s := by
  refine .seq ((clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁ ⟨k₁, m₁⟩ => ?_)
  refine .cons rfl (.cons rfl (.nil ⟨kept (k₁.mono (List.nil_subset _)), by reads; exact m₁, by reads⟩))

section
variable {k : Call} {tab : Addr} {pub : List Region} {s : State}

/-- All of the text is hashed, what are groups of it is decrypted, and the keystream of the others is in registers. -/
structure Tagged (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  keeps : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₀ s
  groups : d = k.len - k.len % 128
  memory : s.memory = k.memory.set (k.text.mem d)
  stream : ∀ i, d + 16 * i < k.len → view.lane s i 0 = k.text.key (d / 16 + i)
  tag : view.lane s 11 0 = k.openedTag

/-- The registers and the memory hold what they should. -/
theorem Tagged.env {s₀ : State} {d : Nat} (h : Tagged k s₀ d s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀)
    (m : s₀.memory = k.memory) : Env (fixedOf k tab) s :=
  e.set h.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- The code after the groups, up to the tag. -/
theorem tag_ok {n : Nat} {s₀ : State} (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (a : Arguments k n pub s₀) (hn : 6 < n) (apart : (Region.mk k.data k.len).Disjoint ⟨k.args, 8 * n⟩) (mask : view.lane s₀ 13 0 = k.key 0)
    {d : Nat} (h : At (Opened k s₀) k.data k.len d s) (few : k.len - d < 128) :
    isa.Wp pub streamRest (isa.Wp pub (.block ready) (isa.Wp pub (.block empty) (isa.Wp pub hashRest (isa.Wp pub (loadLengths 15 4 6)
      (isa.Wp pub (.block finish) (Tagged k s₀ d)))))) s := by
  have hs := h.holds
  have whole := hs.whole
  have le := h.le
  have env := hs.env r e m
  have consts := hc.of_frame hs.frame
  have len : k.text.len = k.len := rfl
  have data : k.text.data = k.data := rfl
  refine (streamRest_ok env consts hs.key h.left few hs.counter).mono fun s₁ ⟨b₁, f₁, m₁⟩ => ?_
  have e₁ := env.same f₁.keeps m₁
  refine (ready_ok e₁ ((f₁.gpr .r8).trans h.left) few).mono fun s₂ ⟨f₂, m₂, d₂⟩ => ?_
  refine (empty_ok (t := tableAt k.memory.bytes k.ctx) (xs := paddedAt k.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d) ++
    [lengths k.aadLen k.len]) ((f₂.lane 11).trans (f₁.lane 11))).mono fun s₃ ⟨f₃, m₃, h₃⟩ => ?_
  have f₁₃ : Frame [.rax, .rdi] [9, 11, 13] s s₃ := (f₁.mono (by decide) (by decide)).trans ((f₂.mono (by decide) (by decide)).trans
    (f₃.mono (List.nil_subset _) (by decide)))
  have m₃ : s₃.memory = k.memory.set (k.text.mem d) := m₃.trans (m₂.trans (m₁.trans hs.memory))
  have e₃ : Env (fixedOf k tab) s₃ := env.set f₁₃.keeps (by decide) (b := k.text.mem d) (by rw [m₃, hs.memory]; rfl) (r.holds_mem d)
  have table₃ : tableAt s₃.memory.bytes k.ctx = tableAt k.memory.bytes k.ctx := by rw [m₃, Memory.bytes_set, tableAt_mem r]
  have rest₃ : paddedAt s₃.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d) =
      paddedAt k.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d) := by
    rw [m₃, Memory.bytes_set, ← padded_bytesAt, ← padded_bytesAt]
    exact congrArg padded (k.text.bytesAt_mem_rest (Nat.le_refl _) (by omega))
  refine (hashRest_ok (y := view.lane s 11 0) (z := lengths k.aadLen k.len) e₃ ((f₁₃.lane 9).trans consts.mask) few
    ((f₁₃.gpr .rcx).trans h.next) ((f₁₃.gpr .r8).trans h.left) (by rw [m₃]; exact r.pre.reads.part d (by omega)) ((f₃.gpr .rdi).trans d₂)
    (by rw [show (fixedOf k tab).ctx = k.ctx from rfl, table₃, rest₃]; exact h₃)).mono fun s₄ ⟨f₄, m₄, h₄⟩ => ?_
  have k₄ : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₀ s₄ := hs.frame.keeps.trans ((f₁₃.keeps.mono (by decide)).trans f₄.keeps)
  have m₄ : s₄.memory = k.memory.set (k.text.mem d) := m₄.trans m₃
  refine (loadLengths_ok (d := 15) (i := 4) (j := 6) (a.of_text k₄ (by decide) m m₄ apart) (by omega) hn).mono fun s₅ ⟨k₅, m₅, o₅, x₅⟩ => ?_
  have f₅ : Frame [.rax, .r11] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14] s₄ s₅ :=
    ⟨k₅, fun r hr => o₅ r (by rintro rfl; revert hr; decide)⟩
  have k₅ : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₀ s₅ := k₄.trans (k₅.mono (by decide))
  have m₅ : s₅.memory = k.memory.set (k.text.mem d) := m₅.trans m₄
  have e₅ : Env (fixedOf k tab) s₅ := e.set k₅ (by decide) (b := k.text.mem d) (by rw [m₅, m]) (r.holds_mem d)
  have sums := h₄.of_frame f₅
  rw [show s₃.memory.bytes = s₅.memory.bytes by rw [m₃, m₅]] at sums
  refine (finish_ok (k := k) e₅ ((f₅.lane 9).trans ((f₄.lane 9).trans ((f₁₃.lane 9).trans consts.mask))) sums
    (by rw [length_paddedAt]; omega) x₅).mono fun s₆ ⟨f₆, m₆, t₆⟩ => ?_
  have rest₅ : paddedAt s₅.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d) =
      paddedAt k.memory.bytes (k.data + BitVec.ofNat 64 d) (k.len - d) := by rw [← rest₃, m₃, m₅]
  refine ⟨k₅.trans (f₆.keeps.mono (List.nil_subset _)), by omega, m₆.trans m₅, fun i hi => ?_, ?_⟩
  · have i8 : i ∈ [0, 1, 2, 3, 4, 5, 6, 7] := by
      have : ∀ i, i < 8 → i ∈ [0, 1, 2, 3, 4, 5, 6, 7] := by decide
      exact this i (by omega)
    have sub {l : List Nat} (h : [0, 1, 2, 3, 4, 5, 6, 7] ⊆ l) : i ∈ l := h i8
    rw [f₆.lanes i (sub (by decide)), f₅.lanes i (sub (by decide)), f₄.lanes i (sub (by decide)), f₃.lanes i (sub (by decide)),
      f₂.lanes i (sub (by decide)), b₁ i (by omega), counter_add, Ready.key_text (tab := tab)]
  · rw [t₆, f₅.lane 13, f₄.lane 13, f₁₃.lane 13, hs.frame.lane 13, mask, hs.hash, rest₅, Call.openedTag, Call.tagWord,
      paddedAt_add (d := d) (by omega) le, Call.hash_append, BitVec.xor_comm]
    rfl

end

/-- Opening meets the functional part of the contract, if the code for all but the end opens it. -/
theorem opening_ok {constants : List Byte} {bulk : Kernel} (s : State) (h : target.Pre contract constants s)
    (hc : constants.take 128 = table) (opens : Ready (callOf target s) s.memory.constants →
      OpensAll 8 bulk (target.publicRegions contract constants s) (callOf target s) s.memory.constants) :
    isa.WpRevealing (target.publicRegions contract constants s) (target.revealed contract s) (opening bulk) (target.Post contract s) s := by
  have p := pre_of target h
  have r := ready_of h p.toPre (buffers_of target s) 4 rfl hc
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 9⟩ := args_isPublicWith constants (buffers_of target s) rfl
  have result (s' : State) := result_of target (s' := s') h
  rw [revealed_of target h]
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq (.of_wp ((start_ok r (n := 9) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs isPublic).mono
    fun s₁ b₁ => .seq (.of_wp ?_)))
  have ⟨⟨_, m₁, e₁, a₁, c₁, _, _, _, _⟩, _, _⟩ := b₁
  have start : At (Opened k s₁) k.data k.len 0 s₁ := {
    holds := {
      frame := .refl _ _ s₁
      whole := rfl
      memory := by rw [m₁, show k.text.mem 0 = k.memory.bytes from k.text.mem_zero]; rfl
      counter := b₁.counter
      hash := b₁.hash
      key := b₁.key }
    le := Nat.zero_le _
    next := b₁.text.trans (BitVec.add_zero _).symm
    left := b₁.length }
  refine (opens r e₁ c₁ m₁ start).mono fun s₂ ⟨d, h₂, few⟩ => .seq (.of_wp ?_)
  refine (tag_ok r e₁ c₁ m₁ a₁ (by decide) p.apartArgs b₁.mask h₂ few).mono fun _ w => .seq (.of_wp (w.mono fun _ w =>
    .seq (.of_wp (w.mono fun _ w => .seq (.of_wp (w.mono fun _ w => .seq (.of_wp (w.mono fun _ w => .seq (.of_wp (w.mono fun s₃ h₃ =>
      .seq (.of_wp ?_)))))))))))
  have k₃ := h₃.keeps
  have e₃ := h₃.env r e₁ m₁
  have a₃ := a₁.of_text k₃ (by decide) m₁ h₃.memory p.apartArgs
  have tagBytes : bytesAt s₃.memory.bytes k.tag k.tagLen = bytesAt k.memory.bytes k.tag k.tagLen := by
    rw [h₃.memory]
    exact k.text.bytesAt_mem_apart d (Nat.le_of_lt (k.value 8).isLt) p.apartTag
  refine (given_ok (i := 7) e₃ a₃ (by decide) p.tagLen (by rw [h₃.memory]; exact p.readsTag)).mono fun s₄ ⟨f₄, m₄, l₄, g₄⟩ => .seq (.of_wp ?_)
  have e₄ := e₃.same f₄.keeps m₄
  have g₄ : view.lane s₄ 12 0 = ofBytes 128 (bytesAt s₃.memory.bytes k.tag k.tagLen) := g₄
  have small : k.tagLen ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, l ≤ 16 := by decide
    exact this _ p.tagLen
  refine (Proof.Partial.X86_64.keepFirst_ok (v := 11) (k := k.tagLen) (by decide) l₄ small e₄.ones).mono fun s₅ l₅ => .seq (.of_wp ?_)
  have f₅ : Frame [.rax, .r11] [0, 1, 2, 3, 4, 5, 6, 7, 12] s₄ s₅ := .of_loaded l₅ (by decide)
  have x₅ : view.lane s₅ 11 0 = ofBytes 128 ((toBytes 16 k.openedTag).take k.tagLen) := by
    rw [show view.lane s₅ 11 0 = _ from l₅.lane, show (11 : Vec).val = 11 from rfl, f₄.lane 11, h₃.tag]
  refine compareTags_ok.mono fun s₆ ⟨f₆, m₆, z₆, _⟩ => ?_
  have m₆ : s₆.memory = k.memory.set (k.text.mem d) := m₆.trans (l₅.memory.trans (m₄.trans h₃.memory))
  have same : s₆.flag .zf = some (verdict k) := by
    rw [z₆, x₅, f₅.lane 12, g₄, tagBytes, BitVec.xor_comm, verdict_eq small]
  have f₃₆ : Frame [.rax, .r11, .rcx, .r8] (List.range 8) s₃ s₆ := (f₄.mono (by decide) (by decide)).trans
    ((f₅.mono (by decide) (by decide)).trans (f₆.mono (by decide) fun _ h => h))
  have k₆ : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₁ s₆ := k₃.trans (f₃₆.keeps.mono (by decide))
  have e₆ : Env (fixedOf k s.memory.constants) s₆ := e₁.set k₆ (by decide) (b := k.text.mem d) (by rw [m₆, m₁]) (r.holds_mem d)
  have a₆ := a₁.of_text k₆ (by decide) m₁ m₆ p.apartArgs
  have finish {s' : State} (keeps : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₁ s')
      (hm : s'.memory.bytes = if verdict k then k.text.mem k.len else s.memory.bytes) (hr : s'.gpr .rax = if verdict k then 1 else 0) :
      target.Post contract s s' :=
    have ⟨ensures, narrow, frame⟩ := result s' hm hr
    have keeps := b₁.keeps.trans (keeps.mono (by decide))
    ⟨ensures, narrow, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩
  refine .revealIf (d := if verdict k then 1 else 0) rfl ?_ (fun hv => .seq (.of_wp ?_)) fun hv => .seq (.of_wp ?_)
  · show s₆.flag .zf = _
    rw [same]
    cases verdict k <;> rfl
  · have v : verdict k = true := by cases h : verdict k <;> simp [h] at hv ⊢
    refine (decryptRest_ok (n := 9) r e₆ a₆ (by decide) h₃.groups m₆ fun i hi =>
      (f₃₆.lanes i (List.mem_range.2 (by have := h₃.groups; omega))).trans (h₃.stream i hi)).mono fun s₇ ⟨k₇, m₇⟩ =>
      .of_wp ((leave_ok 1).mono fun s₈ ⟨k₈, m₈, x₈⟩ => ?_)
    refine finish (k₆.trans ((k₇.mono (by decide)).trans (k₈.mono (by decide)))) ?_ ?_
    · rw [m₈, m₇, v]
      rfl
    · rw [x₈, v]
      rfl
  · have v : verdict k = false := by cases h : verdict k <;> simp [h] at hv ⊢
    refine (restore_ok (n := 9) r e₆ a₆ (by decide) h₃.groups m₆).mono fun s₇ ⟨k₇, m₇⟩ =>
      .of_wp ((leave_ok 0).mono fun s₈ ⟨k₈, m₈, x₈⟩ => ?_)
    refine finish (k₆.trans (k₇.trans (k₈.mono (by decide)))) ?_ ?_
    · rw [m₈, m₇, v, memory]
      rfl
    · rw [x₈, v]
      rfl

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.WpRevealing (target.publicRegions contract table s) (target.revealed contract s) code (target.Post contract s) s :=
  opening_ok s h (by decide +kernel) fun r => group_ok.runs r

/-- The witness, with any table of constants. -/
theorem witness {constants : List Byte} (small : constants.length ≤ 0x100000)
    (arranged : (TCB.Witness.recorded contract.sig Message.Witness.values 0x2000 &&
      TCB.Witness.arranged contract.sig Message.Witness.values constants [stack]
        (TCB.Witness.inputs contract.sig Message.Witness.values 0x2000)) = true) : target.HasWitness contract constants :=
  witness_of_record Message.Witness.values 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) arranged (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.requires small) (Witness.declassified small)

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code_revealing (permits := by decide +kernel) (cleared := .inl (by decide +kernel)) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness (by decide +kernel) (by decide +kernel))

end Proof.AesGcm.Open.X86_64
