import Proof.AesGcm.Seal.Witness
import Spec.AesGcm.Stream.Decrypt
import Spec.AesGcm.Stream.Encrypt
import Spec.AesGcm.Stream.Finish
import Spec.AesGcm.Stream.Init
import Spec.AesGcm.Stream.Verify

/-!
# A message in pieces: the witnesses

The two memories of `Proof.AesGcm.Message.Witness` meet the requirements of the contracts, for any table of constants.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.Witness
open TCB Spec.AesGcm Proof.AesGcm.Message.Witness

section
variable {constants record : List Byte} (small : constants.length ≤ 0x100000) (short : record.length ≤ 256) {a : Args}
  (ctx : a "ctx" = BitVec.ofNat 64 0x1000) (rounds : a "rounds" = 10)
include small short ctx rounds

/-- What all contracts require of the key context. -/
theorem keys {words : List (BitVec 128)} {other : Byte} (h : right words other = true) :
    ∀ q ∈ [Context.validRounds, Message.ofCipher, Message.prepared], q.Holds a (memory constants record words other) := by
  have all := Message.Witness.requires small short Seal.Witness.isValues h
  have same := Seal.Witness.isValues
  generalize TCB.Witness.args Spec.AesGcm.Seal.contract.sig values = b at all same
  have ctx : a "ctx" = b "ctx" := ctx.trans same.ctx.symm
  have rounds : a "rounds" = b "rounds" := rounds.trans same.rounds.symm
  intro q hq
  have holds := all q (by
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hq ⊢
    rcases hq with h | h | h
    · exact .inl h
    · exact .inr (.inl h)
    · exact .inr (.inr (.inl h)))
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hq
  rcases hq with rfl | rfl | rfl
  · show (a "rounds").toNat ∈ [10, 12, 14]
    rw [rounds]
    exact holds
  · show Context.subkey _ (a "ctx") = Spec.Gcm.subkey (Spec.Gcm.aes (Context.roundKeys _ (a "ctx") (a "rounds").toNat))
    rw [rounds, ctx]
    exact holds
  · show Context.Prepared _ (a "ctx")
    rw [ctx]
    exact holds

end

/-- Both memories meet what all contracts require, if they meet what is left. -/
theorem requires {con : Contract} {vs : List Nat} {constants : List Byte} (small : constants.length ≤ 0x100000)
    (short : (TCB.Witness.recordBytes con.sig vs).length ≤ 256)
    (ctx : TCB.Witness.args con.sig vs "ctx" = BitVec.ofNat 64 0x1000) (rounds : TCB.Witness.args con.sig vs "rounds" = 10)
    {rest : List Requirement} (all : con.requires = [Context.validRounds, Message.ofCipher, Message.prepared] ++ rest)
    (others : ∀ q ∈ rest, ∀ m, q.Holds (TCB.Witness.args con.sig vs) m) (m : Mem)
    (hm : m = fill words₁ 1 ∨ m = fill words₂ 2) : ∀ q ∈ con.requires, q.Holds (TCB.Witness.args con.sig vs)
      (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes con.sig vs))) := by
  intro q hq
  rw [all] at hq
  rcases List.mem_append.1 hq with hq | hq
  · rcases hm with rfl | rfl
    · exact keys small short ctx rounds right₁ q hq
    · exact keys small short ctx rounds right₂ q hq
  · exact others q hq _

/-- Where the arguments of the start lie, and the values of the fields. -/
def initValues : List Nat := [0x1000, 0x2000, 10, 0x3000, 12, 0x4000, 16, 0x5000]

/-- Where the arguments of a piece lie, and the values of the fields. -/
def pieceValues : List Nat := [0x1000, 0x2000, 10, 0x3000, 5, 0x5000, 16]

/-- Where the arguments of the end lie, and the values of the fields. -/
def finishValues : List Nat := [0x1000, 0x2000, 10, 0x3000, 16, 5, 0x5000]

/-- Where the arguments of the comparison lie, and the values of the fields. -/
def verifyValues : List Nat := finishValues ++ [16]

variable {constants : List Byte} (small : constants.length ≤ 0x100000) (m : Mem) (hm : m = fill words₁ 1 ∨ m = fill words₂ 2)
include small hm

/-- Both memories meet what the start requires. -/
theorem init : ∀ q ∈ Stream.Init.contract.requires, q.Holds (TCB.Witness.args Stream.Init.contract.sig initValues)
    (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes Stream.Init.contract.sig initValues))) :=
  requires small (by decide +kernel) (by decide +kernel) (by decide +kernel) (rest := [Stream.Init.supported]) rfl
    (fun q hq m => by
      rw [List.mem_singleton.1 hq]
      show Spec.Gcm.Supported (bytesAt _ _ _) (bytesAt _ _ _) []
      rw [Spec.Gcm.Supported, length_bytesAt, length_bytesAt]
      decide +kernel) m hm

/-- Both memories meet what encrypting a piece requires. -/
theorem encrypt : ∀ q ∈ Stream.Encrypt.contract.requires, q.Holds (TCB.Witness.args Stream.Encrypt.contract.sig pieceValues)
    (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes Stream.Encrypt.contract.sig pieceValues))) :=
  requires small (by decide +kernel) (by decide +kernel) (by decide +kernel) (rest := [Stream.supported]) rfl
    (fun q hq m => by
      rw [List.mem_singleton.1 hq]
      show (TCB.Witness.args Stream.Encrypt.contract.sig pieceValues "text_len").toNat + _ ≤ 2 ^ 36 - 32
      decide +kernel) m hm

/-- Both memories meet what decrypting a piece requires. -/
theorem decrypt : ∀ q ∈ Stream.Decrypt.contract.requires, q.Holds (TCB.Witness.args Stream.Decrypt.contract.sig pieceValues)
    (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes Stream.Decrypt.contract.sig pieceValues))) :=
  encrypt small m hm

/-- Both memories meet what the end requires. -/
theorem finish : ∀ q ∈ Stream.Finish.contract.requires, q.Holds (TCB.Witness.args Stream.Finish.contract.sig finishValues)
    (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes Stream.Finish.contract.sig finishValues))) :=
  requires small (by decide +kernel) (by decide +kernel) (by decide +kernel) (rest := []) rfl nofun m hm

/-- Both memories meet what the comparison requires. -/
theorem verify : ∀ q ∈ Stream.Verify.contract.requires, q.Holds (TCB.Witness.args Stream.Verify.contract.sig verifyValues)
    (TCB.Witness.mem constants (writeBytes m 0x2000 (TCB.Witness.recordBytes Stream.Verify.contract.sig verifyValues))) :=
  requires small (by decide +kernel) (by decide +kernel) (by decide +kernel) (rest := [_]) rfl
    (fun q hq m => by
      rw [List.mem_singleton.1 hq]
      show (TCB.Witness.args Stream.Verify.contract.sig verifyValues "tag_len").toNat ∈ Spec.Gcm.tagLengths
      decide +kernel) m hm

end Proof.AesGcm.Stream.Witness
