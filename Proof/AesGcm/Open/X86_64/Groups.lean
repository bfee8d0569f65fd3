import Impl.AesGcm.Open.X86_64
import Proof.AesGcm.X86_64.Text

/-!
# Hashing and decrypting groups of blocks

A kernel with other instructions for its groups proves `Opens` of the code for one, or `OpensAll` of the code for all.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Open.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Open.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64

/-! ## Decrypting -/

section
variable {c : Fixed} {T : Text} {m : Memory} {s : State} {pub : List Region} {d : Nat}

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- **Eight blocks are decrypted.** -/
theorem decrypt_ok (e : Env c s) (hc : Constants s) (stream : ∀ j, T.key j = c.cipher (Spec.Gcm.counter T.icb j))
    (reads : Within m.readable ⟨T.data, T.len⟩) (writes : Within m.writable ⟨T.data, T.len⟩) (key : s.gpr .rdi = c.ctx)
    (whole : d % 16 = 0) (hd : d + 128 ≤ T.len) (next : s.gpr .rcx = T.data + BitVec.ofNat 64 d) (memory : s.memory = m.set (T.mem d))
    (counter : view.lane s 8 0 = Spec.Gcm.counter T.icb (d / 16)) : isa.Wp pub decrypt (fun s' =>
      Frame [.rdi] [9, 10, 11, 13] s s' ∧ s'.memory = m.set (T.mem (d + 128)) ∧
      view.lane s' 8 0 = Spec.Gcm.counter T.icb ((d + 128) / 16) ∧ s'.gpr .rdi = c.ctx) s := by
  refine .seq ((text_ok group_eight stream reads writes e hc key whole hd next memory counter).mono fun _ w => .seq (w.mono
    fun s₂ ⟨f, memory, counter⟩ => ?_))
  refine .cons (s₁ := s₂.setReg .rdi (s₂.gpr .r9)) rfl (.nil ?_)
  have same (r : Nat) : view.lane (s₂.setReg .rdi (s₂.gpr .r9)) r 0 = view.lane s₂ r 0 := by
    simp only [view, State.lane]
    reads
  refine ⟨⟨kept f.keeps, fun r hr => (same r).trans (f.lanes r hr)⟩, by reads; exact memory, (same 8).trans counter, ?_⟩
  reads
  exact (f.gpr .r9).trans e.key

end

/-! ## Hashing and decrypting -/

/-- The first `d` bytes of the text are hashed and decrypted, which are groups of eight blocks. -/
structure Opened (k : Call) (s₀ : State) (d : Nat) (s : State) : Prop where
  frame : Frame [.rax, .r11, .rdi, .rcx, .r8] [9, 10, 13] s₀ s
  whole : d % 128 = 0
  memory : s.memory = k.memory.set (k.text.mem d)
  counter : view.lane s 8 0 = Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey k.aadHash (blocksAt k.memory.bytes k.data (d / 16))
  key : s.gpr .rdi = k.ctx

