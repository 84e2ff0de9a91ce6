"""Makes nodes of trees, and follows what values they can have."""
from trees import Node


def literal(value):
    kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
    return Node("literal", kind, data=value, low=value, high=value)


def index(i):
    return Node("index", "int", data=i, low=0, high=i.dim.bound - 1)


def extent(dim):
    return Node("dim", "int", data=dim, low=1 if dim.dynamic else dim.bound, high=dim.bound)


def read(tensor, places):
    return Node("read", tensor.kind, places, tensor, tensor.low, tensor.high)


def real(node, explicit=True):
    return node if node.kind == "real" else Node("real", "real", [node], explicit, node.low, node.high)


def products(a, b):
    return [x * y for x in (a.low, a.high) for y in (b.low, b.high)]


def bounds(op, a, b):
    if op == "+":
        return a.low + b.low, a.high + b.high
    if op == "-":
        return a.low - b.high, a.high - b.low
    if op == "*":
        return min(products(a, b)), max(products(a, b))
    if op == "%":
        return (0 if b.low > 0 else 1 - b.magnitude()), max(b.high, 1) - 1
    if op == "//":
        return (min(a.low, 0), max(a.high, 0)) if b.low > 0 else (-a.magnitude(), a.magnitude())
    return 0, 0


def binary(op, a, b):
    """`a op b`; of an integer and a real a real, where the integer is converted silently."""
    kind = "real" if "real" in (a.kind, b.kind) else "int"
    if kind == "real":
        a, b = real(a, False), real(b, False)
    low, high = bounds(op, a, b)
    return Node(op, kind, [a, b], low=low, high=high)


def quotient(a, b, least):
    """A real division by what is at least `least` in magnitude."""
    size = a.magnitude() / least
    return Node("/", "real", [real(a, b.kind == "int"), real(b, False)], low=-size, high=size)


def power(base, exponent, low, high):
    """An integer exponent makes a product, any other a power of reals."""
    if exponent.kind == "real":
        base = real(base, False)
    return Node("^", "real", [base, exponent], low=low, high=high)


def compare(op, a, b):
    if a.kind != b.kind:
        a, b = real(a, False), real(b, False)
    return Node(op, "bool", [a, b])


def both(a, b):
    return Node("and", "bool", [a, b])


def either(a, b):
    return Node("or", "bool", [a, b])


def negate(a):
    if a.kind == "bool":
        return Node("not", "bool", [a])
    return Node("neg", a.kind, [a], low=-a.high, high=-a.low)


def choose(test, yes, no):
    if yes.kind != no.kind:
        yes, no = real(yes, False), real(no, False)
    return Node("if", yes.kind, [test, yes, no], low=min(yes.low, no.low), high=max(yes.high, no.high))


def call(name, *arguments, low=0, high=0):
    kind = "real" if any(a.kind == "real" for a in arguments) else "int"
    if kind == "real":
        arguments = [real(a, False) for a in arguments]
    return Node("call", "int" if name == "int" else kind, arguments, name, low, high)


def function(name, argument, low, high):
    """A function of a real, whose result is a real."""
    return Node("call", "real", [real(argument)], name, low, high)


def maximum(a, b):
    return call("max", a, b, low=max(a.low, b.low), high=max(a.high, b.high))


def minimum(a, b):
    return call("min", a, b, low=min(a.low, b.low), high=min(a.high, b.high))


def absolute(a):
    return call("abs", a, low=0, high=a.magnitude())


def clip(a, low, high):
    return call("clip", a, low, high, low=low.low, high=high.high)


def shifted(node, offset):
    """node + offset, written as a difference where the offset is negative."""
    if offset == 0:
        return node
    return binary("+" if offset > 0 else "-", node, literal(abs(offset)))


def reduce(reduction, operand, predicate, low, high, place=None):
    kind = "int" if reduction.name in ("argmax", "argtop") else operand.kind
    if reduction.name in ("mean", "softmax", "logsoftmax"):
        kind, operand = "real", real(operand)
    children = [child for child in (operand, predicate, place) if child is not None]
    return Node("reduce", kind, children, reduction, low, high)
