"""What a formula can refer to while a program grows: the frame of a model or a module. Leaves are made on demand."""
from build import binary, call, choose, compare, index, literal, negate, power, real
from program import Formula, Input
from scalars import Scalars
from trees import Dim, Index, Node, Tensor

LETTERS = "tshcdefijklmnopqruvw"


def random_dims(random, scale):
    """Two or three fixed sizes, of which some have a name, and up to two run-time ones."""
    dims = []
    for name in random.sample("ABCDEFGH", random.choice([1, 2, 2, 3])):
        dims.append(Dim(name, random.choice(scale.sizes)))
        dims[-1].named = random.random() < 0.7
    for name in random.sample("NSTU", random.choice([0, 1, 1, 1, 2])):
        dims.append(Dim(name, random.choice(scale.bounds), dynamic=True))
    return dims


class Frame:
    def __init__(self, random, dims, counter, program):
        self.random, self.dims, self.counter, self.program = random, list(dims), counter, program
        self.scale, self.budget = program.scale, program.scale.budget
        self.tensors, self.statements, self.hidden = [], [], set()
        self.scalars = Scalars(random, self)

    def name(self, prefix):
        self.counter[0] += 1
        return f"{prefix}{self.counter[0]}"

    def new_dim(self, size):
        """A fixed dimension without a name."""
        self.program.dims.append(Dim(self.name("K"), size))
        return self.program.dims[-1]

    def index_names(self, taken):
        return self.random.sample([x for x in LETTERS if x not in taken], 5)

    def indices(self, dims, taken=()):
        return [Index(name, dim) for name, dim in zip(self.index_names(set(taken)), dims)]

    def small(self, dims):
        """As many of the dimensions as a tensor may have."""
        result, volume = [], 1
        for dim in dims[:4]:
            if volume * dim.bound <= self.scale.volume:
                result.append(dim)
                volume *= dim.bound
        return result

    def readable(self, tensor):
        return True

    def define(self, indices, tree, **more):
        """A formula and its tensor. A real formula of integers says that it is one."""
        tensor = Tensor(self.name("y"), [i.dim for i in indices], tree.kind, tree.low, tree.high)
        explicit = [i for i in indices if self.random.random() < 0.25]
        formula = Formula(tensor, indices, tree, explicit, **more)
        self.statements.append(formula)
        self.tensors.append(tensor)
        return tensor

    def tempered(self, tree, depth):
        """A sum of so many products, scaled where values are to stay as large as they were."""
        return binary("*", tree, literal(round(depth**-0.5, 3))) if self.scale.tempered else tree

    def range_of(self, kind, low, high):
        if kind == "int" and high is None:
            low = self.random.choice([-3, 0, 0, 1])
            high = low + self.random.choice([1, 4, 9])
        if kind == "real":
            low, high = -2.0, 2.0
        return (low or 0), (high or 0)


class ModelFrame(Frame):
    def anchored(self, dim):
        return True  # an input that has the dimension is added if there is none

    def leaf(self, kind, dims, low=None, high=None, whole=False):
        dims = dims if whole else self.small(dims)
        low, high = self.range_of(kind, low, high)
        if kind == "real" and not any(dim.dynamic for dim in dims) and dims and self.random.random() < 0.55:
            tensor = Tensor(self.name("w"), dims, kind, -1.0, 1.0, exact=True)
            self.program.weights.append(tensor)
        else:
            tensor = Tensor(self.name({"real": "x", "int": "n", "bool": "b"}[kind]), dims, kind, low, high, exact=True)
            self.program.inputs.append(Input(tensor, self.default(tensor), self.random.random() < 0.4))
        self.tensors.append(tensor)
        return tensor

    def default(self, tensor):
        """One value for all elements, or a formula of indices."""
        if tensor.kind == "bool" or self.random.random() < 0.75:
            return None
        if tensor.kind == "real":
            return self.random.choice([0, 1, 0.5, -1.25])
        if tensor.dims and self.random.random() < 0.4:
            indices = self.indices(tensor.dims)
            tree = index(self.random.choice(indices))
            if tree.high > tensor.high - tensor.low:
                tree = binary("%", tree, literal(tensor.high - tensor.low + 1))
            if tensor.low:
                tree = binary("+", tree, literal(tensor.low))
            return Formula(tensor, indices, tree, indices)
        return self.random.randint(tensor.low, tensor.high)

    def given(self):
        """A condition: whether the caller passes one of the optional inputs."""
        found = [x.tensor for x in self.program.inputs if x.default is not None]
        return Node("given", "bool", data=self.random.choice(found)) if found else None

    def buffer(self):
        """Data that the compiler computes."""
        fixed = [dim for dim in self.dims if not dim.dynamic]
        indices = self.indices(self.small(self.random.sample(fixed, min(len(fixed), self.random.choice([1, 2])))))
        i, j = index(indices[0]), index(indices[-1])
        slope = binary("*", binary("+", i, literal(1)), literal(0.5))
        even = compare("==", binary("%", binary("+", i, j), literal(2)), literal(0))
        tree = self.random.choice(
            [
                power(literal(2), negate(slope), 0, 1),
                call("sin", real(binary("*", i, literal(0.3))), low=-1, high=1),
                choose(even, literal(1.0), literal(-0.5)),
                binary("%", binary("*", binary("+", i, j), literal(7)), literal(5)),
                binary("*", binary("-", i, j), literal(0.125)),
            ]
        )
        return self.define(indices, tree, buffer=True)


class ModuleFrame(Frame):
    """Leaves are weights of the module, or arguments that its calls have to give."""

    def __init__(self, random, dims, counter, program, module):
        super().__init__(random, dims, counter, program)
        self.module = module
        self.argument("real", dims)

    def anchored(self, dim):
        return any(dim in tensor.dims for tensor in self.module.arguments)

    def argument(self, kind, dims, low=None, high=None):
        low, high = self.range_of(kind, low, high)
        tensor = Tensor(self.name("a"), dims, kind, low, high)
        self.module.arguments.append(tensor)
        self.tensors.append(tensor)
        return tensor

    def leaf(self, kind, dims, low=None, high=None, whole=False):
        dims = dims if whole else self.small(dims)
        if kind != "real" or any(dim.dynamic for dim in dims) or not dims or self.random.random() < 0.3:
            return self.argument(kind, dims, low, high)
        tensor = Tensor(self.name("w"), dims, kind, -1.0, 1.0, exact=True)
        self.module.weights.append(tensor)
        self.tensors.append(tensor)
        return tensor

    def given(self):
        return None
