import Lean
import TCB.Abi
import TCB.Parse
import TCB.Print
import emitter.Cosim.Shapes

/-!
# States that can be written down

An image is what a test knows of a state: the values of its components, and a window of memory. The state that it stands
for is a function of it, and the image of the state after an instruction is read off, component by component.
-/

set_option autoImplicit false
namespace Emitter.Cosim
open TCB

/-- Where the memory lies that instructions may touch: pages with nothing on either side. -/
def memoryBase : Nat := 0x10000000

/-- Its length. -/
def memoryLength : Nat := 8192

/-- What it holds outside the window. -/
def fill : Byte := 0xa5

/-- How many bytes of the window lie before the access at least, and after it. -/
def guard : Nat := 8

/-- The largest access. -/
def accessBytes : Nat := 32

/-- In how many places of the window an access starts. -/
def starts : Nat := 8

/-- The length of the window. -/
def windowBytes : Nat := guard + starts + accessBytes + guard

/-- What a test knows of a state. -/
structure Image where
  values : Array Nat
  /-- The address of the window. -/
  window : Nat
  bytes : Array Byte

/-- A part of the state that is compared as a whole. -/
structure Component (S : Type) where
  name : String
  /-- Its size. -/
  size : Nat
  read : S → Nat
  /-- A new value; it may be near to another of the same size. -/
  fresh : Nat → Rand Nat

/-- An architecture to test. -/
structure Machine (S I C F : Type) where
  target : Target S I C F
  printer : Printer I C F
  parser : Parser I C F
  /-- The forms of its instructions, and of its conditions. -/
  shapes : List (Shape I)
  conds : List (Shape C)
  /--
  The instruction with two operands exchanged, where it does the same: an assembler may print it for the other, and LLVM's
  does so where that saves a byte.
  -/
  commuted : I → Option I
  commuted_same : ∀ i j, commuted i = some j → target.isa.exec i = target.isa.exec j
  /-- The instruction computes an address and accesses nothing there. -/
  addressOnly : I → Bool := fun _ => false
  /-- The names of the constructors of `I`. -/
  constructors : List String
  features : List F
  /-- How many instructions of a form are drawn at least. -/
  samples : Nat
  components : Array (Component S)
  /-- Components that are new in every case. -/
  volatile : Array Nat
  /-- The state of an image, with the given memory. -/
  state : Image → Memory → S

/-- The memory of an image. -/
def Image.memory (m : Image) : Memory :=
  let all : List Region := [⟨BitVec.ofNat 64 memoryBase, memoryLength⟩]
  { bytes := fun x => if x.toNat < m.window then fill else m.bytes[x.toNat - m.window]?.getD fill
    readable := all, writable := all, code := ⟨0, 0⟩ }

variable {S I C F : Type}

/-- The image of a state with the same window. -/
def Machine.image (m : Machine S I C F) (before : Image) (s : S) : Image :=
  let memory := (m.target.abi.memory s).bytes
  { values := m.components.map (·.read s)
    window := before.window
    bytes := before.bytes.mapIdx fun i _ => memory (UInt64.ofNat (before.window + i)).toBitVec }

/-- A component changed. -/
def Image.set (m : Image) (i v : Nat) : Image := { m with values := m.values.set! i v }

/-- Flags in two bits each: 0 and 1, and 2 for an undefined one. -/
def packFlags (flags : Array (Option Bool)) : Nat :=
  flags.foldr (fun f n => n * 4 + match f with | some b => b.toNat | none => 2) 0

/-- A flag from its two bits. -/
def unpackFlag (n i : Nat) : Option Bool :=
  match n / 4 ^ i % 4 with | 0 => some false | 1 => some true | _ => none

/-- Random flags, all defined. -/
def freshFlags (count : Nat) : Rand Nat := do
  let mut n := 0
  for _ in [0 : count] do n := n * 4 + (← below 2)
  return n

/-- A value of the same size as a component: of another component, an immediate, or zero. -/
def Machine.other (m : Machine S I C F) (immediates : Array Nat) (image : Image) (size : Nat) : Rand Nat := do
  if size == 8 && !immediates.isEmpty && (← below 2) == 0 then return ← oneOf immediates
  for _ in [0 : 4] do
    let i ← below m.components.size
    if m.components[i]?.any (·.size == size) then return image.values[i]!
  return 0

/-- A new value for a component. -/
def Machine.refresh (m : Machine S I C F) (immediates : Array Nat) (image : Image) (i : Nat) : Rand Image := do
  let some c := m.components[i]? | return image
  return image.set i (← c.fresh (← m.other immediates image c.size))

/-- The image in which a memory operand means an address in the window. -/
def Image.place (m : Image) (a : Address) (target : Nat) : Image :=
  let disp := a.disp.toNat
  let rest (n : Nat) := (target + 2 ^ 65 - disp - n) % 2 ^ 64
  match a.index with
  | none => m.set a.base (rest 0)
  | some i =>
    -- The same register twice: half of the rest, which is even for one of two neighbouring targets.
    if i == a.base then m.set i (rest (rest 0 % 2) / 2) else m.set a.base (rest m.values[i]!)

/-- What a memory operand means. -/
def Image.effective (m : Image) (a : Address) : Nat :=
  (m.values[a.base]! + (a.index.map (m.values[·]!)).getD 0 + a.disp.toNat) % 2 ^ 64

/-- New inputs for an instruction with the given operands. -/
def Machine.inputs (m : Machine S I C F) (operands : Array Operand) (before : Image) : Rand Image := do
  let mut image := before
  let immediates := operands.filterMap fun | .immediate v => some v | _ => none
  for i in m.volatile do image ← m.refresh immediates image i
  for _ in [0 : 2] do image ← m.refresh immediates image (← below m.components.size)
  for o in operands do
    if let .component i := o then image ← m.refresh immediates image i
  for o in operands do
    if let .address a := o then
      let window := memoryBase + (← below (memoryLength - windowBytes + 1))
      let mut bytes := before.bytes
      for _ in [0 : 8] do bytes := bytes.set! (← below windowBytes) (BitVec.ofNat 8 (← below 256))
      image := { image with window, bytes }.place a (window + guard + 1 + (← below (starts - 1)))
  return image

/-- The image that a reader of the stream starts from. -/
def Machine.zero (m : Machine S I C F) : Image :=
  { values := m.components.map fun _ => 0, window := memoryBase, bytes := Array.replicate windowBytes fill }

/-- What the inputs of the first case are made from. -/
def Machine.start (m : Machine S I C F) : Rand Image := do
  let mut values := #[]
  for c in m.components do values := values.push (← c.fresh 0)
  return { values, window := memoryBase, bytes := Array.replicate windowBytes fill }

end Emitter.Cosim
