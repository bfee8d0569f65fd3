import Proof.Gf2.Aggregate

/-!
# GHASH by carry-less multiplication

What the proof of a kernel uses, for a key `h`, a running value `y` and blocks `x :: xs`:

- `IsTable h t n`: `t i = twist (pow h (i + 1))` for `i < n`; `dot_twist_twist` and `dot_twist_pow` fill a table.
- `fold_school_twist`, `fold_karatsuba_twist`: one product with a stored key, reduced, is `mul`.
- `aggregate`, `aggregate_karatsuba`: a sum of products with descending powers, reduced once, is `ghash h y (x :: xs)`.
- `foldLazy_eq`: reducing `lo` into `mid` and `mid` into `hi` is the same as assembling the product first.
- `fold_xor`, `foldLazy_xor`, `Acc.correct_xor`: one reduction and one correction for any sum.
- `ghash_append`, `ghash_cons`, `ghash_nil`: a message in groups.
-/
