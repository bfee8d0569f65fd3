/-!
# Memory

Byte-addressed memory with 64-bit addresses that wrap. Reading and writing are defined pointwise, by the offset from a
start address.
-/

set_option autoImplicit false
namespace TCB

/-- A byte. -/
abbrev Byte := BitVec 8

/-- A virtual address. -/
abbrev Addr := BitVec 64

/-- What every address holds. -/
abbrev Mem := Addr → Byte

/-- How far `x` lies after `a`, modulo 2^64. -/
def offset (a x : Addr) : Nat := (x - a).toNat

/-- The `n` bytes of `m` from address `a`. -/
def bytesAt (m : Mem) (a : Addr) (n : Nat) : List Byte :=
  (List.range n).map fun i => m (a + BitVec.ofNat 64 i)

/-- `m` with the bytes `bs` stored from address `a`. -/
def writeBytes (m : Mem) (a : Addr) (bs : List Byte) : Mem :=
  fun x => bs[offset a x]?.getD (m x)

/-- The low `n` bytes of a word, least significant first (both architectures run little-endian). -/
def toBytes {w : Nat} (n : Nat) (v : BitVec w) : List Byte :=
  (List.range n).map fun i => v.extractLsb' (8 * i) 8

/-- The word of `w` bits with the given bytes, least significant first. -/
def ofBytes (w : Nat) : List Byte → BitVec w
  | [] => 0
  | b :: bs => (ofBytes w bs <<< 8) ||| b.setWidth w

/-- The 64-bit word of `m` at address `a`. -/
def word64 (m : Mem) (a : Addr) : BitVec 64 := ofBytes 64 (bytesAt m a 8)

/-! ## Regions -/

/-- The `len` bytes from `base`. -/
structure Region where
  base : Addr
  len : Nat
  deriving DecidableEq

namespace Region

/-- The address `x` lies in the region. -/
def Contains (r : Region) (x : Addr) : Prop := offset r.base x < r.len

/-- The `n` bytes from `a` lie in the region. -/
def covers (r : Region) (a : Addr) (n : Nat) : Bool := decide (offset r.base a + n ≤ r.len)

/-- No address lies in both regions; an empty region is disjoint from every other. -/
def Disjoint (r q : Region) : Prop := ∀ x, ¬(r.Contains x ∧ q.Contains x)

/-- The region does not wrap around the end of the address space. -/
def Fits (r : Region) : Prop := r.base.toNat + r.len ≤ 2 ^ 64

/-- The contents of the region. -/
def bytes (r : Region) (m : Mem) : List Byte := bytesAt m r.base r.len

end Region

/-- The `n` bytes from `a` lie in one of the regions. -/
def covered (rs : List Region) (a : Addr) (n : Nat) : Bool := rs.any fun r => r.covers a n

end TCB
