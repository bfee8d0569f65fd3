import Proof.AesGcm.X86_64.Enter

/-!
# The start of a message: up to its text
-/

set_option autoImplicit false
namespace Proof.AesGcm.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Proof.Gf2 Proof.AesGcm.Message

/-- The first constants of a kernel are where they should be, and apart from the text, whose place among the buffers is `i`. -/
theorem constants_of {con : Contract} {s : State} {constants : List Byte} (h : target.Pre con constants s) {l : List Buffer}
    (hl : con.sig.buffers (target.args con s) (target.mem s) = l) (i : Nat)
    (hi : l[i]? = some ⟨"data", .inout, ⟨(callOf target s).data, (callOf target s).len⟩⟩) {n : Nat} {bs : List Byte}
    (pos : 0 < n) (hn : bs.length = n) (hc : constants.take n = bs) : bytesAt s.memory.bytes s.memory.constants n = bs ∧
      Within s.memory.readable ⟨s.memory.constants, n⟩ ∧
      (Region.mk (callOf target s).data (callOf target s).len).Disjoint ⟨s.memory.constants, n⟩ := by
  have le : n ≤ constants.length := by rw [← hc, List.length_take] at hn; omega
  have ne : constants ≠ [] := by rintro rfl; simp at le; omega
  have mem : (⟨s.memory.constants, constants.length⟩ : Region) ∈ s.memory.table constants := by
    cases constants with
    | nil => exact absurd rfl ne
    | cons => exact .head _
  have zero : s.memory.constants = s.memory.constants + BitVec.ofNat 64 0 := (BitVec.add_zero _).symm
  have holds := (h.table ne).2.1
  refine ⟨?_, ?_, ?_⟩
  · rw [zero, bytesAt_part (n := constants.length) _ _ (by omega), List.drop_zero]
    exact (congrArg (List.take n) holds).trans hc
  · rw [zero]
    exact (Within.of_mem (h.table ne).1).part 0 (by omega)
  · have apart := apart_table h hl i hi rfl mem
    intro x ⟨hx, hy⟩
    exact apart x ⟨hx, Nat.lt_of_lt_of_le hy le⟩

/-- What the kernel has on entry, from the buffers that it is called with: `i` is the place of the text among them. -/
theorem ready_of {con : Contract} {s : State} {constants : List Byte} (h : target.Pre con constants s) (p : (callOf target s).Pre)
    {l : List Buffer} (hl : con.sig.buffers (target.args con s) (target.mem s) = l) (i : Nat)
    (hi : l[i]? = some ⟨"data", .inout, ⟨(callOf target s).data, (callOf target s).len⟩⟩)
    (hc : constants.take 128 = table := by decide +kernel) : Ready (callOf target s) s.memory.constants :=
  have ⟨holds, reads, apart⟩ := constants_of h hl i hi (by decide) (by decide +kernel) hc
  ⟨p, holds, reads, apart⟩

/-- The structure of arguments is public, for a kernel with any constants. -/
theorem args_isPublicWith {con : Contract} {s : State} (constants : List Byte) {l : List Buffer} {a : Region}
    (hl : con.sig.buffers (target.args con s) (target.mem s) = l) (ha : l[1]? = some ⟨"args", .publicInput, a⟩) :
    Within (target.publicRegions con constants s) a :=
  .of_mem (List.mem_append_right _ (List.mem_map.2 ⟨_, List.mem_filter.2 ⟨hl ▸ List.mem_of_getElem? ha, rfl⟩, rfl⟩))

/-- The structure of arguments is public. -/
theorem args_isPublic {con : Contract} {s : State} {l : List Buffer} {a : Region}
    (hl : con.sig.buffers (target.args con s) (target.mem s) = l) (ha : l[1]? = some ⟨"args", .publicInput, a⟩) :
    Within (target.publicRegions con table s) a := args_isPublicWith table hl ha

/-- The state after the additional data: nothing in memory has changed. -/
structure Headed (k : Call) (tab : Addr) (n : Nat) (pub : List Region) (s₀ s : State) : Prop where
  keeps : Keeps [.rax, .rcx, .rdx, .rsi, .r8, .r9, .r10, .r11, .rdi] s₀ s
  memory : s.memory = k.memory
  env : Env (fixedOf k tab) s
  arguments : Arguments k n pub s
  constants : Constants s
  key : s.gpr .rdi = k.ctx
  counter : view.lane s 8 0 = Spec.Gcm.inc32 k.j0
  hash : view.lane s 11 0 = k.aadHash
  mask : view.lane s 13 0 = k.key 0

/-- The state where the text begins: `rcx` and `r8` are the text. -/
structure Begun (k : Call) (tab : Addr) (n : Nat) (pub : List Region) (s₀ s : State) : Prop extends Headed k tab n pub s₀ s where
  text : s.gpr .rcx = k.data
  length : s.gpr .r8 = BitVec.ofNat 64 k.len

