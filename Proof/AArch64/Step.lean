import Proof.Framework.Code
import Proof.Framework.Access
import Proof.Framework.Mem
import Impl.AArch64

/-!
# Symbolic execution on AArch64

Reads through folded state updates (`↓`: outermost first, so that `simp` does not walk into the values), and a `Wp` rule
for each instruction that can fault. Files that execute code make the updates `local irreducible`, so that unification
does not unfold a state either.
-/

set_option autoImplicit false
namespace TCB.AArch64
open State

/-! The proofs are `(rfl)`, not `rfl`: `simp` then rewrites with these lemmas, and the kernel need not compare states. -/

section Reads
variable (s : State) (d r : Reg) (x y : Vec) (w : Width) (t : Transfer) (v : BitVec 64) (u : BitVec 128) (f : Nzcv) (m : Memory)
  (bs : List Byte)

theorem gpr_setReg : (s.setReg d v).gpr r = if r = d then v else s.gpr r := (rfl)
theorem vec_setReg : (s.setReg d v).vec x = s.vec x := (rfl)
theorem nzcv_setReg : (s.setReg d v).nzcv = s.nzcv := (rfl)
theorem control_setReg : (s.setReg d v).control = s.control := (rfl)
theorem memory_setReg : (s.setReg d v).memory = s.memory := (rfl)

theorem gpr_setVec : (s.setVec x u).gpr r = s.gpr r := (rfl)
theorem vec_setVec : (s.setVec x u).vec y = if y = x then u else s.vec y := (rfl)
theorem nzcv_setVec : (s.setVec x u).nzcv = s.nzcv := (rfl)
theorem control_setVec : (s.setVec x u).control = s.control := (rfl)
theorem memory_setVec : (s.setVec x u).memory = s.memory := (rfl)

theorem gpr_setFlags : (s.setFlags f).gpr r = s.gpr r := (rfl)
theorem vec_setFlags : (s.setFlags f).vec x = s.vec x := (rfl)
theorem nzcv_setFlags : (s.setFlags f).nzcv = f := (rfl)
theorem control_setFlags : (s.setFlags f).control = s.control := (rfl)
theorem memory_setFlags : (s.setFlags f).memory = s.memory := (rfl)

theorem gpr_setMemory : (s.setMemory m).gpr r = s.gpr r := (rfl)
theorem vec_setMemory : (s.setMemory m).vec x = s.vec x := (rfl)
theorem nzcv_setMemory : (s.setMemory m).nzcv = s.nzcv := (rfl)
theorem control_setMemory : (s.setMemory m).control = s.control := (rfl)
theorem memory_setMemory : (s.setMemory m).memory = m := (rfl)

theorem put_gpr : s.put (.gpr w r) bs = s.setReg r (ofBytes 64 bs) := (rfl)
theorem put_vec : s.put (.vec x) bs = s.setVec x (ofBytes 128 bs) := (rfl)
theorem memory_put : (s.put t bs).memory = s.memory := by cases t <;> rfl

theorem alu_add (a b : BitVec 64) : s.alu .add d a b = s.setReg d (a + b) := (rfl)
theorem alu_sub (a b : BitVec 64) : s.alu .sub d a b = s.setReg d (a - b) := (rfl)
end Reads

/-- The register holds the bytes that were loaded. -/
def State.Holds (s : State) : Transfer → List Byte → Prop
  | .gpr _ r, bs => s.gpr r = ofBytes 64 bs
  | .vec v, bs => s.vec v = ofBytes 128 bs

/-- Reads through updates: outermost first, so that `simp` never walks into the values. -/
macro "reads" : tactic => `(tactic| simp only [State.Holds, ↓put_gpr, ↓put_vec,
  ↓gpr_setReg, ↓vec_setReg, ↓nzcv_setReg, ↓control_setReg, ↓memory_setReg,
  ↓gpr_setVec, ↓vec_setVec, ↓nzcv_setVec, ↓control_setVec, ↓memory_setVec,
  ↓gpr_setFlags, ↓vec_setFlags, ↓nzcv_setFlags, ↓control_setFlags, ↓memory_setFlags,
  ↓gpr_setMemory, ↓vec_setMemory, ↓nzcv_setMemory, ↓control_setMemory, ↓memory_setMemory,
  reduceCtorEq, ↓reduceIte, Fin.reduceEq])

/-- A fact about an earlier state, for a state that the updates since then have not changed in that respect. -/
macro "get " h:term:max : term => `(by first | exact $h | (reads; exact $h))

/-! ## Operands -/

/-- An immediate operand. -/
theorem src_imm {s : State} {k : Nat} (hk : k < 4096) : s.src (Impl.AArch64.imm k) = BitVec.ofNat 64 k := by
  apply BitVec.eq_of_toNat_eq
  simp only [State.src, Impl.AArch64.imm, BitVec.toNat_setWidth, BitVec.toNat_ofNat]
  omega

