import Proof.AesGcm.Seal.Contract
import Proof.AesGcm.Seal.Witness
import Proof.AesGcm.Seal.X86_64.Group
import Proof.AesGcm.Seal.X86_64.Last
import Proof.AesGcm.X86_64.Start
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# Sealing a message on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Seal.X86_64 Impl.Ghash.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Spec.AesGcm.Seal

section
variable {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d : Nat}

/-- What is left after groups of eight blocks is sealed. -/
theorem end_ok (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (hc : Constants s₀) (m : s₀.memory = k.memory)
    (h : At (Sealed k s₀) k.data k.len d s) (few : k.len - d < 128) : isa.Wp pub (keystream 8) (isa.Wp pub (.block ready)
      (isa.Wp pub (.block empty) (isa.Wp pub (wholes 7 0) (isa.Wp pub last
        (Ended k tab s₀ d (view.lane s 11 0) (rest k d).length k.len))))) s := by
  have hs := h.holds
  have whole := hs.whole
  have env := hs.env r e m
  have frame : Frame [.rax, .r11, .rdi, .rcx, .r8] [9, 10, 13] s₀ s := hs.frame.mono (by decide) fun _ h => h
  refine (keystream_ok group_eight hs.key env.keyed (hc.of_frame hs.frame) hs.counter).mono fun s₁ ⟨b₁, _, f₁, m₁⟩ => ?_
  have env₁ : Env (fixedOf k tab) s₁ := env.same f₁.keeps m₁
  refine (ready_ok env₁ ((f₁.gpr .r8).trans h.left) few).mono fun s₂ ⟨f₂, m₂, d₂⟩ => ?_
  refine (empty_ok (t := tableAt k.memory.bytes k.ctx) (xs := ending k d) ((f₂.lane 11).trans (f₁.lane 11))).mono fun s₃ ⟨f₃, m₃, h₃⟩ => ?_
  have lane₃ (j : Nat) (hj : j < 8) : view.lane s₃ j 0 = k.text.key (d / 16 + j) := by
    have in₃ : j ∈ [9, 11, 13, 0, 1, 2, 3, 4, 5, 6, 7] := by
      have : ∀ j, j < 8 → j ∈ [9, 11, 13, 0, 1, 2, 3, 4, 5, 6, 7] := by decide
      exact this j hj
    rw [f₃.lanes j in₃, f₂.lanes j (List.mem_range.2 (by omega)), b₁ j hj, counter_add, Ready.key_text (tab := tab)]
    exact env.holds.cipher _
  have left : Left k tab s₀ d (view.lane s 11 0) 0 s₃ := {
    frame := (frame.mono (fun _ h => h) (by decide)).trans ((f₁.mono (by decide) (by decide)).trans
      ((f₂.mono (by decide) (by decide)).trans (f₃.mono (List.nil_subset _) (by decide))))
    sums := h₃
    memory := (m₃.trans (m₂.trans m₁)).trans hs.memory
    stream := fun j _ hj => lane₃ j hj
    powers := (f₃.gpr .rdi).trans d₂
    next := (f₃.gpr .rcx).trans ((f₂.gpr .rcx).trans ((f₁.gpr .rcx).trans h.next))
    left := (f₃.gpr .r8).trans ((f₂.gpr .r8).trans ((f₁.gpr .r8).trans h.left)) }
  refine (wholes_ok r hc.mask whole hs.le few (n := 7) (i := 0) rfl (by have := hs.le; omega) left).mono fun s₄ ⟨i, h₄⟩ => ?_
  exact last_ok r e m hc.mask whole few h₄

/-- The tag at the address in `rax`. -/
def tagLayout : Layout := { areas := [{ len := 16, reads := false, writes := true }], ptrs := [(0, 0, 0)] }

/-- The tag is stored. -/
def tagOutcome : Outcome VecUn VecBin := { mem := [(0, 0, [.reg 11 0])] }

/-- The tag is stored. -/
theorem tag_ok {n : Nat} {t : BitVec 128} (a : Arguments k n pub s) (hn : 7 < n) (ht : view.lane s 11 0 = t)
    (writes : Within s.memory.writable ⟨k.tag, 16⟩) : isa.Wp pub tag (fun s' => Keeps [.rax] s s' ∧
      s'.memory = s.memory.set (writeBytes s.memory.bytes k.tag (toBytes 16 t))) s := by
  refine .seq (argument_ok 7 a hn fun s₁ k₁ m₁ v₁ g₁ => .publicNil ?_)
  have holds : tagLayout.Holds view (fun _ => k.tag) s₁ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact Eq.trans g₁ (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨nofun, trivial⟩
    writes := ⟨fun _ => by simp only [view, m₁]; exact writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp tagOutcome holds (by decide +kernel) fun s₂ o => ⟨k₁.trans ((Aes.X86_64.keeps_of_ends o [] rfl).mono (List.nil_subset _)), ?_⟩
  have stored : s₂.memory = s₁.memory.set (writeBytes s₁.memory.bytes (k.tag + 0#64) (toBytes 16 (view.lane s₁ 11 0) ++ [])) := o.memory
  rw [stored, BitVec.add_zero, List.append_nil, m₁, ← ht]
  simp only [view, State.lane, v₁]

end

/-- What seals all but less than 128 bytes. -/
def Bulk (pub : List Region) (bulk : Kernel) (k : Call) (tab : Addr) : Prop := ∀ (s₀ s : State), Env (fixedOf k tab) s₀ →
  Constants s₀ → s₀.memory = k.memory → At (Sealed k s₀) k.data k.len 0 s →
  isa.Wp pub bulk (fun s' => ∃ d, At (Sealed k s₀) k.data k.len d s' ∧ k.len - d < 128) s

/-- Groups of eight blocks. -/
theorem groups_ok {k : Call} {tab : Addr} {pub : List Region} (r : Ready k tab) : Bulk pub (runs 128 group) k tab :=
  fun _ _ e c m h => (runs_ok (n := 128) Sealed.stable (k.value 6).isLt (by decide) h fun h hd => group_ok r e c m h hd).mono
    fun _ ⟨d, h, _, few⟩ => ⟨d, h, few⟩

/-- **The message is sealed**, whatever kernel it is a part of, if the code for all but the end does its part. -/
theorem message_ok {k : Call} {tab : Addr} {pub : List Region} {s : State} {bulk : Kernel} (r : Ready k tab) (p : Seal.Pre k)
    (memory : s.memory = k.memory) (ctx : s.gpr .rdi = k.ctx) (args : s.gpr .rsi = k.args) (ht : s.memory.constants = tab)
    (isPublic : Within pub ⟨k.args, 8 * 8⟩) (seals : Bulk pub bulk k tab) : isa.Wp pub (sealing bulk) (fun s' =>
      Keeps (argRegs ++ [.rax, .r10, .r11]) s s' ∧
      s'.memory.bytes = writeBytes (k.text.mem k.len) k.tag (toBytes 16 k.sealedTag)) s := by
  refine .seq ((start_ok r (n := 8) (by decide) memory ctx args ht p.readsArgs isPublic).mono fun s₆ b₆ => .seq ?_)
  have start : At (Sealed k s₆) k.data k.len 0 s₆ := {
    holds := {
      frame := .refl _ _ s₆
      whole := rfl
      le := Nat.zero_le _
      memory := by rw [b₆.memory, show k.text.mem 0 = k.memory.bytes from k.text.mem_zero]; rfl
      counter := b₆.counter
      hash := b₆.hash
      key := b₆.key }
    le := Nat.zero_le _
    next := b₆.text.trans (BitVec.add_zero _).symm
    left := b₆.length }
  have ⟨⟨_, m₆, e₆, a₆, c₆, _, _, _, mask₆⟩, _, _⟩ := b₆
  refine (seals _ _ e₆ c₆ m₆ start).mono fun s₇ ⟨d, h₇, few⟩ => .seq ?_
  have h := h₇.holds
  refine (end_ok r e₆ c₆ m₆ h₇ few).mono fun s₈ w => .seq (w.mono fun s₉ w => .seq (w.mono fun s₁₀ w => .seq (w.mono fun s₁₁ w =>
    .seq (w.mono fun s₁₂ h₁₂ => .seq ?_))))
  have e₁₂ := h₁₂.env r e₆ m₆
  have a₁₂ := a₆.of_text h₁₂.frame.keeps (by decide) m₆ h₁₂.memory p.apartArgs
  have sums : Summed (tableAt s₁₂.memory.bytes k.ctx) (view.lane s₇ 11 0) (ending k d) (rest k d).length s₁₂ := by
    rw [h₁₂.memory, Memory.bytes_set, tableAt_mem r]
    exact h₁₂.sums
  refine (loadLengths_ok (d := 15) (i := 4) (j := 6) a₁₂ (by decide) (by decide)).mono fun s' ⟨k', m', o', x'⟩ => .seq ?_
  have f' : Frame [.rax, .r11] [8, 9, 10, 11, 13, 14] s₁₂ s' := ⟨k', fun r hr => o' r (by rintro rfl; revert hr; decide)⟩
  have e' := e₁₂.same k' m'
  have few' : (rest k d).length < 16 := by rw [length_rest h.whole h.le]; omega
  have mask' : view.lane s' 9 0 = Gf2.X86_64.reverseMask := (f'.lane 9).trans ((h₁₂.frame.lane 9).trans c₆.mask)
  have sums' : Summed (tableAt s'.memory.bytes k.ctx) (view.lane s₇ 11 0) (ending k d) (rest k d).length s' := by
    rw [m']
    exact sums.of_frame f'
  refine (finish_ok (k := k) (xs := rest k d) e' mask' sums' few' x').mono fun s₁₃ ⟨f₁₃, m₁₃, t₁₃⟩ => .seq ?_
  have k₁₃ : Keeps [.rax, .r11] s₁₂ s₁₃ := k'.trans (f₁₃.keeps.mono (List.nil_subset _))
  have m₁₃ : s₁₃.memory = s₁₂.memory := m₁₃.trans m'
  have tagged : view.lane s₁₃ 11 0 = k.sealedTag := by
    have all : (List.range (d / 16)).map k.text.block ++ rest k d = padded k.text.out := by
      rw [k.text.padded_eq, show k.text.len = k.len from rfl, rest, ← List.append_assoc]
      congr 1
      have := h.le
      obtain ⟨n, hn⟩ : ∃ n, k.len / 16 = d / 16 + n := ⟨k.len / 16 - d / 16, by omega⟩
      rw [hn, Nat.add_sub_cancel_left, List.range_add, List.map_append, List.map_map]
      rfl
    rw [t₁₃, f'.lane 13, h₁₂.frame.lane 13, mask₆, h.hash, BitVec.xor_comm, show (fixedOf k tab).h = k.subkey from rfl, ← ghash_append, ← List.append_assoc, all, ghash_append]
    rfl
  refine (tag_ok (a₁₂.same k₁₃ m₁₃) (by decide) tagged (by rw [m₁₃, h₁₂.memory]; exact p.writesTag)).mono fun s₁₄ ⟨k₁₄, m₁₄⟩ => ?_
  refine (clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁₅ ⟨k₁₅, m₁₅⟩ => ?_
  refine ⟨b₆.keeps.mono (by decide) |>.trans ((h₁₂.frame.keeps.mono (by decide)).trans ((k₁₃.mono (by decide)).trans
    ((k₁₄.mono (by decide)).trans (k₁₅.mono (List.nil_subset _))))), ?_⟩
  show s₁₅.memory.bytes = _
  rw [m₁₅, m₁₄, Memory.bytes_set, m₁₃, h₁₂.memory, Memory.bytes_set]

/-- Sealing meets the functional part of the contract, if the code for all but the end does its part. -/
theorem sealing_ok {constants : List Byte} {bulk : Kernel} (s : State) (h : target.Pre contract constants s)
    (hc : constants.take 128 = table) (seals : Ready (callOf target s) s.memory.constants →
      Bulk (target.publicRegions contract constants s) bulk (callOf target s) s.memory.constants) :
    isa.Wp (target.publicRegions contract constants s) (sealing bulk) (target.Post contract s) s := by
  have p := pre_of target h
  have r := ready_of h p.toPre (buffers_of target s) 4 rfl hc
  refine (message_ok r p rfl rfl rfl rfl (args_isPublicWith constants (buffers_of target s) rfl) (seals r)).mono
    fun s' ⟨keeps, bytes⟩ => ?_
  have ⟨ensures, frame⟩ := result_of target (s' := s') h bytes
  exact ⟨ensures, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) code (target.Post contract s) s :=
  sealing_ok s h (by decide +kernel) groups_ok

/-- The witness, with any table of constants. -/
theorem witness {constants : List Byte} (small : constants.length ≤ 0x100000)
    (arranged : (TCB.Witness.recorded contract.sig Message.Witness.values 0x2000 &&
      TCB.Witness.arranged contract.sig Message.Witness.values constants [stack]
        (TCB.Witness.inputs contract.sig Message.Witness.values 0x2000)) = true) : target.HasWitness contract constants :=
  witness_of_record Message.Witness.values 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) arranged (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.requires small) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness (by decide +kernel) (by decide +kernel))

end Proof.AesGcm.Seal.X86_64
