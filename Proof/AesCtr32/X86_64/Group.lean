import Impl.AesCtr32.X86_64
import Proof.Aes.X86_64
import Proof.AesCtr32.Call
import Proof.Gf2.X86_64
import Proof.X86_64.Verified
import Proof.X86_64.Witness

/-!
# Counter mode, on x86-64: groups of blocks
-/

set_option autoImplicit false
namespace Proof.AesCtr32.X86_64
open TCB TCB.X86_64 SymExec Proof.Aes Proof.Aes.X86_64 Impl.AesCtr32.X86_64 Proof.Gf2 Proof.Gf2.X86_64

/-! ## Symbolic values -/

/-- The counter after `i` steps. -/
def counterE : Nat → VecExpr
  | 0 => .reg 8 0
  | i + 1 => .bin .paddd (counterE i) (.reg 10 0)

/-- Round key 0 at `rdi`. -/
def startLayout : Layout := { areas := [{ len := 16 }], ptrs := [(7, 0, 0)] }

/-- The next counter blocks, with round key 0. -/
def startOutcome (n : Nat) : Outcome VecUn VecBin :=
  { vec := (List.range n).map (fun i => (i, [.bin .pxor (.bin .pshufb (counterE i) (.reg 9 0)) (.load 0 0)])) ++
      [(8, [counterE n]), keepE 9, keepE 10] }

/-- The data of the group at `rcx`. -/
def finishLayout (n : Nat) : Layout := { areas := [{ len := 16 * n, writes := true }], ptrs := [(1, 0, 0)] }

/-- The data are encrypted. -/
def finishOutcome (n : Nat) : Outcome VecUn VecBin :=
  { vec := [keepE 8, keepE 9, keepE 10], gpr := [(1, .ptr 0 (16 * n)), (7, .init 9 0)],
    mem := [(0, 0, (List.range n).map fun i => .bin .pxor (.reg i 0) (.load 0 (16 * i)))] }

/-- What the kernel computes for groups of `n` blocks. -/
structure Checked (n : Nat) : Prop where
  small : n = 1 ∨ n = 8
  start : machine.check startLayout (start n) (startOutcome n) = true
  cipher : Aes.X86_64.Checked (List.range n) [8, 9, 10]
  finish : machine.check (finishLayout n) (finish n) (finishOutcome n) = true

/-- One block. -/
theorem checked_one : Checked 1 := ⟨.inl rfl, by decide +kernel, ⟨by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- Eight blocks. -/
theorem checked_eight : Checked 8 :=
  ⟨.inr rfl, by decide +kernel, ⟨by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-! ## The state between groups -/

