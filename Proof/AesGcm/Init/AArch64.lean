import Proof.AArch64.Verified
import Proof.AArch64.Witness
import Proof.AesGcm.Init.AArch64.Steps

/-!
# A key context from a key, on AArch64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.AArch64
open TCB TCB.AArch64 TCB.SymExec Proof.Aes Proof.Gf2 Impl.AesGcm.Init Impl.AesGcm.Init.AArch64 Spec.AesGcm.Init

variable {s₀ s : State} {len n : Nat} {bs : List Byte} {pub : List Region}

/-! ## The subkey -/

/-- The block in reverse, divided by `x`. -/
def subkeyE : VecExpr :=
  let r : VecExpr := .un .rev64 (.reg 0 0)
  let h : VecExpr := .bin (.vec (.ext 8)) r r
  xorE (.bin (.vec .orr) (.un (.shl2d 1) h) (.bin (.vec (.ext 8)) zeroE (.un (.ushr2d 1) h)))
    (.bin (.vec .and) (.un (.sshr2d 1) (.un (.dup (.d 1)) h)) (entryE 2))

theorem finish_checked : ∀ len ∈ [16, 24, 32],
    machine.check (layout regs len) finish (finishOutcome saved subkeyE) = true := by decide +kernel

theorem subkey_at {W : List Spec.Aes.Word} (c : Fixed s) (h : Ready view regs len W s₀ s) :
    subkeyE.at (base view regs s₀) view s = twist (bswap128 (view.lane s 0 0)) := by
  rw [← Gf2.AArch64.twist_lanes, ← Gf2.AArch64.ext_8_rev64, show invX = table.getD 2 0 from rfl, ← h.table 2 (by decide), ← c.zero]
  rfl

/-- What the evaluator says is kept. -/
theorem keeps_of_same (h : Same machine saved s₀ s) : Keeps [] s₀ s where
  gpr r _ := by simpa using h.gpr r.index r.index_lt
  vec r hr := by simpa using h.lane r.val (by revert r; decide)
  control := h.other

