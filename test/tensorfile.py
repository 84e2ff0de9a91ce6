"""Reads and writes safetensors files with nothing but Python's library: tensors as nested lists."""
import json
import struct

CODES = {"F32": "f", "I32": "i", "BOOL": "?"}


def flatten(values):
    return [x for value in values for x in flatten(value)] if isinstance(values, list) else [values]


def shape_of(values):
    return [len(values)] + shape_of(values[0]) if isinstance(values, list) else []


def dtype_of(flat):
    if all(isinstance(x, bool) for x in flat):
        return "BOOL"
    return "I32" if all(isinstance(x, int) for x in flat) else "F32"


def write(path, tensors):
    header, data = {}, b""
    for name, values in tensors.items():
        flat = flatten(values)
        dtype = dtype_of(flat)
        raw = struct.pack("<%d%s" % (len(flat), CODES[dtype]), *flat)
        header[name] = {"dtype": dtype, "shape": shape_of(values), "data_offsets": [len(data), len(data) + len(raw)]}
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


def shapes(path):
    with open(path, "rb") as file:
        return {name: entry["shape"] for name, entry in header_of(file).items()}


def read(path):
    """For each name the shape and the elements, row by row."""
    with open(path, "rb") as file:
        header, data = header_of(file), file.read()
    result = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        code = CODES[entry["dtype"]]
        count = (end - begin) // struct.calcsize(code)
        result[name] = (entry["shape"], struct.unpack("<%d%s" % (count, code), data[begin:end]))
    return result
