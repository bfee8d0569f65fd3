import Impl.AesEncryptBlock.X86_64
import Proof.Aes.X86_64
import Proof.AesEncryptBlock.Contract
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# The encryption of one block, on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesEncryptBlock.X86_64
open TCB TCB.X86_64 SymExec Proof.Aes Proof.Aes.X86_64 Impl.AesEncryptBlock.X86_64 Spec.AesEncryptBlock

/-- The key context at `rdi` and the block at `rdx`. -/
def layout : Layout :=
  { areas := [{ len := 1024 }, { len := 16, writes := true }], ptrs := [(7, 0, 0), (2, 1, 0)] }

/-- The block with round key 0. -/
def startOutcome : Outcome VecUn VecBin := { vec := [(0, [.bin .pxor (.load 1 0) (.load 0 0)])] }

/-- The block is stored. -/
def finishOutcome : Outcome VecUn VecBin := { mem := [(0, 0, [.reg 0 0])] }

/-- The block alone. -/
def blockLayout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(2, 0, 0)] }

/-- The checks of the cipher on one block. -/
theorem checked : Checked [0] [] := ⟨nofun, by decide +kernel, by decide +kernel⟩

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  have p := pre_of target h
  have holds : layout.Holds view (fun | 0 => s.gpr .rdi | _ => s.gpr .rdx) s := {
    ptrs := fun q hq => by
      simp only [layout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl <;> simp [view, regOf]
    small := ⟨by decide, by decide, trivial⟩
    reads := ⟨fun _ => p.readsCtx, fun _ => p.reads, trivial⟩
    writes := ⟨nofun, fun _ => p.writes, trivial⟩
    apart := ⟨⟨nofun, fun _ _ => p.apart, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine .seq (machine.wp startOutcome holds (by decide +kernel) fun s₁ e₁ => .seq ?_)
  have m₁ : s₁.memory = s.memory := e₁.memory
  have k₁ : Keeps [] s s₁ := keeps_of_ends e₁ [] rfl
  have b₁ : view.lane s₁ 0 0 = ofBytes 128 (bytesAt s.memory.bytes (s.gpr .rdx + 0#64) 16) ^^^
      key s.memory.bytes (s.gpr .rdi) 0 := e₁.vec (r := 0) rfl 0
  rw [BitVec.add_zero] at b₁
  refine .mono (cipher_ok checked p.rounds (ctx := s.gpr .rdi) (k₁.gpr .rdi (by decide)) ?_ ?_) fun s₂ a₂ => ?_
  · rw [k₁.gpr .rsi (by decide)]
    exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  · rw [m₁]
    exact fun a n hn => p.readsCtx a n (Nat.le_trans hn (show (256 : Nat) ≤ 1024 by decide))
  have k₂ := (k₁.mono (List.nil_subset _)).trans a₂.keeps
  have m₂ : s₂.memory = s.memory := a₂.memory.trans m₁
  have holds₂ : blockLayout.Holds view (fun _ => s.gpr .rdx) s₂ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      simpa [view, regOf] using k₂.gpr .rdx (by decide)
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, m₂]; exact p.reads, trivial⟩
    writes := ⟨fun _ => by simp only [view, m₂]; exact p.writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp finishOutcome holds₂ (by decide +kernel) fun s₃ e₃ => ?_
  have k₃ := k₂.trans ((keeps_of_ends e₃ [] rfl).mono (List.nil_subset _))
  have m₃ : s₃.memory.bytes = writeBytes s.memory.bytes (s.gpr .rdx) (toBytes 16 (view.lane s₂ 0 0)) := by
    have e := congrArg Memory.bytes e₃.memory
    have e : s₃.memory.bytes = writeBytes s₂.memory.bytes (s.gpr .rdx + 0#64) (toBytes 16 (view.lane s₂ 0 0) ++ []) := e
    rw [e, m₂, BitVec.add_zero, List.append_nil]
  have ⟨result, frame⟩ := result_of target (s := s) (s' := s₃) ?_ m₃
  · exact ⟨result, nofun, frame, fun r hr => k₃.gpr r (by revert r; decide), k₃.df, k₃.mxcsr⟩
  · obtain ⟨n, hn⟩ : ∃ n, (s.gpr .rsi).toNat = n + 1 := by
      have := p.rounds
      simp only [List.mem_cons, List.not_mem_nil, or_false] at this
      exact ⟨(s.gpr .rsi).toNat - 1, by
        change (s.gpr .rsi).toNat = 10 ∨ (s.gpr .rsi).toNat = 12 ∨ (s.gpr .rsi).toNat = 14 at this
        omega⟩
    rw [a₂.blocks 0 (.head _), b₁, m₁]
    change Spec.Aes.lastRound (roundsFrom (key s.memory.bytes (s.gpr .rdi)) 1 _ ((s.gpr .rsi).toNat - 1))
      (key s.memory.bytes (s.gpr .rdi) (s.gpr .rsi).toNat) = Spec.Aes.cipher
      ((List.range ((s.gpr .rsi).toNat + 1)).map (key s.memory.bytes (s.gpr .rdi))) _
    rw [hn, Nat.add_sub_cancel, cipher_eq]
    rfl

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    (fun r hr => by obtain rfl := List.mem_singleton.1 hr; exact ⟨.head _, .head _⟩) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesEncryptBlock.X86_64
