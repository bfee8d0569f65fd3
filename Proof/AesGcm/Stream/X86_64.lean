import Proof.AesGcm.Stream.Witness
import Proof.AesGcm.Stream.X86_64.Rest
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# A piece of a message on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- The kernel meets the functional part of the contract. -/
theorem correct (d : Bool) (s : State) (h : target.Pre (contract d) table s) :
    isa.Wp (target.publicRegions (contract d) table s) (code d) (target.Post (contract d) s) s := by
  have p := pre_of target h
  have b := based_of h p.toKeys
  have g : Given (callOf target s) s.memory.constants (target.publicRegions (contract d) table s) := {
    pre := p
    based := b
    dataTab := apart_table h (buffers_of target s d) 3 rfl rfl (r := ⟨s.memory.constants, 128⟩) (.head _)
    stateTab := apart_table h (buffers_of target s d) 2 rfl rfl (r := ⟨s.memory.constants, 128⟩) (.head _)
    isPublic := args_isPublic (buffers_of target s d) rfl }
  have result (s' : State) := result_of target (s' := s') h
  have returns : (contract d).sig.returns = false := by cases d <;> rfl
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq ((enter_ok b (n := 5) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs g.isPublic).mono
    fun _ w => .seq (w.mono fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, _⟩ => .seq ?_))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  have h₁ : Stage k s.memory.constants _ s k.memory.bytes s₁ := ⟨k₁.mono (by decide), m₁, fun _ _ _ => rfl, e₁, a₁, c₁⟩
  refine (arg_ok 1 a₁ (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => .seq ?_
  have h₂ := h₁.same g f₂ m₂
  refine (load_ok g₂ (by rw [h₂.memory]; exact p.readsState)).mono fun s₃ ⟨f₃, m₃, x₃, y₃⟩ => .seq ?_
  have h₃ := h₂.same g f₃ m₃
  rw [h₂.memory] at x₃ y₃
  refine (first_ok (d := d) g h₃ x₃ y₃).mono fun s₄ h₄ => .seq (mov_ok fun s₅ f₅ m₅ g₅ => .nil (.seq ?_))
  have h₅ := h₄.toStage.same g f₅ m₅
  have start : At (Run k s.memory.constants _ s d) (pieceOf k d).text.data (pieceOf k d).text.len 0 s₅ := {
    holds := {
      toStage := by rw [Text.mem_zero]; exact h₅
      whole := rfl
      counter := (f₅.lane 8).trans h₄.counter
      hash := (f₅.lane 11).trans h₄.hash
      key := g₅.trans h₄.env.key }
    le := Nat.zero_le _
    next := ((f₅.gpr .rcx).trans h₄.next).trans (BitVec.add_zero _).symm
    left := (f₅.gpr .r8).trans h₄.left }
  have small : (pieceOf k d).text.len < 2 ^ 64 := Nat.lt_of_le_of_lt (Nat.sub_le _ _) (k.value 4).isLt
  refine (runs_ok (n := 128) (Run.stable g) small (by decide) start fun h hi =>
    group_ok (n := 7) g group_eight (by decide) hash_checked h hi).mono fun s₆ ⟨i, h₆, _, _⟩ => .seq ?_
  refine (runs_ok (n := 16) (Run.stable g) small (by decide) h₆ fun h hi =>
    group_ok (n := 0) g group_one (by decide) hashBlock_checked h hi).mono fun s₇ ⟨i, h₇, _, few⟩ => .seq ?_
  refine (last_ok g h₇ few).mono fun s₈ h₈ => .seq ?_
  refine (arg_ok 1 h₈.arguments (by decide)).mono fun s₉ ⟨f₉, m₉, g₉⟩ => .seq ?_
  have h₉ := h₈.toStage.same g f₉ m₉
  refine (save_ok g₉ (by rw [h₉.memory]; exact p.writesState)).mono fun s₁₀ ⟨k₁₀, m₁₀⟩ => ?_
  refine leave_ok.mono fun s₁₁ ⟨k₁₁, m₁₁⟩ => ?_
  have ⟨ensures, frame⟩ := result s₁₁ (by
    show s₁₁.memory.bytes = _
    rw [m₁₁, m₁₀, h₉.memory, Memory.bytes_set, Memory.bytes_set, f₉.lane 8, f₉.lane 11, h₈.counter, h₈.hash]
    rfl)
  have keeps := h₉.keeps.trans ((k₁₀.mono (List.nil_subset _)).trans (k₁₁.mono (by decide)))
  exact ⟨ensures, fun r => absurd (returns.symm.trans r) nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness of encrypting. -/
theorem encrypt_witness : target.HasWitness Spec.AesGcm.Stream.Encrypt.contract table :=
  witness_of_record Witness.pieceValues 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.encrypt (by decide +kernel)) rfl

/-- The witness of decrypting. -/
theorem decrypt_witness : target.HasWitness Spec.AesGcm.Stream.Decrypt.contract table :=
  witness_of_record Witness.pieceValues 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.decrypt (by decide +kernel)) rfl

/-- The kernel that encrypts meets its contract. -/
theorem encrypt_verified : Verified target Encrypt.program Spec.AesGcm.Stream.Encrypt.contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct false)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := encrypt_witness)

/-- The kernel that decrypts meets its contract. -/
theorem decrypt_verified : Verified target Decrypt.program Spec.AesGcm.Stream.Decrypt.contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct true)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := decrypt_witness)

end Proof.AesGcm.Stream.X86_64
