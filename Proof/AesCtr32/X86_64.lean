import Proof.AesCtr32.X86_64.Group

/-!
# Counter mode, on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.AesCtr32.X86_64
open TCB TCB.X86_64 SymExec Proof.Aes Proof.Aes.X86_64 Impl.AesCtr32.X86_64 Proof.Gf2.X86_64 Spec.AesCtr32

namespace Inv
variable {c : Call} {s₀ s : State} {done left n : Nat}

/-- Flags may change. -/
theorem setFlags (h : Inv c s₀ done left s) (f : Flag → Option Bool) : Inv c s₀ done left (s.setFlags f) :=
  ⟨h.le, h.keys, h.keys', h.rounds, h.pointer, h.length, h.counter, h.mask, h.one, h.memory, h.keeps.setFlags⟩

/-- The length goes down. -/
theorem setLength (h : Inv c s₀ done left s) (m : Nat) :
    Inv c s₀ done m (s.setReg .r8 (BitVec.ofNat 64 (16 * m))) :=
  ⟨h.le, h.keys, h.keys', h.rounds, h.pointer, rfl, h.counter, h.mask, h.one, h.memory, h.keeps.setReg (by decide)⟩

/-- Comparing the length. -/
theorem below (h : Inv c s₀ done left s) (hl : done + left = c.blocks) (hn : n ≤ 8) :
    subFlags (s.gpr .r8) (s.src (Impl.X86_64.imm (16 * n))) .cf = some (decide (left < n)) := by
  have bound := c.pre.bound
  rw [h.length, src_imm (by omega), subFlags, ult_ofNat (by omega) (by omega)]
  simp only [Option.some.injEq, decide_eq_decide]
  omega

