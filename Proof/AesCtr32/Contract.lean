import Spec.AesCtr32
import Proof.Aes.Cipher
import Proof.Framework.Plain
import Proof.Framework.Witness
import Proof.Gf2.Bytes

/-!
# Counter mode: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesCtr32
open TCB SymExec Spec.AesGcm Spec.AesCtr32 Proof.Gf2

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩, ⟨"counter", .input, ⟨a "counter", 16⟩⟩,
      ⟨"data", .inout, ⟨a "data", (a "len").toNat⟩⟩] := rfl

/-- What the precondition says, for the arguments by position, and `blocks` blocks. -/
structure Pre (m : Memory) (ctx counter data : Addr) (rounds blocks : Nat) : Prop where
  rounds : rounds ∈ [10, 12, 14]
  bound : 16 * blocks < 2 ^ 64
  readsCtx : Within m.readable ⟨ctx, 1024⟩
  readsCounter : Within m.readable ⟨counter, 16⟩
  reads : Within m.readable ⟨data, 16 * blocks⟩
  writes : Within m.writable ⟨data, 16 * blocks⟩
  apart : (Region.mk ctx 1024).Disjoint ⟨data, 16 * blocks⟩

/-- The data are whole blocks. -/
theorem len_eq (h : t.Pre contract constants s) :
    (t.abi.arg s 4).toNat = 16 * ((t.abi.arg s 4).toNat / 16) := by
  have : (t.abi.arg s 4).toNat % 16 = 0 := h.requires _ (.tail _ (.head _))
  omega

