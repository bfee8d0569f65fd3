import Impl.AesGcm.Prepare16.X86_64
import Proof.AesGcm.Prepare16.Contract
import Proof.Ghash.X86_64
import Proof.X86_64.Verified

/-!
# Groups of products on x86-64

Every group of products is one evaluation of the symbolic evaluator; the stored powers in memory are the invariant between
the groups.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16.X86_64
open TCB TCB.X86_64 SymExec Spec.AesGcm Spec.AesGcm.Prepare16 Proof.Gf2 Proof.Ghash.X86_64
open Impl.AesGcm.Prepare16.X86_64 Impl.Ghash.X86_64

/-! ## Groups of products -/

/-- The context at `rdi`. -/
def layout : Layout := { areas := [{ len := 1024, writes := true }], ptrs := [(7, 0, 0)] }

/-- What is stored for the powers `ps`. -/
def runs (f : Nat → VecExpr) (ps : List Nat) : List (Nat × Nat × List VecExpr) := ps.map fun p => (0, place p, [f p])

/-- The powers `ps` are stored, and register 15 is as it was. -/
def outcome (f : Nat → VecExpr) (ps : List Nat) : Outcome VecUn VecBin :=
  { vec := [(15, [.reg 15 0, .reg 15 1, .reg 15 2, .reg 15 3])], mem := runs f ps }

/-- `H^p` as a product with `H^n`, for a register of so many lanes. -/
def powerE (lanes n j p : Nat) : VecExpr :=
  dotE (.reg 15 (lanes - 1 - (p - (n + j + 1)) % lanes)) (.load 0 (place n)) (.load 0 (place (p - n)))

