import TCB.Access

/-!
# Signatures

The Rust signature of a kernel says which buffers its arguments describe, which of them it reads and writes, and what is
public: the arguments themselves, the structure that holds those for which there are no registers, and the contents of lists
of slices. Everything else is secret.
-/

set_option autoImplicit false
namespace TCB

/-- A number of bytes or of elements: a constant, or the value of an argument. -/
inductive Extent where
  | const (n : Nat)
  | arg (name : String)
  deriving DecidableEq

/-- What a kernel does with the bytes of a buffer. -/
inductive Role where
  /-- read; secret -/
  | input
  /-- read; public -/
  | publicInput
  /-- written, never read -/
  | output
  /-- read and written; secret -/
  | inout
  /-- read and written; holds nothing on entry and nothing secret on return -/
  | scratch
  deriving DecidableEq

/-- The kernel may load from such a buffer. -/
def Role.reads : Role → Bool
  | .output => false
  | _ => true

/-- The kernel may store into such a buffer. -/
def Role.writes : Role → Bool
  | .output | .inout | .scratch => true
  | .input | .publicInput => false

/-- The contents on entry are secret. -/
def Role.secret : Role → Bool
  | .input | .inout => true
  | .publicInput | .output | .scratch => false

/-- The type of a parameter, or of a field of a structure. Each is one 64-bit integer. -/
inductive Ty where
  /-- `usize`: a public number -/
  | usize
  /-- `*const u8` or `*mut u8`: a buffer of `len` bytes -/
  | bytes (role : Role) (len : Extent)
  /-- `*const Slice`: a public list of `count` pairs of a pointer and a length (16 bytes each), and their secret bytes -/
  | slices (count : Extent)
  /-- `*const type`: a public structure, with the fields that the signature lists -/
  | record (type : String)
  deriving DecidableEq

/-- The type is that of a pointer to a structure. -/
def Ty.isRecord : Ty → Bool
  | .record _ => true
  | _ => false

/-- A parameter of a kernel, or a field of a structure. -/
structure Param where
  name : String
  ty : Ty
  deriving DecidableEq

/-- The signature of a kernel. -/
structure Sig where
  params : List Param
  /-- The fields of the structure that a parameter points to, if one does: 8 bytes each, one after the other. Their values
  are arguments like the others. -/
  fields : List Param := []
  /-- Whether the kernel returns a `u32`, which then fills the register of the result, extended with zeros. -/
  returns : Bool := false
  deriving DecidableEq

/-- The values of the arguments, by name. -/
abbrev Args := String → BitVec 64

/-- The argument of a parameter, from the arguments by position. -/
def Sig.passed (sig : Sig) (value : Nat → BitVec 64) (name : String) : Option (BitVec 64) :=
  (sig.params.findIdx? (·.name == name)).map value

/-- Where the structure is, if there is one. -/
def Sig.record (sig : Sig) (value : Nat → BitVec 64) : Option Addr :=
  (sig.params.find? (·.ty.isRecord)).bind fun p => sig.passed value p.name

/-- The value of a field, from the memory on entry. -/
def Sig.field (sig : Sig) (value : Nat → BitVec 64) (m : Mem) (name : String) : Option (BitVec 64) :=
  (sig.record value).bind fun r => (sig.fields.findIdx? (·.name == name)).map fun i =>
    word64 m (r + BitVec.ofNat 64 (8 * i))

/-- The arguments by name, from the arguments by position and the memory on entry, which holds the structure; 0 for a name that
no parameter and no field has. -/
def Sig.args (sig : Sig) (value : Nat → BitVec 64) (m : Mem) : Args := fun name =>
  (sig.passed value name).getD ((sig.field value m name).getD 0)

/-- The value of an extent. -/
def Extent.eval (a : Args) : Extent → Nat
  | .const n => n
  | .arg name => (a name).toNat

/-- All parameters and fields. -/
def Sig.all (sig : Sig) : List Param := sig.params ++ sig.fields

/-- The constant, or the argument of a parameter or field of the signature. -/
def Sig.knows (sig : Sig) : Extent → Bool
  | .const _ => true
  | .arg name => sig.all.any (·.name == name)

/-- The extents that a type speaks of. -/
def Ty.extents : Ty → List Extent
  | .usize | .record _ => []
  | .bytes _ len => [len]
  | .slices count => [count]

