import Proof.Framework.Verified

/-!
# Witnesses

The seventh clause of `Verified` for signatures of numbers and buffers: two memories, and arguments that place the buffers,
in the order of the parameters, below the table of constants, the code and what the calling convention reserves. What is
not about the contents of memory is computed.
-/

set_option autoImplicit false
namespace TCB

/-- No parameter and no field is a list of slices. -/
def Sig.plain (sig : Sig) : Bool := sig.all.all fun p =>
  match p.ty with
  | .usize | .bytes .. | .record _ => true
  | .slices _ => false

/-- The buffers of a plain signature depend on the arguments only. -/
theorem Sig.plain_buffers {sig : Sig} (h : sig.plain = true) (a : Args) (m m' : Mem) :
    sig.buffers a m = sig.buffers a m' := by
  simp only [Sig.buffers]
  rw [List.flatMap_def, List.flatMap_def]
  congr 1
  refine List.map_congr_left fun p hp => ?_
  have := List.all_eq_true.1 h p hp
  simp only [Param.buffers]
  split <;> simp_all

/-- The regions lie one after the other, and the last one fits. -/
def Region.ascending : List Region → Bool
  | [] => true
  | [r] => decide (r.base.toNat + r.len ≤ 2 ^ 64)
  | r :: q :: rest => decide (r.base.toNat + r.len ≤ q.base.toNat) && ascending (q :: rest)

/-- What ascending regions are. -/
theorem Region.of_ascending {l : List Region} (h : Region.ascending l = true) :
    l.Pairwise (fun r q => r.base.toNat + r.len ≤ q.base.toNat) ∧ ∀ r ∈ l, r.Fits := by
  induction l with
  | nil => exact ⟨.nil, nofun⟩
  | cons r rest ih =>
    cases rest with
    | nil =>
      refine ⟨List.pairwise_singleton .., fun q hq => ?_⟩
      rw [List.mem_singleton.1 hq]
      exact of_decide_eq_true (p := r.base.toNat + r.len ≤ 2 ^ 64) h
    | cons q rest =>
      simp only [ascending, Bool.and_eq_true, decide_eq_true_eq] at h
      obtain ⟨hp, hf⟩ := ih h.2
      have below : ∀ x ∈ q :: rest, r.base.toNat + r.len ≤ x.base.toNat := by
        intro x hx
        rcases List.mem_cons.1 hx with rfl | hx
        · exact h.1
        · have := (List.pairwise_cons.1 hp).1 x hx
          omega
      refine ⟨List.pairwise_cons.2 ⟨below, hp⟩, fun x hx => ?_⟩
      rcases List.mem_cons.1 hx with rfl | hx
      · have := hf q (.head _)
        have := h.1
        simp only [Fits] at *
        omega
      · exact hf x hx

namespace Witness

/-- Where the table of constants of a witness lies. -/
def tableBase : Addr := 0x100000

/-- Where the code of a witness lies. -/
def code : Region := ⟨0x200000, 0x1000⟩

/-- The contents of memory: the table of constants, and what `fill` says elsewhere. -/
def mem (constants : List Byte) (fill : Mem) : Mem := writeBytes fill tableBase constants

/-- The argument at a position. -/
def value (values : List Nat) (i : Nat) : BitVec 64 := BitVec.ofNat 64 (values.getD i 0)

/-- The arguments of a signature, by name: of parameters, then of fields. -/
def args (sig : Sig) (values : List Nat) : Args := fun name => (sig.passed (value values) name).getD <|
  ((sig.fields.findIdx? (·.name == name)).map fun i => value values (sig.params.length + i)).getD 0

/-- Without fields, the arguments do not depend on memory. -/
theorem args_eq {sig : Sig} (h : sig.fields = []) (values : List Nat) (m : Mem) :
    sig.args (value values) m = args sig values := by
  funext name
  simp [Sig.args, Sig.field, args, h]

/-- The memory of a call. -/
def memory (sig : Sig) (values : List Nat) (constants : List Byte) (fill : Mem) : Memory :=
  let m : Memory := { bytes := mem constants fill, readable := [], writable := [], code, constants := tableBase }
  let buffers := sig.buffers (args sig values) m.bytes
  { m with
    readable := m.table constants ++ (buffers.filter (·.role.reads)).map (·.region)
    writable := (buffers.filter (·.role.writes)).map (·.region) }

/-- Buffers lie one after the other, below the table, the code and what is reserved. -/
def arranged (sig : Sig) (values : List Nat) (constants : List Byte) (reserved : List Region) : Bool :=
  let buffers := sig.buffers (args sig values) fun _ => 0
  sig.plain && buffers.all (fun b => decide (0 < b.region.len)) &&
    Region.ascending (buffers.map (·.region) ++ (⟨tableBase, constants.length⟩ :: code :: reserved))

/-- The bytes of the structure. -/
def recordBytes (sig : Sig) (values : List Nat) : List Byte :=
  (List.range sig.fields.length).flatMap fun i => toBytes 8 (value values (sig.params.length + i))

/-- The structure is at `r`, apart from all else, and the only public input. -/
def recorded (sig : Sig) (values : List Nat) (r : Addr) : Bool :=
  let n := 8 * sig.fields.length
  decide (sig.record (value values) = some r) && decide (r.toNat + n ≤ tableBase.toNat) &&
    (sig.buffers (args sig values) fun _ => 0).all fun b =>
      if b.role = .publicInput then decide (b.region.base = r) && decide (b.region.len = n)
      else decide (b.region.base.toNat + b.region.len ≤ r.toNat) ||
        decide (r.toNat + n ≤ b.region.base.toNat) && decide (b.region.base.toNat + b.region.len ≤ tableBase.toNat)

/-- There are no fields and no public inputs. -/
def secretive (sig : Sig) (values : List Nat) : Bool :=
  sig.fields.isEmpty && (sig.buffers (args sig values) fun _ => 0).all (fun b => decide (b.role ≠ .publicInput))

variable {S I C F : Type} {t : Target S I C F} {c : Contract} {values : List Nat} {constants : List Byte}
  {reserved : List Region} {state : Memory → S}

/-- Two memories are a witness, if they meet the requirements of the contract and differ in the secrets. -/
theorem ok (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = value values i)
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : arranged c.sig values constants reserved = true) (fill₁ fill₂ : Mem)
    (fields : ∀ fill, fill = fill₁ ∨ fill = fill₂ → c.sig.args (value values) (mem constants fill) = args c.sig values)
    (contents : ∀ b ∈ c.sig.buffers (args c.sig values) (fun _ => 0), b.role = .publicInput →
      b.region.bytes (mem constants fill₁) = b.region.bytes (mem constants fill₂))
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (fun _ => 0), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill₁) ∧
      r.Holds (args c.sig values) (mem constants fill₂))
    (declassified : c.declassifies (args c.sig values) (mem constants fill₁) =
      c.declassifies (args c.sig values) (mem constants fill₂)) :
    t.HasWitness c constants := by
  let s (fill : Mem) := state (memory c.sig values constants fill)
  have hm (fill) : t.abi.memory (s fill) = memory c.sig values constants fill := hmem _
  have passed (fill) : c.sig.passed (t.abi.arg (s fill)) = c.sig.passed (value values) := by
    funext name
    rw [Sig.passed, Sig.passed]
    cases hi : c.sig.params.findIdx? (·.name == name) with
    | none => rfl
    | some i => exact congrArg some (harg _ i (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1)
  have ha {fill} (hf : fill = fill₁ ∨ fill = fill₂) : t.args c (s fill) = args c.sig values := by
    rw [← fields fill hf]
    funext name
    rw [Target.args, Sig.args, Sig.args, Sig.field, Sig.field, Sig.record, Sig.record, passed, Target.mem, hm]
    rfl
  have first : fill₁ = fill₁ ∨ fill₁ = fill₂ := .inl rfl
  have second : fill₂ = fill₁ ∨ fill₂ = fill₂ := .inr rfl
  simp only [arranged, Bool.and_eq_true, List.all_eq_true, decide_eq_true_eq] at h
  obtain ⟨⟨plain, buffers⟩, ascending⟩ := h
  have hb {fill} (hf : fill = fill₁ ∨ fill = fill₂) : c.sig.buffers (t.args c (s fill)) (t.mem (s fill)) =
      c.sig.buffers (args c.sig values) (fun _ => 0) := by
    rw [ha hf]; exact Sig.plain_buffers plain ..
  obtain ⟨pairs, fits⟩ := Region.of_ascending ascending
  rw [List.pairwise_append, List.pairwise_map] at pairs
  have fit {b : Buffer} (hb : b ∈ c.sig.buffers (args c.sig values) fun _ => 0) : b.region.Fits :=
    fits _ (List.mem_append_left _ (List.mem_map.2 ⟨b, hb, rfl⟩))
  have above {b : Buffer} (hb : b ∈ c.sig.buffers (args c.sig values) fun _ => 0) {r : Region}
      (hr : r ∈ (⟨tableBase, constants.length⟩ :: code :: reserved : List Region)) : b.region.Disjoint r :=
    Region.disjoint_of_lt (pairs.2.2 _ (List.mem_map.2 ⟨b, hb, rfl⟩) _ hr) (fits _ (List.mem_append_right _ hr))
  have pre {fill : Mem} (hf : fill = fill₁ ∨ fill = fill₂) (hr : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill)) :
      t.Pre c constants (s fill) := by
    have hbuf := hb hf
    rw [Target.mem] at hbuf
    refine ⟨⟨?_, ?_, ?_, ?_, ?_, ?_⟩, ?_⟩
    · rw [hbuf, hm, memory, Sig.plain_buffers plain _ _ fun _ => 0]
      cases constants <;> rfl
    · rw [hbuf, hm, memory, Sig.plain_buffers plain _ _ fun _ => 0]
    · rw [hbuf]; exact fun b hb => fit hb
    · rw [hbuf]
      refine pairs.1.imp_of_mem fun {b q} hb hq h _ => Region.disjoint_of_lt h (fit hq)
    · rw [hbuf, hm, hres]
      intro b hb _ r hr
      refine above hb ?_
      rcases List.mem_cons.1 hr with rfl | hr
      · exact .tail _ (.head _)
      · rcases List.mem_append.1 hr with hr | hr
        · cases constants with
          | nil => cases hr
          | cons => rw [List.mem_singleton.1 hr]; exact .head _
        · exact .tail _ (.tail _ hr)
    · rw [hm]
      intro r hr
      cases hc : constants with
      | nil => rw [hc] at hr; cases hr
      | cons x xs =>
        rw [hc] at hr
        have e : r = ⟨tableBase, (x :: xs).length⟩ := List.mem_singleton.1 hr
        have fit := fits ⟨tableBase, constants.length⟩ (List.mem_append_right _ (.head _))
        rw [hc] at fit
        subst e
        exact ⟨bytesAt_writeBytes_same _ _ (by simpa [Region.Fits] using fit.le), fit, (by decide : tableBase.toNat % 64 = 0)⟩
    · intro r hr'
      rw [ha hf]
      simp only [Target.mem, hm]
      exact hr r hr'
  refine ⟨s fill₁, s fill₂, pre first fun r hr => (requires r hr).1, pre second fun r hr => (requires r hr).2,
    ⟨fun i hi => ?_, ?_, ?_, ?_⟩, ?_, ?_, ?_⟩
  · rw [harg _ i hi, harg _ i hi]
  · intro b hb' hp
    rw [hb first] at hb'
    simp only [Target.mem, hm]
    exact contents b hb' hp
  · rw [hm, hm]; rfl
  · simp only [ha first, ha second, Target.mem, hm]
    exact declassified
  · intro b hb' hs x hx
    rw [hb first] at hb'
    simp only [Target.mem, hm]
    have out : constants.length ≤ offset tableBase x := by
      have := above hb' (.head _) x
      simp only [Region.Contains] at hx this
      omega
    simp only [memory, mem]
    rw [writeBytes_outside _ _ _ x out, writeBytes_outside _ _ _ x out]
    exact secret b hb' hs x hx
  · rw [hb first]; exact fun b hb' => buffers b hb'
  · intro p hp count hc
    have := List.all_eq_true.1 plain p hp
    rw [hc] at this
    cases this

