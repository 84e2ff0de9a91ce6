"""Writes inputs for formulas.weft: x [1, T, 24] and ids [1, T]. usage: formulas.py T FILE"""
import json
import random
import struct
import sys

length = int(sys.argv[1])
random.seed(length)
x = struct.pack(f"<{length * 24}f", *[random.uniform(-2, 2) for _ in range(length * 24)])
ids = struct.pack(f"<{length}i", *[random.randrange(min(length, 5)) for _ in range(length)])
header = {
    "ids": {"dtype": "I32", "shape": [1, length], "data_offsets": [0, len(ids)]},
    "x": {"dtype": "F32", "shape": [1, length, 24], "data_offsets": [len(ids), len(ids) + len(x)]},
}
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(sys.argv[2], "wb") as file:
    file.write(struct.pack("<Q", len(text)) + text + ids + x)