/-- A counter goes on by an addition of one. -/
theorem paddd_one (x : BitVec 128) : VecBin.eval .paddd x 1 = Spec.Gcm.inc32 x := by
  have d : dword 1 0 = 1 ∧ dword 1 1 = 0#32 ∧ dword 1 2 = 0#32 ∧ dword 1 3 = 0#32 := by decide +kernel
  have high : dword x 3 ++ dword x 2 ++ dword x 1 = x.extractLsb' 32 96 := by
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    simp only [dword, BitVec.getLsbD_append, BitVec.getLsbD_extractLsb', Nat.reduceMul]
    repeat' split
    · simp [*]
    · simp [show i - 32 < 32 by omega, show 64 + (i - 32) = 32 + i by omega, hi]
    · simp [show i - 32 - 32 < 32 by omega, show 96 + (i - 32 - 32) = 32 + i by omega, hi]
  simp only [VecBin.eval, ofDwords, d, BitVec.add_zero, high]
  rfl

/-- The state when `done` blocks are encrypted and the register of the length says that `left` are not. -/
structure Inv (c : Call) (s₀ : State) (done left : Nat) (s : State) : Prop where
  le : done ≤ c.blocks
  keys : s.gpr .rdi = c.ctx
  keys' : s.gpr .r9 = c.ctx
  rounds : s.gpr .rsi = BitVec.ofNat 64 c.rounds
  pointer : s.gpr .rcx = c.data + BitVec.ofNat 64 (16 * done)
  length : s.gpr .r8 = BitVec.ofNat 64 (16 * left)
  counter : view.lane s 8 0 = c.count done
  mask : view.lane s 9 0 = reverseMask
  one : view.lane s 10 0 = 1
  memory : s.memory = c.m.set (c.mem done)
  keeps : Keeps [.rdi, .rcx, .r8, .r9, .r10] s₀ s

variable {c : Call} {s₀ s : State} {done left n : Nat}

/-! ## Groups -/

/-- The next counter blocks. -/
theorem start_ok (h : Checked n) {pub : List Region} (hi : Inv c s₀ done left s) :
    isa.Wp pub (.block (start n)) (fun s' =>
      (∀ i, i < n → view.lane s' i 0 = bswap128 (c.count (done + i)) ^^^ key (c.mem done) c.ctx 0) ∧
      view.lane s' 8 0 = c.count (done + n) ∧ view.lane s' 9 0 = reverseMask ∧ view.lane s' 10 0 = 1 ∧
      Keeps [] s s' ∧ s'.memory = s.memory) s := by
  have bytes : s.memory.bytes = c.mem done := by rw [hi.memory]; rfl
  have holds : startLayout.Holds view (fun _ => c.ctx) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hi.keys.trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ a k hk => by
      simp only [view, hi.memory]
      exact c.pre.readsCtx a k (Nat.le_trans hk (show (16 : Nat) ≤ 1024 by decide)), trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  have counterE_at (i : Nat) : (counterE i).at (fun _ => c.ctx) view s = c.count (done + i) := by
    induction i with
    | zero => exact hi.counter
    | succ i ih =>
      rw [← Nat.add_assoc]
      show VecBin.eval .paddd ((counterE i).at _ view s) (view.lane s 10 0) = Spec.Gcm.inc32 (c.count (done + i))
      rw [ih, hi.one, paddd_one]
  have small := h.small
  refine machine.wp (startOutcome n) holds h.start fun s' e => ⟨fun i hin => ?_, ?_, ?_, ?_, keeps_of_ends e [] rfl, e.memory⟩
  · rw [e.vec (r := i) (find_map (List.mem_range.2 hin)) 0]
    show VecBin.eval .pshufb ((counterE i).at _ view s) (view.lane s 9 0) ^^^
      ofBytes 128 (bytesAt s.memory.bytes (c.ctx + 0#64) 16) = _
    rw [counterE_at, hi.mask, pshufb_reverseMask, bytes]
    rfl
  all_goals have out {r : Nat} (hr : 8 ≤ r) : r ∉ List.range n := by simp only [List.mem_range]; omega
  · exact (e.vec (r := 8) (es := [counterE n]) (by rw [startOutcome, find_append (out (by decide))]; rfl) 0).trans (counterE_at n)
  · exact (e.vec (r := 9) (es := (keepE 9).2) (by rw [startOutcome, find_append (out (by decide))]; rfl) 0).trans hi.mask
  · exact (e.vec (r := 10) (es := (keepE 10).2) (by rw [startOutcome, find_append (out (by decide))]; rfl) 0).trans hi.one

/-- The encrypted counter blocks are added to the data. -/
theorem finish_ok (h : Checked n) {pub : List Region} (hle : done + n ≤ c.blocks) {s₁ : State}
    (hi : Inv c s₀ done left s₁) (keeps : Keeps [.rdi] s₁ s) (memory : s.memory = s₁.memory)
    (counter : view.lane s 8 0 = c.count (done + n)) (mask : view.lane s 9 0 = reverseMask)
    (one : view.lane s 10 0 = 1)
    (blocks : ∀ i, i < n → view.lane s i 0 ^^^ Spec.AesGcm.Context.word c.m.bytes c.data (16 * (done + i)) =
      c.block (done + i)) :
    isa.Wp pub (.block (finish n)) (Inv c s₀ (done + n) left) s := by
  have bound := c.pre.bound
  have memory : s.memory = c.m.set (c.mem done) := memory.trans hi.memory
  have holds : (finishLayout n).Holds view (fun _ => c.data + BitVec.ofNat 64 (16 * done)) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact ((keeps.gpr .rcx (by decide)).trans hi.pointer).trans (BitVec.add_zero _).symm
    small := ⟨by simp only; omega, trivial⟩
    reads := ⟨fun _ => by simp only [view, memory]; exact c.pre.reads.part _ (by omega), trivial⟩
    writes := ⟨fun _ => by simp only [view, memory]; exact c.pre.writes.part _ (by omega), trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp (finishOutcome n) holds h.finish fun s' e => ?_
  have g := keeps_of_ends e [.rcx, .rdi] rfl
  have rdi : s'.gpr .rdi = s.gpr .r9 + 0#64 := e.gpr (r := 7) (by decide)
  have rcx : s'.gpr .rcx = c.data + BitVec.ofNat 64 (16 * done) + BitVec.ofNat 64 (16 * n) := by
    have := e.gpr (r := 1) (by decide)
    rcases h.small with rfl | rfl <;> exact this
  exact {
    le := hle
    keys := by rw [rdi, keeps.gpr .r9 (by decide), hi.keys', BitVec.add_zero]
    keys' := by rw [g.gpr .r9 (by decide), keeps.gpr .r9 (by decide), hi.keys']
    rounds := by rw [g.gpr .rsi (by decide), keeps.gpr .rsi (by decide), hi.rounds]
    pointer := by rw [rcx, add_ofNat_add, ← Nat.mul_add]
    length := by rw [g.gpr .r8 (by decide), keeps.gpr .r8 (by decide), hi.length]
    counter := (e.vec (r := 8) (es := (keepE 8).2) rfl 0).trans counter
    mask := (e.vec (r := 9) (es := (keepE 9).2) rfl 0).trans mask
    one := (e.vec (r := 10) (es := (keepE 10).2) rfl 0).trans one
    memory := by
      have : s'.memory = s.memory.set (writeBytes s.memory.bytes (c.data + BitVec.ofNat 64 (16 * done) + 0#64)
        (laneBytes (((List.range n).map fun i => (.bin .pxor (.reg i 0) (.load 0 (16 * i)) : VecExpr)).map
          (Expr.at (fun _ => c.data + BitVec.ofNat 64 (16 * done)) view s)))) := e.memory
      rw [this, memory, Memory.set_set, Memory.bytes_set, BitVec.add_zero, List.map_map, c.mem_add hle fun i hin => ?_]
      rw [← blocks i hin, ← c.word_data (by omega)]
      show view.lane s i 0 ^^^ ofBytes 128 (bytesAt s.memory.bytes (_ + BitVec.ofNat 64 (16 * i)) 16) = _
      rw [memory, add_ofNat_add, ← Nat.mul_add]
      rfl
    keeps := (hi.keeps.trans (keeps.mono (by decide))).trans (g.mono (by decide)) }

/-- A group of blocks is encrypted. -/
theorem group_ok (h : Checked n) {pub : List Region} (hle : done + n ≤ c.blocks) (hi : Inv c s₀ done left s)
    {rest : Impl.X86_64.Kernel} {Q : State → Prop} (hq : ∀ s', Inv c s₀ (done + n) left s' → isa.Wp pub rest Q s') :
    isa.Wp pub (.seq (.block (start n)) (.seq (Impl.Aes.X86_64.cipher (List.range n)) (.seq (.block (finish n)) rest))) Q s := by
  refine .seq (.mono (start_ok h hi) fun s₁ ⟨b₁, c₁, m₁, o₁, k₁, e₁⟩ => .seq ?_)
  have bytes : s₁.memory.bytes = c.mem done := by rw [e₁, hi.memory]; rfl
  refine .mono (cipher_ok h.cipher c.pre.rounds (ctx := c.ctx) (by rw [k₁.gpr .rdi (by decide), hi.keys])
    (by rw [k₁.gpr .rsi (by decide), hi.rounds]) ?_) fun s₂ a₂ => .seq (.mono ?_ hq)
  · rw [e₁, hi.memory]
    exact fun a k hk => c.pre.readsCtx a k (Nat.le_trans hk (show (256 : Nat) ≤ 1024 by decide))
  · refine finish_ok h hle hi ((k₁.mono (List.nil_subset _)).trans a₂.keeps) (a₂.memory.trans e₁)
      ((a₂.others 8 (by decide) 0 (by decide)).trans c₁) ((a₂.others 9 (by decide) 0 (by decide)).trans m₁)
      ((a₂.others 10 (by decide) 0 (by decide)).trans o₁) fun i hin => ?_
    rw [a₂.blocks i (List.mem_range.2 hin), b₁ i hin, bytes, c.block_eq (done := done) (by omega)]

end Proof.AesCtr32.X86_64
