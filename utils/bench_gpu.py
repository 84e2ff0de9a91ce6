#!/usr/bin/env python3
"""Times Weft's code for a GPU on the shapes of products, attention and decoding, beside cuBLAS and PyTorch where they are.

First the ceilings of the machine: a large copy, and cuBLAS at 8192x8192x8192. Inputs are from N(0, 1). A ratio is Weft's time
over the best other one's, below 1 where Weft is faster; kernels are timed by events, calls by the clock of the host.

usage: utils/bench_gpu.py [--only PATTERN]... [--types f32,bf16] [--models] [--tiny] [--list] [--check] [--predict]
       [--build build/release] [--keep DIR]
--check also computes some elements of every result in Python; --tiny takes odd sizes, as for the emulator:
  weft-gpu-emu -- python3 utils/bench_gpu.py --tiny --check
--predict needs no GPU: it prints what weftc --report=roofline predicts for the shapes.
"""
import argparse
import fnmatch
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "gpu"))
import baselines  # noqa: E402
import predict  # noqa: E402
import shapes  # noqa: E402
import weft  # noqa: E402
from device import Device, Missing  # noqa: E402

FLAGS = {"f32": [], "bf16": ["--compute=bf16"]}
TOLERANCE = {"f32": 1e-4, "bf16": 3e-2}


def score(shape, inputs, h, t, s, z):
    if shape.variant == "ALiBi":
        return z - (h + 1) / shape.sizes["H"] * (t - s)
    if shape.variant == "T5 bias":
        return z + inputs["bias"][h * (shape.sizes["T"] + shape.sizes["S"]) + s - t + shape.sizes["T"] - 1]
    return 30 * math.tanh(z / 30) if shape.variant == "softcap" else z


def expect(shape, inputs, position):
    """Element number `position` of the result."""
    if shape.kind == "product":
        k, n = shape.sizes["K"], shape.sizes["N"]
        i, j = divmod(position, n)
        return math.fsum(inputs["x"][i * k + c] * inputs["w"][j * k + c] for c in range(k))
    rows, keys, heads, groups, width = (shape.sizes[name] for name in "TSHGD")
    rest, c = divmod(position, width)
    rest, h = divmod(rest, heads)
    b, t = divmod(rest, rows)
    group = h // (heads // groups)
    scores = {}
    for s in range(keys):
        if shape.variant not in ("full", "T5 bias") and (s > t or shape.variant == "window" and t - s >= 256):
            continue
        z = math.fsum(inputs["q"][((b * rows + t) * heads + h) * width + d] *
                      inputs["k"][((b * keys + s) * groups + group) * width + d] for d in range(width))
        scores[s] = score(shape, inputs, h, t, s, z * width ** -0.5)
    most = max(scores.values())
    weights = {s: math.exp(z - most) for s, z in scores.items()}
    total = math.fsum(weights.values())
    return math.fsum(weight / total * inputs["v"][((b * keys + s) * groups + group) * width + c]
                     for s, weight in weights.items())


