"""Writes ONNX models with made-up weights, in the fused operators that ONNX Runtime has for transformers."""
import array
import os
import random
import struct

FLOAT, UINT8, INT8, INT32, INT64 = 1, 2, 3, 6, 7
MICROSOFT = "com.microsoft"


def varint(value):
    value &= (1 << 64) - 1
    data = b""
    while value > 127:
        data += bytes([value & 127 | 128])
        value >>= 7
    return data + bytes([value])


def field(number, value):
    """A field of a protocol buffer: a number, a text, or a message that is bytes already."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def attribute(name, value):
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, item) for item in value) + field(20, 7)
    kind = 1 if isinstance(value, float) else 2
    return field(1, name) + field(kind + 1, value) + field(20, kind)


class Graph:
    """A graph under construction; tensors are names. Large weights go to a file beside the model."""

    def __init__(self, path):
        self.path, self.nodes, self.tensors, self.inputs, self.outputs = path, [], [], [], []
        self.count, self.offset = 0, 0
        self.data = open(path + ".data", "wb")
        draw = random.Random(1)
        self.floats = array.array("f", [draw.gauss(0, 0.02) for _ in range(262147)]).tobytes()
        self.codes = draw.randbytes(1048583)

    def name(self):
        self.count += 1
        return f"t{self.count}"

    def node(self, op, inputs, outputs=None, domain="", **attributes):
        outputs = outputs or [self.name()]
        fields = [field(1, name) for name in inputs] + [field(2, name) for name in outputs] + [field(4, op)]
        fields += [field(5, attribute(name, value)) for name, value in attributes.items()] + [field(7, domain)]
        self.nodes.append(b"".join(fields))
        return outputs[0]

    def value(self, name, kind, dims):
        """An input or an output; a dimension may be a name."""
        shape = b"".join(field(1, field(1 if isinstance(d, int) else 2, d)) for d in dims)
        return field(1, name) + field(2, field(1, field(1, kind) + field(2, shape)))

    def input(self, name, kind, dims):
        self.inputs.append(self.value(name, kind, dims))
        return name

    def output(self, name, dims):
        self.outputs.append(self.value(name, FLOAT, dims))

    def constant(self, kind, dims, raw):
        """A small tensor."""
        name = self.name()
        self.tensors.append(b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + field(9, raw))
        return name

    def filled(self, value, *dims):
        count = 1
        for extent in dims:
            count *= extent
        return self.constant(FLOAT, dims, struct.pack("<f", value) * count)

    def integers(self, values, dims=None):
        return self.constant(INT64, [len(values)] if dims is None else dims, struct.pack(f"<{len(values)}q", *values))

    def weight(self, kind, *dims):
        name, length, source = self.name(), 4 if kind == FLOAT else 1, self.floats if kind == FLOAT else self.codes
        for extent in dims:
            length *= extent
        padding = -self.offset % 4096
        # Begins elsewhere for each tensor: ONNX Runtime keeps one copy of those that are equal.
        first = 4096 * len(self.tensors) % len(source)
        self.data.write(b"\0" * padding + (source * (length // len(source) + 2))[first:first + length])
        place = {"location": os.path.basename(self.path) + ".data", "offset": str(self.offset + padding),
                 "length": str(length)}
        self.offset += padding + length
        entries = b"".join(field(13, field(1, key) + field(2, value)) for key, value in place.items())
        self.tensors.append(b"".join(field(1, d) for d in dims) + field(2, kind) + field(8, name) + entries + field(14, 1))
        return name

    def linear(self, x, rows, columns, form, bias=True):
        """x times a matrix: f32, int8 (a scale for each column, rows of x rounded as they come), or blocks of 32 codes."""
        if form == "int8":
            scale, zero = self.filled(0.0005, columns), [self.filled(0, columns)] if bias else []
            return self.node("DynamicQuantizeMatMul", [x, self.weight(INT8, rows, columns), scale, ""] + zero,
                             domain=MICROSOFT)
        if form == "f32":
            y = self.node("MatMul", [x, self.weight(FLOAT, rows, columns)])
        else:
            bits, blocks = {"blocks8": 8, "blocks4": 4}[form], rows // 32
            scales = self.filled(0.0003 if bits == 8 else 0.004, columns * blocks)
            y = self.node("MatMulNBits", [x, self.weight(UINT8, columns, blocks, 4 * bits), scales], domain=MICROSOFT,
                          K=rows, N=columns, bits=bits, block_size=32, accuracy_level=4)
        return self.node("Add", [y, self.filled(0, columns)]) if bias else y

    def save(self):
        graph = [field(1, node) for node in self.nodes] + [field(2, "g")] + [field(5, t) for t in self.tensors]
        graph += [field(11, value) for value in self.inputs] + [field(12, value) for value in self.outputs]
        sets = field(8, field(1, "") + field(2, 17)) + field(8, field(1, MICROSOFT) + field(2, 1))
        self.data.close()
        with open(self.path + ".part", "wb") as file:
            file.write(field(1, 8) + field(7, b"".join(graph)) + sets)
        os.rename(self.path + ".part", self.path)
