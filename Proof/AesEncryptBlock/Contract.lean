import Spec.AesEncryptBlock
import Proof.Aes.Cipher
import Proof.Framework.Plain
import Proof.Framework.Witness

/-!
# The encryption of one block: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesEncryptBlock
open TCB SymExec Spec.AesGcm Spec.AesEncryptBlock

variable {S I C F : Type} (t : Target S I C F) {s s' : S}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"block", .inout, ⟨a "block", 16⟩⟩] := rfl

/-- What the precondition says, for the arguments by position. -/
structure Pre (m : Memory) (ctx block : Addr) (rounds : Nat) : Prop where
  rounds : rounds ∈ [10, 12, 14]
  readsCtx : Within m.readable ⟨ctx, 1024⟩
  reads : Within m.readable ⟨block, 16⟩
  writes : Within m.writable ⟨block, 16⟩
  apart : (Region.mk ctx 1024).Disjoint ⟨block, 16⟩

/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract [] s) :
    Pre (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 2) (t.abi.arg s 1).toNat := by
  have disjoint := h.entry.disjoint
  rw [buffers_eq] at disjoint
  exact {
    rounds := h.requires _ (.head _)
    readsCtx := h.reads (b := ⟨"ctx", .input, ⟨t.abi.arg s 0, 1024⟩⟩) (.head _) rfl
    reads := h.reads (b := ⟨"block", .inout, ⟨t.abi.arg s 2, 16⟩⟩) (.tail _ (.head _)) rfl
    writes := h.writes (b := ⟨"block", .inout, ⟨t.abi.arg s 2, 16⟩⟩) (.tail _ (.head _)) rfl
    apart := (List.pairwise_cons.1 disjoint).1 _ (.head _) (.inr rfl) }

/-- The contract's result and frame, from the memory on return. -/
theorem result_of {v : TCB.Aes.Block} (hv : v = Spec.Aes.cipher
      (Context.roundKeys (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1).toNat)
      (ofBytes 128 (bytesAt (t.mem s) (t.abi.arg s 2) 16)))
    (hm : t.mem s' = writeBytes (t.mem s) (t.abi.arg s 2) (toBytes 16 v)) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  constructor
  · show bytesAt (t.mem s') (t.abi.arg s 2) 16 = toBytes 16 (Spec.Aes.cipher _ _)
    have same := bytesAt_writeBytes_same (t.mem s) (t.abi.arg s 2) (bs := toBytes 16 v) (by simp)
    rw [length_toBytes] at same
    rw [hm, same, hv]
    rfl
  · intro x hx
    rw [hm]
    refine writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("block", .const 16), .head _, ?_⟩)
    rw [length_toBytes] at hl
    exact hl

/-- Where the arguments of the witness lie. -/
def values : List Nat := [0x1000, 10, 0x2000]

end Proof.AesEncryptBlock
