import Proof.AesGcm.Stream.Text

/-!
# A message in pieces: memory

What a kernel does to memory for one piece, as stores, and that what it leaves represents the message with the piece.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream
open TCB SymExec Proof.Gf2 Proof.AesGcm.Message Spec.AesGcm
open Spec.Ghash (Block ghash)
open Spec.Gcm (blockCount)

/-! ## Stores in one buffer -/

/-- What lies beside a store is as it was. -/
theorem bytesAt_beside (m : Mem) (a : Addr) {bs : List Byte} {i j k : Nat} (h : i + bs.length ≤ j ∨ j + k ≤ i)
    (hi : i + bs.length < 2 ^ 63) (hj : j + k < 2 ^ 63) :
    bytesAt (writeBytes m (a + BitVec.ofNat 64 i) bs) (a + BitVec.ofNat 64 j) k = bytesAt m (a + BitVec.ofNat 64 j) k := by
  refine bytesAt_congr fun l hl => writeBytes_outside _ _ _ _ ?_
  unfold offset
  generalize bs.length = n at *
  have : a + BitVec.ofNat 64 j + BitVec.ofNat 64 l - (a + BitVec.ofNat 64 i) = BitVec.ofNat 64 (j + l) - BitVec.ofNat 64 i := by
    rw [BitVec.ofNat_add]; bv_omega
  rw [this, BitVec.toNat_sub, BitVec.toNat_ofNat, BitVec.toNat_ofNat]
  omega

/-- What was stored is read back. -/
theorem bytesAt_stored (m : Mem) (a : Addr) {bs : List Byte} {i j k : Nat} (h : i ≤ j ∧ j + k ≤ i + bs.length)
    (hb : bs.length < 2 ^ 63) :
    bytesAt (writeBytes m (a + BitVec.ofNat 64 i) bs) (a + BitVec.ofNat 64 j) k = (bs.drop (j - i)).take k := by
  rw [show j = i + (j - i) by omega, BitVec.ofNat_add, ← BitVec.add_assoc, bytesAt_writeBytes_part _ _ (by omega) (by omega),
    show i + (j - i) - i = j - i by omega]

/-- Two words. -/
theorem length_pair (a b : BitVec 128) : (laneBytes [a, b]).length = 32 := by rw [length_laneBytes]; rfl

/-! ## A piece -/

/-- A call for one piece: memory on entry, the cipher, the hash subkey, the state, the length of the text before, the piece,
and whether it is decrypted. -/
structure Piece where
  bytes : Mem
  ciph : Block → Block
  h : Block
  state : Addr
  before : Nat
  data : Addr
  len : Nat
  decrypt : Bool
  small : len ≤ 2 ^ 64

namespace Piece
variable (p : Piece)

/-- How many bytes the last block has. -/
def used : Nat := p.before % 16

/-- How many bytes of the piece belong to that block. -/
def first : Nat := if p.used = 0 then 0 else min p.len (16 - p.used)

/-- These bytes. -/
def input : List Byte := bytesAt p.bytes p.data p.first

/-- Their keystream. -/
def stream : List Byte := bytesAt p.bytes (p.state + BitVec.ofNat 64 (48 + p.used)) p.first

/-- What becomes of them. -/
def output : List Byte := (toBytes 16 (ofBytes 128 p.stream ^^^ ofBytes 128 p.input)).take p.first

/-- The bytes of the ciphertext. -/
def joins : List Byte := if p.decrypt then p.input else p.output

/-- Memory with them. -/
def mid : Mem := writeBytes (writeBytes p.bytes p.data p.output) (p.state + BitVec.ofNat 64 (64 + p.used)) p.joins

/-- The counter. -/
def count : Block := Context.word p.bytes p.state 16

/-- The hash, with the block that these bytes complete. -/
def hashed : Block := if p.used ≠ 0 ∧ (p.before + p.first) % 16 = 0 then
  ghash p.h (Context.word p.bytes p.state 32) [bswap128 (Context.word p.mid p.state 64)] else Context.word p.bytes p.state 32

/-- The rest of the piece. -/
def text : Text := ⟨p.ciph, p.count, p.mid, p.data + BitVec.ofNat 64 p.first, p.len - p.first, by have := p.small; omega⟩

