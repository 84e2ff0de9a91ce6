"""Random reductions over new indices, with and without predicates."""
import math

from build import binary, choose, clip, compare, index, literal, quotient, real, reduce
from trees import Index, Reduction

MOST_FACTORS = 5000  # of a product, whose bound is a double


class Reductions:
    def new_indices(self, scope, dims):
        return [Index(name, dim) for name, dim in zip(self.frame.index_names(scope.taken()), dims)]

    def reduced_dims(self, scope, count):
        """As many dimensions as the budget of repetitions allows."""
        dims, volume = [], scope.volume
        for dim in self.random.sample(self.frame.dims, min(count, len(self.frame.dims))):
            if volume * dim.bound <= self.frame.budget:
                dims.append(dim)
                volume *= dim.bound
        return dims

    def real_reduce(self, scope, depth):
        if scope.outermost and scope.indices and self.chance(0.3):
            return self.softmax(scope, depth)
        return self.reduction("real", scope, depth) or self.real_leaf(scope)

    def reduction(self, kind, scope, depth):
        """A reduction whose result is of the kind, or None where it would be too much work."""
        dims = self.reduced_dims(scope, self.pick(1, 1, 1, 2, 2, 3))
        if not dims:
            return None
        inner = scope.inside(indices := self.new_indices(scope, dims))
        names = ["sum", "sum", "max", "min", "prod"] + (["mean"] if kind == "real" else ["argmax"])
        name = self.random.choice(names)
        if name == "prod" and math.prod(dim.bound for dim in dims) > MOST_FACTORS:
            name = "max"
        if name == "argmax":
            return self.argmax(dims[0], scope)
        where = self.predicate(inner, indices)
        if kind == "real" and self.chance(0.2):
            where, operand = self.guarded_read(inner)
            where = self.all(where)
        else:
            operand = self.operand(kind, inner, depth)
        return self.reduced(Reduction(name, indices, where is not None), operand, where)

    def operand(self, kind, scope, depth):
        if kind == "int":
            return self.int(scope, depth)
        if self.chance(0.4):  # what a product of matrices is made of
            return self.calm(binary("*", self.read("real", scope), self.read("real", scope)))
        return self.real(scope, depth)

    def predicate(self, scope, indices):
        if self.chance(0.55):
            return None
        return self.bool(scope, self.pick(0, 1))

    def reduced(self, reduction, operand, where):
        count = 1
        for i in reduction.indices:
            count *= i.dim.bound
        name, low, high = reduction.name, min(operand.low, 0), max(operand.high, 0)
        if name == "sum":
            low, high = count * low, count * high
        elif name == "prod":
            operand, size = self.factor(operand, count)
            low, high = -size, size
        return reduce(reduction, operand, where, low, high)

    def factor(self, operand, count):
        """Factors near 1, so that their product stays small, and a bound of the product."""
        if operand.kind == "real":
            small = quotient(clip(operand, literal(-1.0), literal(1.0)), literal(8.0), 8)
            return binary("+", literal(1.0), small), 1.125**count
        if count <= 8:
            return clip(operand, literal(-1), literal(2)), 2**count
        return choose(self.odd(operand), literal(-1), literal(1)), 1

    def odd(self, operand):
        return compare("==", binary("%", operand, literal(3)), literal(1))

    def argmax(self, dim, scope):
        inner = scope.inside(indices := self.new_indices(scope, [dim]))
        operand = self.read("real", inner) if self.chance(0.7) else self.int(inner, 1)
        if not any(node.op == "index" and node.data is indices[0] for node in operand.walk()):
            operand = binary("+", operand, binary("*", index(indices[0]), literal(3)))
        where = self.predicate(inner, indices)
        return reduce(Reduction("argmax", indices, where is not None), operand, where, 0, dim.bound - 1)

    def softmax(self, scope, depth):
        """Over an index of the formula, which stays. What logsoftmax leaves out is minus infinity: it stands alone."""
        axis, inner = self.random.choice(scope.indices), scope.guarded()
        where = self.predicate(inner, [axis])
        name = "logsoftmax" if where is None and self.chance(0.3) else "softmax"
        operand = real(self.real(inner, depth))
        return reduce(Reduction(name, [axis], where is not None), operand, where, -25 if name[0] == "l" else 0, 1)
