import Proof.AesCtr32.AArch64.Group

/-!
# Counter mode, on AArch64, verified
-/

set_option autoImplicit false
namespace Proof.AesCtr32.AArch64
open TCB TCB.AArch64 SymExec Proof.Aes Proof.Aes.AArch64 Impl.AesCtr32.AArch64 Proof.Gf2 Spec.AesCtr32

namespace Inv
variable {c : Call} {s₀ s : State} {done left n : Nat}

/-- Flags may change. -/
theorem setFlags (h : Inv c s₀ done left s) (f : Nzcv) : Inv c s₀ done left (s.setFlags f) :=
  ⟨h.le, h.keys, h.keys', h.rounds, h.pointer, h.length, h.counter, h.one, h.memory, h.keeps.setFlags⟩

/-- The length goes down. -/
theorem setLength (h : Inv c s₀ done left s) (m : Nat) : Inv c s₀ done m (s.setReg .x4 (BitVec.ofNat 64 (16 * m))) :=
  ⟨h.le, h.keys, h.keys', h.rounds, h.pointer, rfl, h.counter, h.one, h.memory, h.keeps.setReg (by decide)⟩

/-- Comparing the length. -/
theorem below (h : Inv c s₀ done left s) (hl : done + left = c.blocks) (hn : n ≤ 8) :
    (subFlags (s.gpr .x4) (s.src (Impl.AArch64.imm (16 * n)))).c = !decide (left < n) := by
  have bound := c.pre.bound
  rw [h.length, src_imm (by omega)]
  show (!(BitVec.ofNat 64 (16 * left)).ult (BitVec.ofNat 64 (16 * n))) = _
  rw [ult_ofNat (by omega) (by omega)]
  exact congrArg _ (decide_eq_decide.2 (by omega))

