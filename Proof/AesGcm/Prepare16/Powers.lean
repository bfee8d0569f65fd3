import Proof.AesGcm.Prepare16.Contract
import Proof.Framework.SymExec.Wp

/-!
# The powers of the hash subkey: groups of products

Every group of products stores some powers. The powers that memory holds are the invariant between the groups, on every target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16
open TCB SymExec Spec.AesGcm Proof.Gf2 Impl.Ghash

variable {S R U B : Type} [Ops U B] {V : View S R} {s : S} {ctx : Addr} {f : Nat → Expr U B} {ps : List Nat}

/-- What is stored for the powers `ps`. -/
def runs (f : Nat → Expr U B) (ps : List Nat) : List (Nat × Nat × List (Expr U B)) := ps.map fun p => (0, place p, [f p])

/-- The word of the context where one was stored. -/
theorem word_writeBytes (m : Mem) (v : BitVec 128) {p q : Nat} (hp : 1 ≤ p ∧ p ≤ 16) (hq : 1 ≤ q ∧ q ≤ 16) :
    Context.word (writeBytes m (ctx + BitVec.ofNat 64 (place p)) (laneBytes [v])) ctx (place q) =
      if q = p then v else Context.word m ctx (place q) := by
  have one : laneBytes [v] = toBytes 16 v := by simp [laneBytes]
  have h := bytesAt_writeBytes_same m (ctx + BitVec.ofNat 64 (place p)) (bs := toBytes 16 v) (by simp)
  rw [length_toBytes] at h
  rw [one, Context.word, Context.word]
  split
  · subst q; rw [h, ofBytes_toBytes _ (by decide)]
  · rw [bytesAt_writeBytes_disjoint _ (by decide)]
    intro x ⟨hx, hy⟩
    simp only [Region.Contains, length_toBytes, offset, place] at hx hy
    bv_omega

/-- The words of the context after all stores. -/
theorem word_runs (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16) (m : Mem) {q : Nat} (hq : 1 ≤ q ∧ q ≤ 16) :
    Context.word (writeRuns (fun _ => ctx) V s (runs f ps) m) ctx (place q) =
      if q ∈ ps then (f q).at (fun _ => ctx) V s else Context.word m ctx (place q) := by
  induction ps generalizing m with
  | nil => rfl
  | cons p ps ih =>
    simp only [runs, List.map_cons, List.map_nil, writeRuns] at ih ⊢
    rw [ih (fun r hr => hps r (.tail _ hr)), word_writeBytes m _ (hps p (.head _)) hq]
    simp only [List.mem_cons]
    by_cases h : q ∈ ps
    · simp [h]
    · by_cases e : q = p
      · subst e; simp [h]
      · simp [h, e]

/-- Nothing else changes. -/
theorem frame_runs (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16) (m : Mem) :
    Frame ctx m (writeRuns (fun _ => ctx) V s (runs f ps) m) := by
  induction ps generalizing m with
  | nil => exact fun _ _ => rfl
  | cons p ps ih =>
    have hp := hps p (.head _)
    intro x hx
    rw [runs, List.map_cons, writeRuns, ← runs, ih (fun r hr => hps r (.tail _ hr)) _ x hx]
    refine writeBytes_outside _ _ _ x ?_
    simp only [laneBytes, List.map_cons, List.map_nil, List.flatMap_cons, List.flatMap_nil, List.append_nil, length_toBytes]
    simp only [offset, place] at *
    bv_omega

/-- The first `n` powers are stored, and nothing else has changed since the memory was `m₀`. -/
structure Powers (ctx : Addr) (m₀ : Memory) (n : Nat) (m : Memory) : Prop where
  regions : m = m₀.set m.bytes
  frame : Frame ctx m₀.bytes m.bytes
  stored : Stored (Context.subkey m₀.bytes ctx) ctx n m.bytes

namespace Powers
variable {m₀ m m' : Memory} {k n p : Nat}

/-- No power is stored yet. -/
theorem zero (m : Memory) : Powers ctx m 0 m := ⟨rfl, fun _ _ => rfl, fun p h1 h2 => by omega⟩

/-- More powers are stored. -/
theorem add (a : Powers ctx m₀ k (V.memory s))
    (hm : m' = (V.memory s).set (writeRuns (fun _ => ctx) V s (runs f ps) (V.memory s).bytes))
    (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16) (all : ∀ p, 1 ≤ p → p ≤ n → p ≤ k ∨ p ∈ ps) (hn : n ≤ 16)
    (hf : ∀ p ∈ ps, (f p).at (fun _ => ctx) V s = twist (pow (Context.subkey m₀.bytes ctx) p)) : Powers ctx m₀ n m' := by
  have hb := congrArg Memory.bytes hm
  simp only [Memory.bytes_set] at hb
  refine ⟨?_, fun x hx => ?_, fun p h1 h2 => ?_⟩
  · rw [hb, hm, a.regions]; rfl
  · rw [hb, frame_runs hps _ x hx, a.frame x hx]
  · rw [hb, word_runs hps _ ⟨h1, by omega⟩]
    split
    · exact hf p ‹_›
    · exact a.stored p h1 ((all p h1 h2).resolve_right ‹_›)

/-- The product of two powers. -/
theorem dot (a : Powers ctx m₀ k m) (hn : 1 ≤ n ∧ n ≤ k) (hp : n < p ∧ p - n ≤ k) :
    Gf2.dot (Context.word m.bytes ctx (place n)) (Context.word m.bytes ctx (place (p - n))) =
      twist (pow (Context.subkey m₀.bytes ctx) p) := by
  rw [a.stored n hn.1 hn.2, a.stored (p - n) (by omega) hp.2, dot_twist_pow, Nat.add_sub_cancel' (Nat.le_of_lt hp.1)]

/-- The hash subkey is the first power. -/
theorem subkey (a : Powers ctx m₀ k m) : Context.word m.bytes ctx 240 = twist (pow (Context.subkey m₀.bytes ctx) 1) := by
  rw [pow_one, ← word_subkey]
  exact congrArg (ofBytes 128) (a.frame.below 240 16 (by decide))

end Powers
end Proof.AesGcm.Prepare16
