/-!
# The powers of the hash subkey in the key context, on every target
-/

set_option autoImplicit false
namespace Impl.Ghash

/-- Where the context holds the stored form of `H^p`. -/
def place (p : Nat) : Nat := 256 + 16 * (16 - p)

end Impl.Ghash
