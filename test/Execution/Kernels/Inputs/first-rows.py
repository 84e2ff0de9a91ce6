"""first-rows.py cut FILE ROWS RESULT: the first rows of all tensors of f32; compare FILE CUT: whether CUT is such a file, to
the last bit."""
import sys

import tensorfile


def cut(tensor, rows):
    dtype, shape, data = tensor
    return dtype, [rows] + shape[1:], data[: len(data) // shape[0] * rows]


tensors = tensorfile.unpack(sys.argv[2])
if sys.argv[1] == "cut":
    tensorfile.pack(sys.argv[4], {name: cut(tensor, int(sys.argv[3])) for name, tensor in tensors.items()})
else:
    for name, tensor in tensorfile.unpack(sys.argv[3]).items():
        if cut(tensors[name], tensor[1][0]) != tensor:
            sys.exit(f"{name}: the first {tensor[1][0]} rows differ")