/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) : Pre (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 2) (t.abi.arg s 3)
    (t.abi.arg s 1).toNat ((t.abi.arg s 4).toNat / 16) := by
  have len := len_eq t h
  have bound := (t.abi.arg s 4).isLt
  have ctx : t.args contract s "ctx" = t.abi.arg s 0 := rfl
  have counter : t.args contract s "counter" = t.abi.arg s 2 := rfl
  have data : t.args contract s "data" = t.abi.arg s 3 := rfl
  have bytes : t.args contract s "len" = t.abi.arg s 4 := rfl
  have rounds : (t.args contract s "rounds").toNat ∈ [10, 12, 14] := h.requires _ (.head _)
  have rounds' : t.args contract s "rounds" = t.abi.arg s 1 := rfl
  have reads {b} := h.reads (b := b)
  have writes {b} := h.writes (b := b)
  have disjoint := h.entry.disjoint
  rw [buffers_eq, ctx, counter, data, bytes] at reads writes disjoint
  rw [rounds'] at rounds
  generalize t.abi.arg s 0 = x0, t.abi.arg s 2 = x2, t.abi.arg s 3 = x3, (t.abi.arg s 4).toNat = n at *
  rw [len] at reads writes disjoint bound
  generalize n / 16 = k at *
  exact ⟨rounds, bound, reads (b := ⟨"ctx", .input, ⟨x0, 1024⟩⟩) (.head _) rfl,
    reads (b := ⟨"counter", .input, ⟨x2, 16⟩⟩) (.tail _ (.head _)) rfl,
    reads (b := ⟨"data", .inout, ⟨x3, 16 * k⟩⟩) (.tail _ (.tail _ (.head _))) rfl,
    writes (b := ⟨"data", .inout, ⟨x3, 16 * k⟩⟩) (.tail _ (.tail _ (.head _))) rfl,
    (List.pairwise_cons.1 disjoint).1 ⟨"data", .inout, ⟨x3, 16 * k⟩⟩ (.tail _ (.head _)) (.inr rfl)⟩

/-- Block `i` of the result, as a little-endian number. -/
def block (m : Mem) (ctx counter data : Addr) (rounds i : Nat) : BitVec 128 :=
  Spec.Aes.cipher (Context.roundKeys m ctx rounds)
      (bswap128 (Spec.Gcm.counter (Spec.Gcm.ofBytes (bytesAt m counter 16)) i)) ^^^
    Context.word m data (16 * i)

/-- The first `n` blocks of the result. -/
def result (m : Mem) (ctx counter data : Addr) (rounds n : Nat) : List Byte :=
  (List.range n).flatMap fun i => toBytes 16 (block m ctx counter data rounds i)

/-- Its length. -/
theorem length_result (m : Mem) (ctx counter data : Addr) (rounds n : Nat) :
    (result m ctx counter data rounds n).length = 16 * n := by
  induction n with
  | zero => rfl
  | succ n ih =>
    rw [result, List.range_succ, List.flatMap_append, List.length_append]
    rw [result] at ih
    rw [ih]
    simp
    omega

/-- More blocks of the result. -/
theorem result_add (m : Mem) (ctx counter data : Addr) (rounds n k : Nat) : result m ctx counter data rounds (n + k) =
    result m ctx counter data rounds n ++
      laneBytes ((List.range k).map fun i => block m ctx counter data rounds (n + i)) := by
  rw [result, List.range_add, List.flatMap_append, result, laneBytes, List.flatMap_map, List.flatMap_map]

/-- The sum of strings is the string of the sum. -/
theorem zipWith_toBytes (a b : BitVec 128) :
    List.zipWith (· ^^^ ·) (toBytes 16 a) (toBytes 16 b) = toBytes 16 (b ^^^ a) := by
  simp only [toBytes, List.zipWith_map, List.zipWith_self]
  refine List.map_congr_left fun i _ => ?_
  rw [BitVec.extractLsb'_xor, BitVec.xor_comm]

/-- The result is GCTR. -/
theorem gctr_eq (m : Mem) (ctx counter data : Addr) (rounds n : Nat) :
    Spec.Gcm.gctr (Spec.Gcm.aes (Context.roundKeys m ctx rounds)) (Spec.Gcm.ofBytes (bytesAt m counter 16))
      (bytesAt m data (16 * n)) = result m ctx counter data rounds n := by
  have count : Spec.Gcm.blockCount (bytesAt m data (16 * n)) = n := by
    rw [Spec.Gcm.blockCount, length_bytesAt]; omega
  have one (x : BitVec 128) : Spec.Gcm.toBytes (Spec.Gcm.aes (Context.roundKeys m ctx rounds) x) =
      toBytes 16 (Spec.Aes.cipher (Context.roundKeys m ctx rounds) (bswap128 x)) := by
    rw [Spec.Gcm.aes, Spec.Gcm.toBytes, Spec.Gcm.ofBytes, toBytes_ofBytes (by simp) (by decide), List.reverse_reverse]
    rfl
  have length (n : Nat) : ((List.range n).flatMap fun i => Spec.Gcm.toBytes (Spec.Gcm.aes
      (Context.roundKeys m ctx rounds) (Spec.Gcm.counter (Spec.Gcm.ofBytes (bytesAt m counter 16)) i))).length =
        16 * n := by
    induction n with
    | zero => rfl
    | succ n ih => rw [List.range_succ, List.flatMap_append, List.length_append, ih]; simp [one]; omega
  rw [Spec.Gcm.gctr, count, Spec.Gcm.keystream]
  clear count
  induction n with
  | zero => rfl
  | succ n ih =>
    have last : bytesAt m (data + BitVec.ofNat 64 (16 * n)) 16 = toBytes 16 (Context.word m data (16 * n)) := by
      rw [Context.word, toBytes_ofBytes (by simp) (by decide)]
    rw [Nat.mul_succ, ← bytesAt_append, List.range_succ, List.flatMap_append, List.zipWith_append (by simp [length]),
      ih, last]
    simp only [List.flatMap_cons, List.flatMap_nil, List.append_nil, one, zipWith_toBytes]
    simp only [result, List.range_succ, List.flatMap_append, List.flatMap_cons, List.flatMap_nil, List.append_nil, block]

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s)
    (hm : t.mem s' = writeBytes (t.mem s) (t.abi.arg s 3) (result (t.mem s) (t.abi.arg s 0) (t.abi.arg s 2)
      (t.abi.arg s 3) (t.abi.arg s 1).toNat ((t.abi.arg s 4).toNat / 16))) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have len := len_eq t h
  have bound := (t.abi.arg s 4).isLt
  constructor
  · show bytesAt (t.mem s') (t.abi.arg s 3) (t.abi.arg s 4).toNat = Spec.Gcm.gctr
      (Spec.Gcm.aes (Context.roundKeys (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1).toNat))
      (Spec.Gcm.ofBytes (bytesAt (t.mem s) (t.abi.arg s 2) 16))
      (bytesAt (t.mem s) (t.abi.arg s 3) (t.abi.arg s 4).toNat)
    generalize (t.abi.arg s 4).toNat / 16 = n at len hm
    have same := bytesAt_writeBytes_same (t.mem s) (t.abi.arg s 3) (bs := result (t.mem s) (t.abi.arg s 0)
      (t.abi.arg s 2) (t.abi.arg s 3) (t.abi.arg s 1).toNat n) (by rw [length_result]; omega)
    rw [length_result] at same
    rw [len, gctr_eq, hm, same]
  · intro x hx
    rw [hm]
    refine writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("data", .arg "len"), .head _, ?_⟩)
    rw [length_result, ← len] at hl
    exact hl

/-- Where the arguments of the witness lie. -/
def values : List Nat := [0x1000, 10, 0x2000, 0x3000, 160]

end Proof.AesCtr32
