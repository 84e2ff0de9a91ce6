"""Reads, writes and prints safetensors files for tests, with nothing but Python's library.

  tensors.py write FILE NAME DTYPE SHAPE VALUES [...]   SHAPE 2x3 or - (a scalar); VALUES 1,2,3
  tensors.py print FILE                                 one line per tensor
  tensors.py weights FILE FINGERPRINT VALUES            a Weft weights file of float32 numbers
"""
import struct
import sys

import tensorfile


def write(path, arguments):
    tensors = {}
    while arguments:
        name, dtype, shape, values = arguments[:4]
        arguments = arguments[4:]
        convert = float if dtype[0] == "F" else int
        extents = [] if shape == "-" else [int(extent) for extent in shape.split("x")]
        tensors[name] = dtype, extents, [convert(value) for value in values.split(",")] if values else []
    tensorfile.pack(path, tensors)


def show(path):
    for name, (dtype, shape, raw) in sorted(tensorfile.unpack(path).items()):
        print(name, dtype, shape, *("%g" % number for number in tensorfile.numbers(dtype, raw)))


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
