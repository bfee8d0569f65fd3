import Proof.AesGcm.AArch64.Tail

/-!
# The text of a message in memory
-/

set_option autoImplicit false
namespace Proof.AesGcm.AArch64
open TCB TCB.AArch64 SymExec Impl.AArch64 Impl.AesGcm.AArch64 Proof.Gf2 Proof.AesGcm.Message

/-- Other memory with the same key context and the same table. -/
theorem Holds.congr {c : Fixed} {m m' : Mem} (h : Holds c m) (hr : c.rounds ∈ [10, 12, 14])
    (key : bytesAt m' c.ctx 1024 = bytesAt m c.ctx 1024) (tab : bytesAt m' c.tab 80 = bytesAt m c.tab 80) : Holds c m' := by
  have word {i : Nat} (hi : i + 16 ≤ 1024) : Spec.AesGcm.Context.word m' c.ctx i = Spec.AesGcm.Context.word m c.ctx i := by
    generalize 1024 = n at key hi
    have a := bytesAt_part m' c.ctx hi
    rw [key, ← bytesAt_part m c.ctx hi] at a
    simp only [Spec.AesGcm.Context.word, a]
  refine ⟨tab.trans h.table, fun i hi => ?_, fun x => ?_⟩
  · rw [← h.powers i hi, tableAt, tableAt, word (by omega)]
  · have keys : Spec.AesGcm.Context.roundKeys m' c.ctx c.rounds = Spec.AesGcm.Context.roundKeys m c.ctx c.rounds := by
      refine List.map_congr_left fun i hi => word ?_
      have := List.mem_range.1 hi
      simp only [List.mem_cons, List.not_mem_nil, or_false] at hr
      omega
    rw [← h.cipher x, stream, stream, keys]

/-- What every kernel has on entry: the key context and its table. -/
structure Based (k : Call) (tab : Addr) : Prop where
  keys : k.Keys
  table : bytesAt k.memory.bytes tab 80 = table
  reads : Within k.memory.readable ⟨tab, 80⟩

/-- On entry the key context and the table hold what they should. -/
theorem Based.holds {k : Call} {tab : Addr} (h : Based k tab) : Holds (fixedOf k tab) k.memory.bytes :=
  ⟨h.table, h.keys.table, fun _ => rfl⟩

/-- What a kernel has on entry: the requirements of the contract, and its table apart from the text. -/
structure Ready (k : Call) (tab : Addr) : Prop where
  pre : k.Pre
  table : bytesAt k.memory.bytes tab 80 = table
  reads : Within k.memory.readable ⟨tab, 80⟩
  apart : (Region.mk k.data k.len).Disjoint ⟨tab, 80⟩

namespace Ready
variable {k : Call} {tab : Addr} (h : Ready k tab)
include h

/-- What every kernel has. -/
theorem based : Based k tab := ⟨h.pre.toKeys, h.table, h.reads⟩

/-- On entry the key context and the table hold what they should. -/
theorem holds : Holds (fixedOf k tab) k.memory.bytes := h.based.holds

/-- And while the text is processed. -/
theorem holds_mem (d : Nat) : Holds (fixedOf k tab) (k.text.mem d) :=
  h.holds.congr h.pre.rounds (k.text.bytesAt_mem_apart d (by decide) h.pre.apartCtx)
    (k.text.bytesAt_mem_apart d (by decide) h.apart)

end Ready

/-- The arguments are where they were while the text is processed. -/
theorem Arguments.of_text {k : Call} {n : Nat} {pub : List Region} {s s' : State} (h : Arguments k n pub s)
    {rs : List Reg} {d : Nat} (g : Keeps rs s s') (hr : Reg.x2 ∉ rs) (m₀ : s.memory = k.memory) (m : s'.memory = k.memory.set (k.text.mem d)) (apart : (Region.mk k.data k.len).Disjoint ⟨k.args, 8 * n⟩) :
    Arguments k n pub s' where
  place := (g.gpr _ hr).trans h.place
  few := h.few
  reads := by rw [m]; have := h.reads; rw [m₀] at this; exact this
  isPublic := h.isPublic
  values i hi := by
    have few := h.few
    rw [m, Memory.bytes_set, ← h.values i hi, m₀, word64, word64, bytesAt_part (n := 8 * n) _ _ (by omega),
      bytesAt_part (n := 8 * n) k.memory.bytes _ (by omega), k.text.bytesAt_mem_apart d (by omega) apart]
    rfl

/-- The stored powers are where they were. -/
theorem tableAt_mem {k : Call} {tab : Addr} (r : Ready k tab) (d : Nat) : tableAt (k.text.mem d) k.ctx = tableAt k.memory.bytes k.ctx := by
  funext i
  have key := k.text.bytesAt_mem_apart d (a := k.ctx) (n := 1024) (by decide) r.pre.apartCtx
  generalize h : 1024 = n at key
  have a := bytesAt_part (k.text.mem d) k.ctx (i := 256 + 16 * (15 - i)) (k := 16) (n := n) (by omega)
  rw [key, ← bytesAt_part k.text.bytes k.ctx (by omega)] at a
  simp only [tableAt, Spec.AesGcm.Context.word, a]
  rfl

/-- **Blocks of a text are encrypted or decrypted**, from the keystream that begins with the counter in `v17`. -/
theorem text_ok {T : Text} {m₀ : Memory} {c : Fixed} {s : State} {pub : List Region} {d n : Nat} (g : Group n)
    (keystream : ∀ j, T.key j = c.cipher (Spec.Gcm.counter T.icb j)) (reads : Within m₀.readable ⟨T.data, T.len⟩)
    (writes : Within m₀.writable ⟨T.data, T.len⟩) (e : Env c s) (hc : Constants s) (key : s.gpr .x0 = c.ctx)
    (whole : d % 16 = 0) (hd : d + 16 * n ≤ T.len) (next : s.gpr .x3 = T.data + BitVec.ofNat 64 d)
    (memory : s.memory = m₀.set (T.mem d)) (counter : view.lane s 17 0 = held (Spec.Gcm.counter T.icb (d / 16))) :
    isa.Wp pub (Impl.AesGcm.AArch64.keystream n) (isa.Wp pub (.block (Impl.AesCtr32.AArch64.write n)) fun s' =>
      Frame [.x0] others s s' ∧ s'.memory = m₀.set (T.mem (d + 16 * n)) ∧
      view.lane s' 17 0 = held (Spec.Gcm.counter T.icb ((d + 16 * n) / 16))) s := by
  refine (keystream_ok g key e.keyed hc counter).mono fun s₁ ⟨b₁, c₁, f₁, m₁⟩ => ?_
  have readable : s₁.memory.readable = m₀.readable := by rw [m₁, memory]; rfl
  have writable : s₁.memory.writable = m₀.writable := by rw [m₁, memory]; rfl
  refine (write_ok g (p := T.data + BitVec.ofNat 64 d) ((f₁.gpr .x3).trans next)
    (by rw [readable]; exact reads.part d hd) (by rw [writable]; exact writes.part d hd)).mono fun s₂ ⟨f₂, m₂⟩ => ?_
  refine ⟨f₁.trans (f₂.mono (List.nil_subset _) (by decide)), ?_, ?_⟩
  · have bytes : s₁.memory.bytes = T.mem d := by rw [m₁, memory]; rfl
    have store := T.store_blocks (k := d / 16) (n := n) (by omega)
    rw [show 16 * (d / 16) = d by omega, show 16 * (d / 16 + n) = d + 16 * n by omega] at store
    rw [m₂, m₁, memory, Memory.set_set, ← store]
    have lanes : ((List.range n).map fun i => view.lane s₁ i 0 ^^^
        Spec.AesGcm.Context.word s₁.memory.bytes (T.data + BitVec.ofNat 64 d) (16 * i)) =
        (List.range n).map fun i => T.key (d / 16 + i) ^^^ T.word (d / 16 + i) := by
      refine List.map_congr_left fun i hi => ?_
      have hi := List.mem_range.1 hi
      rw [b₁ i hi, counter_add, bytes, word_add, show d + 16 * i = 16 * (d / 16 + i) by omega,
        T.word_mem_rest (by omega) (by omega), keystream]
      exact congrArg (· ^^^ _) (e.holds.cipher _)
    rw [← lanes, bytes]
    rfl
  · rw [f₂.lane 17, c₁, counter_add, show (d + 16 * n) / 16 = d / 16 + n by omega]

/-- **Blocks of the text of a message.** -/
theorem encrypt_ok {k : Call} {tab : Addr} {s : State} {pub : List Region} {d n : Nat} (g : Group n) (r : Ready k tab)
    (e : Env (fixedOf k tab) s) (hc : Constants s) (key : s.gpr .x0 = k.ctx) (whole : d % 16 = 0) (hd : d + 16 * n ≤ k.len)
    (next : s.gpr .x3 = k.data + BitVec.ofNat 64 d) (memory : s.memory = k.memory.set (k.text.mem d))
    (counter : view.lane s 17 0 = held (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) (d / 16))) :
    isa.Wp pub (keystream n) (isa.Wp pub (.block (Impl.AesCtr32.AArch64.write n)) fun s' => Frame [.x0] others s s' ∧
      s'.memory = k.memory.set (k.text.mem (d + 16 * n)) ∧
      view.lane s' 17 0 = held (Spec.Gcm.counter (Spec.Gcm.inc32 k.j0) ((d + 16 * n) / 16))) s :=
  text_ok (T := k.text) g (key_text k tab) r.pre.reads r.pre.writes e hc key whole hd next memory counter

end Proof.AesGcm.AArch64
