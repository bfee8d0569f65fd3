import Proof.Framework.Verified

/-!
# Witnesses

The seventh clause of `Verified`: two memories, and arguments that place the buffers apart from each other, the table of
constants, the code and what the calling convention reserves. What is not about the contents of memory is computed.
-/

set_option autoImplicit false
namespace TCB

/-- The buffers depend on the arguments and the contents of lists of slices only. -/
theorem Sig.buffers_congr {sig : Sig} {a : Args} {m m' : Mem} (h : ∀ b ∈ sig.buffers a m, b.role = .publicInput →
    b.region.bytes m = b.region.bytes m') : sig.buffers a m = sig.buffers a m' := by
  rw [Sig.buffers, Sig.buffers, List.flatMap_def, List.flatMap_def]
  refine congrArg List.flatten (List.map_congr_left fun p hp => ?_)
  have h (b : Buffer) (hb : b ∈ p.buffers sig.fields.length a m) := h b (List.mem_flatMap.2 ⟨p, hp, hb⟩)
  simp only [Param.buffers] at h ⊢
  cases hc : p.ty <;> simp only [hc] at h ⊢
  case slices count =>
    have list : bytesAt m (a p.name) (16 * count.eval a) = bytesAt m' (a p.name) (16 * count.eval a) := h _ (.head _) rfl
    refine congrArg (_ :: ·) (congrArg (List.map _) (List.map_congr_left fun i hi => ?_))
    have hi := List.mem_range.1 hi
    have word (j : Nat) (hj : j + 8 ≤ 16 * count.eval a) : word64 m (a p.name + BitVec.ofNat 64 j) = word64 m' (a p.name + BitVec.ofNat 64 j) := by
      rw [word64, word64, bytesAt_part m _ hj, bytesAt_part m' _ hj, list]
    rw [sliceAt, sliceAt, word _ (by omega), word _ (by omega)]

/-- The regions fit, and no two of them overlap. -/
def Region.separate : List Region → Bool
  | [] => true
  | r :: rest => decide (r.base.toNat + r.len ≤ 2 ^ 64) && separate rest && rest.all fun q =>
    decide (r.base.toNat + r.len ≤ q.base.toNat) || decide (q.base.toNat + q.len ≤ r.base.toNat)

/-- What separate regions are. -/
theorem Region.of_separate {l : List Region} (h : Region.separate l = true) : l.Pairwise Region.Disjoint ∧ ∀ r ∈ l, r.Fits := by
  induction l with
  | nil => exact ⟨.nil, nofun⟩
  | cons r rest ih =>
    simp only [separate, Bool.and_eq_true, Bool.or_eq_true, List.all_eq_true, decide_eq_true_eq] at h
    have ⟨pairs, fits⟩ := ih h.1.2
    refine ⟨List.pairwise_cons.2 ⟨fun q hq => ?_, pairs⟩, List.forall_mem_cons.2 ⟨h.1.1, fits⟩⟩
    rcases h.2 q hq with below | below
    · exact disjoint_of_lt below (fits q hq)
    · exact (disjoint_of_lt below h.1.1).symm

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

/-- The memory of a call with these buffers. -/
def memory (buffers : List Buffer) (constants : List Byte) (fill : Mem) : Memory :=
  let m : Memory := { bytes := mem constants fill, readable := [], writable := [], code, constants := tableBase }
  { m with
    readable := m.table constants ++ (buffers.filter (·.role.reads)).map (·.region)
    writable := (buffers.filter (·.role.writes)).map (·.region) }

/-- No list of slices is short. -/
def many (sig : Sig) (values : List Nat) : Bool := sig.all.all fun p =>
  match p.ty with
  | .usize | .bytes .. | .record _ => true
  | .slices count => decide (2 ≤ count.eval (args sig values))

/-- With memory that holds the public inputs, no buffer is empty, and the buffers, the table, the code and what is reserved are
apart. -/
def arranged (sig : Sig) (values : List Nat) (constants : List Byte) (reserved : List Region) (inputs : Mem := fun _ => 0) : Bool :=
  let buffers := sig.buffers (args sig values) inputs
  many sig values && buffers.all (fun b => decide (0 < b.region.len)) &&
    Region.separate (buffers.map (·.region) ++ (⟨tableBase, constants.length⟩ :: code :: reserved))

/-- The bytes of the structure. -/
def recordBytes (sig : Sig) (values : List Nat) : List Byte :=
  (List.range sig.fields.length).flatMap fun i => toBytes 8 (value values (sig.params.length + i))

/-- The public inputs: the structure at `r`, and lists of slices behind it. -/
def inputs (sig : Sig) (values : List Nat) (r : Addr) (lists : List Byte := []) : Mem :=
  writeBytes (fun _ => 0) r (recordBytes sig values ++ lists)

/-- All public inputs are in the structure at `r` and behind it, apart from all else. -/
def recorded (sig : Sig) (values : List Nat) (r : Addr) (lists : List Byte := []) : Bool :=
  let n := 8 * sig.fields.length + lists.length
  decide (sig.record (value values) = some r) && decide (r.toNat + n ≤ tableBase.toNat) &&
    (sig.buffers (args sig values) (inputs sig values r lists)).all fun b =>
      if b.role = .publicInput then decide (r.toNat ≤ b.region.base.toNat) && decide (b.region.base.toNat + b.region.len ≤ r.toNat + n)
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
    (inputs : Mem) (h : arranged c.sig values constants reserved inputs = true) (fill₁ fill₂ : Mem)
    (fields : ∀ fill, fill = fill₁ ∨ fill = fill₂ → c.sig.args (value values) (mem constants fill) = args c.sig values)
    (contents : ∀ fill, fill = fill₁ ∨ fill = fill₂ → ∀ b ∈ c.sig.buffers (args c.sig values) inputs, b.role = .publicInput →
      b.region.bytes inputs = b.region.bytes (mem constants fill))
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) inputs, b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill₁) ∧
      r.Holds (args c.sig values) (mem constants fill₂))
    (declassified : c.declassifies (args c.sig values) (mem constants fill₁) =
      c.declassifies (args c.sig values) (mem constants fill₂)) :
    t.HasWitness c constants := by
  let l := c.sig.buffers (args c.sig values) inputs
  let s (fill : Mem) := state (memory l constants fill)
  have hm (fill) : t.abi.memory (s fill) = memory l constants fill := hmem _
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
  obtain ⟨⟨many, buffers⟩, separate⟩ := h
  have hb {fill} (hf : fill = fill₁ ∨ fill = fill₂) : c.sig.buffers (t.args c (s fill)) (t.mem (s fill)) =
      l := by
    rw [ha hf, Target.mem, hm]; exact (Sig.buffers_congr (contents fill hf)).symm
  obtain ⟨pairs, fits⟩ := Region.of_separate separate
  rw [List.pairwise_append, List.pairwise_map] at pairs
  have fit {b : Buffer} (hb : b ∈ l) : b.region.Fits :=
    fits _ (List.mem_append_left _ (List.mem_map.2 ⟨b, hb, rfl⟩))
  have above {b : Buffer} (hb : b ∈ l) {r : Region}
      (hr : r ∈ (⟨tableBase, constants.length⟩ :: code :: reserved : List Region)) : b.region.Disjoint r :=
    pairs.2.2 _ (List.mem_map.2 ⟨b, hb, rfl⟩) _ hr
  have pre {fill : Mem} (hf : fill = fill₁ ∨ fill = fill₂) (hr : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill)) :
      t.Pre c constants (s fill) := by
    have hbuf := hb hf
    rw [Target.mem] at hbuf
    refine ⟨⟨?_, ?_, ?_, ?_, ?_, ?_⟩, ?_⟩
    · rw [hbuf, hm, memory]
      cases constants <;> rfl
    · rw [hbuf, hm, memory]
    · rw [hbuf]; exact fun b hb => fit hb
    · rw [hbuf]
      exact pairs.1.imp (S := fun (b q : Buffer) => _ → b.region.Disjoint q.region) fun h _ => h
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
    exact (contents _ first b hb' hp).symm.trans (contents _ second b hb' hp)
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
    have := List.all_eq_true.1 many p hp
    rw [hc] at this
    rw [ha first]
    exact of_decide_eq_true this

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
  exact ok harg hmem hres _ h.2 fill₁ fill₂ (fun _ _ => args_eq h.1.1 ..) (fun _ _ b hb hp => absurd hp (h.1.2 b hb)) secret
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
variable {sig : Sig} {r : Addr} {lists : List Byte} (h : recorded sig values r lists = true) (constants : List Byte) (fill : Mem)
  (small : tableBase.toNat + constants.length ≤ 2 ^ 64)

