"""Real numbers of the independent evaluation: a value in double precision and a bound of its error in 32 bits.

Compiled code computes in 32 bits, in an order of its own choice. Each operation here adds what rounding can change to
the error of its operands (first order, sums by the magnitude of their terms, so that any order is covered). What is
compared in the end is allowed a small multiple of that bound. Where rounding could decide (a comparison, `floor`,
`argmax` of values closer than their errors) there is no one right result: `Undecided` asks for other data.
"""
import math

UNIT = 2.0**-24  # half a unit in the last place of 1
FUNCTION = 4 * UNIT  # what the functions of a vector library are allowed
LARGEST = 1e30
UNCERTAIN = 0.02  # values with a larger share of error are no test


class Undecided(Exception):
    """The data leave open what the result is."""


class Real:
    __slots__ = ("v", "e")

    def __init__(self, v, e=0.0):
        if not (-LARGEST < v < LARGEST) and v != -math.inf:
            raise Undecided("overflow")
        self.v, self.e = v, e if math.isfinite(v) else 0.0  # nothing rounds what is infinite

    def __add__(a, b):
        return Real(a.v + b.v, a.e + b.e + UNIT * (abs(a.v) + abs(b.v)) if a.v and b.v else a.e + b.e)

    def __sub__(a, b):
        return Real(a.v - b.v, a.e + b.e + UNIT * (abs(a.v) + abs(b.v)) if a.v and b.v else a.e + b.e)

    def __mul__(a, b):
        v = a.v * b.v
        return Real(v, abs(a.v) * b.e + abs(b.v) * a.e + a.e * b.e + UNIT * abs(v))

    def __truediv__(a, b):
        rest = abs(b.v) - b.e
        if rest <= 0.0 or b.e > UNCERTAIN * rest:
            raise Undecided("division by nearly 0")
        v = a.v / b.v
        return Real(v, (a.e + abs(v) * b.e) / rest + 2 * UNIT * abs(v))

    def __neg__(a):
        return Real(-a.v, a.e)

    def __abs__(a):
        return Real(abs(a.v), a.e)

    def __pow__(a, b):
        if not isinstance(b, int):
            return exp(b * log(a))
        result = a
        for _ in range(b - 1):
            result = result * a
        return result

    def __lt__(a, b):
        decided(a, b)
        return a.v < b.v

    def __le__(a, b):
        decided(a, b)
        return a.v <= b.v

    def __gt__(a, b):
        decided(a, b)
        return a.v > b.v

    def __ge__(a, b):
        decided(a, b)
        return a.v >= b.v

    def __eq__(a, b):
        decided(a, b)
        return a.v == b.v

    def __ne__(a, b):
        decided(a, b)
        return a.v != b.v


def decided(a, b):
    error = a.e + b.e
    if error and abs(a.v - b.v) <= 4 * error:
        raise Undecided("comparison")


def constant(v):
    """A number of the text, which is rounded to 32 bits unless it is a short binary fraction."""
    return Real(v, 0.0 if v * 1024 == int(v * 1024) and abs(v) < 8192 else UNIT * abs(v))


def smooth(function, derivative):
    """A function from its double precision form and a bound of its derivative between a.v - a.e and a.v + a.e."""

    def apply(a):
        try:
            v = function(a.v)
        except ValueError:  # Python's sine of infinity
            raise Undecided("no number")
        return Real(v, derivative(a.v, a.e) * a.e + FUNCTION * abs(v) + FUNCTION * 1e-3)

    return apply


def positive(a):
    if a.v - a.e <= 0.0 or a.e > UNCERTAIN * a.v:
        raise Undecided("nearly 0")
    return a.v - a.e


def exp(a):
    if a.v == -math.inf or a.v < -80.0:
        return Real(0.0, 1e-30)
    if a.v > 60.0:
        raise Undecided("overflow")
    v = math.exp(a.v)
    return Real(v, v * (math.expm1(min(a.e, 60.0)) + FUNCTION + UNIT * abs(a.v)))


def log(a):
    low = positive(a)
    v = math.log(a.v)
    return Real(v, a.e / low + FUNCTION * (1.0 + abs(v)))


def sqrt(a):
    if a.v == 0.0 and a.e == 0.0:
        return a
    v = math.sqrt(positive(a))
    return Real(math.sqrt(a.v), a.e / v + FUNCTION * v)


def rsqrt(a):
    low = positive(a)
    v = 1.0 / math.sqrt(a.v)
    return Real(v, v * (a.e / low + FUNCTION))


sin = smooth(math.sin, lambda v, e: 1.0)
cos = smooth(math.cos, lambda v, e: 1.0)
tanh = smooth(math.tanh, lambda v, e: 1.0)
erf = smooth(math.erf, lambda v, e: 1.13)


def whole(a, function):
    margin = 4 * a.e
    if not math.isfinite(a.v):
        raise Undecided("no whole number is near it")
    if function(a.v - margin) != function(a.v + margin):
        raise Undecided("rounding to a whole number")
    return function(a.v)


def floor(a):
    return Real(float(whole(a, math.floor)))


def truncate(a):
    return whole(a, math.trunc)


def largest(a, b):
    if abs(a.v - b.v) > 4 * (a.e + b.e):
        return a if a.v > b.v else b
    return Real(max(a.v, b.v), max(a.e, b.e))


def smallest(a, b):
    return -largest(-a, -b)
