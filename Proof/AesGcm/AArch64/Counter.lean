import Proof.AesCtr32.AArch64.Group
import Proof.AesGcm.AArch64.Frame
import Proof.AesGcm.Message.Kernel
import Proof.Ghash.AArch64

/-!
# Blocks of the keystream
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.Aes Proof.Aes.AArch64 Proof.Gf2 Proof.AesGcm.Message
open Impl.AesCtr32.AArch64 (write)
open Proof.AesCtr32.AArch64 (counterE add4s_one rev32_rev32)
open Proof.Ghash.AArch64 (HasConstant)

/-- The constants are in their registers. -/
structure Constants (s : State) : Prop where
  one : view.lane s 18 0 = Proof.AesCtr32.AArch64.one
  constant : HasConstant s

/-- The key context is where it should be. -/
structure Keyed (ctx : Addr) (rounds : Nat) (s : State) : Prop where
  key : s.gpr .x9 = ctx
  number : s.gpr .x1 = BitVec.ofNat 64 rounds
  valid : rounds ∈ [10, 12, 14]
  reads : Within s.memory.readable ⟨ctx, 1024⟩

/-- A counter block, as it is held in `v17`. -/
def held (count : BitVec 128) : BitVec 128 := VecUn.rev32.eval (bswap128 count)

/-- The registers that the keystream leaves as they are. -/
def others : List Nat := [18, 20, 21, 31]

/-- What the first round of counter blocks does. -/
def startOutcome (n : Nat) : Outcome VecUn SymBin :=
  outcome ((List.range n).map (fun i => (i, [.un .rev32 (counterE i)])) ++ (17, [counterE n]) :: keptE others)

/-- The data of `n` blocks at `x3`. -/
def writeLayout (n : Nat) : Layout := { areas := [{ len := 16 * n, writes := true }], ptrs := [(3, 0, 0)] }

/-- The blocks are encrypted. -/
def writeOutcome (n : Nat) : Outcome VecUn SymBin :=
  outcome (keptE (17 :: others)) [(0, 0, (List.range n).map fun i => .bin (.vec .eor) (.reg i 0) (.load 0 (16 * i)))]

/-- What the kernel computes for groups of `n` blocks. -/
structure Group (n : Nat) : Prop where
  small : n ≤ 8
  start : machine.check ⟨[], []⟩ (Impl.AesCtr32.AArch64.start n) (startOutcome n) = true
  stays : keepsVecs (startOutcome n) others = true
  cipher : Aes.AArch64.Checked (List.range n) (17 :: others)
  write : machine.check (writeLayout n) (write n) (writeOutcome n) = true

/-- Groups of eight blocks. -/
theorem group_eight : Group 8 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- Groups of four blocks. -/
theorem group_four : Group 4 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- One block. -/
theorem group_one : Group 1 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

section
variable {s : State} {ctx : Addr} {rounds : Nat} {pub : List Region}

/-- The counter after some steps. -/
theorem counterE_at {base : Nat → Addr} {count : BitVec 128} (hc : view.lane s 17 0 = held count)
    (h1 : view.lane s 18 0 = Proof.AesCtr32.AArch64.one) (i : Nat) : (counterE i).at base view s = held (Spec.Gcm.counter count i) := by
  induction i with
  | zero => exact hc
  | succ i ih =>
    show VecBin.add4s.eval ((counterE i).at base view s) (view.lane s 18 0) = held (Spec.Gcm.inc32 (Spec.Gcm.counter count i))
    rw [ih, h1, held, held, add4s_one]

/-- The round keys may be read. -/
theorem Keyed.readsKeys (h : Keyed ctx rounds s) : Within s.memory.readable ⟨ctx, 256⟩ :=
  fun a k hk => h.reads a k (Nat.le_trans hk (show 256 ≤ 1024 by decide))