def check(shape, element, call):
    """Whether some elements are what they should be, in proportion to the largest of them."""
    inputs = {name: call.read(name) for name in call.tensors if name != "y"}
    result = call.read("y")
    places = [i * (len(result) - 1) // 6 for i in range(7)]
    wanted = [expect(shape, inputs, place) for place in places]
    allowed = TOLERANCE[element] * max(map(abs, wanted))
    wrong = [place for place, want in zip(places, wanted) if not abs(result[place] - want) <= allowed]
    if wrong:
        raise SystemExit(f"bench_gpu.py: {shape.name} in {element}: element {wrong[0]} is {result[wrong[0]]}, "
                         f"expected {wanted[places.index(wrong[0])]}")


def choose_shapes(options):
    chosen = list(shapes.tiny_shapes() if options.tiny else shapes.all_shapes())
    if options.only:
        chosen = [shape for shape in chosen if any(fnmatch.fnmatch(shape.name, one) for one in options.only)]
    return chosen


class Bench:
    def __init__(self, options):
        self.options, self.device = options, Device()
        self.bin = os.path.abspath(os.path.join(options.build, "bin"))
        self.others, note = baselines.torch_baselines()
        cublas = baselines.cublas_product(self.device)
        if cublas:
            self.others["cuBLAS"] = cublas
        self.notes = [note or "PyTorch: there", "cuBLAS: " + ("there" if cublas else "not found")]

    def ceilings(self):
        size = 1 << 20 if self.options.tiny else 1 << 30
        self.copied = self.device.copy_rate(size)
        print(f"{self.device.name}; a copy of {size >> 20} MiB reads and writes {self.copied:.0f} GB/s", end="")
        self.computed, times = 0.0, []
        if self.others and not self.options.tiny:
            largest = shapes.product(8192, 8192, 8192)
            times = [time for time in (other(largest) for other in self.others.values()) if time]
        if times:
            self.computed = 1e-9 * largest.flops / min(times)
            print(f"; cuBLAS at 8192 computes {self.computed:.0f} TFLOP/s in bf16", end="")
        print("; " + ", ".join(self.notes))

    def best_other(self, shape):
        times = {}
        for name, other in self.others.items():
            try:
                times[name] = other(shape)
            except Exception as error:  # one cell less
                self.notes.append(f"{shape.name}, {name}: {error}".splitlines()[0][:200])
        times = {name: time for name, time in times.items() if time}
        name = min(times, key=times.get, default="")
        return name, times.get(name)

    def time(self, folder, shape, element):
        text = shape.text(element)
        call = weft.Call(self.device, weft.compile_text(self.bin, folder, shape.name + element, text, FLAGS[element]))
        runs = 2 if self.options.tiny else 10
        milliseconds, kernels = call.time(runs)
        if self.options.check:
            check(shape, element, call)
        call.close()
        return milliseconds, kernels

    def row(self, folder, shape, element):
        try:
            milliseconds, kernels = self.time(folder, shape, element)
        except Missing as missing:
            return f"| {shape.name} | {element} | {missing} | | | | |"
        kernels = max(kernels, 1e-6)
        if shape.streams():
            rate, share = f"{1e-6 * shape.bytes / kernels:.0f} GB/s", 1e-6 * shape.bytes / kernels / self.copied
        else:
            rate = f"{1e-9 * shape.flops / kernels:.2f} TFLOP/s"
            share = 1e-9 * shape.flops / kernels / self.computed if self.computed else None
        name, other = self.best_other(shape)
        ratio = f"{kernels / other:.2f} ({name} {other:.3f} ms)" if other else ""
        return (f"| {shape.name} | {element} | {kernels:.3f} | {milliseconds:.3f} | {rate} | "
                f"{'' if share is None else f'{100 * share:.0f} %'} | {ratio} |")

    def models(self, folder):
        print("\n| model | type | ms a call |\n|---|---|---|")
        import run_weft
        import worker
        for work in shapes.models():
            for element in self.options.types:
                run_weft.FLAGS[element] = ["--target=nvptx", *({"bf16": ["--dtype=bf16"]}.get(element, []))]
                try:
                    library = run_weft.Library(run_weft.compile_work(self.bin, folder, work, element))
                    cell = f"{worker.turn(run_weft.prepare_step(library, work), 2):.3f}"
                except worker.Missing as missing:
                    cell = str(missing)
                print(f"| {work.name} | {element} | {cell} |", flush=True)

    def run(self):
        self.ceilings()
        chosen = choose_shapes(self.options)
        print("\n| shape | type | kernels, ms | call, ms | rate | of the ceiling | ratio |\n|---|---|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as temporary:
            folder = self.options.keep or temporary
            os.makedirs(folder, exist_ok=True)
            for shape in chosen:
                for element in self.options.types:
                    print(self.row(folder, shape, element), flush=True)
            if self.options.models:
                self.models(folder)
        for note in self.notes[2:]:
            print(note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--keep", help="a folder for what is compiled")
    parser.add_argument("--only", action="append", help="shapes whose names match, as of files")
    parser.add_argument("--types", default="f32,bf16", type=lambda text: text.split(","))
    for flag in ("--models", "--tiny", "--list", "--check", "--predict"):
        parser.add_argument(flag, action="store_true")
    options = parser.parse_args()
    if options.list:
        print(*(shape.name for shape in shapes.all_shapes()), *shapes.MODELS, sep="\n")
        return
    unknown = set(options.types) - set(FLAGS)
    if unknown:
        parser.error("no type " + ", ".join(sorted(unknown)))
    if options.predict:
        with tempfile.TemporaryDirectory() as folder:
            predict.print_table(os.path.abspath(os.path.join(options.build, "bin")), folder, choose_shapes(options),
                                options.types, FLAGS)
        return
    try:
        Bench(options).run()
    except Missing as missing:
        sys.exit(f"bench_gpu.py: {missing}")


if __name__ == "__main__":
    main()
