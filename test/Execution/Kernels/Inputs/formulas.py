"""Writes inputs for formulas.weft: x [1, T, 24] and ids [1, T]. usage: formulas.py T FILE"""
import random
import sys

import tensorfile

length = int(sys.argv[1])
random.seed(length)
x = [random.uniform(-2, 2) for _ in range(length * 24)]
ids = [random.randrange(min(length, 5)) for _ in range(length)]
tensorfile.pack(sys.argv[2], {"ids": ("I32", [1, length], ids), "x": ("F32", [1, length, 24], x)})
