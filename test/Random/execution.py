"""Compiles a program, runs it and compares: everything that calls weftc and weft-run."""
import os
import random as randomness
import subprocess
from argparse import Namespace

import check_bits
import tensorfile
from data import Data, differences
from reals import Undecided

TIMEOUT = 300  # seconds; a program takes a fraction of one, on a machine that does nothing else
CHIPS = ["sm_80", "sm_90a"]
LEVELS = ["x86-64", "x86-64-v3", "native"]
TYPES = [*check_bits.TYPES.values(), ["--cache=bf16"]]
DEVICE_TYPES = [*(check_bits.TYPES[kind] for kind in check_bits.kinds_for("gpu")), ["--compute=tf32"], ["--cache=bf16"]]
LENGTH = 129  # the largest run-time size of wide programs
MOST_TOKENS = 6  # to generate


class Failure(Exception):
    """What went wrong, with the command."""


class Configuration:
    """How a program is compiled and run. `batch` is None, "" (one call for each example) or what --batch takes; what is
    compiled for a `chip` runs in the emulator."""

    def __init__(self, level, march, threads, batch=None, verify=False, fixed=False, chunks=False, chip=None):
        self.level, self.march, self.threads, self.chip = level, march, threads, chip
        self.batch, self.verify, self.fixed, self.chunks = batch, verify, fixed, chunks

    def compiling(self, program, data):
        result = [f"-O{self.level}", f"--march={self.chip or self.march}"]
        result += ["--target=nvptx"] if self.chip else []
        result += ["--threads=1"] if self.threads == 1 else []
        result += ["--batch", self.batch] if self.batch else []
        result += ["--verify"] if self.verify else []
        if self.fixed:
            result += [f"-D{dim.name}={data.sizes[dim.name]}" for dim in program.dims if dim.dynamic]
        return result


