"""Random scalar expressions of reals, integers and conditions over the indices of a scope."""
from build import (
    absolute, binary, both, call, choose, clip, compare, either, extent, function, index, literal, maximum, minimum,
    negate, power, quotient, real, shifted,
)
from places import Places
from choices import Reductions

CALM = 12.0  # larger magnitudes are brought back: rounding errors stay small
INTEGERS = 3000


class Scope:
    """The indices that an expression may use, how often it is computed, and whether softmax may stand in it.

    `reserved` are names of further indices, which it must not use.
    """

    def __init__(self, indices, volume, outermost=True, reserved=frozenset()):
        self.indices, self.volume, self.outermost = list(indices), volume, outermost
        self.reserved = frozenset(reserved)

    def taken(self):
        return self.reserved.union(i.name for i in self.indices)

    def inside(self, indices):
        volume = self.volume
        for i in indices:
            volume *= i.dim.bound
        return Scope(self.indices + list(indices), volume, False, self.reserved)

    def guarded(self):
        return Scope(self.indices, self.volume, False, self.reserved)


class Scalars(Places, Reductions):
    def __init__(self, random, frame):
        self.random, self.frame = random, frame

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    # ------------------------------------------------------------------------ reals

    def real(self, scope, depth):
        if depth <= 0 or self.chance(0.15):
            return self.real_leaf(scope)
        kind = self.random.choices(
            ["arithmetic", "function", "choice", "reduce", "guard", "bounded", "power", "integer"],
            [8, 4, 2, 5, 2, 2, 1, 1],
        )[0]
        return self.calm(getattr(self, "real_" + kind)(scope, depth - 1))

    def calm(self, node):
        if node.magnitude() <= CALM:
            return node
        how = self.pick("tanh", "clip", "scale")
        if how == "tanh":
            return function("tanh", quotient(node, literal(float(self.pick(4, 8))), 4), -1, 1)
        if how == "clip" or node.magnitude() > 1000:
            return clip(node, literal(-2.5), literal(3.75))
        return quotient(node, literal(float(int(node.magnitude() / 4) + 1)), int(node.magnitude() / 4) + 1)

    def real_leaf(self, scope):
        if self.chance(0.72):
            return self.read("real", scope)
        if self.chance(0.5):
            return literal(self.pick(0.5, 1.5, -0.25, 0.1, 2.0, -1.0, 0.75, 1e-3))
        return real(self.int(scope, 0))

    def real_arithmetic(self, scope, depth):
        a, b = self.real(scope, depth), self.real(scope, depth)
        op = self.pick("+", "-", "*", "*", "/")
        if op != "/":
            return binary(op, a, b)
        if self.chance(0.4):
            return quotient(a, literal(self.pick(2.0, 3.0, 0.7)), 0.7)
        return quotient(a, binary("+", absolute(b), literal(0.5)), 0.5)

    def real_function(self, scope, depth):
        x = self.real(scope, depth)
        name = self.pick("exp", "log", "sin", "cos", "sqrt", "rsqrt", "tanh", "erf", "floor", "exp", "tanh")
        if name == "exp":
            return function("exp", self.pick(negate(absolute(x)), minimum(x, literal(1.5))), 0, 4.5)
        if name == "log":
            return function("log", binary("+", absolute(x), literal(self.pick(0.5, 1.25))), -1, 3)
        if name in ("sqrt", "rsqrt"):
            return function(name, binary("+", absolute(x), literal(self.pick(0.25, 1.0))), 0, 4)
        if name == "floor":
            return function(name, shifted_real(x), -x.magnitude() - 1, x.magnitude() + 1)
        return function(name, x, -1, 1)

    def real_choice(self, scope, depth):
        return choose(self.bool(scope, 1), self.real(scope, depth), self.real(scope, depth))

    def real_bounded(self, scope, depth):
        a, b = self.real(scope, depth), self.pick(self.real_leaf(scope), literal(0), literal(0.5))
        return self.pick(maximum(a, b), minimum(a, b), absolute(a), clip(a, literal(-0.75), literal(1.25)), negate(a))

    def real_power(self, scope, depth):
        x = clip(self.real(scope, depth), literal(-1.5), literal(1.5))
        if self.chance(0.6):
            n = self.pick(1, 2, 2, 3, 4)
            return power(x, literal(n), -(1.5**n), 1.5**n)
        base = binary("+", absolute(x), literal(0.5))
        exponent = self.pick(literal(0.5), literal(-1.5), clip(self.real_leaf(scope), literal(-1.0), literal(2.0)))
        return power(base, exponent, 0, 8)

    def real_integer(self, scope, depth):
        a, b = self.int(scope, depth), self.int(scope, depth)
        if self.chance(0.5):
            return quotient(a, clip(b, literal(1), literal(9)), 1)
        return real(a)

    # ------------------------------------------------------------------------ integers

    def int(self, scope, depth):
        if depth <= 0 or self.chance(0.2):
            return self.int_leaf(scope)
        a, b = self.int(scope, depth - 1), self.int(scope, depth - 1)
        kind = self.pick("+", "-", "*", "//", "%", "max", "min", "abs", "clip", "if", "neg", "reduce", "int")
        if kind in ("//", "%"):
            # The last is of any sign, and 0 here and there.
            divisors = [literal(2), literal(3), literal(5), clip(b, literal(1), literal(4)), self.read("int", scope)]
            node = binary(kind, a, self.random.choice(divisors))
        elif kind == "clip":
            node = clip(a, literal(-2), literal(self.pick(1, 6)))
        elif kind == "if":
            node = choose(self.bool(scope, 0), a, b)
        elif kind == "reduce":
            node = self.reduction("int", scope, depth - 1) or a
        elif kind == "int":
            node = self.whole(scope)
        elif kind in ("+", "-", "*"):
            node = binary(kind, a, b)
        else:
            node = {"max": lambda: maximum(a, b), "min": lambda: minimum(a, b)}.get(
                kind, lambda: absolute(a) if kind == "abs" else negate(a)
            )()
        return node if node.magnitude() <= INTEGERS else binary("%", node, literal(11))

    def whole(self, scope):
        x = self.read("real", scope)
        size = int(4 * x.magnitude()) + 1
        return call("int", shifted_real(binary("*", x, literal(3.0))), low=-size, high=size)

    def int_leaf(self, scope):
        if scope.indices and self.chance(0.4):
            return index(self.random.choice(scope.indices))
        if self.chance(0.5):
            return self.read("int", scope)
        dims = [dim for dim in self.frame.dims if dim.dynamic and self.frame.anchored(dim)]
        if dims and self.chance(0.3):
            return extent(self.random.choice(dims))
        return literal(self.pick(0, 1, 2, 3, -1, 5))

    # ------------------------------------------------------------------------ conditions

    def bool(self, scope, depth):
        if depth > 0 and self.chance(0.45):
            a, b = self.bool(scope, depth - 1), self.bool(scope, depth - 1)
            return self.pick(both(a, b), both(a, b), either(a, b), negate(a))
        kind = self.random.choices(["indices", "data", "reals", "computed", "tensor"], [5, 4, 2, 1, 1])[0]
        if kind == "indices" and scope.indices:
            return self.index_condition(scope)
        if kind == "reals":
            a = self.read("real", scope, exact=True)
            b = self.read("real", scope, exact=True) if self.chance(0.5) else literal(self.pick(0.0, 0.25, -0.5))
            return compare(self.comparison(), a, b)
        if kind == "computed":
            return compare(self.pick("<", ">", "<=", ">="), self.real(scope, 1), literal(self.pick(0.0713, -0.3171)))
        if kind == "tensor":
            return self.chance(0.3) and self.frame.given() or self.read("bool", scope)
        other = self.pick(literal(0), literal(1), literal(2), self.read("int", scope))
        return compare(self.comparison(), self.read("int", scope), other)

    def comparison(self):
        return self.pick("==", "!=", "<", "<=", ">", ">=")

    def index_condition(self, scope):
        n = literal(self.pick(1, 2, 3))
        if len(scope.indices) == 1:
            i = index(scope.indices[0])
            return self.pick(compare(self.comparison(), i, n), compare("==", binary("%", i, n), literal(0)))
        i, j = map(index, self.random.sample(scope.indices, 2))
        return self.pick(
            compare(self.comparison(), i, j),
            compare("<=", i, j),
            compare("<", binary("-", i, j), n),
            compare("<=", absolute(binary("-", i, j)), n),
            compare("==", binary("%", i, n), literal(0)),
            compare("==", binary("//", i, n), binary("//", j, n)),
            compare(self.comparison(), i, n),
            compare("<", shifted(i, self.pick(-2, 1, 3)), j),
        )


def shifted_real(x):
    """Away from whole numbers and halves, where inputs like to lie."""
    return binary("+", x, literal(0.0913))
