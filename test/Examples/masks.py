"""The texts of docs/examples/masks as loops: which pairs they leave."""
from loops import attend, scaled

H, C, T = 2, 8, 23


def mask(allowed, **inputs):
    """A test of one mask: `allowed(t, s, ...)` gets the further inputs as well."""

    class case:
        pass

    case.inputs = dict(q=(H, T, C), k=(H, T, C), v=(H, T, C), **inputs)
    case.formula = lambda q, k, v, **more: attend(q, k, v, allowed=lambda t, s: allowed(t, s, **more))
    return case


real = [1] * 17 + [0] * 6
ends = [1] + [0] * 10 + [1] + [0] * 11
# Blocks of 4 see the first and their neighbours.
blocks = [[int(j == 0 or abs(i - j) <= 1) for j in range(16)] for i in range(16)]

none = mask(lambda t, s: True)
causal = mask(lambda t, s: not s > t)
padding = mask(lambda t, s, mask: mask[s] != 0, mask=real)
causal_padding = mask(lambda t, s, mask: s <= t and mask[s] != 0, mask=[0, 0] + real[:-2])
sliding_window = mask(lambda t, s: s in range(t - 4, t + 1))
local_blocks = mask(lambda t, s: s in range(t - t % 5, t - t % 5 + 5))
prefix_lm = mask(lambda t, s, prefix: s < max(prefix, t + 1), prefix=6)
packing = mask(lambda t, s, doc: doc[t] == doc[s] and s <= t, doc=[1] * 4 + [2] * 9 + [3] * 10)
longformer = mask(
    lambda t, s, **more: s in range(t - 3, t + 4) or bool(more["global"][s]) or bool(more["global"][t]),
    **{"global": ends},
)
big_bird = mask(lambda t, s, picked: picked[t // 4][s // 4] == 1, picked=blocks)
dalle_row = mask(lambda t, s: s in range(t - t % 6, t + 1))
dalle_column = mask(lambda t, s: s in range(t % 6, t + 1, 6))


def near(t, s):
    (row, column), (other_row, other_column) = divmod(t, 6), divmod(s, 6)
    return s <= t and other_row in (row, row - 1, row - 2) and other_column in range(column - 2, column + 3)


dalle_convolution = mask(near)


class additive:
    inputs = dict(q=(H, T, C), k=(H, T, C), v=(H, T, C), bias=(T, T))

    def formula(q, k, v, bias):
        return attend(q, k, v, lambda h, t, s, q, k: scaled(q, k) + bias[t][s])
