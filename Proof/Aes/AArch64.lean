import Impl.Aes.AArch64
import Proof.Aes.Cipher
import Proof.AArch64.SymExec

/-!
# AES on AArch64, for several blocks at once

Every fragment is one evaluation of the symbolic evaluator, whatever the number of blocks and their registers.
-/

set_option autoImplicit false
namespace Proof.Aes.AArch64
open TCB TCB.AArch64 TCB.SymExec Impl.Aes.AArch64 Spec.Aes

/-! ## Symbolic values -/

/-- A round key, in area 0. -/
def keyE (i : Nat) : VecExpr := .load 0 (16 * i)

/-- A block after AESE and AESMC with the round keys 0 to `n - 1`. -/
def turnsE (x : VecExpr) : Nat → VecExpr
  | 0 => x
  | n + 1 => .un .aesmc (.bin .aese (turnsE x n) (keyE n))

/-- A block after the last ten rounds. -/
def lastTenE (x : VecExpr) : VecExpr := .bin (.vec .eor) (.bin .aese (turnsE x 9) (keyE 9)) (keyE 10)

/-- The registers of the blocks with values computed from their own; other registers are kept. -/
def registersE (f : VecExpr → VecExpr) (blocks others : List Nat) : List (Nat × List VecExpr) :=
  keptE saved ++ (blocks.map (fun r => (r, [f (.reg r 0)])) ++ keptE others)

/-- Eleven round keys at `x0`. -/
def layout : Layout := { areas := [{ len := 176 }], ptrs := [(0, 0, 0)] }

/-- What the rounds ahead do. -/
def aheadOutcome (blocks others : List Nat) : Outcome VecUn SymBin :=
  { vec := registersE (turnsE · 2) blocks others, gpr := [(0, .ptr 0 32)] }

/-- What the last ten rounds do. -/
def lastTenOutcome (blocks others : List Nat) : Outcome VecUn SymBin := { vec := registersE lastTenE blocks others }

/-- What the kernel computes for a list of registers of blocks, and of registers that are kept. -/
structure Checked (blocks others : List Nat) : Prop where
  unsaved : ∀ r ∈ blocks ++ others, r ∉ saved
  apart : ∀ r ∈ others, r ∉ blocks
  ahead : machine.check layout (ahead blocks) (aheadOutcome blocks others) = true
  lastTen : machine.check layout (lastTen blocks) (lastTenOutcome blocks others) = true

/-! ## Fragments -/

