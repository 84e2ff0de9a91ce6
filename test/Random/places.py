"""Random reads: which element of a tensor, by index expressions of every kind that are in range."""
from build import (
    absolute, binary, both, choose, clip, compare, either, extent, index, literal, maximum, minimum, negate, read,
    shifted,
)


class Places:
    def read(self, kind, scope, exact=False):
        """An element of a tensor that there is, or of a new input or weight."""
        found = [
            tensor
            for tensor in self.frame.tensors
            if tensor.kind == kind and (tensor.exact or not exact) and self.frame.readable(tensor)
        ]
        # Tensors over the indices at hand are the likeliest to make a formula of a model.
        near = [x for x in found if x.dims and any(dim is i.dim for dim in x.dims for i in scope.indices)]
        if near and self.chance(0.7):
            tensor = self.random.choice(near[-4:] if self.chance(0.6) else near)
        elif found and self.chance(0.3):
            tensor = self.random.choice(found)
        else:
            tensor = self.frame.leaf(kind, self.leaf_dims(scope))
        return read(tensor, [self.place(dim, scope) for dim in tensor.dims])

    def leaf_dims(self, scope):
        dims = []
        for i in scope.indices:
            if i.dim not in dims and self.chance(0.7):
                dims.append(i.dim)
        if self.chance(0.2):
            dims.append(self.random.choice(self.frame.dims))
        self.random.shuffle(dims)
        return self.frame.small(dims)

    def place(self, dim, scope, depth=1):
        own = [i for i in scope.indices if i.dim is dim]
        if own and self.chance(0.72):
            return index(self.random.choice(own))
        ways = ["constant", "last", "clip", "remainder", "half"]
        ways += ["reversed", "shifted", "near", "middle"] * bool(own)
        ways += ["gather"] * (not dim.dynamic) + ["shorter"] * (not dim.dynamic and bool(scope.indices))
        ways += ["best"] * (depth > 0 and scope.volume * dim.bound < self.frame.budget)
        return getattr(self, "place_" + self.random.choice(ways))(dim, scope, own)

    def place_constant(self, dim, scope, own):
        return literal(0 if dim.dynamic else self.random.randrange(dim.bound))

    def place_last(self, dim, scope, own):
        return binary("-", extent(dim), literal(1))

    def place_clip(self, dim, scope, own):
        return clip(self.int(scope, 1), literal(0), self.place_last(dim, scope, own))

    def place_remainder(self, dim, scope, own):
        return binary("%", self.int(scope, 1), extent(dim))

    def place_half(self, dim, scope, own):
        if own:
            return binary("//", index(self.random.choice(own)), literal(self.pick(2, 3)))
        return binary("//", extent(dim), literal(2)) if dim.bound > 1 or dim.dynamic else literal(0)

    def place_middle(self, dim, scope, own):
        last = self.place_last(dim, scope, own)
        return binary("//", binary("+", last, index(self.random.choice(own))), literal(2))

    def place_reversed(self, dim, scope, own):
        return binary("-", self.place_last(dim, scope, own), index(self.random.choice(own)))

    def place_shifted(self, dim, scope, own):
        i, k = index(self.random.choice(own)), literal(self.pick(1, 2, 3))
        if self.chance(0.5):
            return maximum(binary("-", i, k), literal(0))
        return minimum(binary("+", i, k), self.place_last(dim, scope, own))

    def place_near(self, dim, scope, own):
        i, j = index(self.random.choice(own)), index(self.random.choice(scope.indices))
        difference = absolute(binary("-", i, j))
        return difference if j.data.dim is dim else minimum(difference, self.place_last(dim, scope, own))

    def place_gather(self, dim, scope, own):
        """By what a tensor of integers says: an id, or one counted from 1."""
        found = [x for x in self.frame.tensors if x.kind == "int" and x.high - x.low < dim.bound and 0 <= x.low < 3]
        found = [x for x in found if self.frame.readable(x)]
        if found and self.chance(0.6):
            ids = self.random.choice(found)
        else:
            first = self.pick(0, 0, 0, 1)
            ids = self.frame.leaf("int", self.leaf_dims(scope)[:2], first, first + dim.bound - 1)
        value = read(ids, [self.place(inner, scope, 0) for inner in ids.dims])
        return shifted(value, -ids.low)

    def place_shorter(self, dim, scope, own):
        """An index as it is that runs over less, or over more, cut to what there is."""
        i = index(self.random.choice(scope.indices))
        return i if i.high < dim.bound else minimum(i, self.place_last(dim, scope, own))

    def place_best(self, dim, scope, own):
        return self.argmax(dim, scope)

    # ------------------------------------------------------------------------ guards

    def real_guard(self, scope, depth):
        """if the place lies in the tensor then the element there else something else."""
        where, element = self.guarded_read(scope)
        other = self.real(scope, 0)
        if self.chance(0.3):
            element = binary(self.pick("+", "*"), element, self.real(scope.guarded(), 0))
        if self.chance(0.25):
            return choose(self.opposite(where), other, element)
        if self.chance(0.25):
            where.append(self.bool(scope.guarded(), 0))
        return choose(self.all(where), element, other)

    def guarded_read(self, scope):
        """The conditions under which a place lies in a tensor, and the element there."""
        found = [x for x in self.frame.tensors if x.kind == "real" and x.dims and self.frame.readable(x)]
        tensor = self.random.choice(found) if found else self.frame.leaf("real", [self.random.choice(self.frame.dims)])
        at = self.random.randrange(len(tensor.dims))
        places = [self.place(dim, scope, 0) for dim in tensor.dims]
        places[at], where = self.guarded_place(tensor.dims[at], scope)
        return where, read(tensor, places)

    def guarded_place(self, dim, scope):
        own = [i for i in scope.indices if i.dim is dim]
        step = self.pick(-3, -2, -1, 1, 2, 3)
        if own and self.chance(0.7):
            at = shifted(index(self.random.choice(own)), step)
            return at, [self.below(at, dim) if step > 0 else self.not_negative(at)]
        if scope.indices and self.chance(0.6):
            at = shifted(index(self.random.choice(scope.indices)), step)
        else:
            at = self.read("int", scope)
        return at, [self.not_negative(at), self.below(at, dim)]

    def below(self, at, dim):
        last = self.place_last(dim, None, None)
        return self.pick(compare("<", at, extent(dim)), compare("<=", at, last), compare(">", extent(dim), at))

    def not_negative(self, at):
        return self.pick(compare(">=", at, literal(0)), compare(">", at, literal(-1)), compare("<=", literal(0), at))

    def all(self, conditions):
        result = conditions[0]
        for condition in conditions[1:]:
            result = both(result, condition)
        return result

    def opposite(self, conditions):
        turned = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
        parts = [compare(turned[c.op], *c.children) if c.op in turned else negate(c) for c in conditions]
        result = parts[0]
        for part in parts[1:]:
            result = either(result, part)
        return result
