import Proof.AesGcm.Stream.X86_64.First

/-!
# A piece of a message on x86-64: whole blocks, and a block that begins
-/

set_option autoImplicit false
namespace Proof.AesGcm.Stream.X86_64
open TCB TCB.X86_64 SymExec Impl.X86_64 Impl.AesGcm.X86_64 Impl.AesGcm.Stream.X86_64 Proof.Gf2 Proof.AesGcm.Message
open Proof.AesGcm.X86_64 Proof.Ghash.X86_64

/-- Some of the blocks of a string. -/
theorem blocks_part {l : List Byte} {i n : Nat} (h : 16 * (i + n) ≤ l.length) :
    Spec.Gcm.blocks ((l.drop (16 * i)).take (16 * n)) = ((Spec.Gcm.blocks l).drop i).take n := by
  have length : ((l.drop (16 * i)).take (16 * n)).length / 16 = n := by rw [List.length_take, List.length_drop]; omega
  rw [Spec.Gcm.blocks, length, Spec.Gcm.blocks, ← List.map_drop, ← List.map_take, take_drop_range (by omega), List.map_map]
  refine List.map_congr_left fun j hj => ?_
  have := List.mem_range.1 hj
  show Spec.Gcm.ofBytes _ = Spec.Gcm.ofBytes ((l.drop (16 * (i + j))).take 16)
  rw [List.drop_take, List.take_take, List.drop_drop, Nat.min_eq_left (by omega), Nat.mul_add]

/-- The blocks at an address are those of the bytes. -/
theorem blocksAt_eq (m : Mem) (p : Addr) (n : Nat) : blocksAt m p n = Spec.Gcm.blocks (bytesAt m p (16 * n)) := by
  rw [blocks_bytesAt, Nat.mul_div_cancel_left _ (by decide)]

/-- The bytes that begin a block. -/
def beginOutcome : Outcome VecUn VecBin := { vec := (3, [xorE (.reg 0 0) (.reg 1 0)]) :: [0, 1, 8, 9, 10, 11].map keepE }

/-- The keystream and the bytes of a block that begins. -/
def keepOutcome (d : Bool) : Outcome VecUn VecBin :=
  { vec := [8, 9, 10, 11].map keepE, mem := [(0, 48, [.reg 0 0, .reg (if d then 1 else 3) 0])] }

@[inherit_doc hash_checked]
theorem keep_checked : ∀ d : Bool, (machine.check saveLayout
    [.vmovdquStore .xmm (at_ .rdi 48) 0, .vmovdquStore .xmm (at_ .rdi 64) (if d then 1 else 3)] (keepOutcome d) &&
    (keepsVecs (keepOutcome d) [8, 9, 10, 11] && keepsRegs (keepOutcome d) [])) = true := by decide +kernel

section
variable {k : Call} {tab : Addr} {pub : List Region} {s₀ s : State} {d : Bool} {i n : Nat}

/-- The first `i` bytes of the rest are done, which are whole blocks. -/
structure Run (k : Call) (tab : Addr) (pub : List Region) (s₀ : State) (d : Bool) (i : Nat) (s : State) : Prop
    extends Stage k tab pub s₀ ((pieceOf k d).text.mem i) s where
  whole : i % 16 = 0
  counter : view.lane s 8 0 = Spec.Gcm.counter (pieceOf k d).count (i / 16)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey (pieceOf k d).hashed ((Spec.Gcm.blocks (pieceOf k d).ciphertext).take (i / 16))
  key : s.gpr .rdi = k.ctx

/-- Counting changes nothing. -/
theorem Run.stable (g : Given k tab pub) (i : Nat) : Stable [.rcx, .r8] (Run k tab pub s₀ d i) := fun s s' h f m v =>
  have f' : Frame [.rcx, .r8] (List.range 16) s s' := .of_vec f v
  ⟨h.toStage.same g f' m, h.whole, (f'.lane 8).trans h.counter, (f'.lane 11).trans h.hash, (f'.gpr .rdi).trans h.key⟩

/-- The keystream of the rest. -/
theorem key_text (j : Nat) : (pieceOf k d).text.key j = (fixedOf k tab).cipher (Spec.Gcm.counter (pieceOf k d).text.icb j) :=
  keyBlock_aes ..

