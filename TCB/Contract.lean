import TCB.Abi
import TCB.Sig

/-!
# What "verified" means

A contract says what a kernel does, for every architecture. `Verified` says that a program meets a contract.
-/

set_option autoImplicit false
namespace TCB

/-- A requirement on the arguments and the memory on entry, and how the documentation of the kernel says it. -/
structure Requirement where
  text : String
  Holds : Args → Mem → Prop

/-- What a kernel promises. -/
structure Contract where
  /-- What the kernel does, for its documentation. -/
  summary : String
  sig : Sig
  /-- What a caller must ensure beyond what the signature says. -/
  requires : List Requirement
  /-- The result: arguments, memory on entry, memory on return, returned value. -/
  Ensures : Args → Mem → Mem → BitVec 64 → Prop
  /-- The only bytes that may change: for each buffer by its name, the length of a prefix. -/
  writtenWithin : List (String × Extent)
  /-- What a run may reveal beyond its public inputs (in terms of Spec). -/
  declassifies : Args → Mem → List (BitVec 64) := fun _ _ => []

/-- All names in the contract are names of parameters or fields. -/
def Contract.wellFormed (c : Contract) : Bool :=
  c.sig.wellFormed && c.writtenWithin.all fun w => c.sig.knows (.arg w.1) && c.sig.knows w.2

variable {S I C F : Type}

namespace Target
variable (t : Target S I C F) (c : Contract)

/-- The contents of memory in a state. -/
def mem (s : S) : Mem := (t.abi.memory s).bytes

/-- The arguments in a state on entry. -/
def args (s : S) : Args := c.sig.args (t.abi.arg s) (t.mem s)

/-- The precondition of a contract, for a program with the given table of constants. -/
structure Pre (constants : List Byte) (s : S) : Prop where
  entry : c.sig.Entry constants (t.args c s) (t.abi.memory s) (t.abi.reserved s)
  requires : ∀ r ∈ c.requires, r.Holds (t.args c s) (t.mem s)

/-- The two states agree on the public inputs, on where the table of constants lies, and on what the contract declassifies. -/
structure SamePublic (s₁ s₂ : S) : Prop where
  args : ∀ i, i < c.sig.params.length → t.abi.arg s₁ i = t.abi.arg s₂ i
  contents : c.sig.SameContents (· = .publicInput) (t.args c s₁) (t.mem s₁) (t.mem s₂)
  constants : (t.abi.memory s₁).constants = (t.abi.memory s₂).constants
  declassified : c.declassifies (t.args c s₁) (t.mem s₁) = c.declassifies (t.args c s₂) (t.mem s₂)

/-- The two memories agree on the scratch buffers of a call that begins in `s`. -/
def SameScratch (s : S) (m₁ m₂ : Mem) : Prop :=
  ∀ b ∈ c.sig.buffers (t.args c s) (t.mem s), b.role = .scratch → b.region.bytes m₁ = b.region.bytes m₂

/-- The address `x` lies in the declared prefix of a buffer. -/
def MayChange (s : S) (x : Addr) : Prop :=
  ∃ w ∈ c.writtenWithin, (Region.mk (t.args c s w.1) (w.2.eval (t.args c s))).Contains x

end Target

/-- The program `p` meets the contract `c` on the target `t`. -/
structure Verified [DecidableEq F] (t : Target S I C F) (p : Program I C F) (c : Contract) : Prop where
  /-- 1. From every state that satisfies the precondition, the program ends without a fault. -/
  terminates : ∀ {s}, t.Pre c p.constants s → ∃ l s', t.isa.Runs p s l s'
  /-- 2. Then its result is what the contract says, and nothing else is in the register of the result. -/
  result : ∀ {s l s'}, t.Pre c p.constants s → t.isa.Runs p s l s' →
    c.Ensures (t.args c s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    (c.sig.returns = true → (t.abi.result s').toNat < 2 ^ 32)
  /-- 3. Every byte outside the declared prefixes is as it was. -/
  frame : ∀ {s l s'}, t.Pre c p.constants s → t.isa.Runs p s l s' → ∀ x, ¬ t.MayChange c s x → t.mem s' x = t.mem s x
  /-- 4. What the calling convention says a callee preserves is as it was. -/
  abi : ∀ {s l s'}, t.Pre c p.constants s → t.isa.Runs p s l s' → t.abi.Preserved s s'
  /-- 5. Constant time: two runs that agree on what is public leak the same, whatever else the registers, flags and memory
  hold. -/
  constantTime : ∀ {s₁ s₂ l₁ l₂ s₁' s₂'}, t.Pre c p.constants s₁ → t.Pre c p.constants s₂ → t.SamePublic c s₁ s₂ →
    t.isa.Runs p s₁ l₁ s₁' → t.isa.Runs p s₂ l₂ s₂' → l₁ = l₂
  /-- 6. No residue: if moreover all that is caller-saved, and scratch memory, are equal on entry, then they are equal on
  return, up to the result (what is callee-saved is as it was, by 4): nothing that depends on a secret is left behind. -/
  noResidue : ∀ {s₁ s₂ l₁ l₂ s₁' s₂'}, t.Pre c p.constants s₁ → t.Pre c p.constants s₂ → t.SamePublic c s₁ s₂ →
    t.abi.SameVolatile true s₁ s₂ → t.SameScratch c s₁ (t.mem s₁) (t.mem s₂) →
    t.isa.Runs p s₁ l₁ s₁' → t.isa.Runs p s₂ l₂ s₂' →
    t.abi.SameVolatile (!c.sig.returns) s₁' s₂' ∧ t.SameScratch c s₁ (t.mem s₁') (t.mem s₂')
  /-- 7. Not vacuous: two states satisfy the precondition, agree on what is public and differ in every secret byte, with no
  buffer empty and at least two slices in every list. -/
  witness : ∃ s₁ s₂, t.Pre c p.constants s₁ ∧ t.Pre c p.constants s₂ ∧ t.SamePublic c s₁ s₂ ∧
    c.sig.DifferInSecrets (t.args c s₁) (t.mem s₁) (t.mem s₂) ∧ c.sig.Substantial (t.args c s₁) (t.mem s₁)

end TCB