/-- The code hashes and decrypts the next `n` blocks, at `rcx`. -/
def Opens (n : Nat) (body : Kernel) : Prop := ∀ {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d : Nat}, Ready k tab →
  Env (fixedOf k tab) s₀ → Constants s₀ → s₀.memory = k.memory → At (Opened k s₀) k.data k.len d s → d + 16 * n ≤ k.len →
    isa.Wp pub body (fun s' => Opened k s₀ (d + 16 * n) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s

/-- The code hashes and decrypts groups, until less than `16 * n` bytes are left. -/
def OpensAll (n : Nat) (bulk : Kernel) (pub : List Region) (k : Call) (tab : Addr) : Prop := ∀ {s₀ s : State} {d : Nat},
  Env (fixedOf k tab) s₀ → Constants s₀ → s₀.memory = k.memory → At (Opened k s₀) k.data k.len d s →
    isa.Wp pub bulk (fun s' => ∃ d, At (Opened k s₀) k.data k.len d s' ∧ k.len - d < 16 * n) s

section
variable {k : Call} {tab : Addr} {s₀ s : State} {pub : List Region} {d : Nat}

/-- Counting changes nothing. -/
theorem Opened.stable (d : Nat) : Stable [.rcx, .r8] (Opened k s₀ d) := fun s s' h g m v =>
  have lane (r : Nat) : view.lane s' r 0 = view.lane s r 0 := by simp only [view, State.lane, v]
  ⟨h.frame.trans (.of_vec (g.mono (by decide)) v), h.whole, m.trans h.memory, (lane 8).trans h.counter, (lane 11).trans h.hash,
    (g.gpr _ (by decide)).trans h.key⟩

/-- The registers and the memory hold what they should. -/
theorem Opened.env (h : Opened k s₀ d s) (r : Ready k tab) (e : Env (fixedOf k tab) s₀) (m : s₀.memory = k.memory) :
    Env (fixedOf k tab) s :=
  e.set h.frame.keeps (by decide) (b := k.text.mem d) (by rw [h.memory, m]) (r.holds_mem d)

/-- Blocks that are not decrypted yet. -/
theorem blocksAt_rest {T : Text} {d n : Nat} (h : d + 16 * n ≤ T.len) :
    blocksAt (T.mem d) (T.data + BitVec.ofNat 64 d) n = blocksAt T.bytes (T.data + BitVec.ofNat 64 d) n := by
  refine List.map_congr_left fun i hi => ?_
  have := List.mem_range.1 hi
  rw [BitVec.add_assoc, ← BitVec.ofNat_add, T.bytesAt_mem_rest (by omega) (by omega)]

/-- **Eight blocks**, with AES-NI and PCLMULQDQ. -/
theorem group_ok : Opens 8 group := by
  intro k tab s₀ s pub d r e hc m h hd
  have hs := h.holds
  have whole := hs.whole
  have env := hs.env r e m
  have consts : Constants s := hc.of_frame hs.frame
  have bytes : s.memory.bytes = k.text.mem d := by rw [hs.memory]; rfl
  refine .seq ((hash_ok (k := 7) env consts (by decide) hash_checked h.next
    (by rw [hs.memory]; exact r.pre.reads.part d hd)).mono fun s₁ ⟨f₁, m₁, h₁⟩ => ?_)
  refine (decrypt_ok (T := k.text) (m := k.memory) (d := d) (env.same f₁.keeps m₁) (consts.of_frame f₁) Ready.key_text r.pre.reads
    r.pre.writes ((f₁.gpr .rdi).trans hs.key) (by omega) hd ((f₁.gpr .rcx).trans h.next) (m₁.trans hs.memory)
    ((f₁.lane 8).trans hs.counter)).mono fun s₂ ⟨f₂, m₂, c₂, k₂⟩ => ?_
  refine ⟨⟨?_, by omega, m₂, c₂, ?_, k₂⟩, (f₂.gpr .rcx).trans (f₁.gpr .rcx), (f₂.gpr .r8).trans (f₁.gpr .r8)⟩
  · exact hs.frame.trans ((f₁.mono (List.nil_subset _) (by decide)).trans (f₂.mono (by decide) (by decide)))
  · have add := ghash_blocksAt_add k.subkey k.aadHash k.memory.bytes k.data (d / 16) 8
    rw [show 16 * (d / 16) = d by omega] at add
    rw [f₂.lane 11, h₁, hs.hash, bytes, show (d + 16 * 8) / 16 = d / 16 + 8 by omega, add]
    exact congrArg _ (blocksAt_rest (T := k.text) (n := 8) hd)

/-- **As many groups as there are.** -/
theorem Opens.runs {n : Nat} {body : Kernel} (h : Opens n body) (r : Ready k tab) (hn : 0 < n ∧ n < 2 ^ 20 := by decide) :
    OpensAll n (runs (16 * n) body) pub k tab := fun e hc m at_ =>
  (runs_ok (n := 16 * n) Opened.stable (k.value 6).isLt ⟨by omega, by omega⟩ at_ fun at_ hd => h r e hc m at_ hd).mono
    fun _ ⟨d, at_, _, few⟩ => ⟨d, at_, few⟩

/-- Smaller groups after others. -/
theorem OpensAll.seq {n n' : Nat} {bulk bulk' : Kernel} (h : OpensAll n bulk pub k tab) (h' : OpensAll n' bulk' pub k tab) :
    OpensAll n' (.seq bulk bulk') pub k tab := fun e hc m at_ => .seq ((h e hc m at_).mono fun _ ⟨_, at_, _⟩ => h' e hc m at_)

end
end Proof.AesGcm.Open.X86_64
