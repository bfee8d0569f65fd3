import Proof.Framework.Verified

/-!
# Witnesses

The seventh clause of `Verified` for signatures of numbers and buffers: two memories, and arguments that place the buffers,
in the order of the parameters, below the table of constants, the code and what the calling convention reserves. What is
not about the contents of memory is computed.
-/

set_option autoImplicit false
namespace TCB

/-- No parameter is a list of slices. -/
def Sig.plain (sig : Sig) : Bool := sig.params.all fun p =>
  match p.ty with
  | .usize | .bytes .. => true
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

/-- The arguments of a signature, by name. -/
def args (sig : Sig) (values : List Nat) : Args := sig.args fun i => BitVec.ofNat 64 (values.getD i 0)

/-- The memory of a call. -/
def memory (sig : Sig) (values : List Nat) (constants : List Byte) (fill : Mem) : Memory :=
  let m : Memory := { bytes := mem constants fill, readable := [], writable := [], code, constants := tableBase }
  let buffers := sig.buffers (args sig values) m.bytes
  { m with
    readable := m.table constants ++ (buffers.filter (·.role.reads)).map (·.region)
    writable := (buffers.filter (·.role.writes)).map (·.region) }

/-- Numbers and buffers that are no public input lie one after the other, below the table, the code and what is reserved. -/
def arranged (sig : Sig) (values : List Nat) (constants : List Byte) (reserved : List Region) : Bool :=
  let buffers := sig.buffers (args sig values) fun _ => 0
  sig.plain && buffers.all (fun b => decide (b.role ≠ .publicInput) && decide (0 < b.region.len)) &&
    Region.ascending (buffers.map (·.region) ++ (⟨tableBase, constants.length⟩ :: code :: reserved))

variable {S I C F : Type} {t : Target S I C F} {c : Contract} {values : List Nat} {constants : List Byte}
  {reserved : List Region} {state : Memory → S}

/-- Two memories are a witness, if they meet the requirements of the contract and differ in the secrets. -/
theorem ok (harg : ∀ m i, i < c.sig.params.length → t.abi.arg (state m) i = BitVec.ofNat 64 (values.getD i 0))
    (hmem : ∀ m, t.abi.memory (state m) = m) (hres : ∀ m, t.abi.reserved (state m) = reserved)
    (h : arranged c.sig values constants reserved = true) (fill₁ fill₂ : Mem)
    (secret : ∀ b ∈ c.sig.buffers (args c.sig values) (fun _ => 0), b.role.secret = true → ∀ x, b.region.Contains x →
      fill₁ x ≠ fill₂ x)
    (requires : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill₁) ∧
      r.Holds (args c.sig values) (mem constants fill₂))
    (declassified : c.declassifies (args c.sig values) (mem constants fill₁) =
      c.declassifies (args c.sig values) (mem constants fill₂)) :
    t.HasWitness c constants := by
  let s (fill : Mem) := state (memory c.sig values constants fill)
  have hm (fill) : t.abi.memory (s fill) = memory c.sig values constants fill := hmem _
  have ha (fill) : t.args c (s fill) = args c.sig values := by
    funext name
    simp only [Target.args, args, Sig.args]
    cases hi : c.sig.params.findIdx? (·.name == name) with
    | none => rfl
    | some i => exact harg _ i (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1
  simp only [arranged, Bool.and_eq_true, List.all_eq_true, decide_eq_true_eq] at h
  obtain ⟨⟨plain, buffers⟩, ascending⟩ := h
  have hb (fill) : c.sig.buffers (t.args c (s fill)) (t.mem (s fill)) =
      c.sig.buffers (args c.sig values) (fun _ => 0) := by
    rw [ha]; exact Sig.plain_buffers plain ..
  obtain ⟨pairs, fits⟩ := Region.of_ascending ascending
  rw [List.pairwise_append, List.pairwise_map] at pairs
  have fit {b : Buffer} (hb : b ∈ c.sig.buffers (args c.sig values) fun _ => 0) : b.region.Fits :=
    fits _ (List.mem_append_left _ (List.mem_map.2 ⟨b, hb, rfl⟩))
  have above {b : Buffer} (hb : b ∈ c.sig.buffers (args c.sig values) fun _ => 0) {r : Region}
      (hr : r ∈ (⟨tableBase, constants.length⟩ :: code :: reserved : List Region)) : b.region.Disjoint r :=
    Region.disjoint_of_lt (pairs.2.2 _ (List.mem_map.2 ⟨b, hb, rfl⟩) _ hr) (fits _ (List.mem_append_right _ hr))
  have pre (fill : Mem) (hr : ∀ r ∈ c.requires, r.Holds (args c.sig values) (mem constants fill)) :
      t.Pre c constants (s fill) := by
    have hbuf := hb fill
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
      rw [ha]
      simp only [Target.mem, hm]
      exact hr r hr'
  refine ⟨s fill₁, s fill₂, pre _ fun r hr => (requires r hr).1, pre _ fun r hr => (requires r hr).2,
    ⟨fun i hi => ?_, ?_, ?_, ?_⟩, ?_, ?_, ?_⟩
  · rw [harg _ i hi, harg _ i hi]
  · intro b hb' hp
    rw [hb] at hb'
    exact absurd hp (buffers b hb').1
  · rw [hm, hm]; rfl
  · simp only [ha, Target.mem, hm]
    exact declassified
  · intro b hb' hs x hx
    rw [hb] at hb'
    simp only [Target.mem, hm]
    have out : constants.length ≤ offset tableBase x := by
      have := above hb' (.head _) x
      simp only [Region.Contains] at hx this
      omega
    simp only [memory, mem]
    rw [writeBytes_outside _ _ _ x out, writeBytes_outside _ _ _ x out]
    exact secret b hb' hs x hx
  · rw [hb]; exact fun b hb' => (buffers b hb').2
  · intro p hp count hc
    have := List.all_eq_true.1 plain p hp
    rw [hc] at this
    cases this

end Witness
end TCB
