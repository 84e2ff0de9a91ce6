"""uniform.py FILE NAME SHAPE [...]: tensors of reals between -1 and 1; SHAPE 2x3."""
import math
import random
import sys

import tensorfile

random.seed(1)
tensors = {}
for name, shape in zip(sys.argv[2::2], sys.argv[3::2]):
    extents = [int(extent) for extent in shape.split("x")]
    tensors[name] = "F32", extents, [random.uniform(-1, 1) for _ in range(math.prod(extents))]
tensorfile.pack(sys.argv[1], tensors)