def command(arguments, environment):
    try:
        done = subprocess.run(
            arguments, capture_output=True, text=True, errors="replace", timeout=TIMEOUT, env=environment
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {TIMEOUT} s: {' '.join(arguments)}")
    if done.returncode != 0:
        lines = [x for x in done.stderr.splitlines() if "warning:" not in x and "note:" not in x]
        first = next((x for x in lines if "error:" in x), "\n".join(lines[-3:]))
        raise Failure(f"status {done.returncode}: {' '.join(arguments)}\n{first}")
    return done.stdout


class Bench:
    """A folder with a program in it, and the tools."""

    def __init__(self, folder, tools, text):
        self.folder, self.tools, self.steps, self.chip = folder, tools, False, None
        os.makedirs(folder, exist_ok=True)
        self.environment = {**os.environ, "WEFT_THREADS": "2"}
        self.write("m.weft", text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)

    def run(self, arguments):
        """What belongs to a chip, in the emulator."""
        emulator = [os.path.join(self.tools, "weft-gpu-emu"), "--"] if self.chip else []
        return command(emulator + arguments, self.environment)

    def check(self, program, data, expected, configuration):
        """Raises Failure unless all entries give what is expected."""
        self.chip = configuration.chip
        self.compile(program, data, configuration)
        for entry in program.entries:
            self.check_entry(program, data, expected[entry.name], configuration, entry)

    def verify(self, flags, march):
        """Raises Failure unless the code for a level or a chip agrees with the interpreter, formula by formula."""
        self.chip = march if march in CHIPS else None
        arguments = [os.path.join(self.tools, "weftc"), self.path("m.weft"), "--emit=fused", "-o", self.path("m.mlir")]
        arguments += ["--random-weights", "--verify", f"--verify-length={LENGTH}", f"--march={march}", *flags]
        self.run(arguments + (["--target=nvptx"] if self.chip else []))

    def check_wide(self, number, device):
        """In two ways of compiling; what the code for another level gives too, formulas make of rounding."""
        ways = [(chip, LEVELS[1]) for chip in CHIPS] if device else list(zip(LEVELS[1:], LEVELS))
        types = DEVICE_TYPES if device else TYPES
        for k, (march, other_level) in enumerate(ways):
            flags = types[(number + 3 * k) % len(types)]
            try:
                self.verify(flags, march)
            except Failure as failure:
                if "differs" not in str(failure):
                    raise
                try:
                    self.verify(flags, other_level)
                except Failure as other:
                    if "differs" in str(other):
                        raise Undecided("rounding errors")
                raise

    def check_bits(self, program, seed, number):
        """A folder as those of test/Golden, of the first entry and two examples."""
        entry, kinds = program.entries[0], list(check_bits.TYPES)
        data = Data(program, f"{seed}/{number}/bits", 2, drawn=False)
        inputs, _ = data.inputs_of(program, entry, "2")
        if not tells_batch(program, entry):
            raise Undecided("no batch")
        tensorfile.write(self.path("inputs.safetensors"), inputs)
        level = LEVELS[number // len(kinds) % len(LEVELS)]
        self.write("options_weftc.txt", f"m.weft --random-weights --march={level}")
        self.write("options.txt", f"--entry {entry.name}" if entry.name else "")
        options = Namespace(bin=self.tools, weftc=None, inputs="inputs.safetensors")
        same, text = check_bits.check(options, self.folder, kinds[number % len(kinds)])
        if not same and "WEFT_ERROR_INDEX" not in text:  # ids that last.c made up, after all other comparisons
            raise Failure(f"{kinds[number % len(kinds)]}: {text}")

    def compile(self, program, data, configuration):
        arguments = [os.path.join(self.tools, "weftc"), self.path("m.weft"), "-o", self.path("m.so")]
        if data.weights:
            tensorfile.write(self.path("m.safetensors"), data.weights)
            arguments += ["--weights", self.path("m.safetensors")]
        self.run(arguments + configuration.compiling(program, data))

    def check_entry(self, program, data, expected, configuration, entry):
        inputs, batched = data.inputs_of(program, entry, configuration.batch)
        if len(program.entries) > 1:
            inputs = {name: inputs[name] for name in self.asked(entry) if name in inputs}
        tensorfile.write(self.path("in.safetensors"), inputs)
        arguments = [os.path.join(self.tools, "weft-run"), self.path("m.so"), "--inputs", self.path("in.safetensors")]
        arguments += ["--outputs", self.path("out.safetensors"), "--threads", str(configuration.threads)]
        arguments += ["--entry", entry.name] if entry.name else []
        self.run(arguments)
        self.compare(expected, batched)
        if configuration.chunks:
            self.check_chunks(arguments, expected, program.generates[0].name)
            self.check_generation(program, data, inputs, arguments)

    def asked(self, entry):
        """The inputs of an entry: behind a condition that is never true, one that it reads may be left out."""
        names, of = [], None
        for line in self.run([os.path.join(self.tools, "weft-run"), self.path("m.so")]).splitlines():
            if line.startswith("entry "):
                of = line.split()[1].rstrip(":")
            elif line.startswith("  input ") and of == entry.name:
                names.append(line.split()[1].rstrip(":"))
        return names

    def check_chunks(self, arguments, expected, generated):
        """The step in pieces of random sizes gives the same rows."""
        for seed in "1", "2":
            try:
                self.run(arguments + ["--chunks", "random", "--seed", seed])
            except Failure as failure:
                if "has no step" in str(failure):
                    return  # not every proof is found; run.py looks at how many are
                raise
            self.compare([{generated: expected[0][generated]}], False)
        self.steps = True

    def check_generation(self, program, data, inputs, arguments):
        """With the step and without it come the same tokens, from the same numbers."""
        positions = program.generates[1]
        growing = [x for x in program.inputs if positions in x.tensor.dims and x.tensor.name in inputs]
        room = positions.bound - data.sizes[positions.name]
        if not self.steps or not room or len(growing) != 1:
            return
        rest = arguments[arguments.index("--threads") :] + ["--generate", str(min(room, MOST_TOKENS))]
        generation, slow = arguments[:4] + rest, self.path("slow.safetensors")
        self.run(generation + ["--no-cache", "--outputs", slow])
        self.run(generation + ["--expect", slow])

    def compare(self, expected, batched):
        found = tensorfile.read(self.path("out.safetensors"))
        for name in expected[0]:
            if name not in found:
                raise Failure(f"no result '{name}'")
            values = [example[name] for example in expected] if batched else expected[0][name]
            wrong = differences(values, found[name][1])
            if wrong:
                place, got, wanted = wrong[0]
                raise Failure(f"{name}: {len(wrong)} elements differ, [{place}] is {got!r}, expected {wanted!r}")


def configurations(program, number, device=False):
    """A few for each program, so that over the numbers every combination comes soon."""
    random = randomness.Random(number)
    threads = 1 + (number // 3) % 2
    batch = None
    if not program.generates and number % 5 == 0 and all(tells_batch(program, entry) for entry in program.entries):
        batch = random.choice(["", "2", "B <= 3"])
    verify = number % 8 == 0
    chunks = bool(program.generates) and batch is None
    if device:
        level = 0 if number % 10 == 9 else 2
        return [Configuration(level, None, 2, batch, verify, chunks=chunks, chip=CHIPS[number % 2])]
    return [
        Configuration(0, LEVELS[(number + 1 + number // 9) % 3], 3 - threads, batch, chunks=chunks),
        Configuration(2, LEVELS[number % 3], threads, batch, verify, number % 7 == 3 and not chunks, chunks),
    ]


def tells_batch(program, entry):
    return any(x.default is None for x in program.inputs_of(entry))