/-- ADRP and ADD make an address from its page and its place in the page. -/
theorem page_add {x m : BitVec 64} : (x &&& ~~~m) + (x &&& m) = x := by
  rw [BitVec.add_eq_or_of_and_eq_zero]
  all_goals
    ext i
    simp only [BitVec.getElem_and, BitVec.getElem_or, BitVec.getElem_not, BitVec.getElem_zero]
    cases x[i] <;> cases m[i] <;> rfl

/-- The address `[base]`. -/
theorem ea_at {s : State} {b : Reg} {n : Nat} {p : Addr} (hb : s.gpr b = p) : s.ea (Impl.AArch64.at_ b) n = p := by
  simp [ea, Impl.AArch64.at_, hb]

/-- The address `[base, #-k]`, where the base points into a buffer. -/
theorem ea_before {s : State} {b : Reg} {n i j k : Nat} {p : Addr} (hb : s.gpr b = p + BitVec.ofNat 64 i) (hk : k < 256)
    (hj : i = j + k) : s.ea (Impl.AArch64.before b k) n = p + BitVec.ofNat 64 j := by
  have neg : (BitVec.ofInt 9 (-k)).signExtend 64 = -BitVec.ofNat 64 k := by
    apply BitVec.eq_of_toInt_eq
    rw [BitVec.toInt_signExtend_of_le (by omega), ← BitVec.ofInt_natCast, ← BitVec.ofInt_neg, BitVec.toInt_ofInt,
      BitVec.toInt_ofInt]
    simp only [Int.bmod]
    omega
  simp only [ea, Impl.AArch64.before, hb, hj, neg]
  rw [BitVec.ofNat_add, BitVec.add_assoc, BitVec.add_assoc, BitVec.add_right_neg, BitVec.add_zero]

/-- The address of a pair, where the base points into a buffer. -/
theorem ea_pair {s : State} {b : Reg} {i j o : Nat} {k : BitVec 7} {q : Pair} {p : Addr}
    (hb : s.gpr b = p + BitVec.ofNat 64 i) (hk : k.signExtend 64 * BitVec.ofNat 64 q.first.bytes = BitVec.ofNat 64 o)
    (hj : i + o = j) : s.pairEa q b k = p + BitVec.ofNat 64 j := by
  simp only [pairEa, hb, hk, ← hj, BitVec.ofNat_add, BitVec.add_assoc]

/-! ## Accesses -/

section Accesses
variable {is : List Instr} {Q : State → Prop} {pub : List Region} {s : State} {t : Transfer} {a : Ea} {r r' n : Reg} {x y : Vec}
  {k : BitVec 7} {p p' : Addr} {bs cs : List Byte} {m : Memory} {b b' b'' : Mem}

/-- Load a register. -/
theorem wp_ldr (he : s.ea a t.bytes = p) (hm : s.memory = m.set b) (hc : covered m.readable p t.bytes = true)
    (hb : bytesAt b p t.bytes = bs) (h : isa.Wp pub (.block is) Q (s.put t bs)) :
    isa.Wp pub (.block (.ldr t a :: is)) Q s := by
  subst he hb
  exact .cons (s₁ := s.put t _) (t := [.load (s.ea a t.bytes) t.bytes])
    (by simp [isa, exec, loading, Memory.load, hm, hc]) h

/-- What is stored is what was loaded. -/
theorem data_of_holds (hx : s.Holds t bs) (hl : bs.length = t.bytes) : s.data t = bs := by
  cases t with
  | gpr w r => rw [State.data, show s.gpr r = _ from hx, toBytes_ofBytes (n := w.bytes) hl (by cases w <;> decide)]
  | vec v => rw [State.data, show s.vec v = _ from hx, toBytes_ofBytes (n := 16) hl (by decide)]

/-- Store a register. -/
theorem wp_str (he : s.ea a t.bytes = p) (hm : s.memory = m.set b) (hc : covered m.writable p t.bytes = true)
    (hx : s.Holds t bs) (hl : bs.length = t.bytes) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) : isa.Wp pub (.block (.str t a :: is)) Q s := by
  subst he hb
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a t.bytes) t.bytes])
    (by simp [isa, exec, storing, Memory.store, Memory.set, hm, data_of_holds hx hl, hc, hl]) h

