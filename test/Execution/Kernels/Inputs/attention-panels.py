"""attention-panels.py FILE T: random inputs for attention-panels.test."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
import tensorfile


def tensor(shape):
    return [tensor(shape[1:]) for _ in range(shape[0])] if shape else random.uniform(-1, 1)


length = int(sys.argv[2])
random.seed(length)
tensorfile.write(sys.argv[1], {"q": tensor([length, 4, 24]), "kv": tensor([length, 2, 2, 24])})
