import Proof.AesCtr32.X86_64.Group
import Proof.AesGcm.X86_64.Frame

/-!
# Blocks of the keystream
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Aes Proof.Aes.X86_64 Proof.Gf2
open Impl.AesCtr32.X86_64 (write)
open Proof.AesCtr32.X86_64 (counterE startLayout paddd_one)

/-- The constants are in their registers. -/
structure Constants (s : State) : Prop where
  mask : view.lane s 9 0 = Gf2.X86_64.reverseMask
  one : view.lane s 10 0 = 1

/-- The key context is where it should be. -/
structure Keyed (ctx : Addr) (rounds : Nat) (s : State) : Prop where
  key : s.gpr .r9 = ctx
  number : s.gpr .rsi = BitVec.ofNat 64 rounds
  valid : rounds ∈ [10, 12, 14]
  reads : Within s.memory.readable ⟨ctx, 1024⟩

/-- The keystream block of a counter, as a little-endian number. -/
def stream (m : Mem) (ctx : Addr) (rounds : Nat) (count : BitVec 128) : BitVec 128 :=
  Spec.Aes.cipher (Spec.AesGcm.Context.roundKeys m ctx rounds) (bswap128 count)

/-- The cipher of the context, in the steps of the kernel. -/
theorem stream_eq {m : Mem} {ctx : Addr} {rounds : Nat} (h : rounds ∈ [10, 12, 14]) (count : BitVec 128) :
    stream m ctx rounds count = Spec.Aes.lastRound
      (roundsFrom (key m ctx) 1 (bswap128 count ^^^ key m ctx 0) (rounds - 1)) (key m ctx rounds) := by
  have hr : rounds = rounds - 2 + 2 := by simp only [List.mem_cons, List.not_mem_nil, or_false] at h; omega
  rw [stream, Spec.AesGcm.Context.roundKeys, hr]
  exact cipher_eq (key m ctx) (rounds - 2 + 1) _

/-- The registers that the keystream leaves as they are. -/
def others : List Nat := [9, 10, 11, 13]

/-- What the first round of counter blocks does. -/
def startOutcome (n : Nat) : Outcome VecUn VecBin :=
  { vec := (List.range n).map (fun i => (i, [.bin .pxor (.bin .pshufb (counterE i) (.reg 9 0)) (.load 0 0)])) ++
      (8, [counterE n]) :: others.map keepE }

/-- The data of `n` blocks at `rcx`. -/
def writeLayout (n : Nat) : Layout := { areas := [{ len := 16 * n, writes := true }], ptrs := [(1, 0, 0)] }

/-- The blocks are encrypted. -/
def writeOutcome (n : Nat) : Outcome VecUn VecBin :=
  { vec := (8 :: others).map keepE, mem := [(0, 0, (List.range n).map fun i => .bin .pxor (.reg i 0) (.load 0 (16 * i)))] }

/-- What the kernel computes for groups of `n` blocks. -/
structure Group (n : Nat) : Prop where
  small : n ≤ 8
  start : machine.check startLayout (Impl.AesCtr32.X86_64.start n) (startOutcome n) = true
  stays : (keepsVecs (startOutcome n) others && keepsRegs (startOutcome n) []) = true
  cipher : Aes.X86_64.Checked (List.range n) (8 :: others)
  write : machine.check (writeLayout n) (write n) (writeOutcome n) = true

/-- Groups of eight blocks. -/
theorem group_eight : Group 8 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- Groups of four blocks. -/
theorem group_four : Group 4 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

/-- One block. -/
theorem group_one : Group 1 :=
  ⟨by decide, by decide +kernel, by decide +kernel, ⟨by decide, by decide +kernel, by decide +kernel⟩, by decide +kernel⟩

section
variable {s : State} {ctx : Addr} {rounds : Nat} {pub : List Region}

