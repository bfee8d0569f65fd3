import Proof.Framework.SymExec.Area
import Proof.Framework.Verified

/-!
# What a precondition says of buffers
-/

set_option autoImplicit false
namespace TCB.Target.Pre
open SymExec
variable {S I C F : Type} {t : Target S I C F} {c : Contract} {constants : List Byte} {s : S} {b q : Buffer}

/-- A buffer that is read is one of the regions that may be read. -/
theorem mem_readable (h : t.Pre c constants s) (hb : b ∈ c.sig.buffers (t.args c s) (t.mem s)) (hr : b.role.reads = true) :
    b.region ∈ (t.abi.memory s).readable := by
  rw [h.entry.readable]
  exact List.mem_append_right _ (List.mem_map.2 ⟨b, List.mem_filter.2 ⟨hb, hr⟩, rfl⟩)

/-- A buffer that is written is one of the regions that may be written. -/
theorem mem_writable (h : t.Pre c constants s) (hb : b ∈ c.sig.buffers (t.args c s) (t.mem s)) (hw : b.role.writes = true) :
    b.region ∈ (t.abi.memory s).writable := by
  rw [h.entry.writable]
  exact List.mem_map.2 ⟨b, List.mem_filter.2 ⟨hb, hw⟩, rfl⟩

/-- A buffer that is read may be read. -/
theorem reads (h : t.Pre c constants s) (hb : b ∈ c.sig.buffers (t.args c s) (t.mem s)) (hr : b.role.reads = true) :
    Within (t.abi.memory s).readable b.region := .of_mem (h.mem_readable hb hr)

/-- A buffer that is written may be written. -/
theorem writes (h : t.Pre c constants s) (hb : b ∈ c.sig.buffers (t.args c s) (t.mem s)) (hw : b.role.writes = true) :
    Within (t.abi.memory s).writable b.region := .of_mem (h.mem_writable hb hw)

/-- The table of constants may be read. -/
theorem readsTable (h : t.Pre c constants s) :
    Within (t.abi.memory s).readable ⟨(t.abi.memory s).constants, constants.length⟩ ∨ constants = [] := by
  cases constants with
  | nil => exact .inr rfl
  | cons => exact .inl (.of_mem (h.table nofun).1)

end TCB.Target.Pre
