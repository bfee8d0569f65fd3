import Impl.AesEncryptBlock.AArch64
import Proof.Aes.AArch64
import Proof.AesEncryptBlock.Contract
import Proof.AArch64.Verified
import Proof.AArch64.Witness

/-!
# The encryption of one block, on AArch64, verified
-/

set_option autoImplicit false
namespace Proof.AesEncryptBlock.AArch64
open TCB TCB.AArch64 SymExec Proof.Aes Proof.Aes.AArch64 Impl.AesEncryptBlock.AArch64 Spec.AesEncryptBlock

/-- The block at `x2`. -/
def layout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(2, 0, 0)] }

/-- The block is loaded. -/
def startOutcome : Outcome VecUn SymBin := { vec := keptE saved ++ [(0, [.load 0 0])] }

/-- The block is stored. -/
def finishOutcome : Outcome VecUn SymBin := { vec := keptE saved, mem := [(0, 0, [.reg 0 0])] }

/-- The checks of the cipher on one block. -/
theorem checked : Checked [0] [] := ⟨by decide, nofun, by decide +kernel, by decide +kernel⟩

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  have p := pre_of target h
  have holds {s' : State} (hk : s'.gpr .x2 = s.gpr .x2) (hm : s'.memory = s.memory) :
      layout.Holds view (fun _ => s.gpr .x2) s' := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hk.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, hm]; exact p.reads, trivial⟩
    writes := ⟨fun _ => by simp only [view, hm]; exact p.writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine .seq (machine.wp startOutcome (holds rfl rfl) (by decide +kernel) fun s₁ e₁ => .seq ?_)
  have m₁ : s₁.memory = s.memory := e₁.memory
  have k₁ : Keeps [] s s₁ := keeps_of_ends e₁ [] rfl rfl
  have b₁ : view.lane s₁ 0 0 = ofBytes 128 (bytesAt s.memory.bytes (s.gpr .x2 + 0#64) 16) := e₁.vec (r := 0) rfl 0
  rw [BitVec.add_zero] at b₁
  refine .mono (cipher_ok checked p.rounds (ctx := s.gpr .x0) (k₁.gpr .x0 (by decide)) ?_ ?_) fun s₂ a₂ => ?_
  · rw [k₁.gpr .x1 (by decide)]
    exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  · rw [m₁]
    exact fun a n hn => p.readsCtx a n (Nat.le_trans hn (show (256 : Nat) ≤ 1024 by decide))
  have k₂ := (k₁.mono (List.nil_subset _)).trans a₂.keeps
  have m₂ : s₂.memory = s.memory := a₂.memory.trans m₁
  refine machine.wp finishOutcome (holds (k₂.gpr .x2 (by decide)) m₂) (by decide +kernel) fun s₃ e₃ => ?_
  have k₃ := k₂.trans ((keeps_of_ends e₃ [] rfl (List.append_nil _).symm).mono (List.nil_subset _))
  have m₃ : s₃.memory.bytes = writeBytes s.memory.bytes (s.gpr .x2) (toBytes 16 (view.lane s₂ 0 0)) := by
    have e : s₃.memory.bytes = writeBytes s₂.memory.bytes (s.gpr .x2 + 0#64) (toBytes 16 (view.lane s₂ 0 0) ++ []) :=
      congrArg Memory.bytes e₃.memory
    rw [e, m₂, BitVec.add_zero, List.append_nil]
  have ⟨result, frame⟩ := result_of target (s := s) (s' := s₃) ?_ m₃
  · exact ⟨result, nofun, frame, fun r hr => k₃.gpr r (by revert r; decide), fun r hr => by rw [k₃.vec r hr], k₃.control⟩
  · obtain ⟨n, hn⟩ : ∃ n, (s.gpr .x1).toNat = n + 1 := by
      have := p.rounds
      simp only [List.mem_cons, List.not_mem_nil, or_false] at this
      exact ⟨(s.gpr .x1).toNat - 1, by
        change (s.gpr .x1).toNat = 10 ∨ (s.gpr .x1).toNat = 12 ∨ (s.gpr .x1).toNat = 14 at this
        omega⟩
    rw [a₂.blocks 0 (.head _), b₁, m₁]
    change Spec.Aes.lastRound (roundsFrom (key s.memory.bytes (s.gpr .x0)) 1 _ ((s.gpr .x1).toNat - 1))
      (key s.memory.bytes (s.gpr .x0) (s.gpr .x1).toNat) = Spec.Aes.cipher
      ((List.range ((s.gpr .x1).toNat + 1)).map (key s.memory.bytes (s.gpr .x0))) _
    rw [hn, Nat.add_sub_cancel, cipher_eq]
    rfl

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    (fun r hr => by obtain rfl := List.mem_singleton.1 hr; exact ⟨.head _, .head _⟩) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  AArch64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesEncryptBlock.AArch64
