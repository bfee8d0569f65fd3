import Impl.CopySlice.X86_64.Avx
import Proof.CopySlice.X86_64.Copy

/-!
# Copying one slice, on x86-64 with AVX
-/

set_option autoImplicit false
namespace Proof.CopySlice.X86_64.Avx
open TCB TCB.X86_64 Impl.X86_64 Impl.CopySlice.X86_64 Impl.CopySlice.X86_64.Avx

/-- Arithmetic on the widths of vector registers. -/
local macro "width" : tactic => `(tactic| (simp only [VecWidth.bytes]; omega))

section
variable {pub : List Region} {is : List Instr} {Q : State → Prop} {s₀ s : State} {p d : Addr} {n i j l : Nat}
  {x : Vec} {w : VecWidth} {a : Ea} (h : Pre s₀.memory p d n)
include h

/-- Load a piece of the slice. -/
theorem load_ok (ha : s.ea a = p + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hi : i ≤ n) (hj : j + w.bytes ≤ n)
    (k : isa.Wp pub (.block is) Q (s.setVec x (ofBytes 512 (piece s₀.memory p j w.bytes)))) :
    isa.Wp pub (.block (.vmovdquLoad w x a :: is)) Q s :=
  wp_vmovdquLoad ha hm (h.canRead hj) (h.read hi hj) k

/-- Store a piece where it belongs. -/
theorem store_ok (ha : s.ea a = d + BitVec.ofNat 64 j) (hm : s.memory = s₀.memory.set (copied s₀.memory p d i))
    (hj : j + w.bytes ≤ n) (hx : s.vec x = ofBytes 512 (piece s₀.memory p j w.bytes))
    (hb : writeBytes (copied s₀.memory p d i) (d + BitVec.ofNat 64 j) (piece s₀.memory p j w.bytes) = copied s₀.memory p d l)
    (k : isa.Wp pub (.block is) Q (s.setMemory (s₀.memory.set (copied s₀.memory p d l)))) :
    isa.Wp pub (.block (.vmovdquStore w a x :: is)) Q s :=
  wp_vmovdquStore ha hm (h.canWrite hj) hx (by simp [piece]) hb k

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory

/-- 128 bytes. -/
theorem moves128_ok (hs : At s₀ p d n i i s) (hi : i + 128 ≤ n) :
    isa.Wp pub (.block moves128) (At s₀ p d n i (i + 128)) s := by
  have le := hs.le
  refine load_ok h (w := .ymm) (j := i) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by width) ?_
  refine load_ok h (w := .ymm) (j := i + 32) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by width) ?_
  refine load_ok h (w := .ymm) (j := i + 64) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by width) ?_
  refine load_ok h (w := .ymm) (j := i + 96) (ea_at (get hs.src) (by decide) rfl) (get hs.memory) le (by width) ?_
  refine store_ok h (w := .ymm) (i := i) (j := i) (l := i + 32) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory)
    (by width) (by reads) (h.grow (by width) rfl) ?_
  refine store_ok h (w := .ymm) (i := i + 32) (j := i + 32) (l := i + 64) (ea_at (get hs.dst) (by decide) rfl) (by reads)
    (by width) (by reads) (h.grow (by width) rfl) ?_
  refine store_ok h (w := .ymm) (i := i + 64) (j := i + 64) (l := i + 96) (ea_at (get hs.dst) (by decide) rfl) (by reads)
    (by width) (by reads) (h.grow (by width) rfl) ?_
  refine store_ok h (w := .ymm) (i := i + 96) (j := i + 96) (l := i + 128) (ea_at (get hs.dst) (by decide) rfl) (by reads)
    (by width) (by reads) (h.grow (by width) rfl) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- 32 bytes. -/
theorem moves32_ok (hs : At s₀ p d n i i s) (hi : i + 32 ≤ n) :
    isa.Wp pub (.block moves32) (At s₀ p d n i (i + 32)) s := by
  refine load_ok h (w := .ymm) (j := i) (ea_at hs.src (by decide) rfl) hs.memory hs.le hi ?_
  refine store_ok h (w := .ymm) (i := i) (j := i) (l := i + 32) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory) hi
    (by reads) (h.grow hi rfl) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The last 32 bytes, of which some were copied: then all is copied. -/
theorem copyLast_ok (hn : 32 ≤ n) (hs : At s₀ p d n i i s) (hi : n - i < 32) :
    isa.Wp pub (.block Avx.copyLast) (At s₀ p d n i n) s := by
  have le := hs.le
  refine load_ok h (w := .ymm) (j := n - 32) (ea_before hs.src hs.left (by decide) (by omega)) hs.memory le
    (by width) ?_
  refine store_ok h (w := .ymm) (i := i) (j := n - 32) (l := n) (ea_before (get hs.dst) (get hs.left) (by decide) (by omega))
    (get hs.memory) (by width) (by reads) (h.tail (by omega) (by width) (by width)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The first and the last 16 bytes, which meet. -/
theorem copyEnds_ok (hs : At s₀ p d n 0 0 s) (hn : 16 ≤ n) (hw : n ≤ 32) :
    isa.Wp pub (.block Avx.copyEnds) (At s₀ p d n 0 n) s := by
  refine load_ok h (w := .xmm) (j := 0) (ea_at hs.src (by decide) rfl) hs.memory hs.le (by width) ?_
  refine load_ok h (w := .xmm) (j := n - 16) (ea_before (get hs.src) (get hs.left) (by decide) (by omega)) (get hs.memory) hs.le
    (by width) ?_
  refine store_ok h (w := .xmm) (i := 0) (j := 0) (l := 16) (ea_at (get hs.dst) (by decide) rfl) (get hs.memory)
    (by width) (by reads) (h.grow (by width) rfl) ?_
  refine store_ok h (w := .xmm) (i := 16) (j := n - 16) (l := n) (ea_before (get hs.dst) (get hs.left) (by decide) (by omega))
    (by reads) (by width) (by reads) (h.tail (by omega) (by width) (by width)) ?_
  exact .nil (hs.of_eq (kept hs.keeps) (by reads) (by reads) (by reads) (by reads))

/-- The fragment copies the slice, changes nothing else, and leaves the end of the destination in `rdx`. -/
theorem copySlice_ok (hp : s₀.gpr .r8 = p) (hn : s₀.gpr .r9 = BitVec.ofNat 64 n) (hd : s₀.gpr .rdx = d) :
    isa.Wp pub Avx.code (Post s₀ p d n) s₀ := by
  have c := counts (pub := pub) h
  refine .seq ((c.compare_ok (At.start hp hn hd) (by decide)).mono fun s ⟨hs, hc, _⟩ => .seq ?_)
  refine (Isa.Wp.ite (Q := fun s => ∃ i, At s₀ p d n i n s) hc (fun hv => ?_) (fun hv => ?_)).mono fun s hs => finish_ok hs
  · simp only [Nat.sub_zero, decide_eq_true_eq] at hv
    refine .seq ((c.compare_ok hs (by decide)).mono fun s ⟨hs, hc, _⟩ => ?_)
    refine .ite hc (fun hw => short_ok h hs (by simpa using hw)) (fun hw => ?_)
    exact (copyEnds_ok h hs (by simpa using hw) (by omega)).mono fun s hs => ⟨0, hs⟩
  · have hn : 32 ≤ n := by simpa using hv
    exact c.long_ok (by decide) (by decide) (by decide) (by decide) (moves128_ok h) (moves32_ok h) (copyLast_ok h hn) hs

end
end Proof.CopySlice.X86_64.Avx