/-- Memory outside while the rest is processed. -/
theorem outside_text (g : Given k tab pub) (i : Nat) : Outside k ((pieceOf k d).text.mem i) :=
  fun _ hd hs => Piece.text_outside (g.pre.piece d) hd hs i

/-- The rest may be read and written. -/
theorem reads_text (g : Given k tab pub) : Within k.memory.readable ⟨(pieceOf k d).text.data, (pieceOf k d).text.len⟩ :=
  g.pre.reads.part _ (by have := (pieceOf k d).first_le; show _ + ((k.value 4).toNat - _) ≤ (k.value 4).toNat; have : (pieceOf k d).first ≤ (k.value 4).toNat := this; omega)

@[inherit_doc reads_text]
theorem writes_text (g : Given k tab pub) : Within k.memory.writable ⟨(pieceOf k d).text.data, (pieceOf k d).text.len⟩ :=
  g.pre.writes.part _ (by have := (pieceOf k d).first_le; show _ + ((k.value 4).toNat - _) ≤ (k.value 4).toNat; have : (pieceOf k d).first ≤ (k.value 4).toNat := this; omega)

/-- The hash of more blocks. -/
theorem hash_more {y : Spec.Ghash.Block} {xs : List Spec.Ghash.Block} {a b : Nat} :
    Spec.Ghash.ghash k.subkey (Spec.Ghash.ghash k.subkey y (xs.take a)) ((xs.drop a).take b) =
      Spec.Ghash.ghash k.subkey y (xs.take (a + b)) := by
  rw [← ghash_append, List.take_add]