/-- **The next blocks of the keystream**, from the counter in `v17`. -/
theorem keystream_ok {n : Nat} (g : Group n) (hk : s.gpr .x0 = ctx) (h : Keyed ctx rounds s) (c : Constants s)
    {count : BitVec 128} (hc : view.lane s 17 0 = held count) : isa.Wp pub (keystream n) (fun s' =>
      (∀ i, i < n → view.lane s' i 0 = stream s.memory.bytes ctx rounds (Spec.Gcm.counter count i)) ∧
      view.lane s' 17 0 = held (Spec.Gcm.counter count n) ∧ Frame [.x0] others s s' ∧ s'.memory = s.memory) s := by
  have small := g.small
  refine .seq (machine.wp_registers (startOutcome n) g.start fun s₁ e₁ => ?_)
  have f₁ : Frame [] others s s₁ := .of_ends e₁ g.stays
  have m₁ : s₁.memory = s.memory := e₁.memory
  refine (cipher_ok g.cipher h.valid (ctx := ctx) ((f₁.gpr .x0).trans hk) ((f₁.gpr .x1).trans h.number)
    (by rw [m₁]; exact h.readsKeys)).mono fun s₂ a₂ => ?_
  refine ⟨fun i hi => ?_, ?_, ?_, a₂.memory.trans m₁⟩
  · rw [a₂.blocks i (List.mem_range.2 hi), m₁, stream_eq h.valid]
    congr 2
    have unsaved : i ∉ saved := by simp only [saved, List.mem_cons, List.not_mem_nil, or_false]; omega
    have : view.lane s₁ i 0 = VecUn.rev32.eval ((counterE i).at (fun _ => 0) view s) :=
      e₁.vec (r := i) (es := [.un .rev32 (counterE i)]) (by rw [startOutcome, outcome, keptE, find_append unsaved, find_map (List.mem_range.2 hi)]) 0
    rw [this, counterE_at hc c.one, held, rev32_rev32]
  · rw [a₂.others 17 (.head _)]
    refine Eq.trans (e₁.vec (r := 17) (es := [counterE n]) ?_ 0) (counterE_at hc c.one n)
    have out : 17 ∉ List.range n := by simp only [List.mem_range]; omega
    rw [startOutcome, outcome, keptE, find_append (by decide), find_append out]
    rfl
  · exact (f₁.mono (List.nil_subset _) fun _ h => h).trans ⟨a₂.keeps, fun r hr => a₂.others r (.tail _ hr)⟩

/-! ## One block -/

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put in
/-- `x0` is the key context again. -/
theorem again_ok : isa.Wp pub (.block [.un .mov .x0 .x9]) (fun s' => Frame [.x0] (List.range 32) s s' ∧
    s'.memory = s.memory ∧ s'.gpr .x0 = s.gpr .x9) s := by
  refine .cons (s₁ := s.setReg .x0 (s.gpr .x9)) rfl (.nil ⟨.of_vec (kept (Keeps.refl _ s)) (by vecs), by reads, by reads⟩)

/-- The block in `v21`: the pre-counter block, and then the counter goes on. -/
def maskOutcome : Outcome VecUn SymBin :=
  outcome ([(21, [.un .rev32 (.reg 17 0)]), (17, [.bin (.vec .add4s) (.reg 17 0) (.reg 18 0)])] ++ keptE [18, 20, 31])

/-- The cipher on one block keeps the others. -/
theorem mask_checked : Aes.AArch64.Checked [21] [17, 18, 20, 31] :=
  ⟨by decide, by decide, by decide +kernel, by decide +kernel⟩

/-- The pre-counter block is encrypted, and the counter is the next. -/
theorem mask_ok (hk : s.gpr .x0 = ctx) (h : Keyed ctx rounds s) (c : Constants s) {j0 : BitVec 128}
    (hc : view.lane s 17 0 = held j0) : isa.Wp pub mask (fun s' =>
      view.lane s' 21 0 = stream s.memory.bytes ctx rounds j0 ∧ view.lane s' 17 0 = held (Spec.Gcm.inc32 j0) ∧
      Frame [.x0] [18, 20, 31] s s' ∧ s'.gpr .x0 = ctx ∧ s'.memory = s.memory) s := by
  refine .seq (machine.wp_registers maskOutcome (by decide +kernel) fun s₁ e₁ => .seq ?_)
  have f₁ : Frame [] [18, 20, 31] s s₁ := .of_ends e₁ (by decide +kernel)
  have m₁ : s₁.memory = s.memory := e₁.memory
  refine (cipher_ok mask_checked h.valid (ctx := ctx) ((f₁.gpr .x0).trans hk) ((f₁.gpr .x1).trans h.number)
    (by rw [m₁]; exact h.readsKeys)).mono fun s₂ a₂ => again_ok.mono fun s₃ ⟨f₃, m₃, x₃⟩ => ?_
  have f₂ : Frame [.x0] [18, 20, 31] s s₂ :=
    (f₁.mono (List.nil_subset _) fun _ h => h).trans ⟨a₂.keeps, fun r hr => a₂.others r (.tail _ hr)⟩
  refine ⟨?_, ?_, f₂.trans (f₃.mono (fun _ h => h) (by decide)), x₃.trans ((f₂.gpr .x9).trans h.key), m₃.trans (a₂.memory.trans m₁)⟩
  · rw [f₃.lane 21, a₂.blocks 21 (.head _), m₁, stream_eq h.valid]
    congr 2
    have : view.lane s₁ 21 0 = VecUn.rev32.eval (view.lane s 17 0) := e₁.vec (r := 21) rfl 0
    rw [this, hc, held, rev32_rev32]
  · rw [f₃.lane 17, a₂.others 17 (.head _)]
    exact (e₁.vec (r := 17) rfl 0).trans (counterE_at (base := fun _ => 0) hc c.one 1)

/-! ## Adding the keystream -/

/-- The keystream in the registers is added to blocks of data. -/
theorem write_ok {n : Nat} (g : Group n) {p : Addr} (hp : s.gpr .x3 = p) (reads : Within s.memory.readable ⟨p, 16 * n⟩)
    (writes : Within s.memory.writable ⟨p, 16 * n⟩) : isa.Wp pub (.block (write n)) (fun s' =>
      Frame [] (17 :: others) s s' ∧ s'.memory = s.memory.set (writeBytes s.memory.bytes p (laneBytes
        ((List.range n).map fun i => view.lane s i 0 ^^^ Spec.AesGcm.Context.word s.memory.bytes p (16 * i))))) s := by
  have small := g.small
  have holds : (writeLayout n).Holds view (fun _ => p) s := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact hp.trans (BitVec.add_zero _).symm
    small := ⟨by simp only; omega, trivial⟩
    reads := ⟨fun _ => reads, trivial⟩
    writes := ⟨fun _ => writes, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp (writeOutcome n) holds g.write fun s' e => ⟨.of_ends e rfl, ?_⟩
  have : s'.memory = s.memory.set (writeBytes s.memory.bytes (p + 0#64) (laneBytes (((List.range n).map fun i =>
    (.bin (.vec .eor) (.reg i 0) (.load 0 (16 * i)) : VecExpr)).map (Expr.at (fun _ => p) view s)))) := e.memory
  rw [this, BitVec.add_zero, List.map_map]
  rfl

end
end Proof.AesGcm.AArch64
