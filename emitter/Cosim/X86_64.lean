import TCB.X86_64.Abi
import TCB.X86_64.Parse
import TCB.X86_64.Print
import emitter.Cosim.Stream

/-!
# The cases for x86-64
-/

set_option autoImplicit false
namespace Emitter.Cosim.X86_64
open TCB TCB.X86_64

/-- The general registers: the first components. -/
def regs : Array Reg := elements_of% Reg

/-- What the runner calls them: not what the printer does, which is under test. -/
def names : Array String := (constructors_of% Reg).toArray

/-- The arithmetic flags. -/
def flags : Array Flag := elements_of% Flag

/-- A general register as an operand. -/
instance : Shapes Reg := ⟨[⟨["r"], do
  let r := regs.getD (← register regs.size) .rax
  note (.component r.ctorIdx)
  return r⟩]⟩

/-- A vector register as an operand. -/
instance : Shapes Vec := ⟨[⟨["v"], do
  let v := Fin.ofNat 16 (← register 16)
  note (.component (regs.size + v.val))
  return v⟩]⟩

instance : Shapes (BitVec 32) := ⟨immediates 32⟩

/-- Any immediate of few bits. -/
def small (n : Nat) (name : String) : Shape (BitVec n) := ⟨[name], do
  let v := BitVec.ofNat n (← random (do if (← below 4) == 0 then oneOf #[0, 1, 8, 16, 31, 32, 63, 64, 255] else bits n))
  return v⟩

instance : Shapes (BitVec 8) := ⟨[small 8 "imm8"]⟩
instance : Shapes (BitVec 6) := ⟨[small 6 "imm6"]⟩

/-- Immediates that a general register takes as 32 bits and as 64. -/
instance : Shapes (BitVec 64) := ⟨
  [⟨["imm32"], return BitVec.ofNat 64 (← random (do if (← below 4) == 0 then oneOf #[0, 1, 2 ^ 31, 2 ^ 32 - 1] else bits 32))⟩,
   ⟨["imm64"], return BitVec.ofNat 64 (← random (do
      if (← below 4) == 0 then oneOf #[2 ^ 32, 2 ^ 63, 2 ^ 64 - 1, 2 ^ 64 - 2 ^ 31] else return 2 ^ 32 + (← bits 63)))⟩]⟩

instance : Shapes Bool := ⟨shapes_of% Bool⟩

instance : Shapes (Option Reg) := ⟨⟨[], pure none⟩ :: Shapes.shapes.map fun s => ⟨s.parts, some <$> s.draw⟩⟩

/-- A memory operand; `rsp`, which is no index, becomes another register there. -/
instance : Shapes Ea := ⟨((shapes_of% Ea : List (Shape Ea))).map fun s =>
  ⟨["[" ++ "+".intercalate (s.parts.filter fun p => p != "mk" && p != "0") ++ "]"], do
    let a ← s.draw
    let a := if a.index == some .rsp then { a with index := some (if a.base == .rsp then .rbp else a.base) } else a
    note (.address { base := a.base.ctorIdx, index := a.index.map (·.ctorIdx), disp := a.disp.signExtend 64 })
    return a⟩⟩

instance : Shapes Src := ⟨shapes_of% Src⟩
instance : Shapes Alu := ⟨shapes_of% Alu⟩
instance : Shapes Width := ⟨shapes_of% Width⟩
instance : Shapes Shift := ⟨shapes_of% Shift⟩
instance : Shapes VecWidth := ⟨shapes_of% VecWidth⟩
instance : Shapes VecBin := ⟨shapes_of% VecBin⟩
instance : Shapes VecUn := ⟨shapes_of% VecUn⟩

/-- A vector register, or memory: the kinds of addresses, which have forms of their own in loads and stores, in turn. -/
instance : Shapes VecSrc := ⟨(Shapes.shapes.map fun s => ⟨s.parts, VecSrc.reg <$> s.draw⟩) ++ [⟨["mem"], do
  let kinds : List (Shape Ea) := Shapes.shapes
  let kind := kinds[(← get).sample / regs.size % kinds.length]?
  return .mem (← (kind.map (·.draw)).getD (pure { base := .rax }))⟩]⟩

/-- All that is compared, in the order in which `state` reads it. -/
def components : Array (Component State) :=
  let masks := Array.ofFn (n := 8) id
  Array.zipWith (fun name r => ⟨name, 8, fun s => (s.gpr r).toNat, wordNear 64⟩) names regs ++
  Array.ofFn (n := 16) (fun v => ⟨s!"v{v.val}", 64, fun s => (s.vec v).toNat, vectorNear 512⟩) ++
  masks.map (fun k => ⟨s!"k{k.val}", 8, fun s => (s.mask k).toNat, wordNear 64⟩) ++
  #[⟨"flags", 2, fun s => packFlags (flags.map s.flag), fun _ => freshFlags flags.size⟩,
    ⟨"df", 1, fun s => s.df.toNat, fun _ => below 2⟩,
    -- The value at the start of a program, or any that the processor takes (SDM volume 1, section 10.2.3).
    ⟨"mxcsr", 4, fun s => s.mxcsr.toNat, fun _ => do if (← below 2) == 0 then return 0x1f80 else bits 16⟩]

/-- The state of an image. -/
def state (m : Image) (memory : Memory) : State where
  gpr r := BitVec.ofNat 64 m.values[r.ctorIdx]!
  vec v := BitVec.ofNat 512 m.values[16 + v.val]!
  mask k := BitVec.ofNat 64 m.values[32 + k.val]!
  flag f := unpackFlag m.values[40]! f.ctorIdx
  df := m.values[41]! == 1
  mxcsr := BitVec.ofNat 32 m.values[42]!
  memory := memory

/-- The operations whose sources can be exchanged. -/
def commutes : VecBin → Bool
  | .pxor | .pand | .por | .paddd | .paddq => true
  | _ => false

theorem eval_comm (op : VecBin) (h : commutes op = true) (x y : BitVec 128) : op.eval x y = op.eval y x := by
  cases op <;> simp only [commutes, Bool.false_eq_true] at h <;>
    simp only [VecBin.eval, BitVec.xor_comm x, BitVec.and_comm x, BitVec.or_comm x, BitVec.add_comm (dword x _),
      BitVec.add_comm (qword x _)]

/-- Such an operation on two registers. -/
def commuted : Instr → Option Instr
  | .vecBin op w d r (.reg q) => if commutes op then some (.vecBin op w d q (.reg r)) else none
  | _ => none

theorem commuted_same (i j : Instr) (h : commuted i = some j) : exec i = exec j := by
  unfold commuted at h
  split at h
  · split at h
    · rename_i op _ _ _ _ hc
      cases h
      funext s
      simp only [exec, State.vecSrc, State.lane, eval_comm op hc]
    · cases h
  · cases h

/-- x86-64. -/
def machine : Machine State Instr Cond Feature where
  target := target
  printer := printer
  parser := parser
  shapes := shapes_of% Instr
  conds := shapes_of% Cond
  commuted := commuted
  commuted_same := commuted_same
  addressOnly := fun | .lea .. => true | _ => false
  constructors := constructors_of% Instr
  features := (elements_of% Feature).toList
  samples := 256
  components := components
  volatile := #[40, 41]
  state := state

end Emitter.Cosim.X86_64

/-- The command. -/
def main (args : List String) : IO Unit := Emitter.Cosim.X86_64.machine.main args
