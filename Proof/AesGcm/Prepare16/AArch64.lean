import Impl.AesGcm.Prepare16.AArch64
import Proof.AArch64.Verified
import Proof.AArch64.Witness
import Proof.AesGcm.Prepare16.Powers
import Proof.Ghash.AArch64

/-!
# The powers of the hash subkey on AArch64, verified

Every group of products is one evaluation of the symbolic evaluator.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16.AArch64
open TCB TCB.AArch64 SymExec Spec.AesGcm Spec.AesGcm.Prepare16 Proof.Gf2 Proof.Ghash.AArch64
open Impl.AesGcm.Prepare16.AArch64 Impl.Ghash.AArch64

/-! ## Symbolic values -/

/-- The product of stored keys, by way of the first with its halves exchanged. -/
def dotE (a b : VecExpr) : VecExpr :=
  foldE (mulE false a b) (xorE (mulE false (swapE a) b) (mulE true (swapE a) b)) (mulE true a b)

/-- `H^p` as a product with `H^n`. -/
def powerE (n p : Nat) : VecExpr := dotE (.load 0 (place n)) (.load 0 (place (p - n)))

/-- The context at `x0`. -/
def layout : Layout := { areas := [{ len := 1024, writes := true }], ptrs := [(0, 0, 0)] }

/-- The powers `ps` are stored, and register 31 is as it was. -/
def outcome (f : Nat → VecExpr) (ps : List Nat) : Outcome VecUn SymBin := { vec := keptE saved ++ keptE [31], mem := runs f ps }

/-! ## Groups of products -/

section
variable {f : Nat → VecExpr} {ps : List Nat} {s s₀ : State} {a b : VecExpr} {base : Nat → Addr}

/-- The product is one. -/
theorem dotE_at (hc : HasConstant s) :
    (dotE a b).at base view s = dot (a.at base view s) (b.at base view s) := by
  have swap (high : Bool) (a b : BitVec 128) : pclmul high high (swap64 a) b = pclmul (!high) high a b := by
    cases high <;> simp [pclmul, half]
  rw [dotE, foldE_at hc, dot, ← foldLazy_eq, school]
  simp only [mulE_at, xorE_at, swapE_at, swap, Bool.not_true, Bool.not_false]

/-- The first `n` powers are stored, and nothing else has changed since `s₀`. -/
structure After (s₀ : State) (n : Nat) (s : State) : Prop where
  keeps : Keeps [] s₀ s
  powers : Powers (s₀.gpr .x0) s₀.memory n s.memory
  constant : HasConstant s

