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

/-- The buffers of a call with so many fields. -/
def buffers (c : Call) (fields : Nat := 8) : List Buffer :=
  [⟨"ctx", .input, ⟨c.ctx, 1024⟩⟩, ⟨"args", .publicInput, ⟨c.args, 8 * fields⟩⟩, ⟨"nonce", .input, ⟨c.nonce, c.nonceLen⟩⟩,
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
/-- What a precondition says that requires what the contract requires, perhaps of more arguments and buffers. -/
theorem pre_of_buffers {con : Contract} {q : List Requirement} {l : List Buffer} {n : Nat} (h : t.Pre con constants s)
    (hq : con.requires = contract.requires ++ q) (ha : ∀ p ∈ contract.sig.all, t.args con s p.name = t.args contract s p.name)
    (hl : con.sig.buffers (t.args con s) (t.mem s) = buffers (callOf t s) n ++ l) (hn : 8 ≤ n ∧ n ≤ 16) : Pre (callOf t s) := by
  have required {r : Requirement} (hr : r ∈ contract.requires) := h.requires r (hq ▸ List.mem_append_left q hr)
  have rounds := required (.head _)
  have ofCipher := required (.tail _ (.head _))
  have prepared := required (.tail _ (.tail _ (.head _)))
  have supported := required (.tail _ (.tail _ (.tail _ (.head _))))
  have arg (i : Nat) {p : Param} (hp : contract.sig.all[i]? = some p) := ha p (List.mem_of_getElem? hp)
  have apart := apart_of h hl
  have reads {b : Buffer} := h.reads (b := b)
  have writes {b : Buffer} := h.writes (b := b)
  rw [hl] at reads writes
  simp only [Context.validRounds, arg 2 rfl, args_rounds] at rounds
  simp only [Message.ofCipher, Message.cipher, arg 0 rfl, arg 2 rfl, args_ctx, args_rounds] at ofCipher
  simp only [Message.prepared, arg 0 rfl, args_ctx, prepared_iff] at prepared
  simp only [Message.supported, Message.nonce, Message.aad, Message.data, Spec.Gcm.Supported, length_bytesAt, arg 4 rfl, arg 6 rfl,
    arg 8 rfl, args_nonce_len, args_aad_len, args_len] at supported
  have readsAt (i : Nat) {b : Buffer} (hi : (buffers (callOf t s) n ++ l)[i]? = some b) (hr : b.role.reads = true) :
    Within (callOf t s).memory.readable b.region := reads (List.mem_of_getElem? hi) hr
  have writesAt (i : Nat) {b : Buffer} (hi : (buffers (callOf t s) n ++ l)[i]? = some b) (hr : b.role.writes = true) :
    Within (callOf t s).memory.writable b.region := writes (List.mem_of_getElem? hi) hr
  have mem : t.mem s = (callOf t s).memory.bytes := rfl
  rw [mem] at ofCipher prepared
  clear reads writes mem
  generalize callOf t s = c at *
  have args {r : Region} (h : r.Disjoint ⟨c.args, 8 * n⟩) : r.Disjoint ⟨c.args, 64⟩ := fun x ⟨hr, hx⟩ =>
    h x ⟨hr, Nat.lt_of_lt_of_le hx (by show 64 ≤ 8 * n; omega)⟩
  exact {
    rounds := rounds
    ofCipher := ofCipher
    table := prepared
    nonceLen := by rw [Call.nonceLen]; exact ⟨supported.1, supported.2.1⟩
    aadLen := by rw [Call.aadLen]; exact supported.2.2.1
    len := by rw [Call.len]; exact supported.2.2.2
    readsCtx := (readsAt 0 rfl rfl :)
    readsArgs := by simpa using (readsAt 1 rfl rfl).part 0 (n' := 64) (by omega)
    readsNonce := (readsAt 2 rfl rfl :)
    readsAad := (readsAt 3 rfl rfl :)
    reads := (readsAt 4 rfl rfl :)
    writes := (writesAt 4 rfl rfl :)
    writesTag := (writesAt 5 rfl rfl :)
    apartCtx := (apart 0 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartArgs := args (apart 1 4 rfl rfl (by decide) (.inr rfl)).symm
    apartNonce := (apart 2 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartAad := (apart 3 4 rfl rfl (by decide) (.inr rfl) :).symm
    apartTag := (apart 4 5 rfl rfl (by decide) (.inr rfl) :)
    tagCtx := (apart 0 5 rfl rfl (by decide) (.inr rfl) :).symm
    tagArgs := args (apart 1 5 rfl rfl (by decide) (.inr rfl)).symm
    tagNonce := (apart 2 5 rfl rfl (by decide) (.inr rfl) :).symm
    tagAad := (apart 3 5 rfl rfl (by decide) (.inr rfl) :).symm }

/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (callOf t s) :=
  pre_of_buffers t h (List.append_nil _).symm (fun _ _ => rfl) ((buffers_of t s).trans (List.append_nil _).symm) (by decide)

/-- The sealed text and its tag, from the memory on return. -/
theorem Pre.sealed {c : Call} (p : Pre c) {m : Mem} (hm : m = writeBytes (c.text.mem c.len) c.tag (toBytes 16 c.sealedTag)) :
    (bytesAt m c.data c.len, bytesAt m c.tag 16) = Spec.Gcm.encryptWith c.cipher 16 (bytesAt c.memory.bytes c.nonce c.nonceLen)
      (bytesAt c.memory.bytes c.aad c.aadLen) (bytesAt c.memory.bytes c.data c.len) := by
  have tagHere := bytesAt_writeBytes_same (c.text.mem c.len) c.tag (bs := toBytes 16 c.sealedTag) (by simp)
  rw [length_toBytes] at tagHere
  have textHere : bytesAt m c.data c.len = c.text.out := by
    rw [hm, bytesAt_writeBytes_disjoint _ (k := c.len) c.text.small (by rw [length_toBytes]; exact p.apartTag.symm)]
    exact Text.bytesAt_mem_len _
  rw [Spec.Gcm.encryptWith, textHere, hm, tagHere]
  simp only [p.out_eq, p.sealedTag_eq]
  rw [List.take_of_length_le (by simp)]

/-- All else in the memory on return is as on entry. -/
theorem sealed_outside {c : Call} {m : Mem} (hm : m = writeBytes (c.text.mem c.len) c.tag (toBytes 16 c.sealedTag)) {x : Addr}
    (data : ¬ (Region.mk c.data c.len).Contains x) (tag : ¬ (Region.mk c.tag 16).Contains x) : m x = c.memory.bytes x := by
  rw [hm, writeBytes_outside _ _ _ x (by rw [length_toBytes]; exact Nat.not_lt.1 tag)]
  exact Text.mem_outside _ _ (Nat.not_lt.1 data)

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s) (hm : t.mem s' = writeBytes ((callOf t s).text.mem (callOf t s).len)
      (callOf t s).tag (toBytes 16 (callOf t s).sealedTag)) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x :=
  ⟨(pre_of t h).sealed hm, fun _ hx => sealed_outside hm (fun hd => hx ⟨("data", .arg "len"), .head _, hd⟩)
    fun ht => hx ⟨("tag", .const 16), .tail _ (.head _), ht⟩⟩

end Proof.AesGcm.Seal
