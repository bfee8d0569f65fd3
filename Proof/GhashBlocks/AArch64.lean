import Proof.AArch64.Verified
import Proof.AArch64.Witness
import Proof.Framework.Nat
import Proof.GhashBlocks.AArch64.Group
import Proof.GhashBlocks.Contract

/-!
# GHASH of whole blocks on AArch64, verified
-/

set_option autoImplicit false
namespace Proof.GhashBlocks.AArch64
open TCB TCB.AArch64 SymExec Spec.AesGcm Spec.GhashBlocks Proof.Gf2 Proof.Ghash.AArch64
open Impl.AArch64 Impl.Ghash.AArch64 Impl.GhashBlocks.AArch64

/-- The registers that the kernel may change. -/
def clobbered : List Reg := [.x2, .x3]

/-- The first `k` of `n` blocks are hashed, but `x3` counts the blocks from `j` on. -/
structure At (s₀ : State) (ctx y data : Addr) (n j k : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  constant : HasConstant s
  next : s.gpr .x2 = data + BitVec.ofNat 64 (16 * k)
  left : s.gpr .x3 = BitVec.ofNat 64 (16 * (n - j))
  hash : view.lane s 0 0 = hashed s₀.memory.bytes ctx y data k

section
variable {pub : List Region} {s₀ s s' : State} {ctx y data : Addr} {n j k l g : Nat} {t : Nat → Spec.Ghash.Block}

/-- A change that is not of vector registers. -/
structure Scalar (s s' : State) : Prop where
  keeps : Keeps [.x3] s s'
  memory : s'.memory = s.memory
  vec : s'.vec = s.vec

/-- A register that has not changed. -/
theorem Scalar.lane (g : Scalar s s') (r : Nat) : view.lane s' r 0 = view.lane s r 0 := by simp only [view, g.vec]

/-- Counting changes nothing else. -/
theorem At.scalar {j' : Nat} (h : At s₀ ctx y data n j k s) (g : Scalar s s')
    (left : s'.gpr .x3 = BitVec.ofNat 64 (16 * (n - j'))) : At s₀ ctx y data n j' k s' where
  keeps := h.keeps.trans (g.keeps.mono (by decide))
  memory := g.memory.trans h.memory
  constant := h.constant.of_lane (g.lane 31)
  next := (g.keeps.gpr _ (by decide)).trans h.next
  left := left
  hash := (g.lane 0).trans h.hash

/-- Counting changes no powers. -/
theorem Ready.scalar {i : Nat} (h : Ready t i s) (g : Scalar s s') : Ready t i s' :=
  ⟨h.constant.of_lane (g.lane 31), fun p hp => (g.lane _).trans (h.powers p hp), fun j hj => (g.lane _).trans (h.sums j hj)⟩

variable (p : Pre s₀.memory ctx y data n)
include p

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory

/-- Comparing what is left with a group. -/
theorem compare_ok (hg : g ≤ 8) (h : At s₀ ctx y data n j k s) : isa.Wp pub (.block [.cmp .x3 (imm (16 * g))]) (fun s' =>
    Scalar s s' ∧ At s₀ ctx y data n j k s' ∧ s'.nzcv.c = !decide (n - j < g)) s := by
  have bound := p.bound
  have same : Scalar s (s.setFlags (subFlags (s.gpr .x3) (s.src (imm (16 * g))))) := ⟨kept (Keeps.refl _ s), by reads, by funext; reads⟩
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .x3) (s.src (imm (16 * g))))) rfl (.nil ⟨same, h.scalar same (get h.left), ?_⟩)
  reads
  rw [h.left, src_imm (by omega)]
  simp only [subFlags]
  rw [ult_ofNat (by omega) (by omega), decide_eq_decide.2 (show 16 * (n - j) < 16 * g ↔ n - j < g by omega)]

omit p in
/-- Counting blocks. -/
theorem count_ok (hg : g ≤ 8) (h : At s₀ ctx y data n j k s) (hj : j + g ≤ n) :
    isa.Wp pub (.block [.alu .sub .x3 .x3 (imm (16 * g))]) (fun s' => Scalar s s' ∧ At s₀ ctx y data n (j + g) k s') s := by
  have left : s.gpr .x3 - s.src (imm (16 * g)) = BitVec.ofNat 64 (16 * (n - (j + g))) := by
    rw [h.left, src_imm (by omega), Nat.mul_sub, ofNat_sub_ofNat (by omega)]
    congr 1
    omega
  have same : Scalar s (s.setReg .x3 (s.gpr .x3 - s.src (imm (16 * g)))) := ⟨kept (Keeps.refl _ s), by reads, by funext; reads⟩
  exact .cons (s₁ := s.setReg .x3 (s.gpr .x3 - s.src (imm (16 * g)))) rfl (.nil ⟨same, h.scalar same (by reads; exact left)⟩)

/-- One more group. -/
theorem at_group (hl : l < 8) (hc : machine.check (groupLayout l) (group l) (groupOutcome l) = true)
    (h : At s₀ ctx y data n k k s) (r : Ready (tableAt s₀.memory.bytes ctx) (l / 2 + 1) s) (hk : k + (l + 1) ≤ n) :
    isa.Wp pub (.block (group l)) (fun s' => At s₀ ctx y data n k (k + (l + 1)) s' ∧
      Ready (tableAt s₀.memory.bytes ctx) (l / 2 + 1) s') s := by
  refine (group_ok hl hc r (p.table.mono (by omega)) h.next (by rw [h.memory]; exact p.readsData.part _ (by omega))).mono
    fun s' ⟨keeps, hm, ready, next, hash⟩ => ⟨⟨h.keeps.trans (keeps.mono (by decide)), hm.trans h.memory, ready.constant, ?_,
      (keeps.gpr _ (by decide)).trans h.left, ?_⟩, ready⟩
  · rw [next, add_ofNat_add, ← Nat.mul_add]
  · rw [hash, h.hash, h.memory]
    exact (ghash_blocksAt_add ..).symm

/-- As many groups as there are. -/
theorem at_groups (hctx : s₀.gpr .x0 = ctx) (hl : l < 8)
    (hp : machine.check powersLayout (powers (l / 2 + 1)) (powersOutcome (l / 2 + 1)) = true)
    (hc : machine.check (groupLayout l) (group l) (groupOutcome l) = true) (hk : k ≤ n) (h : At s₀ ctx y data n k k s) :
    isa.Wp pub (groups l) (fun s' => ∃ k, k ≤ n ∧ n - k < l + 1 ∧ At s₀ ctx y data n k k s') s := by
  refine .seq ((compare_ok p (g := l + 1) (by omega) h).mono fun s₁ ⟨_, h₁, c₁⟩ => ?_)
  refine .skipIf (v := decide (n - k < l + 1)) (by simp [isa, eval, c₁]) (fun c => ⟨k, hk, of_decide_eq_true c, h₁⟩) fun c => .seq ?_
  have c := of_decide_eq_false c
  refine (powers_ok (by omega) hp h₁.constant ((h₁.keeps.gpr .x0 (by decide)).trans hctx) (by rw [h₁.memory]; exact p.readsCtx)).mono
    fun s₂ ⟨keeps, hm, ready, hash⟩ => ?_
  rw [h₁.memory] at ready hm
  have h₂ : At s₀ ctx y data n k k s₂ := ⟨h₁.keeps.trans (keeps.mono (List.nil_subset _)), hm, ready.constant,
    (keeps.gpr _ (by decide)).trans h₁.next, (keeps.gpr _ (by decide)).trans h₁.left, hash.trans h₁.hash⟩
  refine (groups_ok (n := n) (g := l + 1) (k := k) (fun k s => At s₀ ctx y data n k k s ∧
    Ready (tableAt s₀.memory.bytes ctx) (l / 2 + 1) s) (by omega) (fun {k s} ⟨h, r⟩ hk => .seq ?_) ⟨h₂, ready⟩ (by omega)).mono
    fun s' ⟨k, hk, hn, h, _⟩ => ⟨k, hk, hn, h⟩
  refine (at_group p hl hc h r hk).mono fun s₃ ⟨h₃, r₃⟩ => .append (xs := [_]) ?_
  refine (count_ok (by omega) h₃ hk).mono fun s₄ ⟨g₄, h₄⟩ => (compare_ok p (g := l + 1) (by omega) h₄).mono fun s₅ ⟨g₅, h₅, c₅⟩ => ?_
  exact ⟨⟨h₅, (r₃.scalar g₄).scalar g₅⟩, by simp [isa, eval, c₅]⟩

/-! ## Start and end -/

/-- The running value at `x1`. -/
def valueLayout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(1, 0, 0)] }

/-- The running value is loaded. -/
def startOutcome : Outcome VecUn SymBin := { vec := keptE saved ++ (0, [reverseE (.load 0 0)]) :: keptE [31] }

/-- The running value is stored. -/
def finishOutcome : Outcome VecUn SymBin := { vec := keptE saved ++ [], mem := [(0, 0, [reverseE (.reg 0 0)])] }

/-- The running value may be read and written. -/
theorem value_holds (hy : s.gpr .x1 = y) (hm : s.memory = s₀.memory) : valueLayout.Holds view (fun _ => y) s where
  ptrs q hq := by
    obtain rfl := List.mem_singleton.1 hq
    exact hy.trans (BitVec.add_zero _).symm
  small := ⟨by decide, trivial⟩
  reads := ⟨fun _ => by simp only [view, hm]; exact p.reads, trivial⟩
  writes := ⟨fun _ => by simp only [view, hm]; exact p.writes, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- The running value is loaded, and no block is hashed. -/
theorem start_ok (hy : s₀.gpr .x1 = y) (hd : s₀.gpr .x2 = data) (hl : s₀.gpr .x3 = BitVec.ofNat 64 (16 * n))
    (keeps : Keeps [] s₀ s) (hm : s.memory = s₀.memory) (hc : HasConstant s) :
    isa.Wp pub (.block start) (At s₀ ctx y data n 0 0) s := by
  refine machine.wp startOutcome (value_holds p ((keeps.gpr _ (by decide)).trans hy) hm) (by decide +kernel) fun s' e => ?_
  have keeps := keeps.trans (keeps_of_ends e [] rfl rfl)
  refine ⟨keeps.mono (by decide), Eq.trans e.memory hm, hc.of_lane (e.vec (r := 31) rfl 0), ?_, (keeps.gpr _ (by decide)).trans hl,
    ((e.vec (r := 0) rfl 0).trans reverseE_at).trans ?_⟩
  · rw [Nat.mul_zero, BitVec.add_zero]
    exact (keeps.gpr _ (by decide)).trans hd
  · show bswap128 (ofBytes 128 (bytesAt s.memory.bytes (y + 0#64) 16)) = hashed s₀.memory.bytes ctx y data 0
    rw [BitVec.add_zero, hm]
    rfl

/-- The hash is stored. -/
theorem finish_ok (hy : s₀.gpr .x1 = y) (h : At s₀ ctx y data n n n s) : isa.Wp pub (.block finish) (fun s' =>
    Keeps clobbered s₀ s' ∧ s'.memory.bytes =
      writeBytes s₀.memory.bytes y (toBytes 16 (bswap128 (hashed s₀.memory.bytes ctx y data n)))) s := by
  refine machine.wp finishOutcome (value_holds p ((h.keeps.gpr _ (by decide)).trans hy) h.memory) (by decide +kernel) fun s' e => ?_
  refine ⟨h.keeps.trans ((keeps_of_ends e [] rfl rfl).mono (List.nil_subset _)), ?_⟩
  have stored : s'.memory.bytes = writeBytes s.memory.bytes (y + 0#64)
      (toBytes 16 ((reverseE (.reg 0 0)).at (fun _ => y) view s) ++ []) := congrArg Memory.bytes e.memory
  rw [stored, reverseE_at, List.append_nil, BitVec.add_zero, ← h.hash, h.memory]
  rfl

end

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  have p := pre_of target h
  have len : s.gpr .x3 = BitVec.ofNat 64 (16 * ((s.gpr .x3).toNat / 16)) := by
    rw [show 16 * ((s.gpr .x3).toNat / 16) = (s.gpr .x3).toNat from len_eq target h]
    exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq (constant_ok.mono fun _ ⟨keeps, hm, hc⟩ => .seq ((start_ok p rfl rfl len keeps hm hc).mono fun _ a => .seq ?_))
  refine (at_groups p rfl (l := 7) (by decide) (by decide +kernel) (by decide +kernel) (Nat.zero_le _) a).mono
    fun _ ⟨k, hk, _, a⟩ => .seq ?_
  refine (at_groups p rfl (l := 0) (by decide) (by decide +kernel) (by decide +kernel) hk a).mono fun _ ⟨k, hk, hn, a⟩ => .seq ?_
  obtain rfl : k = (s.gpr .x3).toNat / 16 := by
    change k ≤ (s.gpr .x3).toNat / 16 at hk
    change (s.gpr .x3).toNat / 16 - k < 1 at hn
    omega
  refine (finish_ok p rfl a).mono fun s₁ ⟨k₁, m₁⟩ => (clear_ok (by decide +kernel)).mono fun s₂ ⟨k₂, m₂⟩ => ?_
  have ⟨result, frame⟩ := result_of target (s := s) (s' := s₂) ((congrArg Memory.bytes m₂).trans m₁)
  have keeps := k₁.trans (k₂.mono (List.nil_subset _))
  exact ⟨result, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), fun r hr => by rw [keeps.vec r hr], keeps.control⟩

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of Witness.values (fun _ => 0) Witness.fill (by decide) (by decide +kernel) (fun _ _ _ x _ => Witness.fill_ne x)
    Witness.requires rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.GhashBlocks.AArch64
