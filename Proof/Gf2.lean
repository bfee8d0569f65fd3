import Proof.Gf2.AArch64
import Proof.Gf2.Context
import Proof.Gf2.Passes
import Proof.Gf2.X86_64

/-!
# GHASH by carry-less multiplication

What the proof of a kernel uses, for a key `h`, a running value `y` and blocks `x :: xs`:

- `Proof.Gf2.X86_64`, `Proof.Gf2.AArch64`: what the instructions compute, as `pclmul`, `swap64`, `bswap128`, `packed`.
- `bswap128_ofBytes`, `toBytes_bswap128`, `bswap128_bswap128`, `bswap128_xor`: loads and stores of blocks.
- `X86_64.twist_lanes`, `AArch64.twist_lanes`, `twist_eq`: the stored form of a key.
- `prepared_iff`, `word_subkey`, `mulX_eq_iff`: the key context; `blocks_bytesAt`, `ghash_blocksAt_add`: messages.
- `IsTable h t n`: `t i = twist (pow h (i + 1))` for `i < n`; `dot_twist_twist` and `dot_twist_pow` fill a table.
- `fold_school_twist`, `fold_karatsuba_twist`: one product with a stored key, reduced, is `mul`.
- `foldStep_eq`, `foldStep_eq_comm`, `foldStep_eq_swap`: one step of the reduction; `foldLazy_eq`: no need to assemble.
- `ghash_of_school`, `ghash_of_karatsuba`, `ghash_of_school_lanes`, `ghash_of_karatsuba_lanes`: sums of products with
  descending powers, reduced once, are `ghash h y (x :: xs)`; `sum_of_products` shows each sum, in any order.
- `aggregate`, `aggregate_karatsuba`, `fold_xor`, `foldLazy_xor`, `Acc.correct_xor`: the same for other shapes.
- `ghash_append`, `foldl_ghash`, `ghash_cons`: a message in groups. `Proof.Gf2.Passes` has examples.
-/

set_option autoImplicit false
