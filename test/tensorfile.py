"""Reads and writes safetensors files with nothing but Python's library. lit puts it where the scripts of tests find it."""
import json
import struct

CODES = {"F64": "d", "F32": "f", "F16": "e", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U8": "B", "BOOL": "?"}


def pack(path, tensors):
    """Writes for each name a type, a shape, and the elements row by row: numbers, or the bytes of a tensor."""
    header, data = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        raw = values if isinstance(values, bytes) else struct.pack("<%d%s" % (len(values), CODES[dtype]), *values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def header_of(file):
    (size,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(size))
    header.pop("__metadata__", None)
    return header


def unpack(path):
    """For each name the type, the shape and the bytes."""
    with open(path, "rb") as file:
        header, data = header_of(file), file.read()
    return {name: (entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])]) for name, entry in header.items()}


def shapes(path):
    with open(path, "rb") as file:
        return {name: entry["shape"] for name, entry in header_of(file).items()}


def numbers(dtype, raw):
    if dtype == "BF16":  # the upper half of a float
        raw = b"".join(b"\0\0" + raw[i : i + 2] for i in range(0, len(raw), 2))
        dtype = "F32"
    code = CODES[dtype]
    return struct.unpack("<%d%s" % (len(raw) // struct.calcsize(code), code), raw)


def flatten(values):
    return [x for value in values for x in flatten(value)] if isinstance(values, list) else [values]


def shape_of(values):
    return [len(values)] + shape_of(values[0]) if isinstance(values, list) else []


def dtype_of(flat):
    if all(isinstance(x, bool) for x in flat):
        return "BOOL"
    return "I32" if all(isinstance(x, int) for x in flat) else "F32"


def write(path, tensors):
    """Tensors as nested lists."""
    flat = {name: flatten(values) for name, values in tensors.items()}
    pack(path, {name: (dtype_of(flat[name]), shape_of(values), flat[name]) for name, values in tensors.items()})


def read(path):
    """For each name the shape and the elements, row by row."""
    return {name: (shape, numbers(dtype, raw)) for name, (dtype, shape, raw) in unpack(path).items()}
