"""Writes N.st and N.expected.st for every length N of the arguments: integers with 0, -1 and the least one among them,
and their quotients and remainders as docs/Language.md says (4.5)."""
import struct
import sys

import tensorfile

NUMBERS = [7, -7, 0, -1, -(2**31), 2**31 - 1, 3, 1]


def wrapped(value, bits):
    return (value + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def quotient(a, b):
    return wrapped(a // (b or 1), 64)


def remainder(a, b):
    return a % (b or 1)


def real(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def write(path, length, tensors):
    parts = {}
    for name, values in tensors.items():
        is_real = any(isinstance(value, float) for value in values)
        parts[name] = "F32" if is_real else "I32", [1, length], values if is_real else [wrapped(v, 32) for v in values]
    tensorfile.pack(path, parts)


for length in map(int, sys.argv[1:]):
    n = [NUMBERS[(t // len(NUMBERS)) % len(NUMBERS)] if length > 1 else -(2**31) for t in range(length)]
    m = [NUMBERS[t % len(NUMBERS)] if length > 1 else -1 for t in range(length)]
    pairs = list(zip(n, m))
    write("%d.st" % length, length, {"n": n, "m": m})
    write("%d.expected.st" % length, length, {
        "quotients": [quotient(a, b) for a, b in pairs],
        "remainders": [remainder(a, b) for a, b in pairs],
        "wide": [real(quotient(a * 2**32, b)) for a, b in pairs],
        "rest": [remainder(a * 2**32, b) for a, b in pairs],
        "negated": [real(quotient(a * 2**32, -1)) for a in n],
        "by_place": [quotient(a, t - 3) for t, a in enumerate(n)],
        "of_place": [quotient(t, b) + remainder(t, b) for t, b in enumerate(m)],
        "folded": [quotient(t - 2, t - 3) + remainder(t - 2, t - 3) for t in range(length)]})
