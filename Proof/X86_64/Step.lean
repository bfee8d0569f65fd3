import Proof.Framework.Code
import Proof.Framework.Access
import Proof.Framework.Mem
import Impl.X86_64

/-!
# Symbolic execution on x86-64

Reads through folded state updates (`↓`: outermost first, so that `simp` does not walk into the values), and a `Wp` rule
for each instruction that can fault. Files that execute code make the updates `local irreducible`, so that unification
does not unfold a state either.
-/

set_option autoImplicit false
namespace TCB

namespace X86_64
open State

/-! The proofs are `(rfl)`, not `rfl`: `simp` then rewrites with these lemmas, and the kernel need not compare states. -/

section Reads
variable (s : State) (d r : Reg) (x y : Vec) (v : BitVec 64) (u : BitVec 128) (u' : BitVec 512) (f : Flag → Option Bool) (m : Memory)

@[simp ↓] theorem gpr_setReg : (s.setReg d v).gpr r = if r = d then v else s.gpr r := (rfl)
@[simp ↓] theorem xmm_setReg : (s.setReg d v).xmm x = s.xmm x := (rfl)
@[simp ↓] theorem flag_setReg : (s.setReg d v).flag = s.flag := (rfl)
@[simp ↓] theorem df_setReg : (s.setReg d v).df = s.df := (rfl)
@[simp ↓] theorem mxcsr_setReg : (s.setReg d v).mxcsr = s.mxcsr := (rfl)
@[simp ↓] theorem memory_setReg : (s.setReg d v).memory = s.memory := (rfl)

@[simp ↓] theorem gpr_setXmm : (s.setXmm x u).gpr r = s.gpr r := (rfl)
@[simp ↓] theorem flag_setXmm : (s.setXmm x u).flag = s.flag := (rfl)
@[simp ↓] theorem df_setXmm : (s.setXmm x u).df = s.df := (rfl)
@[simp ↓] theorem mxcsr_setXmm : (s.setXmm x u).mxcsr = s.mxcsr := (rfl)
@[simp ↓] theorem memory_setXmm : (s.setXmm x u).memory = s.memory := (rfl)
@[simp ↓] theorem xmm_setXmm : (s.setXmm x u).xmm y = if y = x then u else s.xmm y := by
  simp only [setXmm, setVec, xmm]
  split
  · subst_vars
    apply BitVec.eq_of_getLsbD_eq
    intro i hi
    rw [BitVec.getLsbD_setWidth, BitVec.getLsbD_append]
    simp [hi]
  · rfl

@[simp ↓] theorem gpr_setVec : (s.setVec x u').gpr r = s.gpr r := (rfl)
@[simp ↓] theorem flag_setVec : (s.setVec x u').flag = s.flag := (rfl)
@[simp ↓] theorem df_setVec : (s.setVec x u').df = s.df := (rfl)
@[simp ↓] theorem mxcsr_setVec : (s.setVec x u').mxcsr = s.mxcsr := (rfl)
@[simp ↓] theorem memory_setVec : (s.setVec x u').memory = s.memory := (rfl)
@[simp ↓] theorem vec_setVec : (s.setVec x u').vec y = if y = x then u' else s.vec y := (rfl)
@[simp ↓] theorem vec_setReg : (s.setReg d v).vec = s.vec := (rfl)
@[simp ↓] theorem vec_setFlags : (s.setFlags f).vec = s.vec := (rfl)
@[simp ↓] theorem vec_setMemory : (s.setMemory m).vec = s.vec := (rfl)

@[simp ↓] theorem gpr_clearUpper : s.clearUpper.gpr r = s.gpr r := by rw [clearUpper]
@[simp ↓] theorem memory_clearUpper : s.clearUpper.memory = s.memory := by rw [clearUpper]

@[simp ↓] theorem gpr_setFlags : (s.setFlags f).gpr r = s.gpr r := (rfl)
@[simp ↓] theorem xmm_setFlags : (s.setFlags f).xmm x = s.xmm x := (rfl)
@[simp ↓] theorem flag_setFlags : (s.setFlags f).flag = f := (rfl)
@[simp ↓] theorem df_setFlags : (s.setFlags f).df = s.df := (rfl)
@[simp ↓] theorem mxcsr_setFlags : (s.setFlags f).mxcsr = s.mxcsr := (rfl)
@[simp ↓] theorem memory_setFlags : (s.setFlags f).memory = s.memory := (rfl)

@[simp ↓] theorem gpr_setMemory : (s.setMemory m).gpr r = s.gpr r := (rfl)
@[simp ↓] theorem xmm_setMemory : (s.setMemory m).xmm x = s.xmm x := (rfl)
@[simp ↓] theorem flag_setMemory : (s.setMemory m).flag = s.flag := (rfl)
@[simp ↓] theorem df_setMemory : (s.setMemory m).df = s.df := (rfl)
@[simp ↓] theorem mxcsr_setMemory : (s.setMemory m).mxcsr = s.mxcsr := (rfl)
@[simp ↓] theorem memory_setMemory : (s.setMemory m).memory = m := (rfl)

@[simp] theorem alu_add : s.alu .add d v = (s.setReg d (s.gpr d + v)).setFlags (addFlags (s.gpr d) v) := (rfl)
@[simp] theorem alu_sub : s.alu .sub d v = (s.setReg d (s.gpr d - v)).setFlags (subFlags (s.gpr d) v) := (rfl)
@[simp] theorem alu_cmp : s.alu .cmp d v = s.setFlags (subFlags (s.gpr d) v) := (rfl)
@[simp] theorem alu_and : s.alu .and d v = (s.setReg d (s.gpr d &&& v)).setFlags (logicFlags (s.gpr d &&& v)) := (rfl)
@[simp] theorem alu_or : s.alu .or d v = (s.setReg d (s.gpr d ||| v)).setFlags (logicFlags (s.gpr d ||| v)) := (rfl)
@[simp] theorem alu_xor : s.alu .xor d v = (s.setReg d (s.gpr d ^^^ v)).setFlags (logicFlags (s.gpr d ^^^ v)) := (rfl)
@[simp] theorem alu_test : s.alu .test d v = s.setFlags (logicFlags (s.gpr d &&& v)) := (rfl)
end Reads

/-- Reads through updates: outermost first, so that `simp` never walks into the values. -/
macro "reads" : tactic => `(tactic| simp only [
  ↓gpr_setReg, ↓xmm_setReg, ↓flag_setReg, ↓df_setReg, ↓mxcsr_setReg, ↓memory_setReg,
  ↓gpr_setXmm, ↓xmm_setXmm, ↓flag_setXmm, ↓df_setXmm, ↓mxcsr_setXmm, ↓memory_setXmm,
  ↓gpr_setVec, ↓flag_setVec, ↓df_setVec, ↓mxcsr_setVec, ↓memory_setVec, ↓vec_setVec, ↓vec_setReg, ↓vec_setFlags,
  ↓vec_setMemory, ↓gpr_clearUpper, ↓memory_clearUpper, ↓gpr_setFlags, ↓xmm_setFlags, ↓flag_setFlags, ↓df_setFlags, ↓mxcsr_setFlags, ↓memory_setFlags,
  ↓gpr_setMemory, ↓xmm_setMemory, ↓flag_setMemory, ↓df_setMemory, ↓mxcsr_setMemory, ↓memory_setMemory,
  reduceCtorEq, ↓reduceIte, Fin.reduceEq])

/-- A fact about an earlier state, for a state that the updates since then have not changed in that respect. -/
macro "get " h:term:max : term => `(by first | exact $h | (reads; exact $h))

/-! ## Operands -/

/-- A small non-negative displacement or immediate. -/
theorem signExtend_ofNat {k : Nat} (hk : k < 2 ^ 31) :
    (BitVec.ofNat 32 k).signExtend 64 = BitVec.ofNat 64 k := by
  apply BitVec.eq_of_toInt_eq
  rw [BitVec.toInt_signExtend_of_le (by omega), BitVec.toInt_ofNat', BitVec.toInt_ofNat']
  simp only [Int.bmod]
  omega

/-- A small negative displacement. -/
theorem signExtend_ofInt_neg {k : Nat} (hk : k < 2 ^ 31) :
    (BitVec.ofInt 32 (-k)).signExtend 64 = -BitVec.ofNat 64 k := by
  apply BitVec.eq_of_toInt_eq
  rw [BitVec.toInt_signExtend_of_le (by omega), ← BitVec.ofInt_natCast, ← BitVec.ofInt_neg, BitVec.toInt_ofInt, BitVec.toInt_ofInt]
  simp only [Int.bmod]
  omega

/-- The address `[base + k]`, where the base points into a buffer. -/
theorem ea_at {s : State} {b : Reg} {i j k : Nat} {p : Addr} (hb : s.gpr b = p + BitVec.ofNat 64 i) (hk : k < 2 ^ 31)
    (hj : i + k = j) : s.ea (Impl.X86_64.at_ b k) = p + BitVec.ofNat 64 j := by
  simp [← hj, ea, Impl.X86_64.at_, hb, signExtend_ofNat hk, BitVec.ofNat_add, BitVec.add_assoc]

/-- The address `[base + index - k]`, where the base points into a buffer. -/
theorem ea_before {s : State} {b x : Reg} {i j k l : Nat} {p : Addr} (hb : s.gpr b = p + BitVec.ofNat 64 i)
    (hx : s.gpr x = BitVec.ofNat 64 l) (hk : k < 2 ^ 31) (hj : i + l = j + k) :
    s.ea (Impl.X86_64.before b x k) = p + BitVec.ofNat 64 j := by
  simp only [ea, Impl.X86_64.before, hb, hx, signExtend_ofInt_neg hk, Option.map_some, Option.getD_some]
  rw [BitVec.add_assoc p, ← BitVec.ofNat_add, hj, BitVec.ofNat_add, BitVec.add_assoc, BitVec.add_assoc,
    BitVec.add_right_neg, BitVec.add_zero]

/-- An immediate operand. -/
theorem src_imm {s : State} {k : Nat} (hk : k < 2 ^ 31) : s.src (Impl.X86_64.imm k) = BitVec.ofNat 64 k :=
  signExtend_ofNat hk

/-! ## Accesses -/

section Accesses
variable {is : List Instr} {Q : State → Prop} {pub : List Region} {s : State} {d r : Reg} {x : Vec} {w : Width} {a : Ea}
  {p : Addr} {bs : List Byte} {m : Memory} {b b' : Mem}

/-- Load into a general register. -/
theorem wp_load (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.readable p w.bytes = true)
    (hb : bytesAt b p w.bytes = bs) (h : isa.Wp pub (.block is) Q (s.setReg d (ofBytes 64 bs))) :
    isa.Wp pub (.block (.load w d a :: is)) Q s := by
  subst he hb
  exact .cons (s₁ := s.setReg d _) (t := [.load (s.ea a) w.bytes])
    (by simp [isa, exec, loading, Memory.load, hm, hc]) h

/-- Load public data into a general register. -/
theorem wp_publicLoad (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.readable p w.bytes = true)
    (hp : covered pub p w.bytes = true) (hb : bytesAt b p w.bytes = bs)
    (h : isa.Wp pub (.publicBlock is) Q (s.setReg d (ofBytes 64 bs))) :
    isa.Wp pub (.publicBlock (.load w d a :: is)) Q s := by
  subst he hb
  exact .publicCons (s₁ := s.setReg d _) (t := [.load (s.ea a) w.bytes])
    (by simp [isa, exec, loading, Memory.load, hm, hc]) (by simpa [Isa.PublicLoads] using hp) h

/-- Load 16 bytes into a vector register. -/
theorem wp_movdquLoad (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.readable p 16 = true)
    (hb : bytesAt b p 16 = bs) (h : isa.Wp pub (.block is) Q (s.setXmm x (ofBytes 128 bs))) :
    isa.Wp pub (.block (.movdquLoad x a :: is)) Q s := by
  subst he hb
  exact .cons (s₁ := s.setXmm x _) (t := [.load (s.ea a) 16])
    (by simp [isa, exec, loading, Memory.load, hm, hc]) h

/-- Store bytes from a general register. -/
theorem wp_store (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.writable p w.bytes = true)
    (hr : s.gpr r = ofBytes 64 bs) (hl : bs.length = w.bytes) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) : isa.Wp pub (.block (.store w a r :: is)) Q s := by
  subst he hb
  have ht : toBytes w.bytes (s.gpr r) = bs := by rw [hr, toBytes_ofBytes hl (by cases w <;> decide)]
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a) w.bytes])
    (by simp [isa, exec, storing, Memory.store, Memory.set, hm, hc, ht, hl]) h

/-- Store 16 bytes from a vector register. -/
theorem wp_movdquStore (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.writable p 16 = true)
    (hx : s.xmm x = ofBytes 128 bs) (hl : bs.length = 16) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) : isa.Wp pub (.block (.movdquStore a x :: is)) Q s := by
  subst he hb
  have ht : toBytes 16 (s.xmm x) = bs := by rw [hx, toBytes_ofBytes hl (by decide)]
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a) 16])
    (by simp [isa, exec, storing, Memory.store, Memory.set, hm, hc, ht, hl]) h

