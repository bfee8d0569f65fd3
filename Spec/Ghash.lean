/-!
# GHASH

NIST SP 800-38D, sections 6.3 and 6.4.
-/

set_option autoImplicit false
namespace Spec.Ghash

/-- A block: 16 bytes read big-endian, so that the bit `i` of the standard, counted from the left, is `getMsbD i`. -/
abbrev Block := BitVec 128

/-- The constant `R = 11100001 || 0^120` (section 6.3). -/
def R : Block := 0xE1000000000000000000000000000000

/-- `V_{i+1}` from `V_i` (section 6.3, algorithm 1, step 3): the product with the polynomial `x`. -/
def mulX (v : Block) : Block := if v.getLsbD 0 then v >>> 1 ^^^ R else v >>> 1

/-- `(Z_{i+1}, V_{i+1})` from `(Z_i, V_i)` (section 6.3, algorithm 1, step 3). -/
def mulStep (x : Block) (zv : Block × Block) (i : Nat) : Block × Block :=
  (if x.getMsbD i then zv.1 ^^^ zv.2 else zv.1, mulX zv.2)

/-- The product `X • Y` (section 6.3, algorithm 1). -/
def mul (x y : Block) : Block := ((List.range 128).foldl (mulStep x) (0, y)).1

/-- `Y_m` for the blocks `X_1`, ..., `X_m` and the hash subkey `h`, from `Y_0 = y` (section 6.4, algorithm 2, where `Y_0`
is zero). -/
def ghash (h y : Block) (xs : List Block) : Block := xs.foldl (fun y x => mul (y ^^^ x) h) y

end Spec.Ghash
