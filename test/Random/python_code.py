"""Trees as Python code over nested lists of `Real`s, integers and truth values."""
import itertools

from trees import NORMALISERS

REAL_FUNCTIONS = {"max": "largest", "min": "smallest", "int": "truncate", "abs": "abs"}
fresh = itertools.count()


class PythonCode:
    """Writes a tree as Python over nested lists; rows of softmax are made before, once, as lists of their own."""

    def __init__(self, indices):
        self.indices = list(indices)
        self.before = []

    def code(self, node):
        return getattr(self, "code_" + node.op, self.code_binary)(node)

    def code_literal(self, node):
        return f"constant({float(node.data)!r})" if node.kind == "real" else repr(node.data)

    def code_index(self, node):
        return "i_" + node.data.name

    def code_dim(self, node):
        return "n_" + node.data.name

    def code_read(self, node):
        return variable(node.data) + "".join(f"[{self.code(child)}]" for child in node.children)

    def code_given(self, node):
        return "given_" + variable(node.data)

    def code_real(self, node):
        return f"Real(float({self.code(node.children[0])}))"

    def code_call(self, node):
        function = REAL_FUNCTIONS.get(node.data, node.data) if node.children[0].kind == "real" else node.data
        arguments = [self.code(child) for child in node.children]
        if node.data == "clip":
            low, high = ("smallest", "largest") if node.kind == "real" else ("min", "max")
            return f"{low}({high}({arguments[0]}, {arguments[1]}), {arguments[2]})"
        while len(arguments) > 2:
            arguments[:2] = [f"{function}({arguments[0]}, {arguments[1]})"]
        return f"{function}({', '.join(arguments)})"

    def code_neg(self, node):
        return f"(-{self.code(node.children[0])})"

    def code_not(self, node):
        return f"(not {self.code(node.children[0])})"

    def code_if(self, node):
        test, yes, no = map(self.code, node.children)
        return f"({yes} if {test} else {no})"

    def code_binary(self, node):
        left, right = map(self.code, node.children)
        if node.op in ("//", "%"):
            right = f"({right} or 1)"  # a divisor of 0 counts as 1
        return f"({left} {'**' if node.op == '^' else node.op} {right})"

    def loops(self, indices, where=None):
        result = " ".join(f"for i_{index.name} in range(n_{index.dim.name})" for index in indices)
        return result + (f" if {self.code(where)}" if where else "")

    def code_reduce(self, node):
        reduction, operand = node.data, self.code(node.children[0])
        if reduction.name in NORMALISERS:
            return self.rows(node, operand)
        loops = self.loops(reduction.indices, node.children[1] if reduction.where else None)
        real = node.children[0].kind == "real"
        if reduction.name in ("argmax", "argtop"):
            place = f"{self.code(node.children[-1])}, " if reduction.name == "argtop" else ""
            return f"{reduction.name}([({operand}, i_{reduction.indices[0].name}) {loops}], {place}{real})"
        return f"{reduction.name}_{'real' if real else 'int'}([{operand} {loops}])"

    def rows(self, node, operand):
        """A softmax over an index of the formula: a list for each value of the others."""
        axis = node.data.indices[0]
        others = [index for index in self.indices if index is not axis]
        name = f"row{next(fresh)}"
        where = f" if {self.code(node.children[1])} else None" if node.data.where else ""
        row = f"{node.data.name}([{operand}{where} {self.loops([axis])}])"
        self.before.append(f"{name} = {nested(row, others)}")
        return name + "".join(f"[i_{index.name}]" for index in others + [axis])


def variable(tensor):
    return "v_" + tensor.name.replace(".", "_")


def nested(element, indices):
    for index in reversed(indices):
        element = f"[{element} for i_{index.name} in range(n_{index.dim.name})]"
    return element
