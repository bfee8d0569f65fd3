import Proof.Aes.Table
import Spec.Gcm

/-!
# What the specifications compute

For the gate `vectors`: a line of its input asks for one value, with strings in hexadecimal and `-` for the empty one; a
line of its output is that value.
-/

set_option autoImplicit false
namespace Emitter.Vectors
open TCB

/-- A digit. -/
def digit (c : Char) : Option Nat :=
  if '0' ≤ c ∧ c ≤ '9' then some (c.toNat - '0'.toNat)
  else if 'a' ≤ c ∧ c ≤ 'f' then some (c.toNat - 'a'.toNat + 10)
  else none

/-- The bytes of pairs of digits. -/
def bytesOfDigits : List Char → Option (List Byte)
  | [] => some []
  | a :: b :: rest => return BitVec.ofNat 8 ((← digit a) * 16 + (← digit b)) :: (← bytesOfDigits rest)
  | [_] => none

/-- The bytes of a word of a line. -/
def bytes (s : String) : Option (List Byte) := if s == "-" then some [] else bytesOfDigits s.toList

/-- The word for some bytes. -/
def hex (bs : List Byte) : String := if bs.isEmpty then "-" else String.join (bs.map BitVec.toHex)

/-- A block of AES. -/
def block (s : String) : Option Aes.Block := do
  let bs ← bytes s
  if bs.length = 16 then some (ofBytes 128 bs) else none

/-- AES as the block cipher of GCM, with a table for the S-box, which takes a tenth of the time. -/
def aes (roundKeys : List Aes.Block) (x : Spec.Ghash.Block) : Spec.Ghash.Block :=
  Spec.Gcm.ofBytes (toBytes 16 (Proof.Aes.cipherTable roundKeys (ofBytes 128 (Spec.Gcm.toBytes x))))

theorem aes_eq : aes = Spec.Gcm.aes := by
  funext roundKeys x
  rw [aes, Spec.Gcm.aes, Proof.Aes.cipher_eq_table]

theorem encrypt_eq (key : List Byte) : Spec.Gcm.encrypt key = Spec.Gcm.encryptWith (aes (Spec.Aes.expandKey key)) := by
  rw [aes_eq]
  rfl

theorem decrypt_eq (key : List Byte) : Spec.Gcm.decrypt key = Spec.Gcm.decryptWith (aes (Spec.Aes.expandKey key)) := by
  rw [aes_eq]
  rfl

/-- What a line asks for. -/
def answer (line : String) : Option String := do
  match line.splitOn " " with
  | ["expandKey", key] => return hex ((Spec.Aes.expandKey (← bytes key)).flatMap (toBytes 16))
  | ["encryptBlock", key, b] => return hex (toBytes 16 (Spec.Aes.encryptBlock (← bytes key) (← block b)))
  | ["gctr", key, icb, text] =>
    let ciph := aes (Spec.Aes.expandKey (← bytes key))
    return hex (Spec.Gcm.gctr ciph (Spec.Gcm.ofBytes (toBytes 16 (← block icb))) (← bytes text))
  | ["encrypt", key, t, nonce, aad, text] =>
    let ciph := aes (Spec.Aes.expandKey (← bytes key))
    let (c, tag) := Spec.Gcm.encryptWith ciph (← t.toNat?) (← bytes nonce) (← bytes aad) (← bytes text)
    return s!"{hex c} {hex tag}"
  | ["decrypt", key, nonce, aad, text, tag] =>
    let ciph := aes (Spec.Aes.expandKey (← bytes key))
    let text := Spec.Gcm.decryptWith ciph (← bytes nonce) (← bytes aad) (← bytes text) (← bytes tag)
    return text.elim "fail" hex
  | _ => none

end Emitter.Vectors

/-- The command. -/
def main : IO Unit := do
  let input ← IO.getStdin
  repeat
    let line := (← input.getLine).trimAscii.toString
    if line.isEmpty then break
    let some value := Emitter.Vectors.answer line
      | IO.eprintln s!"error: cannot answer: {line}"
        IO.Process.exit 1
    IO.println value
  IO.Process.exit 0
