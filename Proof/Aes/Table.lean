import Spec.Aes

/-!
# The S-box as a table

The S-box of TCB computes an inverse, which is slow to evaluate. This one is read from the table of FIPS 197.
-/

set_option autoImplicit false
namespace Proof.Aes
open TCB TCB.Aes

/-- The rows of table 4 in FIPS 197, section 5.1.1; the first entry of a row is its highest byte. -/
def sboxRows : List Nat := [
  0x637c777bf26b6fc53001672bfed7ab76, 0xca82c97dfa5947f0add4a2af9ca472c0,
  0xb7fd9326363ff7cc34a5e5f171d83115, 0x04c723c31896059a071280e2eb27b275,
  0x09832c1a1b6e5aa0523bd6b329e32f84, 0x53d100ed20fcb15b6acbbe394a4c58cf,
  0xd0efaafb434d338545f9027f503c9fa8, 0x51a3408f929d38f5bcb6da2110fff3d2,
  0xcd0c13ec5f974417c4a77e3d645d1973, 0x60814fdc222a908846eeb814de5e0bdb,
  0xe0323a0a4906245cc2d3ac629195e479, 0xe7c8376d8dd54ea96c56f4ea657aae08,
  0xba78252e1ca6b4c6e8dd741f4bbd8b8a, 0x703eb5664803f60e613557b986c11d9e,
  0xe1f8981169d98e949b1e87e9ce5528df, 0x8ca1890dbfe6426841992d0fb054bb16]

/-- An entry of the table. -/
def sboxTable (b : Byte) : Byte :=
  BitVec.ofNat 8 (sboxRows.getD (b.toNat / 16) 0 >>> (8 * (15 - b.toNat % 16)))

/-! The same arithmetic on natural numbers. The kernel computes with these at once, where no instances or recursion stand in
the way. -/

def xtimeNat (b : Nat) : Nat := Nat.xor (Nat.mul (nat_lit 2) b) (Nat.mul (Nat.div b (nat_lit 128)) (nat_lit 0x11b))

def mulNat (a b : Nat) : Nat :=
  let term (b a : Nat) := Nat.mul (Nat.mod b (nat_lit 2)) a
  let a1 := xtimeNat a
  let a2 := xtimeNat a1
  let a3 := xtimeNat a2
  let a4 := xtimeNat a3
  let a5 := xtimeNat a4
  let a6 := xtimeNat a5
  let a7 := xtimeNat a6
  Nat.xor (term b a) (Nat.xor (term (Nat.div b (nat_lit 2)) a1) (Nat.xor (term (Nat.div b (nat_lit 4)) a2)
    (Nat.xor (term (Nat.div b (nat_lit 8)) a3) (Nat.xor (term (Nat.div b (nat_lit 16)) a4)
    (Nat.xor (term (Nat.div b (nat_lit 32)) a5) (Nat.xor (term (Nat.div b (nat_lit 64)) a6)
    (term (Nat.div b (nat_lit 128)) a7)))))))

def inverseNat (b : Nat) : Nat :=
  let b2 := mulNat b b
  let b4 := mulNat b2 b2
  let b8 := mulNat b4 b4
  let b16 := mulNat b8 b8
  let b32 := mulNat b16 b16
  let b64 := mulNat b32 b32
  mulNat b2 (mulNat b4 (mulNat b8 (mulNat b16 (mulNat b32 (mulNat b64 (mulNat b64 b64))))))

theorem forall_byte {P : Byte → Prop} (h : ∀ i : Fin 256, P (BitVec.ofNat 8 i)) (b : Byte) : P b := by
  have := h b.toFin
  simpa using this

theorem xtime_toNat (b : Byte) : (xtime b).toNat = xtimeNat b.toNat :=
  forall_byte (P := fun b => (xtime b).toNat = xtimeNat b.toNat) (by decide +kernel) b

theorem mulBits_succ_toNat (n : Nat) (a b : Byte) :
    (mulBits (n + 1) a b).toNat = b.toNat % 2 * a.toNat ^^^ (mulBits n (xtime a) (b >>> 1)).toNat := by
  have low : (if b.getLsbD 0 then a else 0).toNat = b.toNat % 2 * a.toNat := by
    rw [← BitVec.testBit_toNat, Nat.testBit_zero]
    rcases Nat.mod_two_eq_zero_or_one b.toNat with h | h <;> simp [h]
  rw [mulBits, BitVec.toNat_xor, low]

theorem mul_toNat (a b : Byte) : (TCB.Aes.mul a b).toNat = mulNat a.toNat b.toNat := by
  have zero (a b : Byte) : (mulBits 0 a b).toNat = 0 := rfl
  rw [TCB.Aes.mul]
  iterate 8 rw [mulBits_succ_toNat]
  simp only [zero, Nat.xor_zero, xtime_toNat, BitVec.toNat_ushiftRight, Nat.shiftRight_eq_div_pow, Nat.div_div_eq_div_mul]
  rfl

theorem inverse_toNat (b : Byte) : (inverse b).toNat = inverseNat b.toNat := by
  simp only [inverse, inverseNat, mul_toNat]

theorem sbox_eq_table (b : Byte) : sbox b = sboxTable b := by
  have h : sbox b = affine (BitVec.ofNat 8 (inverseNat b.toNat)) := by
    rw [← inverse_toNat, BitVec.ofNat_toNat, BitVec.setWidth_eq, sbox]
  rw [h]
  exact forall_byte (P := fun b => affine (BitVec.ofNat 8 (inverseNat b.toNat)) = sboxTable b) (by decide +kernel) b

/-- The cipher with this table. -/
def cipherTable (keys : List Block) (s : Block) : Block :=
  let subBytes (s : Block) : Block := ofFn fun i => sboxTable (byte s i)
  let round (s k : Block) : Block := mixColumns (shiftRows (subBytes s)) ^^^ k
  shiftRows (subBytes (keys.tail.dropLast.foldl round (s ^^^ keys.headD 0))) ^^^ keys.getLastD 0

theorem cipher_eq_table : Spec.Aes.cipher = cipherTable := by
  have h : subBytes = fun s => ofFn fun i => sboxTable (byte s i) := by
    funext s
    simp only [subBytes, sbox_eq_table]
  have hr : Spec.Aes.round = fun s k => mixColumns (shiftRows (subBytes s)) ^^^ k := rfl
  funext keys s
  rw [Spec.Aes.cipher, Spec.Aes.lastRound, hr, h]
  rfl

end Proof.Aes