attribute [local irreducible] State.setReg State.setXmm State.setVec State.clearUpper State.setFlags State.setMemory in
/-- **A group of blocks.** -/
theorem group_ok (g : Given k tab pub) (gr : Group (n + 1)) (small : n < 16)
    (check : machine.check (hashLayout (16 * (n + 1))) (hash n) (hashOutcome blockE n) = true)
    (h : At (Run k tab pub s₀ d) (pieceOf k d).text.data (pieceOf k d).text.len i s) (hi : i + 16 * (n + 1) ≤ (pieceOf k d).text.len) :
    isa.Wp pub (group d n) (fun s' => Run k tab pub s₀ d (i + 16 * (n + 1)) s' ∧ s'.gpr .rcx = s.gpr .rcx ∧ s'.gpr .r8 = s.gpr .r8) s := by
  have hs := h.holds
  have whole := hs.whole
  have div : (i + 16 * (n + 1)) / 16 = i / 16 + (n + 1) := by omega
  have back {s' : State} (e : Env (fixedOf k tab) s') : isa.Wp pub (.block [.mov .rdi .r9]) (fun s'' =>
      Frame [.rdi] (List.range 16) s' s'' ∧ s''.memory = s'.memory ∧ s''.gpr .rdi = k.ctx) s' :=
    mov_ok fun s'' f m g' => .nil ⟨f, m, g'.trans e.key⟩
  have read : Within k.memory.readable ⟨(pieceOf k d).text.data + BitVec.ofNat 64 i, 16 * (n + 1)⟩ := (reads_text g).part i hi
  have length : (Spec.Gcm.blocks (pieceOf k d).ciphertext).length = (pieceOf k d).text.len / 16 := by
    rw [Spec.Gcm.blocks, List.length_map, List.length_range, Piece.length_ciphertext]
  have part : Spec.Gcm.blocks (((pieceOf k d).ciphertext.drop i).take (16 * (n + 1))) =
      ((Spec.Gcm.blocks (pieceOf k d).ciphertext).drop (i / 16)).take (n + 1) := by
    have := blocks_part (l := (pieceOf k d).ciphertext) (i := i / 16) (n := n + 1) (by rw [Piece.length_ciphertext]; omega)
    rwa [show 16 * (i / 16) = i by omega] at this
  cases d with
  | false =>
    refine .seq ((text_ok (T := (pieceOf k false).text) gr (key_text (tab := tab)) (reads_text g) (writes_text g) hs.env hs.constants
      hs.key whole hi h.next hs.memory hs.counter).mono fun _ w => .seq (w.mono fun s₁ ⟨f₁, m₁, c₁⟩ => .seq ?_))
    have h₁ := hs.toStage.next g f₁ m₁ (outside_text g _)
    refine (hash_ok h₁.env h₁.constants small check ((f₁.gpr .rcx).trans h.next) (by rw [m₁]; exact read)).mono
      fun s₂ ⟨f₂, m₂, x₂⟩ => ?_
    have h₂ := h₁.same g f₂ m₂
    refine (back h₂.env).mono fun s₃ ⟨f₃, m₃, g₃⟩ => ⟨⟨h₂.same g f₃ m₃, by omega, ?_, ?_, g₃⟩, ?_, ?_⟩
    · rw [f₃.lane 8, f₂.lane 8, c₁]
      rfl
    · have blocks : blocksAt s₁.memory.bytes ((pieceOf k false).text.data + BitVec.ofNat 64 i) (n + 1) =
          ((Spec.Gcm.blocks (pieceOf k false).ciphertext).drop (i / 16)).take (n + 1) := by
        rw [m₁, Memory.bytes_set, blocksAt_eq, (pieceOf k false).text.bytesAt_mem_done (Nat.le_refl _) hi, ← part]
        rfl
      rw [f₃.lane 11, x₂, f₁.lane 11, hs.hash, blocks, div, ← hash_more]
      rfl
    · rw [f₃.gpr .rcx, f₂.gpr .rcx, f₁.gpr .rcx]
    · rw [f₃.gpr .r8, f₂.gpr .r8, f₁.gpr .r8]
  | true =>
    refine .seq ((hash_ok hs.env hs.constants small check h.next (by rw [hs.memory]; exact read)).mono
      fun s₁ ⟨f₁, m₁, x₁⟩ => .seq ?_)
    have h₁ := hs.toStage.same g f₁ m₁
    refine (text_ok (T := (pieceOf k true).text) gr (key_text (tab := tab)) (reads_text g) (writes_text g) h₁.env h₁.constants
      ((f₁.gpr .rdi).trans hs.key) whole hi ((f₁.gpr .rcx).trans h.next) (m₁.trans hs.memory) ((f₁.lane 8).trans hs.counter)).mono
      fun _ w => .seq (w.mono fun s₂ ⟨f₂, m₂, c₂⟩ => ?_)
    have h₂ := h₁.next g f₂ m₂ (outside_text g _)
    refine (back h₂.env).mono fun s₃ ⟨f₃, m₃, g₃⟩ => ⟨⟨h₂.same g f₃ m₃, by omega, ?_, ?_, g₃⟩, ?_, ?_⟩
    · rw [f₃.lane 8, c₂]
      rfl
    · have blocks : blocksAt s.memory.bytes ((pieceOf k true).text.data + BitVec.ofNat 64 i) (n + 1) =
          ((Spec.Gcm.blocks (pieceOf k true).ciphertext).drop (i / 16)).take (n + 1) := by
        rw [hs.memory, Memory.bytes_set, blocksAt_eq, (pieceOf k true).text.bytesAt_mem_rest (Nat.le_refl _) hi, ← part]
        exact congrArg Spec.Gcm.blocks (bytesAt_part _ _ hi)
      rw [f₃.lane 11, f₂.lane 11, x₁, hs.hash, blocks, div, ← hash_more]
      rfl
    · rw [f₃.gpr .rcx, f₂.gpr .rcx, f₁.gpr .rcx]
    · rw [f₃.gpr .r8, f₂.gpr .r8, f₁.gpr .r8]

/-- All of the piece is done. -/
structure Done (k : Call) (tab : Addr) (pub : List Region) (s₀ : State) (d : Bool) (s : State) : Prop
    extends Stage k tab pub s₀ (pieceOf k d).done s where
  counter : view.lane s 8 0 = Spec.Gcm.counter (pieceOf k d).count (((pieceOf k d).text.len + 15) / 16)
  hash : view.lane s 11 0 = Spec.Ghash.ghash k.subkey (pieceOf k d).hashed (Spec.Gcm.blocks (pieceOf k d).ciphertext)

