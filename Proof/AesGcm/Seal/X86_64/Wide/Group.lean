import Proof.AesGcm.Seal.X86_64.Group
import Proof.AesGcm.X86_64.Wide.Hash
import Proof.AesGcm.X86_64.Wide.Text

/-!
# Sealing sixteen blocks at once
-/

set_option autoImplicit false
namespace Proof.AesGcm.Seal.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.AesGcm.X86_64 Proof.AesGcm.X86_64.Wide
open Proof.Aes.X86_64 (lastTenE)
open Proof.GhashBlocks.X86_64 (same_lane)

/-! ## Symbolic values -/

/-- The first sixteen blocks are sealed. -/
def firstOutcome : Outcome VecUn VecBin := { vec := [8, 11, 13].map keepE, mem := [(1, 0, textE 0)] }

/-- Sixteen blocks are sealed, and those before are hashed. -/
def bothOutcome : Outcome VecUn VecBin := { vec := [(11, [hashE]), keepE 8, keepE 13], mem := [(1, 256, textE 256)] }

/-- Sixteen blocks are hashed. -/
def hashOutcome : Outcome VecUn VecBin := { vec := [(11, [hashE]), keepE 8, keepE 13] }

/-- The checks of the evaluator. -/
theorem first_checked : machine.check (layout 0 256 true) (Wide.lastTen ++ Wide.write) firstOutcome = true := by decide +kernel
@[inherit_doc first_checked]
theorem both_checked : machine.check (layout 256 512 true) (Wide.both 256) bothOutcome = true := by decide +kernel
@[inherit_doc first_checked]
theorem hash_checked : machine.check (layout 256 256 false) (Wide.hash 256) hashOutcome = true := by decide +kernel

/-! ## Their values -/

/-- The first `d` bytes of the text are sealed, which are whole blocks, and all but the last sixteen blocks of them are hashed. -/
structure Lag (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  keeps : Keeps [.rdi, .rcx, .r8] s₀ s
  mask : view.lane s 13 0 = view.lane s₀ 13 0
  whole : d % 16 = 0
  some : 256 ≤ d
  le : d ≤ k.len
  memory : s.memory = k.memory.set (k.text.mem d)
  counters : ∀ l, l < 2 → view.lane s 8 l = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16 + l)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey k.aadHash ((List.range (d / 16 - 16)).map k.text.block)
  zero : view.lane s 11 1 = 0
  key : s.gpr .rdi = k.ctx

