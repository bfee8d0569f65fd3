/-!
# Random and edge values

Deterministic, so that a failure can be run again from its seed.
-/

set_option autoImplicit false
namespace Emitter.Cosim

/-- The state of the generator SplitMix64 (Steele, Lea and Flood, 2014). -/
structure Rng where
  state : UInt64

/-- A computation that draws random numbers. -/
abbrev Rand := StateM Rng

/-- 64 random bits. -/
def word : Rand UInt64 := fun g =>
  let s := g.state + 0x9e3779b97f4a7c15
  let z := (s ^^^ (s >>> 30)) * 0xbf58476d1ce4e5b9
  let z := (z ^^^ (z >>> 27)) * 0x94d049bb133111eb
  (z ^^^ (z >>> 31), ⟨s⟩)

/-- A number below `n`. -/
def below (n : Nat) : Rand Nat := return ((← word) >>> 33).toNat % n

/-- An element, if there is one. -/
def oneOf {α : Type} [Inhabited α] (xs : Array α) : Rand α := return xs[← below xs.size]!

/-- Random bits. -/
def bits (n : Nat) : Rand Nat := do
  let mut v := 0
  for _ in [0 : (n + 63) / 64] do v := v <<< 64 ||| (← word).toNat
  return v % 2 ^ n

/-- Words at the borders of 8, 16, 32 and 64 bits, and the patterns of zero, denormal, infinite and other odd floats. -/
def edges : Array Nat := #[
  0, 1, 2, 0xf, 0x10, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
  0xffffffff00000000, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xffffffffffffff80, 0xfffffffffffffffe,
  0xffffffffffffffff, 0xffffffff7fffffff, 0xffffffff80000000,
  -- denormal in both halves, the largest denormal, the smallest normal, infinity, a quiet and a signalling NaN
  0x0000000100000001, 0x000fffffffffffff, 0x0010000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
  0x007fffff807fffff, 0x7f8000017fc00000]

/-- A word of `n` bits: random, an edge, or near to another. -/
def wordNear (n other : Nat) : Rand Nat := do
  let top := 2 ^ n
  match ← below 10 with
  | 0 | 1 => return (← oneOf edges) % top
  | 2 => return other % top
  | 3 => return (other + 1) % top
  | 4 => return (other + top - 1) % top
  | 5 => return (top - other % top) % top
  | 6 => return top - 1 - other % top
  | 7 => below 256
  | _ => bits n

/-- A vector of `n` bits: random, of edges, all zeros, all ones, or another or its complement. -/
def vectorNear (n other : Nat) : Rand Nat := do
  match ← below 8 with
  | 0 =>
    let mut v := 0
    for _ in [0 : n / 64] do v := v <<< 64 ||| (← oneOf edges)
    return v
  | 1 => return 0
  | 2 => return 2 ^ n - 1
  | 3 => return other
  | 4 => return 2 ^ n - 1 - other
  | _ => bits n

end Emitter.Cosim
