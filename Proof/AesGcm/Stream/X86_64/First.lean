import Proof.AesGcm.Stream.X86_64.Stage

/-!
# A piece of a message on x86-64: the bytes that belong to the last block of the piece before
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- What storing changes. -/
theorem frame_of_stored {t : Vec} {m : Mem} {vs : List Nat} {s s' : State} (h : Proof.Partial.X86_64.Stored s t m s')
    (hv : (vs.all fun r => r ≠ t.val) = true) : Frame [.rax, .r11] vs s s' :=
  ⟨h.keeps, fun r hr => h.lane_others (of_decide_eq_true (List.all_eq_true.1 hv r hr)) 0⟩

/-- Fewer than 16 bytes that were loaded. -/
theorem take_ofBytes {bs : List Byte} (h : bs.length ≤ 16) : (toBytes 16 (ofBytes 128 bs)).take bs.length = bs := by
  rw [← ofBytes_append_zeros bs (16 - bs.length), toBytes_ofBytes (by simp; omega) (by decide), List.take_left' rfl]

/-- The bytes are added to their keystream. -/
def addOutcome : Outcome VecUn VecBin := { vec := (2, [xorE (.reg 2 0) (.reg 0 0)]) :: [0, 8, 9, 10, 11].map keepE }

/-- The block in the state. -/
def blockOutcome : Outcome VecUn VecBin := { vec := (0, [.load 0 64]) :: [8, 9, 10, 11].map keepE }

section
variable {k : Call} {tab : Addr} {pub : List Region} {m : Mem} {s₀ s : State} {d : Bool}

/-- The state of the machine before and after the first bytes: `m` in memory, `y` the hash. -/
structure Early (k : Call) (tab : Addr) (pub : List Region) (s₀ : State) (d : Bool) (m : Mem) (y : Spec.Ghash.Block) (s : State) : Prop
    extends Stage k tab pub s₀ m s where
  counter : view.lane s 8 0 = (pieceOf k d).count
  hash : view.lane s 11 0 = y
  next : s.gpr .rcx = k.value 3
  left : s.gpr .r8 = BitVec.ofNat 64 (pieceOf k d).first

/-- How many bytes belong to the last block, and where their keystream is. -/
theorem sizes_ok (h : Stage k tab pub s₀ m s) (used : s.gpr .rdi = BitVec.ofNat 64 (pieceOf k d).used)
    (some : (pieceOf k d).used ≠ 0) (len : s.gpr .r8 = k.value 4) : isa.Wp pub sizes (fun s' =>
      Frame [.rax, .r8, .r11, .rdi] (List.range 16) s s' ∧ s'.memory = s.memory ∧
      s'.gpr .r8 = BitVec.ofNat 64 (pieceOf k d).first ∧
      s'.gpr .rdi = k.value 1 + BitVec.ofNat 64 (48 + (pieceOf k d).used)) s := by
  have lt := (pieceOf k d).used_lt
  have first : (pieceOf k d).first = min (k.value 4).toNat (16 - (pieceOf k d).used) := if_neg some
  refine .seq (movImm_ok fun s₁ f₁ m₁ g₁ => sub_ok fun s₂ f₂ m₂ g₂ => ?_)
  have r₂ : s₂.gpr .r11 = BitVec.ofNat 64 (16 - (pieceOf k d).used) := by
    rw [g₂, g₁, State.src, f₁.gpr .rdi, used]
    exact ofNat_sub (a := 16) (by omega)
  refine cmp_ok (a := (k.value 4).toNat) (b := 16 - (pieceOf k d).used) (k.value 4).isLt (by omega)
    ((f₂.gpr .r8).trans ((f₁.gpr .r8).trans (len.trans (ofNat_toNat _)))) r₂ fun s₃ f₃ m₃ c₃ => .nil ?_
  have f₁₃ : Frame [.rax, .r8, .r11, .rdi] (List.range 16) s s₃ := (f₁.mono (by decide) fun _ h => h).trans
    ((f₂.mono (by decide) fun _ h => h).trans (f₃.mono (List.nil_subset _) fun _ h => h))
  have m₃ : s₃.memory = s.memory := m₃.trans (m₂.trans m₁)
  have smaller : isa.Wp pub (.skipIf .b (.block [.mov .r8 .r11])) (fun s' => Frame [.r8] (List.range 16) s₃ s' ∧
      s'.memory = s₃.memory ∧ s'.gpr .r8 = BitVec.ofNat 64 (pieceOf k d).first) s₃ := by
    refine .skipIf c₃ (fun c => ⟨.refl _ _ _, rfl, ?_⟩) fun c => mov_ok fun s₄ f₄ m₄ g₄ => .nil ⟨f₄, m₄, ?_⟩
    · have := of_decide_eq_true c
      rw [f₃.gpr .r8, f₂.gpr .r8, f₁.gpr .r8, len, first, Nat.min_eq_left (by omega)]
      exact ofNat_toNat _
    · have := of_decide_eq_false c
      rw [g₄, f₃.gpr .r11, r₂, first, Nat.min_eq_right (by omega)]
  refine .seq (smaller.mono fun s₄ ⟨f₄, m₄, g₄⟩ => .seq ?_)
  have f₁₄ : Frame [.rax, .r8, .r11, .rdi] (List.range 16) s s₄ := f₁₃.trans (f₄.mono (by decide) fun _ h => h)
  have a₄ := h.arguments.same f₁₄.keeps (m₄.trans m₃)
  refine (arg_ok 1 a₄ (by decide)).mono fun s₅ ⟨f₅, m₅, g₅⟩ => add_ok fun s₆ f₆ m₆ g₆ => add_ok fun s₇ f₇ m₇ g₇ => .nil ?_
  refine ⟨f₁₄.trans ((f₅.mono (by decide) fun _ h => h).trans ((f₆.mono (by decide) fun _ h => h).trans
    (f₇.mono (by decide) fun _ h => h))), m₇.trans (m₆.trans (m₅.trans (m₄.trans m₃))), ?_, ?_⟩
  · rw [f₇.gpr .r8, f₆.gpr .r8, f₅.gpr .r8, g₄]
  · rw [g₇, g₆, src_imm (by decide), State.src, g₅, f₅.gpr .rdi, f₄.gpr .rdi, f₃.gpr .rdi, f₂.gpr .rdi, f₁.gpr .rdi, used,
      BitVec.add_comm (BitVec.ofNat 64 _), BitVec.add_assoc, ← BitVec.ofNat_add, Nat.add_comm 48]

/-- Memory when the first bytes of the data are done. -/
theorem outside_output (g : Given k tab pub) : Outside k (writeBytes k.memory.bytes (k.value 3) (pieceOf k d).output) := by
  intro x hd _
  have := writeBytes_apart k.memory.bytes (bs := (pieceOf k d).output) (i := 0) hd
    (by rw [Piece.length_output, Nat.zero_add]; exact (pieceOf k d).first_le) (by have := g.pre.len; omega)
  rwa [BitVec.add_zero] at this

/-- **The first bytes**, and the bytes of the ciphertext in the state. -/
theorem join_ok (g : Given k tab pub) {y : Spec.Ghash.Block} (h : Early k tab pub s₀ d k.memory.bytes y s)
    (some : (pieceOf k d).first ≠ 0)
    (place : s.gpr .rdi = k.value 1 + BitVec.ofNat 64 (48 + (pieceOf k d).used)) :
    isa.Wp pub (join d) (Early k tab pub s₀ d (pieceOf k d).mid y) s := by
  have p := g.pre
  have lt := (pieceOf k d).used_lt
  have ne := (pieceOf k d).used_ne some
  have le := (pieceOf k d).used_first_le
  have first_le : (pieceOf k d).first ≤ (k.value 4).toNat := (pieceOf k d).first_le
  have readable : s.memory.readable = k.memory.readable := by rw [h.memory]; rfl
  refine .seq ((Proof.Partial.X86_64.load_ok (a := k.value 3) (k := (pieceOf k d).first) (by decide) (by decide) (by decide)
    h.next h.left (by omega) (by omega) (by rw [readable]; exact within_first p.reads first_le) h.env.slide).mono fun s₁ l₁ => .seq ?_)
  have f₁ : Frame [.rax, .r11] [8, 9, 10, 11] s s₁ := .of_loaded l₁ (by decide)
  have x₁ : view.lane s₁ 0 0 = ofBytes 128 (pieceOf k d).input := by
    have : view.lane s₁ 0 0 = ofBytes 128 (bytesAt s.memory.bytes (k.value 3) (pieceOf k d).first) := l₁.lane
    rw [this, h.memory]
    rfl
  have h₁ := h.toStage.same g f₁ l₁.memory
  have readable₁ : s₁.memory.readable = k.memory.readable := by rw [h₁.memory]; rfl
  refine (Proof.Partial.X86_64.load_ok (a := k.value 1 + BitVec.ofNat 64 (48 + (pieceOf k d).used)) (k := (pieceOf k d).first)
    (by decide) (by decide) (by decide) ((f₁.gpr .rdi).trans place) ((f₁.gpr .r8).trans h.left) (by omega) (by omega)
    (by rw [readable₁]; exact p.readsState.part _ (by omega)) h₁.env.slide).mono fun s₂ l₂ => .seq ?_
  have f₂ : Frame [.rax, .r11] [0, 8, 9, 10, 11] s₁ s₂ := .of_loaded l₂ (by decide)
  have x₂ : view.lane s₂ 2 0 = ofBytes 128 (pieceOf k d).stream := by
    have : view.lane s₂ 2 0 = ofBytes 128 (bytesAt s₁.memory.bytes _ (pieceOf k d).first) := l₂.lane
    rw [this, h₁.memory]
    rfl
  have h₂ := h₁.same g f₂ l₂.memory
  refine machine.wp_registers addOutcome (by decide +kernel) fun s₃ o₃ => .seq ?_
  have f₃ : Frame [] [0, 8, 9, 10, 11] s₂ s₃ := .of_ends o₃ (by decide +kernel)
  have h₃ := h₂.same g f₃ o₃.memory
  have x₃ : view.lane s₃ 2 0 = ofBytes 128 (pieceOf k d).stream ^^^ ofBytes 128 (pieceOf k d).input := by
    have : view.lane s₃ 2 0 = view.lane s₂ 2 0 ^^^ view.lane s₂ 0 0 := o₃.vec (r := 2) rfl 0
    rw [this, x₂, f₂.lane 0, x₁]
  have f₁₃ : Frame [.rax, .r11] [8, 9, 10, 11] s s₃ := f₁.trans ((f₂.mono (fun _ h => h) (by decide)).trans
    (f₃.mono (List.nil_subset _) (by decide)))
  have writable : s₃.memory.writable = k.memory.writable := by rw [h₃.memory]; rfl
  refine (Proof.Partial.X86_64.store_ok (a := k.value 3) (k := (pieceOf k d).first) (by decide) (by decide) (by decide)
    ((f₁₃.gpr .rcx).trans h.next) ((f₁₃.gpr .r8).trans h.left) (by omega) (by omega)
    (by rw [writable]; exact within_first p.writes first_le) h₃.env.slide).mono fun s₄ l₄ => .seq ?_
  have f₄ : Frame [.rax, .r11] [0, 2, 8, 9, 10, 11] s₃ s₄ := frame_of_stored l₄ (by decide)
  have m₄ : s₄.memory = k.memory.set (writeBytes k.memory.bytes (k.value 3) (pieceOf k d).output) := by
    rw [l₄.memory, h₃.memory, Memory.set_set, Memory.bytes_set, show (2 : Vec).val = 2 from rfl, x₃]
    rfl
  have h₄ := h₃.next g f₄ m₄ (outside_output g)
  refine add_ok fun s₅ f₅ m₅ g₅ => .nil ?_
  have h₅ := h₄.same g f₅ m₅
  have place₅ : s₅.gpr .rdi = k.value 1 + BitVec.ofNat 64 (64 + (pieceOf k d).used) := by
    rw [g₅, src_imm (by decide), f₄.gpr .rdi, f₁₃.gpr .rdi, place, BitVec.add_assoc, ← BitVec.ofNat_add]
    congr 2
    omega
  have f₁₅ : Frame [.rax, .r11, .rdi] [8, 9, 10, 11] s s₅ := (f₁₃.mono (by decide) fun _ h => h).trans
    ((f₄.mono (by decide) (by decide)).trans (f₅.mono (by decide) (by decide)))
  have writable₅ : s₅.memory.writable = k.memory.writable := by rw [h₅.memory]; rfl
  have other : (if d then 0 else 2 : Vec) ≠ 3 := by cases d <;> decide
  refine (Proof.Partial.X86_64.store_ok (v := if d then 0 else 2) (a := k.value 1 + BitVec.ofNat 64 (64 + (pieceOf k d).used))
    (k := (pieceOf k d).first) other (by decide) (by decide)
    place₅ ((f₁₅.gpr .r8).trans h.left) (by omega) (by omega)
    (by rw [writable₅]; exact p.writesState.part _ (by omega)) h₅.env.slide).mono fun s₆ l₆ => ?_
  have f₆ : Frame [.rax, .r11] [8, 9, 10, 11] s₅ s₆ := frame_of_stored l₆ (by decide)
  have joins : (toBytes 16 (view.lane s₅ (if d then 0 else 2 : Vec).val 0)).take (pieceOf k d).first = (pieceOf k d).joins := by
    cases d with
    | true =>
      show (toBytes 16 (view.lane s₅ 0 0)).take _ = (pieceOf k true).input
      have l := (pieceOf k true).length_input
      rw [f₅.lane 0, f₄.lane 0, f₃.lane 0, f₂.lane 0, x₁, ← l, take_ofBytes (by rw [l]; omega)]
    | false =>
      show (toBytes 16 (view.lane s₅ 2 0)).take _ = (pieceOf k false).output
      rw [f₅.lane 2, f₄.lane 2, x₃]
      rfl
  have m₆ : s₆.memory = k.memory.set (pieceOf k d).mid := by
    rw [l₆.memory, joins, h₅.memory, Memory.set_set, Memory.bytes_set]
    rfl
  have f₁₆ : Frame [.rax, .r11, .rdi] [8, 9, 10, 11] s s₆ := f₁₅.trans (f₆.mono (by decide) fun _ h => h)
  exact {
    toStage := h₅.next g f₆ m₆ fun x hd hs => Piece.mid_outside (p.piece d) hd hs
    counter := (f₁₆.lane 8).trans h.counter
    hash := (f₁₆.lane 11).trans h.hash
    next := (f₁₆.gpr .rcx).trans h.next
    left := (f₁₆.gpr .r8).trans h.left }

/-- **The block in the state is hashed if it is whole.** -/
theorem complete_ok (g : Given k tab pub)
    (h : Early k tab pub s₀ d (pieceOf k d).mid (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32) s)
    (some : (pieceOf k d).first ≠ 0) : isa.Wp pub complete (Early k tab pub s₀ d (pieceOf k d).mid (pieceOf k d).hashed) s := by
  have p := g.pre
  have ne := (pieceOf k d).used_ne some
  refine .seq ((arg_ok 2 h.arguments (by decide)).mono fun s₁ ⟨f₁, m₁, g₁⟩ => .seq (add_ok fun s₂ f₂ m₂ g₂ => ?_))
  have g₂ : s₂.gpr .rax = BitVec.ofNat 64 ((k.value 2).toNat + (pieceOf k d).first) := by
    rw [g₂, g₁, State.src, f₁.gpr .r8, h.left, BitVec.ofNat_add, ← ofNat_toNat]
  refine (mask_ok g₂).mono fun s₃ ⟨f₃, m₃, _, z₃⟩ => ?_
  have f : Frame [.rax] (List.range 16) s s₃ := f₁.trans (f₂.trans f₃)
  have h₃ := h.toStage.same g f (m₃.trans (m₂.trans m₁))
  have e₃ : Early k tab pub s₀ d (pieceOf k d).mid (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32) s₃ :=
    ⟨h₃, (f.lane 8).trans h.counter, (f.lane 11).trans h.hash, (f.gpr .rcx).trans h.next, (f.gpr .r8).trans h.left⟩
  have flag : isa.eval .ne s₃ = Option.some (!decide (((k.value 2).toNat + (pieceOf k d).first) % 16 = 0)) := by
    show (s₃.flag .zf).map _ = _
    rw [z₃]
    rfl
  refine .skipIf flag (fun z => ?_) fun z => ?_
  · have z : ((k.value 2).toNat + (pieceOf k d).first) % 16 ≠ 0 := by simpa using z
    have same : (pieceOf k d).hashed = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32 := if_neg fun c => z c.2
    rw [same]
    exact e₃
  have z : ((k.value 2).toNat + (pieceOf k d).first) % 16 = 0 := by simpa using z
  refine .seq ((arg_ok 1 h₃.arguments (by decide)).mono fun s₄ ⟨f₄, m₄, g₄⟩ => ?_)
  have h₄ := h₃.same g f₄ m₄
  have holds : loadLayout.Holds view (fun _ => k.value 1) s₄ := {
    ptrs := fun q hq => by
      obtain rfl := List.mem_singleton.1 hq
      exact Eq.trans g₄ (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view, h₄.memory]; exact p.readsState, trivial⟩
    writes := ⟨nofun, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine .append (xs := [_]) (machine.wp blockOutcome holds (by decide +kernel) fun s₅ o₅ => ?_)
  have f₅ : Frame [] [8, 9, 10, 11] s₄ s₅ := .of_ends o₅ (by decide +kernel)
  have h₅ := h₄.same g f₅ o₅.memory
  have x₅ : view.lane s₅ 0 0 = Spec.AesGcm.Context.word (pieceOf k d).mid (k.value 1) 64 := by
    have : view.lane s₅ 0 0 = Spec.AesGcm.Context.word s₄.memory.bytes (k.value 1) 64 := o₅.vec (r := 0) rfl 0
    rw [this, h₄.memory]
    rfl
  refine pshufb_ok h₅.constants.mask fun s₆ k₆ m₆ o₆ v₆ => ?_
  have f₆ : Frame [] [8, 9, 10, 11] s₅ s₆ := ⟨k₆, fun r hr => o₆ r (by rintro rfl; revert hr; decide) 0⟩
  have h₆ := h₅.same g f₆ m₆
  have v₆ : view.lane s₆ 0 0 = bswap128 (view.lane s₅ 0 0) := v₆
  refine (hashOne_ok h₆.env).mono fun s₇ ⟨f₇, m₇, x₇⟩ => ?_
  have f₄₆ : Frame [.rdi] [8, 9, 10, 11] s₃ s₆ := (f₄.mono (fun _ h => h) (by decide)).trans
    ((f₅.mono (List.nil_subset _) fun _ h => h).trans (f₆.mono (List.nil_subset _) fun _ h => h))
  have hashed : (pieceOf k d).hashed = Spec.Ghash.ghash k.subkey (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32)
    [bswap128 (Spec.AesGcm.Context.word (pieceOf k d).mid (k.value 1) 64)] := if_pos ⟨ne, z⟩
  exact {
    toStage := h₆.same g f₇ m₇
    counter := by rw [f₇.lane 8, f₄₆.lane 8, e₃.counter]
    hash := by
      rw [x₇, f₄₆.lane 11, e₃.hash, v₆, x₅, hashed]
      rfl
    next := by rw [f₇.gpr .rcx, f₄₆.gpr .rcx, e₃.next]
    left := by rw [f₇.gpr .r8, f₄₆.gpr .r8, e₃.left] }

/-- The state of the machine where the rest of the piece begins. -/
structure Mid (k : Call) (tab : Addr) (pub : List Region) (s₀ : State) (d : Bool) (s : State) : Prop
    extends Stage k tab pub s₀ (pieceOf k d).mid s where
  counter : view.lane s 8 0 = (pieceOf k d).count
  hash : view.lane s 11 0 = (pieceOf k d).hashed
  next : s.gpr .rcx = (pieceOf k d).text.data
  left : s.gpr .r8 = BitVec.ofNat 64 (pieceOf k d).text.len

/-- What comes after these bytes. -/
theorem past_ok (g : Given k tab pub) (h : Early k tab pub s₀ d (pieceOf k d).mid (pieceOf k d).hashed s) :
    isa.Wp pub past (Mid k tab pub s₀ d) s := by
  refine .seq (add_ok fun s₁ f₁ m₁ g₁ => .nil (.seq ?_))
  have h₁ := h.toStage.same g f₁ m₁
  refine (arg_ok 4 h₁.arguments (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => sub_ok fun s₃ f₃ m₃ g₃ => mov_ok fun s₄ f₄ m₄ g₄ => .nil ?_
  have f : Frame [.rax, .rcx, .r8] (List.range 16) s₁ s₄ := (f₂.mono (by decide) fun _ h => h).trans
    ((f₃.mono (by decide) fun _ h => h).trans (f₄.mono (by decide) fun _ h => h))
  exact {
    toStage := h₁.same g f (m₄.trans (m₃.trans m₂))
    counter := by rw [f.lane 8, f₁.lane 8, h.counter]
    hash := by rw [f.lane 11, f₁.lane 11, h.hash]
    next := by
      rw [f₄.gpr .rcx, f₃.gpr .rcx, f₂.gpr .rcx, g₁, State.src, h.next, h.left]
      rfl
    left := by
      rw [g₄, g₃, g₂, State.src, f₂.gpr .r8, f₁.gpr .r8, h.left, ofNat_toNat (k.value 4),
        ofNat_sub (show (pieceOf k d).first ≤ (k.value 4).toNat from (pieceOf k d).first_le)]
      rfl }

/-- **The bytes that belong to the last block of the piece before.** -/
theorem first_ok (g : Given k tab pub) (h : Stage k tab pub s₀ k.memory.bytes s)
    (counter : view.lane s 8 0 = (pieceOf k d).count)
    (hash : view.lane s 11 0 = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32) :
    isa.Wp pub (first d) (Mid k tab pub s₀ d) s := by
  refine .seq ((arguments_ok 3 h.arguments (by decide)).mono fun s₁ ⟨f₁, m₁, p₁, l₁⟩ => .seq ?_)
  have h₁ := h.same g f₁ m₁
  refine (arg_ok 2 h₁.arguments (by decide)).mono fun s₂ ⟨f₂, m₂, g₂⟩ => .seq ?_
  have h₂ := h₁.same g f₂ m₂
  refine (mask_ok (g₂.trans (ofNat_toNat _))).mono fun s₃ ⟨f₃, m₃, g₃, z₃⟩ => ?_
  have h₃ := h₂.same g f₃ m₃
  have f : Frame [.rdi] (List.range 16) s₁ s₃ := f₂.trans f₃
  have counter₃ : view.lane s₃ 8 0 = (pieceOf k d).count := by rw [f.lane 8, f₁.lane 8, counter]
  have hash₃ : view.lane s₃ 11 0 = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32 := by rw [f.lane 11, f₁.lane 11, hash]
  have next₃ : s₃.gpr .rcx = k.value 3 := (f.gpr .rcx).trans p₁
  have left₃ : s₃.gpr .r8 = k.value 4 := (f.gpr .r8).trans l₁
  refine .skipIf z₃ (fun z => ?_) fun z => ?_
  · have z : (pieceOf k d).used = 0 := of_decide_eq_true z
    have none : (pieceOf k d).first = 0 := if_pos z
    refine ⟨by rw [Piece.mid_none none]; exact h₃, counter₃, hash₃.trans (if_neg fun c => c.1 z).symm, ?_, ?_⟩
    · rw [next₃, Piece.data_text, none, BitVec.add_zero]
      rfl
    · rw [left₃, Piece.len_text, none, Nat.sub_zero]
      exact ofNat_toNat _
  have z : (pieceOf k d).used ≠ 0 := of_decide_eq_false z
  refine .seq ((sizes_ok (d := d) h₃ g₃ z left₃).mono fun s₄ ⟨f₄, m₄, l₄, p₄⟩ => .seq ?_)
  have early₄ : Early k tab pub s₀ d k.memory.bytes (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32) s₄ :=
    ⟨h₃.same g f₄ m₄, (f₄.lane 8).trans counter₃, (f₄.lane 11).trans hash₃, (f₄.gpr .rcx).trans next₃, l₄⟩
  refine (test_ok (P := fun s => True) (fun _ _ _ _ _ _ => trivial)
    (by have := (pieceOf k d).used_first_le; omega) trivial l₄).mono fun s₅ ⟨_, f₅, m₅, z₅⟩ => .seq ?_
  have early₅ : Early k tab pub s₀ d k.memory.bytes (Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32) s₅ :=
    ⟨early₄.toStage.same g f₅ m₅, (f₅.lane 8).trans early₄.counter, (f₅.lane 11).trans early₄.hash,
      (f₅.gpr .rcx).trans early₄.next, (f₅.gpr .r8).trans l₄⟩
  have joined : isa.Wp pub (.skipIf .e (.seq (join d) complete)) (Early k tab pub s₀ d (pieceOf k d).mid (pieceOf k d).hashed) s₅ := by
    refine .skipIf z₅ (fun none => ?_) fun some => ?_
    · have none : (pieceOf k d).first = 0 := of_decide_eq_true none
      have hashed : (pieceOf k d).hashed = Spec.AesGcm.Context.word k.memory.bytes (k.value 1) 32 :=
        if_neg (by rw [none]; exact fun c => c.1 c.2)
      rw [Piece.mid_none none, hashed]
      exact early₅
    · have some := of_decide_eq_false some
      exact .seq ((join_ok g early₅ some ((f₅.gpr .rdi).trans p₄)).mono fun s₆ h₆ => complete_ok g h₆ some)
  exact joined.mono fun s₆ h₆ => past_ok g h₆

end
end Proof.AesGcm.Stream.X86_64
