"""One random program for each number of a seed."""
import random as randomness

from causal import generate_causal
from build import binary, index, literal, read
from attention import random_attention
from formulas import random_call, random_formula, random_module
from frames import ModelFrame, random_dims
from products import part_product, random_product
from program import Entry, Formula, Input, Program
from scale import SMALL
from storage import store
from trees import Tensor


def generate(seed, number, scale=SMALL):
    random = randomness.Random(f"{seed}/{number}")
    program = generate_causal(random, scale) if number % scale.causal == scale.causal - 1 else generate_any(random, scale)
    if number % 5 == 2:
        store(program, randomness.Random(f"{seed}/{number}/storage"))
    if number % 4 == 1:
        program.rewriting = f"{seed}/{number}/notation"
    return program


def generate_any(random, scale):
    program = Program(scale)
    program.dims = random_dims(random, scale)
    frame = ModelFrame(random, program.dims, [0], program)
    several = random.random() < 0.15
    for _ in range(random.choice([0, 0, 0, 1, 1, 2])):
        random_module(frame, program, 1)
    grow(frame, program, random.choice([1, 2, 3, 4]))
    program.shared = frame.statements
    if not several:
        program.entries.append(close(frame, program, Entry("")))
        return program
    shared = list(frame.tensors)
    for name in ("first", "second", "third")[: random.choice([2, 2, 3])]:
        entry = Entry(name)
        frame.statements = entry.statements
        frame.tensors = shared + [x.tensor for x in program.inputs] + program.weights
        grow(frame, program, random.choice([1, 2]))
        program.entries.append(close(frame, program, entry))
    return program


def grow(frame, program, count):
    random = frame.random
    for _ in range(count):
        way = random.choices(["formula", "call", "buffer", "attention", "product"], frame.scale.ways)[0]
        if way == "call" and program.modules:
            random_call(frame, program)
        elif way == "buffer" and any(not dim.dynamic for dim in frame.dims):
            frame.buffer()
        elif way == "attention":
            random_attention(frame)
        elif way == "product":
            (part_product if random.random() < 0.3 else random_product)(frame)
        else:
            random_formula(frame)


def close(frame, program, entry):
    """Puts out the last tensor that was defined and some others; each run-time dimension gets an input that has it."""
    random = frame.random
    statements = frame.statements if entry.name else program.shared
    defined = [x for s in statements for x in s.defines() if not (isinstance(s, Formula) and s.buffer)]
    if not defined:
        defined = [random_formula(frame)]
    entry.outputs = defined[-1:] + [x for x in defined[:-1] if x not in frame.hidden and random.random() < 0.35]
    anchor(frame, program, entry)
    return entry


def anchor(frame, program, entry):
    statements, needed = program.parts(entry)
    told = {dim for x in program.inputs_of(entry) if x.default is None for dim in x.tensor.dims}
    for dim in program.dims:
        if dim.dynamic and dim not in told and occurs(dim, statements, needed):
            if dim not in program.anchors:
                tensor = Tensor("told" + dim.name, [dim], "int", 0, 3, exact=True)
                program.anchors[dim] = tensor
                program.inputs.append(Input(tensor))
            places = frame.indices([dim])
            tree = binary("+", read_at(program.anchors[dim], places), literal(1))
            result = Tensor(frame.name("y"), [dim], "int")
            (frame.statements if entry.name else program.shared).append(Formula(result, places, tree))
            entry.outputs.append(result)


def read_at(tensor, indices):
    return read(tensor, [index(i) for i in indices])


def occurs(dim, statements, needed):
    if any(dim in tensor.dims for tensor in needed):
        return True
    return any(
        node.op == "dim" and node.data is dim or node.op == "reduce" and any(i.dim is dim for i in node.data.indices)
        for statement in statements
        if isinstance(statement, Formula)
        for node in statement.tree.walk()
    )