attribute [local irreducible] State.setReg State.setFlags in
/-- As many groups as there are. -/
theorem groups_ok (hc : Checked n) {pub : List Region} (h : Inv c s₀ done left s) (hl : done + left = c.blocks) :
    isa.Wp pub (groups n) (fun s' => ∃ done left, Inv c s₀ done left s' ∧ done + left = c.blocks ∧ left < n) s := by
  have bound := c.pre.bound
  have hn : 0 < n ∧ n ≤ 8 := by rcases hc.small with rfl | rfl <;> decide
  refine .seq (.cons (s₁ := s.setFlags (subFlags (s.gpr .x4) (s.src (Impl.AArch64.imm (16 * n))))) rfl (.nil ?_))
  refine .skipIf (v := decide (left < n)) ?_ (fun hv => ?_) fun hv => ?_
  · simp only [isa, eval, nzcv_setFlags, h.below hl hn.2, Bool.not_not]
  · exact ⟨done, left, h.setFlags _, hl, of_decide_eq_true hv⟩
  have hv := of_decide_eq_false hv
  refine .loop (fun k s => ∃ done, Inv c s₀ done k s ∧ done + k = c.blocks ∧ n ≤ k) (fun k s ⟨done, h, hl, hk⟩ => ?_)
    (k := left) ⟨done, h.setFlags _, hl, by omega⟩
  refine group_ok hc (by omega) h fun s₁ h₁ => ?_
  have step : s₁.gpr .x4 - s₁.src (Impl.AArch64.imm (16 * n)) = BitVec.ofNat 64 (16 * (k - n)) := by
    rw [h₁.length, src_imm (by omega), show 16 * k = 16 * k - 0 by omega, ofNat_sub_ofNat (by omega)]
    congr 1
    omega
  refine .cons (s₁ := s₁.setReg .x4 (s₁.gpr .x4 - s₁.src (Impl.AArch64.imm (16 * n)))) rfl ?_
  rw [step]
  have h₂ := h₁.setLength (k - n)
  generalize s₁.setReg .x4 (BitVec.ofNat 64 (16 * (k - n))) = s₂ at h₂ ⊢
  refine .cons (s₁ := s₂.setFlags (subFlags (s₂.gpr .x4) (s₂.src (Impl.AArch64.imm (16 * n))))) rfl (.nil ?_)
  refine ⟨!decide (k - n < n), ?_, fun hv => ?_, fun hv => ?_⟩
  · simp only [isa, eval, nzcv_setFlags, h₂.below (show done + n + (k - n) = c.blocks by omega) hn.2]
  · have := of_decide_eq_false (Bool.not_eq_true' _ ▸ hv)
    exact ⟨k - n, by omega, done + n, h₂.setFlags _, by omega, by omega⟩
  · have := of_decide_eq_true (Bool.not_eq_false' _ ▸ hv)
    exact ⟨done + n, k - n, h₂.setFlags _, by omega, this⟩

end Inv

/-- The counter, and one. -/
def loadOutcome : Outcome VecUn SymBin :=
  { vec := keptE saved ++ [(17, [.un .rev32 (.load 0 0)]), (18, [.bin (.vec (.ext 4)) (.const 0)
      (.un (.ushr4s 8) (.const 0x01010101010101010101010101010101))])], gpr := [(5, .init 0 0)] }

/-- The counter at `x2`. -/
def loadLayout : Layout := { areas := [{ len := 16 }], ptrs := [(2, 0, 0)] }

/-- Nothing is written when registers are cleared. -/
def clearOutcome : Outcome VecUn SymBin := { vec := keptE saved }

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  have p := pre_of target h
  let c : Call := ⟨s.memory, s.gpr .x0, s.gpr .x2, s.gpr .x3, (s.gpr .x1).toNat, (s.gpr .x4).toNat / 16, p⟩
  have len : (s.gpr .x4).toNat = 16 * c.blocks := len_eq target h
  have holds : loadLayout.Holds view (fun _ => s.gpr .x2) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => p.readsCounter, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine .seq (machine.wp loadOutcome holds (by decide +kernel) fun s₁ e₁ => .seq ?_)
  have k₁ := keeps_of_ends e₁ [.x5] rfl rfl
  have m₁ : s₁.memory = s.memory := e₁.memory
  have inv : Inv c s 0 c.blocks s₁ := {
    le := Nat.zero_le _
    keys := k₁.gpr .x0 (by decide)
    keys' := (e₁.gpr (r := 5) (by decide)).trans (BitVec.add_zero _)
    rounds := (k₁.gpr .x1 (by decide)).trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
    pointer := (k₁.gpr .x3 (by decide)).trans (BitVec.add_zero _).symm
    length := by
      rw [k₁.gpr .x4 (by decide), ← len]
      exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
    counter := by
      rw [e₁.vec (r := 17) (es := [.un .rev32 (.load 0 0)]) rfl 0]
      show VecUn.rev32.eval (ofBytes 128 (bytesAt s.memory.bytes (s.gpr .x2 + 0#64) 16)) =
        VecUn.rev32.eval (bswap128 (Spec.Gcm.ofBytes (bytesAt s.memory.bytes (s.gpr .x2) 16)))
      rw [← bswap128_ofBytes (by simp), bswap128_bswap128, BitVec.add_zero]
    one := (e₁.vec (r := 18) rfl 0).trans (by
      show (VecBin.ext 4).eval (BitVec.ofNat 128 0) ((VecUn.ushr4s 8).eval (BitVec.ofNat 128 0x01010101010101010101010101010101)) = one
      decide +kernel)
    memory := by
      rw [m₁]
      show s.memory = s.memory.set (writeBytes s.memory.bytes _ [])
      rw [writeBytes_nil]
      rfl
    keeps := k₁.mono (by decide) }
  refine .mono (inv.groups_ok checked_eight (Nat.zero_add _)) fun s₃ ⟨d₃, l₃, i₃, e₃, _⟩ => .seq ?_
  refine .mono (i₃.groups_ok checked_one e₃) fun s₄ ⟨d₄, l₄, i₄, e₄, n₄⟩ => ?_
  obtain rfl : d₄ = c.blocks := by omega
  refine machine.wp_registers clearOutcome (by decide +kernel) fun s₅ e₅ => ?_
  have k₅ := i₄.keeps.trans ((keeps_of_ends e₅ [] rfl (List.append_nil _).symm).mono (List.nil_subset _))
  have m₅ : s₅.memory = s₄.memory := e₅.memory
  have ⟨result, frame⟩ := result_of target (s' := s₅) h (by
    show s₅.memory.bytes = c.mem c.blocks
    rw [m₅, i₄.memory]; rfl)
  exact ⟨result, nofun, frame, fun r hr => k₅.gpr r (by revert r; decide), fun r hr => by rw [k₅.vec r hr], k₅.control⟩

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
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
  AArch64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesCtr32.AArch64
