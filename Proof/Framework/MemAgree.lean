import TCB.Access
import Proof.Framework.Mem

/-!
# Two memories that agree on what is public
-/

set_option autoImplicit false
namespace TCB

/-- The memories of two runs agree on the public regions `pub` and on where the constants lie, and neither run can write in
these regions. -/
structure MemAgree (pub : List Region) (m₁ m₂ : Memory) : Prop where
  contents : ∀ r ∈ pub, ∀ x, r.Contains x → m₁.bytes x = m₂.bytes x
  apart₁ : ∀ w ∈ m₁.writable, ∀ r ∈ pub, w.Disjoint r
  apart₂ : ∀ w ∈ m₂.writable, ∀ r ∈ pub, w.Disjoint r
  constants : m₁.constants = m₂.constants

/-- An address within `n` bytes of `a` lies in a region that covers them. -/
theorem Region.Contains.of_covers {r : Region} {a x : Addr} {n : Nat} (h : r.covers a n = true) (hx : offset a x < n) :
    r.Contains x := by
  simp only [covers, decide_eq_true_eq, Contains, offset] at *
  bv_omega

/-- Regions with the same contents agree at every address. -/
theorem Region.eq_of_bytes {r : Region} {m₁ m₂ : Mem} (h : r.bytes m₁ = r.bytes m₂) {x : Addr} (hx : r.Contains x) :
    m₁ x = m₂ x := by
  have := congrArg (·[offset r.base x]?) h
  have e : r.base + BitVec.ofNat 64 (offset r.base x) = x := by unfold offset; bv_omega
  have hl : offset r.base x < r.len := hx
  simpa only [bytes, getElem?_bytesAt, hl, if_true, e, Option.some.injEq] using this

namespace MemAgree
variable {pub : List Region} {m₁ m₂ m₁' m₂' : Memory} {a b : Addr} {n : Nat} {bs cs : List Byte} {t u : Trace}

/-- What is read from a public region is the same. -/
theorem bytesAt (h : MemAgree pub m₁ m₂) (hc : covered pub a n = true) :
    bytesAt m₁.bytes a n = bytesAt m₂.bytes a n := by
  obtain ⟨r, hr, hc⟩ := List.any_eq_true.1 hc
  refine bytesAt_congr fun i hi => h.contents r hr _ (.of_covers hc ?_)
  have : r.covers a n = true := hc
  by_cases hw : i < 2 ^ 64
  · rwa [offset_add a hw]
  · unfold offset; omega

/-- Stores keep public regions as they are. -/
theorem store (h : MemAgree pub m₁ m₂) (h₁ : m₁.store a bs = some (m₁', t)) (h₂ : m₂.store b cs = some (m₂', u)) :
    MemAgree pub m₁' m₂' := by
  have keep {m m' : Memory} {a : Addr} {bs : List Byte} {t : Trace} (hm : ∀ w ∈ m.writable, ∀ r ∈ pub, w.Disjoint r)
      (hs : m.store a bs = some (m', t)) :
      m'.writable = m.writable ∧ m'.constants = m.constants ∧ ∀ r ∈ pub, ∀ x, r.Contains x → m'.bytes x = m.bytes x := by
    simp only [Memory.store] at hs
    split at hs <;> cases hs
    rename_i hc
    obtain ⟨w, hw, hc⟩ := List.any_eq_true.1 hc
    exact ⟨rfl, rfl, fun r hr x hx =>
      writeBytes_outside _ _ _ _ (Nat.not_lt.1 fun h => hm w hw r hr x ⟨.of_covers hc h, hx⟩)⟩
  obtain ⟨w₁, c₁, k₁⟩ := keep h.apart₁ h₁
  obtain ⟨w₂, c₂, k₂⟩ := keep h.apart₂ h₂
  exact ⟨fun r hr x hx => by rw [k₁ r hr x hx, k₂ r hr x hx, h.contents r hr x hx], w₁ ▸ h.apart₁, w₂ ▸ h.apart₂,
    c₁ ▸ c₂ ▸ h.constants⟩

end MemAgree
end TCB
