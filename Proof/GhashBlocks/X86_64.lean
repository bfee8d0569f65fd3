import Proof.GhashBlocks.Contract
import Proof.GhashBlocks.X86_64.Group
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# GHASH of whole blocks on x86-64, verified
-/

set_option autoImplicit false
namespace Proof.GhashBlocks.X86_64
open TCB TCB.X86_64 SymExec Spec.AesGcm Spec.GhashBlocks Proof.Gf2 Proof.Ghash.X86_64
open Impl.X86_64 Impl.Ghash.X86_64 Impl.GhashBlocks.X86_64

/-! ## The registers that stay -/

/-- A lane of a register that has not changed. -/
theorem lane_of_vec {s s' : State} (h : s'.vec = s.vec) (r i : Nat) : view.lane s' r i = view.lane s r i := by
  simp only [view, State.lane, h]

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The mask is loaded. -/
theorem mask_ok {pub : List Region} {s : State} : isa.Wp pub (.block mask) (fun s' =>
    Keeps [.rax] s s' ∧ s'.memory = s.memory ∧ view.lane s' 14 0 = Gf2.X86_64.reverseMask) s := by
  refine .append (xs := [_, _]) (loadQword_ok fun s₁ keeps hm hv => ?_)
  refine .cons (s₁ := s₁.setReg .rax 0x0001020304050607) (t := []) rfl (.cons (s₁ := (s₁.setReg .rax 0x0001020304050607).setVec 14
    (ofLanes ((s₁.setReg .rax 0x0001020304050607).gpr .rax ++ qword ((s₁.setReg .rax 0x0001020304050607).lane 14 0) 0) 0 0 0))
    (t := []) rfl (.nil ⟨kept keeps, get hm, ?_⟩))
  rw [lane_setVec, if_pos (show 14 = (14 : Vec).val from rfl), lane_ofLanes_eq]
  have low : qword ((s₁.setReg .rax 0x0001020304050607).lane 14 0) 0 = 0x08090a0b0c0d0e0f := by
    have : (s₁.setReg .rax 0x0001020304050607).lane 14 0 = lane ((0x08090a0b0c0d0e0f : BitVec 64).setWidth 512) 0 := by
      rw [State.lane]
      reads
      rw [hv]
      reads
    rw [this]
    exact half_setWidth _
  rw [low]
  reads
  decide

/-- The mask and the constant are loaded. -/
theorem ready_ok {pub : List Region} {s : State} : isa.Wp pub (.block mask) (isa.Wp pub (.block constant) fun s' =>
    Keeps [.rax] s s' ∧ s'.memory = s.memory ∧ Ready s') s := by
  refine mask_ok.mono fun s₁ ⟨k₁, m₁, h₁⟩ => loadQword_ok fun s₂ k₂ m₂ hv => ⟨k₁.trans k₂, m₂.trans m₁, ?_, fun i hi => ?_⟩
  · rw [← h₁, lane_of_vec hv, lane_setVec, if_neg (by decide)]
  · obtain rfl : i = 0 := by omega
    rw [lane_of_vec hv, lane_setVec, if_pos (show 15 = (15 : Vec).val from rfl)]
    exact half_setWidth _

/-! ## The loops -/

/-- The registers that the kernel may change. -/
def clobbered : List Reg := [.rax, .rcx, .rdx]

/-- Register `rcx` and flags may change. -/
structure Scalar (s s' : State) : Prop where
  keeps : Keeps [.rcx] s s'
  memory : s'.memory = s.memory
  vec : s'.vec = s.vec

section
variable {pub : List Region} {s₀ s s' : State} {ctx y data : Addr} {n k : Nat}

/-- The first `k` of `n` blocks are hashed, but `rcx` counts the blocks from `j` on. -/
structure At (s₀ : State) (ctx y data : Addr) (n j k : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  memory : s.memory = s₀.memory
  ready : Ready s
  next : s.gpr .rdx = data + BitVec.ofNat 64 (16 * k)
  left : s.gpr .rcx = BitVec.ofNat 64 (16 * (n - j))
  hash : view.lane s 0 0 = hashed s₀.memory.bytes ctx y data k

/-- Counting changes nothing else. -/
theorem At.scalar {j j' : Nat} (h : At s₀ ctx y data n j k s) (g : Scalar s s')
    (left : s'.gpr .rcx = BitVec.ofNat 64 (16 * (n - j'))) : At s₀ ctx y data n j' k s' where
  keeps := h.keeps.trans (g.keeps.mono (by decide))
  memory := g.memory.trans h.memory
  ready := h.ready.of_same (lane_of_vec g.vec _) (lane_of_vec g.vec _)
  next := (g.keeps.gpr _ (by decide)).trans h.next
  left := left
  hash := (lane_of_vec g.vec _ _).trans h.hash

variable (p : Pre s₀.memory ctx y data n) (hctx : s₀.gpr .rdi = ctx)
include p

include hctx in
/-- One more group. -/
theorem at_group {l : Nat} (hl : l < 16) (hc : machine.check (groupLayout l) (group l) (groupOutcome l) = true)
    (h : At s₀ ctx y data n k k s) (hk : k + (l + 1) ≤ n) :
    isa.Wp pub (.block (group l)) (At s₀ ctx y data n k (k + (l + 1))) s := by
  have table := p.table
  rw [← h.memory] at table
  have bound := p.bound
  refine (group_ok hl hc h.ready table ((h.keeps.gpr .rdi (by decide)).trans hctx) h.next (by rw [h.memory]; exact p.readsCtx)
    (by rw [h.memory]; exact p.readsData.part _ (by omega))).mono fun s' ⟨keeps, hm, ready, next, hash⟩ => ?_
  refine ⟨h.keeps.trans (keeps.mono (by decide)), hm.trans h.memory, ready, ?_, (keeps.gpr _ (by decide)).trans h.left, ?_⟩
  · rw [next, BitVec.add_assoc, ← BitVec.ofNat_add, ← Nat.mul_add]
  · rw [hash, h.hash, h.memory]
    exact (ghash_blocksAt_add ..).symm

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- Comparing what is left with a group. -/
theorem compare_ok {j : Nat} (h : At s₀ ctx y data n j k s) : isa.Wp pub (.block [.alu .cmp .rcx (imm 128)]) (fun s' =>
    At s₀ ctx y data n j k s' ∧ s'.flag .cf = some (decide (n - j < 8))) s := by
  have bound := p.bound
  refine .cons (s₁ := s.setFlags (subFlags (s.gpr .rcx) (s.src (imm 128)))) rfl (.nil ⟨h.scalar ⟨kept (Keeps.refl _ s), by reads, by reads⟩
    (get h.left), ?_⟩)
  reads
  rw [h.left, src_imm (by decide)]
  simp only [subFlags]
  congr 1
  rw [Bool.eq_iff_iff, BitVec.ult_iff_lt, BitVec.lt_def, BitVec.toNat_ofNat, BitVec.toNat_ofNat, decide_eq_true_eq]
  omega

/-- Counting blocks. -/
theorem count_ok {j l : Nat} (hl : l < 16) (h : At s₀ ctx y data n j k s) (hj : j + l ≤ n) :
    isa.Wp pub (.block [.alu .sub .rcx (imm (16 * l))]) (fun s' =>
      At s₀ ctx y data n (j + l) k s' ∧ s'.flag .zf = some (decide (n - (j + l) = 0))) s := by
  have bound := p.bound
  have left : s.gpr .rcx - s.src (imm (16 * l)) = BitVec.ofNat 64 (16 * (n - (j + l))) := by
    rw [h.left, src_imm (by omega), show 16 * (n - j) = 16 * (n - (j + l)) + 16 * l by omega, BitVec.ofNat_add,
      BitVec.add_sub_cancel]
  refine .cons (s₁ := (s.setReg .rcx (s.gpr .rcx - s.src (imm (16 * l)))).setFlags (subFlags (s.gpr .rcx) (s.src (imm (16 * l)))))
    rfl (.nil ⟨h.scalar ⟨kept (Keeps.refl _ s), by reads, by reads⟩ (by reads; exact left), ?_⟩)
  reads
  simp only [subFlags, left]
  congr 1
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, ← BitVec.toNat_inj]
  simp only [BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
  omega

/-- Testing whether blocks are left. -/
theorem test_ok {j : Nat} (h : At s₀ ctx y data n j k s) : isa.Wp pub (.block [.alu .test .rcx (.reg .rcx)]) (fun s' =>
    At s₀ ctx y data n j k s' ∧ s'.flag .zf = some (decide (n - j = 0))) s := by
  have bound := p.bound
  refine .cons (s₁ := s.setFlags (logicFlags (s.gpr .rcx &&& s.src (.reg .rcx)))) rfl (.nil ⟨h.scalar ⟨kept (Keeps.refl _ s), by reads,
    by reads⟩ (get h.left), ?_⟩)
  reads
  simp only [State.src, BitVec.and_self, logicFlags, h.left]
  congr 1
  rw [Bool.eq_iff_iff, beq_iff_eq, decide_eq_true_eq, ← BitVec.toNat_inj]
  simp only [BitVec.ofNat_eq_ofNat, BitVec.toNat_ofNat]
  omega

include hctx in
/-- The groups of eight blocks. -/
theorem eights_ok (h : At s₀ ctx y data n 0 0 s) : isa.Wp pub (.block [.alu .cmp .rcx (imm 128)]) (isa.Wp pub (.skipIf .b
    (.loop (.seq (.block (group 7)) (.block [.alu .sub .rcx (imm 128), .alu .cmp .rcx (imm 128)])) .ae))
      fun s => ∃ k, k ≤ n ∧ At s₀ ctx y data n k k s) s := by
  refine (compare_ok p h).mono fun s₁ ⟨h₁, c₁⟩ => .skipIf c₁ (fun _ => ⟨0, Nat.zero_le n, h₁⟩) fun c => ?_
  refine (groups_ok (n := n) (g := 8) (fun k => At s₀ ctx y data n k k) (by decide) (fun {k s} h hk => .seq ?_) h₁
    (by have := of_decide_eq_false c; omega)).mono fun s ⟨k, hk, _, h⟩ => ⟨k, hk, h⟩
  refine (at_group p hctx (l := 7) (by decide) (by decide +kernel) h hk).mono fun s₂ h₂ => .append (xs := [_]) ?_
  refine (count_ok p (l := 8) (by decide) h₂ hk).mono fun s₃ ⟨h₃, _⟩ => (compare_ok p h₃).mono fun s₄ ⟨h₄, c₄⟩ => ?_
  exact ⟨h₄, by simp [isa, eval, c₄]⟩

include hctx in
/-- The blocks that are left. -/
theorem ones_ok (hn : k ≤ n) (h : At s₀ ctx y data n k k s) : isa.Wp pub (.block [.alu .test .rcx (.reg .rcx)]) (isa.Wp pub
    (.skipIf .e (.loop (.seq (.block (group 0)) (.block [.alu .sub .rcx (imm 16)])) .ne)) (At s₀ ctx y data n n n)) s := by
  refine (test_ok p h).mono fun s₁ ⟨h₁, c₁⟩ => .skipIf c₁ (fun c => ?_) fun c => ?_
  · obtain rfl : k = n := by have := of_decide_eq_true c; omega
    exact h₁
  refine (groups_ok (n := n) (g := 1) (fun k => At s₀ ctx y data n k k) (by decide) (fun {k s} h hk => .seq ?_) h₁
    (by have := of_decide_eq_false c; omega)).mono fun s ⟨k, hk, hn, h⟩ => ?_
  · refine (at_group p hctx (l := 0) (by decide) (by decide +kernel) h hk).mono fun s₂ h₂ => ?_
    refine (count_ok p (l := 1) (by decide) h₂ hk).mono fun s₃ ⟨h₃, c₃⟩ => ⟨h₃, ?_⟩
    simp [isa, eval, c₃]
  · obtain rfl : k = n := by omega
    exact h

/-! ## Start and end -/

/-- The running value at `rsi`. -/
def valueLayout : Layout := { areas := [{ len := 16, writes := true }], ptrs := [(6, 0, 0)] }

/-- The running value is loaded. -/
def startOutcome : Outcome VecUn VecBin := { vec := [(0, [reverseE (.load 0 0)]), keepE 14, keepE 15] }

/-- The running value is stored. -/
def finishOutcome : Outcome VecUn VecBin := { mem := [(0, 0, [reverseE (.reg 0 0)])] }

/-- The running value may be read and written. -/
theorem value_holds (hy : s.gpr .rsi = y) (hm : s.memory = s₀.memory) : valueLayout.Holds view (fun _ => y) s where
  ptrs q hq := by
    obtain rfl := List.mem_singleton.1 hq
    simpa [view, regOf] using hy
  small := ⟨by decide, trivial⟩
  reads := ⟨fun _ => by simp only [view, hm]; exact p.reads, trivial⟩
  writes := ⟨fun _ => by simp only [view, hm]; exact p.writes, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- The running value is loaded, and no block is hashed. -/
theorem start_ok (hy : s₀.gpr .rsi = y) (hd : s₀.gpr .rdx = data) (hl : s₀.gpr .rcx = BitVec.ofNat 64 (16 * n))
    (keeps : Keeps [.rax] s₀ s) (hm : s.memory = s₀.memory) (ready : Ready s) :
    isa.Wp pub (.block start) (At s₀ ctx y data n 0 0) s := by
  refine machine.wp startOutcome (value_holds p ((keeps.gpr _ (by decide)).trans hy) hm) (by decide +kernel) fun s' e => ?_
  have k₁ := Aes.X86_64.keeps_of_ends e [] rfl
  have keeps := keeps.trans (k₁.mono (List.nil_subset _))
  refine ⟨keeps.mono (by decide), Eq.trans e.memory hm, ready.of_same (same_lane e rfl) (same_lane e rfl), ?_,
    (keeps.gpr _ (by decide)).trans hl, ?_⟩
  · rw [Nat.mul_zero, BitVec.add_zero]
    exact (keeps.gpr _ (by decide)).trans hd
  · rw [e.vec (r := 0) rfl 0]
    refine (reverseE_at ready _).trans ?_
    have : (Expr.load 0 0 : VecExpr).at (fun _ => y) view s = ofBytes 128 (bytesAt s.memory.bytes (y + 0#64) 16) := rfl
    rw [this, BitVec.add_zero, hm]
    rfl

/-- The running value is stored. -/
theorem finish_ok (hy : s₀.gpr .rsi = y) (h : At s₀ ctx y data n n n s) : isa.Wp pub (.block finish) (fun s' =>
    Keeps clobbered s₀ s' ∧ s'.memory.bytes =
      writeBytes s₀.memory.bytes y (toBytes 16 (bswap128 (hashed s₀.memory.bytes ctx y data n)))) s := by
  refine machine.wp finishOutcome (value_holds p ((h.keeps.gpr _ (by decide)).trans hy) h.memory) (by decide +kernel) fun s' e => ?_
  refine ⟨h.keeps.trans ((Aes.X86_64.keeps_of_ends e [] rfl).mono (List.nil_subset _)), ?_⟩
  have stored : s'.memory.bytes = writeBytes s.memory.bytes (y + 0#64)
      (toBytes 16 ((reverseE (.reg 0 0)).at (fun _ => y) view s) ++ []) := congrArg Memory.bytes e.memory
  rw [stored, reverseE_at h.ready, List.append_nil, BitVec.add_zero, ← h.hash, h.memory]
  rfl

end

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  have p := pre_of target h
  have len : s.gpr .rcx = BitVec.ofNat 64 (16 * ((s.gpr .rcx).toNat / 16)) := by
    rw [show 16 * ((s.gpr .rcx).toNat / 16) = (s.gpr .rcx).toNat from len_eq target h]
    exact ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq (ready_ok.mono fun _ w => .seq (w.mono fun _ ⟨keeps, hm, ready⟩ => .seq ?_))
  refine (start_ok p rfl rfl len keeps hm ready).mono fun _ a => .seq ((eights_ok p rfl a).mono fun _ w => .seq (w.mono fun _ ⟨k, hk, a⟩ => .seq ?_))
  refine (ones_ok p rfl hk a).mono fun _ w => .seq (w.mono fun _ a => .seq ?_)
  refine ((finish_ok p rfl a).mono fun s₁ ⟨k₁, m₁⟩ => (clear_ok (by decide +kernel)).mono fun s₂ ⟨k₂, m₂⟩ => ?_)
  have ⟨result, frame⟩ := result_of target (s := s) (s' := s₂) ((congrArg Memory.bytes m₂).trans m₁)
  have keeps := k₁.trans (k₂.mono (List.nil_subset _))
  exact ⟨result, nofun, frame, fun r hr => keeps.gpr r (by revert r; decide), keeps.df, keeps.mxcsr⟩

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of Witness.values (fun _ => 0) Witness.fill (by decide) (by decide +kernel) (fun _ _ _ x _ => Witness.fill_ne x)
    Witness.requires rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.GhashBlocks.X86_64
