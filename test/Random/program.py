"""What a random program is made of: inputs, weights, formulas, calls, modules, entries; as Weft text and as Python."""
from python_code import PythonCode, nested, variable
from trees import looked_at, stands_alone
from weft_code import WeftText, number


class Input:
    """`default` is None, a number or a Formula of the input's own tensor. Some `sparse` reals are equal."""

    def __init__(self, tensor, default=None, sparse=False):
        self.tensor, self.default, self.sparse = tensor, default, sparse

    def text(self, names):
        name, kind = self.tensor.name, type_text(self.tensor, names)
        if isinstance(self.default, Formula):
            indices = ", ".join(i.name for i in self.default.indices)
            return f"input {name}[{indices}]: {kind} = {self.default.right(names)}"
        return f"input {name}: {kind}" + ("" if self.default is None else f" = {number(self.default)}")

    def reads(self):
        return self.default.reads() if isinstance(self.default, Formula) else []


def type_text(tensor, names):
    kind = tensor.stored or ("" if tensor.kind == "real" and tensor.dims else tensor.kind)
    return kind + (f"[{', '.join(map(WeftText(names).dim, tensor.dims))}]" if tensor.dims else "")


class Formula:
    """`explicit` are the indices whose range is written although it follows from a read."""

    def __init__(self, tensor, indices, tree, explicit=(), buffer=False):
        self.tensor, self.indices, self.tree, self.buffer = tensor, tuple(indices), tree, buffer
        self.extra = set(explicit)

    def defines(self):
        return [self.tensor]

    def reads(self):
        return [node.data for node in self.tree.walk() if node.op in ("read", "given")]

    def explicit(self):
        """The indices whose range has to be said: those that nowhere stand alone, or in another dimension too."""
        if self.buffer:
            return set(self.indices)
        alone, perhaps = stands_alone(looked_at(self.tree)), stands_alone(self.tree.walk())
        everywhere = list(self.indices)
        for node in self.tree.walk():
            if node.op == "reduce":
                everywhere += node.data.indices
        unclear = {
            i for i in everywhere if any(dim is not i.dim for dim in alone.get(i, [None]) + perhaps.get(i, []))
        }
        return unclear | self.extra

    def left(self, names):
        writer = WeftText(names, self.explicit())
        return f"[{', '.join(map(writer.binder, self.indices))}]" if self.indices else ""

    def right(self, names):
        return WeftText(names, self.explicit()).text(self.tree)

    def text(self, names, output=False):
        word = "buffer " if self.buffer else "output " if output else ""
        stored = f": {self.tensor.stored}" if output and self.tensor.stored else ""
        return f"{word}{self.tensor.name}{self.left(names)}{stored} = {self.right(names)}"

    def python(self):
        writer = PythonCode(self.indices)
        element = writer.code(self.tree)
        return writer.before + [f"{variable(self.tensor)} = noted({nested(element, self.indices)})"]


class Call:
    """results[indices] = scope: module(arguments); an argument is a tensor and the indices that it is read at."""

    def __init__(self, results, indices, module, arguments, scope):
        self.results, self.indices, self.module = results, tuple(indices), module
        self.arguments, self.scope = arguments, scope

    def defines(self):
        return self.results

    def reads(self):
        return [tensor for tensor, _ in self.arguments]

    def text(self, names, output=False):
        names_of = [tensor.name for tensor in self.results]
        left = names_of[0] if len(names_of) == 1 else f"({', '.join(names_of)})"
        writer = WeftText(names, self.indices)
        left += f"[{', '.join(map(writer.binder, self.indices))}]" if self.indices else ""
        arguments = ", ".join(
            tensor.name + (f"[{', '.join(i.name for i in places)}]" if places else "")
            for tensor, places in self.arguments
        )
        scope = f"{self.scope}: " if self.scope else ""
        return f"{left} = {scope}{self.module.name}({arguments})"

    def python(self):
        scope = f"scope + {self.scope + '.'!r}" if self.scope else "scope"
        arguments = "".join(
            ", " + variable(tensor) + "".join(f"[i_{i.name}]" for i in places) for tensor, places in self.arguments
        )
        lines = [f"called = {nested(f'module_{self.module.name}({scope}{arguments})', self.indices)}"]
        at = "".join(f"[i_{i.name}]" for i in self.indices)
        for k, tensor in enumerate(self.results):
            lines.append(f"{variable(tensor)} = {nested(f'called{at}[{k}]', self.indices)}")
        return lines


