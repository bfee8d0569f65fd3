import Proof.AesGcm.Open.X86_64.Groups
import Proof.AesGcm.X86_64.Wide.Hash
import Proof.AesGcm.X86_64.Wide.Text

/-!
# Hashing and decrypting sixteen blocks at once
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64.Wide
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message Proof.AesGcm.X86_64 Proof.AesGcm.X86_64.Wide
open Proof.GhashBlocks.X86_64 (same_lane)

/-- Sixteen blocks are hashed and decrypted. -/
def bothOutcome : Outcome VecUn VecBin := { vec := [(11, [hashE]), keepE 8, keepE 13], mem := [(1, 0, textE 0)] }

@[inherit_doc pair_checked]
theorem both_checked : machine.check (layout 0 256 true) (Wide.both 0) bothOutcome = true := by decide +kernel

/-- The first `d` bytes of the text are hashed and decrypted, and the registers have two lanes. -/
structure Opened (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  keeps : Keeps [.rax, .r11, .rdi, .rcx, .r8] s₀ s
  mask : view.lane s 13 0 = view.lane s₀ 13 0
  whole : d % 128 = 0
  memory : s.memory = k.memory.set (k.text.mem d)
  counters : ∀ l, l < 2 → view.lane s 8 l = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16 + l)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey k.aadHash (blocksAt k.memory.bytes k.data (d / 16))
  zero : view.lane s 11 1 = 0
  key : s.gpr .rdi = k.ctx

section
variable {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d : Nat}

/-- Counting changes nothing. -/
theorem Opened.stable (d : Nat) : Stable [.rcx, .r8] (Opened k s₀ d) := fun s s' h g m v =>
  have lane (r i : Nat) : view.lane s' r i = view.lane s r i := by simp only [view, State.lane, v]
  { keeps := h.keeps.trans (g.mono (by decide))
    mask := (lane 13 0).trans h.mask
    whole := h.whole
    memory := m.trans h.memory
    counters := fun l hl => (lane 8 l).trans (h.counters l hl)
    hash := (lane 11 0).trans h.hash
    zero := (lane 11 1).trans h.zero
    key := (g.gpr _ (by decide)).trans h.key }

