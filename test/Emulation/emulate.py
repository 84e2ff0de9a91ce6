"""Runs golden models compiled for processors that this machine need not have, under QEMU's user emulation.

usage: emulate.py TARGET CASE...   TARGET: aarch64, neoverse-n1, neoverse-v2, x86-64, x86-64-v2, x86-64-v3
                                  CASE: a folder of test/Golden

Every case is compiled by weftc to an object, linked with the runtime and call.c by the target's C compiler, and called
with the inputs of all runs that need no options of weft-run; its results must be the reference's within the tolerance of
weft-run. A model with a step is fed once more: the first position, then the rest. On a processor that lacks some of what
the target has, every function of the model must say so, and the message must name it.
"""
import array
import glob
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
import tensorfile

ARM = ["--triple=aarch64-linux-gnu"]
# TARGET: the flags of weftc, the C compiler, the emulator. The processor emulated has what the level has and no more
# (QEMU knows no Neoverse V2).
TARGETS = {
    "aarch64": (ARM, "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-cpu", "cortex-a53"]),
    "neoverse-n1": ([*ARM, "--march=neoverse-n1"], "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-cpu", "neoverse-n1"]),
    "neoverse-v2": ([*ARM, "--march=neoverse-v2"], "aarch64-linux-gnu-gcc", ["qemu-aarch64", "-cpu", "max"]),
    "x86-64": (["--march=x86-64"], "gcc", ["qemu-x86_64", "-cpu", "qemu64"]),
    "x86-64-v2": (["--march=x86-64-v2"], "gcc", ["qemu-x86_64", "-cpu", "Nehalem"]),
    "x86-64-v3": (["--march=x86-64-v3"], "gcc", ["qemu-x86_64", "-cpu", "Haswell"]),
}
# TARGET: processors that lack some of it, and what.
LACKING = {
    "neoverse-n1": {"cortex-a53": ["dotprod", "fullfp16"], "a64fx": ["dotprod"]},
    "neoverse-v2": {"cortex-a53": ["dotprod", "sve"], "neoverse-n1": ["bf16", "i8mm"], "a64fx": ["sve2"]},
    "x86-64-v2": {"core2duo": ["sse4.2", "popcnt"]},
    "x86-64-v3": {"Nehalem": ["avx2", "fma"]},
}
RELATIVE, ABSOLUTE = 2e-5, 1e-5  # of weft-run --expect
CODES = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "I16": "h", "I8": "b", "U8": "B", "BOOL": "B"}
MODEL_CODES = "fiB"  # WEFT_F32, WEFT_I32, WEFT_BOOL


def run(command):
    # What QEMU warns of (features of a processor that it does not emulate) is no result.
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    if result.returncode != 0:
        sys.exit(f"emulate.py: error: {' '.join(command)} ended with {result.returncode}:\n{result.stderr}")
    return result.stdout


def read_tensors(path):
    """name: (shape, values) of a safetensors file."""
    return {name: (shape, array.array(CODES[dtype], raw))
            for name, (dtype, shape, raw) in tensorfile.unpack(path).items()}


def cut(shape, values, axis, begin, end):
    """The positions begin to end of one axis."""
    inner = math.prod(shape[axis + 1 :])
    rows = range(0, len(values), inner * shape[axis])
    part = array.array(values.typecode)
    for row in rows:
        part.extend(values[row + begin * inner : row + end * inner])
    return shape[:axis] + [end - begin] + shape[axis + 1 :], part


class Tensor:
    def __init__(self, words):
        self.name, self.code, self.optional = words[0], MODEL_CODES[int(words[1])], words[2] == "1"
        self.dims = [tuple(map(int, word.split(":"))) for word in words[3:]]  # (extent, symbol), one of them -1

    def axis(self, symbol):
        return next((axis for axis, dim in enumerate(self.dims) if dim[1] == symbol), None)

    def shape(self, sizes):
        return [sizes[symbol] if symbol >= 0 else extent for extent, symbol in self.dims]


