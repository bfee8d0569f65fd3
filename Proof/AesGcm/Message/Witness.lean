import Proof.Aes.Table
import Proof.GhashBlocks.Contract
import Spec.AesGcm.Message

/-!
# The witness of a message

Two memories that meet what is required of a message, and differ in every byte but those of the structure of arguments. All
bytes but those of the hash subkey and its powers are 1 in one of them and 2 in the other, round keys too: such keys, of which
every byte of the hash subkey is the same, were searched for until all stored powers differed in every byte.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Message.Witness
open TCB Spec.AesGcm
open Spec.Ghash (mul mulX)

/-- Where the arguments of the witness lie, and the values of the fields. -/
def values : List Nat := [0x1000, 0x2000, 10, 0x3000, 12, 0x4000, 16, 0x5000, 16, 0x6000, 16]

/-! ## Memory -/

/-- Memory that holds the words from offset 240 of the context, and a byte elsewhere. -/
def fill (words : List (BitVec 128)) (other : Byte) : Mem := fun x =>
  let i := offset 0x10f0 x
  if i < 272 then (words.getD (i / 16) 0).extractLsb' (8 * (i % 16)) 8 else other

/-- The memory of the witness, with a table of constants and a structure of arguments. -/
abbrev memory (constants record : List Byte) (words : List (BitVec 128)) (other : Byte) : Mem :=
  TCB.Witness.mem constants (writeBytes (fill words other) 0x2000 record)

section
variable {constants record : List Byte} (small : constants.length ≤ 0x100000) (short : record.length ≤ 0x100)
  (words : List (BitVec 128)) (other : Byte)
include small short

/-- Below the table and outside the structure, memory is as it was filled. -/
theorem memory_eq {x : Addr} (h : x.toNat < 0x2000 ∨ 0x2100 ≤ x.toNat ∧ x.toNat < 0x100000) :
    memory constants record words other x = fill words other x := by
  rw [memory, TCB.Witness.mem, writeBytes_outside, writeBytes_outside]
  · simp only [offset]; bv_omega
  · simp only [offset, TCB.Witness.tableBase]; bv_omega

/-- Bytes that are all the same. -/
theorem bytesAt_memory {p n : Nat} (h : p + n ≤ 0x10f0 ∨ 0x2100 ≤ p ∧ p + n ≤ 0x100000) :
    bytesAt (memory constants record words other) (BitVec.ofNat 64 p) n = List.replicate n other := by
  apply List.ext_getElem?
  intro i
  rw [getElem?_bytesAt, List.getElem?_replicate]
  by_cases hi : i < n
  · have at' : (BitVec.ofNat 64 p + BitVec.ofNat 64 i).toNat = p + i := by
      rw [← BitVec.ofNat_add, BitVec.toNat_ofNat, Nat.mod_eq_of_lt (by omega)]
    have out : ¬ offset 0x10f0 (BitVec.ofNat 64 p + BitVec.ofNat 64 i) < 272 := by
      simp only [offset]
      generalize BitVec.ofNat 64 p + BitVec.ofNat 64 i = x at at'
      bv_omega
    rw [if_pos hi, if_pos hi, memory_eq small short _ _ (by omega)]
    exact congrArg some (if_neg out)
  · rw [if_neg hi, if_neg hi]

/-- The words are where they are. -/
theorem word_memory {k : Nat} (hk : k < 17) :
    Context.word (memory constants record words other) 0x1000 (240 + 16 * k) = words.getD k 0 := by
  have bytes : bytesAt (memory constants record words other) (0x1000 + BitVec.ofNat 64 (240 + 16 * k)) 16 =
      toBytes 16 (words.getD k 0) := by
    refine List.map_congr_left fun i hi => ?_
    have hi := List.mem_range.1 hi
    have off : offset 0x10f0 (0x1000 + BitVec.ofNat 64 (240 + 16 * k) + BitVec.ofNat 64 i) = 16 * k + i := by
      unfold offset; bv_omega
    rw [memory_eq small short _ _ (.inl (by bv_omega))]
    simp only [fill, off, if_pos (show 16 * k + i < 272 by omega), show (16 * k + i) / 16 = k by omega,
      show (16 * k + i) % 16 = i by omega]
  rw [Context.word, bytes, ofBytes_toBytes _ (by decide)]

/-- The round keys are all the same. -/
theorem roundKeys_memory : Context.roundKeys (memory constants record words other) 0x1000 10 =
    List.replicate 11 (ofBytes 128 (List.replicate 16 other)) := by
  refine List.eq_replicate_iff.2 ⟨rfl, fun k hk => ?_⟩
  obtain ⟨i, hi, rfl⟩ := List.mem_map.1 hk
  have hi := List.mem_range.1 hi
  rw [Context.word, show (0x1000 : Addr) = BitVec.ofNat 64 0x1000 from rfl, ← BitVec.ofNat_add,
    bytesAt_memory small short _ _ (by omega)]

