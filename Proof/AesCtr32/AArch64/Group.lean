import Impl.AesCtr32.AArch64
import Proof.AArch64.Verified
import Proof.AArch64.Witness
import Proof.Aes.AArch64
import Proof.AesCtr32.Call

/-!
# Counter mode, on AArch64: groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesCtr32.AArch64
open TCB TCB.AArch64 SymExec Proof.Aes Proof.Aes.AArch64 Impl.AesCtr32.AArch64 Proof.Gf2

/-! ## Symbolic values -/

/-- The counter after `i` steps. -/
def counterE : Nat → VecExpr
  | 0 => .reg 17 0
  | i + 1 => .bin (.vec .add4s) (counterE i) (.reg 18 0)

/-- Nothing is loaded or stored. -/
def startLayout : Layout := { areas := [], ptrs := [] }

/-- The next counter blocks. -/
def startOutcome (n : Nat) : Outcome VecUn SymBin :=
  { vec := keptE saved ++ ((List.range n).map (fun i => (i, [.un .rev32 (counterE i)])) ++
      [(17, [counterE n]), (18, [.reg 18 0])]) }

/-- The data of the group at `x3`. -/
def finishLayout (n : Nat) : Layout := { areas := [{ len := 16 * n, writes := true }], ptrs := [(3, 0, 0)] }

/-- The data are encrypted. -/
def finishOutcome (n : Nat) : Outcome VecUn SymBin :=
  { vec := keptE saved ++ keptE [17, 18], gpr := [(3, .ptr 0 (16 * n)), (0, .init 5 0)],
    mem := [(0, 0, (List.range n).map fun i => .bin (.vec .eor) (.reg i 0) (.load 0 (16 * i)))] }

/-- What the kernel computes for groups of `n` blocks. -/
structure Checked (n : Nat) : Prop where
  small : n = 1 ∨ n = 8
  start : machine.check startLayout (start n) (startOutcome n) = true
  cipher : Aes.AArch64.Checked (List.range n) [17, 18]
  finish : machine.check (finishLayout n) (finish n) (finishOutcome n) = true

/-- One block. -/
theorem checked_one : Checked 1 :=
  ⟨.inl rfl, by decide +kernel, ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- Eight blocks. -/
theorem checked_eight : Checked 8 :=
  ⟨.inr rfl, by decide +kernel, ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-! ## Counters in registers -/

/-- One in the last 32 bits. -/
def one : BitVec 128 := lanes4s fun i => if i = 3 then 1 else 0

