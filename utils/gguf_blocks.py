"""How GGUF stores numbers: each type by plain loops over the bytes of its blocks, for make_gguf.py.

`encode` needs not be good, only valid; `decode` says what the bytes mean.
"""
import math
import struct

NUMBERS = {
    "F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7, "Q8_0": 8, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14,
    "IQ4_NL": 20, "IQ4_XS": 23, "BF16": 30, "MXFP4": 39,
}  # fmt: skip
BYTES = {
    "Q4_0": 18, "Q4_1": 20, "Q5_0": 22, "Q5_1": 24, "Q8_0": 34, "Q4_K": 144, "Q5_K": 176, "Q6_K": 210, "IQ4_NL": 18,
    "IQ4_XS": 136, "MXFP4": 17,
}  # fmt: skip
LEVELS = [-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113]
FOURS = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]


def block_size(kind):
    if kind not in BYTES:
        return 1
    return 256 if kind.endswith("_K") or kind == "IQ4_XS" else 32


def half(value):
    return struct.pack("<e", value)


def read_half(raw, at):
    return struct.unpack_from("<e", raw, at)[0]


def clip(value, low, high):
    return max(low, min(high, value))


def quotient(value, unit):
    return 0 if unit == 0 else int(math.floor(value / unit + 0.5))


def encode(kind, values):
    if kind == "F32":
        return struct.pack("<%df" % len(values), *values)
    if kind == "F16":
        return struct.pack("<%de" % len(values), *values)
    if kind == "BF16":
        raw = struct.pack("<%df" % len(values), *values)
        return b"".join(raw[i + 2 : i + 4] for i in range(0, len(raw), 4))  # cut off
    size = block_size(kind)
    return b"".join(ENCODERS[kind](values[i : i + size]) for i in range(0, len(values), size))


