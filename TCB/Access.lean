import TCB.Mem

/-!
# Memory accesses

What a running kernel may touch, when an access faults, and what an observer sees of it.
-/

set_option autoImplicit false
namespace TCB

/-- What an observer of the machine sees: branch outcomes, and addresses and sizes of accesses, never contents. -/
inductive Event where
  | branch (taken : Bool)
  | load (a : Addr) (n : Nat)
  | store (a : Addr) (n : Nat)
  deriving DecidableEq

/-- The leakage of a run, oldest event first. -/
abbrev Trace := List Event

/-- The memory of a running kernel: its contents, the regions that the kernel may touch, and where its code and its constants
lie. Only the contents change. -/
structure Memory where
  bytes : Mem
  /-- Where the kernel may load. -/
  readable : List Region
  /-- Where the kernel may store. -/
  writable : List Region
  /-- Where the code of the kernel lies. -/
  code : Region
  /-- Where the table of constants of the kernel begins, if it has one. -/
  constants : Addr := 0

namespace Memory

/-- Where the given table of constants lies; an empty one is none. -/
def table (m : Memory) : List Byte → List Region
  | [] => []
  | bs => [⟨m.constants, bs.length⟩]

/-- Loading `n` bytes from `a` faults unless they lie in one readable region. -/
def load (m : Memory) (a : Addr) (n : Nat) : Option (List Byte × Trace) :=
  if covered m.readable a n then some (bytesAt m.bytes a n, [.load a n]) else none

/-- Storing bytes at `a` faults unless they lie in one writable region. -/
def store (m : Memory) (a : Addr) (bs : List Byte) : Option (Memory × Trace) :=
  if covered m.writable a bs.length then
    some ({ m with bytes := writeBytes m.bytes a bs }, [.store a bs.length])
  else none

end Memory
end TCB