/-- Round key 0 may be read. -/
theorem startLayout_holds (hk : s.gpr .rdi = ctx) (hr : Within s.memory.readable ⟨ctx, 1024⟩) :
    startLayout.Holds view (fun _ => ctx) s where
  ptrs q hq := by
    obtain rfl := List.mem_singleton.1 hq
    exact hk.trans (BitVec.add_zero _).symm
  small := ⟨by decide, trivial⟩
  reads := ⟨fun _ a k hk => hr a k (Nat.le_trans hk (show 16 ≤ 1024 by decide)), trivial⟩
  writes := ⟨nofun, trivial⟩
  apart := ⟨⟨nofun, trivial⟩, trivial⟩

/-- The counter after some steps. -/
theorem counterE_at {base : Nat → Addr} {count : BitVec 128} (hc : view.lane s 8 0 = count) (h1 : view.lane s 10 0 = 1) (i : Nat) :
    (counterE i).at base view s = Spec.Gcm.counter count i := by
  induction i with
  | zero => exact hc
  | succ i ih =>
    show VecBin.eval .paddd ((counterE i).at _ view s) (view.lane s 10 0) = Spec.Gcm.inc32 (Spec.Gcm.counter count i)
    rw [ih, h1, paddd_one]

/-- **The next blocks of the keystream**, from the counter in `xmm8`. -/
theorem keystream_ok {n : Nat} (g : Group n) (hk : s.gpr .rdi = ctx) (h : Keyed ctx rounds s) (c : Constants s)
    {count : BitVec 128} (hc : view.lane s 8 0 = count) : isa.Wp pub (keystream n) (fun s' =>
      (∀ i, i < n → view.lane s' i 0 = stream s.memory.bytes ctx rounds (Spec.Gcm.counter count i)) ∧
      view.lane s' 8 0 = Spec.Gcm.counter count n ∧ Frame [.rdi] [9, 10, 11, 13] s s' ∧ s'.memory = s.memory) s := by
  have small := g.small
  refine .seq (machine.wp (startOutcome n) (startLayout_holds hk h.reads) g.start fun s₁ e₁ => ?_)
  have f₁ : Frame [] [9, 10, 11, 13] s s₁ := .of_ends e₁ g.stays
  have m₁ : s₁.memory = s.memory := e₁.memory
  refine (cipher_ok g.cipher h.valid (ctx := ctx) ((f₁.gpr .rdi).trans hk) ((f₁.gpr .rsi).trans h.number)
    (by rw [m₁]; exact fun a k hk => h.reads a k (Nat.le_trans hk (show 256 ≤ 1024 by decide)))).mono fun s₂ a₂ => ?_
  refine ⟨fun i hi => ?_, ?_, ?_, a₂.memory.trans m₁⟩
  · rw [a₂.blocks i (List.mem_range.2 hi), m₁, stream_eq h.valid]
    congr 2
    have : view.lane s₁ i 0 = VecBin.eval .pshufb ((counterE i).at (fun _ => ctx) view s) (view.lane s 9 0) ^^^
        ofBytes 128 (bytesAt s.memory.bytes (ctx + 0#64) 16) :=
      e₁.vec (r := i) (find_map (List.mem_range.2 hi)) 0
    rw [this, counterE_at hc c.one, c.mask, Gf2.X86_64.pshufb_reverseMask]
    rfl
  · rw [a₂.others 8 (.head _) 0 (by decide)]
    have out : 8 ∉ List.range n := by simp only [List.mem_range]; omega
    exact (e₁.vec (r := 8) (es := [counterE n]) (by rw [startOutcome, find_append out]; rfl) 0).trans (counterE_at hc c.one n)
  · refine f₁.mono (List.nil_subset _) (fun _ h => h) |>.trans ⟨a₂.keeps, fun r hr => ?_⟩
    exact a₂.others r (.tail _ hr) 0 (by decide)

/-! ## One block -/

/-- The block in `xmm13`: the reversed pre-counter block, and then the counter goes on. -/
def maskOutcome : Outcome VecUn VecBin :=
  { vec := [(13, [.bin .pxor (.bin .pshufb (.reg 8 0) (.reg 9 0)) (.load 0 0)]), (8, [.bin .paddd (.reg 8 0) (.reg 10 0)]),
      keepE 9, keepE 10, keepE 11] }

/-- The cipher on one block keeps the others. -/
theorem mask_checked : Aes.X86_64.Checked [13] [8, 9, 10, 11] := ⟨by decide, by decide +kernel, by decide +kernel⟩

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- The pre-counter block is encrypted, and the counter is the next. -/
theorem mask_ok (hk : s.gpr .rdi = ctx) (h : Keyed ctx rounds s) (c : Constants s) {j0 : BitVec 128}
    (hc : view.lane s 8 0 = j0) : isa.Wp pub mask (fun s' =>
      view.lane s' 13 0 = stream s.memory.bytes ctx rounds j0 ∧ view.lane s' 8 0 = Spec.Gcm.inc32 j0 ∧
      Frame [.rdi] [9, 10, 11] s s' ∧ s'.gpr .rdi = ctx ∧ s'.memory = s.memory) s := by
  refine .seq (machine.wp maskOutcome (startLayout_holds hk h.reads) (by decide +kernel) fun s₁ e₁ => ?_)
  have f₁ : Frame [] [9, 10, 11] s s₁ := .of_ends e₁ (by decide +kernel)
  have m₁ : s₁.memory = s.memory := e₁.memory
  refine .seq ((cipher_ok mask_checked h.valid (ctx := ctx) ((f₁.gpr .rdi).trans hk) ((f₁.gpr .rsi).trans h.number)
    (by rw [m₁]; exact fun a k hk => h.reads a k (Nat.le_trans hk (show 256 ≤ 1024 by decide)))).mono fun s₂ a₂ => ?_)
  have f₂ : Frame [.rdi] [9, 10, 11] s s₂ := f₁.mono (List.nil_subset _) (fun _ h => h) |>.trans
    ⟨a₂.keeps, fun r hr => a₂.others r (.tail _ hr) 0 (by decide)⟩
  have v : view.lane s₂ 13 0 = stream s.memory.bytes ctx rounds j0 := by
    rw [a₂.blocks 13 (.head _), m₁, stream_eq h.valid]
    congr 2
    have : view.lane s₁ 13 0 = VecBin.eval .pshufb (view.lane s 8 0) (view.lane s 9 0) ^^^
        ofBytes 128 (bytesAt s.memory.bytes (ctx + 0#64) 16) := e₁.vec (r := 13) rfl 0
    rw [this, hc, c.mask, Gf2.X86_64.pshufb_reverseMask]
    rfl
  have n : view.lane s₂ 8 0 = Spec.Gcm.inc32 j0 := by
    rw [a₂.others 8 (.head _) 0 (by decide), ← paddd_one, ← hc]
    refine (e₁.vec (r := 8) rfl 0).trans ?_
    show VecBin.eval .paddd (view.lane s 8 0) (view.lane s 10 0) = _
    rw [c.one]
  refine .cons (s₁ := s₂.setReg .rdi (s₂.gpr .r9)) rfl (.nil ?_)
  have same (r : Nat) : view.lane (s₂.setReg .rdi (s₂.gpr .r9)) r 0 = view.lane s₂ r 0 := by
    simp only [view, State.lane]
    reads
  refine ⟨(same 13).trans v, (same 8).trans n, f₂.trans ⟨kept (Keeps.refl _ s₂), fun r _ => same r⟩, ?_, ?_⟩
  · reads
    exact (f₂.gpr .r9).trans h.key
  · reads
    exact a₂.memory.trans m₁

/-! ## Adding the keystream -/

/-- The keystream in the registers is added to blocks of data. -/
theorem write_ok {n : Nat} (g : Group n) {p : Addr} (hp : s.gpr .rcx = p) (reads : Within s.memory.readable ⟨p, 16 * n⟩)
    (writes : Within s.memory.writable ⟨p, 16 * n⟩) : isa.Wp pub (.block (write n)) (fun s' =>
      Frame [] [8, 9, 10, 11, 13] s s' ∧ s'.memory = s.memory.set (writeBytes s.memory.bytes p (laneBytes
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
    (.bin .pxor (.reg i 0) (.load 0 (16 * i)) : VecExpr)).map (Expr.at (fun _ => p) view s)))) := e.memory
  rw [this, BitVec.add_zero, List.map_map]
  rfl

end
end Proof.AesGcm.X86_64