/-- The ciphertext of the rest. -/
def ciphertext : List Byte := if p.decrypt then bytesAt p.mid p.text.data p.text.len else p.text.out

/-- The bytes of a block that begins, as a number, with others above. -/
def last : BitVec 128 :=
  let bytes := ofBytes 128 (bytesAt p.mid (p.text.data + BitVec.ofNat 64 (16 * (p.text.len / 16))) (p.text.len % 16))
  if p.decrypt then bytes else p.text.key (p.text.len / 16) ^^^ bytes

/-- Memory with all of the piece. -/
def done : Mem := if p.text.len % 16 = 0 then p.text.mem p.text.len else
  writeBytes (p.text.mem p.text.len) (p.state + BitVec.ofNat 64 48) (laneBytes [p.text.key (p.text.len / 16), p.last])

/-- Memory on return. -/
def out : Mem := writeBytes p.done (p.state + BitVec.ofNat 64 16) (laneBytes [
  Spec.Gcm.counter p.count ((p.text.len + 15) / 16), ghash p.h p.hashed (Spec.Gcm.blocks p.ciphertext)])

theorem first_le : p.first ≤ p.len := by rw [first]; split <;> omega
theorem used_ne (h : p.first ≠ 0) : p.used ≠ 0 := fun u => h (by rw [first, if_pos u])
theorem used_lt : p.used < 16 := by rw [used]; omega
theorem used_first_le : p.used + p.first ≤ 16 := by have := p.used_lt; rw [first]; split <;> omega
theorem len_text : p.text.len = p.len - p.first := rfl
theorem data_text : p.text.data = p.data + BitVec.ofNat 64 p.first := rfl

/-- The rest begins with a block, or there is none. -/
theorem aligned : (p.before + p.first) % 16 = 0 ∨ p.text.len = 0 := by
  rw [len_text, first, used]; split <;> omega

@[simp] theorem length_input : p.input.length = p.first := length_bytesAt ..

theorem length_output : p.output.length = p.first := by
  have := p.used_first_le
  rw [output, List.length_take, length_toBytes]; omega

theorem length_joins : p.joins.length = p.first := by
  rw [joins]
  split
  · exact p.length_input
  · exact p.length_output

@[simp] theorem length_ciphertext : p.ciphertext.length = p.text.len := by
  rw [ciphertext]
  split
  · exact length_bytesAt ..
  · exact p.text.length_out

/-- What a call requires of the buffers. -/
structure Apart : Prop where
  len : p.len < 2 ^ 63
  apart : (Region.mk p.data p.len).Disjoint ⟨p.state, 80⟩

variable {p}

/-- The first bytes of the data, and a part of the state. -/
theorem Apart.first (a : p.Apart) {i k : Nat} (h : i + k ≤ 80) :
    (Region.mk p.data p.first).Disjoint ⟨p.state + BitVec.ofNat 64 i, k⟩ := by
  have := a.apart.sub (i := 0) (n' := p.first) (j := i) (k' := k) (by have := p.first_le; omega) h (by have := a.len; omega) (by decide)
  rwa [BitVec.add_zero] at this

/-- The rest of the data, and a part of the state. -/
theorem Apart.rest (a : p.Apart) {i k : Nat} (h : i + k ≤ 80) :
    (Region.mk p.text.data p.text.len).Disjoint ⟨p.state + BitVec.ofNat 64 i, k⟩ :=
  a.apart.sub (by rw [len_text]; have := p.first_le; omega) h (by have := a.len; omega) (by decide)

/-- The state when the first bytes are done. -/
theorem Apart.state_mid (a : p.Apart) {i k : Nat} (h : i + k ≤ 64 + p.used ∨ 64 + p.used + p.first ≤ i) (hi : i + k ≤ 80) :
    bytesAt p.mid (p.state + BitVec.ofNat 64 i) k = bytesAt p.bytes (p.state + BitVec.ofNat 64 i) k := by
  have := p.used_lt
  have := p.used_first_le
  rw [mid, bytesAt_beside _ _ (by rw [length_joins]; omega) (by rw [length_joins]; omega) (by omega),
    bytesAt_writeBytes_disjoint _ (by omega) (by rw [length_output]; exact a.first hi)]

