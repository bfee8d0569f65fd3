import Proof.AesGcm.Message.Call
import Proof.AesGcm.Stream.Piece
import Spec.AesGcm.Stream.Decrypt
import Spec.AesGcm.Stream.Encrypt

/-!
# A piece of a message: the contracts

What the contracts of encrypting and decrypting say in terms of registers and memory, and their results from what the memory
holds at the end, for every target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream
open TCB SymExec Spec.AesGcm Spec.AesGcm.Stream Proof.Gf2 Proof.AesGcm.Message

/-- The contract of encrypting or decrypting a piece. -/
def contract : (decrypt : Bool) → Contract
  | false => Encrypt.contract
  | true => Decrypt.contract

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte} {d : Bool}

/-- The buffers of a call. -/
def buffers (c : Call) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 40⟩⟩, ⟨"state", .inout, ⟨c.value 1, 80⟩⟩,
    ⟨"data", .inout, ⟨c.value 3, (c.value 4).toNat⟩⟩]

section
variable (s d)
theorem args_ctx : t.args (contract d) s "ctx" = (callOf t s).ctx := by cases d <;> rfl
theorem args_args : t.args (contract d) s "args" = (callOf t s).args := by cases d <;> rfl
theorem args_rounds : t.args (contract d) s "rounds" = (callOf t s).value 0 := by cases d <;> rfl
theorem args_state : t.args (contract d) s "state" = (callOf t s).value 1 := by cases d <;> rfl
theorem args_text_len : t.args (contract d) s "text_len" = (callOf t s).value 2 := by cases d <;> rfl
theorem args_data : t.args (contract d) s "data" = (callOf t s).value 3 := by cases d <;> rfl
theorem args_len : t.args (contract d) s "len" = (callOf t s).value 4 := by cases d <;> rfl

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : (contract d).sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"args", .publicInput, ⟨a "args", 40⟩⟩, ⟨"state", .inout, ⟨a "state", 80⟩⟩,
      ⟨"data", .inout, ⟨a "data", (a "len").toNat⟩⟩] := by cases d <;> rfl

/-- The buffers of the call that begins in a state. -/
theorem buffers_of : (contract d).sig.buffers (t.args (contract d) s) (t.mem s) = buffers (callOf t s) := by
  rw [buffers_eq, args_ctx, args_args, args_state, args_data, args_len]
  rfl
end

/-- What the precondition says. -/
structure Pre (c : Call) : Prop extends c.Keys where
  len : (c.value 2).toNat + (c.value 4).toNat ≤ 2 ^ 36 - 32
  readsArgs : Within c.memory.readable ⟨c.args, 40⟩
  readsState : Within c.memory.readable ⟨c.value 1, 80⟩
  writesState : Within c.memory.writable ⟨c.value 1, 80⟩
  reads : Within c.memory.readable ⟨c.value 3, (c.value 4).toNat⟩
  writes : Within c.memory.writable ⟨c.value 3, (c.value 4).toNat⟩
  apart : (Region.mk (c.value 3) (c.value 4).toNat).Disjoint ⟨c.value 1, 80⟩
  dataCtx : (Region.mk (c.value 3) (c.value 4).toNat).Disjoint ⟨c.ctx, 1024⟩
  dataArgs : (Region.mk (c.value 3) (c.value 4).toNat).Disjoint ⟨c.args, 40⟩
  stateCtx : (Region.mk (c.value 1) 80).Disjoint ⟨c.ctx, 1024⟩
  stateArgs : (Region.mk (c.value 1) 80).Disjoint ⟨c.args, 40⟩

attribute [local irreducible] Call.value in
/-- What the precondition says. -/
theorem pre_of (h : t.Pre (contract d) constants s) : Pre (callOf t s) := by
  have rounds := h.requires Context.validRounds (by cases d <;> exact .head _)
  have ofCipher := h.requires Message.ofCipher (by cases d <;> exact .tail _ (.head _))
  have prepared := h.requires Message.prepared (by cases d <;> exact .tail _ (.tail _ (.head _)))
  have supported := h.requires Stream.supported (by cases d <;> exact .tail _ (.tail _ (.tail _ (.head _))))
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  have apart := apart_of h (buffers_of t s d)
  rw [buffers_of] at reads writes
  simp only [Context.validRounds, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, args_ctx, prepared_iff] at prepared
  simp only [Stream.supported, args_text_len, args_len] at supported
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
    len := supported
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := (readsAt 1 rfl rfl :)
    readsState := (readsAt 2 rfl rfl :)
    writesState := (writesAt 2 rfl rfl :)
    reads := (readsAt 3 rfl rfl :)
    writes := (writesAt 3 rfl rfl :)
    apart := (apart 2 3 rfl rfl (by decide) (.inl rfl) :).symm
    dataCtx := (apart 0 3 rfl rfl (by decide) (.inr rfl) :).symm
    dataArgs := (apart 1 3 rfl rfl (by decide) (.inr rfl) :).symm
    stateCtx := (apart 0 2 rfl rfl (by decide) (.inr rfl) :).symm
    stateArgs := (apart 1 2 rfl rfl (by decide) (.inr rfl) :).symm }

