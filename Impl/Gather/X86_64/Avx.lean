import Impl.CopySlice.X86_64.Avx
import Impl.Gather.X86_64

/-!
# Gathering a list of slices, on x86-64 with AVX
-/

set_option autoImplicit false
namespace Impl.Gather.X86_64.Avx
open TCB.X86_64 Impl.X86_64

/-- Leave no contents of slices in registers, nor the upper halves of vector registers in use. -/
def clear : List Instr :=
  let zero (r : Vec) : Instr := .vecBin .pxor .xmm r r (.reg r)
  [zero 0, zero 1, zero 2, zero 3, .vzeroupper, .clear .rax, .clear .r10]

/-- The kernel with AVX. -/
def program : TCB.Program Instr Cond Feature :=
  { features := [.avx], code := (code CopySlice.X86_64.Avx.code clear).lower }

end Impl.Gather.X86_64.Avx