/-- The lanes of a vector. -/
theorem lane_lanes4s (f : Nat → BitVec 32) {i : Nat} (hi : i < 4) : lane 32 (lanes4s f) i = f i := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  simp only [lane, lanes4s, BitVec.getLsbD_extractLsb', BitVec.getLsbD_append, hj, decide_true, Bool.true_and]
  rcases i with _ | _ | _ | _ | i
  · simp [hj]
  · simp [show ¬32 + j < 32 by omega, hj]
  · simp [show ¬64 + j < 32 by omega, show ¬64 + j - 32 < 32 by omega, show 64 + j - 32 - 32 = j by omega, hj]
  · simp [show ¬96 + j < 32 by omega, show ¬96 + j - 32 < 32 by omega, show ¬96 + j - 32 - 32 < 32 by omega,
      show 96 + j - 32 - 32 - 32 = j by omega]
  · omega

/-- Vectors with the same four lanes. -/
theorem lanes4s_congr {f g : Nat → BitVec 32} (h : ∀ i, i < 4 → f i = g i) : lanes4s f = lanes4s g := by
  rw [lanes4s, lanes4s, h 0 (by decide), h 1 (by decide), h 2 (by decide), h 3 (by decide)]

/-- The bits of a vector of four lanes. -/
theorem getLsbD_lanes4s (f : Nat → BitVec 32) {j : Nat} (hj : j < 128) :
    (lanes4s f).getLsbD j = (f (j / 32)).getLsbD (j % 32) := by
  rw [← lane_lanes4s f (show j / 32 < 4 by omega), lane, BitVec.getLsbD_extractLsb']
  simp [show j % 32 < 32 by omega, show 32 * (j / 32) + j % 32 = j by omega]

/-- The bits of REV32. -/
theorem getLsbD_rev32 (v : BitVec 128) {j : Nat} (hj : j < 128) :
    (VecUn.rev32.eval v).getLsbD j = v.getLsbD (8 * (j / 8 / 4 * 4 + (3 - j / 8 % 4)) + j % 8) := by
  show (lanes16b _).getLsbD j = _
  rw [lanes16b, getLsbD_ofBytes_map _ hj, lane, BitVec.getLsbD_extractLsb']
  simp [show j % 8 < 8 by omega]

/-- A counter in a register: its words in reverse. -/
theorem rev32_bswap128 (x : BitVec 128) : VecUn.rev32.eval (bswap128 x) = lanes4s fun i => lane 32 x (3 - i) := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_rev32 _ hj, getLsbD_bswap128 _ (by omega), getLsbD_lanes4s _ hj, lane, BitVec.getLsbD_extractLsb']
  simp only [show j % 32 < 32 by omega, decide_true, Bool.true_and]
  congr 1
  omega

/-- REV32 undoes itself. -/
theorem rev32_rev32 (x : BitVec 128) : VecUn.rev32.eval (VecUn.rev32.eval x) = x := by
  apply BitVec.eq_of_getLsbD_eq
  intro j hj
  rw [getLsbD_rev32 _ hj, getLsbD_rev32 _ (by omega)]
  congr 1
  omega

/-- A counter goes on by an addition of one. -/
theorem add4s_one (x : BitVec 128) : VecBin.add4s.eval (VecUn.rev32.eval (bswap128 x)) one =
    VecUn.rev32.eval (bswap128 (Spec.Gcm.inc32 x)) := by
  have bits {j : Nat} : (Spec.Gcm.inc32 x).getLsbD j = if j < 32 then (lane 32 x 0 + 1).getLsbD j else
      (x.extractLsb' 32 96).getLsbD (j - 32) := by
    rw [Spec.Gcm.inc32, BitVec.getLsbD_append]
    rfl
  have low : lane 32 (Spec.Gcm.inc32 x) 0 = lane 32 x 0 + 1 := by
    apply BitVec.eq_of_getLsbD_eq
    intro j hj
    simp only [lane, BitVec.getLsbD_extractLsb', bits, hj, Nat.mul_zero, Nat.zero_add, decide_true, Bool.true_and, if_true]
  have high {i : Nat} (h : 0 < i) (h' : i < 4) : lane 32 (Spec.Gcm.inc32 x) i = lane 32 x i := by
    apply BitVec.eq_of_getLsbD_eq
    intro j hj
    simp only [lane, BitVec.getLsbD_extractLsb', bits, hj, decide_true, Bool.true_and, show ¬32 * i + j < 32 by omega, if_false,
      show 32 * i + j - 32 < 96 by omega, show 32 + (32 * i + j - 32) = 32 * i + j by omega]
  rw [rev32_bswap128, rev32_bswap128]
  refine lanes4s_congr (f := fun i => lane 32 (lanes4s fun i => lane 32 x (3 - i)) i + lane 32 one i) fun i hi => ?_
  show lane 32 (lanes4s fun i => lane 32 x (3 - i)) i + lane 32 one i = lane 32 (Spec.Gcm.inc32 x) (3 - i)
  rw [lane_lanes4s _ hi, one, lane_lanes4s _ hi]
  by_cases h : i = 3
  · rw [if_pos h, h, low]
  · rw [if_neg h, high (by omega) (by omega)]
    exact BitVec.add_zero _

/-! ## The state between groups -/

/-- The state when `done` blocks are encrypted and the register of the length says that `left` are not. -/
structure Inv (c : Call) (s₀ : State) (done left : Nat) (s : State) : Prop where
  le : done ≤ c.blocks
  keys : s.gpr .x0 = c.ctx
  keys' : s.gpr .x5 = c.ctx
  rounds : s.gpr .x1 = BitVec.ofNat 64 c.rounds
  pointer : s.gpr .x3 = c.data + BitVec.ofNat 64 (16 * done)
  length : s.gpr .x4 = BitVec.ofNat 64 (16 * left)
  counter : view.lane s 17 0 = VecUn.rev32.eval (bswap128 (c.count done))
  one : view.lane s 18 0 = one
  memory : s.memory = c.m.set (c.mem done)
  keeps : Keeps [.x0, .x3, .x4, .x5] s₀ s

variable {c : Call} {s₀ s : State} {done left n : Nat}

/-! ## Groups -/

/-- The next counter blocks. -/
theorem start_ok (h : Checked n) {pub : List Region} (hi : Inv c s₀ done left s) :
    isa.Wp pub (.block (start n)) (fun s' => (∀ i, i < n → view.lane s' i 0 = bswap128 (c.count (done + i))) ∧
      view.lane s' 17 0 = VecUn.rev32.eval (bswap128 (c.count (done + n))) ∧ view.lane s' 18 0 = one ∧
      Keeps [] s s' ∧ s'.memory = s.memory) s := by
  have holds : startLayout.Holds view (fun _ => 0) s := ⟨nofun, trivial, trivial, trivial, trivial⟩
  have counterE_at (i : Nat) : (counterE i).at (fun _ => 0) view s = VecUn.rev32.eval (bswap128 (c.count (done + i))) := by
    induction i with
    | zero => exact hi.counter
    | succ i ih =>
      rw [← Nat.add_assoc]
      show VecBin.add4s.eval ((counterE i).at _ view s) (view.lane s 18 0) =
        VecUn.rev32.eval (bswap128 (Spec.Gcm.inc32 (c.count (done + i))))
      rw [ih, hi.one, add4s_one]
  have unsaved {r : Nat} (hr : r < 8) : r ∉ saved := by
    simp only [saved, List.mem_cons, List.not_mem_nil, or_false]; omega
  have small : n ≤ 8 := by rcases h.small with rfl | rfl <;> decide
  have out {r : Nat} (hr : 8 ≤ r) : r ∉ List.range n := by simp only [List.mem_range]; omega
  refine machine.wp (startOutcome n) holds h.start fun s' e => ⟨fun i hin => ?_, ?_, ?_, keeps_of_ends e [] rfl rfl, e.memory⟩
  · rw [e.vec (r := i) (by rw [startOutcome, keptE, find_append (unsaved (by omega)), find_map (List.mem_range.2 hin)]) 0]
    show VecUn.rev32.eval ((counterE i).at _ view s) = _
    rw [counterE_at, rev32_rev32]
  · exact (e.vec (r := 17) (es := [counterE n])
      (by rw [startOutcome, keptE, find_append (by decide), find_append (out (by decide))]; rfl) 0).trans (counterE_at n)
  · exact (e.vec (r := 18) (es := [.reg 18 0])
      (by rw [startOutcome, keptE, find_append (by decide), find_append (out (by decide))]; rfl) 0).trans hi.one

/-- The encrypted counter blocks are added to the data. -/
theorem finish_ok (h : Checked n) {pub : List Region} (hle : done + n ≤ c.blocks) {s₁ : State}
    (hi : Inv c s₀ done left s₁) (keeps : Keeps [.x0] s₁ s) (memory : s.memory = s₁.memory)
    (counter : view.lane s 17 0 = VecUn.rev32.eval (bswap128 (c.count (done + n)))) (one : view.lane s 18 0 = one)
    (blocks : ∀ i, i < n → view.lane s i 0 ^^^ Spec.AesGcm.Context.word c.m.bytes c.data (16 * (done + i)) =
      c.block (done + i)) :
    isa.Wp pub (.block (finish n)) (Inv c s₀ (done + n) left) s := by
  have bound := c.pre.bound
  have memory : s.memory = c.m.set (c.mem done) := memory.trans hi.memory
  have holds : (finishLayout n).Holds view (fun _ => c.data + BitVec.ofNat 64 (16 * done)) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact ((keeps.gpr .x3 (by decide)).trans hi.pointer).trans (BitVec.add_zero _).symm
    small := ⟨by simp only; omega, trivial⟩
    reads := ⟨fun _ => by simp only [view, memory]; exact c.pre.reads.part _ (by omega), trivial⟩
    writes := ⟨fun _ => by simp only [view, memory]; exact c.pre.writes.part _ (by omega), trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp (finishOutcome n) holds h.finish fun s' e => ?_
  have g := keeps_of_ends e [.x3, .x0] rfl rfl
  have x0 : s'.gpr .x0 = s.gpr .x5 + 0#64 := e.gpr (r := 0) (by decide)
  have x3 : s'.gpr .x3 = c.data + BitVec.ofNat 64 (16 * done) + BitVec.ofNat 64 (16 * n) := by
    have := e.gpr (r := 3) (by decide)
    rcases h.small with rfl | rfl <;> exact this
  exact {
    le := hle
    keys := by rw [x0, keeps.gpr .x5 (by decide), hi.keys', BitVec.add_zero]
    keys' := by rw [g.gpr .x5 (by decide), keeps.gpr .x5 (by decide), hi.keys']
    rounds := by rw [g.gpr .x1 (by decide), keeps.gpr .x1 (by decide), hi.rounds]
    pointer := by rw [x3, add_ofNat_add, ← Nat.mul_add]
    length := by rw [g.gpr .x4 (by decide), keeps.gpr .x4 (by decide), hi.length]
    counter := (e.vec (r := 17) (es := [.reg 17 0]) rfl 0).trans counter
    one := (e.vec (r := 18) (es := [.reg 18 0]) rfl 0).trans one
    memory := by
      have : s'.memory = s.memory.set (writeBytes s.memory.bytes (c.data + BitVec.ofNat 64 (16 * done) + 0#64)
        (laneBytes (((List.range n).map fun i => (.bin (.vec .eor) (.reg i 0) (.load 0 (16 * i)) : VecExpr)).map
          (Expr.at (fun _ => c.data + BitVec.ofNat 64 (16 * done)) view s)))) := e.memory
      rw [this, memory, Memory.set_set, Memory.bytes_set, BitVec.add_zero, List.map_map, c.mem_add hle fun i hin => ?_]
      rw [← blocks i hin, ← c.word_data (by omega)]
      show view.lane s i 0 ^^^ ofBytes 128 (bytesAt s.memory.bytes (_ + BitVec.ofNat 64 (16 * i)) 16) = _
      rw [memory, add_ofNat_add, ← Nat.mul_add]
      rfl
    keeps := (hi.keeps.trans (keeps.mono (by decide))).trans (g.mono (by decide)) }

/-- A group of blocks is encrypted. -/
theorem group_ok (h : Checked n) {pub : List Region} (hle : done + n ≤ c.blocks) (hi : Inv c s₀ done left s)
    {rest : Impl.AArch64.Kernel} {Q : State → Prop} (hq : ∀ s', Inv c s₀ (done + n) left s' → isa.Wp pub rest Q s') :
    isa.Wp pub (.seq (.block (start n)) (.seq (Impl.Aes.AArch64.cipher (List.range n)) (.seq (.block (finish n)) rest))) Q s := by
  refine .seq (.mono (start_ok h hi) fun s₁ ⟨b₁, c₁, o₁, k₁, e₁⟩ => .seq ?_)
  have bytes : s₁.memory.bytes = c.mem done := by rw [e₁, hi.memory]; rfl
  refine .mono (cipher_ok h.cipher c.pre.rounds (ctx := c.ctx) (by rw [k₁.gpr .x0 (by decide), hi.keys])
    (by rw [k₁.gpr .x1 (by decide), hi.rounds]) ?_) fun s₂ a₂ => .seq (.mono ?_ hq)
  · rw [e₁, hi.memory]
    exact fun a k hk => c.pre.readsCtx a k (Nat.le_trans hk (show (256 : Nat) ≤ 1024 by decide))
  · refine finish_ok h hle hi ((k₁.mono (List.nil_subset _)).trans a₂.keeps) (a₂.memory.trans e₁)
      ((a₂.others 17 (by decide)).trans c₁) ((a₂.others 18 (by decide)).trans o₁) fun i hin => ?_
    rw [a₂.blocks i (List.mem_range.2 hin), b₁ i hin, bytes, c.block_eq (done := done) (by omega)]

end Proof.AesCtr32.AArch64