end

/-! ## What is computed -/

/-- The cipher, with the table of the S-box. -/
def aes (keys : List TCB.Aes.Block) (x : Spec.Ghash.Block) : Spec.Ghash.Block :=
  Spec.Gcm.ofBytes (toBytes 16 (Proof.Aes.cipherTable keys (ofBytes 128 (Spec.Gcm.toBytes x))))

/-- It is the cipher. -/
theorem aes_eq : Spec.Gcm.aes = aes := by
  funext keys x
  rw [Spec.Gcm.aes, Proof.Aes.cipher_eq_table, aes]

/-- The cipher of round keys that are all the same. -/
def cipher (other : Byte) : Spec.Ghash.Block → Spec.Ghash.Block :=
  aes (List.replicate 11 (ofBytes 128 (List.replicate 16 other)))

/-- The words are the hash subkey of the cipher and its powers, the highest first, in the form in which they are stored. -/
def right (words : List (BitVec 128)) (other : Byte) : Bool :=
  let h := mulX (words.getD 0 0)
  h == cipher other 0 && words.getD 16 0 == words.getD 0 0 &&
    (List.range 15).all fun i => mulX (words.getD (15 - i) 0) == mul (mulX (words.getD (16 - i) 0)) h

/-- The message cannot be opened, with a tag of equal bytes. -/
def closed (other : Byte) : Bool := (Spec.Gcm.decryptWith (cipher other) (List.replicate 12 other) (List.replicate 16 other)
  (List.replicate 16 other) (List.replicate 16 other)).isNone

/-- The words of the memory of ones. -/
def words₁ : List (BitVec 128) := [
  0xb8b8b8b8b8b8b8b8b8b8b8b8b8b8b8b8, 0x05eacddb4e2e28c30fd59bb49c5da4e1, 0x032eee2c2ab843d025389d1d38b809f6,
  0x17ab35aca6f920280337ab37ab34afe6, 0x0cbbb7b3ffb4c3800b8b8b8b8b80b8b8, 0x0bd5b72a2744a728fd59bb49c5d9bb4a,
  0x6deeeb83b061d3825389d1d38b89d1da, 0xb8b36aa36fb37a80337ab37ab37ab349, 0xcbbbc8cbc8b8b800b8b8b8b8b8b8b800,
  0x557847117eacde52717946107eacde52, 0xaad5bdd02e2e2c74e2c51f602e2e2c74, 0x5e23bb61fab37ab07e62fe61fab37ab0,
  0xedcffb80b8b8b8b38b8b8b80b8b8b8b3, 0xc858c5d9bb49c5d9bb49c5d9bb49c5d9, 0x8a638b89d1d38b89d1d38b89d1d38b89,
  0xd27ab37ab37ab37ab37ab37ab37ab37a, 0xb8b8b8b8b8b8b8b8b8b8b8b8b8b8b8b8]

/-- The words of the memory of twos. -/
def words₂ : List (BitVec 128) := [
  0xb97b7b7b7b7b7b7b7b7b7b7b7b7b7b7b, 0x920c20fc59ba49c7107eacdf51841fa8, 0xc6e160f242e15e970d14d6e04805ffb7,
  0x6a95c1809011190010118c5184d145d5, 0x803ae00183a0019a0019b7a17a16cdb6, 0xfd6f80521c31c21d1d62f2b0803ca0fe,
  0x47609a50164f9f5fc5ec85a0004cc969, 0x1b1141dccc01d8c988cdd945149c5145, 0x017b9a0ee1940f7a017b7b7a00017b7a,
  0x061eaa359c5ca4e1041fab349c5da4e1, 0xa351f3e69f9a5b7fec8124db6cda5b7f, 0xf1d40401c1880c1c9c904104d1880c1c,
  0x8f59a00e17b6cdb6db7a017a17b6cdb6, 0x6b3ddf524e2cde524e2cde524e2cde52, 0xab96e04cc925a04cc925a04cc925a04c,
  0x22c945d945d945d945d945d945d945d9, 0xb97b7b7b7b7b7b7b7b7b7b7b7b7b7b7b]

theorem right₁ : right words₁ 1 = true := by decide +kernel
theorem right₂ : right words₂ 2 = true := by decide +kernel
theorem closed₁ : closed 1 = true := by decide +kernel
theorem closed₂ : closed 2 = true := by decide +kernel

