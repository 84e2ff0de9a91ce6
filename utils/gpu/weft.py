"""Weft on a GPU: compiles a shape and calls its C function on tensors that lie on the device."""
import array
import ctypes
import os
import random
import re
import statistics
import struct
import subprocess
import sys
import time

from device import Missing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))
import run_weft  # noqa: E402

POOL = 65521


def normal(count, element, seed):
    """The bytes of `count` numbers from N(0, 1): zeros would run faster."""
    draw = random.Random(seed)
    pool = [draw.gauss(0, 1) for _ in range(min(count, POOL))]
    if element == "f32":
        data = array.array("f", pool).tobytes()
    else:
        data = b"".join(struct.pack("<f", number)[2:] for number in pool)
    size = count * (4 if element == "f32" else 2)
    return (data * (size // len(data) + 1))[:size]


def numbers(data, element):
    """The numbers of such bytes."""
    if element == "bf16":
        data = b"".join(b"\0\0" + data[i:i + 2] for i in range(0, len(data), 2))
    return array.array("f", data)


def compile_text(bin_dir, folder, name, text, flags):
    base = os.path.join(folder, re.sub(r"\W+", "-", name))
    with open(base + ".weft", "w", encoding="utf-8") as file:
        file.write(text)
    command = [os.path.join(bin_dir, "weftc"), base + ".weft", "--target=nvptx", "--profile", "--name=m", "-o", base + ".so"]
    done = subprocess.run(command + flags, capture_output=True, text=True, check=False)
    if done.returncode:
        error = re.search(r"error: (.*)", done.stderr)
        raise Missing("weftc: " + (error[1] if error else done.stderr[-200:]))
    return base + ".so"


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
        self.arguments = [self.tensor(*argument) for argument in arguments]
        # weft_model_info: kernel_count.
        self.kernels = ctypes.c_int32.from_address(self.library.weft_get_info() + 104).value

    def tensor(self, name, told):
        if name in ("weights", "scratch"):
            return None
        direction, kind, shape = re.match(r"(in|out): (\w+)(?: \[(.*?)\])?", told).groups()
        element, count = "f32" if kind == "float" else "bf16", 1
        for extent in (shape or "1").split(", "):
            count *= int(extent)
        size = count * (4 if element == "f32" else 2)
        address = self.device.allocate(size)
        if direction == "in":
            self.device.copy_in(address, normal(count, element, name))
        self.tensors[name] = (address, size, element)
        return ctypes.c_void_p(address.value)

    def read(self, name):
        address, size, element = self.tensors[name]
        return numbers(self.device.copy_out(address, size), element)

    def run(self):
        code = self.function(*self.arguments)
        if code:
            raise Missing(self.library.weft_error_string(code).decode())

    def time(self, runs):
        """Median milliseconds of a call, and those of its kernels by events."""
        self.run()
        self.library.weft_profile_reset()
        times = []
        for _ in range(runs):
            begin = time.perf_counter()
            self.run()
            times.append(1e3 * (time.perf_counter() - begin))
        total = 0.0
        for kernel in range(self.kernels):
            calls, seconds = ctypes.c_int64(), ctypes.c_double()
            self.library.weft_profile_read(kernel, ctypes.byref(calls), ctypes.byref(seconds))
            total += seconds.value
        return statistics.median(times), 1e3 * total / runs

    def close(self):
        self.library.weft_cuda_shutdown()
        for address, _, _ in self.tensors.values():
            self.device.free(address)