class Part:
    """An entry or a step as call.c describes it."""

    def __init__(self, words):
        self.kind, self.name, self.numbers = words[0], words[1], list(map(int, words[2:]))
        self.tensors = {"input": [], "output": [], "start": []}

    def fits(self, inputs, expected):
        names = {tensor.name for tensor in self.tensors["input"]}
        needed = {tensor.name for tensor in self.tensors["input"] if not tensor.optional}
        results = {tensor.name for tensor in self.tensors["output"]}
        return needed <= set(inputs) <= names and bool(results & set(expected))


class Model:
    def __init__(self, case, target, folder):
        flags, compiler, emulator = TARGETS[target]
        model = os.path.join(folder, "model")
        runtime = glob.glob(os.path.join(ROOT, "lib", "Runtime", "*.c"))
        run(["weftc", case, *flags, "-o", model + ".o"])
        run([compiler, "-O1", "-static", "-pthread", "-I" + os.path.join(ROOT, "include"), model + ".o",
             os.path.join(HERE, "call.c"), *runtime, "-lm", "-o", model])
        self.folder, self.command = folder, [*emulator, model, model + ".weights"]
        self.symbols, self.entries, self.steps = [], [], []
        for line in run(self.command).splitlines():
            kind, *words = line.split()
            if kind == "symbol":
                self.symbols.append(words[0])
            elif kind in ("entry", "step"):
                part = Part([kind, *words])
                (self.entries if kind == "entry" else self.steps).append(part)
            else:
                part.tensors[kind].append(Tensor(words))

    def check_lacking(self, processor, names):
        """Asks on a processor that lacks the features of these names."""
        emulator, _, _, *program = self.command
        message = run([emulator, "-cpu", processor, *program, "lacks"])
        needs = re.search(r"this machine lacks some of what that has: (.*)", message)
        if not needs or not set(names) <= set(needs.group(1).split(",")):
            sys.exit(f"{processor}: MISMATCH: {message}lacks {', '.join(names)}")

    def call(self, kind, number, inputs, outputs, given, sizes):
        """Calls with the given {name: (shape, values)} and returns the outputs in the same form."""
        for path in glob.glob(os.path.join(self.folder, "in[0-9]*")):
            os.remove(path)
        for index, tensor in enumerate(inputs):
            if tensor.name in given:
                values = given[tensor.name][1]
                convert = float if tensor.code == "f" else bool if tensor.code == "B" else int
                with open(os.path.join(self.folder, f"in{index}"), "wb") as file:
                    array.array(tensor.code, map(convert, values)).tofile(file)
        run([*self.command, kind, str(number), self.folder, *map(str, sizes)])
        results = {}
        for index, tensor in enumerate(outputs):
            with open(os.path.join(self.folder, f"out{index}"), "rb") as file:
                results[tensor.name] = (tensor.shape(sizes), array.array(tensor.code, file.read()))
        return results

    def call_entry(self, number, given, sizes):
        tensors = self.entries[number].tensors
        return self.call("entry", number, tensors["input"], tensors["output"], given, sizes)

    def call_pieces(self, number, given, sizes):
        """The step's results for the first position and then for the others, put together."""
        step = self.steps[number]
        _, length_symbol, count_symbol = step.numbers
        length, tensors = sizes[length_symbol], step.tensors
        state = os.path.join(self.folder, "state0")
        if os.path.exists(state):
            os.remove(state)
        self.call("start", number, tensors["start"], [], given, sizes)
        pieces = []
        for begin, end in ((0, 1), (1, length)) if length > 1 else ((0, 1),):
            sizes = [end - begin if i == count_symbol else size for i, size in enumerate(sizes)]
            part = dict(given)
            for tensor in tensors["input"]:
                axis = tensor.axis(count_symbol)
                if axis is not None and tensor.name in given:
                    part[tensor.name] = cut(*given[tensor.name], axis, begin, end)
            pieces.append(self.call("step", number, tensors["input"], tensors["output"], part, sizes))
        whole = {}
        for tensor in tensors["output"]:
            if tensor.axis(count_symbol) == 0:  # others are of the last position, or not one after the other
                values = sum((piece[tensor.name][1] for piece in pieces), array.array(tensor.code))
                whole[tensor.name] = (pieces[0][tensor.name][0], values)
        return whole


