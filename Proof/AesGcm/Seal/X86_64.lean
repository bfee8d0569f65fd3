import Proof.AesGcm.Seal.Contract
import Proof.AesGcm.Seal.Witness
import Proof.AesGcm.Seal.X86_64.Group
import Proof.AesGcm.Seal.X86_64.Last
import Proof.AesGcm.X86_64.Enter
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

/-- What the kernel has on entry. -/
theorem ready_of {s : State} (h : target.Pre contract table s) : Ready (callOf target s) s.memory.constants where
  pre := (pre_of target h).toPre
  table := (h.table (by decide)).2.1
  reads := .of_mem (h.table (by decide)).1
  apart := by
    refine h.table_apart _ ?_ ⟨s.memory.constants, 128⟩ (.head _)
    rw [h.entry.writable]
    refine List.mem_map.2 ⟨⟨"data", .inout, ⟨(callOf target s).data, (callOf target s).len⟩⟩, List.mem_filter.2 ⟨?_, rfl⟩, rfl⟩
    show _ ∈ contract.sig.buffers (target.args contract s) (target.mem s)
    rw [buffers_of]
    exact .tail _ (.tail _ (.tail _ (.tail _ (.head _))))

/-- The structure of arguments is public. -/
theorem args_isPublic (s : State) : Within (target.publicRegions contract table s) ⟨(callOf target s).args, 64⟩ := by
  refine .of_mem (List.mem_append_right _ (List.mem_map.2 ⟨⟨"args", .publicInput, ⟨(callOf target s).args, 64⟩⟩, List.mem_filter.2 ⟨?_, rfl⟩, rfl⟩))
  rw [buffers_of target s]
  exact .tail _ (.head _)

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) code (target.Post contract s) s := by
  have r := ready_of h
  have p := pre_of target h
  have isPublic := args_isPublic s
  have result (s' : State) := result_of target (s' := s') h
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  have ctx : s.gpr .rdi = k.ctx := by rw [← hk]; rfl
  have args : s.gpr .rsi = k.args := by rw [← hk]; rfl
  have number (i : Nat) : k.value i = BitVec.ofNat 64 (k.value i).toNat := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq ((enter_ok r (n := 8) (by decide) memory ctx args rfl p.readsArgs isPublic).mono fun _ w => .seq (w.mono
    fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, z₁⟩ => .seq ?_))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  refine (nonce_ok e₁ c₁ a₁ (by decide) p.nonceLen.2 (by rw [m₁]; exact p.readsNonce) z₁).mono fun s₂ ⟨f₂, m₂, z₂, j₂⟩ => .seq ?_
  have m₂ : s₂.memory = k.memory := m₂.trans m₁
  have e₂ := e₁.same f₂.keeps (m₂.trans m₁.symm)
  have c₂ := c₁.of_frame f₂
  have rdi₂ : s₂.gpr .rdi = k.ctx := (f₂.gpr .rdi).trans ((k₁.gpr .rdi (by decide)).trans ctx)
  refine (mask_ok rdi₂ e₂.keyed c₂ j₂).mono fun s₃ ⟨t₃, i₃, f₃, d₃, m₃⟩ => .seq ?_
  have m₃ : s₃.memory = k.memory := m₃.trans m₂
  have e₃ := e₂.same f₃.keeps (m₃.trans m₂.symm)
  have f₁₃ : Frame [.rax, .r11, .rcx, .r8, .rdi] [9, 10] s₁ s₃ := (f₂.mono (by decide) (by decide)).trans (f₃.mono (by decide) (by decide))
  have a₃ := a₁.same f₁₃.keeps (m₃.trans m₁.symm)
  refine (arguments_ok 3 a₃ (by decide)).mono fun s₄ ⟨f₄, m₄, p₄, l₄⟩ => .seq ?_
  have m₄ : s₄.memory = k.memory := m₄.trans m₃
  have e₄ := e₃.same f₄.keeps (m₄.trans m₃.symm)
  have c₄ := (c₁.of_frame f₁₃).of_frame f₄
  refine (absorb_ok e₄ c₄ (k.value 4).isLt p₄ (l₄.trans (number 4)) (by rw [m₄]; exact p.readsAad)).mono fun s₅ ⟨f₅, m₅, h₅⟩ => .seq ?_
  have m₅ : s₅.memory = k.memory := m₅.trans m₄
  have e₅ := e₄.same f₅.keeps (m₅.trans m₄.symm)
  have c₅ := c₄.of_frame f₅
  have a₅ := (a₃.same f₄.keeps (m₄.trans m₃.symm)).same f₅.keeps (m₅.trans m₄.symm)
  refine (arguments_ok 5 a₅ (by decide)).mono fun s₆ ⟨f₆, m₆, p₆, l₆⟩ => .seq ?_
  have m₆ : s₆.memory = k.memory := m₆.trans m₅
  have e₆ := e₅.same f₆.keeps (m₆.trans m₅.symm)
  have c₆ := c₅.of_frame f₆
  have a₆ := a₅.same f₆.keeps (m₆.trans m₅.symm)
  have hash₆ : view.lane s₆ 11 0 = k.aadHash := by
    rw [f₆.lane 11, h₅, f₄.lane 11, f₃.lane 11, z₂, m₄]
    rfl
  have j0 : Spec.Gcm.j0 (fixedOf k s.memory.constants).h (bytesAt s₁.memory.bytes k.nonce k.nonceLen) = k.j0 := by rw [m₁]; rfl
  have mask₆ : view.lane s₆ 13 0 = k.key 0 := by
    rw [f₆.lane 13, f₅.lane 13, f₄.lane 13, t₃, j0, m₂]
    exact (k.key_eq 0).symm
  have start : At (Sealed k s₆) k.data k.len 0 s₆ := {
    holds := {
      frame := .refl _ _ s₆
      whole := rfl
      le := Nat.zero_le _
      memory := by rw [m₆, show k.text.mem 0 = k.memory.bytes from k.text.mem_zero]; rfl
      counter := by rw [f₆.lane 8, f₅.lane 8, f₄.lane 8, i₃, j0]; rfl
      hash := hash₆
      key := (f₆.gpr .rdi).trans ((f₅.gpr .rdi).trans ((f₄.gpr .rdi).trans d₃)) }
    le := Nat.zero_le _
    next := p₆.trans (BitVec.add_zero _).symm
    left := l₆.trans (number 6) }
  refine (runs_ok (n := 128) Sealed.stable (k.value 6).isLt (by decide) start fun h hd => group_ok r e₆ c₆ m₆ h hd).mono
    fun s₇ ⟨d, h₇, _, few⟩ => .seq ?_
  have h := h₇.holds
  have few : k.len - d < 128 := few
  refine (end_ok r e₆ c₆ m₆ h₇ few).mono fun s₈ w => .seq (w.mono fun s₉ w => .seq (w.mono fun s₁₀ w => .seq (w.mono fun s₁₁ w =>
    .seq (w.mono fun s₁₂ h₁₂ => .seq ?_))))
  have e₁₂ := h₁₂.env r e₆ m₆
  have a₁₂ := a₆.of_text h₁₂.frame.keeps (by decide) m₆ h₁₂.memory p.apartArgs
  have sums : Summed (tableAt s₁₂.memory.bytes k.ctx) (view.lane s₇ 11 0) (ending k d) (rest k d).length s₁₂ := by
    rw [h₁₂.memory, Memory.bytes_set, tableAt_mem r]
    exact h₁₂.sums
  refine (loadLengths_ok (d := 15) a₁₂ (by decide)).mono fun s' ⟨k', m', o', x'⟩ => .seq ?_
  have f' : Frame [.rax, .r11] [8, 9, 10, 11, 13, 14] s₁₂ s' := ⟨k', fun r hr => o' r (by rintro rfl; revert hr; decide)⟩
  have e' := e₁₂.same k' m'
  have few' : (rest k d).length < 16 := by rw [length_rest h.whole h.le]; omega
  have mask' : view.lane s' 9 0 = Gf2.X86_64.reverseMask := (f'.lane 9).trans ((h₁₂.frame.lane 9).trans c₆.mask)
  have sums' : Summed (tableAt s'.memory.bytes k.ctx) (view.lane s₇ 11 0) (ending k d) (rest k d).length s' := by
    rw [m']
    exact sums.of_frame f'
  refine (finish_ok (k := k) (xs := rest k d) e' mask' sums' few' x').mono fun s₁₃ ⟨k₁₃, m₁₃, t₁₃⟩ => .seq ?_
  have k₁₃ : Keeps [.rax, .r11] s₁₂ s₁₃ := k'.trans (k₁₃.mono (List.nil_subset _))
  have m₁₃ : s₁₃.memory = s₁₂.memory := m₁₃.trans m'
  have tagged : view.lane s₁₃ 11 0 = k.sealedTag := by
    have all : (List.range (d / 16)).map k.text.block ++ rest k d = padded k.text.out := by
      rw [k.text.padded_eq, show k.text.len = k.len from rfl, rest, ← List.append_assoc]
      congr 1
      have := h.le
      obtain ⟨n, hn⟩ : ∃ n, k.len / 16 = d / 16 + n := ⟨k.len / 16 - d / 16, by omega⟩
      rw [hn, Nat.add_sub_cancel_left, List.range_add, List.map_append, List.map_map]
      rfl
    rw [t₁₃, f'.lane 13, h₁₂.frame.lane 13, mask₆, h.hash, BitVec.xor_comm, show (fixedOf k s.memory.constants).h = k.subkey from rfl, ← ghash_append, ← List.append_assoc, all, ghash_append]
    rfl
  refine (tag_ok (a₁₂.same k₁₃ m₁₃) (by decide) tagged (by rw [m₁₃, h₁₂.memory]; exact p.writesTag)).mono fun s₁₄ ⟨k₁₄, m₁₄⟩ => ?_
  refine (clear_ok (rs := List.range 16) (by decide +kernel)).mono fun s₁₅ ⟨k₁₅, m₁₅⟩ => ?_
  have ⟨ensures, frame⟩ := result s₁₅ (by
    show s₁₅.memory.bytes = _
    rw [m₁₅, m₁₄, Memory.bytes_set, m₁₃, h₁₂.memory, Memory.bytes_set])
  have keeps : Keeps [.rax, .rcx, .rdx, .rsi, .rdi, .r8, .r9, .r10, .r11] s s₁₅ :=
    (k₁.mono (by decide)).trans ((f₁₃.keeps.mono (by decide)).trans ((f₄.keeps.mono (by decide)).trans ((f₅.keeps.mono (by decide)).trans
      ((f₆.keeps.mono (by decide)).trans ((h₁₂.frame.keeps.mono (by decide)).trans ((k₁₃.mono (by decide)).trans
        ((k₁₄.mono (by decide)).trans (k₁₅.mono (List.nil_subset _)))))))))
  exact ⟨ensures, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_record Message.Witness.values 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.requires (by decide +kernel)) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Seal.X86_64
