import TCB.Contract
import Spec.Gcm

/-!
# The key context

What kernels keep in memory for a key, 1,024 bytes: the round keys from offset 0, the hash subkey at offset 240, its powers
H^16, ..., H^1 from offset 256. Blocks of the hash are held as little-endian numbers, divided by the polynomial `x`, which
saves a shift in each product.
-/

set_option autoImplicit false
namespace Spec.AesGcm.Context
open TCB Ghash

/-- The length in bytes. -/
def size : Nat := 1024

/-- The 16 bytes at an offset, as a little-endian number. -/
def word (m : Mem) (ctx : Addr) (off : Nat) : BitVec 128 := ofBytes 128 (bytesAt m (ctx + BitVec.ofNat 64 off) 16)

/-- The round keys of a cipher with so many rounds (FIPS 197, section 5.1.4). -/
def roundKeys (m : Mem) (ctx : Addr) (rounds : Nat) : List TCB.Aes.Block :=
  (List.range (rounds + 1)).map fun i => word m ctx (16 * i)

/-- The hash subkey `H` (SP 800-38D, section 6.4). -/
def subkey (m : Mem) (ctx : Addr) : Block := mulX (word m ctx 240)

/-- `H^{i+1}` (SP 800-38D, section 6.4). -/
def power (h : Block) : Nat → Block
  | 0 => h
  | i + 1 => mul (power h i) h

/-- The context is one for the key: it holds the round keys and the hash subkey. -/
structure IsFor (key : List Byte) (m : Mem) (ctx : Addr) : Prop where
  roundKeys : roundKeys m ctx (Aes.rounds key.length) = Aes.expandKey key
  subkey : subkey m ctx = Gcm.subkey (Gcm.aes (Aes.expandKey key))

/-- The context is prepared: it holds the powers `H^16`, ..., `H^1` of its hash subkey. -/
def Prepared (m : Mem) (ctx : Addr) : Prop :=
  ∀ i, i < 16 → mulX (word m ctx (256 + 16 * (15 - i))) = power (subkey m ctx) i

/-- The ciphers that FIPS 197 defines have 10, 12 or 14 rounds (table 3). -/
def validRounds : Requirement where
  text := "`rounds` is 10, 12 or 14, for a key of 16, 24 or 32 bytes"
  Holds := fun a _ => (a "rounds").toNat ∈ [10, 12, 14]

/-- Whole blocks only. -/
def wholeBlocks : Requirement where
  text := "`len` is a multiple of 16"
  Holds := fun a _ => (a "len").toNat % 16 = 0

end Spec.AesGcm.Context