def live(statements, wanted):
    """The statements that are needed for some tensors, in order."""
    needed, result = set(wanted), []
    for statement in reversed(statements):
        if needed.intersection(statement.defines()):
            result.append(statement)
            needed.update(statement.reads())
    return result[::-1], needed


class Module:
    def __init__(self, name):
        self.name = name
        self.arguments, self.weights, self.statements, self.returns = [], [], [], []

    def parts(self):
        statements, needed = live(self.statements, self.returns)
        return statements, [weight for weight in self.weights if weight in needed]

    def names(self):
        return [dim for tensor in self.arguments for dim in tensor.dims]

    def text(self):
        names = self.names()
        statements, weights = self.parts()
        arguments = ", ".join(f"{tensor.name}: {type_text(tensor, names)}" for tensor in self.arguments)
        lines = [f"module {self.name}({arguments}) {{"]
        lines += [f"  param {weight.name}: {type_text(weight, names)}" for weight in weights]
        lines += ["  " + statement.text(names) for statement in statements]
        return lines + [f"  return {', '.join(tensor.name for tensor in self.returns)}", "}"]

    def python(self):
        statements, weights = self.parts()
        head = f"def module_{self.name}(scope" + "".join(", " + variable(tensor) for tensor in self.arguments) + "):"
        body = [f"{variable(weight)} = weights[scope + {weight.name!r}]" for weight in weights]
        for statement in statements:
            body += statement.python()
        body.append(f"return ({', '.join(variable(tensor) for tensor in self.returns)},)")
        return [head] + ["    " + line for line in body]


class Entry:
    def __init__(self, name):
        self.name, self.statements, self.outputs = name, [], []


class Program:
    """Inputs and weights are declared if something reads them. An entry without a name stands for the model."""

    def __init__(self, scale):
        self.scale = scale
        self.dims, self.inputs, self.weights, self.shared, self.modules, self.entries = [], [], [], [], [], []
        self.anchors = {}  # for each run-time dimension an input that has it
        self.generates = None  # (output, dimension)
        self.rewriting = None  # the seed of another notation of the text

    def parts(self, entry):
        """The statements of an entry with the shared ones, and the inputs and weights that they need."""
        inputs = [x.default for x in self.inputs if isinstance(x.default, Formula)]
        statements, needed = live(inputs + self.shared + entry.statements, entry.outputs)
        return [s for s in statements if s not in inputs], needed

    def inputs_of(self, entry):
        _, needed = self.parts(entry)
        return [x for x in self.inputs if x.tensor in needed]

    def modules_of(self):
        found = set()

        def visit(statements):
            for statement in statements:
                if isinstance(statement, Call) and statement.module not in found:
                    found.add(statement.module)
                    visit(statement.module.parts()[0])

        for entry in self.entries:
            visit(self.parts(entry)[0])
        return [module for module in self.modules if module in found]

    def weights_of(self):
        """The checkpoint: names and tensors, with the scopes of the calls before the names."""
        result = {}

        def visit(statements, scope):
            for statement in statements:
                if isinstance(statement, Call):
                    inner, weights = statement.module.parts()
                    path = scope + (statement.scope + "." if statement.scope else "")
                    result.update({path + weight.name: weight for weight in weights})
                    visit(inner, path)

        for entry in self.entries:
            statements, needed = self.parts(entry)
            result.update({weight.name: weight for weight in self.weights if weight in needed})
            visit(statements, "")
        return result
