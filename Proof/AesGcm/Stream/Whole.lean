import Proof.AesGcm.Stream.Text
import Spec.AesGcm.Stream.Decrypt
import Spec.AesGcm.Stream.Encrypt
import Spec.AesGcm.Stream.Finish
import Spec.AesGcm.Stream.Init

/-!
# A message in any pieces

What the contracts say together, for every target: a message that is encrypted in any pieces has the ciphertext and the tag of
the pieces one after the other, and one that is decrypted in any pieces has their plaintext, if the tag is right.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream
open TCB Proof.AesGcm.Message Spec.AesGcm Spec.AesGcm.Stream
open Spec.Ghash (Block)

/-- Where the state is as it was, it represents what it represented. -/
theorem represents_congr {ciph : Block → Block} {m m' : Mem} {state : Addr} {nonce aad c : List Byte}
    (h : Represents ciph m state nonce aad c) (same : bytesAt m' state 80 = bytesAt m state 80) :
    Represents ciph m' state nonce aad c := by
  have part (i k : Nat) (hi : i + k ≤ 80) : bytesAt m' (state + BitVec.ofNat 64 i) k = bytesAt m (state + BitVec.ofNat 64 i) k := by
    generalize 80 = n at same hi
    rw [bytesAt_part _ _ hi, same, ← bytesAt_part _ _ hi]
  have first := part 0 16 (by decide)
  rw [BitVec.add_zero] at first
  exact ⟨first.trans h.mask, (congrArg (ofBytes 128) (part 16 16 (by decide))).trans h.counter,
    (congrArg (ofBytes 128) (part 32 16 (by decide))).trans h.hash, fun some => (part 48 16 (by decide)).trans (h.stream some),
    (part 64 _ (by omega)).trans h.rest⟩

/-- The call has this cipher and this state. -/
structure Call (ciph : Block → Block) (state : Addr) (a : Args) (m : Mem) : Prop where
  cipher : Message.cipher a m = ciph
  state : a "state" = state

section
variable {ciph : Block → Block} {state : Addr} {nonce aad text out : List Byte} {m m₁ m₂ : Mem} {a : Args} {r : BitVec 64}

/-- A message was begun. -/
structure Begun (ciph : Block → Block) (state : Addr) (nonce aad : List Byte) (a : Args) (m m' : Mem) (r : BitVec 64) : Prop
    extends Call ciph state a m where
  ensures : Init.contract.Ensures a m m' r
  nonce : Message.nonce a m = nonce
  aad : Message.aad a m = aad

/-- The state represents it. -/
theorem Begun.represents (h : Begun ciph state nonce aad a m m₁ r) : Represents ciph m₁ state nonce aad [] := by
  have e : Represents (Message.cipher a m) m₁ (a "state") (Message.nonce a m) (Message.aad a m) [] := h.ensures
  rwa [h.cipher, h.toCall.state, h.nonce, h.aad] at e

/-! ## Encrypting -/

/-- The pieces of `text` were encrypted, one call after another, and became the pieces of `out`; between the calls anything may
happen, but not to the state. -/
inductive Encrypted (ciph : Block → Block) (state : Addr) (nonce aad : List Byte) : (text out : List Byte) → Mem → Prop
  | begun {a m m₁ r} : Begun ciph state nonce aad a m m₁ r → Encrypted ciph state nonce aad [] [] m₁
  | piece {text out m a m₁ m₂ r} : Encrypted ciph state nonce aad text out m → bytesAt m₁ state 80 = bytesAt m state 80 →
      Call ciph state a m₁ → (a "text_len").toNat = text.length → Encrypt.contract.Ensures a m₁ m₂ r →
      Encrypted ciph state nonce aad (text ++ Message.data a m₁) (out ++ bytesAt m₂ (a "data") (a "len").toNat) m₂

/-- What was encrypted is counter mode of the text, and the state represents it. -/
theorem Encrypted.represents (h : Encrypted ciph state nonce aad text out m) :
    out = Spec.Gcm.gctr ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) text ∧
    Represents ciph m state nonce aad (Spec.Gcm.gctr ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) text) := by
  induction h with
  | begun h => exact ⟨rfl, h.represents⟩
  | @piece text out m a m₁ m₂ r _ same call length ensures ih =>
    obtain ⟨rfl, rep⟩ := ih
    have e := ensures nonce aad text length.symm
    simp only [gctr, call.cipher, call.state] at e
    obtain ⟨data, rep⟩ := e (represents_congr rep same)
    refine ⟨?_, rep⟩
    rw [data]
    apply List.ext_getElem?
    intro j
    rw [List.getElem?_append, length_gctr, List.getElem?_drop, getElem?_gctr, getElem?_gctr, getElem?_gctr]
    split
    next hj => rw [List.getElem?_append_left hj]
    next hj => rw [show text.length + (j - text.length) = j by omega]

/-- **A message that is encrypted in pieces is the message encrypted at once.** -/
theorem encrypted_whole (h : Encrypted ciph state nonce aad text out m) (same : bytesAt m₁ state 80 = bytesAt m state 80)
    (call : Call ciph state a m₁) (aadLen : (a "aad_len").toNat = aad.length) (textLen : (a "text_len").toNat = text.length)
    (finish : Finish.contract.Ensures a m₁ m₂ r) :
    (out, bytesAt m₂ (a "tag") 16) = Spec.Gcm.encryptWith ciph 16 nonce aad text := by
  obtain ⟨rfl, rep⟩ := h.represents
  have tag := finish nonce aad (Spec.Gcm.gctr ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) text) aadLen.symm ((length_gctr ..).trans textLen.symm)
  rw [call.cipher, call.state] at tag
  rw [tag (represents_congr rep same), Spec.Gcm.encryptWith, List.take_of_length_le (Nat.le_of_eq (length_fullTag ..))]