/-- Load into a vector register, whose rest is cleared. -/
theorem wp_vmovdquLoad {w : VecWidth} (he : s.ea a = p) (hm : s.memory = m.set b)
    (hc : covered m.readable p w.bytes = true) (hb : bytesAt b p w.bytes = bs)
    (h : isa.Wp pub (.block is) Q (s.setVec x (ofBytes 512 bs))) :
    isa.Wp pub (.block (.vmovdquLoad w x a :: is)) Q s := by
  subst he hb
  exact .cons (s₁ := s.setVec x _) (t := [.load (s.ea a) w.bytes])
    (by simp [isa, exec, loading, Memory.load, hm, hc]) h

/-- Store the low part of a vector register. -/
theorem wp_vmovdquStore {w : VecWidth} (he : s.ea a = p) (hm : s.memory = m.set b)
    (hc : covered m.writable p w.bytes = true) (hx : s.vec x = ofBytes 512 bs) (hl : bs.length = w.bytes)
    (hb : writeBytes b p bs = b') (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) :
    isa.Wp pub (.block (.vmovdquStore w a x :: is)) Q s := by
  subst he hb
  have ht : toBytes w.bytes (s.vec x) = bs := by rw [hx, toBytes_ofBytes hl (by cases w <;> decide)]
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a) w.bytes])
    (by simp [isa, exec, storing, Memory.store, Memory.set, hm, hc, ht, hl]) h
end Accesses

end X86_64
end TCB