/-- Two memories are a witness for a signature without a structure. -/
theorem ok_secretive (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = value values i)
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : (secretive c.sig values && arranged c.sig values constants reserved) = true) (fill₁ fill₂ : Mem)
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (fun _ => 0), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill₁) ∧
      r.Holds (args c.sig values) (mem constants fill₂))
    (declassified : c.declassifies (args c.sig values) (mem constants fill₁) =
      c.declassifies (args c.sig values) (mem constants fill₂)) :
    t.HasWitness c constants := by
  simp only [secretive, Bool.and_eq_true, List.isEmpty_iff, List.all_eq_true, decide_eq_true_eq] at h
  exact ok harg hmem hres h.2 fill₁ fill₂ (fun _ _ => args_eq h.1.1 ..) (fun b hb hp => absurd hp (h.1.2 b hb)) secret
    requires declassified

/-- One of several strings of 8 bytes. -/
theorem take_flatMap {f : Nat → List Byte} (hf : ∀ i, (f i).length = 8) {n i : Nat} (hi : i < n) :
    (((List.range n).flatMap f).drop (8 * i)).take 8 = f i := by
  have length (n : Nat) : ((List.range n).flatMap f).length = 8 * n := by
    induction n with
    | zero => rfl
    | succ n ih => rw [List.range_succ, List.flatMap_append, List.length_append, ih]; simp [hf]; omega
  obtain ⟨k, rfl⟩ : ∃ k, n = i + 1 + k := ⟨n - (i + 1), by omega⟩
  rw [List.range_add, List.range_succ, List.flatMap_append, List.flatMap_append, List.append_assoc,
    List.drop_left' (length i)]
  simp only [List.flatMap_cons, List.flatMap_nil, List.append_nil]
  exact List.take_left' (hf i)

section
variable {sig : Sig} {r : Addr}

/-- The structure holds the values of the fields. -/
theorem bytesAt_record (h : recorded sig values r = true) (constants : List Byte) (fill : Mem)
    (small : tableBase.toNat + constants.length ≤ 2 ^ 64) :
    bytesAt (mem constants (writeBytes fill r (recordBytes sig values))) r (8 * sig.fields.length) = recordBytes sig values := by
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq] at h
  have length : (recordBytes sig values).length = 8 * sig.fields.length := by
    rw [recordBytes]
    generalize sig.fields.length = n
    induction n with
    | zero => rfl
    | succ n ih => rw [List.range_succ, List.flatMap_append, List.length_append, ih]; simp; omega
  have below := h.1.2
  have top : tableBase.toNat < 2 ^ 64 := tableBase.isLt
  rw [mem, bytesAt_writeBytes_disjoint _ (by omega), ← length, bytesAt_writeBytes_same _ _ (by omega)]
  exact Region.Disjoint.symm (Region.disjoint_of_lt below (by simpa [Region.Fits] using small))

