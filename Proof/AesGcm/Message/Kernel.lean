import Proof.Aes.Cipher
import Proof.AesGcm.Message.Call

/-!
# What proofs of kernels for messages share, on every target
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open TCB Proof.Aes Proof.Gf2

/-- The keystream block of a counter, as a little-endian number. -/
def stream (m : Mem) (ctx : Addr) (rounds : Nat) (count : BitVec 128) : BitVec 128 :=
  Spec.Aes.cipher (Spec.AesGcm.Context.roundKeys m ctx rounds) (bswap128 count)

/-- The cipher of the context, in the steps of a kernel. -/
theorem stream_eq {m : Mem} {ctx : Addr} {rounds : Nat} (h : rounds ∈ [10, 12, 14]) (count : BitVec 128) :
    stream m ctx rounds count = Spec.Aes.lastRound
      (roundsFrom (key m ctx) 1 (bswap128 count ^^^ key m ctx 0) (rounds - 1)) (key m ctx rounds) := by
  have hr : rounds = rounds - 2 + 2 := by simp only [List.mem_cons, List.not_mem_nil, or_false] at h; omega
  rw [stream, Spec.AesGcm.Context.roundKeys, hr]
  exact cipher_eq (key m ctx) (rounds - 2 + 1) _

/-- What does not change while a message is processed: where the key context and the table of constants are, the number of
rounds, the hash subkey, and the cipher on little-endian counter blocks. -/
structure Fixed where
  ctx : Addr
  tab : Addr
  rounds : Nat
  h : Spec.Ghash.Block
  cipher : BitVec 128 → BitVec 128

/-- What belongs to a call: the key context, and where the table is. -/
def fixedOf (k : Call) (tab : Addr) : Fixed := ⟨k.ctx, tab, k.rounds, k.subkey, stream k.memory.bytes k.ctx k.rounds⟩

/-- A length in bits. -/
theorem shl_three {v : BitVec 64} {L : Nat} (h : v = BitVec.ofNat 64 L) : v <<< 3 = BitVec.ofNat 64 (8 * L) := by
  rw [h]
  apply BitVec.eq_of_toNat_eq
  simp only [BitVec.toNat_shiftLeft, BitVec.toNat_ofNat, Nat.shiftLeft_eq]
  omega

/-- Counting goes on. -/
theorem counter_add (x : Spec.Ghash.Block) (i j : Nat) :
    Spec.Gcm.counter (Spec.Gcm.counter x i) j = Spec.Gcm.counter x (i + j) := by
  induction j with
  | zero => rfl
  | succ j ih => rw [Spec.Gcm.counter, ih]; rfl

/-- A word at an offset. -/
theorem word_add (m : Mem) (p : Addr) (i j : Nat) :
    Spec.AesGcm.Context.word m (p + BitVec.ofNat 64 i) j = Spec.AesGcm.Context.word m p (i + j) := by
  rw [Spec.AesGcm.Context.word, Spec.AesGcm.Context.word, BitVec.add_assoc, ← BitVec.ofNat_add]

/-- The keystream of a call. -/
theorem key_text (k : Call) (tab : Addr) (j : Nat) :
    k.text.key j = (fixedOf k tab).cipher (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) j) := keyBlock_aes ..

end Proof.AesGcm.Message