/-- The block in the state when the first bytes are done. -/
theorem Apart.rest_mid (a : p.Apart) : (bytesAt p.mid (p.state + BitVec.ofNat 64 64) 16).take (p.used + p.first) =
    (bytesAt p.bytes (p.state + BitVec.ofNat 64 64) 16).take p.used ++ p.joins := by
  have := p.used_lt
  have := p.used_first_le
  rw [take_bytesAt _ _ _ _ (by omega), take_bytesAt _ _ _ _ (by omega), ← bytesAt_append, a.state_mid (.inl (Nat.le_refl _)) (by omega),
    BitVec.add_assoc, ← BitVec.ofNat_add, mid, bytesAt_stored _ _ (by rw [length_joins]; omega) (by rw [length_joins]; omega),
    Nat.sub_self, List.drop_zero, List.take_of_length_le (by rw [length_joins]; omega)]

/-- The rest of the data when the first bytes are done. -/
theorem Apart.data_mid (a : p.Apart) : bytesAt p.mid p.text.data p.text.len = bytesAt p.bytes p.text.data p.text.len := by
  have := p.used_lt
  have := p.used_first_le
  have := a.len
  have := p.first_le
  rw [mid, bytesAt_writeBytes_disjoint _ (by rw [len_text]; omega) (by
    rw [length_joins]; exact (a.rest (by omega)).symm)]
  have := bytesAt_beside p.bytes p.data (bs := p.output) (i := 0) (j := p.first) (k := p.len - p.first)
    (.inl (by rw [length_output]; omega)) (by rw [length_output]; omega) (by omega)
  rwa [BitVec.add_zero] at this

/-- The data when the first bytes are done. -/
theorem Apart.output_mid (a : p.Apart) : bytesAt p.mid p.data p.first = p.output := by
  have := p.used_lt
  have := p.used_first_le
  have := bytesAt_writeBytes_same p.bytes p.data (bs := p.output) (by rw [length_output]; omega)
  rw [length_output] at this
  rw [mid, bytesAt_writeBytes_disjoint _ (by omega) (by rw [length_joins]; exact (a.first (by omega)).symm), this]

/-- The state on return, where only the counter and the hash are written at the end. -/
theorem Apart.state_out (a : p.Apart) {i k : Nat} (h : i + k ≤ 16 ∨ 48 ≤ i) (hi : i + k ≤ 80) (hs : p.text.len % 16 = 0 ∨ i + k ≤ 48) :
    bytesAt p.out (p.state + BitVec.ofNat 64 i) k = bytesAt p.mid (p.state + BitVec.ofNat 64 i) k := by
  have text : bytesAt (p.text.mem p.text.len) (p.state + BitVec.ofNat 64 i) k = bytesAt p.mid (p.state + BitVec.ofNat 64 i) k :=
    p.text.bytesAt_mem_apart _ (by omega) (a.rest hi)
  rw [out, bytesAt_beside _ _ (by rw [length_pair]; omega)
    (by rw [length_pair]; decide) (by omega), done]
  split
  · exact text
  · rw [bytesAt_beside _ _ (by omega) (by rw [length_pair]; decide) (by omega), text]

/-- The counter and the hash on return. -/
theorem Apart.words_out : Context.word p.out p.state 16 = Spec.Gcm.counter p.count ((p.text.len + 15) / 16) ∧
    Context.word p.out p.state 32 = ghash p.h p.hashed (Spec.Gcm.blocks p.ciphertext) := by
  constructor
  · rw [Context.word, out, bytesAt_stored _ _ (by rw [length_pair]; decide) (by rw [length_pair]; decide)]
    exact (congrArg (ofBytes 128) (piece_laneBytes (i := 0) (by exact Nat.zero_lt_two))).trans (ofBytes_toBytes _ (by decide))
  · rw [Context.word, out, bytesAt_stored _ _ (by rw [length_pair]; decide) (by rw [length_pair]; decide)]
    exact (congrArg (ofBytes 128) (piece_laneBytes (i := 1) (by exact Nat.one_lt_two))).trans (ofBytes_toBytes _ (by decide))