/-- Load a vector register, and add to the base. -/
theorem wp_ldrPost {o : BitVec 9} (he : s.gpr n = p) (hm : s.memory = m.set b) (hc : covered m.readable p 16 = true)
    (hb : bytesAt b p 16 = bs) (h : isa.Wp pub (.block is) Q ((s.setVec x (ofBytes 128 bs)).setReg n (p + o.signExtend 64))) :
    isa.Wp pub (.block (.ldrPost x n o :: is)) Q s := by
  subst he hb
  refine .cons (s₁ := (s.setVec x _).setReg n _) (t := [.load (s.gpr n) 16]) ?_ h
  simp [isa, exec, postIndex, loading, Memory.load, Transfer.bytes, put_vec, hm, hc]

/-- Store a vector register, and add to the base. -/
theorem wp_strPost {o : BitVec 9} (he : s.gpr n = p) (hm : s.memory = m.set b) (hc : covered m.writable p 16 = true)
    (hx : s.Holds (.vec x) bs) (hl : bs.length = 16) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q ((s.setMemory (m.set b')).setReg n (p + o.signExtend 64))) :
    isa.Wp pub (.block (.strPost x n o :: is)) Q s := by
  subst he hb
  refine .cons (s₁ := (s.setMemory _).setReg n _) (t := [.store (s.gpr n) 16]) ?_ h
  simp [isa, exec, postIndex, storing, Memory.store, Memory.set, hm, data_of_holds hx hl, hc, hl]

/-- Load a pair of vector registers. -/
theorem wp_ldp (ne : x ≠ y) (he : s.pairEa (.vec x y) n k = p) (hp : p + BitVec.ofNat 64 16 = p') (hm : s.memory = m.set b)
    (hc : covered m.readable p 16 = true) (hc' : covered m.readable p' 16 = true) (hb : bytesAt b p 16 = bs)
    (hb' : bytesAt b p' 16 = cs)
    (h : isa.Wp pub (.block is) Q ((s.setVec x (ofBytes 128 bs)).setVec y (ofBytes 128 cs))) :
    isa.Wp pub (.block (.ldp (.vec x y) n k :: is)) Q s := by
  subst hp hb hb'
  refine .cons (s₁ := (s.setVec x _).setVec y _) (t := [.load p 16, .load (p + BitVec.ofNat 64 16) 16]) ?_ h
  simp [isa, exec, andThen, loading, Memory.load, Pair.first, Pair.second, Transfer.bytes, put_vec, memory_setVec, ne, he, hm, hc,
    hc']

/-- Load a pair of public numbers. -/
theorem wp_publicLdp (ne : r ≠ r') (he : s.pairEa (.gpr r r') n k = p) (hp : p + BitVec.ofNat 64 8 = p')
    (hm : s.memory = m.set b) (hc : covered m.readable p 8 = true) (hc' : covered m.readable p' 8 = true)
    (hq : covered pub p 8 = true) (hq' : covered pub p' 8 = true) (hb : bytesAt b p 8 = bs) (hb' : bytesAt b p' 8 = cs)
    (h : isa.Wp pub (.publicBlock is) Q ((s.setReg r (ofBytes 64 bs)).setReg r' (ofBytes 64 cs))) :
    isa.Wp pub (.publicBlock (.ldp (.gpr r r') n k :: is)) Q s := by
  subst hp hb hb'
  refine .publicCons (s₁ := (s.setReg r _).setReg r' _) (t := [.load p 8, .load (p + BitVec.ofNat 64 8) 8]) ?_ ?_ h
  · simp [isa, exec, andThen, loading, Memory.load, Pair.first, Pair.second, Transfer.bytes, Width.bytes, put_gpr, memory_setReg,
      ne, he, hm, hc, hc']
  · intro a n h
    simp only [List.mem_cons, Event.load.injEq, List.not_mem_nil, or_false] at h
    rcases h with ⟨rfl, rfl⟩ | ⟨rfl, rfl⟩ <;> assumption

/-- Store a pair of vector registers. -/
theorem wp_stp (he : s.pairEa (.vec x y) n k = p) (hp : p + BitVec.ofNat 64 16 = p') (hm : s.memory = m.set b)
    (hc : covered m.writable p 16 = true) (hc' : covered m.writable p' 16 = true) (hx : s.Holds (.vec x) bs)
    (hy : s.Holds (.vec y) cs) (hl : bs.length = 16) (hl' : cs.length = 16) (hb : writeBytes b p bs = b')
    (hb' : writeBytes b' p' cs = b'') (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b''))) :
    isa.Wp pub (.block (.stp (.vec x y) n k :: is)) Q s := by
  subst hp hb hb'
  refine .cons (s₁ := s.setMemory _) (t := [.store p 16, .store (p + BitVec.ofNat 64 16) 16]) ?_ h
  simp [isa, exec, andThen, storing, Memory.store, Memory.set, Pair.first, Pair.second, Transfer.bytes, he, hm,
    data_of_holds hx hl, data_of_holds hy hl', hc, hc', hl, hl', setMemory]
end Accesses

end TCB.AArch64
