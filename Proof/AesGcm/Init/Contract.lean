import Proof.Aes.KeySchedule
import Proof.Framework.Lanes
import Proof.Framework.Plain
import Proof.Gf2.Context
import Spec.AesGcm.Init

/-!
# A key context from a key: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Init
open TCB SymExec Spec.AesGcm Spec.AesGcm.Init Proof.Gf2 Proof.Aes

variable {S I C F : Type} (t : Target S I C F) {constants : List Byte} {s s' : S}

/-- What the precondition says, for the arguments by position. -/
structure Pre (constants : List Byte) (m : Memory) (key ctx : Addr) (len : Nat) : Prop where
  valid : len ∈ [16, 24, 32]
  reads : Within m.readable ⟨key, len⟩
  readsTable : Within m.readable ⟨m.constants, constants.length⟩
  writes : Within m.writable ⟨ctx, 1024⟩
  apart : (Region.mk key len).Disjoint ⟨ctx, 1024⟩
  tableApart : (Region.mk ctx 1024).Disjoint ⟨m.constants, constants.length⟩
  table : bytesAt m.bytes m.constants constants.length = constants

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"key", .input, ⟨a "key", (a "key_len").toNat⟩⟩, ⟨"ctx", .output, ⟨a "ctx", 1024⟩⟩] := rfl

/-- What the precondition says. -/
theorem pre_of (hc : constants ≠ []) (h : t.Pre contract constants s) :
    Pre constants (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 2) (t.abi.arg s 1).toNat := by
  have disjoint := h.entry.disjoint
  rw [buffers_eq] at disjoint
  have writable := h.entry.writable
  rw [buffers_eq] at writable
  have table := h.table hc
  exact {
    valid := h.requires _ (.head _)
    reads := h.reads (b := ⟨"key", .input, ⟨t.abi.arg s 0, (t.abi.arg s 1).toNat⟩⟩) (.head _) rfl
    readsTable := .of_mem table.1
    writes := h.writes (b := ⟨"ctx", .output, ⟨t.abi.arg s 2, 1024⟩⟩) (.tail _ (.head _)) rfl
    apart := (List.pairwise_cons.1 disjoint).1 _ (.head _) (.inr rfl)
    tableApart := h.table_apart _ (writable ▸ .head _) _ (by
      cases constants with
      | nil => exact absurd rfl hc
      | cons => exact .head _)
    table := table.2.1 }

/-- The memory on return. -/
def after (m : Mem) (ctx : Addr) (keys : List TCB.Aes.Block) : Mem :=
  writeBytes (writeBytes m ctx (laneBytes keys)) (ctx + BitVec.ofNat 64 240)
    (toBytes 16 (twist (bswap128 (Spec.Aes.cipher keys 0))))

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s)
    (hm : t.mem s' = after (t.mem s) (t.abi.arg s 2)
      (Spec.Aes.expandKey (bytesAt (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1).toNat))) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have len : (t.abi.arg s 1).toNat ∈ [16, 24, 32] := h.requires _ (.head _)
  generalize hk : bytesAt (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1).toNat = key at hm
  have count := expandKey_length key
  have bound : (Spec.Aes.expandKey key).length ≤ 15 := by
    rw [count, ← hk, length_bytesAt, Spec.Aes.rounds]
    simp only [List.mem_cons, List.not_mem_nil, or_false] at len
    omega
  have small := length_laneBytes (Spec.Aes.expandKey key)
  constructor
  · show Context.IsFor (bytesAt (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1).toNat) (t.mem s') (t.abi.arg s 2)
    rw [hk]
    have subkey : Context.word (t.mem s') (t.abi.arg s 2) 240 =
        twist (bswap128 (Spec.Aes.cipher (Spec.Aes.expandKey key) 0)) := by
      have same := bytesAt_writeBytes_same (writeBytes (t.mem s) (t.abi.arg s 2) (laneBytes (Spec.Aes.expandKey key)))
        (t.abi.arg s 2 + BitVec.ofNat 64 240) (bs := toBytes 16 (twist (bswap128 (Spec.Aes.cipher (Spec.Aes.expandKey key) 0)))) (by simp)
      rw [length_toBytes] at same
      rw [Context.word, hm, after, same, ofBytes_toBytes _ (by decide)]
    refine ⟨List.ext_getElem (by simp [Context.roundKeys, count]) fun i _ hi => ?_, ?_⟩
    · simp only [Context.roundKeys, List.getElem_map, List.getElem_range]
      rw [Context.word, hm, after, bytesAt_writeBytes_disjoint _ (by decide)]
      · refine ofBytes_laneBytes (n := (laneBytes (Spec.Aes.expandKey key)).length) (bytesAt_writeBytes_same _ _ (by omega)) hi
      · rw [length_toBytes]
        intro x ⟨h1, h2⟩
        simp only [Region.Contains, offset] at h1 h2
        bv_omega
    · rw [Context.subkey, subkey, mulX_twist, Spec.Gcm.subkey, Spec.Gcm.aes,
        show ofBytes 128 (Spec.Gcm.toBytes 0) = 0#128 by decide +kernel, ← bswap128_ofBytes (length_toBytes ..), ofBytes_toBytes _ (by decide)]
      rfl
  · intro x hx
    have out : ¬(Region.mk (t.abi.arg s 2) 256).Contains x := fun hl => hx ⟨("ctx", .const 256), .head _, hl⟩
    rw [hm, after, writeBytes_outside, writeBytes_outside]
    · simp only [Region.Contains] at out
      omega
    · rw [length_toBytes]
      exact Nat.not_lt.1 fun hl => out (Region.Contains.of_sub (n' := 16) hl (by decide) (by decide))

/-- Where the arguments of the witness lie. -/
def values : List Nat := [0x1000, 32, 0x2000]

end Proof.AesGcm.Init
