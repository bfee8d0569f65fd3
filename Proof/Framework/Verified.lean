import TCB.Contract
import Proof.Framework.Lower
import Proof.Framework.Taint

/-!
# From structured proofs to `Verified`

Total correctness and two successful taint checks of structured code verify its flat code.
-/

set_option autoImplicit false
namespace TCB
open Impl
variable {S I C F D : Type}

/-! ## Signatures -/

/-- There is no scratch buffer. -/
def Sig.simple (sig : Sig) : Bool := sig.all.all fun p =>
  match p.ty with
  | .usize | .slices _ | .record _ => true
  | .bytes role _ => role != .scratch

/-- Whether every instruction of flat code needs only the given features. -/
def Isa.permits (isa : Isa S I C F) [DecidableEq F] (features : List F) (code : Flat I C) : Bool :=
  code.all fun
    | .instr i => (isa.requires i).all features.contains
    | _ => true

/-- The computed answer is right. -/
theorem Isa.permits_sound {isa : Isa S I C F} [DecidableEq F] {features : List F} {code : Flat I C} {constants : List Byte}
    (h : isa.permits features code = true) : isa.Permits ⟨features, code, constants⟩ :=
  fun _ hi => (List.all_eq_true.1 h) _ hi

namespace Target
variable (t : Target S I C F) (c : Contract) (constants : List Byte)

/-- The regions of the table of constants and of the public inputs of a call that begins in `s`. -/
def publicRegions (s : S) : List Region :=
  (t.abi.memory s).table constants ++ ((c.sig.buffers (t.args c s) (t.mem s)).filter (·.role = .publicInput)).map (·.region)

