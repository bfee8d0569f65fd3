import Proof.AesGcm.Message.Call
import Spec.AesGcm.Seal

/-!
# Sealing a message: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal
open TCB SymExec Spec.AesGcm Spec.AesGcm.Seal Proof.Gf2 Proof.AesGcm.Message

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 64⟩⟩,
      ⟨"nonce", .input, ⟨a "nonce", (a "nonce_len").toNat⟩⟩, ⟨"aad", .input, ⟨a "aad", (a "aad_len").toNat⟩⟩,
      ⟨"data", .inout, ⟨a "data", (a "len").toNat⟩⟩, ⟨"tag", .output, ⟨a "tag", 16⟩⟩] := rfl

section
variable (s)
theorem args_ctx : t.args contract s "ctx" = (callOf t s).ctx := (rfl)
theorem args_args : t.args contract s "args" = (callOf t s).args := (rfl)
theorem args_rounds : t.args contract s "rounds" = (callOf t s).value 0 := (rfl)
theorem args_nonce : t.args contract s "nonce" = (callOf t s).nonce := (rfl)
theorem args_nonce_len : t.args contract s "nonce_len" = (callOf t s).value 2 := (rfl)
theorem args_aad : t.args contract s "aad" = (callOf t s).aad := (rfl)
theorem args_aad_len : t.args contract s "aad_len" = (callOf t s).value 4 := (rfl)
theorem args_data : t.args contract s "data" = (callOf t s).data := (rfl)
theorem args_len : t.args contract s "len" = (callOf t s).value 6 := (rfl)
theorem args_tag : t.args contract s "tag" = (callOf t s).tag := (rfl)

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 64⟩⟩, ⟨"nonce", .input, ⟨c.nonce, c.nonceLen⟩⟩,
    ⟨"aad", .input, ⟨c.aad, c.aadLen⟩⟩, ⟨"data", .inout, ⟨c.data, c.len⟩⟩, ⟨"tag", .output, ⟨c.tag, 16⟩⟩]

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : contract.sig.buffers (t.args contract s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_nonce, args_nonce_len, args_aad, args_aad_len, args_data, args_len, args_tag]
  rfl
end

/-- What the precondition says beyond what it says of every message. -/
structure Pre (c : Call) : Prop extends c.Pre where
  readsArgs : Within c.memory.readable ⟨c.args, 64⟩
  writesTag : Within c.memory.writable ⟨c.tag, 16⟩
  apartArgs : (Region.mk c.data c.len).Disjoint ⟨c.args, 64⟩
  apartTag : (Region.mk c.data c.len).Disjoint ⟨c.tag, 16⟩
  tagCtx : (Region.mk c.tag 16).Disjoint ⟨c.ctx, 1024⟩
  tagArgs : (Region.mk c.tag 16).Disjoint ⟨c.args, 64⟩
  tagNonce : (Region.mk c.tag 16).Disjoint ⟨c.nonce, c.nonceLen⟩
  tagAad : (Region.mk c.tag 16).Disjoint ⟨c.aad, c.aadLen⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) := by
  have rounds := h.requires _ (.head _)
  have ofCipher := h.requires _ (.tail _ (.head _))
  have prepared := h.requires _ (.tail _ (.tail _ (.head _)))
  have supported := h.requires _ (.tail _ (.tail _ (.tail _ (.head _))))
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  have apart := apart_of h (buffers_of t s)
  rw [buffers_of] at reads writes
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  simp only [Message.supported, Message.nonce, Message.aad, Message.data, Spec.Gcm.Supported, length_bytesAt, args_nonce_len,
    args_aad_len, args_len] at supported
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
    nonceLen := by rw [Call.nonceLen]; exact ⟨supported.1, supported.2.1⟩
    aadLen := by rw [Call.aadLen]; exact supported.2.2.1
    len := by rw [Call.len]; exact supported.2.2.2
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := (readsAt 1 rfl rfl :)
    readsNonce := (readsAt 2 rfl rfl :)
    readsAad := (readsAt 3 rfl rfl :)
    reads := (readsAt 4 rfl rfl :)
    writes := (writesAt 4 rfl rfl :)
    writesTag := (writesAt 5 rfl rfl :)
    apartCtx := (apart 0 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartArgs := (apart 1 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartNonce := (apart 2 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartAad := (apart 3 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartTag := (apart 4 5 rfl rfl (by decide) (.inr rfl) :)
    tagCtx := (apart 0 5 rfl rfl (by decide) (.inr rfl) :).symm
    tagArgs := (apart 1 5 rfl rfl (by decide) (.inr rfl) :).symm
    tagNonce := (apart 2 5 rfl rfl (by decide) (.inr rfl) :).symm
    tagAad := (apart 3 5 rfl rfl (by decide) (.inr rfl) :).symm }

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s) (hm : t.mem s' = writeBytes ((callOf t s).text.mem (callOf t s).len)
      (callOf t s).tag (toBytes 16 (callOf t s).sealedTag)) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have p := pre_of t h
  have tagHere := bytesAt_writeBytes_same ((callOf t s).text.mem (callOf t s).len) (callOf t s).tag
    (bs := toBytes 16 (callOf t s).sealedTag) (by simp)
  rw [length_toBytes] at tagHere
  have textHere : bytesAt (t.mem s') (callOf t s).data (callOf t s).len = (callOf t s).text.out := by
    rw [hm, bytesAt_writeBytes_disjoint _ (k := (callOf t s).len) (callOf t s).text.small
      (by rw [length_toBytes]; exact p.apartTag.symm)]
    exact Text.bytesAt_mem_len _
  constructor
  · show (bytesAt (t.mem s') (callOf t s).data (callOf t s).len, bytesAt (t.mem s') (callOf t s).tag 16) =
      Spec.Gcm.encryptWith (callOf t s).cipher 16 (bytesAt (callOf t s).memory.bytes (callOf t s).nonce (callOf t s).nonceLen)
        (bytesAt (callOf t s).memory.bytes (callOf t s).aad (callOf t s).aadLen)
        (bytesAt (callOf t s).memory.bytes (callOf t s).data (callOf t s).len)
    rw [Spec.Gcm.encryptWith, textHere, hm, tagHere]
    simp only [p.out_eq, p.sealedTag_eq]
    rw [List.take_of_length_le (by simp)]
  · intro x hx
    rw [hm, writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("tag", .const 16), .tail _ (.head _), by
      rw [length_toBytes] at hl; exact hl⟩)]
    exact Text.mem_outside _ _ (Nat.not_lt.1 fun hl => hx ⟨("data", .arg "len"), .head _, hl⟩)

end Proof.AesGcm.Seal
