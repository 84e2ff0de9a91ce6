"""How large the tensors of random programs are."""
from typing import NamedTuple


class Scale(NamedTuple):
    sizes: list  # of named dimensions, and the bounds of run-time ones
    bounds: list
    volume: int  # elements of a tensor
    budget: int  # how often the innermost expression of a formula is computed
    heads: list  # of attentions, whose queries, keys and values have so many channels
    channels: list
    widths: list
    depths: list  # of rows that are projected, and of what heads become again
    outs: list
    work: int  # products of a query's and a key's channel
    positions: list  # of models that generate, their rows and words
    rows: list
    words: list
    penalties: list  # of scores
    ways: list  # how often there are formulas, calls, buffers, attentions and products
    causal: int  # one of so many programs generates
    tempered: bool  # whether sums of many products are scaled, as those of models are
    orderly: float  # the share of operands whose channels lie side by side


# What plain Python evaluates.
SMALL = Scale(
    sizes=[1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33, 65], bounds=[1, 2, 3, 5, 7, 8, 13, 17, 19, 40, 70],
    volume=700, budget=6000, heads=[1, 2, 3, 4, 6], channels=[1, 2, 3, 5, 8, 13, 16], widths=[1, 4, 7],
    depths=[1, 3, 8], outs=[1, 3, 7], work=20000, positions=[2, 3, 7, 13, 17], rows=[1, 2, 4, 7, 8],
    words=[2, 3, 5, 11], penalties=[-1e4, -30.0], ways=[10, 3, 1, 4, 0], causal=6, tempered=False, orderly=0,
)
# What the tiles of units are for, with some odd sizes.
WIDE = Scale(
    sizes=[8, 16, 17, 32, 40, 64, 96, 128, 130], bounds=[1, 9, 33, 64, 100, 129], volume=40000, budget=60000,
    heads=[1, 2, 4, 8], channels=[8, 16, 24, 32, 64, 64, 80, 96, 128], widths=[16, 32, 64, 72], depths=[32, 64, 96, 128],
    outs=[16, 40, 64, 96], work=4000000, positions=[17, 33, 70, 129], rows=[32, 64, 96, 128], words=[16, 40, 100],
    penalties=[-100.0, -30.0], ways=[3, 1, 0, 6, 6], causal=3, tempered=True, orderly=0.8,
)
