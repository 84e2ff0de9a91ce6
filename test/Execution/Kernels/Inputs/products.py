"""products.py FILE [NAME...]: random inputs (all, or those) for products.test, with T = 13."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
import tensorfile

A, B, C, H, T = 33, 97, 13, 3, 13
SHAPES = {"a": [A, B], "b": [B, A], "q": [H, T, C], "k": [H, T, C], "v": [H, T, A], "one": [1, B]}
SHAPES.update({"x": [T, A], "y": [T, B], "z": [T, A]})


def tensor(shape):
    return [tensor(shape[1:]) for _ in range(shape[0])] if shape else random.uniform(-1, 1)


random.seed(1)
names = sys.argv[2:] or SHAPES
tensorfile.write(sys.argv[1], {name: tensor(SHAPES[name]) for name in names})