/-- The registers and the memory hold what they should. -/
theorem Opened.env (h : Opened k s₀ d s) (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- **Sixteen blocks are hashed and decrypted.** -/
theorem group_ok (r : Wide.Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory)
    (h : At (Opened k s₀) k.data k.len d s) (hd : d + 256 ≤ k.len) : isa.Wp pub (Wide.group 0) (fun s' =>
      Opened k s₀ (d + 256) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
  have hs := h.holds
  have whole := hs.whole
  have env := hs.env r e m
  refine .seq ((start_ok r env hs.memory hs.key h.next hd hs.counters).mono fun s₁ ⟨b₁, f₁, m₁⟩ => .seq ?_)
  refine (ahead_ok r (env.same f₁.keeps m₁) (m₁.trans hs.memory) ((f₁.keeps.gpr _ (by decide)).trans hs.key)
    ((f₁.keeps.gpr _ (by decide)).trans h.next) hd b₁).mono fun s₂ ⟨j, hj, a₂⟩ => .seq ?_
  have f₂ : Keeping [.rdi] [11, 13] s s₂ := (f₁.mono (List.nil_subset _) fun _ h => h).trans a₂.keeping
  have m₂ : s₂.memory = k.memory.set (k.text.mem d) := a₂.memory.trans (m₁.trans hs.memory)
  refine machine.wp bothOutcome (layout_holds (d := d) (o := 0) r a₂.env true m₂ a₂.key hj ((f₂.keeps.gpr _ (by decide)).trans h.next) hd)
    both_checked fun s₃ o => ?_
  have k₃ : Keeps [] s₂ s₃ := Aes.X86_64.keeps_of_ends o [] rfl
  have m₃ := text_at r (by omega) hd m₂ hj (p := d) (o := 0) rfl a₂ o.memory
  refine back_ok ((k₃.gpr _ (by decide)).trans a₂.env.key) fun s₄ k₄ v₄ m₄ d₄ => ?_
  have lane (r i : Nat) : view.lane s₄ r i = view.lane s₃ r i := by simp only [view, State.lane, v₄]
  have all : Keeps [.rdi] s s₄ := f₂.keeps.trans ((k₃.mono (List.nil_subset _)).trans k₄)
  have bytes : s₂.memory.bytes = k.text.mem d := by rw [m₂]; rfl
  have zero : view.lane s₂ 11 1 = 0 := (f₂.lanes 11 (by decide) 1).trans hs.zero
  exact ⟨{
    keeps := hs.keeps.trans (all.mono (by decide))
    mask := by rw [lane, same_lane o rfl, f₂.lanes 13 (by decide), hs.mask]
    whole := by omega
    memory := m₄.trans m₃
    counters := fun l hl => by
      rw [lane, same_lane o rfl, a₂.blocks.counters l hl, show (d + 256) / 16 = d / 16 + 16 by omega]
    hash := by
      have add := ghash_blocksAt_add k.subkey k.aadHash k.memory.bytes k.data (d / 16) 16
      rw [show 16 * (d / 16) = d by omega] at add
      rw [lane, o.vec (r := 11) rfl 0, show (d + 256) / 16 = d / 16 + 16 by omega, add]
      refine (hashE_at r m₂ zero).trans ?_
      rw [f₂.lanes 11 (by decide), hs.hash, bytes]
      exact congrArg _ (blocksAt_rest (T := k.text) (n := 16) hd)
    zero := by
      rw [lane, o.vec (r := 11) rfl 1]
      rfl
    key := d₄ }, all.gpr _ (by decide), all.gpr _ (by decide)⟩

/-- **Groups of sixteen blocks.** -/
theorem groups_ok (r : Wide.Ready k tab) : OpensAll 16 Wide.decrypted pub k tab := fun {s₀ s d} e hc m h => by
  have stable : Stable [] (At (X86_64.Opened k s₀) k.data k.len d) := fun s s' h g m v =>
    ⟨X86_64.Opened.stable _ h.holds (g.mono (List.nil_subset _)) m v, h.le, (g.gpr _ (by decide)).trans h.next, (g.gpr _ (by decide)).trans h.left⟩
  have small : k.len < 2 ^ 64 := (k.value 6).isLt
  refine .seq ((compare_ok stable (L := k.len - d) (by omega) (by decide) h h.left).mono fun s₁ ⟨h₁, _, _, c₁, _⟩ => ?_)
  refine .skipIf c₁ (fun c => ⟨d, h₁, of_decide_eq_true c⟩) fun c => .seq ?_
  have some : 256 ≤ k.len - d := Nat.not_lt.1 (of_decide_eq_false c)
  have h₁ := h₁
  have hs := h₁.holds
  refine (pair_ok r (hs.env r.toReady e m) hs.memory hs.key h₁.next (by omega) hs.counter).mono fun s₂ ⟨k₂, m₂, n₂, x₂, z₂, y₂⟩ => .seq ?_
  have h₂ : At (Opened k s₀) k.data k.len d s₂ := {
    holds := {
      keeps := hs.frame.keeps.trans (k₂.mono (List.nil_subset _))
      mask := y₂.trans (hs.frame.lane 13)
      whole := hs.whole
      memory := m₂.trans hs.memory
      counters := fun l hl => (n₂ l hl).trans (counter_add ..)
      hash := x₂.trans hs.hash
      zero := z₂
      key := (k₂.gpr _ (by decide)).trans hs.key }
    le := h₁.le
    next := (k₂.gpr _ (by decide)).trans h₁.next
    left := (k₂.gpr _ (by decide)).trans h₁.left }
  refine (runs_ok (n := 256) Opened.stable small (by decide) h₂ fun h hd => group_ok r e m h hd).mono fun s₃ ⟨d, h₃, _, few⟩ => .seq ?_
  have hs := h₃.holds
  refine (restore_ok r (hs.env r e m) hs.memory hs.key h₃.next h₃.le).mono fun _ w => w.mono fun s₄ ⟨c₄, k₄, m₄, l₄⟩ => ?_
  refine ⟨d, ⟨{
    frame := ⟨hs.keeps.trans (k₄.mono (List.nil_subset _)), fun r hr => ?_⟩
    whole := hs.whole
    memory := m₄.trans hs.memory
    counter := by rw [l₄ 8 (by decide), hs.counters 0 (by decide), Nat.add_zero]
    hash := (l₄ 11 (by decide)).trans hs.hash
    key := (k₄.gpr _ (by decide)).trans hs.key }, h₃.le, (k₄.gpr _ (by decide)).trans h₃.next, (k₄.gpr _ (by decide)).trans h₃.left⟩, few⟩
  simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
  rcases hr with rfl | rfl | rfl
  · exact c₄.mask.trans hc.mask.symm
  · exact c₄.one.trans hc.one.symm
  · rw [l₄ 13 (by decide), hs.mask]

end
end Proof.AesGcm.Open.X86_64.Wide