variable {m n m' : Nat} {is : List Instr} {pub : List Region}
  (hr : Within s₀.memory.readable ⟨s₀.gpr .x0, 1024⟩) (hw : Within s₀.memory.writable ⟨s₀.gpr .x0, 1024⟩)
include hr hw

/-- More powers are stored. -/
theorem group_ok (hc : machine.check layout is (outcome f ps) = true) (hps : ∀ p ∈ ps, 1 ≤ p ∧ p ≤ 16)
    (all : ∀ p, 1 ≤ p → p ≤ n → p ≤ m ∨ p ∈ ps) (hn : n ≤ 16) (a : After s₀ m s)
    (hf : ∀ p ∈ ps, (f p).at (fun _ => s₀.gpr .x0) view s =
      twist (pow (Context.subkey s₀.memory.bytes (s₀.gpr .x0)) p)) :
    isa.Wp pub (.block is) (After s₀ n) s := by
  have holds : layout.Holds view (fun _ => s₀.gpr .x0) s := {
    ptrs := fun p hp => by
      obtain rfl := List.mem_singleton.1 hp
      exact (a.keeps.gpr .x0 List.not_mem_nil).trans (BitVec.add_zero _).symm
    small := ⟨by decide, trivial⟩
    reads := ⟨fun _ => by simp only [view]; rw [a.powers.regions]; exact hr, trivial⟩
    writes := ⟨fun _ => by simp only [view]; rw [a.powers.regions]; exact hw, trivial⟩
    apart := ⟨⟨nofun, trivial⟩, trivial⟩ }
  exact machine.wp _ holds hc fun s' e => ⟨a.keeps.trans (keeps_of_ends e [] rfl rfl),
    a.powers.add (V := view) e.memory hps all hn hf, a.constant.of_lane (e.vec (r := 31) rfl 0)⟩

/-- Products with `H^n`. -/
theorem products_ok (hc : machine.check layout is (outcome (powerE n) ps) = true)
    (hps : ps.all (fun p => decide (n < p) && decide (p ≤ 16) && decide (p - n ≤ m)) = true) (hn : 1 ≤ n ∧ n ≤ m)
    (hm : m' ≤ 16) (all : ∀ p, p < 17 → p ≤ m' → p ≤ m ∨ p ∈ ps) (a : After s₀ m s) :
    isa.Wp pub (.block is) (After s₀ m') s := by
  simp only [List.all_eq_true, Bool.and_eq_true, decide_eq_true_eq] at hps
  refine group_ok hr hw hc (fun p hp => ?_) (fun p _ h => all p (by omega) h) hm a fun p hp => ?_
  · have := hps p hp; omega
  · have h := hps p hp
    rw [powerE, dotE_at a.constant]
    exact a.powers.dot hn ⟨h.1.1, h.2⟩

/-- The first power. -/
theorem first_ok (a : After s₀ 0 s) : isa.Wp pub (.block first) (After s₀ 1) s := by
  refine group_ok (f := fun _ => .load 0 240) (ps := [1]) hr hw (by decide +kernel) (by decide)
    (fun p h1 h2 => .inr (by rw [show p = 1 by omega]; exact .head _)) (by decide) a fun p hp => ?_
  rw [List.mem_singleton.1 hp]
  exact a.powers.subkey

end

/-! ## The kernel -/

/-- The kernel meets the functional part of the contract. -/
theorem correct (s : State) (h : target.Pre contract [] s) :
    isa.Wp (target.publicRegions contract [] s) code (target.Post contract s) s := by
  obtain ⟨hr, hw⟩ := pre_of target h
  have start {s₁ : State} (keeps : Keeps [] s s₁) (hm : s₁.memory = s.memory) (hc : HasConstant s₁) : After s 0 s₁ :=
    ⟨keeps, by rw [hm]; exact .zero _, hc⟩
  refine .seq (constant_ok.mono fun s₁ ⟨k₁, m₁, c₁⟩ => .seq ((first_ok hr hw (start k₁ m₁ c₁)).mono fun _ a => .seq ?_))
  refine (products_ok (n := 1) (ps := [2]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 2) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (n := 2) (ps := [3, 4]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 4) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (n := 4) (ps := [5, 6, 7, 8]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 8) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (n := 8) (ps := [9, 10, 11, 12]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 12) (by decide) (by decide) a).mono fun _ a => .seq ?_
  refine (products_ok (n := 8) (ps := [13, 14, 15, 16]) hr hw (by decide +kernel) (by decide) (by decide)
    (m' := 16) (by decide) (by decide) a).mono fun s₂ a => ?_
  refine (clear_ok (by decide +kernel)).mono fun s' ⟨keeps, hm⟩ => ?_
  have keeps := a.keeps.trans keeps
  have powers : Powers (s.gpr .x0) s.memory 16 s'.memory := by rw [hm]; exact a.powers
  exact ⟨result_of target (s := s) (s' := s') powers.frame powers.stored, nofun,
    written16 target (s := s) (s' := s') powers.frame, fun r _ => keeps.gpr r List.not_mem_nil,
    fun r hr => by rw [keeps.vec r hr], keeps.control⟩

/-- The witness. -/
theorem witness : target.HasWitness contract [] :=
  witness_of values (fun _ => 0) (fun _ => 1) (by decide) (by decide +kernel) (fun _ _ _ _ _ => (by decide : (0 : Byte) ≠ 1))
    nofun rfl

/-- The kernel meets its contract. -/
theorem verified : Verified target program contract :=
  AArch64.Verified.of_code (permits := by decide +kernel) (simple := by decide +kernel) (correct := correct)
    (constantTime := by decide +kernel) (noResidue := by decide +kernel) (witness := witness)

end Proof.AesGcm.Prepare16.AArch64
