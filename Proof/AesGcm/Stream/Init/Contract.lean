import Proof.AesGcm.Message.Call
import Proof.AesGcm.Stream.Text
import Spec.AesGcm.Stream.Init

/-!
# A message in pieces, the start: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Init
open TCB SymExec Spec.AesGcm Spec.AesGcm.Stream.Init Proof.Gf2 Proof.AesGcm.Message

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 48⟩⟩, ⟨"nonce", .input, ⟨c.nonce, c.nonceLen⟩⟩,
    ⟨"aad", .input, ⟨c.aad, c.aadLen⟩⟩, ⟨"state", .output, ⟨c.value 5, 80⟩⟩]

section
variable (s)
theorem args_ctx : t.args contract s "ctx" = (callOf t s).ctx := (rfl)
theorem args_args : t.args contract s "args" = (callOf t s).args := (rfl)
theorem args_rounds : t.args contract s "rounds" = (callOf t s).value 0 := (rfl)
theorem args_nonce : t.args contract s "nonce" = (callOf t s).nonce := (rfl)
theorem args_nonce_len : t.args contract s "nonce_len" = (callOf t s).value 2 := (rfl)
theorem args_aad : t.args contract s "aad" = (callOf t s).aad := (rfl)
theorem args_aad_len : t.args contract s "aad_len" = (callOf t s).value 4 := (rfl)
theorem args_state : t.args contract s "state" = (callOf t s).value 5 := (rfl)

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 48⟩⟩,
      ⟨"nonce", .input, ⟨a "nonce", (a "nonce_len").toNat⟩⟩, ⟨"aad", .input, ⟨a "aad", (a "aad_len").toNat⟩⟩,
      ⟨"state", .output, ⟨a "state", 80⟩⟩] := rfl

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : contract.sig.buffers (t.args contract s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_nonce, args_nonce_len, args_aad, args_aad_len, args_state]
  rfl
end

/-- What the precondition says. -/
structure Pre (c : Call) : Prop extends c.Head where
  readsArgs : Within c.memory.readable ⟨c.args, 48⟩
  writes : Within c.memory.writable ⟨c.value 5, 80⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) := by
  have rounds := h.requires _ (.head _)
  have ofCipher := h.requires _ (.tail _ (.head _))
  have prepared := h.requires _ (.tail _ (.tail _ (.head _)))
  have supported := h.requires _ (.tail _ (.tail _ (.tail _ (.head _))))
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  rw [buffers_of] at reads writes
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  simp only [Spec.AesGcm.Stream.Init.supported, Message.nonce, Message.aad, Spec.Gcm.Supported, length_bytesAt, args_nonce_len,
    args_aad_len] at supported
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
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := (readsAt 1 rfl rfl :)
    readsNonce := (readsAt 2 rfl rfl :)
    readsAad := (readsAt 3 rfl rfl :)
    writes := (writesAt 4 rfl rfl :) }

/-- What is written. -/
def words (c : Call) : List (BitVec 128) := [c.key 0, Spec.Gcm.inc32 c.j0, c.aadHash]

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s)
    (hm : t.mem s' = writeBytes (t.mem s) ((callOf t s).value 5) (laneBytes (words (callOf t s)))) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have p := pre_of t h
  have length : (laneBytes (words (callOf t s))).length = 48 := by rw [length_laneBytes]; rfl
  constructor
  · show Spec.AesGcm.Stream.Represents (callOf t s).cipher (t.mem s') ((callOf t s).value 5)
      (bytesAt (callOf t s).memory.bytes (callOf t s).nonce (callOf t s).nonceLen)
      (bytesAt (callOf t s).memory.bytes (callOf t s).aad (callOf t s).aadLen) []
    have all : bytesAt (t.mem s') ((callOf t s).value 5) 48 = laneBytes (words (callOf t s)) := by
      have := bytesAt_writeBytes_same (t.mem s) ((callOf t s).value 5) (bs := laneBytes (words (callOf t s))) (by rw [length]; decide)
      rwa [length, ← hm] at this
    have word (i : Nat) (hi : i < 3) : Context.word (t.mem s') ((callOf t s).value 5) (16 * i) = (words (callOf t s))[i] :=
      ofBytes_laneBytes all hi
    refine represents_iff.2 ⟨?_, ?_, ?_, fun some => absurd rfl some, rfl⟩
    · have first := word 0 (by decide)
      rw [Context.word] at first
      have := congrArg (toBytes 16) first
      rw [toBytes_ofBytes (length_bytesAt ..) (by decide)] at this
      rw [show BitVec.ofNat 64 (16 * 0) = 0#64 from rfl, BitVec.add_zero] at this
      rw [this, ← p.ofCipher]
      rfl
    · rw [word 1 (by decide), ← p.ofCipher]
      rfl
    · rw [word 2 (by decide), ← p.ofCipher, blocks_pad16, padded_bytesAt]
      rfl
  · intro x hx
    rw [hm, writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("state", .const 48), .head _, by
      rw [length] at hl; exact hl⟩)]

end Proof.AesGcm.Stream.Init