def examples(part, symbols, given, expected):
    """Every example of a batch: its inputs, its expected results and the values of the symbols."""
    tensors = {tensor.name: tensor for tensor in part.tensors["input"] + part.tensors["output"]}
    batch = next((shape[: -len(tensors[name].dims) or None] for name, (shape, _) in given.items()
                  if len(shape) > len(tensors[name].dims)), [])
    for number in range(math.prod(batch)):
        sizes = [1] * len(symbols)

        def pick(name, shape, values):
            rank = len(tensors[name].dims)
            own = shape[len(shape) - rank :]
            count = math.prod(own)
            begin = number * count if len(shape) > rank else 0
            return own, values[begin : begin + count]

        inputs = {name: pick(name, *tensor) for name, tensor in given.items()}
        for name, (shape, _) in inputs.items():
            for extent, (_, symbol) in zip(shape, tensors[name].dims):
                if symbol >= 0:
                    sizes[symbol] = extent
        yield inputs, {name: pick(name, *value) for name, value in expected.items() if name in tensors}, sizes


def compare(where, results, expected):
    """Compares what both have; returns how many tensors that are."""
    compared = 0
    for name in results.keys() & expected.keys():
        got, wanted = results[name][1], expected[name][1]
        if len(got) != len(wanted):
            sys.exit(f"{where}, {name}: MISMATCH: {len(got)} elements, expected {len(wanted)}")
        finite = [abs(value) for value in wanted if math.isfinite(value)]
        allowed = RELATIVE * max(finite, default=0) + ABSOLUTE if got.typecode == "f" else 0
        for place, (value, other) in enumerate(zip(got, wanted)):
            if value != other and not abs(value - other) <= allowed:
                sys.exit(f"{where}, {name}: MISMATCH at {place}: {value}, expected {other}, allowed {allowed:.3g}")
        compared += 1
    return compared


def run_case(name, target):
    case = os.path.join(ROOT, "test", "Golden", name)
    compared = pieces = 0
    with tempfile.TemporaryDirectory(prefix="weft-emulate-") as folder:
        model = Model(case, target, folder)
        for path in sorted(glob.glob(os.path.join(glob.escape(case), "inputs*.safetensors"))):
            suffix = re.search(r"inputs(.*)\.safetensors$", path).group(1)
            if suffix.startswith("_gen") or os.path.exists(os.path.join(case, f"options{suffix}.txt")):
                continue
            given = read_tensors(path)
            expected = read_tensors(os.path.join(case, f"expected{suffix}.safetensors"))
            number = next((i for i, e in enumerate(model.entries) if e.fits(given, expected)), None)
            if number is None:
                sys.exit(f"{name}{suffix}: no entry takes {', '.join(given)}")
            for inputs, wanted, sizes in examples(model.entries[number], model.symbols, given, expected):
                compared += compare(f"{name}{suffix}", model.call_entry(number, inputs, sizes), wanted)
                for i, step in enumerate(model.steps):
                    if step.numbers[0] == number:
                        pieces += compare(f"{name}{suffix} in pieces", model.call_pieces(i, inputs, sizes), wanted)
        for processor, names in LACKING.get(target, {}).items():
            model.check_lacking(processor, names)
    if not compared:
        sys.exit(f"{name}: nothing to compare")
    print(f"{target} {name}: {compared} tensors agree, {pieces} of steps", flush=True)


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in TARGETS:
        sys.exit(__doc__)
    for name in sys.argv[2:]:
        run_case(name, sys.argv[1])


if __name__ == "__main__":
    main()