/-- What a fragment of the cipher does: `f` to each block. -/
structure After (f : TCB.Aes.Block → TCB.Aes.Block) (blocks others : List Nat) (s s' : State) : Prop where
  blocks : ∀ r ∈ blocks, view.lane s' r 0 = f (view.lane s r 0)
  others : ∀ r ∈ others, view.lane s' r 0 = view.lane s r 0
  keeps : Keeps [.x0] s s'
  memory : s'.memory = s.memory

variable {blocks others : List Nat} {s s' : State} {ctx : Addr} {base : Nat → Addr}

/-- One fragment after the other. -/
theorem After.trans {f g : TCB.Aes.Block → TCB.Aes.Block} {s₁ : State} (h : After f blocks others s s₁)
    (h' : After g blocks others s₁ s') : After (fun x => g (f x)) blocks others s s' where
  blocks r hr := by rw [h'.blocks r hr, h.blocks r hr]
  others r hr := by rw [h'.others r hr, h.others r hr]
  keeps := h.keeps.trans h'.keeps
  memory := h'.memory.trans h.memory

/-- Equal functions. -/
theorem After.congr {f g : TCB.Aes.Block → TCB.Aes.Block} (h : After f blocks others s s') (e : ∀ x, f x = g x) :
    After g blocks others s s' := ⟨fun r hr => (h.blocks r hr).trans (e _), h.others, h.keeps, h.memory⟩

/-- An outcome of the cipher, on values. -/
theorem after_of_ends {out : Outcome VecUn SymBin} {fE : VecExpr → VecExpr} {f : TCB.Aes.Block → TCB.Aes.Block}
    (h : Checked blocks others) (hv : out.vec = registersE fE blocks others) (hm : out.mem = [])
    (hg : out.gpr.all (fun p => [Reg.x0].any fun r => Nat.beq r.index p.1) = true)
    (hf : ∀ x, (fE x).at base view s = f (x.at base view s)) (he : out.Ends base view machine s s') :
    After f blocks others s s' where
  blocks r hr := by
    rw [he.vec (r := r) (by
      rw [hv, registersE, keptE, find_append (h.unsaved r (List.mem_append_left _ hr)), find_map hr]) 0]
    exact hf _
  others r hr := he.vec (r := r) (es := [.reg r 0]) (by
    rw [hv, registersE, keptE, find_append (h.unsaved r (List.mem_append_right _ hr)), find_append (h.apart r hr), keptE,
      ← List.append_nil (List.map _ others), find_map hr]) 0
  keeps := keeps_of_ends he _ hg hv
  memory := by
    have := he.memory
    rw [hm] at this
    exact this

/-- The eleven round keys from `x0` may be read. -/
theorem holds {i : Nat} (hk : s.gpr .x0 = ctx + BitVec.ofNat 64 i) (hr : Within s.memory.readable ⟨ctx, 256⟩)
    (hi : i ≤ 80) : layout.Holds view (fun _ => ctx + BitVec.ofNat 64 i) s where
  ptrs p hp := by
    obtain rfl := List.mem_singleton.1 hp
    simp only [BitVec.add_zero]
    exact hk
  small := ⟨by decide, trivial⟩
  reads := ⟨fun _ => hr.part i (by simp only; omega), trivial⟩
  writes := ⟨nofun, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- A round key. -/
theorem keyE_at {j i : Nat} : (keyE i).at (fun _ => ctx + BitVec.ofNat 64 (16 * j)) view s =
    key s.memory.bytes ctx (j + i) := by
  simp only [keyE, Expr.at, Expr.eval, SymExec.word, key, Spec.AesGcm.Context.word]
  rw [BitVec.add_assoc, ← BitVec.ofNat_add, ← Nat.mul_add]
  rfl

/-- Rounds but for their keys. -/
theorem turnsE_at {j n : Nat} {x : VecExpr} :
    (turnsE x n).at (fun _ => ctx + BitVec.ofNat 64 (16 * j)) view s =
      turnsFrom (key s.memory.bytes ctx) j (x.at (fun _ => ctx + BitVec.ofNat 64 (16 * j)) view s) n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [turnsFrom, ← ih, ← keyE_at, ← subBytes_shiftRows]
    rfl

/-- Two rounds ahead. -/
theorem ahead_ok (h : Checked blocks others) {pub : List Region} {j : Nat} (hj : j ≤ 5)
    (hk : s.gpr .x0 = ctx + BitVec.ofNat 64 (16 * j)) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (.block (ahead blocks)) (fun s' =>
      After (turnsFrom (key s.memory.bytes ctx) j · 2) blocks others s s' ∧
      s'.gpr .x0 = ctx + BitVec.ofNat 64 (16 * (j + 2))) s := by
  refine machine.wp (aheadOutcome blocks others) (holds hk hr (by omega)) h.ahead fun s' he => ⟨?_, ?_⟩
  · exact after_of_ends h rfl rfl rfl (fun x => turnsE_at) he
  · have : s'.gpr .x0 = ctx + BitVec.ofNat 64 (16 * j) + BitVec.ofNat 64 32 := he.gpr (r := 0) (by decide)
    rw [this, BitVec.add_assoc, ← BitVec.ofNat_add]
    congr 2

/-- The last ten rounds. -/
theorem lastTen_ok (h : Checked blocks others) {pub : List Region} {j : Nat} (hj : j ≤ 5)
    (hk : s.gpr .x0 = ctx + BitVec.ofNat 64 (16 * j)) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (.block (lastTen blocks)) (After (fun x =>
      lastRound (roundsFrom (key s.memory.bytes ctx) (j + 1) (x ^^^ key s.memory.bytes ctx j) 9)
        (key s.memory.bytes ctx (j + 10))) blocks others s) s := by
  refine machine.wp (lastTenOutcome blocks others) (holds hk hr (by omega)) h.lastTen fun s' he => ?_
  refine after_of_ends h rfl rfl rfl (fun x => ?_) he
  rw [← turnsFrom_xor, ← turnsE_at, ← keyE_at, ← keyE_at, lastRound, ← subBytes_shiftRows]
  rfl

attribute [local irreducible] State.setFlags in
/-- Comparing the number of rounds. -/
theorem compare_ok {pub : List Region} {Q : State → Prop} {n k : Nat} (hn : n < 2 ^ 31) (hk : k < 4096)
    (hr : s.gpr .x1 = BitVec.ofNat 64 n)
    (hq : ∀ s', After id blocks others s s' → (∀ r, s'.gpr r = s.gpr r) → s'.nzcv.z = decide (n = k) → Q s') :
    isa.Wp pub (.block [.cmp .x1 (Impl.AArch64.imm k)]) Q s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .x1) (s.src (Impl.AArch64.imm k)))) rfl (.nil ?_)
  refine hq _ ⟨fun r hr => ?_, fun r hr => ?_, kept (Keeps.refl _ s), by reads⟩ (fun r => by reads) ?_
  · simp only [view, vec_setFlags, id]
  · simp only [view, vec_setFlags]
  · rw [nzcv_setFlags, hr, src_imm hk]
    simp only [subFlags]
    rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp only [BitVec.toNat_add, BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
    omega

/-- **The cipher.** -/
theorem cipher_ok (h : Checked blocks others) {pub : List Region} {n : Nat} (hn : n ∈ [10, 12, 14])
    (hk : s.gpr .x0 = ctx) (hs : s.gpr .x1 = BitVec.ofNat 64 n) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (cipher blocks) (After (fun x => lastRound
      (roundsFrom (key s.memory.bytes ctx) 1 (x ^^^ key s.memory.bytes ctx 0) (n - 1)) (key s.memory.bytes ctx n))
      blocks others s) s := by
  have hlt : n < 2 ^ 31 := by
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hn; omega
  refine .seq (compare_ok (blocks := blocks) (others := others) hlt (by decide) hs fun s₁ a₁ g₁ z₁ => .seq ?_)
  refine .skipIf (v := decide (n = 10)) (congrArg some z₁) (fun hz => ?_) fun hz => .seq ?_
  · obtain rfl := of_decide_eq_true hz
    refine .mono (lastTen_ok h (j := 0) (ctx := ctx) (by decide) (by rw [g₁, hk]; simp) (by rw [a₁.memory]; exact hr)) fun s' a => ?_
    have := a₁.trans a
    rw [a₁.memory] at this
    exact this
  · have hz := of_decide_eq_false hz
    refine .mono (ahead_ok h (j := 0) (ctx := ctx) (by decide) (by rw [g₁, hk]; simp) (by rw [a₁.memory]; exact hr))
      fun s₂ ⟨a₂, k₂⟩ => .seq ?_
    have a₂ := a₁.trans a₂
    have r₂ : Within s₂.memory.readable ⟨ctx, 256⟩ := by rw [a₂.memory]; exact hr
    refine compare_ok (blocks := blocks) (others := others) hlt (by decide) ((a₂.keeps.gpr .x1 (by decide)).trans hs)
      fun s₃ a₃ g₃ z₃ => ?_
    have a₃ := a₂.trans a₃
    have r₃ : Within s₃.memory.readable ⟨ctx, 256⟩ := by rw [a₃.memory]; exact hr
    refine .skipIf (v := decide (n = 12)) (congrArg some z₃) (fun hw => ?_) fun hw => ?_
    · obtain rfl := of_decide_eq_true hw
      refine .mono (lastTen_ok h (j := 2) (by decide) ((g₃ .x0).trans k₂) r₃) fun s' a => ?_
      have := a₃.trans a
      rw [a₃.memory] at this
      refine After.congr this fun x => ?_
      rw [a₁.memory]
      simp only [id, turnsFrom_xor _ 0 x 2, roundsFrom_add _ 1 _ 2 9, Nat.reduceAdd, Nat.reduceSub]
    · obtain rfl : n = 14 := by
        have := of_decide_eq_false hw
        simp only [List.mem_cons, List.not_mem_nil, or_false] at hn
        omega
      refine .mono (ahead_ok h (j := 2) (by decide) ((g₃ .x0).trans k₂) r₃) fun s₄ ⟨a₄, k₄⟩ => ?_
      have a₄ := a₃.trans a₄
      refine .mono (lastTen_ok h (j := 4) (by decide) k₄ (by rw [a₄.memory]; exact hr)) fun s' a => ?_
      have := a₄.trans a
      rw [a₄.memory] at this
      refine After.congr this fun x => ?_
      rw [a₁.memory, a₃.memory]
      simp only [id, turnsFrom_xor _ 2 _ 2, turnsFrom_xor _ 0 x 2, roundsFrom_add _ 1 _ 2 11, roundsFrom_add _ 3 _ 2 9,
        Nat.reduceAdd, Nat.reduceSub]

end Proof.Aes.AArch64
