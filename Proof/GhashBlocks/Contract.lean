import Proof.Framework.Plain
import Proof.Framework.SymExec.Stores
import Proof.Framework.Witness
import Proof.Gf2.Context
import Spec.GhashBlocks

/-!
# GHASH of whole blocks: the contract

What the contract says in terms of registers and memory, its result from what the memory holds at the end, and the memory of
its witness, for every target.
-/

set_option autoImplicit false
namespace Proof.GhashBlocks
open TCB SymExec Spec.AesGcm Spec.GhashBlocks Proof.Gf2

section
variable {S I C F : Type} (t : Target S I C F) {constants : List Byte} {s s' : S}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m = [⟨"ctx", .input, ⟨a "ctx", 1024⟩⟩,
    ⟨"y", .inout, ⟨a "y", 16⟩⟩, ⟨"data", .input, ⟨a "data", (a "len").toNat⟩⟩] := rfl

/-- What the precondition says, for the arguments by position. -/
structure Pre (m : Memory) (ctx y data : Addr) (n : Nat) : Prop where
  bound : 16 * n < 2 ^ 64
  table : IsTable (Context.subkey m.bytes ctx) (tableAt m.bytes ctx) 16
  readsCtx : Within m.readable ⟨ctx, 1024⟩
  reads : Within m.readable ⟨y, 16⟩
  writes : Within m.writable ⟨y, 16⟩
  readsData : Within m.readable ⟨data, 16 * n⟩

/-- The length in blocks. -/
theorem len_eq (h : t.Pre contract constants s) : 16 * ((t.abi.arg s 3).toNat / 16) = (t.abi.arg s 3).toNat :=
  Nat.mul_div_cancel' (Nat.dvd_of_mod_eq_zero (h.requires _ (.head _)))

/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract constants s) :
    Pre (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 1) (t.abi.arg s 2) ((t.abi.arg s 3).toNat / 16) where
  bound := by rw [len_eq t h]; exact BitVec.isLt _
  table := (prepared_iff ..).1 (h.requires _ (.tail _ (.head _)))
  readsCtx := h.reads (b := ⟨"ctx", .input, ⟨t.abi.arg s 0, 1024⟩⟩) (.head _) rfl
  reads := h.reads (b := ⟨"y", .inout, ⟨t.abi.arg s 1, 16⟩⟩) (.tail _ (.head _)) rfl
  writes := h.writes (b := ⟨"y", .inout, ⟨t.abi.arg s 1, 16⟩⟩) (.tail _ (.head _)) rfl
  readsData := by
    rw [len_eq t h]
    exact h.reads (b := ⟨"data", .input, ⟨t.abi.arg s 2, (t.abi.arg s 3).toNat⟩⟩) (.tail _ (.tail _ (.head _))) rfl

/-- The hash of the first `n` blocks. -/
def hashed (m : Mem) (ctx y data : Addr) (n : Nat) : Spec.Ghash.Block :=
  Spec.Ghash.ghash (Context.subkey m ctx) (bswap128 (ofBytes 128 (bytesAt m y 16))) (blocksAt m data n)

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (hm : t.mem s' = writeBytes (t.mem s) (t.abi.arg s 1) (toBytes 16 (bswap128
      (hashed (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1) (t.abi.arg s 2) ((t.abi.arg s 3).toNat / 16))))) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  constructor
  · show bytesAt (t.mem s') (t.abi.arg s 1) 16 = Spec.Gcm.toBytes (Spec.Ghash.ghash (Context.subkey (t.mem s) (t.abi.arg s 0))
      (Spec.Gcm.ofBytes (bytesAt (t.mem s) (t.abi.arg s 1) 16))
      (Spec.Gcm.blocks (bytesAt (t.mem s) (t.abi.arg s 2) (t.abi.arg s 3).toNat)))
    have same := bytesAt_writeBytes_same (t.mem s) (t.abi.arg s 1) (bs := toBytes 16 (bswap128
      (hashed (t.mem s) (t.abi.arg s 0) (t.abi.arg s 1) (t.abi.arg s 2) ((t.abi.arg s 3).toNat / 16)))) (by simp)
    rw [length_toBytes] at same
    rw [hm, same, toBytes_bswap128, hashed, blocks_bytesAt, bswap128_ofBytes (length_bytesAt ..)]
  · intro x hx
    rw [hm]
    refine writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("y", .const 16), .head _, ?_⟩)
    rw [length_toBytes] at hl
    exact hl

end

/-! ## The witness -/

namespace Witness

/-- Where the arguments of the witness lie. -/
def values : List Nat := [0x1000, 0x2000, 0x3000, 16]

