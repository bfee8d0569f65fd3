import Proof.AesGcm.Stream.Finish.Contract
import Proof.AesGcm.Stream.Witness
import Proof.AesGcm.Stream.X86_64.Common
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# The tag of a message in pieces on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Finish.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64 Proof.AesGcm.Stream.X86_64 Spec.AesGcm.Stream.Finish

/-- The state at `rdi`. -/
def loadLayout : Layout := { areas := [{ len := 80 }], ptrs := [(7, 0, 0)] }

/-- What the state holds. -/
def loadOutcome : Outcome VecUn VecBin :=
  { vec := [(13, [.load 0 0]), (11, [.load 0 32]), (0, [.load 0 64]), keepE 8, keepE 9, keepE 10] }

/-- The tag at the address in `rax`. -/
def writeLayout : Layout := { areas := [{ len := 16, reads := false, writes := true }], ptrs := [(0, 0, 0)] }

/-- The tag is written. -/
def writeOutcome : Outcome VecUn VecBin := { mem := [(0, 0, [.reg 11 0])] }

section
variable {k : Call} {n : Nat} {tab p : Addr} {pub : List Region} {s : State}

/-- What the state holds is loaded. -/
theorem load_ok (hp : s.gpr .rdi = p) (reads : Within s.memory.readable ⟨p, 80⟩) :
    isa.Wp pub (.block Impl.AesGcm.Stream.X86_64.Finish.load) (fun s' => Frame [] [8, 9, 10] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 13 0 = Spec.AesGcm.Context.word s.memory.bytes p 0 ∧
      view.lane s' 11 0 = Spec.AesGcm.Context.word s.memory.bytes p 32 ∧
      view.lane s' 0 0 = Spec.AesGcm.Context.word s.memory.bytes p 64) s := by
  have holds : loadLayout.Holds view (fun _ => p) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => reads, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  exact machine.wp loadOutcome holds (by decide +kernel) fun s' o =>
    ⟨.of_ends o (by decide +kernel), o.memory, o.vec (r := 13) rfl 0, o.vec (r := 11) rfl 0, o.vec (r := 0) rfl 0⟩

/-- **The bytes of a block that is not whole are hashed.** -/
theorem rest_ok {c : Fixed} (hc : c.h = k.subkey) (e : Env c s) (a : Arguments k n pub s) (hn : 3 < n)
    (mask : view.lane s 9 0 = Gf2.X86_64.reverseMask)
    (h₁₁ : view.lane s 11 0 = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32)
    (h₀ : view.lane s 0 0 = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 64) :
    isa.Wp pub Impl.AesGcm.Stream.X86_64.Finish.rest (fun s' => Frame [.rax, .r11, .r8] [9, 10, 13] s s' ∧ s'.memory = s.memory ∧
      view.lane s' 11 0 = hash k) s := by
  refine .seq ((arg_ok 3 a hn).mono fun s₁ ⟨f₁, m₁, g₁⟩ => .seq ?_)
  refine (mask_ok (g₁.trans (ofNat_toNat _))).mono fun s₂ ⟨f₂, m₂, g₂, z₂⟩ => ?_
  have f : Frame [.rax, .r11, .r8] (List.range 16) s s₂ := (f₁.mono (by decide) fun _ h => h).trans (f₂.mono (by decide) fun _ h => h)
  have m : s₂.memory = s.memory := m₂.trans m₁
  refine .skipIf z₂ (fun z => ⟨f.mono (fun _ h => h) (by decide), m, ?_⟩) fun z => ?_
  · rw [f.lane 11, h₁₁, hash, if_pos (of_decide_eq_true z)]
    rfl
  have z : (k.value 3).toNat % 16 ≠ 0 := of_decide_eq_false z
  have e₂ := e.same f.keeps m
  refine .seq ((Proof.Partial.X86_64.keepFirst_ok (v := 0) (k := (k.value 3).toNat % 16) (by decide) g₂ (by omega) e₂.ones).mono
    fun s₃ l₃ => ?_)
  have f₃ : Frame [.rax, .r11] [8, 9, 10, 11, 13] s₂ s₃ := .of_loaded l₃ (by decide)
  refine pshufb_ok ((f₃.lane 9).trans ((f.lane 9).trans mask)) fun s₄ k₄ m₄ o₄ v₄ => ?_
  have f₄ : Frame [] [8, 9, 10, 11, 13] s₃ s₄ := ⟨k₄, fun r hr => o₄ r (by rintro rfl; revert hr; decide) 0⟩
  have f₂₄ : Frame [.rax, .r11] [8, 9, 10, 11, 13] s₂ s₄ := f₃.trans (f₄.mono (List.nil_subset _) fun _ h => h)
  have m₂₄ : s₄.memory = s₂.memory := m₄.trans l₃.memory
  refine (hashOne_ok (e₂.same f₂₄.keeps m₂₄)).mono fun s₅ ⟨f₅, m₅, h₅⟩ => ⟨?_, m₅.trans (m₂₄.trans m), ?_⟩
  · exact (f.mono (fun _ h => h) (by decide)).trans ((f₂₄.mono (by decide) (by decide)).trans (f₅.mono (List.nil_subset _) (by decide)))
  · have value : view.lane s₄ 0 0 = bswap128 (view.lane s₃ 0 0) := v₄
    have low : view.lane s₃ 0 0 = ofBytes 128 ((toBytes 16 (view.lane s₂ 0 0)).take ((k.value 3).toNat % 16)) := l₃.lane
    have bytes : toBytes 16 (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 64) =
        bytesAt k.memory.bytes (k.value 1 + BitVec.ofNat 64 64) 16 := toBytes_ofBytes (length_bytesAt ..) (by decide)
    rw [h₅, hc, f₂₄.lane 11, f.lane 11, h₁₁, value, low, f.lane 0, h₀, bytes, take_bytesAt _ _ _ _ (by omega), hash, if_neg z,
      partialBlock]

/-- The tag is written. -/
theorem write_ok (a : Arguments k n pub s) (hn : 4 < n) (writes : Within s.memory.writable ⟨k.value 4, 16⟩) :
    isa.Wp pub Impl.AesGcm.Stream.X86_64.Finish.write (fun s' => Keeps [.rax] s s' ∧
      s'.memory = s.memory.set (writeBytes s.memory.bytes (k.value 4) (toBytes 16 (view.lane s 11 0)))) s := by
  refine .seq ((arg_ok 4 a hn).mono fun s₁ ⟨f₁, m₁, g₁⟩ => ?_)
  have holds : writeLayout.Holds view (fun _ => k.value 4) s₁ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact Eq.trans g₁ (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨nofun, trivial⟩
    writes := ⟨fun _ => by simp only [view, m₁]; exact writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp writeOutcome holds (by decide +kernel) fun s₂ o => ⟨f₁.keeps.trans ((Aes.X86_64.keeps_of_ends o [] rfl).mono (List.nil_subset _)), ?_⟩
  have stored : s₂.memory = s₁.memory.set (writeBytes s₁.memory.bytes (k.value 4 + 0#64) (toBytes 16 (view.lane s₁ 11 0) ++ [])) := o.memory
  rw [stored, BitVec.add_zero, List.append_nil, m₁, f₁.lane 11]

end

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) Impl.AesGcm.Stream.X86_64.Finish.code (target.Post contract s) s := by
  have p := pre_of target h
  have b := based_of h p.toKeys
  have isPublic : Within _ ⟨(callOf target s).args, 8 * 5⟩ := args_isPublic (buffers_of target s) rfl
  have result (s' : State) := result_of target (s' := s') h
  generalize hk : callOf target s = k at *
  have memory : s.memory = k.memory := by rw [← hk]; rfl
  refine .seq ((enter_ok b (n := 5) (by decide) memory (by rw [← hk]; rfl) (by rw [← hk]; rfl) rfl p.readsArgs isPublic).mono
    fun _ w => .seq (w.mono fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, _⟩ => .seq ?_))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  refine (arg_ok 1 a₁ (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => .seq ?_
  have m₂ : s₂.memory = k.memory := m₂.trans m₁
  refine (load_ok g₂ (by rw [m₂]; exact p.readsState)).mono fun s₃ ⟨f₃, m₃, x₃, y₃, z₃⟩ => .seq ?_
  have m₃ : s₃.memory = k.memory := m₃.trans m₂
  have f₁₃ : Frame [.rdi] [8, 9, 10] s₁ s₃ := (f₂.mono (fun _ h => h) (by decide)).trans (f₃.mono (List.nil_subset _) fun _ h => h)
  have e₃ := e₁.same f₁₃.keeps (m₃.trans m₁.symm)
  have a₃ := a₁.same f₁₃.keeps (m₃.trans m₁.symm)
  have c₃ := c₁.of_frame f₁₃
  rw [m₂] at x₃ y₃ z₃
  refine (rest_ok (c := fixedOf k s.memory.constants) rfl e₃ a₃ (by decide) c₃.mask y₃ z₃).mono fun s₄ ⟨f₄, m₄, h₄⟩ => .seq ?_
  have m₄ : s₄.memory = k.memory := m₄.trans m₃
  have e₄ := e₃.same f₄.keeps (m₄.trans m₃.symm)
  have a₄ := a₃.same f₄.keeps (m₄.trans m₃.symm)
  refine (tagOf_ok e₄ a₄ (i := 2) (j := 3) (by decide) (by decide) (c₃.of_frame f₄).mask).mono fun s₅ ⟨f₅, m₅, t₅⟩ => .seq ?_
  have m₅ : s₅.memory = k.memory := m₅.trans m₄
  have a₅ := a₄.same f₅.keeps (m₅.trans m₄.symm)
  refine (write_ok a₅ (by decide) (by rw [m₅]; exact p.writes)).mono fun s₆ ⟨k₆, m₆⟩ => ?_
  refine leave_ok.mono fun s₇ ⟨k₇, m₇⟩ => ?_
  have ⟨ensures, frame⟩ := result s₇ (by
    show s₇.memory.bytes = writeBytes s.memory.bytes _ _
    rw [m₇, m₆, m₅, Memory.bytes_set, memory, t₅, h₄, f₄.lane 13, x₃]
    rfl)
  have keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s s₇ :=
    (k₁.mono (by decide)).trans ((f₁₃.keeps.mono (by decide)).trans ((f₄.keeps.mono (by decide)).trans
      ((f₅.keeps.mono (by decide)).trans ((k₆.mono (by decide)).trans (k₇.mono (by decide))))))
  exact ⟨ensures, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of_record Witness.finishValues 0x2000 (Message.Witness.fill Message.Witness.words₁ 1)
    (Message.Witness.fill Message.Witness.words₂ 2) (by decide) (by decide +kernel) (fun _ _ _ x _ => Message.Witness.fill_ne x)
    (Witness.finish (by decide +kernel)) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target Impl.AesGcm.Stream.X86_64.Finish.program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Stream.Finish.X86_64
