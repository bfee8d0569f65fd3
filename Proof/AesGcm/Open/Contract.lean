import Proof.AesGcm.Message.Call
import Spec.AesGcm.Open

/-!
# Opening a message: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open
open TCB SymExec Spec.AesGcm Spec.AesGcm.Open Proof.Gf2 Proof.AesGcm.Message

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 72⟩⟩,
      ⟨"nonce", .input, ⟨a "nonce", (a "nonce_len").toNat⟩⟩, ⟨"aad", .input, ⟨a "aad", (a "aad_len").toNat⟩⟩,
      ⟨"data", .inout, ⟨a "data", (a "len").toNat⟩⟩, ⟨"tag", .input, ⟨a "tag", (a "tag_len").toNat⟩⟩] := rfl

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
theorem args_tag_len : t.args contract s "tag_len" = (callOf t s).value 8 := (rfl)

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 72⟩⟩, ⟨"nonce", .input, ⟨c.nonce, c.nonceLen⟩⟩,
    ⟨"aad", .input, ⟨c.aad, c.aadLen⟩⟩, ⟨"data", .inout, ⟨c.data, c.len⟩⟩, ⟨"tag", .input, ⟨c.tag, c.tagLen⟩⟩]

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : contract.sig.buffers (t.args contract s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_nonce, args_nonce_len, args_aad, args_aad_len, args_data, args_len, args_tag,
    args_tag_len]
  rfl
end

/-- What the precondition says beyond what it says of every message. -/
structure Pre (c : Call) : Prop extends c.Pre where
  tagLen : c.tagLen ∈ [4, 8, 12, 13, 14, 15, 16]
  readsArgs : Within c.memory.readable ⟨c.args, 72⟩
  readsTag : Within c.memory.readable ⟨c.tag, c.tagLen⟩
  apartArgs : (Region.mk c.data c.len).Disjoint ⟨c.args, 72⟩
  apartTag : (Region.mk c.data c.len).Disjoint ⟨c.tag, c.tagLen⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) := by
  have rounds := h.requires _ (.head _)
  have ofCipher := h.requires _ (.tail _ (.head _))
  have prepared := h.requires _ (.tail _ (.tail _ (.head _)))
  have supported := h.requires _ (.tail _ (.tail _ (.tail _ (.head _))))
  have tagLen := h.requires _ (.tail _ (.tail _ (.tail _ (.tail _ (.head _)))))
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  have apart := apart_of h (buffers_of t s)
  rw [buffers_of] at reads writes
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  simp only [Message.supported, Message.nonce, Message.aad, Message.data, Spec.Gcm.Supported, length_bytesAt, args_nonce_len,
    args_aad_len, args_len] at supported
  simp only [args_tag_len] at tagLen
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
    tagLen := tagLen
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
    readsTag := (readsAt 5 rfl rfl :)
    apartCtx := (apart 0 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartArgs := (apart 1 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartNonce := (apart 2 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartAad := (apart 3 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartTag := (apart 4 5 rfl rfl (by decide) (.inl rfl) :) }

/-- The tag is right. -/
def verdict (c : Call) : Bool := bytesAt c.memory.bytes c.tag c.tagLen == (toBytes 16 c.openedTag).take c.tagLen

/-- Strings of at most 16 bytes are compared as numbers. -/
theorem ofBytes_inj {a b : List Byte} (hl : a.length = b.length) (h : a.length ≤ 16) :
    ofBytes 128 a = ofBytes 128 b ↔ a = b :=
  ⟨fun e => by rw [← toBytes_ofBytes (w := 128) (bs := a) rfl (by omega), e, toBytes_ofBytes hl.symm (by omega)],
    fun e => by rw [e]⟩

/-- The tag is right exactly if no bit of it differs from the bits of the tag of the text. -/
theorem verdict_eq {c : Call} (h : c.tagLen ≤ 16) : verdict c = decide (ofBytes 128 (bytesAt c.memory.bytes c.tag c.tagLen) ^^^
    ofBytes 128 ((toBytes 16 c.openedTag).take c.tagLen) = 0) := by
  rw [verdict, Bool.beq_eq_decide_eq, decide_eq_decide, ← ofBytes_inj (by simp; omega) (by rw [length_bytesAt]; exact h)]
  exact BitVec.xor_eq_zero_iff.symm

/-- The plaintext, if the tag is right. -/
theorem plaintext_of (h : t.Pre contract constants s) : plaintext (t.args contract s) (t.mem s) =
    if verdict (callOf t s) then some (callOf t s).text.out else none := by
  have p := pre_of t h
  have supported := h.requires _ (.tail _ (.tail _ (.tail _ (.head _))))
  show Spec.Gcm.decryptWith (callOf t s).cipher (bytesAt (callOf t s).memory.bytes (callOf t s).nonce (callOf t s).nonceLen)
    (bytesAt (callOf t s).memory.bytes (callOf t s).aad (callOf t s).aadLen)
    (bytesAt (callOf t s).memory.bytes (callOf t s).data (callOf t s).len)
    (bytesAt (callOf t s).memory.bytes (callOf t s).tag (callOf t s).tagLen) = _
  rw [Spec.Gcm.decryptWith, length_bytesAt, p.openedTag_eq, verdict]
  simp only [p.out_eq, beq_iff_eq]
  congr 1
  exact propext ⟨fun h => h.2.2, fun h => ⟨supported, p.tagLen, h⟩⟩

/-- What the kernel may reveal is the verdict. -/
theorem revealed_of (h : t.Pre contract constants s) :
    t.revealed contract s = [if verdict (callOf t s) then 1 else 0] := by
  show [if (plaintext (t.args contract s) (t.mem s)).isSome then (1 : BitVec 64) else 0] = _
  rw [plaintext_of t h]
  cases verdict (callOf t s) <;> rfl

/-- The contract's result and frame, from the memory on return and the result. -/
theorem result_of (h : t.Pre contract constants s)
    (hm : t.mem s' = if verdict (callOf t s) then (callOf t s).text.mem (callOf t s).len else t.mem s)
    (hr : t.abi.result s' = if verdict (callOf t s) then 1 else 0) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    (contract.sig.returns = true → (t.abi.result s').toNat < 2 ^ 32) ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  refine ⟨?_, fun _ => ?_, fun x hx => ?_⟩
  · show match plaintext (t.args contract s) (t.mem s) with
      | some p => bytesAt (t.mem s') (callOf t s).data (callOf t s).len = p ∧ t.abi.result s' = 1
      | none => bytesAt (t.mem s') (callOf t s).data (callOf t s).len =
        bytesAt (t.mem s) (callOf t s).data (callOf t s).len ∧ t.abi.result s' = 0
    rw [plaintext_of t h, hm, hr]
    cases verdict (callOf t s) with
    | true => exact ⟨Text.bytesAt_mem_len _, rfl⟩
    | false => exact ⟨rfl, rfl⟩
  · rw [hr]
    split <;> decide
  · rw [hm]
    split
    · exact Text.mem_outside _ _ (Nat.not_lt.1 fun hl => hx ⟨("data", .arg "len"), .head _, hl⟩)
    · rfl

end Proof.AesGcm.Open
