#!/usr/bin/env python3
"""Weft as a worker (worker.py): compiles with made-up weights and calls the library's C functions, which it reads from
the header that weftc writes. usage: run_weft.py BIN FOLDER"""
import ctypes
import os
import random
import re
import struct
import subprocess
import sys

import worker
import workloads

FLAGS = {"f32": [], "bf16": ["--dtype=bf16"], "int8": ["--store=int8", "--compute=int8", "--cache=bf16"],
         "int4": ["--store=int4", "--compute=int8", "--cache=bf16"]}


def compile_work(bin_dir, folder, work, element):
    """The path of the library, compiled if it is not there or older than the compiler."""
    if element not in FLAGS:
        raise worker.Missing("Weft has no such type yet")
    source = workloads.write_model(folder, work, element)
    base = source.removesuffix(".weft")
    library = f"{base}-{element}.so"
    weftc = os.path.join(bin_dir, "weftc")
    if not os.path.exists(library) or os.path.getmtime(library) < os.path.getmtime(weftc):
        done = subprocess.run([weftc, source, "--random-weights", "--name=m", "-o", library,
                               *FLAGS[element]], capture_output=True, text=True, check=False)
        if done.returncode:
            error = re.search(r"error: (.*)", done.stderr)
            raise worker.Missing("weftc: " + (error[1] if error else done.stderr[-200:]))
    return library


class Header:
    """What the generated header says: constants, and of every function its arguments and what its comment tells of them."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.constants = {name: int(value) for name, value in re.findall(r"^  m_(\w+) = (\d+)", text, re.M)}
        self.functions, comment = {}, ""
        for part in re.finditer(r"/\*(.*?)\*/|^int m_(\w+)\((.*?)\);", text, re.M | re.S):
            if part[1]:
                comment = part[1]
                continue
            names = re.findall(r"(\w+)(?:,|$)", part[3])
            told = dict(re.findall(r"^     (\w+) +(.*)$", comment, re.M))
            self.functions[part[2]] = [(name, told.get(name, "")) for name in names]


class Library:
    weights = None

    def __init__(self, path):
        self.header = Header(path[:-2] + "h")
        self.functions = ctypes.CDLL(path)
        self.functions.weft_allocate.restype = ctypes.c_void_p
        self.functions.weft_get_info.restype = ctypes.c_void_p
        self.buffers = []
        self.opened = (ctypes.c_void_p * 8)()  # weft_weights; its first field is the data
        file = path[:-2] + "weights"
        if os.path.exists(file):
            message = ctypes.create_string_buffer(300)
            if self.functions.weft_weights_open(file.encode(), ctypes.c_void_p(self.functions.weft_get_info()),
                                                self.opened, message, ctypes.c_size_t(300)):
                raise worker.Missing(message.value.decode())
            self.weights = self.opened[0]

    def __del__(self):
        if self.weights:
            self.functions.weft_weights_close(self.opened)

    def buffer(self, size):
        self.buffers.append(self.functions.weft_allocate(ctypes.c_int64(max(size, 64))))
        return ctypes.c_void_p(self.buffers[-1])

    def tensor(self, told, sizes):
        """A made-up tensor as the comment tells: 'in: int32_t [T], each from 0 to 30521', 'out: float [T, 768]'."""
        match = re.match(r"(in|out): (\w+)(?: \[(.*?)\])?", told)
        if not match:
            raise worker.Missing(f"a size is not given: one {told}")
        direction, element, shape = match.groups()
        count = 1
        for extent in (shape or "").split(", "):
            count *= sizes[extent] if extent in sizes else int(extent or 1)
        kind = {"float": ctypes.c_float, "uint16_t": ctypes.c_uint16}.get(element, ctypes.c_int32)
        buffer = self.buffer(count * ctypes.sizeof(kind))
        values = ctypes.cast(buffer, ctypes.POINTER(kind))
        draw = random.Random(1)
        top = re.search(r"from 0 to (\d+)", told)
        made = [draw.randint(0, int(top[1])) if top else draw.gauss(0, 0.5) for _ in range(1009)]
        if kind is ctypes.c_uint16:  # the upper halves of floats
            made = [struct.unpack("<I", struct.pack("<f", number))[0] >> 16 for number in made]
        if direction == "in":
            for i in range(count):
                values[i] = made[i % 1009] if kind is not ctypes.c_int32 or top else 1
        return buffer

    def call(self, name, sizes, state=None):
        """A function of no arguments that makes the call; what may be null is."""
        arguments = []
        for argument, told in self.header.functions[name]:
            if argument == "weights":
                arguments.append(ctypes.c_void_p(self.weights))
            elif argument == "state":
                arguments.append(state)
            elif argument == "scratch":
                arguments.append(self.buffer(self.header.constants.get(name + "_scratch_bytes", 0)))
            elif argument in sizes:
                arguments.append(ctypes.c_int64(sizes[argument]))
            else:
                arguments.append(ctypes.c_void_p() if "; null: " in told else self.tensor(told, sizes))
        function = getattr(self.functions, "m_" + name)

        def run():
            code = function(*arguments)
            if code:
                self.functions.weft_error_string.restype = ctypes.c_char_p
                raise worker.Missing(self.functions.weft_error_string(code).decode())
        return run


def prepare_step(library, work):
    """Prefill begins with an empty state, decoding with one of as many positions as the prompt has."""
    functions = library.header.functions
    step = next(name for name in functions if name.endswith("_step"))
    state = library.buffer(library.header.constants[step + "_state_bytes"])
    library.call(step[:-4] + "start", {}, state)()
    positions = ctypes.cast(state, ctypes.POINTER(ctypes.c_int64))
    prefill = library.call(step + "_last", {"N": work.sizes["S"]}, state)
    past = 0
    if work.kind == "decode":
        prefill()
        past = work.sizes["S"]
    inner = library.call(step, {"N": 1}, state) if past else prefill

    def run():
        positions[0] = past
        inner()
    return run


def main():
    bin_dir, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)

    def prepare(work, element, threads):
        library = Library(compile_work(bin_dir, folder, work, element))
        library.functions.weft_set_threads(threads)
        if work.kind in ("prefill", "decode"):
            return prepare_step(library, work)
        entry = next(iter(library.header.functions))
        return library.call(entry, {"T": work.sizes.get("S", 0)})
    worker.serve(prepare, "")


if __name__ == "__main__":
    main()