/-- A stored hash subkey, and the stored forms of its powers, the highest first: without a byte that is zero. -/
def words : List (BitVec 128) := [
  0x0123456d9bc9f826412b14fee8d2bd87,
  0x3043506c1c538e5a480a46e295eaf91d, 0x3551bd03658b86e30d3f7436c3c614b7,
  0x8fba575a2d810fde70634585d51f0443, 0xb06e0f897a290b0f678bda62c8925dfa,
  0xc195dc49e19db6242cbbf4494e34d6b1, 0x4bb8176e385da2fa3512c4bec8480d35,
  0x3360326b11128b9ae1a15b6cfcfe1a31, 0x93ba996660f3a680f79e2b841143db94,
  0x2fc16fa95e51dc67900dfcf96b5138df, 0x08149ccd71a929f054b0c95d2fec9491,
  0x86ee3d59ec829c1f5a0533d28e4dd353, 0xc7c1568b318bfd7ed2f003153f9e1dd2,
  0xe2976c3f44267051363b0167fa8d49eb, 0xc5a10f622e1eac841d68ca06b67cfa6e,
  0xb874c17b5bcf5e50829dbd242b67168e, 0x0123456d9bc9f826412b14fee8d2bd87]

/-- Word `k`. -/
def wordAt (k : Nat) : BitVec 128 := (nth words k).getD 0

/-- Memory that holds the words from offset 240 of the context, and no byte that is zero. -/
def fill : Mem := fun x =>
  let i := offset 0x10f0 x
  if i < 272 then (wordAt (i / 16)).extractLsb' (8 * (i % 16)) 8 else 1

/-- No byte is zero. -/
theorem fill_ne (x : Addr) : (0 : Byte) ≠ fill x := by
  have all : ∀ k, k < 17 → ∀ i, i < 16 → (0 : Byte) ≠ (wordAt k).extractLsb' (8 * i) 8 := by decide +kernel
  simp only [fill]
  split
  · exact all _ (by omega) _ (by omega)
  · decide

/-- The words are where they are. -/
theorem word_fill {k : Nat} (hk : k < 17) : Context.word fill 0x1000 (240 + 16 * k) = wordAt k := by
  have bytes : bytesAt fill (0x1000 + BitVec.ofNat 64 (240 + 16 * k)) 16 = toBytes 16 (wordAt k) := by
    refine List.map_congr_left fun i hi => ?_
    have hi := List.mem_range.1 hi
    have off : offset 0x10f0 (0x1000 + BitVec.ofNat 64 (240 + 16 * k) + BitVec.ofNat 64 i) = 16 * k + i := by
      unfold offset; bv_omega
    simp only [fill, off, if_pos (show 16 * k + i < 272 by omega), show (16 * k + i) / 16 = k by omega,
      show (16 * k + i) % 16 = i by omega]
  rw [Context.word, bytes, ofBytes_toBytes _ (by decide)]

/-- One product after the other shows that a context is prepared. -/
theorem prepared_of_steps {m : Mem} (first : Context.word m 0x1000 496 = Context.word m 0x1000 240)
    (steps : ∀ i, i < 15 → Spec.Ghash.mulX (Context.word m 0x1000 (256 + 16 * (14 - i))) =
      Spec.Ghash.mul (Spec.Ghash.mulX (Context.word m 0x1000 (256 + 16 * (15 - i)))) (Context.subkey m 0x1000)) :
    Context.Prepared m 0x1000 := by
  intro i hi
  induction i with
  | zero => rw [Context.power, Context.subkey, first]
  | succ i ih => rw [Context.power, ← ih (by omega), ← steps i (by omega), show 15 - (i + 1) = 14 - i by omega]

/-- All powers of zero are zero. -/
theorem prepared_zero : Context.Prepared (fun _ => 0) 0x1000 := by
  have word (off : Nat) : Context.word (fun _ => 0) 0x1000 off = 0 := (rfl : ofBytes 128 (List.replicate 16 0) = 0#128)
  refine prepared_of_steps ((word _).trans (word _).symm) fun i _ => ?_
  rw [Context.subkey, word, word, word]
  exact (zero_mul _).symm

/-- The context is prepared. -/
theorem prepared_fill : Context.Prepared fill 0x1000 := by
  have steps : ∀ i, i < 15 → Spec.Ghash.mulX (wordAt (15 - i)) =
      Spec.Ghash.mul (Spec.Ghash.mulX (wordAt (16 - i))) (Spec.Ghash.mulX (wordAt 0)) := by decide +kernel
  have h0 : Context.word fill 0x1000 240 = wordAt 0 := word_fill (k := 0) (by decide)
  refine prepared_of_steps ((word_fill (k := 16) (by decide)).trans h0.symm) fun i hi => ?_
  rw [show 256 + 16 * (14 - i) = 240 + 16 * (15 - i) by omega, show 256 + 16 * (15 - i) = 240 + 16 * (16 - i) by omega,
    Context.subkey, h0, word_fill (by omega), word_fill (by omega), steps i hi]

/-- Both memories meet the requirements. -/
theorem requires : ∀ r ∈ contract.requires, r.Holds (TCB.Witness.args contract.sig values) (TCB.Witness.mem [] fun _ => 0) ∧
    r.Holds (TCB.Witness.args contract.sig values) (TCB.Witness.mem [] fill) := by
  intro r hr
  simp only [TCB.Witness.mem, writeBytes_nil]
  rcases List.mem_cons.1 hr with rfl | hr
  · exact ⟨(by decide : 16 % 16 = 0), (by decide : 16 % 16 = 0)⟩
  · rw [List.mem_singleton.1 hr]
    exact ⟨prepared_zero, prepared_fill⟩

end Witness
end Proof.GhashBlocks
