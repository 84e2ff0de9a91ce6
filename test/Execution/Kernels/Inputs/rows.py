"""Writes N.st and N.expected.st for every length N of the arguments: rows with elements of -inf, or with nothing else,
or with nothing at all, and their softmax, log-softmax and attention as docs/Language.md says (4.4)."""
import math
import random
import sys

import tensorfile

ROWS = 6


def row(kind, length, rng):
    """The scores of a row and which of them count."""
    scores = [rng.uniform(-3, 3) for _ in range(length)]
    counts = [1] * length
    if kind == 1:  # nothing
        counts = [0] * length
    if kind == 2:  # nothing but -inf
        scores = [-math.inf] * length
    if kind == 3:  # some -inf
        scores = [-math.inf if i % 3 == 1 else score for i, score in enumerate(scores)]
    if kind == 4:  # what counts is -inf
        counts = [i % 2 for i in range(length)]
        scores = [-math.inf if count else score for score, count in zip(scores, counts)]
    if kind == 5:  # one element counts
        counts = [int(i == length // 2) for i in range(length)]
    return scores, counts


def logsoftmax(scores, counts):
    kept = [score if count else -math.inf for score, count in zip(scores, counts)]
    largest = max(kept)
    if largest == -math.inf:
        return kept
    total = math.log(sum(math.exp(score - largest) for score in kept))
    return [score - largest - total for score in kept]


def transposed(values, length):
    return [values[r * length + t] for t in range(length) for r in range(ROWS)]


for length in map(int, sys.argv[1:]):
    rng = random.Random(length)
    rows = [row(r, length, rng) for r in range(ROWS)]
    x = [value for scores, _ in rows for value in scores]
    n = [value for _, counts in rows for value in counts]
    logs = [value for scores, counts in rows for value in logsoftmax(scores, counts)]
    weights = [math.exp(value) for value in logs]
    v = [rng.uniform(-1, 1) for _ in range(length)]
    sums = [sum(weights[r * length + t] * v[t] for t in range(length)) for r in range(ROWS)]
    flat, tall = [ROWS, length], [length, ROWS]
    real = lambda shape, values: ("F32", shape, values)
    tensorfile.pack("%d.st" % length, {
        "x": real(flat, x), "n": ("I32", flat, n), "v": real([length], v),
        "xt": real(tall, transposed(x, length)), "nt": ("I32", tall, transposed(n, length))})
    tensorfile.pack("%d.expected.st" % length, {
        "weights": real(flat, weights), "logs": real(flat, logs), "context": real([ROWS], sums),
        "weights_t": real(tall, transposed(weights, length)), "logs_t": real(tall, transposed(logs, length))})
