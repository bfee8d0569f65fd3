import Impl.Aes.X86_64
import Proof.Aes.Cipher
import Proof.X86_64.Keeps
import Proof.X86_64.SymExec

/-!
# AES on x86-64, for several blocks at once

Every fragment is one evaluation of the symbolic evaluator, whatever the number of blocks and their registers.
-/

set_option autoImplicit false
namespace Proof.Aes.X86_64
open TCB TCB.X86_64 TCB.SymExec Impl.Aes.X86_64 Spec.Aes

/-! ## What the instructions compute -/

/-- AESENC is a round. -/
theorem aesenc_eq (s k : TCB.Aes.Block) : VecBin.eval .aesenc s k = round s k := by
  rw [VecBin.eval, subBytes_shiftRows, round]

/-- AESENCLAST is the last round. -/
theorem aesenclast_eq (s k : TCB.Aes.Block) : VecBin.eval .aesenclast s k = lastRound s k := by
  rw [VecBin.eval, subBytes_shiftRows, lastRound]

/-! ## Symbolic values -/

/-- A round key, in area 0. -/
def keyE (i : Nat) : VecExpr := .load 0 (16 * i)

/-- A block after `n` rounds with the round keys from 1 on. -/
def roundsE (x : VecExpr) : Nat → VecExpr
  | 0 => x
  | n + 1 => .bin .aesenc (roundsE x n) (keyE (n + 1))

/-- A block after the last ten rounds. -/
def lastTenE (x : VecExpr) : VecExpr := .bin .aesenclast (roundsE x 9) (keyE 10)

/-- The registers of the blocks with values computed from their own; other registers are kept. -/
def registersE (f : VecExpr → VecExpr) (blocks others : List Nat) : List (Nat × List VecExpr) :=
  blocks.map (fun r => (r, [f (.reg r 0)])) ++ others.map fun r => (r, (keepE r).2)

/-- Eleven round keys at `rdi`. -/
def layout : Layout := { areas := [{ len := 176 }], ptrs := [(7, 0, 0)] }

/-- What the rounds ahead do. -/
def aheadOutcome (blocks others : List Nat) : Outcome VecUn VecBin :=
  { vec := registersE (roundsE · 2) blocks others, gpr := [(7, .ptr 0 32)] }

/-- What the last ten rounds do. -/
def lastTenOutcome (blocks others : List Nat) : Outcome VecUn VecBin := { vec := registersE lastTenE blocks others }

/-- What the kernel computes for a list of registers of blocks, and of registers that are kept. -/
structure Checked (blocks others : List Nat) : Prop where
  apart : ∀ r ∈ others, r ∉ blocks
  ahead : machine.check layout (ahead blocks) (aheadOutcome blocks others) = true
  lastTen : machine.check layout (lastTen blocks) (lastTenOutcome blocks others) = true

/-! ## Fragments -/

