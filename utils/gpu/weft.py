"""Weft on a GPU: compiles a shape or a model, calls its C functions on tensors that lie on the device."""
import ctypes
import json
import os
import re
import statistics
import sys
import time

import normal
from device import Missing
from shapes import SIZE

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))
import run_weft  # noqa: E402

FLAGS = {"f32": [], "bf16": ["--compute=bf16"]}
MODEL_FLAGS = {"f32": [], "bf16": ["--dtype=bf16"]}


def write_work(folder, work, element):
    """Writes what weftc is to read; returns its path, that of the library to be, and the flags."""
    if hasattr(work, "config"):
        source = os.path.join(folder, re.sub(r"\W+", "-", work.what))
        os.makedirs(source, exist_ok=True)
        with open(os.path.join(source, "config.json"), "w", encoding="utf-8") as file:
            json.dump(work.config, file)
        return source, f"{source}-{element}.so", ["--random-weights", *MODEL_FLAGS[element]]
    base = os.path.join(folder, re.sub(r"\W+", "-", work.name + element))
    with open(base + ".weft", "w", encoding="utf-8") as file:
        file.write(work.text(element))
    return base + ".weft", base + ".so", ["--profile", *FLAGS[element]]


class Call:
    """The C function of a shape's only entry, with its tensors on the device."""

    def __init__(self, device, path):
        self.device, self.tensors = device, {}
        self.library = ctypes.CDLL(path)
        self.library.weft_error_string.restype = ctypes.c_char_p
        self.library.weft_get_info.restype = ctypes.c_void_p
        header = run_weft.Header(path[:-2] + "h")
        name, arguments = next(iter(header.functions.items()))
        self.function = getattr(self.library, "m_" + name)
        # weft_model_info: kernel_count.
        self.kernels = ctypes.c_int32.from_address(self.library.weft_get_info() + 104).value
        try:
            self.arguments = [self.tensor(*argument) for argument in arguments]
        except Missing:
            self.close()
            raise

    def tensor(self, name, told):
        if name in ("weights", "scratch"):
            return None
        direction, kind, shape = re.match(r"(in|out): (\w+)(?: \[(.*?)\])?", told).groups()
        element, count = "f32" if kind == "float" else "bf16", 1
        for extent in (shape or "1").split(", "):
            count *= int(extent)
        address = self.device.allocate(count * SIZE[element])
        self.tensors[name] = (address, count, element)
        if direction == "in":
            self.device.fill(address, count * SIZE[element], normal.pool(name, element)[0])
        return ctypes.c_void_p(address.value)

    def row(self, name, begin, count):
        """Numbers of an input: they are known."""
        return normal.row(name, self.tensors[name][2], begin, count)

    def read(self, name, position):
        """One element, from the device."""
        address, _, element = self.tensors[name]
        place = ctypes.c_uint64(address.value + position * SIZE[element])
        return normal.to_numbers(self.device.copy_out(place, SIZE[element]), element)[0]

    def run(self):
        code = self.function(*self.arguments)
        if code:
            raise Missing(self.library.weft_error_string(code).decode())

    def kernel_time(self):
        """Milliseconds of the kernels of a call, by events."""
        self.library.weft_profile_reset()
        self.device.sweep()
        self.run()
        total = 0.0
        for kernel in range(self.kernels):
            calls, seconds = ctypes.c_int64(), ctypes.c_double()
            self.library.weft_profile_read(kernel, ctypes.byref(calls), ctypes.byref(seconds))
            total += seconds.value
        return 1e3 * total

    def time(self, runs):
        """Median milliseconds of a call by the host's clock, and of its kernels."""
        self.run()
        calls = []
        for _ in range(runs):
            begin = time.perf_counter()
            self.run()
            calls.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(calls), statistics.median(self.kernel_time() for _ in range(runs))

    def close(self):
        self.library.weft_cuda_shutdown()
        for address, _, _ in self.tensors.values():
            self.device.free(address)


class ModelCall:
    """A prompt or one more token of a model, from ids to logits on the host."""

    def __init__(self, path, model):
        try:
            self.library = run_weft.Library(path)
            self.run = run_weft.prepare_step(self.library, model)
        except run_weft.worker.Missing as missing:
            raise Missing(str(missing)) from missing

    def close(self):
        self.library.functions.weft_cuda_shutdown()
