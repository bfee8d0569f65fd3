import Impl.AesGcm.Message.X86_64

/-!
# Opening a message in place, on x86-64 with AES-NI and PCLMULQDQ

One pass: groups of blocks are hashed and decrypted. What is left, at most 127 bytes, is hashed with the block of the lengths in
one reduction; its keystream waits in `xmm0` to `xmm7` until the tag is known. After a wrong tag the keystream is added to the
groups once more, and the data are as they were.
-/

set_option autoImplicit false
namespace Impl.AesGcm.Open.X86_64
open TCB.X86_64 Impl.X86_64 Impl.AesGcm.X86_64 Impl.Ghash.X86_64
open Impl.AesCtr32.X86_64 (write)

/-! ## Groups -/

/-- Decrypt eight blocks. -/
def decrypt : Kernel := Code.seqs [keystream 8, .block (write 8), .block [.mov .rdi .r9]]

/-- Hash eight blocks, and then decrypt them, which overwrites them. -/
def group : Kernel := .seq (.block (hash 7)) decrypt

/-! ## What is left -/

/-- The keystream of what is left. -/
def streamRest : Kernel := .seq (.block [.alu .cmp .r8 (imm 65)]) (.ite .b (keystream 4) (keystream 8))

/-- The block in `xmm15` is the next. -/
def hashNext : List Instr := .vecBin .pshufb .xmm 15 15 (.reg 9) :: next (at_ .rdi)

/-- Hash what is left. -/
def hashRest : Kernel := Code.seqs [
  runs 16 (.block (.vmovdquLoad .xmm 15 (at_ .rcx) :: hashNext ++ [.alu .add .rdi (imm 16)])),
  .block [.alu .test .r8 (.reg .r8)],
  .skipIf .e (.seq (Impl.Partial.X86_64.load slideAt 15 12 .rcx .r8) (.block hashNext))]

/-- Past the groups: `rcx` and `r8` are what is left of the text. -/
def skip : List Instr := [.mov .rax .r8, .alu .and .r8 (imm 127), .alu .sub .rax (.reg .r8), .alu .add .rcx (.reg .rax)]

/-- Decrypt a block; the keystream of the next one moves to `xmm0`. -/
def decryptNext : List Instr :=
  [.vecBin .pxor .xmm 0 0 (.mem (at_ .rcx)), .vmovdquStore .xmm (at_ .rcx) 0] ++
    (List.range 7).map fun i => .vmovdqa .xmm (vec i) (vec (i + 1))

/-- Decrypt what is left. -/
def decryptRest : Kernel := Code.seqs [
  arguments 5, .block skip, runs 16 (.block decryptNext),
  .block [.alu .test .r8 (.reg .r8)],
  .skipIf .e <| Code.seqs [
    Impl.Partial.X86_64.load slideAt 1 2 .rcx .r8, .block [xor .xmm 0 1], Impl.Partial.X86_64.store slideAt 0 2 .rcx .r8]]

/-! ## A wrong tag -/

/-- The groups become what they were. The counter is found again from the nonce. -/
def restore : Kernel := Code.seqs [
  .block constants, nonce, .block [.vecBin .paddd .xmm 8 8 (.reg 10)], .block [.mov .rdi .r9], arguments 5, runs 128 decrypt]

/-! ## The kernel -/

/-- Leave nothing, and return `v`. -/
def leave (v : Nat) : Kernel := .seq (.block clearAll) (.block [.clear .r11, .movImm .rax (BitVec.ofNat 64 v)])

/-- Opening, given the code that hashes and decrypts all but less than 128 bytes. -/
def opening (bulk : Kernel) : Kernel := Code.seqs [
  start, bulk, streamRest, .block ready, .block empty, hashRest, loadLengths 15 4 6, .block finish, given 7,
  Impl.Partial.X86_64.keepFirst onesAt 11 .r8, .block compare, .revealIf 0 1 .e (.seq decryptRest (leave 1)) (.seq restore (leave 0))]

/-- The kernel. -/
def code : Kernel := opening (runs 128 group)

/-- The program. -/
def program : TCB.Program Instr Cond Feature := { features := [.avx, .aes, .pclmulqdq], code := code.lower, constants := table }

end Impl.AesGcm.Open.X86_64
