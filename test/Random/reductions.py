"""Reductions of the independent evaluation, over the lists of the elements that a predicate leaves.

A reduction comes in two kinds: of integers, exact, and of `Real`s. Empty ones have the values of docs/Language.md, 4.4.
"""
import functools
import math

from reals import FUNCTION, UNIT, Real, Undecided, largest, smallest


def sum_real(terms):
    magnitude = math.fsum(abs(x.v) for x in terms)
    return Real(math.fsum(x.v for x in terms), math.fsum(x.e for x in terms) + len(terms) * UNIT * magnitude)


def mean_real(terms):
    return sum_real(terms) / Real(float(len(terms))) if terms else Real(0.0)


def prod_real(terms):
    return functools.reduce(lambda a, b: a * b, terms, Real(1.0))


def max_real(terms):
    return functools.reduce(largest, terms) if terms else Real(0.0)


def min_real(terms):
    return functools.reduce(smallest, terms) if terms else Real(0.0)


def sum_int(terms):
    return sum(terms)


def prod_int(terms):
    return math.prod(terms)


def max_int(terms):
    return max(terms, default=0)


def min_int(terms):
    return min(terms, default=0)


def order(pairs, real):
    """Pairs (value, index) from the largest on, equal ones by their index."""
    result = sorted(pairs, key=lambda pair: (-(pair[0].v if real else pair[0]), pair[1]))
    return result


def separate(a, b, real):
    """Whether rounding leaves the order of two values as it is; equal values without an error keep it."""
    if real and a.e + b.e and abs(a.v - b.v) <= 4 * (a.e + b.e):
        raise Undecided("order of nearly equal values")


def argmax(pairs, real):
    if not pairs:
        return 0
    ranked = order(pairs, real)
    for other in ranked[1:]:
        separate(ranked[0][0], other[0], real)
    return ranked[0][1]


def argtop(pairs, place, real):
    if place >= len(pairs):
        raise Undecided("argtop of too few elements")
    ranked = order(pairs, real)
    for other in ranked[:place] + ranked[place + 1 :]:
        separate(ranked[place][0], other[0], real)
    return ranked[place][1]


def empty(row):
    """Whether a row has nothing above minus infinity."""
    return all(x is None or x.v == -math.inf for x in row)


def shares(row):
    """The exponentials of a row over its largest, their sum, and the relative error of each. None is left out."""
    top = max(x.v for x in row if x is not None)
    powers = [0.0 if x is None else math.exp(x.v - top) for x in row]
    errors = [
        math.expm1(min(x.e, 60.0)) + FUNCTION + UNIT * (abs(x.v) + abs(top)) if p else 0.0 for x, p in zip(row, powers)
    ]
    total = math.fsum(powers)
    common = math.fsum(p * r for p, r in zip(powers, errors)) / total + (len(row) + 4) * UNIT
    return powers, errors, total, common, top


def softmax(row):
    if empty(row):
        return [Real(0.0)] * len(row)
    powers, errors, total, common, _ = shares(row)
    return [Real(p / total, p / total * (r + common) if p else 1e-30) for p, r in zip(powers, errors)]


def logsoftmax(row):
    """What the predicate leaves out is minus infinity: its softmax is 0."""
    if empty(row):
        return [Real(-math.inf)] * len(row)
    _, _, total, common, top = shares(row)
    shift = math.log(total) + top
    return [
        Real(-math.inf)
        if x is None or x.v == -math.inf
        else Real(x.v - shift, x.e + common + 2 * UNIT * (abs(x.v) + abs(shift)))
        for x in row
    ]
