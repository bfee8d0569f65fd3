import Proof.AesGcm.Message.Call
import Proof.AesGcm.Stream.Text
import Spec.AesGcm.Stream.Finish

/-!
# A message in pieces, the tag: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Finish
open TCB SymExec Spec.AesGcm Spec.AesGcm.Stream.Finish Proof.Gf2 Proof.AesGcm.Message
open Spec.Ghash (ghash)

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 40⟩⟩, ⟨"state", .input, ⟨c.value 1, 80⟩⟩,
    ⟨"tag", .output, ⟨c.value 4, 16⟩⟩]

section
variable (s)
theorem args_ctx : t.args contract s "ctx" = (callOf t s).ctx := (rfl)
theorem args_args : t.args contract s "args" = (callOf t s).args := (rfl)
theorem args_rounds : t.args contract s "rounds" = (callOf t s).value 0 := (rfl)
theorem args_state : t.args contract s "state" = (callOf t s).value 1 := (rfl)
theorem args_tag : t.args contract s "tag" = (callOf t s).value 4 := (rfl)

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 40⟩⟩, ⟨"state", .input, ⟨a "state", 80⟩⟩,
      ⟨"tag", .output, ⟨a "tag", 16⟩⟩] := rfl

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : contract.sig.buffers (t.args contract s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_state, args_tag]
  rfl
end

/-- What the precondition says. -/
structure Pre (c : Call) : Prop extends c.Keys where
  readsArgs : Within c.memory.readable ⟨c.args, 40⟩
  readsState : Within c.memory.readable ⟨c.value 1, 80⟩
  writes : Within c.memory.writable ⟨c.value 4, 16⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) := by
  have rounds := h.requires _ (.head _)
  have ofCipher := h.requires _ (.tail _ (.head _))
  have prepared := h.requires _ (.tail _ (.tail _ (.head _)))
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  rw [buffers_of] at reads writes
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  have readsAt (i : Nat) {b : Buffer} (hi : (buffers (callOf t s))[i]? = some b) (hr : b.role.reads = true) :
    Within (callOf t s).memory.readable b.region := reads (List.mem_of_getElem? hi) hr
  have writesAt (i : Nat) {b : Buffer} (hi : (buffers (callOf t s))[i]? = some b) (hr : b.role.writes = true) :
    Within (callOf t s).memory.writable b.region := writes (List.mem_of_getElem? hi) hr
  have mem : t.mem s = (callOf t s).memory.bytes := rfl
  rw [mem] at ofCipher prepared
  clear reads writes mem
  generalize callOf t s = c at *
  exact {
    rounds := rounds
    ofCipher := ofCipher
    table := prepared
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := (readsAt 1 rfl rfl :)
    readsState := (readsAt 2 rfl rfl :)
    writes := (writesAt 3 rfl rfl :) }

/-- The hash, with a block that is not whole. -/
def hash (c : Call) : Spec.Ghash.Block :=
  ghash c.subkey (Context.word c.memory.bytes (c.value 1) 32) (if (c.value 3).toNat % 16 = 0 then [] else
    [partialBlock (bytesAt c.memory.bytes (c.value 1 + BitVec.ofNat 64 64) ((c.value 3).toNat % 16))])

/-- The tag. -/
def tag (c : Call) : BitVec 128 := bswap128 (ghash c.subkey (hash c) [lengths (c.value 2).toNat (c.value 3).toNat]) ^^^
  Context.word c.memory.bytes (c.value 1) 0

/-- It is the tag of the message that the state represents. -/
theorem tag_eq {c : Call} (p : c.Keys) {nonce aad ciphertext : List Byte} (ha : aad.length = (c.value 2).toNat)
    (hc : ciphertext.length = (c.value 3).toNat)
    (rep : Spec.AesGcm.Stream.Represents c.cipher c.memory.bytes (c.value 1) nonce aad ciphertext) :
    toBytes 16 (tag c) = Spec.Gcm.fullTag c.cipher nonce aad ciphertext := by
  obtain ⟨mask, held⟩ := represents_iff.1 rep
  have rest : bytesAt c.memory.bytes (c.value 1 + BitVec.ofNat 64 64) (ciphertext.length % 16) =
      ciphertext.drop (16 * (ciphertext.length / 16)) := by
    rw [← take_bytesAt _ _ 16 _ (by omega)]
    exact held.rest
  have word : Context.word c.memory.bytes (c.value 1) 0 = keyBlock c.cipher (Spec.Gcm.j0 (Spec.Gcm.subkey c.cipher) nonce) 0 := by
    rw [Context.word, BitVec.add_zero, mask, ofBytes_toBytes _ (by decide)]
  rw [fullTag_eq, ghash_hashed, tag, hash, word, held.hash, ← p.ofCipher, ← hc, rest, ← ha, BitVec.xor_comm, blocks_pad16,
    show padded ciphertext = Spec.Gcm.blocks ciphertext ++ _ from rfl, ghash_append]

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s)
    (hm : t.mem s' = writeBytes (t.mem s) ((callOf t s).value 4) (toBytes 16 (tag (callOf t s)))) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  constructor
  · show ∀ nonce aad ciphertext, aad.length = ((callOf t s).value 2).toNat → ciphertext.length = ((callOf t s).value 3).toNat →
      Spec.AesGcm.Stream.Represents (callOf t s).cipher (callOf t s).memory.bytes ((callOf t s).value 1) nonce aad ciphertext →
      bytesAt (t.mem s') ((callOf t s).value 4) 16 = Spec.Gcm.fullTag (callOf t s).cipher nonce aad ciphertext
    intro nonce aad ciphertext ha hc rep
    have here := bytesAt_writeBytes_same (t.mem s) ((callOf t s).value 4) (bs := toBytes 16 (tag (callOf t s))) (by simp)
    rw [length_toBytes, ← hm] at here
    rw [here, tag_eq (pre_of t h).toKeys ha hc rep]
  · intro x hx
    rw [hm, writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("tag", .const 16), .head _, by
      rw [length_toBytes] at hl; exact hl⟩)]

end Proof.AesGcm.Stream.Finish
