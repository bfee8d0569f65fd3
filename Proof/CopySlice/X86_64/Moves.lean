import Impl.CopySlice.X86_64
import Proof.CopySlice.Mem
import Proof.Framework.Nat
import Proof.X86_64.Keeps

/-!
# Copying one slice, on x86-64: the invariant, and the moves that keep it
-/

set_option autoImplicit false
namespace Proof.CopySlice.X86_64
open TCB TCB.X86_64 Impl.X86_64 Impl.CopySlice.X86_64

/-- The registers that the fragment may change. -/
def clobbered : List Reg := [.rax, .rdx, .r8, .r9, .r10]

/-- The invariant: the pointers stand at byte `i`, and the first `j` bytes are copied. -/
structure At (s₀ : State) (p d : Addr) (n i j : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  le : i ≤ n
  src : s.gpr .r8 = p + BitVec.ofNat 64 i
  left : s.gpr .r9 = BitVec.ofNat 64 (n - i)
  dst : s.gpr .rdx = d + BitVec.ofNat 64 i
  memory : s.memory = s₀.memory.set (copied s₀.memory p d j)

section
variable {pub : List Region} {is : List Instr} {Q : State → Prop} {s₀ s s' : State} {p d : Addr} {n i j k l : Nat}
  {r : Reg} {x : Vec} {w : Width} {a : Ea}

/-- The same invariant after updates that change none of its registers. -/
theorem At.of_eq (h : At s₀ p d n i j s) (keeps : Keeps clobbered s₀ s') (src : s'.gpr .r8 = s.gpr .r8)
    (left : s'.gpr .r9 = s.gpr .r9) (dst : s'.gpr .rdx = s.gpr .rdx)
    (memory : s'.memory = s₀.memory.set (copied s₀.memory p d l)) : At s₀ p d n i l s' :=
  ⟨keeps, h.le, src.trans h.src, left.trans h.left, dst.trans h.dst, memory⟩

variable (h : Pre s₀.memory p d n)
include h

/-- Load a piece of the slice into a general register. -/
theorem load_ok (ha : s.ea a = p + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hi : i ≤ n) (hj : j + w.bytes ≤ n)
    (k : isa.Wp pub (.block is) Q (s.setReg r (ofBytes 64 (piece s₀.memory p j w.bytes)))) :
    isa.Wp pub (.block (.load w r a :: is)) Q s :=
  wp_load ha hm (h.canRead hj) (h.read hi hj) k

/-- Load 16 bytes of the slice. -/
theorem movdquLoad_ok (ha : s.ea a = p + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hi : i ≤ n) (hj : j + 16 ≤ n)
    (k : isa.Wp pub (.block is) Q (s.setXmm x (ofBytes 128 (piece s₀.memory p j 16)))) :
    isa.Wp pub (.block (.movdquLoad x a :: is)) Q s :=
  wp_movdquLoad ha hm (h.canRead hj) (h.read hi hj) k

/-- Store a piece where it belongs. -/
theorem store_ok (ha : s.ea a = d + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hj : j + w.bytes ≤ n) (hr : s.gpr r = ofBytes 64 (piece s₀.memory p j w.bytes))
    (hb : writeBytes (copied s₀.memory p d i) (d + BitVec.ofNat 64 j) (piece s₀.memory p j w.bytes) = copied s₀.memory p d l)
    (k : isa.Wp pub (.block is) Q (s.setMemory (s₀.memory.set (copied s₀.memory p d l)))) :
    isa.Wp pub (.block (.store w a r :: is)) Q s :=
  wp_store ha hm (h.canWrite hj) hr (by simp [piece]) hb k

/-- Store 16 bytes where they belong. -/
theorem movdquStore_ok (ha : s.ea a = d + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hj : j + 16 ≤ n) (hx : s.xmm x = ofBytes 128 (piece s₀.memory p j 16))
    (hb : writeBytes (copied s₀.memory p d i) (d + BitVec.ofNat 64 j) (piece s₀.memory p j 16) = copied s₀.memory p d l)
    (k : isa.Wp pub (.block is) Q (s.setMemory (s₀.memory.set (copied s₀.memory p d l)))) :
    isa.Wp pub (.block (.movdquStore a x :: is)) Q s :=
  wp_movdquStore ha hm (h.canWrite hj) hx (by simp [piece]) hb k

/-! The updates are opaque below: reading through them is rewriting (`reads`), never unfolding. -/

attribute [local irreducible] State.setReg State.setXmm State.setFlags State.setMemory

/-- 64 bytes. -/
theorem moves64_ok (hs : At s₀ p d n i i s) (hi : i + 64 ≤ n) :
    isa.Wp pub (.block moves64) (At s₀ p d n i (i + 64)) s := by
  have le := hs.le
  refine movdquLoad_ok h (j := i) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by omega) ?_
  refine movdquLoad_ok h (j := i + 16) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by omega) ?_
  refine movdquLoad_ok h (j := i + 32) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by omega) ?_
  refine movdquLoad_ok h (j := i + 48) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by omega) ?_
  refine movdquStore_ok h (i := i) (j := i) (l := i + 16) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory) (by omega) (by reads)
    (h.grow (by omega) (by omega)) ?_
  refine movdquStore_ok h (i := i + 16) (j := i + 16) (l := i + 32) (ea_at (get hs.dst) (by decide) rfl) (by reads) (by omega) (by reads)
    (h.grow (by omega) (by omega)) ?_
  refine movdquStore_ok h (i := i + 32) (j := i + 32) (l := i + 48) (ea_at (get hs.dst) (by decide) rfl) (by reads) (by omega) (by reads)
    (h.grow (by omega) (by omega)) ?_
  refine movdquStore_ok h (i := i + 48) (j := i + 48) (l := i + 64) (ea_at (get hs.dst) (by decide) rfl) (by reads) (by omega) (by reads)
    (h.grow (by omega) (by omega)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- 16 bytes. -/
theorem moves16_ok (hs : At s₀ p d n i i s) (hi : i + 16 ≤ n) :
    isa.Wp pub (.block moves16) (At s₀ p d n i (i + 16)) s := by
  refine movdquLoad_ok h (j := i) (ea_at hs.src (by decide) rfl) hs.memory hs.le (by omega) ?_
  refine movdquStore_ok h (i := i) (j := i) (l := i + 16) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory) (by omega)
    (by reads) (h.grow (by omega) (by omega)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- One byte. -/
theorem moveByte_ok (hs : At s₀ p d n i i s) (hi : i + 1 ≤ n) :
    isa.Wp pub (.block moveByte) (At s₀ p d n i (i + 1)) s := by
  refine load_ok h (w := .byte) (j := i) (ea_at hs.src (by decide) rfl) hs.memory hs.le hi ?_
  refine store_ok h (w := .byte) (i := i) (j := i) (l := i + 1) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory) hi
    (by reads) (h.grow hi rfl) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The last 16 bytes, of which some were copied: then all is copied. -/
