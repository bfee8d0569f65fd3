import Proof.AesGcm.SealGather.Call
import Proof.Gather.Mem
import Spec.AesGcm.SealGather

/-!
# Sealing a list of slices: the contract

What the contract says in terms of registers and memory, and its result from what the memory holds at the end, for every
target.
-/

set_option autoImplicit false
namespace Proof.AesGcm.SealGather
open TCB Spec.AesGcm Spec.AesGcm.SealGather Proof.AesGcm.Message

variable {S I C F : Type} (t : Target S I C F) {s s' : S} {constants : List Byte}

/-- Where the list of slices is. -/
def list (c : Call) : Addr := c.value 8

/-- How many slices there are. -/
def count (c : Call) : Nat := (c.value 9).toNat

/-- The text. -/
def text (c : Call) : List Byte := Gather.gathered c.memory (list c) (count c)

/-- The list of slices and the slices of a call. -/
def slices (c : Call) : List Buffer := ⟨"slices", .publicInput, ⟨list c, 16 * count c⟩⟩ ::
  (slicesAt c.memory.bytes (list c) (count c)).map fun r => ⟨"slices", .input, r⟩

/-- The buffers of the call that begins in a state. -/
theorem buffers_of (s : S) : contract.sig.buffers (t.args contract s) (t.mem s) =
    Seal.buffers (callOf t s) 10 ++ slices (callOf t s) :=
  (rfl : _ = Seal.buffers (callOf t s) 10 ++ slices (callOf t s) ++ []).trans (List.append_nil _)

section
variable (s)
theorem args_ctx : t.args contract s "ctx" = (callOf t s).ctx := (rfl)
theorem args_args : t.args contract s "args" = (callOf t s).args := (rfl)
theorem args_rounds : t.args contract s "rounds" = (callOf t s).value 0 := (rfl)
theorem args_nonce : t.args contract s "nonce" = (callOf t s).nonce := (rfl)
theorem args_nonce_len : t.args contract s "nonce_len" = (callOf t s).value 2 := (rfl)
theorem args_aad : t.args contract s "aad" = (callOf t s).aad := (rfl)
theorem args_aad_len : t.args contract s "aad_len" = (callOf t s).value 4 := (rfl)
theorem args_data : t.args contract s "data" = (callOf t s).data := (rfl)
theorem args_len : t.args contract s "len" = (callOf t s).value 6 := (rfl)
theorem args_tag : t.args contract s "tag" = (callOf t s).tag := (rfl)
theorem args_slices : t.args contract s "slices" = (callOf t s).value 8 := (rfl)
theorem args_count : t.args contract s "count" = (callOf t s).value 9 := (rfl)
end

/-- What the precondition says of the message. -/
theorem pre_of (h : t.Pre contract constants s) : Seal.Pre (callOf t s) := by
  refine Seal.pre_of_buffers t h rfl (fun p hp => ?_) (buffers_of t s) (by decide)
  obtain ⟨i, hi, rfl⟩ := List.mem_iff_getElem.1 hp
  match i, hi with
  | 0, _ => exact (args_ctx t s).trans (Seal.args_ctx t s).symm
  | 1, _ => exact (args_args t s).trans (Seal.args_args t s).symm
  | 2, _ => exact (args_rounds t s).trans (Seal.args_rounds t s).symm
  | 3, _ => exact (args_nonce t s).trans (Seal.args_nonce t s).symm
  | 4, _ => exact (args_nonce_len t s).trans (Seal.args_nonce_len t s).symm
  | 5, _ => exact (args_aad t s).trans (Seal.args_aad t s).symm
  | 6, _ => exact (args_aad_len t s).trans (Seal.args_aad_len t s).symm
  | 7, _ => exact (args_data t s).trans (Seal.args_data t s).symm
  | 8, _ => exact (args_len t s).trans (Seal.args_len t s).symm
  | 9, _ => exact (args_tag t s).trans (Seal.args_tag t s).symm
  | _ + 10, hi => exact absurd hi (by simp [Spec.AesGcm.Seal.contract, Sig.all, Message.fields])

section
attribute [local irreducible] Call.value

/-- What the precondition says of the slices. -/
theorem gather_of (h : t.Pre contract constants s) : Gather.Pre (callOf t s).memory (list (callOf t s)) (callOf t s).data
    (count (callOf t s)) (callOf t s).len := by
  have total := h.requires _ (.tail _ (.tail _ (.tail _ (.tail _ (.head _)))))
  simp only [Spec.AesGcm.SealGather.slices, args_slices, args_count, args_len] at total
  rw [show t.mem s = (callOf t s).memory.bytes from rfl] at total
  have readable {b : Buffer} (hb : b ∈ _) := h.mem_readable (b := b) ((buffers_of t s).symm ▸ List.mem_append_right _ hb)
  have writable {b : Buffer} (hb : b ∈ _) := h.mem_writable (b := b) ((buffers_of t s).symm ▸ List.mem_append_left _ hb)
  have fits := h.entry.fits
  have disjoint := h.entry.disjoint
  rw [show (t.abi.memory s).bytes = t.mem s from rfl, buffers_of] at fits disjoint
  rw [show t.abi.memory s = (callOf t s).memory from rfl] at readable writable
  generalize callOf t s = c at *
  have data : (⟨"data", .inout, ⟨c.data, c.len⟩⟩ : Buffer) ∈ Seal.buffers c 10 := .tail _ (.tail _ (.tail _ (.tail _ (.head _))))
  have all : (⟨"slices", .publicInput, ⟨list c, 16 * count c⟩⟩ : Buffer) ∈ slices c := .head _
  have slice {k : Nat} (hk : k < count c) : (⟨"slices", .input, sliceAt c.memory.bytes (list c) k⟩ : Buffer) ∈ slices c :=
    .tail _ (List.mem_map.2 ⟨_, List.mem_map.2 ⟨k, List.mem_range.2 hk, rfl⟩, rfl⟩)
  have apart {b : Buffer} (hb : b ∈ slices c) : (Region.mk c.data c.len).Disjoint b.region :=
    (List.pairwise_append.1 disjoint).2.2 _ data b hb (.inl rfl)
  have bound : Region.Fits ⟨list c, 16 * count c⟩ := fits _ (List.mem_append_right _ all)
  constructor
  case countBound => exact (bound.le :)
  case lenBound => exact (c.value 6).isLt
  case list => exact (readable all rfl :)
  case slice => exact fun hk => (readable (slice hk) rfl :)
  case room => exact (writable data rfl :)
  case listApart => exact (apart all :)
  case sliceApart => exact fun hk => (apart (slice hk) :)
  case total => exact total

/-- The list of slices is public. -/
theorem list_isPublic : ⟨list (callOf t s), 16 * count (callOf t s)⟩ ∈ t.publicRegions contract constants s := by
  rw [Target.publicRegions, buffers_of]
  exact List.mem_append_right _ (List.mem_map.2 ⟨_, List.mem_filter.2 ⟨List.mem_append_right _ (.head _), rfl⟩, rfl⟩)

/-- The text has the length of what it is sealed into. -/
theorem length_text {c : Call} (h : Gather.Pre c.memory (list c) c.data (count c) c.len) : (text c).length = c.len :=
  (Gather.length_gathered ..).trans h.total

end

/-- The contract's result and frame, from the memory on return. -/
theorem result_of (h : t.Pre contract constants s) {c : Call} (hc : c = (callOf t s).withText (text (callOf t s)))
    (hm : t.mem s' = writeBytes (c.text.mem c.len) c.tag (toBytes 16 c.sealedTag)) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') ∧
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x := by
  subst hc
  have length := length_text (gather_of t h)
  exact ⟨(pre_of t h).sealed_withText length hm, fun _ hx => (pre_of t h).outside_withText length hm
    (fun hd => hx ⟨("data", .arg "len"), .head _, hd⟩) fun ht => hx ⟨("tag", .const 16), .tail _ (.head _), ht⟩⟩

end Proof.AesGcm.SealGather
