import Proof.AesGcm.Seal.Contract

/-!
# Another text in the place of a message

Whatever is written where the text of a message lies: all else of the message is as it was.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message
open TCB SymExec Spec.AesGcm Proof.Gf2

/-- The call with another text in memory. -/
def Call.withText (c : Call) (text : List Byte) : Call :=
  { c with memory := c.memory.set (writeBytes c.memory.bytes c.data text) }

section
variable (c : Call) (text : List Byte)
theorem Call.ctx_withText : (c.withText text).ctx = c.ctx := (rfl)
theorem Call.args_withText : (c.withText text).args = c.args := (rfl)
theorem Call.readable_withText : (c.withText text).memory.readable = c.memory.readable := (rfl)
theorem Call.writable_withText : (c.withText text).memory.writable = c.memory.writable := (rfl)
theorem Call.bytes_withText : (c.withText text).memory.bytes = writeBytes c.memory.bytes c.data text := (rfl)
end

end Proof.AesGcm.Message

namespace Proof.AesGcm.Seal
open TCB SymExec Spec.AesGcm Proof.Gf2 Proof.AesGcm.Message

namespace Pre
variable {c : Call} (p : Pre c) {text : List Byte} (hl : text.length = c.len)
include p hl

omit p in
/-- What is apart from the text is as it was. -/
theorem bytesAt_withText {a : Addr} {n : Nat} (h : (Region.mk c.data c.len).Disjoint ⟨a, n⟩) (hn : n ≤ 2 ^ 64) :
    bytesAt (c.withText text).memory.bytes a n = bytesAt c.memory.bytes a n :=
  bytesAt_writeBytes_disjoint _ hn (by rw [hl]; exact h)

/-- The arguments are as they were. -/
theorem value_withText {i : Nat} (hi : i < 8) : (c.withText text).value i = c.value i := by
  rw [Call.value, Call.value, word64, word64, bytesAt_part (n := 64) _ _ (by omega), bytesAt_part (n := 64) c.memory.bytes _ (by omega)]
  exact congrArg (fun l => ofBytes 64 ((l.drop (8 * i)).take 8)) (bytesAt_withText hl p.apartArgs (by decide))

theorem rounds_withText : (c.withText text).rounds = c.rounds := congrArg BitVec.toNat (p.value_withText hl (by decide))
theorem nonce_withText : (c.withText text).nonce = c.nonce := p.value_withText hl (by decide)
theorem nonceLen_withText : (c.withText text).nonceLen = c.nonceLen := congrArg BitVec.toNat (p.value_withText hl (by decide))
theorem aad_withText : (c.withText text).aad = c.aad := p.value_withText hl (by decide)
theorem aadLen_withText : (c.withText text).aadLen = c.aadLen := congrArg BitVec.toNat (p.value_withText hl (by decide))
theorem data_withText : (c.withText text).data = c.data := p.value_withText hl (by decide)
theorem len_withText : (c.withText text).len = c.len := congrArg BitVec.toNat (p.value_withText hl (by decide))
theorem tag_withText : (c.withText text).tag = c.tag := p.value_withText hl (by decide)

/-- The key context is as it was. -/
theorem word_withText {i : Nat} (hi : i + 16 ≤ 1024) :
    Context.word (c.withText text).memory.bytes c.ctx i = Context.word c.memory.bytes c.ctx i := by
  have key := bytesAt_withText hl p.apartCtx (by decide)
  generalize 1024 = n at key hi
  rw [Context.word, Context.word, bytesAt_part _ _ hi, key, bytesAt_part c.memory.bytes _ hi]

theorem subkey_withText : (c.withText text).subkey = c.subkey :=
  congrArg Spec.Ghash.mulX (p.word_withText hl (i := 240) (by decide))

theorem table_withText : tableAt (c.withText text).memory.bytes c.ctx = tableAt c.memory.bytes c.ctx :=
  funext fun _ => p.word_withText hl (by omega)

theorem cipher_withText : (c.withText text).cipher = c.cipher := by
  have rounds := p.rounds
  rw [Call.cipher, p.rounds_withText hl, Call.cipher]
  refine congrArg Spec.Gcm.aes (List.map_congr_left fun i hi => p.word_withText hl ?_)
  have := List.mem_range.1 hi
  simp only [List.mem_cons, List.not_mem_nil, or_false] at rounds
  omega

