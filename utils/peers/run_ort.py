#!/usr/bin/env python3
"""ONNX Runtime as a worker (worker.py), through the C interface of the library in its npm package, with the cache of a
decoder shared in place. int8 is a scale for each column, or with `blocks` one for 32 codes. usage: run_ort.py PREFIX FORM"""
import array
import ctypes
import glob
import json
import os
import re
import sys

import onnx_models
import worker

PACKAGE = "npm/node_modules/onnxruntime-node"
POINTER, INT = ctypes.c_void_p, ctypes.c_int
# Places of functions in OrtApi, to which later versions only append.
PLACES = {
    "message": (2, []), "create_env": (3, [INT, ctypes.c_char_p, POINTER]),
    "create_session": (7, [POINTER, ctypes.c_char_p, POINTER, POINTER]),
    "run": (9, [POINTER, POINTER, POINTER, POINTER, ctypes.c_size_t, POINTER, ctypes.c_size_t, POINTER]),
    "create_options": (10, [POINTER]), "set_optimisation": (23, [POINTER, INT]), "set_threads": (24, [POINTER, INT]),
    "create_tensor": (49, [POINTER, POINTER, ctypes.c_size_t, POINTER, ctypes.c_size_t, INT, POINTER]),
    "cpu_memory": (69, [INT, INT, POINTER]), "release_value": (96, []), "release_session": (95, []),
}
TYPES = {"f": 1, "i": 6, "q": 7}


class Runtime:
    def __init__(self, prefix):
        package = os.path.join(prefix, PACKAGE)
        library = ctypes.CDLL(glob.glob(package + "/bin/napi-v*/linux/x64/libonnxruntime.so.1")[0])
        with open(package + "/package.json", encoding="utf-8") as file:
            self.version = json.load(file)["version"]
        library.OrtGetApiBase.restype = ctypes.POINTER(POINTER)
        get = ctypes.CFUNCTYPE(ctypes.POINTER(POINTER), ctypes.c_uint32)(library.OrtGetApiBase()[0])
        self.api = get(17)
        self.text = ctypes.CFUNCTYPE(ctypes.c_char_p, POINTER)(self.api[PLACES["message"][0]])
        self.env, self.memory = POINTER(), POINTER()
        self.call("create_env", 3, b"weft", ctypes.byref(self.env))
        self.call("cpu_memory", 1, 0, ctypes.byref(self.memory))

    def call(self, name, *arguments):
        place, kinds = PLACES[name]
        status = ctypes.CFUNCTYPE(POINTER, *kinds)(self.api[place])(*arguments)
        if status:
            raise worker.Missing("ONNX Runtime: " + re.sub(r"\s+", " ", self.text(status).decode())[:200])

    def release(self, name, pointer):
        ctypes.CFUNCTYPE(None, POINTER)(self.api[PLACES[name][0]])(pointer)

    def tensor(self, values, dims):
        value, data = POINTER(), values.buffer_info()[0]
        shape = (ctypes.c_int64 * max(1, len(dims)))(*dims)
        self.call("create_tensor", self.memory, data, len(values) * values.itemsize, shape, len(dims),
                  TYPES[values.typecode], ctypes.byref(value))
        return value


class Session:
    def __init__(self, runtime, path, threads, inputs, shared):
        self.runtime, self.session, options = runtime, POINTER(), POINTER()
        runtime.call("create_options", ctypes.byref(options))
        runtime.call("set_optimisation", options, 99)
        runtime.call("set_threads", options, threads)
        runtime.call("create_session", runtime.env, path.encode(), options, ctypes.byref(self.session))
        self.kept = (inputs, shared)  # the memory under the tensors
        names = list(inputs) + ["past_" + name for name in shared]
        values = [runtime.tensor(*inputs[name]) for name in inputs]
        caches = [runtime.tensor(*shared[name]) for name in shared]
        self.values = (POINTER * len(names))(*[v.value for v in values + caches])
        self.names = (ctypes.c_char_p * len(names))(*[name.encode() for name in names])
        results = ["present_" + name for name in shared] + ["y"]
        self.results = (ctypes.c_char_p * len(results))(*[name.encode() for name in results])
        self.caches = caches

    def run(self):
        outputs = (POINTER * (len(self.caches) + 1))(*[cache.value for cache in self.caches])
        self.runtime.call("run", self.session, None, self.names, self.values, len(self.names), self.results,
                          len(outputs), outputs)
        self.runtime.release("release_value", outputs[len(self.caches)])

    def __del__(self):
        for value in getattr(self, "values", []):
            self.runtime.release("release_value", value)
        if self.session:
            self.runtime.release("release_session", self.session)


def reals(*dims):
    count = 1
    for extent in dims:
        count *= extent
    return array.array("f", [((i * 40503) % 2001 - 1000) / 1000 for i in range(2001)] * (count // 2001 + 1))[:count], dims


def arguments(work):
    """Inputs of the graph, and the cache that is input and output."""
    sizes, length = work.sizes, 1 if work.kind == "decode" else work.sizes.get("S", 0)
    words = {"ids": (array.array("q", [(i * 37 + 5) % 30000 for i in range(length)]), (1, length)),
             "places": (array.array("q", range(length)), (1, length))}
    if work.kind == "bert":
        return words, {}
    if work.kind == "vit":
        return {"image": reals(1, 3, 224, 224)}, {}
    if work.kind == "attention":
        return {name: reals(1, length, 768) for name in "qkv"}, {}
    if work.kind in ("prefill", "decode"):
        total = sizes["S"] + (work.kind == "decode")
        layers, groups = (22, 4) if work.model == "tinyllama" else (12, 12)
        if work.model == "tinyllama":
            del words["places"]
        words.update(seqlens=(array.array("i", [total - 1]), (1,)), total=(array.array("i", [total]), ()))
        return words, {f"{c}{i}": reals(1, groups, 1024, 64) for i in range(layers) for c in "kv"}
    return {"x": reals(sizes["M"], sizes["K" if work.kind == "product" else "N"])}, {}


def main():
    prefix, blocks = sys.argv[1], sys.argv[2] == "blocks"
    runtime = Runtime(prefix)
    forms = {"int8": "blocks8", "int4": "blocks4"} if blocks else {"f32": "f32", "int8": "int8"}

    def prepare(work, element, threads):
        if element not in forms:
            raise worker.Missing(f"not timed in {element} in this form")
        model = work.model if work.kind in ("bert", "vit", "prefill", "decode") else work.name.replace(" ", "-")
        os.makedirs(os.path.join(prefix, "models"), exist_ok=True)
        path = os.path.join(prefix, "models", f"{model}-{forms[element]}.onnx")
        onnx_models.write(path, work, forms[element])
        session = Session(runtime, path, threads, *arguments(work))
        return session.run
    worker.serve(prepare, runtime.version)


if __name__ == "__main__":
    main()
