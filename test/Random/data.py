"""Sizes, inputs and weights of a program, and what it computes from them by the independent evaluation."""
import math
import random as randomness
import struct

from reals import Real, Undecided
from storage import nearest
from writing import Evaluation

FACTOR = 8  # of the error bound, which is of first order
FLOOR = 2e-6  # of the largest element: below it are denormal steps and the functions' absolute errors
USEFUL = 0.02  # a result that may be further off is no test
VERIFIED = 1e-4  # of the largest element: what --verify lets compiled code differ


class Data:
    """`examples` is a list, of one element but for a batch; `fixed` inputs are the same in all of them. weftc makes the
    weights up unless they are `drawn`."""

    def __init__(self, program, key, batch=1, drawn=True):
        random = randomness.Random(f"{key}/sizes")
        self.sizes = {dim.name: size_of(random, dim) for dim in program.dims}
        self.weights = {
            name: draw(randomness.Random(f"{key}/{name}"), self.sizes, tensor, False)
            for name, tensor in program.weights_of().items()
            if drawn
        }
        self.left_out, self.fixed = set(), set()
        self.exact = True  # all formulas that were evaluated are
        self.examples = [{} for _ in range(batch)]
        for x in program.inputs:
            self.add_input(x, randomness.Random(f"{key}/{x.tensor.name}"))

    def add_input(self, x, random):
        if x.default is not None and random.random() < 0.5:
            self.left_out.add(x.tensor.name)
            return
        if random.random() < 0.3:
            self.fixed.add(x.tensor.name)
        for k, example in enumerate(self.examples):
            same = k and x.tensor.name in self.fixed
            example[x.tensor.name] = (
                self.examples[0][x.tensor.name] if same else draw(random, self.sizes, x.tensor, x.sparse)
            )

    def expected(self, program):
        """For every entry what each example gives: nested lists by the names of the outputs."""
        evaluation = Evaluation(program, {name: wrap(values) for name, values in self.weights.items()}, self.note)
        result = {}
        for entry in program.entries:
            result[entry.name] = [
                evaluation.results(entry, self.sizes, {name: wrap(values) for name, values in example.items()})
                for example in self.examples
            ]
            for example in result[entry.name]:
                check_useful(example)
        return result

    def note(self, values):
        self.exact = self.exact and is_exact(values)
        return values

    def inputs_of(self, program, entry, batch):
        """The file for an entry, and whether it has a batch.

        `batch` is None, "" (of the inputs that are not fixed, by the runner) or what was compiled (of all inputs).
        """
        names = [x.tensor.name for x in program.inputs_of(entry) if x.tensor.name not in self.left_out]
        several = [] if batch is None else [name for name in names if batch or name not in self.fixed]
        inputs = {
            name: [example[name] for example in self.examples] if name in several else self.examples[0][name]
            for name in names
        }
        return inputs, bool(several)


def size_of(random, dim):
    if not dim.dynamic:
        return dim.bound
    return random.choice([dim.bound, dim.bound, 1, random.randint(1, dim.bound), random.randint(1, dim.bound)])


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def draw(random, sizes, tensor, sparse, depth=0):
    if depth < len(tensor.dims):
        return [draw(random, sizes, tensor, sparse, depth + 1) for _ in range(sizes[tensor.dims[depth].name])]
    if tensor.kind == "bool":
        return random.random() < 0.5
    if tensor.kind == "int":
        return random.randint(tensor.low, tensor.high)
    if tensor.stored:
        return nearest(random.uniform(tensor.low, tensor.high), tensor.stored)
    if sparse:
        return random.randint(int(4 * tensor.low), int(4 * tensor.high)) / 4
    return single(random.uniform(tensor.low, tensor.high))


def wrap(values):
    if isinstance(values, list):
        return [wrap(value) for value in values]
    return Real(values) if isinstance(values, float) else values


def elements(values):
    if isinstance(values, list):
        for value in values:
            yield from elements(value)
    else:
        yield values


def check_useful(results):
    for values in results.values():
        for x in elements(values):
            if isinstance(x, Real) and FACTOR * x.e > USEFUL * (1.0 + abs(x.v)):
                raise Undecided("rounding errors")


def is_exact(values):
    """Whether rounding stays so small that --verify, which knows one tolerance for all formulas, cannot object to it."""
    reals = [x for x in elements(values) if isinstance(x, Real) and math.isfinite(x.v)]
    limit = VERIFIED * max((abs(x.v) for x in reals), default=0.0)
    return all(FACTOR * x.e <= limit for x in reals)


def differences(values, found):
    """(place, got, expected) of what is further from the expected than rounding explains."""
    flat = list(elements(values))
    if len(flat) != len(found):
        return [("size", len(found), len(flat))]
    reals = [abs(x.v) for x in flat if isinstance(x, Real) and abs(x.v) < 1e30]
    floor = FLOOR * (1.0 + max(reals, default=0.0))
    return [
        (place, got, x.v if isinstance(x, Real) else x)
        for place, (x, got) in enumerate(zip(flat, found))
        if not (close(x, got, floor) if isinstance(x, Real) else x == got)
    ]


def close(x, got, floor):
    return got == x.v or abs(got - x.v) <= FACTOR * x.e + floor
