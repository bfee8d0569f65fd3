import Proof.AesGcm.Init.Contract
import Proof.AesGcm.Init.X86_64.Steps
import Proof.Gf2.X86_64
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# A key context from a key, on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.SymExec Proof.Aes Proof.Gf2 Impl.AesGcm.Init Impl.AesGcm.Init.X86_64 Spec.AesGcm.Init

variable {s₀ s : State} {len n : Nat} {bs : List Byte} {pub : List Region}

/-! ## The subkey -/

/-- The block in reverse, divided by `x`. -/
def subkeyE : VecExpr :=
  let h := .bin .pshufb (.reg 0 0) (entryE 1)
  .bin .pxor (.bin .por (.un (.psllq 1) h) (.un (.pslldq 8) (.un (.psrlq 63) h)))
    (.bin .pand (.un (.psrad 31) (.un (.pshufd 0xff) h)) (entryE 2))

theorem finish_checked : ∀ len ∈ [16, 24, 32],
    machine.check (layout regs len) finish (finishOutcome [] subkeyE) = true := by decide +kernel

theorem subkey_at {W : List Spec.Aes.Word} (h : Ready view regs len W s₀ s) :
    subkeyE.at (base view regs s₀) view s = twist (bswap128 (view.lane s 0 0)) := by
  rw [← Gf2.X86_64.twist_lanes, ← Gf2.X86_64.pshufb_reverseMask, show Gf2.X86_64.reverseMask = table.getD 1 0 from rfl,
    show invX = table.getD 2 0 from rfl, ← h.table 1 (by decide), ← h.table 2 (by decide)]
  rfl

/-- What the evaluator says is kept. -/
theorem keeps_of_same (h : Same machine [] s₀ s) : Keeps [] s₀ s where
  gpr r _ := by simpa using h.gpr r.index r.index_lt
  df := congrArg Prod.fst h.other
  mxcsr := congrArg Prod.snd h.other

/-! ## The kernel -/

attribute [local irreducible] State.setReg State.setXmm State.setVec State.setFlags State.setMemory State.clearUpper in
/-- The address of the table, and the comparison. -/
theorem begin_ok {Q : State → Prop} (hq : ∀ s', Keeps [.rax] s s' → s'.gpr .rax = s.memory.constants → s'.memory = s.memory →
      s'.flag .cf = some (decide ((s.gpr .rsi).toNat < 24)) → s'.flag .zf = some (decide ((s.gpr .rsi).toNat = 24)) → Q s') :
    isa.Wp pub (.block [.leaTable .rax, .alu .cmp .rsi (Impl.X86_64.imm 24)]) Q s := by
  refine .cons (s₁ := s.setReg .rax s.memory.constants) rfl (.cons (s₁ := (s.setReg .rax s.memory.constants).setFlags
    (subFlags ((s.setReg .rax s.memory.constants).gpr .rsi)
      ((s.setReg .rax s.memory.constants).src (Impl.X86_64.imm 24)))) rfl (.nil ?_))
  refine hq _ (kept (Keeps.refl _ s)) (by reads) (by reads) ?_ ?_
  · rw [src_imm (by decide)]
    reads
    rfl
  · rw [src_imm (by decide)]
    reads
    simp only [subFlags]
    congr 1
    rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp

/-- All round keys, for each length of the key. -/
theorem main_ok (h : Entry view regs len bs s) (cf : s.flag .cf = some (decide (len < 24)))
    (zf : s.flag .zf = some (decide (len = 24))) :
    isa.Wp pub (.ite .b (.block (rounds 10 next128)) (.ite .e (.block (rounds 12 next192)) (.block (rounds 14 next256))))
      (fun s' => ∃ n, n + 1 = Spec.Aes.rounds len ∧ Rounds (n + 1) bs s s') s := by
  have hl := h.valid
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hl
  rcases hl with rfl | rfl | rfl
  · exact .ite (v := true) (cf.trans (by decide)) (fun _ => (rounds128_ok h).mono fun _ m => ⟨9, by decide, m⟩) nofun
  · exact .ite (v := false) (cf.trans (by decide)) nofun fun _ => .ite (v := true) (zf.trans (by decide))
      (fun _ => (rounds192_ok h).mono fun _ m => ⟨11, by decide, m⟩) nofun
  · exact .ite (v := false) (cf.trans (by decide)) nofun fun _ => .ite (v := false) (zf.trans (by decide)) nofun
      fun _ => (rounds256_ok h).mono fun _ m => ⟨13, by decide, m⟩

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract constants s) :
    isa.Wp (target.publicRegions contract constants s) code (target.Post contract s) s := by
  have p : Pre constants s.memory (s.gpr .rdi) (s.gpr .rdx) (s.gpr .rsi).toNat := pre_of target (by decide) h
  refine .seq (begin_ok fun s₁ k₁ rax m₁ cf zf => .seq ?_)
  have entry : Entry view regs (s.gpr .rsi).toNat _ s₁ := entry_of
    (by rw [show view.gpr s₁ regs.key = s₁.gpr .rdi from rfl, show view.gpr s₁ regs.ctx = s₁.gpr .rdx from rfl,
      show view.memory s₁ = s₁.memory from rfl, m₁, k₁.gpr .rdi (by decide), k₁.gpr .rdx (by decide)]; exact p)
    (by rw [show view.memory s₁ = s₁.memory from rfl, m₁]; exact rax)
  refine (main_ok entry cf zf).mono fun s₂ ⟨n, hn, m⟩ => ?_
  refine (finish_ok fit entry (List.Subset.refl _) (finish_checked _ p.valid) hn m (roundsTo_eq _ _) subkey_at).mono
    fun s₃ ⟨hm, same⟩ => ?_
  change s₃.memory.bytes = after s₁.memory.bytes (s₁.gpr .rdx)
    (Spec.Aes.expandKey (bytesAt s₁.memory.bytes (s₁.gpr .rdi) (s.gpr .rsi).toNat)) at hm
  rw [m₁, k₁.gpr .rdi (by decide), k₁.gpr .rdx (by decide)] at hm
  have k₃ := k₁.trans ((keeps_of_same same).mono (List.nil_subset _))
  have ⟨result, frame⟩ := result_of target (s' := s₃) h hm
  exact ⟨result, nofun, frame, fun r hr => k₃.gpr r (by revert r; decide), k₃.df, k₃.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract constants :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    (fun r hr => by
      obtain rfl := List.mem_singleton.1 hr
      exact ⟨.tail _ (.tail _ (.head _)), .tail _ (.tail _ (.head _))⟩) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Init.X86_64
