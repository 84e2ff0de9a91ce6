"""Random models that generate: every formula looks at its own position and at those before, so that there is a step."""
from attention import random_attention
from build import binary, both, compare, index, literal, read, reduce
from formulas import random_call
from frames import ModelFrame, ModuleFrame
from program import Entry, Input, Module, Program
from scalars import Scalars, Scope
from trees import Dim, Reduction, Tensor


class CausalScalars(Scalars):
    """Reads along the positions at an index of the formula, or at a place before it behind a guard."""

    def place(self, dim, scope, depth=1):
        if dim is not self.frame.positions:
            return super().place(dim, scope, depth)
        own = [i for i in scope.indices if i.dim is dim]
        return index(self.random.choice(own)) if own else literal(0)

    def guarded_place(self, dim, scope):
        if dim is not self.frame.positions:
            return super().guarded_place(dim, scope)
        own = [i for i in scope.indices if i.dim is dim]
        if not own:
            return literal(0), [compare(">=", literal(0), literal(0))]
        back = literal(self.pick(1, 1, 2, 3))
        at = binary("-", index(self.random.choice(own)), back)
        return at, [self.pick(self.not_negative(at), compare(">=", at.children[0], back))]


class Causal:
    """What both frames of such a model share: formulas over rows, prefixes and attentions over `positions`."""

    def become(self, positions, width):
        self.positions, self.width = positions, width
        self.dims = [dim for dim in self.dims if not dim.dynamic]
        self.scalars = CausalScalars(self.random, self)

    def readable(self, tensor):
        return tensor.dims.count(self.positions) < 2  # no cache holds pairs of positions

    def anchored(self, dim):
        return False  # the length of a text is not known to its first positions

    def row(self):
        """y[t, d] = anything of this position, with what precedes it here and there."""
        indices = self.indices([self.positions, self.width])
        scope = Scope(indices[:], self.positions.bound * self.width.bound, False)
        self.define(indices, self.scalars.real(scope, 2))

    def prefix(self):
        """A reduction over the positions up to this one, or over some of them."""
        t, d, s = self.indices([self.positions, self.width, self.positions])
        name = self.random.choice(["sum", "mean", "max", "min"])
        scope = Scope([s, d], self.positions.bound**2 * self.width.bound, False, {t.name})
        operand = self.scalars.real(scope, 1)
        where = compare("<=", index(s), index(t))
        if self.random.random() < 0.4:
            near = compare("<", binary("-", index(t), index(s)), literal(self.random.choice([1, 2, 4])))
            where = both(where, near)
        if self.random.random() < 0.4:
            where = both(where, self.scalars.bool(scope, 0))
        size = 20 * operand.magnitude() + 1
        tree = reduce(Reduction(name, [s], True), operand, where, -size, size)
        self.define([t, d], self.scalars.calm(tree))

    def grow_causal(self, count):
        for _ in range(count):
            way = self.random.choice(["row", "prefix", "attention", "attention", "call"])
            if way == "call" and self.program.modules:
                random_call(self, self.program)
            elif way == "attention":
                random_attention(self, self.positions)
            else:
                self.prefix() if way == "prefix" else self.row()


class CausalModel(Causal, ModelFrame):
    pass


class CausalModule(Causal, ModuleFrame):
    pass


def generate_causal(random, scale):
    program = Program(scale)
    positions = Dim("T", random.choice(scale.positions), dynamic=True)
    width, words = Dim("D", random.choice(scale.rows)), Dim("V", random.choice(scale.words))
    width.named = words.named = random.random() < 0.7
    program.dims = [positions, width, words]
    frame = CausalModel(random, program.dims, [0], program)
    frame.become(positions, width)
    embed(frame, program, words)
    if random.random() < 0.5:
        layer(frame, program)
    frame.grow_causal(random.choice([1, 2, 3]))
    program.shared = frame.statements
    logits(frame, program, words)
    return program


def embed(frame, program, words):
    """Ids become rows of a table, with learned places or without."""
    ids = Tensor("ids", [frame.positions], "int", 0, words.bound - 1, exact=True)
    program.inputs.append(Input(ids))
    frame.tensors.append(ids)
    t, d = indices = frame.indices([frame.positions, frame.width])
    table = frame.leaf("real", [words, frame.width], whole=True)
    tree = read(table, [read(ids, [index(t)]), index(d)])
    if frame.random.random() < 0.5:
        longer = frame.new_dim(frame.positions.bound + frame.random.choice([0, 1, 4]))
        places = frame.leaf("real", [longer, frame.width], whole=True)
        tree = binary("+", tree, read(places, [index(t), index(d)]))
    frame.define(indices, tree)


def layer(frame, program):
    """A module that takes the rows and gives rows; it may be called several times."""
    module = Module("Layer")
    inner = CausalModule(frame.random, [frame.positions, frame.width], frame.counter, program, module)
    inner.become(frame.positions, frame.width)
    inner.grow_causal(frame.random.choice([1, 2]))
    if not inner.statements:
        inner.row()
    rows = (frame.positions, frame.width)
    defined = [x for s in inner.statements for x in s.defines() if x.dims == rows]
    if not defined:
        inner.row()
        defined = [inner.tensors[-1]]
    module.statements, module.returns = inner.statements, defined[-1:]
    program.modules.append(module)


def logits(frame, program, words):
    rows = [x for x in frame.tensors if x.dims == (frame.positions, frame.width) and x.kind == "real"]
    t, v, d = frame.indices([frame.positions, words, frame.width])
    head = frame.leaf("real", [words, frame.width], whole=True)
    last, first = (read(rows[k], [index(t), index(d)]) for k in (-1, 0))
    row = binary("+", last, first)  # it depends on the ids
    product = binary("*", row, read(head, [index(v), index(d)]))
    last = frame.define([t, v], reduce(Reduction("sum", [d]), product, None, -50, 50))
    entry = Entry("")
    others = [x for x in rows[:-1] if frame.random.random() < 0.15 and x not in frame.hidden]
    defined = {x for s in frame.statements for x in s.defines()}
    entry.outputs = [x for x in others if x in defined] + [last]
    program.entries.append(entry)
    program.generates = (last, frame.positions)