/-- **A block that begins.** -/
theorem last_ok (g : Given k tab pub) (h : At (Run k tab pub s₀ d) (pieceOf k d).text.data (pieceOf k d).text.len i s)
    (few : (pieceOf k d).text.len - i < 16) : isa.Wp pub (last d) (Done k tab pub s₀ d) s := by
  have le := h.le
  have p := g.pre
  have stable : Stable [] (At (Run k tab pub s₀ d) (pieceOf k d).text.data (pieceOf k d).text.len i) := fun s s' h g' m v =>
    ⟨Run.stable g i h.holds (g'.mono (List.nil_subset _)) m v, h.le, (g'.gpr _ (by decide)).trans h.next, (g'.gpr _ (by decide)).trans h.left⟩
  have all : (Spec.Gcm.blocks (pieceOf k d).ciphertext).take (i / 16) = Spec.Gcm.blocks (pieceOf k d).ciphertext := by
    have whole := h.holds.whole
    refine List.take_of_length_le ?_
    rw [Spec.Gcm.blocks, List.length_map, List.length_range, Piece.length_ciphertext]
    omega
  refine .seq ((test_ok stable (by omega) h h.left).mono fun s₁ ⟨h₁, _, _, z₁⟩ => .skipIf z₁ (fun z => ?_) fun z => ?_)
  · have z := of_decide_eq_true z
    have hs := h₁.holds
    have whole := hs.whole
    have i_eq : i = (pieceOf k d).text.len := by omega
    have done : (pieceOf k d).done = (pieceOf k d).text.mem i := by
      rw [Piece.done, if_pos (by omega), i_eq]
    refine ⟨by rw [done]; exact hs.toStage, ?_, by rw [hs.hash, all]⟩
    rw [hs.counter, show ((pieceOf k d).text.len + 15) / 16 = i / 16 by omega]
  have z := of_decide_eq_false z
  have hs := h₁.holds
  have whole := hs.whole
  have size : (pieceOf k d).text.len - i = (pieceOf k d).text.len % 16 := by omega
  have place : i = 16 * ((pieceOf k d).text.len / 16) := by omega
  have divs : i / 16 = (pieceOf k d).text.len / 16 := by omega
  refine .seq ((keystream_ok group_one hs.key hs.env.keyed hs.constants hs.counter).mono fun s₂ ⟨b₂, c₂, f₂, m₂⟩ => .seq ?_)
  have h₂ := hs.toStage.same g f₂ m₂
  have key₂ : view.lane s₂ 0 0 = (pieceOf k d).text.key ((pieceOf k d).text.len / 16) := by
    rw [b₂ 0 (by decide), Proof.AesGcm.X86_64.counter_add, Nat.add_zero, key_text (tab := tab), ← divs]
    exact hs.env.holds.cipher _
  have readable : s₂.memory.readable = k.memory.readable := by rw [h₂.memory]; rfl
  refine (Proof.Partial.X86_64.load_ok (a := (pieceOf k d).text.data + BitVec.ofNat 64 i) (k := (pieceOf k d).text.len - i) (by decide)
    (by decide) (by decide) ((f₂.gpr .rcx).trans h₁.next) ((f₂.gpr .r8).trans h₁.left) (by omega) (by omega)
    (by rw [readable]; exact (reads_text g).part _ (by omega)) h₂.env.slide).mono fun s₃ l₃ => .seq ?_
  have f₃ : Frame [.rax, .r11] [0, 8, 9, 10, 11] s₂ s₃ := .of_loaded l₃ (by decide)
  have h₃ := h₂.same g f₃ l₃.memory
  have x₃ : view.lane s₃ 1 0 = ofBytes 128 (bytesAt (pieceOf k d).mid ((pieceOf k d).text.data +
      BitVec.ofNat 64 (16 * ((pieceOf k d).text.len / 16))) ((pieceOf k d).text.len % 16)) := by
    have : view.lane s₃ 1 0 = ofBytes 128 (bytesAt s₂.memory.bytes ((pieceOf k d).text.data + BitVec.ofNat 64 i)
      ((pieceOf k d).text.len - i)) := l₃.lane
    rw [this, h₂.memory, Memory.bytes_set, (pieceOf k d).text.bytesAt_mem_rest (Nat.le_refl _) (by omega), size, ← place]
    rfl
  refine machine.wp_registers beginOutcome (by decide +kernel) fun s₄ o₄ => .seq ?_
  have f₄ : Frame [] [0, 1, 8, 9, 10, 11] s₃ s₄ := .of_ends o₄ (by decide +kernel)
  have h₄ := h₃.same g f₄ o₄.memory
  have x₄ : view.lane s₄ 3 0 = (pieceOf k d).text.key ((pieceOf k d).text.len / 16) ^^^ ofBytes 128 (bytesAt (pieceOf k d).mid
      ((pieceOf k d).text.data + BitVec.ofNat 64 (16 * ((pieceOf k d).text.len / 16))) ((pieceOf k d).text.len % 16)) := by
    have : view.lane s₄ 3 0 = view.lane s₃ 0 0 ^^^ view.lane s₃ 1 0 := o₄.vec (r := 3) rfl 0
    rw [this, x₃, f₃.lane 0, key₂]
  have f₂₄ : Frame [.rax, .r11] [0, 8, 9, 10, 11] s₂ s₄ := f₃.trans (f₄.mono (List.nil_subset _) (by decide))
  have writable : s₄.memory.writable = k.memory.writable := by rw [h₄.memory]; rfl
  refine (Proof.Partial.X86_64.store_ok (a := (pieceOf k d).text.data + BitVec.ofNat 64 i) (k := (pieceOf k d).text.len - i) (by decide)
    (by decide) (by decide) ((f₂₄.gpr .rcx).trans ((f₂.gpr .rcx).trans h₁.next)) ((f₂₄.gpr .r8).trans ((f₂.gpr .r8).trans h₁.left))
    (by omega) (by omega) (by rw [writable]; exact (writes_text g).part _ (by omega)) h₄.env.slide).mono fun s₅ l₅ => .seq ?_
  have f₅ : Frame [.rax, .r11] [0, 1, 3, 8, 9, 10, 11] s₄ s₅ := frame_of_stored l₅ (by decide)
  have m₅ : s₅.memory = k.memory.set ((pieceOf k d).text.mem (pieceOf k d).text.len) := by
    have store := (pieceOf k d).text.store_last (k := (pieceOf k d).text.len / 16) (r := (pieceOf k d).text.len % 16) (by omega) (by omega)
    rw [← place] at store
    rw [l₅.memory, h₄.memory, Memory.set_set, Memory.bytes_set, show (3 : Vec).val = 3 from rfl, x₄, size, ← place]
    exact congrArg k.memory.set store
  have h₅ := h₄.next g f₅ m₅ (outside_text g _)
  refine (arg_ok 1 h₅.arguments (by decide)).mono fun s₆ ⟨f₆, m₆, g₆⟩ => ?_
  have h₆ := h₅.same g f₆ m₆
  have checked := keep_checked d
  rw [Bool.and_eq_true] at checked
  refine machine.wp (keepOutcome d) (saveLayout_holds g₆ (by rw [h₆.memory]; exact p.writesState)) checked.1 fun s₇ o₇ => ?_
  have f₇ : Frame [] [8, 9, 10, 11] s₆ s₇ := .of_ends o₇ checked.2
  have last : view.lane s₆ (if d then 1 else 3) 0 = (pieceOf k d).last := by
    cases d with
    | true =>
      show view.lane s₆ 1 0 = _
      rw [f₆.lane 1, f₅.lane 1, f₄.lane 1, x₃]
      rfl
    | false =>
      show view.lane s₆ 3 0 = _
      rw [f₆.lane 3, f₅.lane 3, x₄]
      rfl
  have m₇ : s₇.memory = k.memory.set (pieceOf k d).done := by
    have stored : s₇.memory = s₆.memory.set (writeBytes s₆.memory.bytes (k.value 1 + BitVec.ofNat 64 48)
      (laneBytes [view.lane s₆ 0 0, view.lane s₆ (if d then 1 else 3) 0])) := o₇.memory
    rw [stored, last, f₆.lane 0, f₅.lane 0, f₂₄.lane 0, key₂, h₆.memory, Memory.set_set, Memory.bytes_set, Piece.done,
      if_neg (by omega)]
    rfl
  have f₂₇ : Frame [.rax, .r11, .rdi] [8, 9, 10, 11] s₂ s₇ := (f₂₄.mono (by decide) (by decide)).trans
    ((f₅.mono (by decide) (by decide)).trans ((f₆.mono (by decide) (by decide)).trans (f₇.mono (List.nil_subset _) fun _ h => h)))
  refine ⟨h₆.next g f₇ m₇ fun x hd hs => Piece.done_outside (p.piece d) hd hs, ?_, ?_⟩
  · rw [f₂₇.lane 8, c₂, Proof.AesGcm.X86_64.counter_add, show i / 16 + 1 = ((pieceOf k d).text.len + 15) / 16 by omega]
  · rw [f₂₇.lane 11, f₂.lane 11, hs.hash, all]

end
end Proof.AesGcm.Stream.X86_64
