#!/usr/bin/env python3
"""oneDNN's products as a worker (worker.py), through the library that install.sh builds of onednn.cpp.
usage: run_onednn.py PREFIX"""
import ctypes
import os
import sys

import worker

BITS = {"f32": 32, "bf16": 16, "int8": 8}


def main():
    library = ctypes.CDLL(os.path.join(os.path.abspath(sys.argv[1]), "libonednn_products.so"))
    parts = (ctypes.c_int * 3)()
    library.version(parts)

    def prepare(work, element, threads):
        if work.kind != "product" or element not in BITS:
            raise worker.Missing("timed on products of f32, bf16 and int8 alone")
        library.threads(threads)
        sizes = [ctypes.c_long(work.sizes[name]) for name in "MKN"]
        if library.prepare(*sizes, BITS[element]):
            raise worker.Missing(f"oneDNN has no product of {element} here")
        return library.run
    worker.serve(prepare, ".".join(map(str, parts)))


if __name__ == "__main__":
    main()