/-! ## The kernel -/

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory in
/-- The address of the table. -/
theorem address_ok {Q : State → Prop}
    (hq : ∀ s', Keeps [.x3] s s' → s'.gpr .x3 = s.memory.constants → s'.memory = s.memory → Q s') :
    isa.Wp pub (.block address) Q s := by
  let s₁ := s.setReg .x3 (s.memory.constants &&& ~~~0xfff#64)
  refine .cons (s₁ := s₁) rfl (.cons (s₁ := s₁.setReg .x3 (s₁.gpr .x3 + (s₁.memory.constants &&& 0xfff#64))) rfl (.nil ?_))
  refine hq _ (kept (Keeps.refl _ s)) ?_ (by simp only [s₁]; reads)
  simp only [s₁]
  reads
  exact page_add

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory in
/-- The comparison. -/
theorem compare_ok {Q : State → Prop} (hq : ∀ s', Keeps [] s s' → s'.vec = s.vec → s'.memory = s.memory →
    s'.nzcv.c = !decide ((s.gpr .x1).toNat < 24) → s'.nzcv.z = decide ((s.gpr .x1).toNat = 24) → Q s') :
    isa.Wp pub (.block [.cmp .x1 (Impl.AArch64.imm 24)]) Q s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .x1) (s.src (Impl.AArch64.imm 24)))) rfl (.nil ?_)
  refine hq _ (kept (Keeps.refl _ s)) (funext fun x => by reads) (by reads) ?_ ?_
  · rw [src_imm (by decide)]
    reads
    rfl
  · rw [src_imm (by decide)]
    reads
    simp only [subFlags]
    rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp

/-- The constants are loaded. -/
def fixedOutcome : Outcome VecUn SymBin := { vec := keptE saved ++ [(6, [.load 2 0]), (7, [.const 0])] }

theorem fixed_checked : ∀ len ∈ [16, 24, 32], machine.check (layout regs len) fixed fixedOutcome = true := by decide +kernel

/-- The constants that stay in registers. -/
theorem fixed_ok (h : Entry view regs len bs s) {Q : State → Prop}
    (hq : ∀ s', Keeps [] s s' → s'.memory = s.memory → Fixed s' → Q s') : isa.Wp pub (.block fixed) Q s :=
  machine.wp fixedOutcome h.holds (fixed_checked len h.valid) fun s' e => hq s' (keeps_of_ends e [] rfl rfl) e.memory
    ⟨(e.vec (r := 6) rfl 0).trans (h.ready.table 0 (by decide)), e.vec (r := 7) rfl 0⟩

/-- All round keys, for each length of the key. -/
theorem main_ok (h : Entry view regs len bs s) (f : Fixed s) (c : s.nzcv.c = !decide (len < 24)) (z : s.nzcv.z = decide (len = 24)) :
    isa.Wp pub (.ite .lo (.block (rounds 10 next128)) (.ite .eq (.block (rounds 12 next192)) (.block (rounds 14 next256))))
      (fun s' => ∃ n, n + 1 = Spec.Aes.rounds len ∧ Rounds (n + 1) bs s s') s := by
  have lo : isa.eval .lo s = some (decide (len < 24)) := congrArg some (by rw [c, Bool.not_not])
  have eq : isa.eval .eq s = some (decide (len = 24)) := congrArg some z
  have hl := h.valid
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hl
  rcases hl with rfl | rfl | rfl
  · exact .ite (v := true) (lo.trans (by decide)) (fun _ => (rounds128_ok h f).mono fun _ m => ⟨9, by decide, m⟩) nofun
  · exact .ite (v := false) (lo.trans (by decide)) nofun fun _ => .ite (v := true) (eq.trans (by decide))
      (fun _ => (rounds192_ok h f).mono fun _ m => ⟨11, by decide, m⟩) nofun
  · exact .ite (v := false) (lo.trans (by decide)) nofun fun _ => .ite (v := false) (eq.trans (by decide)) nofun
      fun _ => (rounds256_ok h f).mono fun _ m => ⟨13, by decide, m⟩

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract constants s) :
    isa.Wp (target.publicRegions contract constants s) code (target.Post contract s) s := by
  have p : Pre constants s.memory (s.gpr .x0) (s.gpr .x2) (s.gpr .x1).toNat := pre_of target (by decide) h
  have entry {s' : State} (k : Keeps [.x3] s s') (x3 : s'.gpr .x3 = s.memory.constants) (m : s'.memory = s.memory) :
      Entry view regs (s.gpr .x1).toNat (bytesAt s.memory.bytes (s.gpr .x0) (s.gpr .x1).toNat) s' := by
    have := entry_of (V := view) (g := regs) (s := s') (len := (s.gpr .x1).toNat)
      (by rw [show view.gpr s' regs.key = s'.gpr .x0 from rfl, show view.gpr s' regs.ctx = s'.gpr .x2 from rfl,
        show view.memory s' = s'.memory from rfl, m, k.gpr .x0 (by decide), k.gpr .x2 (by decide)]; exact p)
      (by rw [show view.memory s' = s'.memory from rfl, m]; exact x3)
    rwa [show view.gpr s' regs.key = s'.gpr .x0 from rfl, show view.memory s' = s'.memory from rfl, m,
      k.gpr .x0 (by decide)] at this
  refine .seq (address_ok fun s₁ k₁ x3 m₁ => .seq ?_)
  refine fixed_ok (entry k₁ x3 m₁) fun s₂ k₂ m₂ f₂ => .seq (compare_ok fun s₃ k₃ v₃ m₃ c z => .seq ?_)
  have k₂₁ := k₂
  have k₂ := k₁.trans (k₂.mono (List.nil_subset _))
  have k := k₂.trans (k₃.mono (List.nil_subset _))
  have m : s₃.memory = s.memory := m₃.trans (m₂.trans m₁)
  have x3 : s₃.gpr .x3 = s.memory.constants := by
    rw [k₃.gpr .x3 (by decide), k₂₁.gpr .x3 (by decide), x3]
  have f : Fixed s₃ := ⟨by rw [← f₂.mask]; simp only [view, v₃], by rw [← f₂.zero]; simp only [view, v₃]⟩
  rw [k₂.gpr .x1 (by decide)] at c z
  have e := entry k x3 m
  refine (main_ok e f c z).mono fun s₄ ⟨n, hn, made⟩ => ?_
  refine (finish_ok fit e (List.subset_append_left ..) (finish_checked _ p.valid) hn made (turnsTo_eq _ _)
    (subkey_at (f.of_same made.same))).mono fun s₅ ⟨hm, same⟩ => ?_
  change s₅.memory.bytes = after s₃.memory.bytes (s₃.gpr .x2)
    (Spec.Aes.expandKey (bytesAt s.memory.bytes (s.gpr .x0) (s.gpr .x1).toNat)) at hm
  rw [m, k.gpr .x2 (by decide)] at hm
  have k₅ := k.trans ((keeps_of_same same).mono (List.nil_subset _))
  have ⟨result, frame⟩ := result_of target (s' := s₅) h hm
  exact ⟨result, nofun, frame, fun r hr => k₅.gpr r (by revert r; decide), fun r hr => by rw [k₅.vec r hr], k₅.control⟩

/-- The witness. -/
theorem witness : target.HasWitness contract constants :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    (fun r hr => by
      obtain rfl := List.mem_singleton.1 hr
      exact ⟨.tail _ (.tail _ (.head _)), .tail _ (.tail _ (.head _))⟩) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  AArch64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Init.AArch64