section
variable {f : Nat → VecExpr} {ps : List Nat} {s s' s₀ : State} {ctx : Addr}

/-- The word of the context where one was stored. -/
theorem word_writeBytes (m : Mem) (v : BitVec 128) {p q : Nat} (hp : 1 ≤ p ∧ p ≤ 16) (hq : 1 ≤ q ∧ q ≤ 16) :
    Context.word (writeBytes m (ctx + BitVec.ofNat 64 (place p)) (laneBytes [v])) ctx (place q) =
      if q = p then v else Context.word m ctx (place q) := by
  have one : laneBytes [v] = toBytes 16 v := by simp [laneBytes]
  have h := bytesAt_writeBytes_same m (ctx + BitVec.ofNat 64 (place p)) (bs := toBytes 16 v) (by simp)
  rw [length_toBytes] at h
  rw [one, Context.word, Context.word]
  split
  · subst q; rw [h, ofBytes_toBytes]
  · rw [bytesAt_writeBytes_disjoint _ (by decide)]
    intro x ⟨hx, hy⟩
    simp only [Region.Contains, length_toBytes, offset, place] at hx hy
    bv_omega

/-- The words of the context after all stores. -/
theorem word_runs (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16) (m : Mem) {q : Nat} (hq : 1 ≤ q ∧ q ≤ 16) :
    Context.word (writeRuns (fun _ => ctx) view s (runs f ps) m) ctx (place q) =
      if q ∈ ps then (f q).at (fun _ => ctx) view s else Context.word m ctx (place q) := by
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
    Frame ctx m (writeRuns (fun _ => ctx) view s (runs f ps) m) := by
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

/-- The first `n` powers are stored, and nothing else has changed since `s₀`. -/
structure After (lanes : Nat) (ctx : Addr) (s₀ : State) (n : Nat) (s : State) : Prop where
  keeps : Keeps [.rax] s₀ s
  rdi : s.gpr .rdi = ctx
  memory : s.memory = s₀.memory.set s.memory.bytes
  frame : Frame ctx s₀.memory.bytes s.memory.bytes
  stored : Stored (Context.subkey s₀.memory.bytes ctx) ctx n s.memory.bytes
  constant : HasConstant lanes s

/-- The value of a word of the context. -/
theorem load_at (off : Nat) : (Expr.load 0 off : VecExpr).at (fun _ => ctx) view s = Context.word s.memory.bytes ctx off := (rfl)

variable {lanes m n : Nat} {is : List Instr} {pub : List Region}
  (hr : Within s₀.memory.readable ⟨ctx, 1024⟩) (hw : Within s₀.memory.writable ⟨ctx, 1024⟩)
include hr hw

/-- More powers are stored. -/
theorem group_ok (hc : machine.check layout is (outcome f ps) = true) (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16)
    (all : ∀ p, 1 ≤ p → p ≤ n → p ≤ m ∨ p ∈ ps) (hn : n ≤ 16) (a : After lanes ctx s₀ m s)
    (hf : ∀ p ∈ ps, (f p).at (fun _ => ctx) view s = twist (pow (Context.subkey s₀.memory.bytes ctx) p)) :
    isa.Wp pub (.block is) (After lanes ctx s₀ n) s := by
  have holds : layout.Holds view (fun _ => ctx) s := {
    ptrs := fun p hp => by
      obtain rfl := List.mem_singleton.1 hp
      simpa [view, regOf] using a.rdi
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view]; rw [a.memory]; exact hr, trivial⟩
    writes := ⟨fun _ => by simp only [view]; rw [a.memory]; exact hw, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds hc fun s' e => ?_
  have keeps := Aes.X86_64.keeps_of_ends e [] rfl
  have hm : s'.memory = s.memory.set (writeRuns (fun _ => ctx) view s (runs f ps) s.memory.bytes) := e.memory
  have hb := congrArg Memory.bytes hm
  simp only [Memory.bytes_set] at hb
  refine ⟨a.keeps.trans (keeps.mono (List.nil_subset _)), (keeps.gpr _ (List.not_mem_nil)).trans a.rdi, ?_, ?_, ?_, ?_⟩
  · rw [hb, hm, a.memory]; rfl
  · intro x hx
    rw [hb, frame_runs hps _ x hx, a.frame x hx]
  · intro p h1 h2
    rw [hb, word_runs hps _ ⟨h1, by omega⟩]
    split
    · exact hf p ‹_›
    · exact a.stored p h1 ((all p h1 h2).resolve_right ‹_›)
  · intro i hi
    have same := e.vec (r := 15) rfl i
    rw [same]
    have := a.constant i hi
    rcases i with _ | _ | _ | _ | i
    · exact this
    · exact this
    · exact this
    · exact this
    · rw [machine.lane_zero s 15 (i + 4) (by show 4 ≤ i + 4; omega)] at this
      exact this

/-- Products with `H^n`. -/
theorem products_ok {l : Nat} {ps : List Nat} {j : Nat} (hc : machine.check layout is (outcome (powerE l n j) ps) = true)
    (hps : ps.all (fun p => decide (n < p) && decide (p ≤ 16) && decide (p - n ≤ m)) = true) (hn : 1 ≤ n ∧ n ≤ m) {m' : Nat}
    (hm : m' ≤ 16) (all : ∀ p, p < 17 → p ≤ m' → p ≤ m ∨ p ∈ ps) (hl : 0 < l ∧ l ≤ lanes) (a : After lanes ctx s₀ m s) :
    isa.Wp pub (.block is) (After lanes ctx s₀ m') s := by
  simp only [List.all_eq_true, Bool.and_eq_true, decide_eq_true_eq] at hps
  refine group_ok hr hw hc (fun p hp => ?_) (fun p _ h => all p (by omega) h) hm a fun p hp => ?_
  · have := hps p hp; omega
  · have h := hps p hp
    have hc : half false ((Expr.reg 15 (l - 1 - (p - (n + j + 1)) % l) : VecExpr).at (fun _ => ctx) view s) = poly :=
      a.constant (l - 1 - (p - (n + j + 1)) % l) (by omega)
    rw [powerE, dotE_at hc, load_at, load_at]
    have := dot_twist_pow (Context.subkey s₀.memory.bytes ctx) n (p - n)
    rw [← a.stored n hn.1 hn.2, ← a.stored (p - n) (by omega) h.2, Nat.add_sub_cancel' (by omega)] at this
    exact this

/-- The first power. -/
theorem first_ok (a : After lanes ctx s₀ 0 s) : isa.Wp pub (.block first) (After lanes ctx s₀ 1) s := by
  refine group_ok (f := fun _ => .load 0 240) (ps := [1]) hr hw (by decide +kernel) (by decide)
    (fun p h1 h2 => .inr (by rw [show p = 1 by omega]; exact .head _)) (by decide) a fun p hp => ?_
  rw [List.mem_singleton.1 hp, pow_one, ← word_subkey]
  exact congrArg (ofBytes 128) (a.frame.below 240 16 (by decide))

end

/-- What is left to say at the end. -/
theorem post_of {lanes : Nat} {s s' : State} (a : After lanes (s.gpr .rdi) s 16 s') : target.Post contract s s' :=
  ⟨result_of target (s := s) (s' := s') a.frame a.stored, nofun, written16 target (s := s) (s' := s') a.frame,
    fun r hr => a.keeps.gpr r (by revert r; decide), a.keeps.df, a.keeps.mxcsr⟩

/-- The constant is loaded, and nothing else has changed. -/
theorem start_ok {pub : List Region} {s : State} :
    isa.Wp pub (.block constant) (After 1 (s.gpr .rdi) s 0) s :=
  constant_ok.mono fun s' ⟨keeps, hm, hc⟩ => ⟨keeps, keeps.gpr _ (by decide), by rw [hm]; rfl, by rw [hm]; exact fun _ _ => rfl,
    fun p h1 h2 => by omega, hc⟩

/-- The registers are cleared. -/
theorem end_ok {pub : List Region} {s s₀ : State} {lanes : Nat} (a : After lanes (s₀.gpr .rdi) s₀ 16 s) :
    isa.Wp pub (.block (clear (List.range 16))) (target.Post contract s₀) s :=
  (clear_ok (by decide +kernel)).mono fun s' ⟨keeps, hm⟩ => post_of (lanes := 0)
    ⟨a.keeps.trans (keeps.mono (List.nil_subset _)), (keeps.gpr _ (List.not_mem_nil)).trans a.rdi, by rw [hm]; exact a.memory,
      by rw [hm]; exact a.frame, by rw [hm]; exact a.stored, fun i hi => absurd hi (by omega)⟩

end Proof.AesGcm.Prepare16.X86_64
