import TCB.Access

/-!
# Memory with other contents
-/

set_option autoImplicit false
namespace TCB.Memory

/-- The memory with other contents. -/
def set (m : Memory) (bytes : Mem) : Memory := { m with bytes }

@[simp] theorem bytes_set (m : Memory) (b : Mem) : (m.set b).bytes = b := rfl
@[simp] theorem readable_set (m : Memory) (b : Mem) : (m.set b).readable = m.readable := rfl
@[simp] theorem writable_set (m : Memory) (b : Mem) : (m.set b).writable = m.writable := rfl
@[simp] theorem constants_set (m : Memory) (b : Mem) : (m.set b).constants = m.constants := rfl
@[simp] theorem set_set (m : Memory) (b c : Mem) : (m.set b).set c = m.set c := rfl
@[simp] theorem set_bytes (m : Memory) : m.set m.bytes = m := rfl

end TCB.Memory
