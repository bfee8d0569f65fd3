import Impl.AesGcm.Message.AArch64

/-!
# Opening a message in place, on AArch64 with AES and PMULL

One pass: groups of blocks are hashed and decrypted. What is left, at most 127 bytes, is hashed with the block of the lengths in
one reduction; its keystream waits in `v0` to `v7` until the tag is known. After a wrong tag the keystream is added to the
groups once more, and the data are as they were.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Open.AArch64
open TCB.AArch64 Impl.AArch64 Impl.AesGcm.AArch64 Impl.Ghash.AArch64
open Impl.AesCtr32.AArch64 (write)

/-! ## Groups -/

/-- Decrypt eight blocks. -/
def decrypt : Kernel := Code.seqs [keystream 8, .block (write 8), .block [.un .mov .x0 .x9]]

/-- Hash eight blocks and decrypt them: hashed first, since decrypting overwrites them. -/
def group : Kernel := .seq (.block (hash 7)) decrypt

/-! ## What is left -/

/-- The keystream of what is left. -/
def streamRest : Kernel := .seq (.block [.cmp .x4 (imm 65)]) (.ite .lo (keystream 4) (keystream 8))

/-- The block in `v25` is the next. -/
def hashNext : List Instr := .vecUn .rev64 26 25 :: swap 25 26 :: next (at_ .x0)

/-- Hash the next block. -/
def hashWhole : List Instr := .ldr (.vec 25) (at_ .x3) :: hashNext ++ [.alu .add .x0 .x0 (imm 16)]

/-- Hash what is left. -/
def hashRest : Kernel := .seq (runs 16 (.block hashWhole)) <|
  .skipIf (.zero .x4) (.seq (Impl.Partial.AArch64.load slideAt 25 29 .x3 .x4) (.block hashNext))

/-- Past the groups: `x3` and `x4` are what is left of the text. -/
def skip : List Instr := [.un (.lsr 7) .x5 .x4, .un (.lsl 6) .x5 .x5, .alu .add .x3 .x3 (.reg .x5), .alu .sub .x4 .x4 (.reg .x5)]

/-- Decrypt a block; the keystream of the next one moves to `v0`. -/
def decryptNext : List Instr :=
  [.ldr (.vec 19) (at_ .x3), xor 0 19, .str (.vec 0) (at_ .x3)] ++
    (List.range 7).map fun i => .vecBin .orr (vec i) (vec (i + 1)) (vec (i + 1))

/-- Decrypt what is left. -/
def decryptRest : Kernel := Code.seqs [
  arguments 5, .block skip, runs 16 (.block decryptNext),
  .skipIf (.zero .x4) <| Code.seqs [
    Impl.Partial.AArch64.load slideAt 1 2 .x3 .x4, .block [xor 0 1], Impl.Partial.AArch64.store slideAt 0 2 .x3 .x4]]

/-! ## The tag -/

/-- The tag that was given, in `v29`. -/
def given : Kernel := Code.seqs [
  arguments 7, .block [.cmp .x4 (imm 16)],
  .ite .eq (.block [.ldr (.vec 29) (at_ .x3)]) (Impl.Partial.AArch64.load slideAt 29 30 .x3 .x4)]

/-- No bit of the two differs. -/
def compare : List Instr := [xor 20 29, .umov (.d 0) .x5 20, .umov (.d 1) .x6 20, .logic .orr .x5 .x5 .x6]

/-- The groups become what they were. The counter is found again from the nonce. -/
def restore : Kernel := Code.seqs [
  .block constants, nonce, .block [.vecBin .add4s 17 17 18], .block [.un .mov .x0 .x9], arguments 5, runs 128 decrypt]

/-! ## The kernel -/

/-- Leave nothing, and return `v`. -/
def leave (v : Nat) : Kernel := .seq (.block clearAll) (.block [.mov .x5 0, .mov .x6 0, .mov .x0 (BitVec.ofNat 16 v)])

/-- Opening, given the code that hashes and decrypts all but less than 128 bytes. -/
def opening (bulk : Kernel) : Kernel := Code.seqs [
  start, bulk, streamRest, .block ready, .block empty, hashRest, loadLengths 25 4 6, .block finish, given,
  Impl.Partial.AArch64.keepFirst onesAt 20 30 .x4, .block compare,
  .revealIf 0 1 (.zero .x5) (.seq decryptRest (leave 1)) (.seq restore (leave 0))]

/-- The kernel. -/
def code : Kernel := opening (runs 128 group)

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.neon, .aes], code := code.lower, constants := table }

end Impl.AesGcm.Open.AArch64
