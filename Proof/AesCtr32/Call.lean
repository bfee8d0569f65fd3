import Proof.AesCtr32.Contract
import Proof.Framework.Nat

/-!
# Counter mode: a call

What the memory holds between the groups of blocks of a call, for every target.
-/

set_option autoImplicit false
namespace Proof.AesCtr32
open TCB SymExec Proof.Aes Proof.Gf2

/-- What a call is about. -/
structure Call where
  m : Memory
  ctx : Addr
  counter : Addr
  data : Addr
  rounds : Nat
  blocks : Nat
  pre : Pre m ctx counter data rounds blocks

namespace Call
variable (c : Call)

/-- The counter block `i`, as a number. -/
def count (i : Nat) : BitVec 128 := Spec.Gcm.counter (Spec.Gcm.ofBytes (bytesAt c.m.bytes c.counter 16)) i

/-- Block `i` of the result. -/
def block (i : Nat) : BitVec 128 := AesCtr32.block c.m.bytes c.ctx c.counter c.data c.rounds i

/-- The contents of memory when `done` blocks are encrypted. -/
def mem (done : Nat) : Mem :=
  writeBytes c.m.bytes c.data (result c.m.bytes c.ctx c.counter c.data c.rounds done)

variable {done : Nat}

/-- The round keys are as they were. -/
theorem word_ctx {i : Nat} (hd : done ≤ c.blocks) (hi : i ≤ 14) : key (c.mem done) c.ctx i = key c.m.bytes c.ctx i := by
  have bound := c.pre.bound
  simp only [key, Spec.AesGcm.Context.word, mem]
  rw [bytesAt_writeBytes_disjoint _ (by decide)]
  rw [length_result]
  have := c.pre.apart.symm.sub (i := 0) (n' := 16 * done) (j := 16 * i) (k' := 16) (by omega) (by omega)
    (Nat.le_of_lt bound) (by decide)
  rwa [show c.data + BitVec.ofNat 64 0 = c.data from BitVec.add_zero _] at this

/-- The data that are not encrypted yet are as they were. -/
theorem word_data {i : Nat} (hd : done + i < c.blocks) :
    Spec.AesGcm.Context.word (c.mem done) c.data (16 * (done + i)) =
      Spec.AesGcm.Context.word c.m.bytes c.data (16 * (done + i)) := by
  have bound := c.pre.bound
  simp only [Spec.AesGcm.Context.word, mem]
  rw [bytesAt_writeBytes_disjoint _ (by decide)]
  rw [length_result]
  intro x ⟨h, g⟩
  simp only [Region.Contains, offset] at h g
  bv_omega

/-- The cipher of the contract. -/
theorem block_eq {i : Nat} (hd : done ≤ c.blocks) : c.block i = Spec.Aes.lastRound
    (roundsFrom (key (c.mem done) c.ctx) 1 (bswap128 (c.count i) ^^^ key (c.mem done) c.ctx 0) (c.rounds - 1))
    (key (c.mem done) c.ctx c.rounds) ^^^ Spec.AesGcm.Context.word c.m.bytes c.data (16 * i) := by
  have hr := c.pre.rounds
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
  have keys {f g : Nat → TCB.Aes.Block} {x : TCB.Aes.Block} {k : Nat} (h : ∀ i, i ≤ k → f i = g i) :
      roundsFrom f 1 x k = roundsFrom g 1 x k := by
    induction k with
    | zero => rfl
    | succ k ih => rw [roundsFrom, roundsFrom, ih fun i hi => h i (by omega), h (1 + k) (by omega)]
  obtain ⟨k, hk⟩ : ∃ k, c.rounds = k + 1 := ⟨c.rounds - 1, by omega⟩
  have e := cipher_eq (key c.m.bytes c.ctx) k (bswap128 (c.count i))
  rw [block, AesCtr32.block, Spec.AesGcm.Context.roundKeys]
  change Spec.Aes.cipher ((List.range (c.rounds + 1)).map (key c.m.bytes c.ctx)) (bswap128 (c.count i)) ^^^ _ = _
  rw [hk, e, Nat.add_sub_cancel, c.word_ctx hd (by omega), c.word_ctx hd (by omega),
    keys fun i hi => (c.word_ctx hd (show i ≤ 14 by omega)).symm]

/-- The length of the bytes of lanes. -/
theorem length_laneBytes (vs : List (BitVec 128)) : (laneBytes vs).length = 16 * vs.length := by
  induction vs with
  | nil => rfl
  | cons v vs ih => rw [laneBytes, List.flatMap_cons, List.length_append, ← laneBytes, ih]; simp; omega

/-- More blocks are encrypted. -/
theorem mem_add {n : Nat} {f : Nat → BitVec 128} (hle : done + n ≤ c.blocks)
    (hf : ∀ i, i < n → f i = c.block (done + i)) :
    writeBytes (c.mem done) (c.data + BitVec.ofNat 64 (16 * done)) (laneBytes ((List.range n).map f)) = c.mem (done + n) := by
  have bound := c.pre.bound
  rw [mem, writeBytes_append _ _ (length_result ..), mem, result_add]
  · congr 3
    exact List.map_congr_left fun i hin => hf i (List.mem_range.1 hin)
  · rw [length_laneBytes, List.length_map, List.length_range]
    omega

end Call
end Proof.AesCtr32