/-- The length of the structure. -/
theorem length_recordBytes (sig : Sig) (values : List Nat) : (recordBytes sig values).length = 8 * sig.fields.length := by
  rw [recordBytes]
  generalize sig.fields.length = n
  induction n with
  | zero => rfl
  | succ n ih => rw [List.range_succ, List.flatMap_append, List.length_append, ih]; simp; omega

include h small

/-- What lies behind `r` is not the table. -/
theorem bytesAt_mem {i n : Nat} (hi : i + n ≤ 8 * sig.fields.length + lists.length) : bytesAt (mem constants fill) (r + BitVec.ofNat 64 i) n =
    bytesAt fill (r + BitVec.ofNat 64 i) n := by
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq] at h
  have below := h.1.2
  have top : tableBase.toNat < 2 ^ 64 := tableBase.isLt
  exact bytesAt_writeBytes_disjoint _ (by omega) (Region.Disjoint.symm (Region.disjoint_of_lt (by simp only; bv_omega)
    (by simpa [Region.Fits] using small)))

/-- The public inputs are there. -/
theorem bytesAt_inputs {i n : Nat} (hi : i + n ≤ 8 * sig.fields.length + lists.length) :
    bytesAt (mem constants (writeBytes fill r (recordBytes sig values ++ lists))) (r + BitVec.ofNat 64 i) n =
    ((recordBytes sig values ++ lists).drop i).take n := by
  rw [bytesAt_mem h constants _ small hi]
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq] at h
  have below := h.1.2
  have top : tableBase.toNat < 2 ^ 64 := tableBase.isLt
  have length : (recordBytes sig values ++ lists).length = 8 * sig.fields.length + lists.length := by
    rw [List.length_append, length_recordBytes]
  rw [bytesAt_part (n := (recordBytes sig values ++ lists).length) _ _ (by omega), bytesAt_writeBytes_same _ _ (by omega)]

