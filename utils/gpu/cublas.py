"""cuBLASLt: products with sums of f32, by the fastest of the algorithms that it proposes."""
import ctypes
import ctypes.util
import glob
import os
import sys

import normal
from baselines import Baseline
from device import Missing
from shapes import SIZE

DATA = {"f32": 0, "bf16": 14}      # CUDA_R_32F, CUDA_R_16BF
COMPUTE_F32, TRANSPOSE_A, WORKSPACE_BYTES = 68, 3, 1
WORKSPACE, PROPOSALS = 64 << 20, 8


class Proposal(ctypes.Structure):  # cublasLtMatmulHeuristicResult_t
    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


def find_library():
    """Of the system, a toolkit, or pip's packages, those that PyTorch brings."""
    names = [os.environ.get("WEFT_CUBLASLT"), ctypes.util.find_library("cublasLt"), "libcublasLt.so.13", "libcublasLt.so.12"]
    names += sorted(glob.glob("/usr/local/cuda*/lib64/libcublasLt.so.*"), reverse=True)
    for folder in sys.path:
        names += glob.glob(os.path.join(folder, "nvidia", "*", "lib", "libcublasLt.so.*"))
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise Missing("cuBLASLt: not found")


class Product:
    def __init__(self, library, handle, device, shape, element):
        self.library, self.handle, self.device = library, handle, device
        m, k, n = (shape.sizes[name] for name in "MKN")
        self.buffers = []
        self.factors = [self.buffer(count * SIZE[element], normal.pool(seed, element)[0])
                        for seed, count in (("w", n * k), ("x", m * k))]
        self.result, self.space = self.buffer(m * n * SIZE[element]), self.buffer(WORKSPACE)
        self.one, self.zero = ctypes.c_float(1), ctypes.c_float(0)
        self.operation, self.preference = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("MatmulDescCreate", ctypes.byref(self.operation), COMPUTE_F32, DATA["f32"])
        self.set("MatmulDescSetAttribute", self.operation, TRANSPOSE_A, ctypes.c_int32(1))
        self.call("MatmulPreferenceCreate", ctypes.byref(self.preference))
        self.set("MatmulPreferenceSetAttribute", self.preference, WORKSPACE_BYTES, ctypes.c_uint64(WORKSPACE))
        # Column-major, y^T [n, m] = w [n, k] x^T [k, m]: the first factor transposed.
        self.layouts = [self.layout(DATA[element], *extents) for extents in ((k, n), (k, m), (n, m))]

    def call(self, name, *arguments):
        code = getattr(self.library, "cublasLt" + name)(*arguments)
        if code:
            raise Missing(f"cublasLt{name} failed with {code}")

    def set(self, function, target, attribute, value):
        self.call(function, target, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value)))

    def buffer(self, size, data=None):
        self.buffers.append(self.device.allocate(size))
        if data:
            self.device.fill(self.buffers[-1], size, data)
        return self.buffers[-1]

    def layout(self, data, rows, columns):
        layout = ctypes.c_void_p()
        self.call("MatrixLayoutCreate", ctypes.byref(layout), data, ctypes.c_uint64(rows), ctypes.c_uint64(columns),
                  ctypes.c_int64(rows))
        return layout

    def propose(self):
        w, x, y = self.layouts
        proposals, count = (Proposal * PROPOSALS)(), ctypes.c_int()
        self.call("MatmulAlgoGetHeuristic", self.handle, self.operation, w, x, y, y, self.preference, PROPOSALS, proposals,
                  ctypes.byref(count))
        return [one for one in proposals[:count.value] if one.state == 0]

    def run(self, proposal):
        w, x, y = self.layouts
        self.call("Matmul", self.handle, self.operation, ctypes.byref(self.one), self.factors[0], w, self.factors[1], x,
                  ctypes.byref(self.zero), self.result, y, self.result, y, ctypes.byref(proposal), self.space,
                  ctypes.c_size_t(WORKSPACE), None)

    def choose(self):
        """A function that runs the fastest."""
        proposals = self.propose()
        if not proposals:
            raise Missing("cublasLt proposes no algorithm")
        best = min(proposals, key=lambda one: self.device.time(lambda: self.run(one), 3))
        return lambda: self.run(best)

    def __del__(self):
        for address in self.buffers:
            self.device.free(address)


def find(device):
    library = find_library()
    handle = ctypes.c_void_p()
    code = library.cublasLtCreate(ctypes.byref(handle))
    if code:
        raise Missing(f"cuBLASLt: cublasLtCreate failed with {code}")

    def prepare(shape, element):
        return Product(library, handle, device, shape, element).choose() if shape.kind == "product" else None
    return [Baseline("cuBLASLt", prepare)]
