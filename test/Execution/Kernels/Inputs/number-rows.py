"""number-rows.py show FILE: which rows of each tensor of f32 have no NaN; clear FILE RESULT NAME FIRST LAST ...: RESULT has NaNs in these rows of
a tensor."""
import math
import struct
import sys

import tensorfile


def numbered(shape, data):
    size = len(data) // shape[0]
    rows = (struct.unpack(f"<{size // 4}f", data[row * size:(row + 1) * size]) for row in range(shape[0]))
    return [number for number, row in enumerate(rows) if not any(map(math.isnan, row))]


tensors = tensorfile.unpack(sys.argv[2])
if sys.argv[1] == "show":
    for name, (_, shape, data) in tensors.items():
        rows = numbered(shape, data)
        starts = [row for row in rows if row - 1 not in rows]
        ends = [row for row in rows if row + 1 not in rows]
        print(f"{name}:", ", ".join(f"{first} to {last}" for first, last in zip(starts, ends)) or "none")
else:
    result, name = sys.argv[3:5]
    dtype, shape, data = tensors[name]
    numbers = list(struct.unpack(f"<{len(data) // 4}f", data))
    size = len(numbers) // shape[0]
    for first, last in zip(map(int, sys.argv[5::2]), map(int, sys.argv[6::2])):
        numbers[first * size:(last + 1) * size] = [math.nan] * ((last + 1 - first) * size)
    tensors[name] = dtype, shape, numbers
    tensorfile.pack(result, tensors)
