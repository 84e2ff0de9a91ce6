"""Tensors that are stored in fewer bits: which ones of a program, and what is left of their elements."""
import math
import struct

from program import Formula
from reals import Real, Undecided

RELATIVE = {"f16": 2.0**-11, "bf16": 2.0**-8}  # half a unit in the last place of 1, the most that is lost
LARGEST_F16 = 60000.0
WHOLE = {"i8": (-128, 127), "u8": (0, 255)}


def store(program, random):
    """Chooses types for about half of the inputs, the weights and the results that nothing else reads."""
    inputs = [x.tensor for x in program.inputs if not isinstance(x.default, Formula)]
    if program.generates:
        inputs = [tensor for tensor in inputs if tensor.kind != "int"]  # ids have 32 bits
    weights = program.weights + [weight for module in program.modules for weight in module.weights]
    for tensor in inputs + weights + results(program):
        if random.random() < 0.5:
            tensor.stored = choose(tensor, random)


def choose(tensor, random):
    if tensor.kind == "real":
        return random.choice(["f16", "f16" if tensor.fine else "bf16"])
    fitting = [name for name, (low, high) in WHOLE.items() if tensor.kind == "int" and tensor.exact]
    fitting = [name for name in fitting if WHOLE[name][0] <= tensor.low and tensor.high <= WHOLE[name][1]]
    return random.choice(fitting) if fitting else None


def results(program):
    """Formulas that say themselves that they are put out, and that are for nothing else."""
    if program.generates or program.entries[0].name:
        return []
    read = {tensor for statement in program.shared for tensor in statement.reads()}
    own = [s for s in program.shared if isinstance(s, Formula) and not s.buffer and s.tensor not in read]
    return [s.tensor for s in own if s.tensor in program.entries[0].outputs]


def nearest(value, stored):
    """The element that a number becomes when it is stored."""
    if stored == "f16":
        return struct.unpack("<e", struct.pack("<e", value))[0]
    if stored == "bf16":
        (bits,) = struct.unpack("<I", struct.pack("<f", value))
        bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
        return struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def kept(values, stored):
    """Results as they are stored: what a real loses is part of its error."""
    if isinstance(values, list):
        return [kept(value, stored) for value in values]
    if not isinstance(values, Real) or not math.isfinite(values.v):
        return values
    if stored == "f16" and abs(values.v) > LARGEST_F16:
        raise Undecided("overflow")
    return Real(values.v, values.e + RELATIVE[stored] / 8 * abs(values.v))
