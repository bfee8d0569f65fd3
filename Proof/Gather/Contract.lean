import Proof.Framework.Verified
import Proof.Gather.Mem

/-!
# Gathering: the contract

What the contract says in terms of registers and memory, its result from what the memory holds at the end, and its
witness, for every target.
-/

set_option autoImplicit false
namespace Proof.Gather
open TCB Spec.Gather

variable {S I C F : Type} (t : Target S I C F) {s s' : S}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m =
    ⟨"src", .publicInput, ⟨a "src", 16 * (a "count").toNat⟩⟩ ::
      ((slicesAt m (a "src") (a "count").toNat).map (fun r => ⟨"src", .input, r⟩) ++
        [⟨"dst", .output, ⟨a "dst", (a "len").toNat⟩⟩]) := rfl

/-- The list of slices is public. -/
theorem list_isPublic : ⟨t.abi.arg s 0, 16 * (t.abi.arg s 1).toNat⟩ ∈ t.publicRegions contract [] s := by
  rw [Target.publicRegions, buffers_eq]
  exact .head _

/-- What the precondition says. -/
theorem pre_of (h : t.Pre contract [] s) :
    Pre (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 2) (t.abi.arg s 1).toNat (t.abi.arg s 3).toNat := by
  obtain ⟨⟨readable, writable, fits, disjoint, _, _⟩, requires⟩ := h
  have slice : ∀ {k}, k < (t.abi.arg s 1).toNat → sliceAt (t.abi.memory s).bytes (t.abi.arg s 0) k ∈
      slicesAt (t.abi.memory s).bytes (t.abi.arg s 0) (t.abi.arg s 1).toNat := fun hk =>
    List.mem_map.2 ⟨_, List.mem_range.2 hk, rfl⟩
  rw [buffers_eq] at readable writable fits disjoint
  rw [List.pairwise_cons, List.pairwise_append] at disjoint
  constructor
  case countBound => exact (fits _ (.head _)).le
  case lenBound => exact BitVec.isLt _
  case list => rw [readable]; exact .head _
  case slice =>
    intro k hk
    rw [readable]
    exact List.mem_map.2 ⟨_, List.mem_filter.2 ⟨.tail _ (List.mem_append_left _ (List.mem_map.2 ⟨_, slice hk, rfl⟩)), rfl⟩, rfl⟩
  case room =>
    rw [writable]
    exact List.mem_map.2 ⟨⟨"dst", .output, _⟩, List.mem_filter.2 ⟨.tail _ (List.mem_append_right _ (.head _)), rfl⟩, rfl⟩
  case listApart => exact (disjoint.1 _ (List.mem_append_right _ (.head _)) (.inr rfl)).symm
  case sliceApart =>
    intro k hk
    exact (disjoint.2.2.2 _ (List.mem_map.2 ⟨_, slice hk, rfl⟩) _ (.head _) (.inr rfl)).symm
  case total => exact requires _ (.head _)

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract [] s)
    (hm : t.mem s' = after (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 2) (t.abi.arg s 1).toNat) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  have h := pre_of t h
  have length : (gathered (t.abi.memory s) (t.abi.arg s 0) (t.abi.arg s 1).toNat).length = (t.abi.arg s 3).toNat :=
    (length_gathered ..).trans h.total
  have bound := h.lenBound
  constructor
  · show bytesAt (t.mem s') (t.abi.arg s 2) (t.abi.arg s 3).toNat = gathered _ _ _
    rw [hm, after, ← length]
    exact bytesAt_writeBytes_same _ _ (by omega)
  · intro x hx
    rw [hm, after]
    refine writeBytes_outside _ _ _ x (Nat.not_lt.1 fun hl => hx ⟨("dst", .arg "len"), .head _, ?_⟩)
    rw [length] at hl
    exact hl

/-! ## The witness -/

namespace Witness

/-- Two slices, of 100 bytes at 0x2000 and of 5 at 0x3000, listed at 0x1000; all other memory holds `b`. -/
def mem (b : Byte) : Mem := writeBytes (fun _ => b) 0x1000
  (toBytes 8 (0x2000 : BitVec 64) ++ toBytes 8 (100 : BitVec 64) ++ toBytes 8 (0x3000 : BitVec 64) ++ toBytes 8 (5 : BitVec 64))

/-- The kernel may read the list and the slices and write 105 bytes at 0x4000. -/
def memory (b : Byte) : Memory where
  bytes := mem b
  readable := [⟨0x1000, 32⟩, ⟨0x2000, 100⟩, ⟨0x3000, 5⟩]
  writable := [⟨0x4000, 105⟩]
  code := ⟨0x6000, 0x1000⟩

/-- The arguments. -/
def arg : Nat → BitVec 64
  | 0 => 0x1000
  | 1 => 2
  | 2 => 0x4000
  | 3 => 105
  | _ => 0

/-- The slices. -/
theorem slices_eq (b : Byte) (hb : b = 0 ∨ b = 1) : slicesAt (mem b) 0x1000 2 = [⟨0x2000, 100⟩, ⟨0x3000, 5⟩] := by
  obtain rfl | rfl := hb <;> decide +kernel

variable {t} {state : Byte → S} (harg : ∀ b i, t.abi.arg (state b) i = arg i) (hmem : ∀ b, t.abi.memory (state b) = memory b)
include harg hmem

/-- The buffers of the witness. -/
theorem buffers (b : Byte) (hb : b = 0 ∨ b = 1) :
    contract.sig.buffers (t.args contract (state b)) (t.mem (state b)) =
      [⟨"src", .publicInput, ⟨0x1000, 32⟩⟩, ⟨"src", .input, ⟨0x2000, 100⟩⟩, ⟨"src", .input, ⟨0x3000, 5⟩⟩,
        ⟨"dst", .output, ⟨0x4000, 105⟩⟩] := by
  have src : t.args contract (state b) "src" = 0x1000 := harg b 0
  have count : t.args contract (state b) "count" = 2 := harg b 1
  have dst : t.args contract (state b) "dst" = 0x4000 := harg b 2
  have len : t.args contract (state b) "len" = 105 := harg b 3
  rw [buffers_eq, src, count, dst, len, Target.mem, hmem]
  exact congrArg (fun l => _ :: (List.map _ l ++ _)) (slices_eq b hb)

/-- The witness satisfies the precondition. -/
theorem pre (b : Byte) (hb : b = 0 ∨ b = 1) (hres : ∀ r ∈ t.abi.reserved (state b), (Region.mk 0x4000 105).Disjoint r) :
    t.Pre contract [] (state b) := by
  have hbuf := buffers harg hmem b hb
  rw [Target.mem] at hbuf
  refine ⟨⟨?_, ?_, ?_, ?_, ?_, nofun⟩, ?_⟩
  · rw [hbuf, hmem]; rfl
  · rw [hbuf, hmem]; rfl
  · rw [hbuf]; simp [Region.Fits]
  · rw [hbuf]
    have apart : ∀ r : Region, r.base.toNat + r.len ≤ 0x4000 → r.Disjoint ⟨0x4000, 105⟩ := fun r hr =>
      Region.disjoint_of_lt hr (by simp [Region.Fits])
    have h1 := apart ⟨0x1000, 32⟩ (by decide)
    have h2 := apart ⟨0x2000, 100⟩ (by decide)
    have h3 := apart ⟨0x3000, 5⟩ (by decide)
    simpa [Role.writes] using ⟨h1, h2, h3⟩
  · rw [hbuf, hmem]
    intro b hb hw r hr
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hb
    obtain rfl | rfl | rfl | rfl := hb <;> try cases hw
    obtain rfl | hr := List.mem_cons.1 hr
    · exact Region.disjoint_of_lt (show (0x4000 : Nat) + 105 ≤ 0x6000 by decide) (show 0x6000 + 0x1000 ≤ 2 ^ 64 by decide)
    · exact hres r hr
  · intro r hr
    obtain rfl := List.mem_singleton.1 hr
    show totalLen (slicesAt (t.mem (state b)) (t.abi.arg (state b) 0) (t.abi.arg (state b) 1).toNat) =
      (t.abi.arg (state b) 3).toNat
    rw [Target.mem, hmem, harg, harg, harg]
    exact congrArg totalLen (slices_eq b hb)

/-- Two runs on different bytes are a witness. -/
theorem ok (hres : ∀ b, ∀ r ∈ t.abi.reserved (state b), (Region.mk 0x4000 105).Disjoint r) :
    t.HasWitness contract [] := by
  have hbuf := buffers harg hmem 0 (.inl rfl)
  refine ⟨state 0, state 1, pre harg hmem 0 (.inl rfl) (hres 0), pre harg hmem 1 (.inr rfl) (hres 1), ⟨?_, ?_, ?_, rfl⟩, ?_, ?_, ?_⟩
  · intro i _; rw [harg, harg]
  · intro b hb hp
    rw [hbuf] at hb
    simp only [List.mem_cons, List.not_mem_nil, or_false] at hb
    obtain rfl | rfl | rfl | rfl := hb <;> try cases hp
    rw [Target.mem, Target.mem, hmem, hmem]
    decide +kernel
  · rw [hmem, hmem]; rfl
  · intro b hb hs x hx
    rw [hbuf] at hb
    have outside : 32 ≤ offset 0x1000 x := by
      simp only [List.mem_cons, List.not_mem_nil, or_false] at hb
      obtain rfl | rfl | rfl | rfl := hb <;> (try cases hs) <;> simp only [Region.Contains, offset] at hx ⊢ <;> bv_omega
    rw [Target.mem, Target.mem, hmem, hmem]
    simp only [memory, mem]
    rw [writeBytes_outside _ _ _ x (by simpa using outside), writeBytes_outside _ _ _ x (by simpa using outside)]
    decide
  · rw [hbuf]; simp
  · intro p hp count hc
    have hp : p ∈ contract.sig.params := by simpa [contract, Sig.all] using hp
    simp only [contract, List.mem_cons, List.not_mem_nil, or_false] at hp
    obtain rfl | rfl | rfl | rfl := hp <;> cases hc
    show 2 ≤ (t.abi.arg (state 0) 1).toNat
    rw [harg]
    decide

end Witness
end Proof.Gather