/-! ## Decrypting -/

/-- The pieces of `text` were decrypted, one call after another, and became the pieces of `out`; between the calls anything may
happen, but not to the state. -/
inductive Decrypted (ciph : Block → Block) (state : Addr) (nonce aad : List Byte) : (text out : List Byte) → Mem → Prop
  | begun {a m m₁ r} : Begun ciph state nonce aad a m m₁ r → Decrypted ciph state nonce aad [] [] m₁
  | piece {text out m a m₁ m₂ r} : Decrypted ciph state nonce aad text out m → bytesAt m₁ state 80 = bytesAt m state 80 →
      Call ciph state a m₁ → (a "text_len").toNat = text.length → Decrypt.contract.Ensures a m₁ m₂ r →
      Decrypted ciph state nonce aad (text ++ Message.data a m₁) (out ++ bytesAt m₂ (a "data") (a "len").toNat) m₂

/-- What was decrypted is counter mode of the ciphertext, and the state represents that. -/
theorem Decrypted.represents (h : Decrypted ciph state nonce aad text out m) :
    out = Spec.Gcm.gctr ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey ciph) nonce)) text ∧
    Represents ciph m state nonce aad text := by
  induction h with
  | begun h => exact ⟨rfl, h.represents⟩
  | @piece text out m a m₁ m₂ r _ same call length ensures ih =>
    obtain ⟨rfl, rep⟩ := ih
    have e := ensures nonce aad text length.symm
    simp only [gctr, call.cipher, call.state] at e
    obtain ⟨data, rep⟩ := e (represents_congr rep same)
    refine ⟨?_, rep⟩
    rw [data]
    apply List.ext_getElem?
    intro j
    rw [List.getElem?_append, length_gctr, List.getElem?_drop, getElem?_gctr, getElem?_gctr, getElem?_gctr]
    split
    next hj => rw [List.getElem?_append_left hj]
    next hj => rw [show text.length + (j - text.length) = j by omega]

/-- **A message that is decrypted in pieces is the message decrypted at once**, if the tag is the one that the end writes; with
any other tag decryption fails. -/
theorem decrypted_whole (h : Decrypted ciph state nonce aad text out m) (same : bytesAt m₁ state 80 = bytesAt m state 80)
    (call : Call ciph state a m₁) (aadLen : (a "aad_len").toNat = aad.length) (textLen : (a "text_len").toNat = text.length)
    (finish : Finish.contract.Ensures a m₁ m₂ r) (supported : Spec.Gcm.Supported nonce aad text) {tag : List Byte}
    (length : tag.length ∈ Spec.Gcm.tagLengths) : Spec.Gcm.decryptWith ciph nonce aad text tag =
      if tag = (bytesAt m₂ (a "tag") 16).take tag.length then some out else none := by
  obtain ⟨rfl, rep⟩ := h.represents
  have full := finish nonce aad text aadLen.symm textLen.symm
  rw [call.cipher, call.state] at full
  rw [full (represents_congr rep same), Spec.Gcm.decryptWith]
  congr 1
  exact propext ⟨fun h => h.2.2, fun h => ⟨supported, length, h⟩⟩

end
end Proof.AesGcm.Stream
