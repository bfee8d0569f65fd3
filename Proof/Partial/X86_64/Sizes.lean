import Proof.Partial.X86_64.Steps

/-!
# The 1 to 15 bytes at the end of a buffer, on x86-64: which code runs
-/

set_option autoImplicit false
namespace Proof.Partial.X86_64
open TCB TCB.X86_64 Impl Impl.X86_64 Impl.Partial.X86_64

variable {pub : List Region} {Q : State → Prop} {s : State} {n : Reg} {k : Nat}

/-- Comparing the number of bytes. -/
theorem compare_ok {is : List Instr} {j : Nat} (hn : s.gpr n = BitVec.ofNat 64 k) (hk : k < 16) (hj : j < 16)
    (h : ∀ f, f .cf = some (decide (k < j)) → isa.Wp pub (.block is) Q (s.setFlags f)) :
    isa.Wp pub (.block (.alu .cmp n (imm j) :: is)) Q s := by
  refine .cons rfl ?_
  rw [alu_cmp, src_imm (by omega), hn]
  exact h _ (by rw [subFlags, ult_ofNat (by omega) (by omega)])

/-- The code of the size runs. -/
theorem bySize_ok {bytes : Kernel} {ends : Width → List Instr} (hn : s.gpr n = BitVec.ofNat 64 k) (hk : k < 16)
    (hb : k < 4 → ∀ f, isa.Wp pub bytes Q (s.setFlags f))
    (he : ∀ w f, w.bytes ≤ 8 → w.bytes ≤ k → k ≤ 2 * w.bytes → isa.Wp pub (.block (ends w)) Q (s.setFlags f)) :
    isa.Wp pub (bySize n bytes ends) Q s := by
  refine .seq (compare_ok hn hk (by decide) fun f hf => .nil (.ite (v := decide (k < 8)) hf (fun h8 => ?_) fun h8 => ?_))
  · have h8 := of_decide_eq_true h8
    refine .seq (compare_ok hn hk (by decide) fun g hg => .nil (.ite (v := decide (k < 4)) hg (fun h4 => ?_) fun h4 => ?_))
    · exact hb (of_decide_eq_true h4) g
    · have h4 := of_decide_eq_false h4
      exact he .dword g (by decide) (show 4 ≤ k by omega) (show k ≤ 8 by omega)
  · have h8 := of_decide_eq_false h8
    exact he .qword f (by decide) (show 8 ≤ k by omega) (show k ≤ 16 by omega)

/-- As many bytes are moved as there are. -/
theorem byBytes_ok {move : Nat → List Instr} (Inv : Nat → State → Prop)
    (len : ∀ {i s}, Inv i s → s.gpr n = BitVec.ofNat 64 k) (flags : ∀ {i s}, Inv i s → ∀ f, Inv i (s.setFlags f))
    (step : ∀ {i s}, i < k → i < 3 → Inv i s → isa.Wp pub (.block (move i)) (Inv (i + 1)) s) (h1 : 1 ≤ k) (h3 : k < 4)
    (h : Inv 0 s) : isa.Wp pub (byBytes n move) (Inv k) s := by
  refine .seq (.mono (step h1 (by decide) h) fun s h => .seq (compare_ok (len h) (by omega) (by decide) fun f hf => .nil
    (.skipIf (v := decide (k < 2)) hf (fun h2 => ?_) fun h2 => ?_)))
  · obtain rfl : k = 1 := by have := of_decide_eq_true h2; omega
    exact flags h f
  have h2 := of_decide_eq_false h2
  refine .seq (.mono (step (by omega) (by decide) (flags h f)) fun s h => .seq (compare_ok (len h) (by omega) (by decide)
    fun f hf => .nil (.skipIf (v := decide (k < 3)) hf (fun h3 => ?_) fun h3 => ?_)))
  · obtain rfl : k = 2 := by have := of_decide_eq_true h3; omega
    exact flags h f
  · obtain rfl : k = 3 := by have := of_decide_eq_false h3; omega
    exact step (by decide) (by decide) (flags h f)

end Proof.Partial.X86_64
