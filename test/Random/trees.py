"""Expression trees of random programs. Their two readings are weft_code.py and python_code.py.

A tree is made by the generator; neither reading is made from the other. What a tree knows of its values (`low`, `high`:
bounds, of a real in magnitude too) keeps integers small and indices in range.
"""
class Dim:
    """A dimension: a fixed size, which may have a name in the text, or a bound."""

    def __init__(self, name, bound, dynamic=False):
        self.name, self.bound, self.dynamic = name, bound, dynamic
        self.named = dynamic


class Index:
    def __init__(self, name, dim):
        self.name, self.dim = name, dim


class Tensor:
    """`kind` is real, int or bool; `exact` reals are those of inputs and weights, which rounding does not reach.

    `stored` is None or a type of fewer bits (storage.py). An attention of queries, keys and values of bf16 rounds its
    weights, too, which no reading knows: values are `fine`, and not stored so.
    """

    def __init__(self, name, dims, kind, low=0, high=0, exact=False):
        self.name, self.dims, self.kind = name, tuple(dims), kind
        self.low, self.high, self.exact = low, high, exact
        self.stored, self.fine = None, False

    def magnitude(self):
        return max(abs(self.low), abs(self.high))

    def volume(self):
        result = 1
        for dim in self.dims:
            result *= dim.bound
        return result


class Node:
    """`op` decides what `data` is: a number, an Index, a Dim, a Tensor, the name of a function or a Reduction."""

    __slots__ = ("op", "kind", "children", "data", "low", "high")

    def __init__(self, op, kind, children=(), data=None, low=0, high=0):
        self.op, self.kind, self.children, self.data = op, kind, tuple(children), data
        self.low, self.high = low, high

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()

    def size(self):
        return sum(1 for _ in self.walk())

    def magnitude(self):
        return max(abs(self.low), abs(self.high))

    def with_children(self, children):
        return Node(self.op, self.kind, children, self.data, self.low, self.high)


class Reduction:
    """`children` of its node are the operand, if `where` the predicate, and of argtop the place that is asked for."""

    def __init__(self, name, indices, where=False):
        self.name, self.indices, self.where = name, tuple(indices), where


NORMALISERS = ("softmax", "logsoftmax")


def stands_alone(nodes):
    """The indices that are a whole index expression somewhere in these, with the dimensions in which they are."""
    result = {}
    for node in nodes:
        if node.op == "read":
            for dim, child in zip(node.data.dims, node.children):
                if child.op == "index":
                    result.setdefault(child.data, []).append(dim)
    return result


def looked_at(node):
    """The nodes that count for ranges: what a condition that is known at compile time may leave out does not."""
    yield node
    decided = known(node.children[0]) if node.op == "if" else node.op in ("and", "or") and any(map(known, node.children))
    for child in () if decided else node.children:
        yield from looked_at(child)


def known(condition):
    """Whether the compiler may know the condition, if only because a part of it decides."""
    if condition.op in ("and", "or", "not"):
        return any(map(known, condition.children))
    return not any(x.op in ("read", "index", "given") for x in condition.walk())

