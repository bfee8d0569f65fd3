import Impl.AesGcm.Message.X86_64.Wide
import Proof.AesGcm.X86_64.Text

/-!
# Where everything is while sixteen blocks are processed at once
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message


/-- What a kernel with constants of two lanes has on entry. -/
structure Ready (k : Call) (tab : Addr) : Prop extends X86_64.Ready k tab where
  all : bytesAt k.memory.bytes tab 224 = Wide.table
  readsAll : Within k.memory.readable ⟨tab, 224⟩
  apartAll : (Region.mk k.data k.len).Disjoint ⟨tab, 224⟩

/-- Eleven round keys at `rdi`, `n` bytes of the text of which `o` are before `rcx`, the key context and the table of constants. -/
def layout (o n : Nat) (w : Bool) : Layout where
  areas := [{ len := 176 }, { len := n, writes := w }, { len := 1024 }, { len := 224 }]
  ptrs := [(7, 0, 0), (1, 1, o), (9, 2, 0), (10, 3, 0)]

/-- Where they are: the round keys from number `j` on, and the text from byte `d` on. -/
def places (k : Call) (tab : Addr) (j d : Nat) : Nat → Addr
  | 0 => k.ctx + BitVec.ofNat 64 (16 * j)
  | 1 => k.data + BitVec.ofNat 64 d
  | 2 => k.ctx
  | _ => tab

/-- The registers `rs` are as they were, with all their lanes, and general registers but `qs`. -/
structure Keeping (qs : List Reg) (rs : List Nat) (s₀ s : State) : Prop where
  keeps : Keeps qs s₀ s
  lanes : ∀ r ∈ rs, ∀ i, view.lane s r i = view.lane s₀ r i

section
variable {k : Call} {tab : Addr} {s s' : State} {j d o n : Nat} {b : Mem}

/-- Everything is there. -/
theorem layout_holds (r : Ready k tab) (e : Env (fixedOf k tab) s) (w : Bool) (m : s.memory = k.memory.set b)
    (key : s.gpr .rdi = k.ctx + BitVec.ofNat 64 (16 * j)) (hj : j ≤ 4) (text : s.gpr .rcx = k.data + BitVec.ofNat 64 (d + o))
    (hd : d + n ≤ k.len) : (layout o n w).Holds view (places k tab j d) s where
  ptrs q hq := by
    simp only [layout, List.mem_cons, List.not_mem_nil, or_false] at hq
    rcases hq with rfl | rfl | rfl | rfl
    · exact key.trans (BitVec.add_zero _).symm
    · exact text.trans (by rw [BitVec.ofNat_add, ← BitVec.add_assoc]; rfl)
    · exact e.key.trans (BitVec.add_zero _).symm
    · exact e.tab.trans (BitVec.add_zero _).symm
  small := by
    have := k.text.small
    have : k.text.len = k.len := rfl
    exact ⟨by decide, by simp only; omega, by decide, by decide, trivial⟩
  reads := by
    simp only [view, m]
    exact ⟨fun _ => r.pre.readsCtx.part _ (by simp only; omega), fun _ => r.pre.reads.part _ hd, fun _ => r.pre.readsCtx, fun _ => r.readsAll, trivial⟩
  writes := by
    simp only [view, m]
    exact ⟨nofun, fun _ => r.pre.writes.part _ hd, nofun, nofun, trivial⟩
  apart := by
    have small := k.text.small
    have len : k.text.len = k.len := rfl
    have keys : (Region.mk (k.data + BitVec.ofNat 64 d) n).Disjoint ⟨k.ctx + BitVec.ofNat 64 (16 * j), 176⟩ :=
      r.pre.apartCtx.sub hd (by omega) (by omega) (by decide)
    have ctx : (Region.mk (k.data + BitVec.ofNat 64 d) n).Disjoint ⟨k.ctx + BitVec.ofNat 64 0, 1024⟩ :=
      r.pre.apartCtx.sub hd (by omega) (by omega) (by decide)
    have tab : (Region.mk (k.data + BitVec.ofNat 64 d) n).Disjoint ⟨tab + BitVec.ofNat 64 0, 224⟩ :=
      r.apartAll.sub hd (by omega) (by omega) (by decide)
    rw [show ∀ a : Addr, a + BitVec.ofNat 64 0 = a from fun a => BitVec.add_zero a] at ctx tab
    exact ⟨⟨nofun, fun _ _ => keys.symm, nofun, nofun, trivial⟩, ⟨nofun, nofun, fun _ _ => ctx, fun _ _ => tab, trivial⟩,
      ⟨nofun, nofun, nofun, nofun, trivial⟩, ⟨nofun, nofun, nofun, nofun, trivial⟩, trivial⟩

/-- A constant. -/
theorem constant_at (r : Ready k tab) (i : Nat) (hi : i + 16 ≤ 224 := by decide) (m : s.memory = k.memory.set (k.text.mem n)) :
    (Expr.load 3 i : VecExpr).at (places k tab j d) view s = ofBytes 128 ((Wide.table.drop i).take 16) := by
  show ofBytes 128 (bytesAt s.memory.bytes (tab + BitVec.ofNat 64 i) 16) = _
  rw [m, Memory.bytes_set, k.text.bytesAt_mem_part n (a := tab) (n := 224) (by decide) r.apartAll hi, bytesAt_part _ _ hi,
    show k.text.bytes = k.memory.bytes from rfl, r.all]

end
end Proof.AesGcm.X86_64.Wide
