import Proof.AesGcm.Stream.Mem

/-!
# A message in pieces: what a piece does to the message
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream
open TCB SymExec Proof.Gf2 Proof.AesGcm.Message Spec.AesGcm Spec.AesGcm.Stream
open Spec.Ghash (Block ghash)
open Spec.Gcm (blockCount)

/-- A store in a buffer changes nothing outside. -/
theorem writeBytes_apart (m : Mem) {a x : Addr} {bs : List Byte} {i n : Nat} (h : ¬ (Region.mk a n).Contains x)
    (hi : i + bs.length ≤ n) (hn : n ≤ 2 ^ 64) : writeBytes m (a + BitVec.ofNat 64 i) bs x = m x :=
  writeBytes_outside _ _ _ _ (Nat.not_lt.1 fun l => h (Region.Contains.of_sub (n' := bs.length) l hi hn))

namespace Piece
variable {p : Piece}

/-! ## Outside of the data and the state -/

section
variable {x : Addr} (a : p.Apart) (hd : ¬ (Region.mk p.data p.len).Contains x) (hs : ¬ (Region.mk p.state 80).Contains x)
include a hd hs

/-- Memory outside is as it was when the first bytes are done. -/
theorem mid_outside : p.mid x = p.bytes x := by
  have := p.used_first_le
  have := a.len
  rw [mid, writeBytes_apart _ hs (by rw [length_joins]; omega) (by decide)]
  have := writeBytes_apart p.bytes (bs := p.output) (i := 0) hd (by rw [length_output, Nat.zero_add]; exact p.first_le) (by omega)
  rwa [BitVec.add_zero] at this

/-- And while the rest is processed. -/
theorem text_outside (d : Nat) : p.text.mem d x = p.bytes x := by
  have := a.len
  rw [← mid_outside a hd hs]
  refine p.text.mem_outside _ (Nat.not_lt.1 fun l => hd ?_)
  exact Region.Contains.of_sub (n' := p.text.len) l (by rw [len_text]; have := p.first_le; omega) (by omega)

/-- And then. -/
theorem done_outside : p.done x = p.bytes x := by
  rw [done]
  split
  · exact text_outside a hd hs _
  · rw [writeBytes_apart _ hs (by rw [length_pair]; decide) (by decide), text_outside a hd hs]

/-- And on return. -/
theorem out_outside : p.out x = p.bytes x := by
  rw [out, writeBytes_apart _ hs (by rw [length_pair]; decide) (by decide), done_outside a hd hs]

end

/-! ## The message -/

/-- No bytes belong to the last block. -/
theorem mid_none (h : p.first = 0) : p.mid = p.bytes := by
  have (l : List Byte) (hl : l.length = p.first) : l = [] := List.eq_nil_of_length_eq_zero (hl.trans h)
  rw [mid, this _ p.length_output, this _ p.length_joins, writeBytes_nil, writeBytes_nil]

/-- The piece is the first bytes and the rest. -/
theorem Apart.pieces (a : p.Apart) : bytesAt p.bytes p.data p.len = p.input ++ bytesAt p.mid p.text.data p.text.len := by
  have := p.first_le
  rw [a.data_mid, data_text, len_text, input, bytesAt_append]
  congr 1
  omega

section
variable {icb y₀ : Block} {c t : List Byte}

/-- The first bytes are in the state. -/
theorem Apart.held_mid (a : p.Apart) (hh : p.h = Spec.Gcm.subkey p.ciph) (hc : c.length = p.before)
    (held : Held p.ciph icb y₀ c p.count (Context.word p.bytes p.state 32) (Context.word p.bytes p.state 48)
      (bytesAt p.bytes (p.state + BitVec.ofNat 64 64) 16)) :
    Held p.ciph icb y₀ (c ++ p.joins) p.count p.hashed (Context.word p.bytes p.state 48)
      (bytesAt p.mid (p.state + BitVec.ofNat 64 64) 16) := by
  have used : c.length % 16 = p.used := by rw [hc]; rfl
  by_cases none : p.first = 0
  · have joins : p.joins = [] := List.eq_nil_of_length_eq_zero (p.length_joins.trans none)
    have hashed : p.hashed = Context.word p.bytes p.state 32 := if_neg (by rw [none, Piece.used]; omega)
    rw [joins, List.append_nil, hashed, mid_none none]
    exact held
  · have ne := p.used_ne none
    have le := p.used_first_le
    have join := held.join (x := p.joins) (rest' := bytesAt p.mid (p.state + BitVec.ofNat 64 64) 16) (by omega)
      (by rw [length_joins]; omega) (length_bytesAt ..) (by rw [used, length_joins]; exact a.rest_mid)
    rw [length_joins, hc, ← hh, ← bswap128_ofBytes (length_bytesAt ..)] at join
    have hashed : p.hashed = if (p.before + p.first) % 16 = 0 then ghash p.h (Context.word p.bytes p.state 32)
        [bswap128 (ofBytes 128 (bytesAt p.mid (p.state + BitVec.ofNat 64 64) 16))] else Context.word p.bytes p.state 32 := by
      simp only [Piece.hashed, ne, ne_eq, not_false_eq_true, true_and]
      rfl
    rw [hashed]
    exact join

/-- The first bytes, in counter mode. -/
theorem Apart.gctr_first (ht : t.length = p.before)
    (held : t.length % 16 ≠ 0 → Context.word p.bytes p.state 48 = keyBlock p.ciph icb (t.length / 16)) :
    Spec.Gcm.gctr p.ciph icb (t ++ p.input) = Spec.Gcm.gctr p.ciph icb t ++ p.output := by
  have used : t.length % 16 = p.used := by rw [ht]; rfl
  by_cases none : p.first = 0
  · rw [List.eq_nil_of_length_eq_zero (p.length_input.trans none), List.eq_nil_of_length_eq_zero (p.length_output.trans none),
      List.append_nil, List.append_nil]
  · have ne := p.used_ne none
    have le := p.used_first_le
    rw [gctr_join _ _ t (by rw [length_input]; omega), ← held (by omega), used, joined, length_input, output, stream,
      Context.word, toBytes_ofBytes (length_bytesAt ..) (by decide), ← bytesAt_part _ _ (by omega), BitVec.add_assoc,
      ← BitVec.ofNat_add]

/-- The rest, in counter mode. -/
theorem Apart.gctr_rest (ht : t.length = p.before) (count : p.count = Spec.Gcm.counter icb ((p.before + 15) / 16)) :
    Spec.Gcm.gctr p.ciph icb (t ++ p.input ++ bytesAt p.mid p.text.data p.text.len) =
      Spec.Gcm.gctr p.ciph icb (t ++ p.input) ++ p.text.out := by
  rcases p.aligned with whole | none
  · have size : (t ++ p.input).length = p.before + p.first := by rw [List.length_append, length_input, ht]
    rw [gctr_append _ _ (by rw [size]; exact whole), size]
    have le := p.used_first_le
    have zero : p.used = 0 → p.first = 0 := fun u => by rw [Piece.first, if_pos u]
    rw [Piece.used] at le zero
    have : (p.before + p.first) / 16 = (p.before + 15) / 16 := by omega
    rw [this, ← count]
    rfl
  · have out : p.text.out = [] := List.eq_nil_of_length_eq_zero (p.text.length_out.trans none)
    rw [out, none, bytesAt_zero, List.append_nil, List.append_nil]

end

/-- **What a piece does**: the data are the next bytes of counter mode, and the state represents the message with the piece. -/
theorem Apart.step (a : p.Apart) (hh : p.h = Spec.Gcm.subkey p.ciph) {nonce aad c t : List Byte} (hc : c.length = p.before)
    (ht : t.length = p.before) (rep : Represents p.ciph p.bytes p.state nonce aad c) :
    Spec.Gcm.gctr p.ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey p.ciph) nonce)) (t ++ bytesAt p.bytes p.data p.len) =
      Spec.Gcm.gctr p.ciph (Spec.Gcm.inc32 (Spec.Gcm.j0 (Spec.Gcm.subkey p.ciph) nonce)) t ++ bytesAt p.out p.data p.len ∧
    Represents p.ciph p.out p.state nonce aad (c ++ (p.joins ++ p.ciphertext)) := by
  obtain ⟨mask, held⟩ := represents_iff.1 rep
  replace held : Held _ _ _ _ _ _ _ (bytesAt p.bytes (p.state + BitVec.ofNat 64 64) 16) := held
  have count : p.count = _ := held.count
  rw [blockCount, hc] at count
  constructor
  · rw [a.pieces, ← List.append_assoc, gctr_rest ht count, gctr_first ht (fun some => by
      rw [held.key (by omega), ht, hc]), a.data_out, List.append_assoc]
  · refine represents_iff.2 ⟨?_, ?_⟩
    · have out := a.state_out (i := 0) (k := 16) (by omega) (by omega) (by omega)
      have mid := a.state_mid (i := 0) (k := 16) (by omega) (by omega)
      rw [BitVec.add_zero] at out mid
      rw [out, mid, mask]
    have h₁ := a.held_mid hh hc held
    have words := @Apart.words_out p
    rw [words.1, words.2, ← List.append_assoc]
    have key (h : p.text.len % 16 = 0) : Context.word p.out p.state 48 = Context.word p.bytes p.state 48 := by
      rw [Context.word, a.state_out (i := 48) (by omega) (by omega) (.inl h), a.state_mid (i := 48) (.inl (by omega)) (by omega),
        Context.word]
    have rest (h : p.text.len % 16 = 0) : bytesAt p.out (p.state + BitVec.ofNat 64 64) 16 =
        bytesAt p.mid (p.state + BitVec.ofNat 64 64) 16 := a.state_out (i := 64) (by omega) (by omega) (.inl h)
    show Held _ _ _ _ _ _ _ (bytesAt p.out (p.state + BitVec.ofNat 64 64) 16)
    rcases p.aligned with whole | none
    · have more := h₁.more (x := p.ciphertext) (key' := Context.word p.out p.state 48)
        (rest' := bytesAt p.out (p.state + BitVec.ofNat 64 64) 16) (by rw [List.length_append, length_joins, hc]; exact whole)
        (fun some => by
          rw [length_ciphertext] at some ⊢
          exact (last_out some).1) (by
          rw [length_ciphertext]
          by_cases some : p.text.len % 16 = 0
          · rw [some, List.take_zero, List.drop_of_length_le (by rw [length_ciphertext]; omega)]
          · rw [(last_out some).2, a.bytes_last])
      rw [blockCount, length_ciphertext] at more
      rw [hh]
      exact more
    · have empty : p.ciphertext = [] := List.eq_nil_of_length_eq_zero (p.length_ciphertext.trans none)
      rw [empty, List.append_nil, none, key (by omega), rest (by omega)]
      exact h₁

end Piece
end Proof.AesGcm.Stream
