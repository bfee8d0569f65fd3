import Proof.AesGcm.Init.Contract
import Proof.AesGcm.Init.X86_64.Rounds
import Proof.Gf2.X86_64
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# A key context from a key, on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init.X86_64
open TCB TCB.X86_64 TCB.SymExec Proof.Aes Proof.Gf2 Impl.AesGcm.Init.X86_64 Spec.AesGcm.Init

variable {s₀ s : State} {len n : Nat} {bs : List Byte} {pub : List Region}

/-! ## The subkey -/

/-- The block in reverse, divided by `x`. -/
def subkeyE : VecExpr :=
  let h := .bin .pshufb (.reg 0 0) (entryE 1)
  .bin .pxor (.bin .por (.un (.psllq 1) h) (.un (.pslldq 8) (.un (.psrlq 63) h)))
    (.bin .pand (.un (.psrad 31) (.un (.pshufd 0xff) h)) (entryE 2))

/-- The subkey is stored. -/
def finishOutcome : Outcome VecUn VecBin := { mem := [(1, 240, [subkeyE])] }

theorem finish_checked : ∀ len ∈ [16, 24, 32], machine.check (layout len) finish finishOutcome = true := by decide +kernel

theorem subkey_at {W : List Spec.Aes.Word} (h : Ready len W s₀ s) :
    subkeyE.at (base s₀) view s = twist (bswap128 (view.lane s 0 0)) := by
  rw [← Gf2.X86_64.twist_lanes, ← Gf2.X86_64.pshufb_reverseMask, show Gf2.X86_64.reverseMask = table.getD 1 0 from rfl,
    show invX = table.getD 2 0 from rfl, ← h.table 1 (by decide), ← h.table 2 (by decide)]
  rfl

/-- The subkey, after all round keys. -/
theorem finish_ok (hl : len ∈ [16, 24, 32]) (h : Entry len bs s₀) (hn : n + 1 = Spec.Aes.rounds len)
    (m : Made (n + 1) (rk (Spec.Aes.keyWords bs)) s₀ (n + 1) s) : isa.Wp pub (.block finish) (fun s' =>
      s'.memory.bytes = after s₀.memory.bytes (s₀.gpr .rdx) (Spec.Aes.expandKey bs) ∧ Keeps [] s₀ s') s := by
  have bound : n + 1 < 15 := by
    rw [hn, Spec.Aes.rounds]
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hl
    omega
  refine machine.wp finishOutcome (holds_of h.holds m.keeps m.memory) (finish_checked len hl) fun s' e =>
    ⟨?_, m.keeps.trans (Proof.Aes.X86_64.keeps_of_ends e [] rfl)⟩
  have mem : s'.memory = s.memory.set (writeBytes s.memory.bytes (s₀.gpr .rdx + BitVec.ofNat 64 240)
    (toBytes 16 (subkeyE.at (base s₀) view s) ++ [])) := e.memory
  rw [mem, Memory.bytes_set, subkey_at (m.ready h.holds bound h.table), m.block, roundsTo_eq, List.append_nil, after,
    expandKey_rk, h.length, ← hn, m.memory, Memory.bytes_set]

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
theorem main_ok (hl : len ∈ [16, 24, 32]) (h : Entry len bs s) (cf : s.flag .cf = some (decide (len < 24)))
    (zf : s.flag .zf = some (decide (len = 24))) :
    isa.Wp pub (.ite .b (.block (Impl.AesGcm.Init.X86_64.rounds 10 next128))
      (.ite .e (.block (Impl.AesGcm.Init.X86_64.rounds 12 next192)) (.block (Impl.AesGcm.Init.X86_64.rounds 14 next256))))
      (fun s' => ∃ n, n + 1 = Spec.Aes.rounds len ∧ Made (n + 1) (rk (Spec.Aes.keyWords bs)) s (n + 1) s') s := by
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hl
  rcases hl with rfl | rfl | rfl
  · exact .ite (v := true) (cf.trans (by decide)) (fun _ => (rounds128_ok h).mono fun _ m => ⟨9, by decide, m⟩) nofun
  · exact .ite (v := false) (cf.trans (by decide)) nofun fun _ => .ite (v := true) (zf.trans (by decide))
      (fun _ => (rounds192_ok h).mono fun _ m => ⟨11, by decide, m⟩) nofun
  · exact .ite (v := false) (cf.trans (by decide)) nofun fun _ => .ite (v := false) (zf.trans (by decide)) nofun
      fun _ => (rounds256_ok h).mono fun _ m => ⟨13, by decide, m⟩

theorem length_constants : constants.length = 224 := by decide +kernel

/-- What the rounds need. -/
theorem entry_of {s : State} (p : Pre constants s.memory (s.gpr .rdi) (s.gpr .rdx) len) (hr : s.gpr .rax = s.memory.constants) :
    Entry len (bytesAt s.memory.bytes (s.gpr .rdi) len) s where
  length := length_bytesAt ..
  holds := {
    ptrs := fun q hq => by
      simp only [layout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl | rfl <;> simp [view, regOf, base]
    small := ⟨by have := p.valid; simp only [List.mem_cons, List.not_mem_nil, or_false] at this; simp only; omega,
      by decide, by decide, trivial⟩
    reads := ⟨fun _ => p.reads, nofun, fun _ => by
      have := p.readsTable
      rw [length_constants, ← hr] at this
      exact this, trivial⟩
    writes := ⟨nofun, fun _ a k hk => p.writes a k (Nat.le_trans hk (show (256 : Nat) ≤ 1024 by decide)), nofun, trivial⟩
    apart := by
      have short : ∀ x, (Region.mk (s.gpr .rdx) 256).Contains x → (Region.mk (s.gpr .rdx) 1024).Contains x :=
        fun x hx => Nat.lt_trans hx (by simp only; decide)
      have table := p.tableApart
      rw [length_constants, ← hr] at table
      exact ⟨⟨nofun, fun _ _ x hx => p.apart x ⟨hx.1, short x hx.2⟩, nofun, trivial⟩,
        ⟨nofun, nofun, fun _ _ x hx => table x ⟨short x hx.1, hx.2⟩, trivial⟩, ⟨nofun, nofun, nofun, trivial⟩, trivial⟩ }
  table k hk := by
    have := p.table
    rw [← hr] at this
    rw [List.getD_eq_getElem?_getD, List.getElem?_eq_getElem hk, Option.getD_some]
    exact ofBytes_laneBytes (vs := table) this hk
  key j hj := by
    rw [← bytesAt_part _ _ hj]
    rfl

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract constants s) :
    isa.Wp (target.publicRegions contract constants s) code (target.Post contract s) s := by
  have p : Pre constants s.memory (s.gpr .rdi) (s.gpr .rdx) (s.gpr .rsi).toNat := pre_of target (by decide) h
  refine .seq (begin_ok fun s₁ k₁ rax m₁ cf zf => .seq ?_)
  have entry := entry_of (s := s₁) (len := (s.gpr .rsi).toNat)
    (by rw [m₁, k₁.gpr .rdi (by decide), k₁.gpr .rdx (by decide)]; exact p) (by rw [m₁]; exact rax)
  refine (main_ok p.valid entry cf zf).mono fun s₂ ⟨n, hn, m⟩ => (finish_ok p.valid entry hn m).mono fun s₃ ⟨hm, k₃⟩ => ?_
  rw [m₁, k₁.gpr .rdi (by decide), k₁.gpr .rdx (by decide)] at hm
  have k₃ := k₁.trans (k₃.mono (List.nil_subset _))
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
