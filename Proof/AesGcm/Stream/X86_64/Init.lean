import Proof.AesGcm.Stream.Init.Contract
import Proof.AesGcm.Stream.Witness
import Proof.AesGcm.Stream.X86_64.Common
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# The start of a message in pieces on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Init.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Proof.AesGcm.Stream.X86_64 Spec.AesGcm.Stream.Init

/-- The state at `rdi`. -/
def saveLayout : Layout := { areas := [{ len := 48, reads := false, writes := true }], ptrs := [(7, 0, 0)] }

/-- The words of the state. -/
def saveOutcome : Outcome VecUn VecBin := { mem := [(0, 0, [.reg 13 0, .reg 8 0, .reg 11 0])] }

/-- The words of the state are written. -/
theorem save_ok {p : Addr} {pub : List Region} {s : State} (hp : s.gpr .rdi = p) (writes : Within s.memory.writable ⟨p, 48⟩) :
    isa.Wp pub (.block Impl.AesGcm.Stream.X86_64.Init.save) (fun s' => Keeps [] s s' ∧ s'.memory = s.memory.set (writeBytes s.memory.bytes p
      (laneBytes [view.lane s 13 0, view.lane s 8 0, view.lane s 11 0]))) s := by
  have holds : saveLayout.Holds view (fun _ => p) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨nofun, trivial⟩
    writes := ⟨fun _ => writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp saveOutcome holds (by decide +kernel) fun s' o => ⟨Aes.X86_64.keeps_of_ends o [] rfl, ?_⟩
  have stored : s'.memory = s.memory.set (writeBytes s.memory.bytes (p + 0#64)
    (laneBytes [view.lane s 13 0, view.lane s 8 0, view.lane s 11 0])) := o.memory
  rw [stored, BitVec.add_zero]

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) Impl.AesGcm.Stream.X86_64.Init.code (target.Post contract s) s := by
  have p := pre_of target h
  have b := based_of h p.toKeys
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 6⟩ := args_isPublic (buffers_of target s) rfl
  have result (s' : State) := result_of target (s' := s') h
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq ((head_ok b p.toHead (n := 6) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs
    isPublic).mono fun s₁ h₁ => .seq ?_)
  refine (arg_ok 5 h₁.arguments (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => .seq ?_
  have m₂ : s₂.memory = k.memory := m₂.trans h₁.memory
  refine (save_ok g₂ (by rw [m₂]; exact within_first p.writes (by decide))).mono
    fun s₃ ⟨k₃, m₃⟩ => ?_
  refine leave_ok.mono fun s₄ ⟨k₄, m₄⟩ => ?_
  have ⟨ensures, frame⟩ := result s₄ (by
    show s₄.memory.bytes = writeBytes s.memory.bytes _ _
    rw [m₄, m₃, m₂, Memory.bytes_set, memory, f₂.lane 13, f₂.lane 8, f₂.lane 11, h₁.mask, h₁.counter, h₁.hash]
    rfl)
  have keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s s₄ :=
    h₁.keeps.trans ((f₂.keeps.mono (by decide)).trans ((k₃.mono (List.nil_subset _)).trans (k₄.mono (by decide))))
  exact ⟨ensures, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_record Witness.initValues 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.init (by decide +kernel)) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target Impl.AesGcm.Stream.X86_64.Init.program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Stream.Init.X86_64