/-- The arguments of a witness with a structure. -/
theorem args_record : sig.args (value values) (mem constants (writeBytes fill r (recordBytes sig values ++ lists))) = args sig values := by
  have bytes {i n : Nat} := bytesAt_inputs h constants fill small (i := i) (n := n)
  generalize mem constants (writeBytes fill r (recordBytes sig values ++ lists)) = m at bytes
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq] at h
  funext name
  rw [Sig.args, args, Sig.field, h.1.1]
  congr 1
  cases hi : sig.fields.findIdx? (·.name == name) with
  | none => rfl
  | some i =>
    have hl := (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1
    simp only [Option.bind_some, Option.map_some, Option.getD_some]
    rw [word64, bytes (by omega), List.drop_append_of_le_length (by rw [length_recordBytes]; omega),
      List.take_append_of_le_length (by rw [List.length_drop, length_recordBytes]; omega), recordBytes,
      take_flatMap (fun _ => length_toBytes ..) hl, ofBytes_toBytes (w := 64) (n := 8) _ (by decide)]

end

/-- Two memories are a witness for a signature with a structure at `r`, behind which are the lists of slices. -/
theorem ok_lists (r : Addr) (lists : List Byte)
    (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = value values i)
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : (recorded c.sig values r lists && arranged c.sig values constants reserved (inputs c.sig values r lists)) = true)
    (fill₁ fill₂ : Mem)
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (inputs c.sig values r lists), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ fill, fill = fill₁ ∨ fill = fill₂ → ∀ q ∈ c.requires, q.Holds (args c.sig values)
      (mem constants (writeBytes fill r (recordBytes c.sig values ++ lists))))
    (declassified :
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₁ r (recordBytes c.sig values ++ lists))) =
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₂ r (recordBytes c.sig values ++ lists)))) :
    t.HasWitness c constants := by
  rw [Bool.and_eq_true] at h
  have small : tableBase.toNat + constants.length ≤ 2 ^ 64 := by
    have := h.2
    simp only [arranged, Bool.and_eq_true] at this
    have := (Region.of_separate this.2).2 ⟨tableBase, constants.length⟩ (List.mem_append_right _ (.head _))
    simpa [Region.Fits] using this
  have g := h.1
  simp only [recorded, Bool.and_eq_true, decide_eq_true_eq, List.all_eq_true] at g
  have length : (recordBytes c.sig values ++ lists).length = 8 * c.sig.fields.length + lists.length := by
    rw [List.length_append, length_recordBytes]
  refine ok harg hmem hres _ h.2 _ _ (fun fill hf => ?_) (fun fill hf b hb hp => ?_) (fun b hb hs x hx => ?_)
    (fun q hq => ⟨requires _ (.inl rfl) q hq, requires _ (.inr rfl) q hq⟩) declassified
  · rcases hf with rfl | rfl <;> exact args_record h.1 constants _ small
  · have place := g.2 b hb
    rw [if_pos hp, Bool.and_eq_true, decide_eq_true_eq, decide_eq_true_eq] at place
    obtain ⟨i, hi, hn⟩ : ∃ i, b.region.base = r + BitVec.ofNat 64 i ∧ i + b.region.len ≤ 8 * c.sig.fields.length + lists.length :=
      ⟨b.region.base.toNat - r.toNat, by bv_omega, by omega⟩
    have here (fill : Mem) := bytesAt_inputs h.1 constants fill small hn
    have bytes (fill : Mem) := bytesAt_mem h.1 constants fill small hn
    rw [Region.bytes, Region.bytes, hi, inputs, ← bytes, here]
    rcases hf with rfl | rfl <;> exact (here _).symm
  · have hp : b.role ≠ .publicInput := fun hp => by rw [hp] at hs; cases hs
    have := g.2 b hb
    rw [if_neg hp, Bool.or_eq_true, Bool.and_eq_true, decide_eq_true_eq, decide_eq_true_eq, decide_eq_true_eq] at this
    have out : (recordBytes c.sig values ++ lists).length ≤ offset r x := by
      have top : tableBase.toNat < 2 ^ 64 := tableBase.isLt
      simp only [Region.Contains, offset] at hx ⊢
      rw [length]
      have below := g.1.2
      bv_omega
    rw [writeBytes_outside _ _ _ x out, writeBytes_outside _ _ _ x out]
    exact secret b hb hs x hx

/-- Two memories are a witness for a signature with a structure at `r` and without lists of slices. -/
theorem ok_record (r : Addr)
    (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = value values i)
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : (recorded c.sig values r && arranged c.sig values constants reserved (inputs c.sig values r)) = true) (fill₁ fill₂ : Mem)
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (inputs c.sig values r), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ fill, fill = fill₁ ∨ fill = fill₂ → ∀ q ∈ c.requires, q.Holds (args c.sig values)
      (mem constants (writeBytes fill r (recordBytes c.sig values))))
    (declassified :
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₁ r (recordBytes c.sig values))) =
      c.declassifies (args c.sig values) (mem constants (writeBytes fill₂ r (recordBytes c.sig values)))) :
    t.HasWitness c constants := by
  rw [← List.append_nil (recordBytes c.sig values)] at requires declassified
  exact ok_lists r [] harg hmem hres h fill₁ fill₂ secret requires declassified

end Witness
end TCB