/-- What a fragment of the cipher does: `f` to each block. -/
structure After (f : TCB.Aes.Block → TCB.Aes.Block) (blocks others : List Nat) (s s' : State) : Prop where
  blocks : ∀ r ∈ blocks, view.lane s' r 0 = f (view.lane s r 0)
  others : ∀ r ∈ others, ∀ i, i < 4 → view.lane s' r i = view.lane s r i
  keeps : Keeps [.rdi] s s'
  memory : s'.memory = s.memory

variable {blocks others : List Nat} {s s' : State} {ctx : Addr} {base : Nat → Addr}

/-- One fragment after the other. -/
theorem After.trans {f g : TCB.Aes.Block → TCB.Aes.Block} {s₁ : State} (h : After f blocks others s s₁)
    (h' : After g blocks others s₁ s') : After (fun x => g (f x)) blocks others s s' where
  blocks r hr := by rw [h'.blocks r hr, h.blocks r hr]
  others r hr i hi := by rw [h'.others r hr i hi, h.others r hr i hi]
  keeps := h.keeps.trans h'.keeps
  memory := h'.memory.trans h.memory

/-- Equal functions. -/
theorem After.congr {f g : TCB.Aes.Block → TCB.Aes.Block} (h : After f blocks others s s') (e : ∀ x, f x = g x) :
    After g blocks others s s' := ⟨fun r hr => (h.blocks r hr).trans (e _), h.others, h.keeps, h.memory⟩

/-- Only registers with a new value change. -/
theorem keeps_of_ends {out : Outcome VecUn VecBin} (h : out.Ends base view machine s s') (rs : List Reg)
    (hr : out.gpr.all (fun p => rs.any fun r => Nat.beq r.index p.1) = true) : Keeps rs s s' where
  gpr r hn := by
    have := h.gpr r.index_lt
    have none : find r.index out.gpr = none := by
      cases hf : find r.index out.gpr with
      | none => rfl
      | some v =>
        have := List.all_eq_true.1 hr _ (mem_of_find hf)
        obtain ⟨q, hq, e⟩ := List.any_eq_true.1 this
        exact absurd (Reg.index_inj.1 (Nat.eq_of_beq_eq_true e) ▸ hq) hn
    rw [none] at this
    simpa using this
  df := congrArg Prod.fst h.other
  mxcsr := congrArg Prod.snd h.other

/-- An outcome of the cipher, on values. -/
theorem after_of_ends {out : Outcome VecUn VecBin} {fE : VecExpr → VecExpr} {f : TCB.Aes.Block → TCB.Aes.Block}
    (apart : ∀ r ∈ others, r ∉ blocks) (hv : out.vec = registersE fE blocks others) (hm : out.mem = [])
    (hg : out.gpr.all (fun p => [Reg.rdi].any fun r => Nat.beq r.index p.1) = true)
    (hf : ∀ x, (fE x).at base view s = f (x.at base view s)) (h : out.Ends base view machine s s') :
    After f blocks others s s' where
  blocks r hr := by
    rw [h.vec (r := r) (by rw [hv, registersE, find_map hr]) 0]
    exact hf _
  others r hr i hi := by
    rw [h.vec (r := r) (by rw [hv, registersE, find_append (apart r hr), ← List.append_nil (List.map _ others), find_map hr]) i]
    rcases i with _ | _ | _ | _ | i
    · rfl
    · rfl
    · rfl
    · rfl
    · omega
  keeps := keeps_of_ends h _ hg
  memory := by
    have := h.memory
    rw [hm] at this
    exact this

/-- The eleven round keys from `rdi` may be read. -/
theorem holds {i : Nat} (hk : s.gpr .rdi = ctx + BitVec.ofNat 64 i) (hr : Within s.memory.readable ⟨ctx, 256⟩)
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
theorem keyE_at {j i : Nat} (hb : base 0 = ctx + BitVec.ofNat 64 (16 * j)) :
    (keyE i).at base view s = key s.memory.bytes ctx (j + i) := by
  simp only [keyE, Expr.at, Expr.eval, word, key, Spec.AesGcm.Context.word, hb]
  rw [BitVec.add_assoc, ← BitVec.ofNat_add, ← Nat.mul_add]
  rfl

/-- Rounds. -/
theorem roundsE_at {j n : Nat} {x : VecExpr} (hb : base 0 = ctx + BitVec.ofNat 64 (16 * j)) :
    (roundsE x n).at base view s = roundsFrom (key s.memory.bytes ctx) (j + 1) (x.at base view s) n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [roundsFrom, ← ih, show j + 1 + n = j + (n + 1) by omega, ← keyE_at hb, ← aesenc_eq]
    rfl

/-- The last ten rounds. -/
theorem lastTenE_at {j : Nat} {x : VecExpr} (hb : base 0 = ctx + BitVec.ofNat 64 (16 * j)) : (lastTenE x).at base view s =
    lastRound (roundsFrom (key s.memory.bytes ctx) (j + 1) (x.at base view s) 9) (key s.memory.bytes ctx (j + 10)) := by
  rw [← roundsE_at hb, ← keyE_at hb, ← aesenclast_eq]
  rfl

/-- Two rounds ahead. -/
theorem ahead_ok (h : Checked blocks others) {pub : List Region} {j : Nat} (hj : j ≤ 5)
    (hk : s.gpr .rdi = ctx + BitVec.ofNat 64 (16 * j)) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (.block (ahead blocks)) (fun s' =>
      After (roundsFrom (key s.memory.bytes ctx) (j + 1) · 2) blocks others s s' ∧
      s'.gpr .rdi = ctx + BitVec.ofNat 64 (16 * (j + 2))) s := by
  refine machine.wp (aheadOutcome blocks others) (holds hk hr (by omega)) h.ahead fun s' he => ⟨?_, ?_⟩
  · exact after_of_ends h.apart rfl rfl rfl (fun x => roundsE_at rfl) he
  · have := he.gpr (r := 7) (by decide)
    rw [show find 7 (aheadOutcome blocks others).gpr = some (.ptr 0 32) from rfl] at this
    have : s'.gpr .rdi = ctx + BitVec.ofNat 64 (16 * j) + BitVec.ofNat 64 32 := this
    rw [this, BitVec.add_assoc, ← BitVec.ofNat_add]
    congr 2

/-- The last ten rounds. -/
theorem lastTen_ok (h : Checked blocks others) {pub : List Region} {j : Nat} (hj : j ≤ 5)
    (hk : s.gpr .rdi = ctx + BitVec.ofNat 64 (16 * j)) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (.block (lastTen blocks)) (After (fun x =>
      lastRound (roundsFrom (key s.memory.bytes ctx) (j + 1) x 9) (key s.memory.bytes ctx (j + 10))) blocks others s) s := by
  refine machine.wp (lastTenOutcome blocks others) (holds hk hr (by omega)) h.lastTen fun s' he => ?_
  exact after_of_ends h.apart rfl rfl rfl (fun x => lastTenE_at rfl) he

attribute [local irreducible] State.setFlags in
/-- Comparing the number of rounds. -/
theorem compare_ok {pub : List Region} {Q : State → Prop} {n k : Nat} (hn : n < 2 ^ 31) (hk : k < 2 ^ 31)
    (hr : s.gpr .rsi = BitVec.ofNat 64 n)
    (hq : ∀ s', After id blocks others s s' → (∀ r, s'.gpr r = s.gpr r) → s'.flag .zf = some (decide (n = k)) → Q s') :
    isa.Wp pub (.block [.alu .cmp .rsi (Impl.X86_64.imm k)]) Q s := by
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .rsi) (s.src (Impl.X86_64.imm k)))) rfl (.nil ?_)
  refine hq _ ⟨fun r hr => ?_, fun r hr i hi => ?_, kept (Keeps.refl _ s), by reads⟩ (fun r => by reads) ?_
  · simp only [view, State.lane, vec_setFlags, id]
  · simp only [view, State.lane, vec_setFlags]
  · rw [flag_setFlags, hr, src_imm hk]
    simp only [subFlags]
    congr 1
    rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, BitVec.sub_eq_iff_eq_add, ← BitVec.toNat_inj]
    simp only [BitVec.toNat_add, BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
    omega

/-- **The cipher**, on blocks to which round key 0 was added. -/
theorem cipher_ok (h : Checked blocks others) {pub : List Region} {n : Nat} (hn : n ∈ [10, 12, 14])
    (hk : s.gpr .rdi = ctx) (hs : s.gpr .rsi = BitVec.ofNat 64 n) (hr : Within s.memory.readable ⟨ctx, 256⟩) :
    isa.Wp pub (cipher blocks) (After (fun x => lastRound
      (roundsFrom (key s.memory.bytes ctx) 1 x (n - 1)) (key s.memory.bytes ctx n)) blocks others s) s := by
  have hlt : n < 2 ^ 31 := by
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hn; omega
  refine .seq (compare_ok (blocks := blocks) (others := others) hlt (by decide) hs fun s₁ a₁ g₁ z₁ => .seq ?_)
  refine .skipIf (v := decide (n = 10)) z₁ (fun hz => ?_) fun hz => .seq ?_
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
    refine compare_ok (blocks := blocks) (others := others) hlt (by decide) ((a₂.keeps.gpr .rsi (by decide)).trans hs)
      fun s₃ a₃ g₃ z₃ => ?_
    have a₃ := a₂.trans a₃
    have r₃ : Within s₃.memory.readable ⟨ctx, 256⟩ := by rw [a₃.memory]; exact hr
    refine .skipIf (v := decide (n = 12)) z₃ (fun hw => ?_) fun hw => ?_
    · obtain rfl := of_decide_eq_true hw
      refine .mono (lastTen_ok h (j := 2) (by decide) ((g₃ .rdi).trans k₂) r₃) fun s' a => ?_
      have := a₃.trans a
      rw [a₃.memory] at this
      refine After.congr this fun x => ?_
      rw [a₁.memory]
      simp only [id, roundsFrom_add _ 1 x 2 9, Nat.reduceAdd, Nat.reduceSub]
    · obtain rfl : n = 14 := by
        have := of_decide_eq_false hw
        simp only [List.mem_cons, List.not_mem_nil, or_false] at hn
        omega
      refine .mono (ahead_ok h (j := 2) (by decide) ((g₃ .rdi).trans k₂) r₃) fun s₄ ⟨a₄, k₄⟩ => ?_
      have a₄ := a₃.trans a₄
      refine .mono (lastTen_ok h (j := 4) (by decide) k₄ (by rw [a₄.memory]; exact hr)) fun s' a => ?_
      have := a₄.trans a
      rw [a₄.memory] at this
      refine After.congr this fun x => ?_
      rw [a₁.memory, a₃.memory]
      simp only [id, roundsFrom_add _ 1 x 2 11, roundsFrom_add _ 3 _ 2 9, Nat.reduceAdd, Nat.reduceSub]

end Proof.Aes.X86_64
