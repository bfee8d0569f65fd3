import Impl.Ghash
import Proof.Framework.Plain
import Proof.Framework.Witness
import Proof.Gf2.Context
import Spec.AesGcm.Prepare16

/-!
# The powers of the hash subkey: the contract

What the contract says in terms of the context, for every target: a kernel changes bytes 256 to 511 of the context only,
and leaves stored powers there.
-/

set_option autoImplicit false
namespace Proof.AesGcm.Prepare16
open TCB SymExec Spec.AesGcm Spec.AesGcm.Prepare16 Proof.Gf2 Impl.Ghash

/-- Memory is as it was outside the powers. -/
def Frame (ctx : Addr) (m m' : Mem) : Prop := ∀ x, ¬(256 ≤ offset ctx x ∧ offset ctx x < 512) → m' x = m x

/-- The first `n` powers of `h` are stored. -/
def Stored (h : Spec.Ghash.Block) (ctx : Addr) (n : Nat) (m : Mem) : Prop :=
  ∀ p, 1 ≤ p → p ≤ n → Context.word m ctx (place p) = twist (pow h p)

/-- What lies below the powers is as it was. -/
theorem Frame.below {ctx : Addr} {m m' : Mem} (h : Frame ctx m m') (i n : Nat) (hn : i + n ≤ 256) :
    bytesAt m' (ctx + BitVec.ofNat 64 i) n = bytesAt m (ctx + BitVec.ofNat 64 i) n :=
  bytesAt_congr fun k hk => h _ (by
    rw [BitVec.add_assoc, ← BitVec.ofNat_add, offset_add ctx (by omega)]
    omega)

variable {S I C F : Type} (t : Target S I C F) {s s' : S}

/-- The buffers of the signature. -/
theorem buffers_eq (a : Args) (m : Mem) : contract.sig.buffers a m = [⟨"ctx", .inout, ⟨a "ctx", 1024⟩⟩] := rfl

/-- The kernel may read and write the context. -/
theorem pre_of (h : t.Pre contract [] s) : Within (t.abi.memory s).readable ⟨t.abi.arg s 0, 1024⟩ ∧
    Within (t.abi.memory s).writable ⟨t.abi.arg s 0, 1024⟩ :=
  ⟨h.reads (b := ⟨"ctx", .inout, ⟨t.abi.arg s 0, 1024⟩⟩) (.head _) rfl,
    h.writes (b := ⟨"ctx", .inout, ⟨t.abi.arg s 0, 1024⟩⟩) (.head _) rfl⟩

/-- **What a kernel writes lies in the first 512 bytes of the context.** -/
theorem written16 (frame : Frame (t.abi.arg s 0) (t.mem s) (t.mem s')) :
    ∀ x, ¬ t.MayChange contract s x → t.mem s' x = t.mem s x :=
  fun x hx => frame x fun h => hx ⟨("ctx", .const 512), .head _, h.2⟩

/-- The contract's result. -/
theorem result_of (frame : Frame (t.abi.arg s 0) (t.mem s) (t.mem s'))
    (stored : Stored (Context.subkey (t.mem s) (t.abi.arg s 0)) (t.abi.arg s 0) 16 (t.mem s')) :
    contract.Ensures (t.args contract s) (t.mem s) (t.mem s') (t.abi.result s') := by
  constructor
  · refine (prepared_iff ..).2 fun i hi => ?_
    have same : Context.subkey (t.mem s') (t.abi.arg s 0) = Context.subkey (t.mem s) (t.abi.arg s 0) :=
      congrArg (fun bs => Spec.Ghash.mulX (ofBytes 128 bs)) (frame.below 240 16 (by decide))
    have := stored (i + 1) (by omega) (by omega)
    rw [place, show 16 - (i + 1) = 15 - i by omega, ← same] at this
    exact this
  · have := frame.below 0 256 (by decide)
    rwa [BitVec.add_zero] at this

/-- Where the argument of the witness lies. -/
def values : List Nat := [0x1000]

end Proof.AesGcm.Prepare16
