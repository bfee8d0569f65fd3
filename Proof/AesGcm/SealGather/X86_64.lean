import Impl.AesGcm.SealGather.X86_64
import Proof.AesGcm.Seal.X86_64
import Proof.AesGcm.SealGather.Contract
import Proof.AesGcm.SealGather.Witness
import Proof.CopySlice.X86_64.Avx
import Proof.Gather.X86_64.Copy
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# Sealing a list of slices on x86-64, from any kernel that seals in place
-/

set_option autoImplicit false
namespace Proof.AesGcm.SealGather.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.SealGather.X86_64 Proof.AesGcm.Message Proof.AesGcm.X86_64
open Impl.AesGcm.X86_64 (table)
open Spec.AesGcm.SealGather (contract)

/-- The registers that the kernel may change. -/
abbrev clobbered : List Reg := argRegs ++ [.rax, .r10, .r11]

/-- A fragment that seals a message in place. -/
def Seals (sealing : Kernel) : Prop := ∀ {k : Call} {tab : Addr} {pub : List Region} {s : State}, Ready k tab → Seal.Pre k →
  s.memory = k.memory → s.gpr .rdi = k.ctx → s.gpr .rsi = k.args → s.memory.constants = tab → Within pub ⟨k.args, 8 * 8⟩ →
  isa.Wp pub sealing (fun s' => Keeps clobbered s s' ∧
    s'.memory.bytes = writeBytes (k.text.mem k.len) k.tag (toBytes 16 k.sealedTag)) s

section
variable {k : Call} {tab : Addr} {pub : List Region} {s : State}

/-- What a message needs does not depend on its text. -/
theorem ready_withText (r : Ready k tab) (p : Seal.Pre k) {text : List Byte} (hl : text.length = k.len) :
    Ready (k.withText text) tab where
  pre := (p.withText hl).toPre
  table := (Seal.Pre.bytesAt_withText hl r.apart (by decide)).trans r.table
  reads := r.reads
  apart := by rw [p.data_withText hl, p.len_withText hl]; exact r.apart

/-- What is copied where. -/
structure Entered (k : Call) (s₀ s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = k.memory
  ctx : s.gpr .rcx = k.ctx
  args : s.gpr .r11 = k.args
  list : s.gpr .rdi = list k
  count : s.gpr .rsi = BitVec.ofNat 64 (count k)
  data : s.gpr .rdx = k.data

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- The beginning. -/
theorem enter_ok (memory : s.memory = k.memory) (ctx : s.gpr .rdi = k.ctx) (args : s.gpr .rsi = k.args)
    (reads : Within k.memory.readable ⟨k.args, 8 * 10⟩) (isPublic : Within pub ⟨k.args, 8 * 10⟩) :
    isa.Wp pub enter (Entered k s) s := by
  refine .publicCons (s₁ := s.setReg .rcx (s.gpr .rdi)) (t := []) rfl nofun
    (.publicCons (s₁ := (s.setReg .rcx (s.gpr .rdi)).setReg .r11 (s.gpr .rsi)) (t := []) ?_ nofun
    (.publicCons (s₁ := ((s.setReg .rcx (s.gpr .rdi)).setReg .r11 (s.gpr .rsi)).setReg .rdx (s.gpr .rsi)) (t := []) ?_ nofun ?_))
  · simp only [isa, exec]
    reads
  · simp only [isa, exec]
    reads
  generalize hs₁ : ((s.setReg .rcx _).setReg .r11 _).setReg .rdx _ = s₁
  have k₁ : Keeps clobbered s s₁ := by rw [← hs₁]; exact kept (Keeps.refl _ s)
  have m₁ : s₁.memory = k.memory := by rw [← hs₁]; reads; exact memory
  have c₁ : s₁.gpr .rcx = k.ctx := by rw [← hs₁]; reads; exact ctx
  have x₁ : s₁.gpr .r11 = k.args := by rw [← hs₁]; reads; exact args
  have a₁ : Arguments k 10 pub s₁ := ⟨by rw [← hs₁]; reads; exact args, by decide, by rw [m₁]; exact reads, isPublic,
    fun i _ => by rw [m₁]; rfl⟩
  refine argument_ok 8 a₁ (by decide) fun s₂ k₂ m₂ _ g₂ => ?_
  have a₂ := a₁.same k₂ m₂
  refine argument_ok 9 a₂ (by decide) fun s₃ k₃ m₃ _ g₃ => ?_
  refine argument_ok 5 (a₂.same k₃ m₃) (by decide) fun s₄ k₄ m₄ _ g₄ => .publicNil ?_
  exact {
    keeps := k₁.trans ((k₂.mono (by decide)).trans ((k₃.mono (by decide)).trans (k₄.mono (by decide))))
    memory := m₄.trans (m₃.trans (m₂.trans m₁))
    ctx := (k₄.gpr _ (by decide)).trans ((k₃.gpr _ (by decide)).trans ((k₂.gpr _ (by decide)).trans c₁))
    args := (k₄.gpr _ (by decide)).trans ((k₃.gpr _ (by decide)).trans ((k₂.gpr _ (by decide)).trans x₁))
    list := (k₄.gpr _ (by decide)).trans ((k₃.gpr _ (by decide)).trans g₂)
    count := (k₄.gpr _ (by decide)).trans (g₃.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm)
    data := g₄ }

/-- Clearing the upper halves changes nothing else. -/
theorem zeroUpper_ok : isa.Wp pub (.block [.vzeroupper]) (fun s' => Keeps Gather.X86_64.clobbered s s' ∧ s'.memory = s.memory) s :=
  .cons rfl (.nil ⟨kept (Keeps.refl Gather.X86_64.clobbered s), by reads⟩)

/-- The arguments of the kernel that seals. -/
theorem leave_ok : isa.Wp pub (.block leave) (fun s' => Keeps clobbered s s' ∧ s'.memory = s.memory ∧ s'.gpr .rdi = s.gpr .rcx ∧
    s'.gpr .rsi = s.gpr .r11) s := by
  refine .cons rfl (.cons rfl (.nil ?_))
  exact ⟨kept (Keeps.refl clobbered s), by reads, by reads, by reads⟩

end

/-- A kernel that is built from one that seals in place meets the functional part of the contract. -/
theorem correct {sealing : Kernel} (seals : Seals sealing) (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) (code sealing) (target.Post contract s) s := by
  have p := pre_of target h
  have g := gather_of target h
  have hl := length_text g
  have reads : Within _ ⟨(callOf target s).args, 8 * 10⟩ :=
    (h.reads ((buffers_of target s).symm ▸ List.mem_append_left _ (.tail _ (.head _))) rfl :)
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 10⟩ := args_isPublic (buffers_of target s) rfl
  have r := ready_of h p.toPre (buffers_of target s) 4 rfl
  have result (s' : State) := result_of target (s' := s') h rfl
  have listPublic := list_isPublic target (constants := table) (s := s)
  refine .seq ((enter_ok (k := callOf target s) rfl rfl rfl reads isPublic).mono fun s₁ e => .seq ?_)
  refine (Gather.X86_64.copy_ok (pub := target.publicRegions contract table s) (s₀ := s₁) (src := list (callOf target s))
    (dst := (callOf target s).data) (count := count (callOf target s)) (len := (callOf target s).len) (by rw [e.memory]; exact g)
    listPublic CopySlice.X86_64.Avx.copySlice_ok zeroUpper_ok e.list e.count e.data).mono fun s₂ ⟨k₂, m₂⟩ => .seq ?_
  refine leave_ok.mono fun s₃ ⟨k₃, m₃, d₃, i₃⟩ => ?_
  have m₃ : s₃.memory = ((callOf target s).withText (text (callOf target s))).memory := by rw [m₃, m₂, e.memory]; rfl
  refine (seals (ready_withText r p hl) (p.withText hl) m₃ (d₃.trans ((k₂.gpr _ (by decide)).trans e.ctx))
    (i₃.trans ((k₂.gpr _ (by decide)).trans e.args)) (by rw [m₃]; rfl) ?_).mono fun s₄ ⟨k₄, b₄⟩ => ?_
  · simpa using isPublic.part 0 (n' := 8 * 8) (by decide)
  have ⟨ensures, frame⟩ := result s₄ b₄
  have keeps := e.keeps.trans ((k₂.mono (by decide)).trans (k₃.trans k₄))
  exact ⟨ensures, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_lists Witness.values 0x2000 Witness.lists (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.requires (by decide +kernel)) fun _ _ => rfl

/-- The kernel with AES-NI and PCLMULQDQ meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct fun r p m c a t i =>
      Seal.X86_64.message_ok r p m c a t i (Seal.X86_64.groups_ok r))
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.SealGather.X86_64