/-- Parameters and fields have different names, extents name some of them, and one parameter points to a structure exactly if
there are fields. -/
def Sig.wellFormed (sig : Sig) : Bool :=
  decide (sig.all.map (·.name)).Nodup && sig.all.all (fun p => p.ty.extents.all sig.knows) &&
    sig.params.countP (·.ty.isRecord) == (if sig.fields.isEmpty then 0 else 1) && sig.fields.all (!·.ty.isRecord)

/-- Element `i` of the list of slices at `p`: a pointer, then a length. -/
def sliceAt (m : Mem) (p : Addr) (i : Nat) : Region where
  base := word64 m (p + BitVec.ofNat 64 (16 * i))
  len := (word64 m (p + BitVec.ofNat 64 (16 * i + 8))).toNat

/-- The list of `n` slices at `p`. -/
def slicesAt (m : Mem) (p : Addr) (n : Nat) : List Region := (List.range n).map (sliceAt m p)

/-- A buffer that the arguments describe. -/
structure Buffer where
  /-- The parameter that it belongs to. -/
  name : String
  role : Role
  region : Region

/-- The buffers of one parameter or field, given the number of fields, the arguments and the memory on entry. -/
def Param.buffers (p : Param) (fields : Nat) (a : Args) (m : Mem) : List Buffer :=
  match p.ty with
  | .usize => []
  | .record _ => [⟨p.name, .publicInput, ⟨a p.name, 8 * fields⟩⟩]
  | .bytes role len => [⟨p.name, role, ⟨a p.name, len.eval a⟩⟩]
  | .slices count =>
    ⟨p.name, .publicInput, ⟨a p.name, 16 * count.eval a⟩⟩ ::
      (slicesAt m (a p.name) (count.eval a)).map fun r => ⟨p.name, .input, r⟩

/-- All buffers, in the order of the parameters and fields. -/
def Sig.buffers (sig : Sig) (a : Args) (m : Mem) : List Buffer := sig.all.flatMap fun p => p.buffers sig.fields.length a m

/--
What a caller of a function with this signature must ensure: the kernel may touch exactly the buffers, none of them
wraps, a buffer that is written overlaps no other one, nor the code, nor what the calling convention reserves. Moreover the
kernel may read its table of constants, which begins at a multiple of 64, and which no buffer that is written overlaps.
-/
structure Sig.Entry (sig : Sig) (constants : List Byte) (a : Args) (m : Memory) (reserved : List Region) : Prop where
  readable : m.readable = m.table constants ++ ((sig.buffers a m.bytes).filter (·.role.reads)).map (·.region)
  writable : m.writable = ((sig.buffers a m.bytes).filter (·.role.writes)).map (·.region)
  fits : ∀ b ∈ sig.buffers a m.bytes, b.region.Fits
  disjoint : (sig.buffers a m.bytes).Pairwise fun b c =>
    b.role.writes = true ∨ c.role.writes = true → b.region.Disjoint c.region
  apart : ∀ b ∈ sig.buffers a m.bytes, b.role.writes = true →
    ∀ r ∈ m.code :: (m.table constants ++ reserved), b.region.Disjoint r
  table : ∀ r ∈ m.table constants, r.bytes m.bytes = constants ∧ r.Fits ∧ r.base.toNat % 64 = 0

/-- Two memories agree on the contents of all buffers whose role satisfies `p`. -/
def Sig.SameContents (sig : Sig) (p : Role → Prop) (a : Args) (m₁ m₂ : Mem) : Prop :=
  ∀ b ∈ sig.buffers a m₁, p b.role → b.region.bytes m₁ = b.region.bytes m₂

/-- Two memories differ in every secret byte. -/
def Sig.DifferInSecrets (sig : Sig) (a : Args) (m₁ m₂ : Mem) : Prop :=
  ∀ b ∈ sig.buffers a m₁, b.role.secret = true → ∀ x, b.region.Contains x → m₁ x ≠ m₂ x

/-- No buffer is empty, and every list of slices has at least two elements. -/
def Sig.Substantial (sig : Sig) (a : Args) (m : Mem) : Prop :=
  (∀ b ∈ sig.buffers a m, 0 < b.region.len) ∧
  ∀ p ∈ sig.all, ∀ count, p.ty = .slices count → 2 ≤ count.eval a

end TCB
