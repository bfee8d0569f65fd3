import Impl.AesGcm.Prepare16.X86_64
import Proof.AesGcm.Prepare16.Powers
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

/-- The powers `ps` are stored, and register 15 is as it was. -/
def outcome (f : Nat → VecExpr) (ps : List Nat) : Outcome VecUn VecBin :=
  { vec := [(15, [.reg 15 0, .reg 15 1, .reg 15 2, .reg 15 3])], mem := runs f ps }

/-- `H^p` as a product with `H^n`, for a register of so many lanes. -/
def powerE (lanes n j p : Nat) : VecExpr :=
  dotE (.reg 15 (lanes - 1 - (p - (n + j + 1)) % lanes)) (.load 0 (place n)) (.load 0 (place (p - n)))

section
variable {f : Nat → VecExpr} {ps : List Nat} {s s' s₀ : State} {ctx : Addr}

/-- The first `n` powers are stored, and nothing else has changed since `s₀`. -/
structure After (lanes : Nat) (ctx : Addr) (s₀ : State) (n : Nat) (s : State) : Prop where
  keeps : Keeps [.rax] s₀ s
  rdi : s.gpr .rdi = ctx
  powers : Powers ctx s₀.memory n s.memory
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
    reads := ⟨fun _ => by simp only [view]; rw [a.powers.regions]; exact hr, trivial⟩
    writes := ⟨fun _ => by simp only [view]; rw [a.powers.regions]; exact hw, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  refine machine.wp _ holds hc fun s' e => ?_
  have keeps := Aes.X86_64.keeps_of_ends e [] rfl
  refine ⟨a.keeps.trans (keeps.mono (List.nil_subset _)), (keeps.gpr _ (List.not_mem_nil)).trans a.rdi,
    a.powers.add (V := view) e.memory hps all hn hf, fun i hi => ?_⟩
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
    exact a.powers.dot hn ⟨by omega, h.2⟩

/-- The first power. -/
theorem first_ok (a : After lanes ctx s₀ 0 s) : isa.Wp pub (.block first) (After lanes ctx s₀ 1) s := by
  refine group_ok (f := fun _ => .load 0 240) (ps := [1]) hr hw (by decide +kernel) (by decide)
    (fun p h1 h2 => .inr (by rw [show p = 1 by omega]; exact .head _)) (by decide) a fun p hp => ?_
  rw [List.mem_singleton.1 hp]
  exact a.powers.subkey

end

/-- What is left to say at the end. -/
theorem post_of {lanes : Nat} {s s' : State} (a : After lanes (s.gpr .rdi) s 16 s') : target.Post contract s s' :=
  ⟨result_of target (s := s) (s' := s') a.powers.frame a.powers.stored, nofun, written16 target (s := s) (s' := s') a.powers.frame,
    fun r hr => a.keeps.gpr r (by revert r; decide), a.keeps.df, a.keeps.mxcsr⟩

/-- The constant is loaded, and nothing else has changed. -/
theorem start_ok {pub : List Region} {s : State} :
    isa.Wp pub (.block constant) (After 1 (s.gpr .rdi) s 0) s :=
  constant_ok.mono fun s' ⟨keeps, hm, hc⟩ => ⟨keeps, keeps.gpr _ (by decide), by rw [hm]; exact .zero _, hc⟩

/-- The registers are cleared. -/
theorem end_ok {pub : List Region} {s s₀ : State} {lanes : Nat} (a : After lanes (s₀.gpr .rdi) s₀ 16 s) :
    isa.Wp pub (.block (clear (List.range 16))) (target.Post contract s₀) s :=
  (clear_ok (by decide +kernel)).mono fun s' ⟨keeps, hm⟩ => post_of (lanes := 0)
    ⟨a.keeps.trans (keeps.mono (List.nil_subset _)), (keeps.gpr _ (List.not_mem_nil)).trans a.rdi, by rw [hm]; exact a.powers,
      fun i hi => absurd hi (by omega)⟩

end Proof.AesGcm.Prepare16.X86_64
