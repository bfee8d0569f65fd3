import Impl.CopySlice.AArch64
import Proof.AArch64.Keeps
import Proof.CopySlice.Count
import Proof.CopySlice.Mem
import Proof.Framework.Nat

/-!
# Copying one slice, on AArch64

The invariant, the moves that keep it, and the fragment.
-/

set_option autoImplicit false
namespace Proof.CopySlice.AArch64
open TCB TCB.AArch64 Impl.AArch64 Impl.CopySlice.AArch64

/-- The registers that the fragment may change. -/
def clobbered : List Reg := [.x2, .x4, .x5, .x6, .x7, .x8, .x9]

/-- The invariant: the pointers stand at byte `i`, and the first `j` bytes are copied. -/
structure At (s₀ : State) (p d : Addr) (n i j : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  le : i ≤ n
  src : s.gpr .x4 = p + BitVec.ofNat 64 i
  left : s.gpr .x5 = BitVec.ofNat 64 (n - i)
  dst : s.gpr .x2 = d + BitVec.ofNat 64 i
  memory : s.memory = s₀.memory.set (copied s₀.memory p d j)

/-- Arithmetic on the sizes of accesses. -/
local macro "size" : tactic => `(tactic| (simp only [Transfer.bytes, Width.bytes] at *; omega))

section
variable {pub : List Region} {is : List Instr} {Q : State → Prop} {s₀ s s' : State} {p d : Addr} {n i j k l : Nat}
  {t : Transfer} {x y : Vec} {b : Reg} {o : BitVec 7} {a : Ea} (h : Pre s₀.memory p d n)

/-- The same invariant after updates that change none of its registers. -/
theorem At.of_eq (h : At s₀ p d n i j s) (keeps : Keeps clobbered s₀ s') (src : s'.gpr .x4 = s.gpr .x4)
    (left : s'.gpr .x5 = s.gpr .x5) (dst : s'.gpr .x2 = s.gpr .x2)
    (memory : s'.memory = s₀.memory.set (copied s₀.memory p d l)) : At s₀ p d n i l s' :=
  ⟨keeps, h.le, src.trans h.src, left.trans h.left, dst.trans h.dst, memory⟩

include h in
/-- Load a piece of the slice. -/
theorem load_ok (ha : s.ea a t.bytes = p + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hi : i ≤ n) (hj : j + t.bytes ≤ n) (k : isa.Wp pub (.block is) Q (s.put t (piece s₀.memory p j t.bytes))) :
    isa.Wp pub (.block (.ldr t a :: is)) Q s :=
  wp_ldr ha hm (h.canRead hj) (h.read hi hj) k

include h in
/-- Load 32 bytes of the slice. -/
theorem loadPair_ok (ne : x ≠ y) (ha : s.pairEa (.vec x y) b o = p + BitVec.ofNat 64 j)
    (hm : s.memory = s₀.memory.set (copied s₀.memory p d i)) (hi : i ≤ n) (hj : j + 16 + 16 ≤ n)
    (k : isa.Wp pub (.block is) Q ((s.setVec x (ofBytes 128 (piece s₀.memory p j 16))).setVec y
      (ofBytes 128 (piece s₀.memory p (j + 16) 16)))) :
    isa.Wp pub (.block (.ldp (.vec x y) b o :: is)) Q s :=
  wp_ldp ne ha (add_ofNat_add ..) hm (h.canRead (by omega)) (h.canRead (by omega)) (h.read hi (by omega)) (h.read hi (by omega)) k

include h in
/-- Store a piece where it belongs. -/
theorem store_ok (ha : s.ea a t.bytes = d + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hj : j + t.bytes ≤ n) (hx : s.Holds t (piece s₀.memory p j t.bytes))
    (hb : writeBytes (copied s₀.memory p d i) (d + BitVec.ofNat 64 j) (piece s₀.memory p j t.bytes) = copied s₀.memory p d l)
    (k : isa.Wp pub (.block is) Q (s.setMemory (s₀.memory.set (copied s₀.memory p d l)))) :
    isa.Wp pub (.block (.str t a :: is)) Q s :=
  wp_str ha hm (h.canWrite hj) hx (by simp [piece]) hb k

include h in
/-- Store the next 32 bytes. -/
theorem storePair_ok (ha : s.pairEa (.vec x y) b o = d + BitVec.ofNat 64 i)
    (hm : s.memory = s₀.memory.set (copied s₀.memory p d i)) (hi : i + 16 + 16 ≤ n)
    (hx : s.Holds (.vec x) (piece s₀.memory p i 16)) (hy : s.Holds (.vec y) (piece s₀.memory p (i + 16) 16))
    (k : isa.Wp pub (.block is) Q (s.setMemory (s₀.memory.set (copied s₀.memory p d (i + 16 + 16))))) :
    isa.Wp pub (.block (.stp (.vec x y) b o :: is)) Q s :=
  wp_stp ha (add_ofNat_add ..) hm (h.canWrite (by omega)) (h.canWrite (by omega)) hx hy (by simp [piece]) (by simp [piece])
    (h.grow (by omega) rfl) (h.grow (by omega) rfl) k

/-! The updates are opaque below: reading through them is rewriting (`reads`), never unfolding. -/

attribute [local irreducible] State.setReg State.setVec State.setFlags State.setMemory State.put

include h in
/-- 64 bytes. -/
theorem moves64_ok (hs : At s₀ p d n i i s) (hi : i + 64 ≤ n) :
    isa.Wp pub (.block moves64) (At s₀ p d n i (i + 64)) s := by
  have le := hs.le
  refine loadPair_ok h (j := i) (by decide) (ea_pair (o := 0) hs.src (by decide) rfl) hs.memory le (by omega) ?_
  refine loadPair_ok h (j := i + 32) (by decide) (ea_pair (o := 32) (get hs.src) (by decide) rfl) (get hs.memory) le
    (by omega) ?_
  refine storePair_ok h (i := i) (ea_pair (o := 0) (get hs.dst) (by decide) rfl) (get hs.memory) (by omega) (by reads)
    (by reads) ?_
  refine storePair_ok h (i := i + 32) (ea_pair (o := 32) (get hs.dst) (by decide) rfl) (by reads) (by omega) (by reads)
    (by reads) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

include h in
/-- The next bytes, through a vector register. -/
theorem moves16_ok (hs : At s₀ p d n i i s) (hi : i + 16 ≤ n) :
    isa.Wp pub (.block (move (.vec 0))) (At s₀ p d n i (i + 16)) s := by
  refine load_ok h (t := .vec 0) (j := i) (ea_at hs.src) hs.memory hs.le hi ?_
  refine store_ok h (t := .vec 0) (i := i) (j := i) (l := i + 16) (ea_at (get hs.dst)) (get hs.memory) hi (by reads)
    (h.grow hi rfl) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

include h in
/-- The next byte. -/
theorem moveByte_ok (hs : At s₀ p d n i i s) (hi : i + 1 ≤ n) :
    isa.Wp pub (.block (move (.gpr .byte .x8))) (At s₀ p d n i (i + 1)) s := by
  refine load_ok h (t := .gpr .byte .x8) (j := i) (ea_at hs.src) hs.memory hs.le hi ?_
  refine store_ok h (t := .gpr .byte .x8) (i := i) (j := i) (l := i + 1) (ea_at (get hs.dst)) (get hs.memory) hi (by reads)
    (h.grow hi rfl) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The ends of the slice and of where it goes. -/
theorem ends_ok (hs : At s₀ p d n i j s) : isa.Wp pub (.block ends) (fun s => At s₀ p d n i j s ∧
    s.gpr .x6 = p + BitVec.ofNat 64 n ∧ s.gpr .x7 = d + BitVec.ofNat 64 n) s := by
  have le := hs.le
  refine .cons rfl (.cons rfl (.nil ?_))
  simp only [alu_add, State.src]
  refine ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_, ?_⟩
  · reads; rw [hs.src, hs.left, add_ofNat_add, show i + (n - i) = n by omega]
  · reads; rw [hs.dst, hs.left, add_ofNat_add, show i + (n - i) = n by omega]

include h in
/-- The last 16 bytes, of which some were copied: then all is copied. -/
theorem copyLast_ok (hn : 16 ≤ n) (hs : At s₀ p d n i i s) (hi : n - i < 16) :
    isa.Wp pub (.block copyLast) (At s₀ p d n i n) s := by
  refine .append ((ends_ok hs).mono fun s ⟨hs, hp, hd⟩ => ?_)
  have le := hs.le
  refine load_ok h (t := .vec 0) (j := n - 16) (ea_before hp (by decide) (by omega)) hs.memory le (by size) ?_
  refine store_ok h (t := .vec 0) (i := i) (j := n - 16) (l := n) (ea_before (get hd) (by decide) (by omega)) (get hs.memory)
    (by size) (by reads) (h.tail (by omega) (by size) (by size)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

include h in
/-- The first and the last bytes, which meet. -/
theorem copyEnds_ok (w : Width) (hs : At s₀ p d n 0 0 s) (hn : w.bytes ≤ n) (hw : n ≤ 2 * w.bytes) :
    isa.Wp pub (.block (copyEnds w)) (At s₀ p d n 0 n) s := by
  refine .append ((ends_ok hs).mono fun s ⟨hs, hp, hd⟩ => ?_)
  have small : w.bytes < 256 := by cases w <;> decide
  refine load_ok h (t := .gpr w .x8) (j := 0) (ea_at hs.src) hs.memory hs.le (by simpa using hn) ?_
  refine load_ok h (t := .gpr w .x9) (j := n - w.bytes) (ea_before (get hp) small (by omega)) (get hs.memory) hs.le
    (show n - w.bytes + w.bytes ≤ n by omega) ?_
  refine store_ok h (t := .gpr w .x8) (i := 0) (j := 0) (l := w.bytes) (ea_at (get hs.dst)) (get hs.memory)
    (show 0 + w.bytes ≤ n by omega) (by reads) (h.grow (show 0 + w.bytes ≤ n by omega) (Nat.zero_add _)) ?_
  refine store_ok h (t := .gpr w .x9) (i := w.bytes) (j := n - w.bytes) (l := n) (ea_before (get hd) small (by omega)) (by reads)
    (show n - w.bytes + w.bytes ≤ n by omega) (by reads)
    (h.tail (by omega) (show w.bytes ≤ n - w.bytes + w.bytes by omega) (show n - w.bytes + w.bytes = n by omega)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

include h in
/-- Counting in `x5` is right. -/
theorem counts : Counts isa pub counter n (At s₀ p d n) where
  le := At.le
  compare_ok {i j k s} hs hk := by
    have bound := h.bound
    refine .cons rfl (.nil ⟨hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (get hs.memory), ?_⟩)
    simp only [counter, isa, eval]
    reads
    simp only [subFlags, src_imm hk, hs.left, ult_ofNat (show n - i < 2 ^ 64 by omega) (show k < 2 ^ 64 by omega), Bool.not_not,
      and_self]
  setupLast_ok hs := .nil ⟨hs, congrArg some (by rw [hs.left]; exact ofNat_beq_zero (have := h.bound; by omega))⟩
  step_ok {i k s} hs hi hk := by
    have bound := h.bound
    refine .cons rfl (.cons rfl (.cons rfl (.nil ?_)))
    simp only [src_imm hk, alu_add, alu_sub]
    refine ⟨⟨kept hs.keeps, hi, ?_, ?_, ?_, get hs.memory⟩, ?_⟩
    · reads; rw [hs.src, add_ofNat_add]
    · reads; rw [hs.left, ofNat_sub_ofNat hi]
    · reads; rw [hs.dst, add_ofNat_add]
    · simp only [counter, isa, eval]
      reads
      rw [hs.left, ofNat_sub_ofNat hi, bne, ofNat_beq_zero (by omega)]

/-- The slice is copied, nothing else has changed, and `x2` is the end of the destination. -/
structure Post (s₀ : State) (p d : Addr) (n : Nat) (s : State) : Prop where
  keeps : Keeps clobbered s₀ s
  dst : s.gpr .x2 = d + BitVec.ofNat 64 n
  memory : s.memory = s₀.memory.set (copied s₀.memory p d n)

include h in
/-- The fragment copies the slice, changes nothing else, and leaves the end of the destination in `x2`. -/
theorem copySlice_ok (hp : s₀.gpr .x4 = p) (hn : s₀.gpr .x5 = BitVec.ofNat 64 n) (hd : s₀.gpr .x2 = d) :
    isa.Wp pub code (Post s₀ p d n) s₀ := by
  have start : At s₀ p d n 0 0 s₀ :=
    ⟨.refl _ _, Nat.zero_le _, by simp [hp], by simp [hn], by simp [hd], by simp [copied, Memory.set]⟩
  have c := counts (pub := pub) h
  refine .seq ((c.compare_ok start (by decide)).mono fun s ⟨hs, hc, _⟩ => .seq ?_)
  refine (Isa.Wp.ite (Q := fun s => ∃ i, At s₀ p d n i n s) hc (fun hv => ?_) (fun hv => ?_)).mono fun s ⟨i, hs⟩ => ?_
  · exact c.short_ok (moveByte_ok h) (copyEnds_ok h .word) (copyEnds_ok h .dword) hs (by simpa using hv)
  · have hn : 16 ≤ n := by simpa using hv
    exact c.long_ok (by decide) (by decide) (by decide) (by decide) (moves64_ok h) (moves16_ok h) (copyLast_ok h hn) hs
  · have le := hs.le
    refine .cons rfl (.nil ?_)
    simp only [alu_add, State.src]
    refine ⟨kept hs.keeps, ?_, get hs.memory⟩
    reads
    rw [hs.dst, hs.left, add_ofNat_add, show i + (n - i) = n by omega]

end
end Proof.CopySlice.AArch64
