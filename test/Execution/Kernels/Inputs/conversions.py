"""All numbers of a type of 16 bits, and the f32 numbers next to and in the middle of two of them.

  conversions.py write f16|bf16 FILE     inputs: `small` (every pattern of bits) and `wide`
  conversions.py check f16|bf16 FILE     outputs: `widened` of small, `narrowed` of wide, bit for bit
  conversions.py flushed f16|bf16 FILE   the same, but subnormal numbers of wide may have become 0 in bf16: those of f32 do in
                                         the instruction that rounds to it
"""
import math
import struct
import sys

import tensorfile

MANTISSA = {"f16": 10, "bf16": 7}
PATTERNS = range(0x10000)


def value(kind, bits):
    if kind == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    return struct.unpack("<e", struct.pack("<H", bits))[0]


def magnitudes(kind):
    """Of all bits up to infinity, which stands for the number that would come next."""
    infinity = {"f16": 0x7C00, "bf16": 0x7F80}[kind]
    numbers = [value(kind, bits) for bits in range(infinity)]
    return numbers + [2.0 ** (16 if kind == "f16" else 128)]


def beside(number, step):
    """The f32 number before or behind a positive one."""
    bits = struct.unpack("<I", struct.pack("<f", number))[0]
    return struct.unpack("<f", struct.pack("<I", bits + step))[0]


def roundings(kind):
    """f32 numbers and the bits that each becomes."""
    numbers = magnitudes(kind)
    infinity, quiet = len(numbers) - 1, 1 << (MANTISSA[kind] - 1)
    result = [(math.inf, infinity), (-math.inf, infinity | 0x8000), (math.nan, infinity | quiet), (-0.0, 0x8000)]
    result += [(3.0e38, infinity if kind == "f16" else 0x7F62), (1e-45, 0 if kind == "f16" else 0)]
    for bits in range(infinity):
        result.append((numbers[bits], bits))
        middle = (numbers[bits] + numbers[bits + 1]) / 2
        even = bits + bits % 2
        result.append((middle, even))
        result.append((-middle, even | 0x8000))
        result.append((beside(middle, -1), bits))
        result.append((beside(middle, 1), bits + 1))
    return result


def write(kind, path):
    wide = [number for number, _ in roundings(kind)]
    small = struct.pack("<65536H", *PATTERNS)
    tensorfile.pack(path, {"small": (kind.upper(), [len(PATTERNS)], small), "wide": ("F32", [len(wide)], wide)})


def is_flushed(number, got):
    return abs(number) < 2.0 ** -126 and got == (0x8000 if math.copysign(1, number) < 0 else 0)


def check(kind, path, flushes):
    results = tensorfile.unpack(path)
    dtype, _, raw = results["narrowed"]
    assert dtype == kind.upper(), dtype
    widened = struct.unpack("<65536f", results["widened"][2])
    for bits, got in zip(PATTERNS, widened):
        wanted = value(kind, bits)
        same = math.isnan(got) if math.isnan(wanted) else struct.pack("<f", got) == struct.pack("<f", wanted)
        assert same, "%s %#x became %r, expected %r" % (kind, bits, got, wanted)
    cases = roundings(kind)
    narrowed = struct.unpack("<%dH" % len(cases), raw)
    for (number, wanted), got in zip(cases, narrowed):
        if math.isnan(number):
            assert math.isnan(value(kind, got)), hex(got)
        else:
            flushed = flushes and kind == "bf16" and is_flushed(number, got)
            assert got == wanted or flushed, "%r became %#x in %s, expected %#x" % (number, got, kind, wanted)
    print(kind, len(cases), "roundings agree")


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3])
    else:
        check(sys.argv[2], sys.argv[3], flushes=sys.argv[1] == "flushed")
