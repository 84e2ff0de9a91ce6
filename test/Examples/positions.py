"""The texts of docs/examples/positions as loops. Rotations are products of complex numbers here."""
import cmath
import math

from loops import attend

H, C, T = 2, 8, 23
PAIRS = C // 2
PLAIN = [10000 ** (-i / PAIRS) for i in range(PAIRS)]


def turn(row, t, frequencies, strength=1.0, neighbours=False):
    """The pairs of a row as complex numbers, each times e^(i t f)."""
    n = len(frequencies)
    where = [(2 * i, 2 * i + 1) if neighbours else (i, i + n) for i in range(n)]
    result = list(row)
    for (a, b), f in zip(where, frequencies):
        z = complex(row[a], row[b]) * cmath.exp(1j * t * f) * strength
        result[a], result[b] = z.real, z.imag
    return result


def rotary_case(frequencies, strength=1.0, neighbours=False, length=T):
    class case:
        inputs = dict(q=(H, length, C), k=(H, length, C), v=(H, length, C))

        def formula(q, k, v):
            q, k = (
                [[turn(row, t, frequencies, strength, neighbours) for t, row in enumerate(head)] for head in x]
                for x in (q, k)
            )
            return attend(q, k, v, allowed=lambda t, s: s <= t)

    return case


class sinusoidal:
    inputs = dict(x=(T, 12))
    streams = 0

    def formula(x):
        return [
            [a + (math.cos if d % 2 else math.sin)(t / 10000 ** (d // 2 * 2 / 12)) for d, a in enumerate(row)]
            for t, row in enumerate(x)
        ]


class learned:
    inputs = dict(tokens=[3, 14, 0, 5])
    weights = dict(words=(15, 12), places=(64, 12))
    streams = 0

    def formula(tokens, words, places):
        return [[a + b for a, b in zip(words[i], place)] for i, place in zip(tokens, places)]


rotary = rotary_case(PLAIN)
rotary_pairs = rotary_case(PLAIN, neighbours=True)
partial_rotary = rotary_case([1.0, 10000**-0.5])
interpolation = rotary_case([f / 4 for f in PLAIN])
ntk_aware = rotary_case([(10000 * 4 ** (8 / 6)) ** (-i / PAIRS) for i in range(PAIRS)])
# A text of 23 where 8 were trained: the factor 2 has become 2 * 23/8 - 1.
dynamic_ntk = rotary_case([(10000 * (2 * 23 / 8 - 1) ** (8 / 6)) ** (-i / PAIRS) for i in range(PAIRS)])


def yarn_frequencies():
    # The pairs that turn 32 times and once in 64 positions bound the ramp.
    def pair(turns):
        return C * math.log(64 / (turns * 2 * math.pi)) / (2 * math.log(10000))

    low, high = max(math.floor(pair(32)), 0), min(math.ceil(pair(1)), C - 1)
    ramp = [min(max((i - low) / (high - low), 0), 1) for i in range(PAIRS)]
    return [f / 4 * r + f * (1 - r) for f, r in zip(PLAIN, ramp)]


yarn = rotary_case(yarn_frequencies(), 0.1 * math.log(4) + 1)


def llama3_frequency(f):
    # Of wave lengths up to 64 / 4 nothing changes, beyond 64 all is divided by 8.
    wave = 2 * math.pi / f
    if wave < 64 / 4:
        return f
    if wave > 64 / 1:
        return f / 8
    smooth = (64 / wave - 1) / (4 - 1)
    return (1 - smooth) * f / 8 + smooth * f


llama3 = rotary_case([llama3_frequency(f) for f in PLAIN])
longrope = rotary_case(
    [f / factor for f, factor in zip(PLAIN, [1.0, 1.7, 3.1, 4.0])], math.sqrt(1 + math.log(4) / math.log(8))
)