attribute [local irreducible] Call.value Call.withText

/-- The precondition does not depend on the text. -/
theorem withText : Pre (c.withText text) := by
  have nonce := p.nonce_withText hl
  have nonceLen := p.nonceLen_withText hl
  have aad := p.aad_withText hl
  have aadLen := p.aadLen_withText hl
  have data := p.data_withText hl
  have len := p.len_withText hl
  have tag := p.tag_withText hl
  have readable := c.readable_withText text
  have writable := c.writable_withText text
  have ctx := c.ctx_withText text
  have args := c.args_withText text
  exact {
    rounds := by rw [p.rounds_withText hl]; exact p.rounds
    ofCipher := by rw [p.cipher_withText hl, p.subkey_withText hl]; exact p.ofCipher
    table := by rw [p.subkey_withText hl, ctx, p.table_withText hl]; exact p.table
    nonceLen := by rw [nonceLen]; exact p.nonceLen
    aadLen := by rw [aadLen]; exact p.aadLen
    len := by rw [len]; exact p.len
    readsCtx := by rw [readable, ctx]; exact p.readsCtx
    readsNonce := by rw [readable, nonce, nonceLen]; exact p.readsNonce
    readsAad := by rw [readable, aad, aadLen]; exact p.readsAad
    reads := by rw [readable, data, len]; exact p.reads
    writes := by rw [writable, data, len]; exact p.writes
    apartCtx := by rw [data, len, ctx]; exact p.apartCtx
    apartNonce := by rw [data, len, nonce, nonceLen]; exact p.apartNonce
    apartAad := by rw [data, len, aad, aadLen]; exact p.apartAad
    readsArgs := by rw [readable, args]; exact p.readsArgs
    writesTag := by rw [writable, tag]; exact p.writesTag
    apartArgs := by rw [data, len, args]; exact p.apartArgs
    apartTag := by rw [data, len, tag]; exact p.apartTag
    tagCtx := by rw [tag, ctx]; exact p.tagCtx
    tagArgs := by rw [tag, args]; exact p.tagArgs
    tagNonce := by rw [tag, nonce, nonceLen]; exact p.tagNonce
    tagAad := by rw [tag, aad, aadLen]; exact p.tagAad }

/-- What is sealed: the new text, with all else of the message. -/
theorem sealed_withText {m : Mem} (hm : m = writeBytes ((c.withText text).text.mem (c.withText text).len) (c.withText text).tag
      (toBytes 16 (c.withText text).sealedTag)) : (bytesAt m c.data c.len, bytesAt m c.tag 16) =
    Spec.Gcm.encryptWith c.cipher 16 (bytesAt c.memory.bytes c.nonce c.nonceLen) (bytesAt c.memory.bytes c.aad c.aadLen) text := by
  have h := (p.withText hl).sealed hm
  have here : bytesAt (c.withText text).memory.bytes c.data c.len = text := by
    rw [← hl, c.bytes_withText]
    exact bytesAt_writeBytes_same _ _ (by rw [hl]; exact Nat.le_of_lt (BitVec.isLt _))
  rwa [p.data_withText hl, p.len_withText hl, p.tag_withText hl, p.cipher_withText hl, p.nonce_withText hl, p.nonceLen_withText hl,
    p.aad_withText hl, p.aadLen_withText hl, bytesAt_withText hl p.apartNonce (by have := p.nonceLen; omega),
    bytesAt_withText hl p.apartAad (by have := p.aadLen; omega), here] at h

/-- All else in the memory on return is as on entry. -/
theorem outside_withText {m : Mem} (hm : m = writeBytes ((c.withText text).text.mem (c.withText text).len) (c.withText text).tag
      (toBytes 16 (c.withText text).sealedTag)) {x : Addr} (data : ¬ (Region.mk c.data c.len).Contains x)
    (tag : ¬ (Region.mk c.tag 16).Contains x) : m x = c.memory.bytes x := by
  have h := sealed_outside (x := x) hm
  rw [p.data_withText hl, p.len_withText hl, p.tag_withText hl] at h
  rw [h data tag, c.bytes_withText]
  exact writeBytes_outside _ _ _ x (by rw [hl]; exact Nat.not_lt.1 data)

end Pre
end Proof.AesGcm.Seal
