import TCB.AArch64.Abi
import TCB.AArch64.Parse
import TCB.AArch64.Print
import emitter.Cosim.Stream

/-!
# The cases for AArch64
-/

set_option autoImplicit false
namespace Emitter.Cosim.AArch64
open TCB TCB.AArch64

/-- The general registers: the first components. -/
def regs : Array Reg := elements_of% Reg

/-- What the runner calls them: not what the printer does, which is under test. -/
def names : Array String := (constructors_of% Reg).toArray

/-- A general register as an operand. -/
instance : Shapes Reg := ⟨[⟨["r"], do
  let r := regs.getD (← register regs.size) .x0
  note (.component r.ctorIdx)
  return r⟩]⟩

/-- A vector register as an operand. -/
instance : Shapes Vec := ⟨[⟨["v"], do
  let v := Fin.ofNat 32 (← register 32)
  note (.component (regs.size + v.val))
  return v⟩]⟩

/-- An immediate or an offset as it is encoded: zero, or an edge or anything else. -/
instance {n : Nat} : Shapes (BitVec n) := ⟨[⟨["0"], pure 0⟩, ⟨[s!"i{n}"], do
  let v ← random do
    if (← below 2) == 0 then oneOf (#[1, 2, 2 ^ (n - 1) - 1, 2 ^ (n - 1), 2 ^ n - 1].filter (0 < · % 2 ^ n))
    else return (← below (2 ^ n - 1)) + 1
  note (.immediate v)
  return BitVec.ofNat n v⟩]⟩

/-- A shift to the left of a general register. -/
instance : Shapes (Fin 63) := ⟨[⟨["k"], do return Fin.ofNat 63 (← random (below 63))⟩]⟩

instance : Shapes Lane := ⟨shapes_of% Lane⟩
instance : Shapes Logic := ⟨shapes_of% Logic⟩
instance : Shapes Un := ⟨shapes_of% Un⟩
instance : Shapes VecBin := ⟨shapes_of% VecBin⟩
instance : Shapes VecUn := ⟨shapes_of% VecUn⟩
instance : Shapes Src := ⟨shapes_of% Src⟩
instance : Shapes Alu := ⟨shapes_of% Alu⟩
instance : Shapes Width := ⟨shapes_of% Width⟩
instance : Shapes Transfer := ⟨shapes_of% Transfer⟩
instance : Shapes Offset := ⟨shapes_of% Offset⟩
instance : Shapes Pair := ⟨shapes_of% Pair⟩

/-- An address. -/
instance : Shapes Ea := ⟨(shapes_of% Ea : List (Shape Ea)).map fun s => { s with parts := s.parts.filter (· != "mk") }⟩

/-- The state of an image. -/
def state (m : Image) (memory : Memory) : State where
  gpr r := BitVec.ofNat 64 m.values[r.ctorIdx]!
  vec v := BitVec.ofNat 128 m.values[30 + v.val]!
  nzcv :=
    let flag := fun i => unpackFlag m.values[62]! i == some true
    { n := flag 0, z := flag 1, c := flag 2, v := flag 3 }
  control :=
    { sp := BitVec.ofNat 64 m.values[63]!, fpcr := BitVec.ofNat 64 m.values[64]!, fpsr := BitVec.ofNat 64 m.values[65]!
      dit := m.values[66]! == 1 }
  memory := memory

/-- Some of the given bits. -/
def someOf (mask : Nat) : Rand Nat := return (← word).toNat &&& mask

/-- All that is compared, in the order in which `state` reads it. -/
def components : Array (Component State) :=
  Array.zipWith (fun name r => ⟨name, 8, fun s => (s.gpr r).toNat, wordNear 64⟩) names regs ++
  Array.ofFn (n := 32) (fun v => ⟨s!"v{v.val}", 16, fun s => (s.vec v).toNat, vectorNear 128⟩) ++
  #[⟨"nzcv", 1, fun s => packFlags #[s.nzcv.n, s.nzcv.z, s.nzcv.c, s.nzcv.v], fun _ => freshFlags 4⟩,
    ⟨"sp", 8, fun s => s.control.sp.toNat, wordNear 64⟩,
    -- AHP, DN, FZ and RMode; QC, IDC and the five exceptions: the bits that every processor has.
    ⟨"fpcr", 8, fun s => s.control.fpcr.toNat, fun _ => someOf 0x07c00000⟩,
    ⟨"fpsr", 8, fun s => s.control.fpsr.toNat, fun _ => someOf 0x0800009f⟩,
    ⟨"dit", 1, fun s => s.control.dit.toNat, fun _ => below 2⟩]

/-- What is added to the base: the address when every register is zero. -/
def displacement (address : State → Addr) : BitVec 64 :=
  address (state { values := Array.replicate components.size 0, window := 0, bytes := #[] } { bytes := fun _ => 0, readable := [], writable := [], code := ⟨0, 0⟩ })

/-- The address that an instruction accesses. -/
def address : Instr → Option Address
  | .ldr t a | .str t a => some { base := a.base.ctorIdx, index := none, disp := displacement (·.ea a t.bytes) }
  | .ldp p n k | .stp p n k => some { base := n.ctorIdx, index := none, disp := displacement (·.pairEa p n k) }
  | .ldrPost _ n _ | .strPost _ n _ => some { base := n.ctorIdx, index := none, disp := 0 }
  | .alu .. | .cmp .. | .mov .. | .adrpTable .. | .addTable .. | .movi .. | .logic .. | .un .. | .movk .. | .vecBin .. | .vecUn .. | .aese .. | .ins .. | .umov .. =>
    none

/-- Instructions. A pair that loads the same register twice is none: the second becomes another one. -/
def shapes : List (Shape Instr) := (shapes_of% Instr : List (Shape Instr)).map fun s =>
  ⟨s.parts, do
    let i := match ← s.draw with
      | .ldp (.gpr t u) n k => .ldp (.gpr t (if t = u then (if t = .x0 then .x1 else .x0) else u)) n k
      | .ldp (.vec t u) n k => .ldp (.vec t (if t = u then t + 1 else u)) n k
      | i => i
    if let some a := address i then note (.address a)
    return i⟩

/-- AArch64. -/
def machine : Machine State Instr Cond Feature where
  target := target
  printer := printer
  parser := parser
  shapes := shapes
  conds := shapes_of% Cond
  commuted _ := none
  commuted_same _ _ h := by simp at h
  constructors := constructors_of% Instr
  features := (elements_of% Feature).toList
  samples := 256
  components := components
  volatile := #[62]
  state := state

end Emitter.Cosim.AArch64

/-- The command. -/
def main (args : List String) : IO Unit := Emitter.Cosim.AArch64.machine.main args