def decode(kind, raw):
    if kind == "F32":
        return list(struct.unpack("<%df" % (len(raw) // 4), raw))
    if kind == "F16":
        return list(struct.unpack("<%de" % (len(raw) // 2), raw))
    if kind == "BF16":
        return list(struct.unpack("<%df" % (len(raw) // 2), b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))))
    size, values = BYTES[kind], []
    for i in range(0, len(raw), size):
        values += DECODERS[kind](raw[i : i + size])
    return values


# ---------------------------------------------------------------------------- blocks of 32


def nibbles(codes):
    """Of 32 codes the first 16 in the lower halves of 16 bytes, the others in the upper ones."""
    return bytes(codes[i] | codes[i + 16] << 4 for i in range(16))


def read_nibbles(raw):
    return [byte & 15 for byte in raw] + [byte >> 4 for byte in raw]


def widest(values):
    """The element with the largest magnitude."""
    return max(values, key=abs)


def encode_symmetric(values, bits):
    middle = 1 << bits - 1
    scale = half(widest(values) / -middle)
    unit = read_half(scale, 0)
    return scale, [clip(quotient(value, unit) + middle, 0, 2 * middle - 1) for value in values]


def encode_affine(values, bits):
    low, high = min(values), max(values)
    head = half((high - low) / ((1 << bits) - 1)) + half(low)
    unit, least = read_half(head, 0), read_half(head, 2)
    return head, [clip(quotient(value - least, unit), 0, (1 << bits) - 1) for value in values]


def fifth_bits(codes):
    return struct.pack("<I", sum((code >> 4) << i for i, code in enumerate(codes)))


def encode_five(head, codes):
    return head + fifth_bits(codes) + nibbles([code & 15 for code in codes])


def decode_five(raw, at):
    (upper,) = struct.unpack_from("<I", raw, at)
    return [code + 16 * (upper >> i & 1) for i, code in enumerate(read_nibbles(raw[at + 4 :]))]


def encode_q4_0(values):
    head, codes = encode_symmetric(values, 4)
    return head + nibbles(codes)


def encode_q4_1(values):
    head, codes = encode_affine(values, 4)
    return head + nibbles(codes)


def encode_q8_0(values):
    scale = half(abs(widest(values)) / 127)
    unit = read_half(scale, 0)
    return scale + struct.pack("<32b", *[clip(quotient(value, unit), -127, 127) for value in values])


def nearest(value, levels):
    return min(range(len(levels)), key=lambda i: abs(levels[i] - value))


def encode_iq4_nl(values):
    scale = half(widest(values) / -127)
    unit = read_half(scale, 0) or 1
    return scale + nibbles([nearest(value / unit, LEVELS) for value in values])


def fours():
    return FOURS + [-x for x in FOURS]


def encode_mxfp4(values):
    largest = abs(widest(values))
    exponent = 0 if largest == 0 else clip(math.frexp(largest / 6)[1] + 127, 0, 254)
    unit = math.ldexp(1, exponent - 127)
    return bytes([exponent]) + nibbles([nearest(value / unit, fours()) for value in values])


# ---------------------------------------------------------------------------- blocks of 256


def encode_scaled_mins(values):
    """Q4_K and Q5_K: of eight parts a scale and an offset of 6 bits each; their units; and what codes count in."""
    parts = [values[i : i + 32] for i in range(0, 256, 32)]
    return parts, [max(0.0, -min(part)) for part in parts]


def pack_sixes(scales, mins):
    raw = [0] * 12
    for j in range(4):
        raw[j] = scales[j] | (scales[j + 4] >> 4) << 6
        raw[j + 4] = mins[j] | (mins[j + 4] >> 4) << 6
        raw[j + 8] = scales[j + 4] & 15 | (mins[j + 4] & 15) << 4
    return bytes(raw)


def unpack_sixes(raw):
    scales, mins = [], []
    for j in range(8):
        if j < 4:
            scales.append(raw[j] & 63)
            mins.append(raw[j + 4] & 63)
        else:
            scales.append(raw[j + 4] & 15 | (raw[j - 4] >> 6) << 4)
            mins.append(raw[j + 4] >> 4 | (raw[j] >> 6) << 4)
    return scales, mins


def encode_k(values, bits):
    top = (1 << bits) - 1
    parts, lows = encode_scaled_mins(values)
    units = [(max(part) + low) / top for part, low in zip(parts, lows)]
    head = half(max(units) / 63) + half(max(lows) / 63)
    unit, low_unit = read_half(head, 0), read_half(head, 2)
    scales = [clip(quotient(one, unit), 0, 63) for one in units]
    mins = [clip(quotient(one, low_unit), 0, 63) for one in lows]
    codes = []
    for part, scale, low in zip(parts, scales, mins):
        codes += [clip(quotient(value + low_unit * low, unit * scale), 0, top) for value in part]
    return head + pack_sixes(scales, mins), codes


def encode_q4_k(values):
    head, codes = encode_k(values, 4)
    return head + b"".join(bytes(codes[i + l] | codes[i + l + 32] << 4 for l in range(32)) for i in range(0, 256, 64))


def encode_q5_k(values):
    head, codes = encode_k(values, 5)
    upper = bytes(sum((codes[32 * j + l] >> 4) << j for j in range(8)) for l in range(32))
    lower = [code & 15 for code in codes]
    return head + upper + b"".join(
        bytes(lower[i + l] | lower[i + l + 32] << 4 for l in range(32)) for i in range(0, 256, 64)
    )


def decode_k(raw, fifth):
    unit, low_unit = read_half(raw, 0), read_half(raw, 2)
    scales, mins = unpack_sixes(raw[4:16])
    values, at = [], 48 if fifth else 16
    for j in range(8):
        for l in range(32):
            byte = raw[at + 32 * (j // 2) + l]
            code = byte >> 4 if j % 2 else byte & 15
            if fifth:
                code += 16 * (raw[16 + l] >> j & 1)
            values.append(unit * scales[j] * code - low_unit * mins[j])
    return values


def encode_q6_k(values):
    parts = [values[i : i + 16] for i in range(0, 256, 16)]
    units = [widest(part) / -32 for part in parts]
    head = half(max(abs(one) for one in units) / 127)
    unit = read_half(head, 0)
    scales = [clip(quotient(one, unit), -127, 127) for one in units]
    codes = []
    for part, scale in zip(parts, scales):
        codes += [clip(quotient(value, unit * scale) + 32, 0, 63) for value in part]
    low, high = bytearray(128), bytearray(64)
    for half_block in range(2):
        for l in range(32):
            one, two, three, four = (codes[128 * half_block + 32 * k + l] for k in range(4))
            low[64 * half_block + l] = one & 15 | (three & 15) << 4
            low[64 * half_block + 32 + l] = two & 15 | (four & 15) << 4
            high[32 * half_block + l] = one >> 4 | (two >> 4) << 2 | (three >> 4) << 4 | (four >> 4) << 6
    return bytes(low) + bytes(high) + struct.pack("<16b", *scales) + head


def decode_q6_k(raw):
    unit, scales = read_half(raw, 208), struct.unpack_from("<16b", raw, 192)
    values = [0.0] * 256
    for half_block in range(2):
        for l in range(32):
            first, second = raw[64 * half_block + l], raw[64 * half_block + 32 + l]
            upper = raw[128 + 32 * half_block + l]
            codes = [first & 15, second & 15, first >> 4, second >> 4]
            for k in range(4):
                at = 128 * half_block + 32 * k + l
                values[at] = unit * scales[at // 16] * ((codes[k] | (upper >> 2 * k & 3) << 4) - 32)
    return values


def encode_iq4_xs(values):
    parts = [values[i : i + 32] for i in range(0, 256, 32)]
    units = [widest(part) / -127 for part in parts]
    head = half(max(abs(one) for one in units) / 31)
    unit = read_half(head, 0)
    scales = [clip(quotient(one, unit), -32, 31) for one in units]
    upper, lower, codes = 0, bytearray(4), b""
    for j, (part, scale) in enumerate(zip(parts, scales)):
        upper |= (scale + 32 >> 4) << 2 * j
        lower[j // 2] |= (scale + 32 & 15) << 4 * (j % 2)
        codes += nibbles([nearest(value / (unit * scale or 1), LEVELS) for value in part])
    return head + struct.pack("<H", upper) + bytes(lower) + codes


def decode_iq4_xs(raw):
    unit, (upper,) = read_half(raw, 0), struct.unpack_from("<H", raw, 2)
    values = []
    for j in range(8):
        scale = (raw[4 + j // 2] >> 4 * (j % 2) & 15 | (upper >> 2 * j & 3) << 4) - 32
        values += [unit * scale * LEVELS[code] for code in read_nibbles(raw[8 + 16 * j : 24 + 16 * j])]
    return values


ENCODERS = {
    "Q4_0": encode_q4_0,
    "Q4_1": encode_q4_1,
    "Q5_0": lambda values: encode_five(*encode_symmetric(values, 5)),
    "Q5_1": lambda values: encode_five(*encode_affine(values, 5)),
    "Q8_0": encode_q8_0,
    "Q4_K": encode_q4_k,
    "Q5_K": encode_q5_k,
    "Q6_K": encode_q6_k,
    "IQ4_NL": encode_iq4_nl,
    "IQ4_XS": encode_iq4_xs,
    "MXFP4": encode_mxfp4,
}
DECODERS = {
    "Q4_0": lambda raw: [read_half(raw, 0) * (code - 8) for code in read_nibbles(raw[2:])],
    "Q4_1": lambda raw: [read_half(raw, 0) * code + read_half(raw, 2) for code in read_nibbles(raw[4:])],
    "Q5_0": lambda raw: [read_half(raw, 0) * (code - 16) for code in decode_five(raw, 2)],
    "Q5_1": lambda raw: [read_half(raw, 0) * code + read_half(raw, 2) for code in decode_five(raw, 4)],
    "Q8_0": lambda raw: [read_half(raw, 0) * code for code in struct.unpack_from("<32b", raw, 2)],
    "Q4_K": lambda raw: decode_k(raw, fifth=False),
    "Q5_K": lambda raw: decode_k(raw, fifth=True),
    "Q6_K": decode_q6_k,
    "IQ4_NL": lambda raw: [read_half(raw, 0) * LEVELS[code] for code in read_nibbles(raw[2:])],
    "IQ4_XS": decode_iq4_xs,
    "MXFP4": lambda raw: [math.ldexp(fours()[code], raw[0] - 127) for code in read_nibbles(raw[1:])],
}
