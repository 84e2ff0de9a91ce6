"""Makes small checkpoints in the formats in which quantised models are published, for tests:

    python3 utils/make_quantised.py DIR FORMAT -o OUT --dequantised PLAIN

Written from the descriptions of the formats, with nothing but Python's library. DIR holds a config.json, and maybe a
model.safetensors (without it a decoder like LLaMA has made-up weights). Every matrix `*_proj.weight` gets random codes,
scales and zeros: OUT has them as FORMAT packs them, PLAIN the numbers that they stand for.
"""
import argparse
import json
import os
import random
import struct

import make_gguf  # which finds tensorfile
import tensorfile

GROUP = 32
FOURS = make_gguf.gguf_blocks.FOURS


def rounded(value, code):
    return struct.unpack("<" + code, struct.pack("<" + code, value))[0]


def float8(byte):
    sign, exponent, mantissa = -1 if byte & 128 else 1, byte >> 3 & 15, byte & 7
    return sign * (mantissa / 8 * 2.0**-6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


def four(code):
    return -FOURS[code & 7] if code & 8 else FOURS[code]


def words(codes, bits):
    """Codes side by side, the first one lowest."""
    result = []
    for at in range(0, len(codes), 32 // bits):
        word = sum(code << bits * k for k, code in enumerate(codes[at : at + 32 // bits]))
        result.append(word - (1 << 32) if word >> 31 else word)
    return result


def columns(matrix):
    return [list(column) for column in zip(*matrix)]


class Draw:
    """Random parts of a matrix of `rows` x `width`."""

    def __init__(self, rows, width, seed):
        self.rows, self.width, self.random = rows, width, random.Random(seed)

    def codes(self, low, high, width=None):
        return [[self.random.randint(low, high) for _ in range(width or self.width)] for _ in range(self.rows)]

    def scales(self, width, code="e"):
        return [[rounded(self.random.uniform(0.002, 0.02), code) for _ in range(width)] for _ in range(self.rows)]


def flat(matrix):
    return [x for row in matrix for x in row]


def gptq(draw, bits=4, second=False, ordered=False):
    groups = draw.width // GROUP
    codes, zeros, scales = draw.codes(0, 2**bits - 1), draw.codes(1, 2**bits - 1, groups), draw.scales(groups)
    group_of = [k // GROUP for k in range(draw.width)]
    if ordered:
        draw.random.shuffle(group_of)
    values = [[scales[o][g] * (codes[o][k] - zeros[o][g]) for k, g in enumerate(group_of)] for o in range(draw.rows)]
    less = 0 if second else 1
    packed = columns([words(row, bits) for row in codes])
    packed_zeros = [words([zero - less for zero in column], bits) for column in columns(zeros)]
    parts = {
        "qweight": ("I32", [len(packed), draw.rows], flat(packed)),
        "qzeros": ("I32", [groups, len(packed_zeros[0])], flat(packed_zeros)),
        "scales": ("F16", [groups, draw.rows], flat(columns(scales))),
        "g_idx": ("I32", [draw.width], group_of),
    }
    return values, parts


def awq(draw):
    groups = draw.width // GROUP
    codes, zeros, scales = draw.codes(0, 15), draw.codes(0, 15, groups), draw.scales(groups)
    order = [0, 2, 4, 6, 1, 3, 5, 7]

    def pack(rows):
        return [words([row[at + k] for at in range(0, len(row), 8) for k in order], 4) for row in rows]

    values = [[scales[o][k // GROUP] * (codes[o][k] - zeros[o][k // GROUP]) for k in range(draw.width)] for o in range(draw.rows)]
    packed, packed_zeros = pack(columns(codes)), pack(columns(zeros))
    return values, {
        "qweight": ("I32", [draw.width, draw.rows // 8], flat(packed)),
        "qzeros": ("I32", [groups, draw.rows // 8], flat(packed_zeros)),
        "scales": ("F16", [groups, draw.rows], flat(columns(scales))),
    }


def pack_quantized(draw, symmetric=True):
    groups = draw.width // GROUP
    codes, zeros, scales = draw.codes(0, 15), draw.codes(0, 15, groups), draw.scales(groups)
    if symmetric:
        zeros = [[8] * groups for _ in zeros]
    values = [[scales[o][k // GROUP] * (codes[o][k] - zeros[o][k // GROUP]) for k in range(draw.width)] for o in range(draw.rows)]
    packed = [words(row, 4) for row in codes]
    parts = {
        "weight_packed": ("I32", [draw.rows, len(packed[0])], flat(packed)),
        "weight_scale": ("F16", [draw.rows, groups], flat(scales)),
        "weight_shape": ("I64", [2], [draw.rows, draw.width]),
    }
    if not symmetric:
        packed_zeros = columns([words(column, 4) for column in columns(zeros)])
        parts["weight_zero_point"] = ("I32", [len(packed_zeros), groups], flat(packed_zeros))
    return values, parts


def int_quantized(draw):
    codes, scales = draw.codes(-128, 127), draw.scales(1, "f")
    values = [[scales[o][0] * code for code in codes[o]] for o in range(draw.rows)]
    return values, {
        "weight": ("I8", [draw.rows, draw.width], flat(codes)),
        "weight_scale": ("F32", [draw.rows, 1], flat(scales)),
    }


def bytes_of_float8(draw, width=None):
    """Without what is no number."""
    return [[code if code & 127 != 127 else 0 for code in row] for row in draw.codes(0, 255, width)]


def float_quantized(draw):
    codes, scales = bytes_of_float8(draw), draw.scales(1, "f")
    scales = [[rounded(row[0] / 64, "f")] for row in scales]
    values = [[scales[o][0] * float8(code) for code in codes[o]] for o in range(draw.rows)]
    return values, {
        "weight": ("F8_E4M3", [draw.rows, draw.width], bytes(flat(codes))),
        "weight_scale": ("F32", [draw.rows, 1], flat(scales)),
    }


def static_float(draw):
    """One scale for all of the matrix, and one for what it is multiplied with."""
    codes, scale = bytes_of_float8(draw), 0.015625
    values = [[scale * float8(code) for code in row] for row in codes]
    return values, {
        "weight": ("F8_E4M3", [draw.rows, draw.width], bytes(flat(codes))),
        "weight_scale": ("F32", [1], [scale]),
        "input_scale": ("F32", [1], [0.5]),
    }


def fp8(draw):
    size = GROUP
    codes = bytes_of_float8(draw)
    tiles = Draw(-(-draw.rows // size), draw.width, 3).scales(-(-draw.width // size), "f")
    tiles = [[rounded(x / 64, "f") for x in row] for row in tiles]
    values = [[tiles[o // size][k // size] * float8(code) for k, code in enumerate(codes[o])] for o in range(draw.rows)]
    return values, {
        "weight": ("F8_E4M3", [draw.rows, draw.width], bytes(flat(codes))),
        "weight_scale_inv": ("F32", [len(tiles), len(tiles[0])], flat(tiles)),
    }


def nvfp4(draw):
    codes, scales = draw.codes(0, 15), draw.codes(8, 100, draw.width // 16)
    values = [[four(code) * float8(scales[o][k // 16]) / 512 for k, code in enumerate(codes[o])] for o in range(draw.rows)]
    packed = [[row[k] | row[k + 1] << 4 for k in range(0, draw.width, 2)] for row in codes]
    return values, {
        "weight_packed": ("U8", [draw.rows, draw.width // 2], flat(packed)),
        "weight_scale": ("F8_E4M3", [draw.rows, draw.width // 16], bytes(flat(scales))),
        "weight_global_scale": ("F32", [1], [512.0]),
    }


def mxfp4(draw):
    codes, scales = draw.codes(0, 15), draw.codes(118, 122, draw.width // 32)
    values = [[four(code) * 2.0 ** (scales[o][k // 32] - 127) for k, code in enumerate(codes[o])] for o in range(draw.rows)]
    packed = [[row[k] | row[k + 1] << 4 for k in range(0, draw.width, 2)] for row in codes]
    return values, {
        "weight_blocks": ("U8", [draw.rows, draw.width // 32, 16], flat(packed)),
        "weight_scales": ("U8", [draw.rows, draw.width // 32], flat(scales)),
    }


# The levels of NF4 and FP4, of QLoRA's paper and of bitsandbytes.
NF4 = [-1.0, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0.0,
       0.07958030, 0.16093020, 0.24611230, 0.33791524, 0.44070983, 0.56261700, 0.72295684, 1.0]  # fmt: skip
FP4 = [0.0, 0.0052083333, 0.66666667, 1.0, 0.33333333, 0.5, 0.16666667, 0.25]
FP4 += [-level for level in FP4]


def bitsandbytes(draw, kind, nested):
    levels = [rounded(level, "f") for level in (NF4 if kind == "nf4" else FP4)]
    codes = flat(draw.codes(0, 15))
    blocks = -(-len(codes) // 64)
    parts = {
        "weight": ("U8", [len(codes) // 2, 1], [codes[k] << 4 | codes[k + 1] for k in range(0, len(codes), 2)]),
        "weight.quant_map": ("F32", [16], levels),
    }
    state = {"quant_type": kind, "blocksize": 64, "dtype": "float16", "shape": [draw.rows, draw.width]}
    if nested:
        mean = rounded(draw.random.uniform(0.01, 0.02), "f")
        table = sorted(rounded(draw.random.uniform(-1, 1), "f") for _ in range(256))
        largest = [rounded(draw.random.uniform(0.001, 0.008), "f") for _ in range(-(-blocks // 256))]
        scale_codes = [draw.random.randint(0, 255) for _ in range(blocks)]
        scales = [table[code] * largest[k // 256] + mean for k, code in enumerate(scale_codes)]
        parts["weight.absmax"] = ("U8", [blocks], scale_codes)
        parts["weight.nested_quant_map"] = ("F32", [256], table)
        parts["weight.nested_absmax"] = ("F32", [len(largest)], largest)
        state.update({"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": mean})
    else:
        scales = [rounded(draw.random.uniform(0.002, 0.02), "f") for _ in range(blocks)]
        parts["weight.absmax"] = ("F32", [blocks], scales)
    text = list(json.dumps(state).encode())
    parts["weight.quant_state.bitsandbytes__" + kind] = ("U8", [len(text)], text)
    numbers = [levels[code] * scales[k // 64] for k, code in enumerate(codes)]
    return [numbers[at : at + draw.width] for at in range(0, len(numbers), draw.width)], parts


def llm_int8(draw):
    codes, scales = draw.codes(-127, 127), [rounded(127 * row[0], "f") for row in draw.scales(1)]
    values = [[scales[o] / 127 * code for code in codes[o]] for o in range(draw.rows)]
    return values, {
        "weight": ("I8", [draw.rows, draw.width], flat(codes)),
        "SCB": ("F32", [draw.rows], scales),
        "weight_format": ("U8", [], [0]),
    }


def four_bits(kind, nested):
    return lambda draw: bitsandbytes(draw, kind, nested), {
        "quant_method": "bitsandbytes",
        "load_in_4bit": True,
        "load_in_8bit": False,
        "bnb_4bit_quant_type": kind,
        "bnb_4bit_use_double_quant": nested,
    }


def compressed(kind, activations=None, **weights):
    group = {"weights": weights, "input_activations": activations}
    return {"quant_method": "compressed-tensors", "format": kind, "config_groups": {"group_0": group}}


STATIC = {"dynamic": False, "num_bits": 8, "strategy": "tensor", "symmetric": True, "type": "float"}


GPTQ = {"quant_method": "gptq", "bits": 4, "group_size": GROUP, "desc_act": False}
FORMATS = {
    "gptq": (gptq, GPTQ),
    "gptq-v2": (lambda draw: gptq(draw, second=True), {**GPTQ, "checkpoint_format": "gptq_v2"}),
    "gptq-8": (lambda draw: gptq(draw, bits=8), {**GPTQ, "bits": 8}),
    "gptq-ordered": (lambda draw: gptq(draw, ordered=True), {**GPTQ, "desc_act": True}),
    "awq": (awq, {"quant_method": "awq", "bits": 4, "group_size": GROUP, "version": "gemm", "zero_point": True}),
    "pack-quantized": (
        pack_quantized,
        compressed("pack-quantized", num_bits=4, group_size=GROUP, strategy="group", symmetric=True, type="int"),
    ),
    "pack-zeros": (
        lambda draw: pack_quantized(draw, symmetric=False),
        compressed("pack-quantized", num_bits=4, group_size=GROUP, strategy="group", symmetric=False, type="int"),
    ),
    "int-quantized": (int_quantized, compressed("int-quantized", num_bits=8, strategy="channel", symmetric=True, type="int")),
    "float-quantized": (
        float_quantized,
        compressed("float-quantized", num_bits=8, strategy="channel", symmetric=True, type="float"),
    ),
    "float-static": (
        static_float,
        compressed("float-quantized", activations=STATIC, num_bits=8, strategy="tensor", symmetric=True, type="float"),
    ),
    "nvfp4": (nvfp4, compressed("nvfp4-pack-quantized", num_bits=4, group_size=16, symmetric=True, type="float")),
    "fp8": (fp8, {"quant_method": "fp8", "weight_block_size": [GROUP, GROUP]}),
    "mxfp4": (mxfp4, {"quant_method": "mxfp4"}),
    "nf4": four_bits("nf4", nested=False),
    "nf4-nested": four_bits("nf4", nested=True),
    "fp4": four_bits("fp4", nested=False),
    "int8": (llm_int8, {"quant_method": "bitsandbytes", "load_in_4bit": False, "load_in_8bit": True}),
}


def write(folder, config, tensors):
    os.makedirs(folder, exist_ok=True)
    tensorfile.pack(os.path.join(folder, "model.safetensors"), tensors)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)


def quantise(tensors, name_of_format, is_chosen):
    """The tensors with the chosen matrices in the format, and with the numbers that these stand for."""
    make = FORMATS[name_of_format][0]
    coded, plain = {}, {}
    for number, (name, (shape, values)) in enumerate(sorted(tensors.items())):
        coded[name] = plain[name] = ("F32", shape, values)
        if not is_chosen(name, shape):
            continue
        del coded[name]
        values, parts = make(Draw(shape[0], shape[1], number))
        plain[name] = ("F32", shape, flat(values))
        coded.update({name[: -len("weight")] + part: stored for part, stored in parts.items()})
    return coded, plain


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("-o", required=True, dest="output")
    parser.add_argument("--dequantised", required=True)
    args = parser.parse_args()
    config, tensors = make_gguf.read_model(args.model)
    coded, plain = quantise(tensors, args.format, lambda name, shape: name.endswith("_proj.weight"))
    write(args.output, {**config, "quantization_config": FORMATS[args.format][1]}, coded)
    write(args.dequantised, config, plain)


if __name__ == "__main__":
    main()