/-- No byte is the same in both. -/
theorem fill_ne (x : Addr) : fill words₁ 1 x ≠ fill words₂ 2 x := by
  have all : ∀ k, k < 17 → ∀ i, i < 16 →
      (words₁.getD k 0).extractLsb' (8 * i) 8 ≠ (words₂.getD k 0).extractLsb' (8 * i) 8 := by decide +kernel
  simp only [fill]
  split
  · exact all _ (by omega) _ (by omega)
  · decide

/-! ## The requirements -/

/-- The arguments are those of the witness. -/
structure IsValues (a : Args) : Prop where
  ctx : a "ctx" = BitVec.ofNat 64 0x1000
  rounds : a "rounds" = 10
  nonce : a "nonce" = BitVec.ofNat 64 0x3000
  nonceLen : a "nonce_len" = 12
  aad : a "aad" = BitVec.ofNat 64 0x4000
  aadLen : a "aad_len" = 16
  data : a "data" = BitVec.ofNat 64 0x5000
  len : a "len" = 16

section
variable {constants record : List Byte} (small : constants.length ≤ 0x100000) (short : record.length ≤ 0x100)
  {words : List (BitVec 128)} {other : Byte} {a : Args} (ha : IsValues a)
include small short ha

/-- The cipher of the context. -/
theorem cipher_memory : Message.cipher a (memory constants record words other) = cipher other := by
  rw [Message.cipher, ha.ctx, ha.rounds, aes_eq]
  exact congrArg aes (roundKeys_memory small short words other)

/-- What every message requires. -/
theorem requires (h : right words other = true) :
    ∀ q ∈ [Context.validRounds, Message.ofCipher, Message.prepared, Message.supported],
      q.Holds a (memory constants record words other) := by
  simp only [right, Bool.and_eq_true, beq_iff_eq, List.all_eq_true, List.mem_range] at h
  obtain ⟨⟨first, last⟩, steps⟩ := h
  have h₀ : Context.word (memory constants record words other) 0x1000 240 = words.getD 0 0 :=
    word_memory small short words other (k := 0) (by decide)
  intro q hq
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hq
  obtain rfl | rfl | rfl | rfl := hq
  · show (a "rounds").toNat ∈ [10, 12, 14]
    rw [ha.rounds]
    decide
  · show Context.subkey (memory constants record words other) (a "ctx") = Spec.Gcm.subkey (Message.cipher a _)
    rw [cipher_memory small short ha, ha.ctx]
    exact (congrArg mulX h₀).trans first
  · show Context.Prepared (memory constants record words other) (a "ctx")
    rw [ha.ctx]
    refine GhashBlocks.Witness.prepared_of_steps
      (((word_memory small short words other (k := 16) (by decide)).trans last).trans h₀.symm) fun i hi => ?_
    rw [show 256 + 16 * (14 - i) = 240 + 16 * (15 - i) by omega, show 256 + 16 * (15 - i) = 240 + 16 * (16 - i) by omega,
      Context.subkey, h₀, word_memory small short _ _ (by omega), word_memory small short _ _ (by omega), steps i hi]
  · show Spec.Gcm.Supported (bytesAt _ _ _) (bytesAt _ _ _) (bytesAt _ _ _)
    rw [Spec.Gcm.Supported, length_bytesAt, length_bytesAt, length_bytesAt, ha.nonceLen, ha.aadLen, ha.len]
    decide

/-- The message is not opened. -/
theorem decryptWith_memory (h : closed other = true) : Spec.Gcm.decryptWith
    (Message.cipher a (memory constants record words other)) (Message.nonce a (memory constants record words other))
    (Message.aad a (memory constants record words other)) (Message.data a (memory constants record words other))
    (bytesAt (memory constants record words other) (BitVec.ofNat 64 0x6000) 16) = none := by
  have nonce := bytesAt_memory small short words other (p := 0x3000) (n := 12) (by decide)
  have aad := bytesAt_memory small short words other (p := 0x4000) (n := 16) (by decide)
  have data := bytesAt_memory small short words other (p := 0x5000) (n := 16) (by decide)
  have tag := bytesAt_memory small short words other (p := 0x6000) (n := 16) (by decide)
  rw [cipher_memory small short ha, Message.nonce, Message.aad, Message.data, ha.nonce, ha.nonceLen, ha.aad, ha.aadLen, ha.data,
    ha.len]
  show Spec.Gcm.decryptWith _ (bytesAt _ _ 12) (bytesAt _ _ 16) (bytesAt _ _ 16) _ = none
  rw [nonce, aad, data, tag]
  exact Option.isNone_iff_eq_none.1 h

end
end Proof.AesGcm.Message.Witness
