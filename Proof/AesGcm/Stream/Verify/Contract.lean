import Proof.AesGcm.Stream.Finish.Contract
import Spec.AesGcm.Stream.Verify

/-!
# A message in pieces, comparing the tag: the contract

What the contract says in terms of registers and memory, and its result from what the registers hold at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Verify
open TCB SymExec Spec.AesGcm Spec.AesGcm.Stream.Verify Proof.Gf2 Proof.AesGcm.Message
open Spec.Ghash (ghash)

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 48⟩⟩, ⟨"state", .input, ⟨c.value 1, 80⟩⟩,
    ⟨"tag", .input, ⟨c.value 4, (c.value 5).toNat⟩⟩]

section
variable (s)
theorem args_ctx : t.args contract s "ctx" = (callOf t s).ctx := (rfl)
theorem args_args : t.args contract s "args" = (callOf t s).args := (rfl)
theorem args_rounds : t.args contract s "rounds" = (callOf t s).value 0 := (rfl)
theorem args_state : t.args contract s "state" = (callOf t s).value 1 := (rfl)
theorem args_tag : t.args contract s "tag" = (callOf t s).value 4 := (rfl)
theorem args_tag_len : t.args contract s "tag_len" = (callOf t s).value 5 := (rfl)

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 48⟩⟩, ⟨"state", .input, ⟨a "state", 80⟩⟩,
      ⟨"tag", .input, ⟨a "tag", (a "tag_len").toNat⟩⟩] := rfl

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : contract.sig.buffers (t.args contract s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_state, args_tag, args_tag_len]
  rfl
end

/-- What the precondition says. -/
structure Pre (c : Call) : Prop extends c.Keys where
  tagLen : (c.value 5).toNat ∈ Spec.Gcm.tagLengths
  readsArgs : Within c.memory.readable ⟨c.args, 48⟩
  readsState : Within c.memory.readable ⟨c.value 1, 80⟩
  readsTag : Within c.memory.readable ⟨c.value 4, (c.value 5).toNat⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) := by
  have rounds := h.requires _ (.head _)
  have ofCipher := h.requires _ (.tail _ (.head _))
  have prepared := h.requires _ (.tail _ (.tail _ (.head _)))
  have tagLen := h.requires _ (.tail _ (.tail _ (.tail _ (.head _))))
  have reads {b : Buffer} := h.reads (b := b)
  rw [buffers_of] at reads
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  simp only [args_tag_len] at tagLen
  have readsAt (i : Nat) {b : Buffer} (hi : (buffers (callOf t s))[i]? = some b) (hr : b.role.reads = true) :
    Within (callOf t s).memory.readable b.region := reads (List.mem_of_getElem? hi) hr
  have mem : t.mem s = (callOf t s).memory.bytes := rfl
  rw [mem] at ofCipher prepared
  clear reads mem
  generalize callOf t s = c at *
  exact {
    rounds := rounds
    ofCipher := ofCipher
    table := prepared
    tagLen := tagLen
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := (readsAt 1 rfl rfl :)
    readsState := (readsAt 2 rfl rfl :)
    readsTag := (readsAt 3 rfl rfl :) }

/-- No bit of the tag differs from the bits of the tag of the message. -/
def Right (c : Call) : Prop := ofBytes 128 ((toBytes 16 (Finish.tag c)).take (c.value 5).toNat) ^^^
  ofBytes 128 (bytesAt c.memory.bytes (c.value 4) (c.value 5).toNat) = 0

instance (c : Call) : Decidable (Right c) := inferInstanceAs (Decidable (_ = _))

/-- Strings of at most 16 bytes are compared as numbers. -/
theorem ofBytes_inj {a b : List Byte} (hl : a.length = b.length) (h : a.length ≤ 16) : ofBytes 128 a = ofBytes 128 b ↔ a = b :=
  ⟨fun e => by rw [← toBytes_ofBytes (w := 128) (bs := a) rfl (by omega), e, toBytes_ofBytes hl.symm (by omega)],
    fun e => by rw [e]⟩

/-- The contract's result and frame, from the memory on return and the result. -/
theorem result_of (h : t.Pre contract constants s) (hm : t.mem s' = t.mem s)
    (hr : t.abi.result s' = if Right (callOf t s) then 1 else 0) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    (contract.sig.returns = true → (t.abi.result s').toNat < 2 ^ 32) ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have p := pre_of t h
  have small : (((callOf t s).value 5).toNat) ≤ 16 := by
    have : ∀ l ∈ Spec.Gcm.tagLengths, l ≤ 16 := by decide
    exact this _ p.tagLen
  refine ⟨?_, fun _ => ?_, fun x _ => by rw [hm]⟩
  · show ∀ nonce aad ciphertext, aad.length = ((callOf t s).value 2).toNat → ciphertext.length = ((callOf t s).value 3).toNat →
      Spec.AesGcm.Stream.Represents (callOf t s).cipher (callOf t s).memory.bytes ((callOf t s).value 1) nonce aad ciphertext →
      t.abi.result s' = if bytesAt (callOf t s).memory.bytes ((callOf t s).value 4) ((callOf t s).value 5).toNat =
        (Spec.Gcm.fullTag (callOf t s).cipher nonce aad ciphertext).take ((callOf t s).value 5).toNat then 1 else 0
    intro nonce aad ciphertext ha hc rep
    rw [hr, ← Finish.tag_eq p.toKeys ha hc rep]
    congr 1
    exact propext (Iff.trans BitVec.xor_eq_zero_iff ((ofBytes_inj (by rw [List.length_take, length_toBytes, length_bytesAt]; omega)
      (by rw [List.length_take, length_toBytes]; omega)).trans ⟨Eq.symm, Eq.symm⟩))
  · rw [hr]
    split <;> decide

end Proof.AesGcm.Stream.Verify