theorem copyLast_ok (hn : 16 ≤ n) (hs : At s₀ p d n i i s) (hi : n - i < 16) :
    isa.Wp pub (.block copyLast) (At s₀ p d n i n) s := by
  have le := hs.le
  refine movdquLoad_ok h (j := n - 16) (ea_before hs.src hs.left (by decide) (by omega)) hs.memory le (by omega) ?_
  refine movdquStore_ok h (i := i) (j := n - 16) (l := n) (ea_before (get hs.dst) (get hs.left) (by decide) (by omega))
    (get hs.memory) (by omega) (by reads) (h.tail (by omega) (by omega) (by omega)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The first and the last bytes, which meet. -/
theorem copyEnds_ok (w : Width) (hs : At s₀ p d n 0 0 s) (hn : w.bytes ≤ n) (hw : n ≤ 2 * w.bytes) :
    isa.Wp pub (.block (copyEnds w)) (At s₀ p d n 0 n) s := by
  have hw31 : w.bytes < 2 ^ 31 := by cases w <;> decide
  refine load_ok h (j := 0) (ea_at hs.src (by decide) rfl) hs.memory hs.le (by omega) ?_
  refine load_ok h (j := n - w.bytes) (ea_before (get hs.src) (get hs.left) hw31 (by omega)) (get hs.memory) hs.le
    (by omega) ?_
  refine store_ok h (i := 0) (j := 0) (l := w.bytes) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory) (by omega) (by reads)
    (h.grow (by omega) (by omega)) ?_
  refine store_ok h (i := w.bytes) (j := n - w.bytes) (l := n) (ea_before (get hs.dst) (get hs.left) hw31 (by omega)) (by reads)
    (by omega) (by reads) (h.tail (by omega) (by omega) (by omega)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

end
end Proof.CopySlice.X86_64