section
variable {k : Call} {tab : Addr} {s₀ s s' : State} {pub : List Region} {d n j p : Nat}

/-- Counting changes nothing. -/
theorem Lag.stable (d : Nat) : Stable [.rcx, .r8] (Lag k s₀ d) := fun s s' h g m v =>
  have lane (r i : Nat) : view.lane s' r i = view.lane s r i := by simp only [view, State.lane, v]
  { keeps := h.keeps.trans (g.mono (by decide))
    mask := (lane 13 0).trans h.mask
    whole := h.whole
    some := h.some
    le := h.le
    memory := m.trans h.memory
    counters := fun l hl => (lane 8 l).trans (h.counters l hl)
    hash := (lane 11 0).trans h.hash
    zero := (lane 11 1).trans h.zero
    key := (g.gpr _ (by decide)).trans h.key }

/-- The registers and the memory hold what they should. -/
theorem Lag.env (h : Lag k s₀ d s) (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- The hash goes on. -/
theorem hash_at (r : Wide.Ready k tab) (whole : d % 16 = 0) (some : 256 ≤ d) (le : d ≤ k.len) (m : s.memory = k.memory.set (k.text.mem d))
    (hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey k.aadHash ((List.range (d / 16 - 16)).map k.text.block))
    (zero : view.lane s 11 1 = 0) : hashE.at (places k tab j (d - 256)) view s =
      Spec.Ghash.ghash k.subkey k.aadHash ((List.range (d / 16)).map k.text.block) := by
  have len : k.text.len = k.len := rfl
  have blocks := k.text.blocksAt_done (d := d) (k := d / 16 - 16) (n := 16) (by omega) (by omega)
  rw [show 16 * (d / 16 - 16) = d - 256 by omega, show k.text.data = k.data from rfl] at blocks
  obtain ⟨i, hi⟩ : ∃ i, d / 16 = i + 16 := ⟨d / 16 - 16, by omega⟩
  rw [hashE_at r m zero, hash, m, Memory.bytes_set, blocks, hi, Nat.add_sub_cancel, List.range_add, List.map_append, List.map_map,
    Proof.Gf2.ghash_append]
  rfl

/-! ## Fragments -/

/-- **Sixteen blocks are sealed**, and those before are hashed. -/
theorem group_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory)
    (h : At (Lag k s₀) k.data k.len d s) (hd : d + 256 ≤ k.len) : isa.Wp pub (Wide.group 256) (fun s' =>
      Lag k s₀ (d + 256) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
  have hs := h.holds
  have some := hs.some
  have whole := hs.whole
  refine .seq ((start_ok r (hs.env r e m) hs.memory hs.key h.next hd hs.counters).mono fun s₁ ⟨b₁, f₁, m₁⟩ => .seq ?_)
  refine (ahead_ok r ((hs.env r e m).same f₁.keeps m₁) (m₁.trans hs.memory) ((f₁.keeps.gpr _ (by decide)).trans hs.key)
    ((f₁.keeps.gpr _ (by decide)).trans h.next) hd b₁).mono fun s₂ ⟨j, hj, a₂⟩ => .seq ?_
  have f₂ : Keeping [.rdi] [11, 13] s s₂ := (f₁.mono (List.nil_subset _) fun _ h => h).trans a₂.keeping
  have m₂ : s₂.memory = k.memory.set (k.text.mem d) := a₂.memory.trans (m₁.trans hs.memory)
  have next : s₂.gpr .rcx = k.data + BitVec.ofNat 64 (d - 256 + 256) := by
    rw [Nat.sub_add_cancel some]
    exact (f₂.keeps.gpr _ (by decide)).trans h.next
  refine machine.wp bothOutcome (layout_holds (d := d - 256) (o := 256) r a₂.env true m₂ a₂.key hj next (by omega)) both_checked
    fun s₃ o => ?_
  have k₃ : Keeps [] s₂ s₃ := Aes.X86_64.keeps_of_ends o [] rfl
  have e₃ : s₃.gpr .r9 = k.ctx := (k₃.gpr _ (by decide)).trans a₂.env.key
  have m₃ := text_at r whole hd m₂ hj (p := d - 256) (o := 256) (by omega) a₂ o.memory
  refine back_ok e₃ fun s₄ k₄ v₄ m₄ d₄ => ?_
  have lane (r i : Nat) : view.lane s₄ r i = view.lane s₃ r i := by simp only [view, State.lane, v₄]
  have all : Keeps [.rdi] s s₄ := f₂.keeps.trans ((k₃.mono (List.nil_subset _)).trans k₄)
  refine ⟨{
    keeps := hs.keeps.trans (all.mono (by decide))
    mask := by rw [lane, same_lane o rfl, f₂.lanes 13 (by decide), hs.mask]
    whole := by omega
    some := by omega
    le := hd
    memory := m₄.trans m₃
    counters := fun l hl => by
      rw [lane, same_lane o rfl, a₂.blocks.counters l hl, show (d + 256) / 16 = d / 16 + 16 by omega]
    hash := by
      rw [lane, o.vec (r := 11) rfl 0, show (d + 256) / 16 - 16 = d / 16 by omega]
      exact hash_at r whole some hs.le m₂ ((f₂.lanes 11 (by decide) 0).trans hs.hash) ((f₂.lanes 11 (by decide) 1).trans hs.zero)
    zero := by
      rw [lane, o.vec (r := 11) rfl 1]
      rfl
    key := d₄ }, all.gpr _ (by decide), all.gpr _ (by decide)⟩

end
end Proof.AesGcm.Seal.X86_64.Wide
