import Proof.Framework.Nat
import Proof.Partial.X86_64.Masks
import Proof.X86_64.Keeps
import Proof.X86_64.SymExec

/-!
# The 1 to 15 bytes at the end of a buffer, on x86-64: the steps of the fragments
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64
open TCB TCB.X86_64 Impl Impl.X86_64 Impl.Partial.X86_64
open SymExec (Within)

/-! ## Instructions -/

section
variable {pub : List Region} {is : List Instr} {Q : State → Prop} {s s' : State} {r n : Reg} {x y : Vec} {w : Width} {a : Ea}
  {p : Addr} {bs : List Byte} {m : Memory} {b b' : Mem} {k c i : Nat} {q : BitVec 128} {op : VecBin}

/-- Store the low bytes of a general register. -/
theorem wp_storeLow (he : s.ea a = p) (hm : s.memory = m.set b) (hc : covered m.writable p w.bytes = true)
    (hr : toBytes w.bytes (s.gpr r) = bs) (hb : writeBytes b p bs = b')
    (h : isa.Wp pub (.block is) Q (s.setMemory (m.set b'))) : isa.Wp pub (.block (.store w a r :: is)) Q s := by
  subst he hb hr
  exact .cons (s₁ := s.setMemory _) (t := [.store (s.ea a) w.bytes])
    (by simp [isa, exec, State.storing, Memory.store, Memory.set, hm, hc]) h

/-- An operation whose second source is in memory. -/
theorem wp_vecBinMem (he : s.ea a = p) (hm : s.memory = m) (hc : covered m.readable p 16 = true)
    (hb : ofBytes 128 (bytesAt m.bytes p 16) = q)
    (h : isa.Wp pub (.block is) Q (s.setVec x (ofLanes (op.eval (s.lane y 0) q) 0 0 0))) :
    isa.Wp pub (.block (.vecBin op .xmm x y (.mem a) :: is)) Q s := by
  subst he hm hb
  refine .cons (s₁ := s.setVec x _) (t := [.load (s.ea a) 16]) ?_ h
  simp only [isa, exec, State.vecSrc, State.loading, Memory.load, VecWidth.bytes, hc, if_true, Option.map_some,
    VecWidth.lanewise, ofBytes_eq_ofLanes (bs := bytesAt s.memory.bytes (s.ea a) 16) (length_bytesAt ..),
    (lane_ofLanes _ _ _ _).1]

/-- The address `[base + c]`, where the base points `k` bytes before `p`. -/
theorem ea_back (hr : s.gpr r = p - BitVec.ofNat 64 k) (hc : c < 2 ^ 31) (hk : i + k = c) :
    s.ea (at_ r c) = p + BitVec.ofNat 64 i := by
  simp only [State.ea, at_, hr, signExtend_ofNat hc, Option.map_none, Option.getD_none]
  rw [← hk, BitVec.ofNat_add]
  bv_omega

/-- The address `[base + index + c]`. -/
theorem ea_index (hr : s.gpr r = p) (hn : s.gpr n = BitVec.ofNat 64 k) (hc : c < 2 ^ 31) (hk : k + c = i) :
    s.ea { base := r, index := some n, disp := BitVec.ofNat 32 c } = p + BitVec.ofNat 64 i := by
  simp only [← hk, State.ea, hr, hn, signExtend_ofNat hc, Option.map_some, Option.getD_some, BitVec.ofNat_add, BitVec.add_assoc]

end
end Proof.Partial.X86_64
