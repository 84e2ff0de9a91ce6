"""Reads, writes and prints safetensors files for tests, with nothing but Python's library.

  tensors.py write FILE NAME DTYPE SHAPE VALUES [...]   SHAPE 2x3 or - (a scalar); VALUES 1,2,3
  tensors.py print FILE                                 one line per tensor
  tensors.py weights FILE FINGERPRINT VALUES            a Weft weights file of float32 numbers
"""
import json
import struct
import sys

CODES = {"F64": "d", "F32": "f", "I64": "q", "I32": "i", "F16": "e", "I8": "b", "U8": "B", "BOOL": "B"}


def write(path, arguments):
    header, data = {}, b""
    while arguments:
        name, dtype, shape, values = arguments[:4]
        arguments = arguments[4:]
        convert = float if dtype[0] == "F" else int
        numbers = [convert(value) for value in values.split(",")] if values else []
        extents = [] if shape == "-" else [int(extent) for extent in shape.split("x")]
        raw = struct.pack("<%d%s" % (len(numbers), CODES[dtype]), *numbers)
        header[name] = {"dtype": dtype, "shape": extents, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def show(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    for name in sorted(header):
        if name == "__metadata__":
            continue
        begin, end = header[name]["data_offsets"]
        code = CODES[header[name]["dtype"]]
        numbers = struct.unpack("<%d%s" % ((end - begin) // struct.calcsize(code), code), data[begin:end])
        print(name, header[name]["dtype"], header[name]["shape"], *("%g" % number for number in numbers))


def weights(path, fingerprint, values):
    numbers = [float(value) for value in values.split(",")]
    size = 64 + 4 * len(numbers)
    with open(path, "wb") as file:
        file.write(struct.pack("<8sQQ40x", b"WEFTWTS1", int(fingerprint, 0), size))
        file.write(struct.pack("<%df" % len(numbers), *numbers))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], sys.argv[3:])
    elif sys.argv[1] == "print":
        show(sys.argv[2])
    else:
        weights(*sys.argv[2:5])