/-- The arguments of a witness with a structure. -/
theorem args_record (h : recorded sig values r = true) (constants : List Byte) (fill : Mem)
    (small : tableBase.toNat + constants.length ≤ 2 ^ 64) :
    sig.args (value values) (mem constants (writeBytes fill r (recordBytes sig values))) = args sig values := by
  have bytes := bytesAt_record h constants fill small
  generalize mem constants (writeBytes fill r (recordBytes sig values)) = m at bytes
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq] at h
  funext name
  rw [Sig.args, args, Sig.field, h.1.1]
  congr 1
  cases hi : sig.fields.findIdx? (·.name == name) with
  | none => rfl
  | some i =>
    have hl := (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1
    simp only [Option.bind_some, Option.map_some, Option.getD_some]
    rw [word64, bytesAt_part _ _ (show 8 * i + 8 ≤ 8 * sig.fields.length by omega), bytes, recordBytes, take_flatMap (fun _ => length_toBytes ..) hl, ofBytes_toBytes (w := 64) (n := 8) _ (by decide)]

end

/-- Two memories are a witness for a signature with a structure at `r`. -/
theorem ok_record (r : Addr)
    (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = value values i)
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : (recorded c.sig values r && arranged c.sig values constants reserved) = true) (fill₁ fill₂ : Mem)
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (fun _ => 0), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ fill, fill = fill₁ ∨ fill = fill₂ → ∀ q ∈ c.requires, q.Holds (args c.sig values)
      (mem constants (writeBytes fill r (recordBytes c.sig values))))
    (declassified :
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₁ r (recordBytes c.sig values))) =
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₂ r (recordBytes c.sig values)))) :
    t.HasWitness c constants := by
  rw [Bool.and_eq_true] at h
  have small : tableBase.toNat + constants.length ≤ 2 ^ 64 := by
    have := h.2
    simp only [arranged, Bool.and_eq_true] at this
    have := (Region.of_ascending this.2).2 ⟨tableBase, constants.length⟩ (List.mem_append_right _ (.head _))
    simpa [Region.Fits] using this
  have g := h.1
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq, List.all_eq_true] at g
  have length : (recordBytes c.sig values).length = 8 * c.sig.fields.length := by
    have := congrArg List.length (bytesAt_record h.1 constants fill₁ small)
    rw [length_bytesAt] at this
    exact this.symm
  refine ok harg hmem hres h.2 _ _ (fun fill hf => ?_) (fun b hb hp => ?_) (fun b hb hs x hx => ?_)
    (fun q hq => ⟨requires _ (.inl rfl) q hq, requires _ (.inr rfl) q hq⟩) declassified
  · rcases hf with rfl | rfl <;> exact args_record h.1 constants _ small
  · have := g.2 b hb
    rw [if_pos hp, Bool.and_eq_true, decide_eq_true_eq, decide_eq_true_eq] at this
    rw [Region.bytes, Region.bytes, this.1, this.2, bytesAt_record h.1 constants _ small, bytesAt_record h.1 constants _ small]
  · have hp : b.role ≠ .publicInput := fun hp => by rw [hp] at hs; cases hs
    have := g.2 b hb
    rw [if_neg hp, Bool.or_eq_true, Bool.and_eq_true, decide_eq_true_eq, decide_eq_true_eq, decide_eq_true_eq] at this
    have out : (recordBytes c.sig values).length ≤ offset r x := by
      have top : tableBase.toNat < 2 ^ 64 := tableBase.isLt
      simp only [Region.Contains, offset] at hx ⊢
      rw [length]
      have below := g.1.2
      bv_omega
    rw [writeBytes_outside _ _ _ x out, writeBytes_outside _ _ _ x out]
    exact secret b hb hs x hx

end Witness
end TCB