/-- The piece of a call. -/
def pieceOf (c : Call) (d : Bool) : Piece :=
  ⟨c.memory.bytes, c.cipher, c.subkey, c.value 1, (c.value 2).toNat, c.value 3, (c.value 4).toNat, d, Nat.le_of_lt (c.value 4).isLt⟩

/-- Its data and its state are apart. -/
theorem Pre.piece {c : Call} (p : Pre c) (d : Bool) : (pieceOf c d).Apart :=
  ⟨by have := p.len; show (c.value 4).toNat < _; omega, p.apart⟩

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre (contract d) constants s) (hm : t.mem s' = (pieceOf (callOf t s) d).out) :
    (contract d).Ensures (t.args (contract d) s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange (contract d) s x → t.mem s' x = t.mem s x := by
  have p := pre_of t h
  have a := p.piece d
  constructor
  · have step {nonce aad c u : List Byte} := a.step p.ofCipher (nonce := nonce) (aad := aad) (c := c) (t := u)
    have pieces := a.pieces
    have out := a.data_out
    rw [← hm] at step out
    generalize hk : callOf t s = k at *
    cases d with
    | false =>
      show ∀ nonce aad text, text.length = (t.args (contract false) s "text_len").toNat →
        Represents (Message.cipher (t.args (contract false) s) (t.mem s)) (t.mem s) (t.args (contract false) s "state") nonce aad
          (gctr (t.args (contract false) s) (t.mem s) nonce text) →
        bytesAt (t.mem s') (t.args (contract false) s "data") (t.args (contract false) s "len").toNat =
          (gctr (t.args (contract false) s) (t.mem s) nonce (text ++ Message.data (t.args (contract false) s) (t.mem s))).drop text.length ∧
        Represents (Message.cipher (t.args (contract false) s) (t.mem s)) (t.mem s') (t.args (contract false) s "state") nonce aad
          (gctr (t.args (contract false) s) (t.mem s) nonce (text ++ Message.data (t.args (contract false) s) (t.mem s)))
      simp only [gctr, Message.cipher, Message.data, args_ctx, args_rounds, args_text_len, args_state, args_data, args_len, hk]
      have mem : t.mem s = k.memory.bytes := by rw [← hk]; rfl
      rw [mem]
      intro nonce aad text ht rep
      obtain ⟨g, r⟩ := step (u := text) (by rw [length_gctr]; exact ht) ht rep
      have joins : (pieceOf k false).joins ++ (pieceOf k false).ciphertext = bytesAt (t.mem s') (k.value 3) (k.value 4).toNat := out.symm
      rw [joins] at r
      have g : Spec.Gcm.gctr k.cipher (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey k.cipher) nonce))
        (text ++ bytesAt k.memory.bytes (k.value 3) (k.value 4).toNat) = _ := g
      refine ⟨?_, ?_⟩
      · refine Eq.symm (Eq.trans (congrArg (List.drop text.length) g) ?_)
        exact List.drop_left' (length_gctr ..)
      · exact g ▸ r
    | true =>
      show ∀ nonce aad text, text.length = (t.args (contract true) s "text_len").toNat →
        Represents (Message.cipher (t.args (contract true) s) (t.mem s)) (t.mem s) (t.args (contract true) s "state") nonce aad text →
        bytesAt (t.mem s') (t.args (contract true) s "data") (t.args (contract true) s "len").toNat =
          (gctr (t.args (contract true) s) (t.mem s) nonce (text ++ Message.data (t.args (contract true) s) (t.mem s))).drop text.length ∧
        Represents (Message.cipher (t.args (contract true) s) (t.mem s)) (t.mem s') (t.args (contract true) s "state") nonce aad
          (text ++ Message.data (t.args (contract true) s) (t.mem s))
      simp only [gctr, Message.cipher, Message.data, args_ctx, args_rounds, args_text_len, args_state, args_data, args_len, hk]
      have mem : t.mem s = k.memory.bytes := by rw [← hk]; rfl
      rw [mem]
      intro nonce aad text ht rep
      obtain ⟨g, r⟩ := step (u := text) ht ht rep
      have joins : (pieceOf k true).joins ++ (pieceOf k true).ciphertext = bytesAt k.memory.bytes (k.value 3) (k.value 4).toNat := pieces.symm
      rw [joins] at r
      refine ⟨?_, r⟩
      refine Eq.symm (Eq.trans (congrArg (List.drop text.length) g) ?_)
      exact List.drop_left' (length_gctr ..)
  · intro x hx
    rw [hm]
    have may (w : String × Extent) (hw : w ∈ [("state", Extent.const 80), ("data", Extent.arg "len")])
        (hr : (Region.mk (t.args (contract d) s w.1) (w.2.eval (t.args (contract d) s))).Contains x) : t.MayChange (contract d) s x :=
      ⟨w, by cases d <;> exact hw, hr⟩
    refine Piece.out_outside a (fun hd => hx (may ("data", .arg "len") (.tail _ (.head _)) ?_))
      (fun hs => hx (may ("state", .const 80) (.head _) ?_))
    · show (Region.mk (t.args (contract d) s "data") (t.args (contract d) s "len").toNat).Contains x
      rw [args_data, args_len]
      exact hd
    · show (Region.mk (t.args (contract d) s "state") 80).Contains x
      rw [args_state]
      exact hs

end Proof.AesGcm.Stream