/-- The block that begins, on return. -/
theorem Apart.last_out (h : p.text.len % 16 ≠ 0) : Context.word p.out p.state 48 = p.text.key (p.text.len / 16) ∧
    bytesAt p.out (p.state + BitVec.ofNat 64 64) 16 = toBytes 16 p.last := by
  have beside {i : Nat} (hi : 48 ≤ i) (hj : i + 16 ≤ 80) : bytesAt p.out (p.state + BitVec.ofNat 64 i) 16 =
      ((laneBytes [p.text.key (p.text.len / 16), p.last]).drop (i - 48)).take 16 := by
    rw [out, bytesAt_beside _ _ (.inl (by rw [length_pair]; omega))
      (by rw [length_pair]; decide) (by omega), done, if_neg h,
      bytesAt_stored _ _ (by rw [length_pair]; omega) (by rw [length_pair]; decide)]
  refine ⟨?_, ?_⟩
  · rw [Context.word, beside (by decide) (by decide)]
    exact (congrArg (ofBytes 128) (piece_laneBytes (i := 0) (by exact Nat.zero_lt_two))).trans (ofBytes_toBytes _ (by decide))
  · rw [beside (by decide) (by decide)]
    exact piece_laneBytes (i := 1) (by exact Nat.one_lt_two)

/-- The bytes of the block that begins. -/
theorem Apart.bytes_last (a : p.Apart) : (toBytes 16 p.last).take (p.text.len % 16) = p.ciphertext.drop (16 * (p.text.len / 16)) := by
  have small := a.len
  have all : p.text.len = 16 * (p.text.len / 16) + p.text.len % 16 := by omega
  have short (l : List Byte) (hl : l.length = p.text.len) : l.drop (16 * (p.text.len / 16)) =
      (l.drop (16 * (p.text.len / 16))).take (p.text.len % 16) := by
    rw [List.take_of_length_le (by rw [List.length_drop]; omega)]
  rw [short _ p.length_ciphertext, last, ciphertext]
  cases p.decrypt with
  | true =>
    simp only [if_true]
    rw [← bytesAt_part _ _ (by omega)]
    generalize hb : bytesAt p.mid (p.text.data + BitVec.ofNat 64 (16 * (p.text.len / 16))) (p.text.len % 16) = bs
    have length : bs.length = p.text.len % 16 := by rw [← hb, length_bytesAt]
    rw [← length, ← ofBytes_append_zeros bs (16 - bs.length), toBytes_ofBytes (by simp; omega) (by decide), List.take_left' rfl]
  | false =>
    simp only [Bool.false_eq_true, if_false]
    rw [p.text.piece_out (by omega) (by omega)]
    rfl

/-- The data on return. -/
theorem Apart.data_out (a : p.Apart) : bytesAt p.out p.data p.len = p.output ++ p.text.out := by
  have := a.len
  have le := p.first_le
  have apart {i k : Nat} (h : i + k ≤ 80) : (Region.mk (p.state + BitVec.ofNat 64 i) k).Disjoint ⟨p.data, p.len⟩ := by
    have := (a.apart.sub (i := 0) (n' := p.len) (j := i) (k' := k) (by omega) h (by omega) (by decide)).symm
    rwa [BitVec.add_zero] at this
  have done : bytesAt p.done p.data p.len = bytesAt (p.text.mem p.text.len) p.data p.len := by
    rw [Piece.done]
    split
    · rfl
    · exact bytesAt_writeBytes_disjoint _ (by omega) (apart (by rw [length_pair]; decide))
  rw [out, bytesAt_writeBytes_disjoint _ (by omega) (apart (by rw [length_pair]; decide)), done,
    show p.len = p.first + p.text.len by rw [len_text]; omega, ← bytesAt_append, ← data_text, p.text.bytesAt_mem_len]
  congr 1
  refine Eq.trans (bytesAt_congr fun i hi => ?_) a.output_mid
  refine p.text.mem_outside _ ?_
  rw [len_text, data_text]
  unfold offset
  have : p.data + BitVec.ofNat 64 i - (p.data + BitVec.ofNat 64 p.first) = BitVec.ofNat 64 i - BitVec.ofNat 64 p.first := by bv_omega
  rw [this, BitVec.toNat_sub, BitVec.toNat_ofNat, BitVec.toNat_ofNat]
  omega

end Piece
end Proof.AesGcm.Stream