/-- **The head of a message**: its nonce and its additional data. -/
theorem head_ok {k : Call} {tab : Addr} {n : Nat} {pub : List Region} {s : State} (r : Based k tab) (p : k.Head) (hn : 4 < n ∧ n ≤ 16)
    (memory : s.memory = k.memory) (ctx : s.gpr .rdi = k.ctx) (args : s.gpr .rsi = k.args) (ht : s.memory.constants = tab)
    (reads : Within k.memory.readable ⟨k.args, 8 * n⟩) (isPublic : Within pub ⟨k.args, 8 * n⟩) :
    isa.Wp pub head (Headed k tab n pub s) s := by
  have number (i : Nat) : k.value i = BitVec.ofNat 64 (k.value i).toNat := ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm
  refine .seq ((enter_ok r (by omega) memory ctx args ht reads isPublic).mono fun _ w => .seq (w.mono
    fun s₁ ⟨k₁, m₁, e₁, a₁, c₁, z₁⟩ => .seq ?_))
  have m₁ : s₁.memory = k.memory := m₁.trans memory
  refine (nonce_ok e₁ c₁ a₁ (by omega) p.nonceLen.2 (by rw [m₁]; exact p.readsNonce) z₁).mono fun s₂ ⟨f₂, m₂, z₂, j₂⟩ => .seq ?_
  have m₂ : s₂.memory = k.memory := m₂.trans m₁
  have e₂ := e₁.same f₂.keeps (m₂.trans m₁.symm)
  have rdi₂ : s₂.gpr .rdi = k.ctx := (f₂.gpr .rdi).trans ((k₁.gpr .rdi (by decide)).trans ctx)
  refine (mask_ok rdi₂ e₂.keyed (c₁.of_frame f₂) j₂).mono fun s₃ ⟨t₃, i₃, f₃, d₃, m₃⟩ => .seq ?_
  have m₃ : s₃.memory = k.memory := m₃.trans m₂
  have e₃ := e₂.same f₃.keeps (m₃.trans m₂.symm)
  have f₁₃ : Frame [.rax, .r11, .rcx, .r8, .rdi] [9, 10] s₁ s₃ := (f₂.mono (by decide) (by decide)).trans (f₃.mono (by decide) (by decide))
  have a₃ := a₁.same f₁₃.keeps (m₃.trans m₁.symm)
  refine (arguments_ok 3 a₃ (by omega)).mono fun s₄ ⟨f₄, m₄, p₄, l₄⟩ => ?_
  have m₄ : s₄.memory = k.memory := m₄.trans m₃
  have e₄ := e₃.same f₄.keeps (m₄.trans m₃.symm)
  have c₄ := (c₁.of_frame f₁₃).of_frame f₄
  refine (absorb_ok e₄ c₄ (k.value 4).isLt p₄ (l₄.trans (number 4)) (by rw [m₄]; exact p.readsAad)).mono fun s₅ ⟨f₅, m₅, h₅⟩ => ?_
  have m₅ : s₅.memory = k.memory := m₅.trans m₄
  have j0 : Spec.Gcm.j0 (fixedOf k tab).h (bytesAt s₁.memory.bytes k.nonce k.nonceLen) = k.j0 := by rw [m₁]; rfl
  exact {
    keeps := (k₁.mono (by decide)).trans ((f₁₃.keeps.mono (by decide)).trans ((f₄.keeps.mono (by decide)).trans
      (f₅.keeps.mono (by decide))))
    memory := m₅
    env := e₄.same f₅.keeps (m₅.trans m₄.symm)
    arguments := (a₃.same f₄.keeps (m₄.trans m₃.symm)).same f₅.keeps (m₅.trans m₄.symm)
    constants := c₄.of_frame f₅
    key := (f₅.gpr .rdi).trans ((f₄.gpr .rdi).trans d₃)
    counter := by rw [f₅.lane 8, f₄.lane 8, i₃, j0]
    hash := by
      rw [h₅, f₄.lane 11, f₃.lane 11, z₂, m₄]
      rfl
    mask := by
      rw [f₅.lane 13, f₄.lane 13, t₃, j0, m₂]
      exact (k.key_eq 0).symm }

/-- **The start of a message.** -/
theorem start_ok {k : Call} {tab : Addr} {n : Nat} {pub : List Region} {s : State} (r : Ready k tab) (hn : 6 < n ∧ n ≤ 16)
    (memory : s.memory = k.memory) (ctx : s.gpr .rdi = k.ctx) (args : s.gpr .rsi = k.args) (ht : s.memory.constants = tab)
    (reads : Within k.memory.readable ⟨k.args, 8 * n⟩) (isPublic : Within pub ⟨k.args, 8 * n⟩) :
    isa.Wp pub start (Begun k tab n pub s) s := by
  refine .seq ((head_ok r.based r.pre.toHead (by omega) memory ctx args ht reads isPublic).mono fun s₁ h => ?_)
  refine (arguments_ok 5 h.arguments (by omega)).mono fun s₂ ⟨f, m, p, l⟩ => {
    keeps := h.keeps.trans (f.keeps.mono (by decide))
    memory := m.trans h.memory
    env := h.env.same f.keeps m
    arguments := h.arguments.same f.keeps m
    constants := h.constants.of_frame f
    key := (f.gpr .rdi).trans h.key
    counter := (f.lane 8).trans h.counter
    hash := (f.lane 11).trans h.hash
    mask := (f.lane 13).trans h.mask
    text := p
    length := l.trans ((BitVec.ofNat_toNat ..).trans (BitVec.setWidth_eq _)).symm }

end Proof.AesGcm.X86_64