attribute [local irreducible] State.setReg State.setFlags in
/-- As many groups as there are. -/
theorem groups_ok (hc : Checked n) {pub : List Region} (h : Inv c s₀ done left s) (hl : done + left = c.blocks) :
    isa.Wp pub (groups n) (fun s' => ∃ done left, Inv c s₀ done left s' ∧ done + left = c.blocks ∧ left < n) s := by
  have bound := c.pre.bound
  have hn : 0 < n ∧ n ≤ 8 := by rcases hc.small with rfl | rfl <;> decide
  refine .seq (.cons (s₁ := s.setFlags (subFlags (s.gpr .r8) (s.src (Impl.X86_64.imm (16 * n))))) rfl (.nil ?_))
  refine .skipIf (v := decide (left < n)) ?_ (fun hv => ?_) fun hv => ?_
  · simp only [isa, eval, flag_setFlags]
    exact h.below hl hn.2
  · exact ⟨done, left, h.setFlags _, hl, of_decide_eq_true hv⟩
  have hv := of_decide_eq_false hv
  refine .loop (fun k s => ∃ done, Inv c s₀ done k s ∧ done + k = c.blocks ∧ n ≤ k) (fun k s ⟨done, h, hl, hk⟩ => ?_)
    (k := left) ⟨done, h.setFlags _, hl, by omega⟩
  refine group_ok hc (by omega) h fun s₁ h₁ => ?_
  have step : s₁.gpr .r8 - s₁.src (Impl.X86_64.imm (16 * n)) = BitVec.ofNat 64 (16 * (k - n)) := by
    rw [h₁.length, src_imm (by omega), show 16 * k = 16 * k - 0 by omega, ofNat_sub_ofNat (by omega)]
    congr 1
    omega
  refine .cons (s₁ := (s₁.setReg .r8 (s₁.gpr .r8 - s₁.src (Impl.X86_64.imm (16 * n)))).setFlags
    (subFlags (s₁.gpr .r8) (s₁.src (Impl.X86_64.imm (16 * n))))) rfl ?_
  rw [step]
  have h₂ := (h₁.setLength (k - n)).setFlags (subFlags (s₁.gpr .r8) (s₁.src (Impl.X86_64.imm (16 * n))))
  generalize (s₁.setReg .r8 (BitVec.ofNat 64 (16 * (k - n)))).setFlags _ = s₂ at h₂ ⊢
  refine .cons (s₁ := s₂.setFlags (subFlags (s₂.gpr .r8) (s₂.src (Impl.X86_64.imm (16 * n))))) rfl (.nil ?_)
  refine ⟨!decide (k - n < n), ?_, fun hv => ?_, fun hv => ?_⟩
  · simp only [isa, eval, flag_setFlags, h₂.below (show done + n + (k - n) = c.blocks by omega) hn.2, Option.map_some]
  · have := of_decide_eq_false (Bool.not_eq_true' _ ▸ hv)
    exact ⟨k - n, by omega, done + n, h₂.setFlags _, by omega, by omega⟩
  · have := of_decide_eq_true (Bool.not_eq_false' _ ▸ hv)
    exact ⟨done + n, k - n, h₂.setFlags _, by omega, this⟩

end Inv

/-- The counter, the mask and one. -/
def loadOutcome : Outcome VecUn VecBin :=
  { vec := [(8, [.bin .pshufb (.load 0 0) (.load 1 0)]), (9, [.load 1 0]), (10, [.load 1 16])] }

/-- The counter at `rdx` and the table at `r10`. -/
def loadLayout : Layout := { areas := [{ len := 16 }, { len := 32 }], ptrs := [(2, 0, 0), (10, 1, 0)] }

/-- Nothing is written when registers are cleared. -/
def clearOutcome : Outcome VecUn VecBin := {}

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- Where the table and the round keys are. -/
theorem places_ok {pub : List Region} {Q : State → Prop} {s : State} (h : ∀ s', Keeps [.r9, .r10] s s' →
    s'.memory = s.memory → s'.gpr .r9 = s.gpr .rdi → s'.gpr .r10 = s.memory.constants → Q s') :
    isa.Wp pub (.block places) Q s :=
  .cons rfl (.cons rfl (.nil (h _ (kept (Keeps.refl _ s)) (by reads) (by reads) (by reads))))

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract table s) :
    isa.Wp (target.publicRegions contract table s) code (target.Post contract s) s := by
  have p := pre_of target h
  let c : Call := ⟨s.memory, s.gpr .rdi, s.gpr .rdx, s.gpr .rcx, (s.gpr .rsi).toNat, (s.gpr .r8).toNat / 16, p⟩
  have len : (s.gpr .r8).toNat = 16 * c.blocks := len_eq target h
  have ⟨tableIn, tableIs, _⟩ := h.table (by decide)
  have tableIs : bytesAt s.memory.bytes s.memory.constants 32 = table := tableIs
  have tableWord (i : Nat) (hi : i + 16 ≤ 32) : bytesAt s.memory.bytes (s.memory.constants + BitVec.ofNat 64 i) 16 =
      (table.drop i).take 16 := by
    rw [← tableIs, ← Nat.add_sub_cancel' (show i ≤ 32 by omega), ← bytesAt_append, List.drop_left' (by simp),
      take_bytesAt _ _ _ _ (by omega)]
  refine .seq (places_ok fun s₁ k₁ m₁ r₉ r₁₀ => ?_)
  have holds : loadLayout.Holds view (fun | 0 => s.gpr .rdx | _ => s.memory.constants) s₁ := {
    ptrs := fun q hq => by
      simp only [loadLayout, List.mem_cons, List.not_mem_nil, or_false] at hq
      rcases hq with rfl | rfl
      · exact (k₁.gpr .rdx (by decide)).trans (BitVec.add_zero _).symm
      · exact r₁₀.trans (BitVec.add_zero _).symm
    small := ⟨by decide, by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, m₁]; exact p.readsCounter,
      fun _ => by simp only [view, m₁]; exact .of_mem tableIn, trivial⟩
    writes := ⟨nofun, nofun, trivial⟩
    apart := ⟨⟨nofun, nofun, trivial⟩, ⟨nofun, nofun, trivial⟩, trivial⟩ }
  refine .seq (machine.wp loadOutcome holds (by decide +kernel) fun s₂ e₂ => .seq ?_)
  have k₂ := keeps_of_ends e₂ [] rfl
  have m₂ : s₂.memory = s.memory := e₂.memory.trans m₁
  have bytes : s₁.memory.bytes = s.memory.bytes := by rw [m₁]
  have mask : ofBytes 128 (bytesAt s₁.memory.bytes (s.memory.constants + 0#64) 16) = reverseMask := by
    rw [bytes, tableWord 0 (by decide)]; decide +kernel
  have one : ofBytes 128 (bytesAt s₁.memory.bytes (s.memory.constants + 16#64) 16) = 1 := by
    rw [bytes, tableWord 16 (by decide)]; decide +kernel
  have inv : Inv c s 0 c.blocks s₂ := {
    le := Nat.zero_le _
    keys := (k₂.gpr .rdi (by decide)).trans (k₁.gpr .rdi (by decide))
    keys' := (k₂.gpr .r9 (by decide)).trans r₉
    rounds := ((k₂.gpr .rsi (by decide)).trans (k₁.gpr .rsi (by decide))).trans
      ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
    pointer := ((k₂.gpr .rcx (by decide)).trans (k₁.gpr .rcx (by decide))).trans (BitVec.add_zero _).symm
    length := by
      rw [k₂.gpr .r8 (by decide), k₁.gpr .r8 (by decide), ← len]
      exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
    counter := by
      rw [e₂.vec (r := 8) (es := [.bin .pshufb (.load 0 0) (.load 1 0)]) rfl 0]
      show VecBin.eval .pshufb (ofBytes 128 (bytesAt s₁.memory.bytes (s.gpr .rdx + 0#64) 16))
        (ofBytes 128 (bytesAt s₁.memory.bytes (s.memory.constants + 0#64) 16)) = _
      rw [mask, pshufb_reverseMask, bytes, BitVec.add_zero, Gf2.bswap128_ofBytes (by simp)]
      rfl
    mask := (e₂.vec (r := 9) (es := [.load 1 0]) rfl 0).trans mask
    one := (e₂.vec (r := 10) (es := [.load 1 16]) rfl 0).trans one
    memory := by
      rw [m₂]
      show s.memory = s.memory.set (writeBytes s.memory.bytes _ [])
      rw [writeBytes_nil]
      rfl
    keeps := (k₁.mono (by decide)).trans (k₂.mono (List.nil_subset _)) }
  refine .mono (inv.groups_ok checked_eight (Nat.zero_add _)) fun s₃ ⟨d₃, l₃, i₃, e₃, _⟩ => .seq ?_
  refine .mono (i₃.groups_ok checked_one e₃) fun s₄ ⟨d₄, l₄, i₄, e₄, n₄⟩ => ?_
  obtain rfl : d₄ = c.blocks := by omega
  refine machine.wp_registers clearOutcome (by decide +kernel) fun s₅ e₅ => ?_
  have k₅ := i₄.keeps.trans ((keeps_of_ends e₅ [] rfl).mono (List.nil_subset _))
  have m₅ : s₅.memory = s₄.memory := e₅.memory
  have ⟨result, frame⟩ := result_of target (s' := s₅) h (by
    show s₅.memory.bytes = c.mem c.blocks
    rw [m₅, i₄.memory]; rfl)
  exact ⟨result, nofun, frame, fun r hr => k₅.gpr r (by revert r; decide), k₅.df, k₅.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract table :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel)
    (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    (fun r hr => by
      simp only [contract, List.mem_cons, List.not_mem_nil, or_false] at hr
      obtain rfl | rfl := hr
      · exact ⟨.head _, .head _⟩
      · have whole : (Witness.args contract.sig values "len").toNat % 16 = 0 := by decide +kernel
        exact ⟨whole, whole⟩) rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  X86_64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesCtr32.X86_64