/-- The state `s'` is what the contract and the calling convention allow on return from a call that begins in `s`. -/
structure Post (s s' : S) : Prop where
  result : c.Ensures (t.args c s) (t.mem s) (t.mem s') (t.abi.result s')
  narrow : c.sig.returns = true → (t.abi.result s').toNat < 2 ^ 32
  frame : ∀ x, ¬ t.MayChange c s x → t.mem s' x = t.mem s x
  abi : t.abi.Preserved s s'

/-- The scratch buffers of a call that begins in `s` hold zeros. -/
def Cleared (s s' : S) : Prop := ∀ b ∈ c.sig.buffers (t.args c s) (t.mem s), b.role = .scratch →
  b.region.bytes (t.mem s') = List.replicate b.region.len 0

/-- The values that a call that begins in `s` may reveal. -/
abbrev revealed (s : S) : List (BitVec 64) := c.declassifies (t.args c s) (t.mem s)

/-- Two states as the seventh clause of `Verified` wants them. -/
abbrev HasWitness : Prop := ∃ s₁ s₂, t.Pre c constants s₁ ∧ t.Pre c constants s₂ ∧ t.SamePublic c s₁ s₂ ∧
  c.sig.DifferInSecrets (t.args c s₁) (t.mem s₁) (t.mem s₂) ∧ c.sig.Substantial (t.args c s₁) (t.mem s₁)

variable {t c constants} {s s₁ s₂ : S}

/-- A public region is the table of constants, or the region of a buffer with a public role. -/
theorem mem_publicRegions {r : Region} (h : r ∈ t.publicRegions c constants s) :
    r ∈ (t.abi.memory s).table constants ∨
      ∃ b ∈ c.sig.buffers (t.args c s) (t.mem s), b.role = .publicInput ∧ b.region = r := by
  simpa [publicRegions, and_assoc] using h

/-- The table of constants is public. -/
theorem table_isPublic (h : constants ≠ []) :
    ⟨(t.abi.memory s).constants, constants.length⟩ ∈ t.publicRegions c constants s := by
  cases constants with
  | nil => exact absurd rfl h
  | cons => exact .head _

/-- The kernel may read the table of constants, and it holds the constants. -/
theorem Pre.table (h : t.Pre c constants s) (hc : constants ≠ []) :
    ⟨(t.abi.memory s).constants, constants.length⟩ ∈ (t.abi.memory s).readable ∧
    bytesAt (t.mem s) (t.abi.memory s).constants constants.length = constants ∧
    (t.abi.memory s).constants.toNat % 64 = 0 := by
  cases constants with
  | nil => exact absurd rfl hc
  | cons =>
    have ⟨holds, _, aligned⟩ := h.entry.table _ (.head _)
    exact ⟨h.entry.readable ▸ .head _, holds, aligned⟩

/-- No buffer that is written overlaps the table of constants. -/
theorem Pre.table_apart (h : t.Pre c constants s) :
    ∀ w ∈ (t.abi.memory s).writable, ∀ r ∈ (t.abi.memory s).table constants, w.Disjoint r := by
  intro w hw r hr
  rw [h.entry.writable] at hw
  simp only [List.mem_map, List.mem_filter] at hw
  obtain ⟨b, ⟨hb, hbw⟩, rfl⟩ := hw
  exact h.entry.apart b hb hbw r (.tail _ (List.mem_append_left _ hr))

/-- No buffer that is written overlaps a public region. -/
theorem Pre.apart (h : t.Pre c constants s) :
    ∀ w ∈ (t.abi.memory s).writable, ∀ r ∈ t.publicRegions c constants s, w.Disjoint r := by
  intro w hw r hr
  rcases mem_publicRegions hr with hr | ⟨p, hp, hpr, rfl⟩
  · exact h.table_apart w hw r hr
  rw [h.entry.writable] at hw
  simp only [List.mem_map, List.mem_filter] at hw
  obtain ⟨b, ⟨hb, hbw⟩, rfl⟩ := hw
  obtain ⟨i, hi, rfl⟩ := List.mem_iff_getElem.1 hb
  obtain ⟨j, hj, rfl⟩ := List.mem_iff_getElem.1 hp
  have hd := List.pairwise_iff_getElem.1 h.entry.disjoint
  rcases Nat.lt_trichotomy i j with hij | rfl | hij
  · exact hd i j hi hj hij (.inl hbw)
  · exact absurd (hpr ▸ hbw : Role.writes .publicInput = true) nofun
  · exact (hd j i hj hi hij (.inr hbw)).symm

/-- The arguments that are passed are public. -/
theorem SamePublic.passed (h : t.SamePublic c s₁ s₂) (name : String) :
    c.sig.passed (t.abi.arg s₁) name = c.sig.passed (t.abi.arg s₂) name := by
  rw [Sig.passed, Sig.passed]
  cases hi : c.sig.params.findIdx? (·.name == name) with
  | none => rfl
  | some i => exact congrArg some (h.args i (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1)

/-- The structure is a public input. -/
theorem record_mem {a : Nat → BitVec 64} {r : Addr} (h : c.sig.record a = some r) (m : Mem) :
    ∃ name, ⟨name, .publicInput, ⟨r, 8 * c.sig.fields.length⟩⟩ ∈ c.sig.buffers (c.sig.args a m) m := by
  obtain ⟨p, hp, hr⟩ := Option.bind_eq_some_iff.1 h
  refine ⟨p.name, List.mem_flatMap.2 ⟨p, List.mem_append_left _ (List.mem_of_find?_eq_some hp), ?_⟩⟩
  have base : c.sig.args a m p.name = r := by rw [Sig.args, hr, Option.getD_some]
  have isRecord := List.find?_some hp
  rw [Param.buffers]
  cases ht : p.ty with
  | record => exact base ▸ List.mem_singleton.2 rfl
  | _ => rw [ht] at isRecord; cases isRecord

/-- The arguments are public. -/
theorem SamePublic.args_eq (h : t.SamePublic c s₁ s₂) : t.args c s₁ = t.args c s₂ := by
  funext name
  rw [Target.args, Target.args, Sig.args, Sig.args, h.passed, Sig.field, Sig.field]
  have same : c.sig.record (t.abi.arg s₁) = c.sig.record (t.abi.arg s₂) := by
    rw [Sig.record, Sig.record]
    exact congrArg _ (funext fun p => h.passed p.name)
  rw [← same]
  cases hr : c.sig.record (t.abi.arg s₁) with
  | none => rfl
  | some r =>
    cases hi : c.sig.fields.findIdx? (·.name == name) with
    | none => rfl
    | some i =>
      have hl := (List.findIdx?_eq_some_iff_findIdx_eq.1 hi).1
      obtain ⟨n, hb⟩ := record_mem hr (t.mem s₁)
      have contents : bytesAt (t.mem s₁) r (8 * c.sig.fields.length) = bytesAt (t.mem s₂) r (8 * c.sig.fields.length) :=
        h.contents _ hb rfl
      simp only [Option.bind_some, Option.map_some, Option.getD_some]
      have hl : 8 * i + 8 ≤ 8 * c.sig.fields.length := by omega
      rw [word64, word64, bytesAt_part _ _ hl, bytesAt_part (t.mem s₂) _ hl, contents]

/-- Two calls with the same public inputs have the same public regions. -/
theorem SamePublic.publicRegions (h : t.SamePublic c s₁ s₂) :
    t.publicRegions c constants s₁ = t.publicRegions c constants s₂ := by
  have table : (t.abi.memory s₁).table constants = (t.abi.memory s₂).table constants := by
    cases constants <;> simp [Memory.table, h.constants]
  simp only [Target.publicRegions, table, Sig.buffers, List.flatMap_def, List.filter_flatten, List.map_flatten, List.map_map]
  refine congrArg (_ ++ ·) (congrArg List.flatten (List.map_congr_left fun p hp => ?_))
  simp only [Function.comp_apply, Param.buffers, h.args_eq]
  split
  · rfl
  · rfl
  · rfl
  · simp [List.filter_eq_nil_iff.2]

/-- Two calls with the same public inputs agree on public memory. -/
theorem SamePublic.memAgree (h : t.SamePublic c s₁ s₂) (h₁ : t.Pre c constants s₁) (h₂ : t.Pre c constants s₂) :
    MemAgree (t.publicRegions c constants s₁) (t.abi.memory s₁) (t.abi.memory s₂) where
  contents r hr _ hx := by
    rcases mem_publicRegions hr with hr | ⟨b, hb, hp, rfl⟩
    · have hr' : r ∈ (t.abi.memory s₂).table constants := by
        cases constants with
        | nil => cases hr
        | cons => simpa [Memory.table, ← h.constants] using hr
      exact Region.eq_of_bytes ((h₁.entry.table r hr).1.trans (h₂.entry.table r hr').1.symm) hx
    · exact Region.eq_of_bytes (h.contents b hb hp) hx
  constants := h.constants
  apart₁ := h₁.apart
  apart₂ := h.publicRegions ▸ h₂.apart

/-- Two calls with the same public inputs have the same scratch buffers. -/
theorem SamePublic.scratch (h : t.SamePublic c s₁ s₂) {b : Buffer} (hb : b ∈ c.sig.buffers (t.args c s₁) (t.mem s₁))
    (hr : b.role = .scratch) : b ∈ c.sig.buffers (t.args c s₂) (t.mem s₂) := by
  obtain ⟨p, hp, hb⟩ := List.mem_flatMap.1 hb
  refine List.mem_flatMap.2 ⟨p, hp, ?_⟩
  rw [← h.args_eq]
  simp only [Param.buffers] at hb ⊢
  split at hb
  · cases hb
  · exact hb
  · exact hb
  · rcases List.mem_cons.1 hb with rfl | hb
    · cases hr
    · obtain ⟨_, _, rfl⟩ := List.mem_map.1 hb
      cases hr

/-- Without scratch buffers there is nothing to say about them. -/
theorem sameScratch (hs : c.sig.simple = true) (m₁ m₂ : Mem) : t.SameScratch c s m₁ m₂ := by
  intro b hb hr
  obtain ⟨p, hp, hb⟩ := List.mem_flatMap.1 hb
  have hs := List.all_eq_true.1 hs p hp
  simp only [Param.buffers] at hb
  split at hb <;> simp_all
  rcases hb with rfl | ⟨_, _, rfl⟩ <;> cases hr

end Target

/--
Total correctness and two taint checks of structured code verify its flat code: `inputs` is what is public in every
call, `volatile` what is public if moreover all that is caller-saved is, `final` what must be public on return. Scratch buffers,
if there are any, hold zeros on return.
-/
theorem Verified.of_code [DecidableEq F] {t : Target S I C F} {c : Contract} {code : Code I C} {features : List F}
    {constants : List Byte}
    (T : Taint t.isa t.abi.memory D) {inputs volatile final : D}
    (permits : t.isa.permits features code.lower = true)
    (cleared : c.sig.simple = true ∨ ∀ s, t.Pre c constants s →
      t.isa.WpRevealing (t.publicRegions c constants s) (t.revealed c s) code (t.Cleared c s) s)
    (correct : ∀ s, t.Pre c constants s →
      t.isa.WpRevealing (t.publicRegions c constants s) (t.revealed c s) code (t.Post c s) s)
    (onInputs : ∀ {s₁ s₂}, t.SamePublic c s₁ s₂ → T.agree inputs s₁ s₂)
    (constantTime : (T.check code inputs).isSome = true)
    (onVolatile : ∀ {s₁ s₂}, t.SamePublic c s₁ s₂ → t.abi.SameVolatile true s₁ s₂ → T.agree volatile s₁ s₂)
    (noResidue : (T.check code volatile).any (T.le final) = true)
    (onFinal : ∀ {s₁ s₂}, T.agree final s₁ s₂ → t.abi.SameVolatile (!c.sig.returns) s₁ s₂)
    (witness : t.HasWitness c constants) :
    Verified t ⟨features, code.lower, constants⟩ c := by
  have run {s l s'} (hs : t.Pre c constants s) (hr : t.isa.Runs ⟨features, code.lower, constants⟩ s l s') :
      t.isa.Run (t.publicRegions c constants s) (t.revealed c s) code s l s' ∧ t.Post c s s' := by
    obtain ⟨u, q, h, hq⟩ := correct s hs
    obtain ⟨rfl, rfl⟩ := hr.det (h.lower (Isa.permits_sound permits))
    exact ⟨h, hq⟩
  have sound {d d' s₁ s₂ l₁ l₂ s₁' s₂'} (hd : T.check code d = some d') (h₁ : t.Pre c constants s₁)
      (h₂ : t.Pre c constants s₂) (hp : t.SamePublic c s₁ s₂) (ha : T.agree d s₁ s₂) 
      (r₁ : t.isa.Runs ⟨features, code.lower, constants⟩ s₁ l₁ s₁')
      (r₂ : t.isa.Runs ⟨features, code.lower, constants⟩ s₂ l₂ s₂') : l₁ = l₂ ∧ T.agree d' s₁' s₂' := by
    have q₂ := (run h₂ r₂).1
    rw [← hp.publicRegions, ← show t.revealed c s₁ = t.revealed c s₂ from hp.declassified] at q₂
    have ⟨e, h⟩ := Taint.check_sound hd ⟨ha, hp.memAgree h₁ h₂⟩ (run h₁ r₁).1 q₂
    exact ⟨e, h.1⟩
  exact {
    terminates := fun hs =>
      let ⟨l, s', h, _⟩ := correct _ hs
      ⟨l, s', h.lower (Isa.permits_sound permits)⟩
    result := fun hs hr => ⟨(run hs hr).2.result, (run hs hr).2.narrow⟩
    frame := fun hs hr => (run hs hr).2.frame
    abi := fun hs hr => (run hs hr).2.abi
    constantTime := fun h₁ h₂ hp r₁ r₂ =>
      let ⟨_, hd⟩ := Option.isSome_iff_exists.1 constantTime
      (sound hd h₁ h₂ hp (onInputs hp) r₁ r₂).1
    noResidue := fun h₁ h₂ hp hv _ r₁ r₂ => by
      obtain ⟨d', hd, hf⟩ := (Option.any_eq_true ..).1 noResidue
      refine ⟨onFinal (T.le_sound hf (sound hd h₁ h₂ hp (onVolatile hp hv) r₁ r₂).2), ?_⟩
      obtain simple | cleared := cleared
      · exact Target.sameScratch simple _ _
      have zeros {s l s'} (hs : t.Pre c constants s) (hr : t.isa.Runs ⟨features, code.lower, constants⟩ s l s') :
          t.Cleared c s s' := by
        obtain ⟨u, q, h, hq⟩ := cleared s hs
        obtain ⟨rfl, rfl⟩ := hr.det (h.lower (Isa.permits_sound permits))
        exact hq
      intro b hb hr
      rw [zeros h₁ r₁ b hb hr, zeros h₂ r₂ b (hp.scratch hb hr) hr]
    witness := witness }

end TCB
