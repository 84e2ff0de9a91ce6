"""Random attentions: heads, groups, cross attention, masks, terms of the score, normalisers, values, layouts."""
from build import (
    absolute, binary, both, choose, clip, compare, either, extent, function, index, literal, minimum, negate, quotient,
    read, real, reduce,
)
from scalars import Scope
from trees import Reduction
from written import Written


class Attention:
    """Builds its formulas in a frame. `causal`: no key lies behind its query, whatever else a mask says."""

    def __init__(self, frame, causal=None):
        self.frame, self.random, self.causal = frame, frame.random, causal
        random = self.random
        scale = frame.scale
        self.heads = frame.new_dim(random.choice(scale.heads))
        self.channels = frame.new_dim(random.choice(scale.channels))
        self.width = self.channels if random.random() < 0.7 else frame.new_dim(random.choice(scale.widths))
        self.group = random.choice([n for n in (1, 1, 2, 3) if self.heads.bound % n == 0])
        self.key_heads = self.heads if self.group == 1 else frame.new_dim(self.heads.bound // self.group)
        self.queries = causal or random.choice(frame.dims)
        self.keys = causal or (self.queries if random.random() < 0.7 else random.choice(frame.dims))
        self.same = self.queries is self.keys
        dims = [self.heads, self.queries, self.keys, self.channels, self.width]
        self.h, self.t, self.s, self.c, self.e = frame.indices(dims)

    def chance(self, share):
        return self.random.random() < share

    def fits(self):
        return self.heads.bound * self.queries.bound * self.keys.bound * self.channels.bound <= self.frame.scale.work

    # ------------------------------------------------------------------------ operands

    def operand(self, heads, positions, channels, fine=False):
        """A tensor of these three dimensions in any order, made by a projection or given; how it is read."""
        dims = [heads, positions, channels]
        self.random.shuffle(dims)
        dims = self.arranged(dims, channels)
        if self.causal or self.chance(0.4):
            tensor = self.projection(dims, heads, positions, channels)
        else:
            tensor = self.frame.leaf("real", dims, whole=True)
            tensor.fine |= fine
        return lambda h, p, c: read(tensor, [{heads: h, positions: p}.get(dim, c) for dim in tensor.dims])

    def projection(self, dims, heads, positions, channels):
        """y[h, t, c] = sum(d) x[t, d] * w[h, d, c], with a bias or without."""
        source = self.source(positions, dims)
        depth = next(dim for dim in source.dims if dim is not positions)
        own = self.frame.indices([*dims, depth])
        at = {i.dim: index(i) for i in own}
        weight = self.frame.leaf("real", self.shuffled([heads, depth, channels]), whole=True)
        product = binary("*", self.pick_at(source, at), self.pick_at(weight, at))
        tree = self.frame.tempered(reduce(Reduction("sum", own[3:]), product, None, -8, 8), depth.bound)
        if self.chance(0.4):
            bias = self.frame.leaf("real", [heads, channels], whole=True)
            tree = binary("+", tree, self.pick_at(bias, at))
        return self.hidden(self.frame.define(own[:3], tree))

    def source(self, positions, others):
        found = [
            x
            for x in self.frame.tensors
            if x.kind == "real" and len(x.dims) == 2 and x.dims[0] is positions
            and not x.dims[1].dynamic and x.dims[1] not in others
        ]
        if found and self.chance(0.8):
            return self.random.choice(found)
        return self.frame.leaf("real", [positions, self.frame.new_dim(self.random.choice(self.frame.scale.depths))], whole=True)

    def shuffled(self, dims):
        return self.random.sample(dims, len(dims))

    def arranged(self, order, last):
        """This order, or with the channels at the end, as real models have them."""
        if self.frame.scale.orderly and self.chance(self.frame.scale.orderly):
            return [x for x in order if x is not last] + [last]
        return order

    def pick_at(self, tensor, at):
        return read(tensor, [at[dim] for dim in tensor.dims])

    def hidden(self, tensor):
        """Mostly no output: what is put out is not fused away."""
        if self.chance(0.9):
            self.frame.hidden.add(tensor)
        return tensor

    # ------------------------------------------------------------------------ scores

    def key_head(self):
        h = index(self.h)
        return h if self.group == 1 else binary("//", h, literal(self.group))

    def score(self):
        h, t, s, c = map(index, (self.h, self.t, self.s, self.c))
        q = self.operand(self.heads, self.queries, self.channels)
        k = self.operand(self.key_heads, self.keys, self.channels)
        product = binary("*", q(h, t, c), k(self.key_head(), s, c))
        tree = reduce(Reduction("sum", [self.c]), product, None, -20, 20)
        how = self.random.choice(["root", "root", "factor", "none"])
        if how == "root":
            tree = quotient(tree, function("sqrt", real(extent(self.channels), False), 1, 4), 1)
        elif how == "factor":
            tree = binary("*", tree, literal(self.random.choice([0.25, -0.5, 1.3])))
        for _ in range(self.random.choice([0, 0, 1, 1, 2])):
            tree = binary(self.random.choice(["+", "-"]), tree, self.term())
        if self.chance(0.2):
            cap = literal(self.random.choice([2.0, 5.0]))
            tree = binary("*", cap, function("tanh", quotient(tree, cap, 2), -1, 1))
        return tree

    def scope(self):
        volume = self.heads.bound * self.queries.bound * self.keys.bound
        return Scope([self.h, self.t, self.s], volume, False, {self.c.name, self.e.name})

    def term(self):
        """What is added to a score: of the distance, of a table of distances, of the key, of anything."""
        h, t, s = map(index, (self.h, self.t, self.s))
        kind = self.random.choice(["slope", "table", "bias", "any", "any", "penalty"])
        if kind == "slope":
            slope = self.frame.leaf("real", [self.heads], whole=True)
            return binary("*", read(slope, [h]), binary("-", t, s))
        if kind == "table":
            reach = self.random.choice([1, 2, 4])
            near = self.frame.leaf("real", [self.frame.new_dim(2 * reach + 1), self.heads], whole=True)
            place = clip(binary("-", s, t), literal(-reach), literal(reach))
            return read(near, [binary("+", place, literal(reach)), h])
        if kind == "bias" and not self.causal:
            dims = [self.heads, self.queries, self.keys]
            bias = self.frame.leaf("real", self.shuffled(dims[1:] if self.chance(0.5) else dims), whole=True)
            at = {self.heads: h, self.queries: t, self.keys: s}
            places = [at[dim] for dim in bias.dims]
            if self.same and len(bias.dims) == 2:
                places = [t, s]
            elif self.same:
                order = iter([t, s])
                places = [h if dim is self.heads else next(order) for dim in bias.dims]
            return read(bias, places)
        if kind == "penalty":
            return choose(self.mask(), literal(0), literal(self.random.choice(self.frame.scale.penalties)))
        return self.frame.scalars.calm(self.frame.scalars.real(self.scope(), self.random.choice([0, 1, 2])))

    # ------------------------------------------------------------------------ masks

    def mask(self):
        t, s = index(self.t), index(self.s)
        n = self.random.choice([1, 2, 3, 5])
        difference = binary("-", t, s)
        ways = [
            lambda: compare("<=", s, t),
            lambda: both(compare("<=", s, t), compare("<", difference, literal(n))),
            lambda: compare("<=", absolute(difference), literal(n)),
            lambda: compare("==", binary("//", t, literal(n)), binary("//", s, literal(n))),
            lambda: compare("==", binary("%", difference, literal(n)), literal(0)),
            lambda: either(compare("<=", s, t), compare("<", s, literal(n))),
            lambda: either(compare("<", absolute(difference), literal(n)), compare("==", s, literal(0))),
            lambda: compare(">", self.flags(self.keys, s), literal(0)),
            lambda: compare(">", self.flags(self.keys, s), literal(0)),
            lambda: self.frame.scalars.bool(self.scope(), 1),
        ]
        if self.same:
            ways.append(lambda: self.segments(t, s))
        return self.random.choice(ways)()

    def flags(self, dim, at):
        return read(self.frame.leaf("int", [dim], 0, 1, whole=True), [at])

    def segments(self, t, s):
        of = self.frame.leaf("int", [self.keys], 0, 2, whole=True)
        return compare("==", read(of, [t]), read(of, [s]))

    def predicate(self):
        masks = [self.mask() for _ in range(self.random.choice([0, 1, 1, 2]))]
        if self.causal:
            masks.insert(self.random.randint(0, len(masks)), compare("<=", index(self.s), index(self.t)))
        return self.frame.scalars.all(masks) if masks else None

    # ------------------------------------------------------------------------ weights and values

    def build(self):
        score, where = self.score(), self.predicate()
        order = self.shuffled([self.h, self.t, self.s])
        if self.chance(0.5):
            score = self.again(self.hidden(self.frame.define(order, score)), order)
        how = self.random.choices(["softmax", "mixture", "written", "plus", "sigmoid", "linear"], [8, 2, 3, 1, 1, 1])[0]
        behind = None
        if how == "softmax":
            if self.chance(0.25):
                self.statistics(score, where)
            weight, where = self.softmax(score, where, order), None
        elif how == "mixture":
            weight, where = self.mixture(self.softmax(score, where, order), order), None
        elif how == "written":
            weight, where, behind = Written(self, where, order).build(score)
        elif how == "plus":
            weight, where = self.plus_one(score, where, order), None
        elif how == "sigmoid":
            power = function("exp", negate(minimum(score, literal(9))), 0, 9)
            weight = quotient(literal(1), binary("+", literal(1), power), 1)
        else:
            weight = score
        if where is not None and self.chance(0.4):
            weight, where = choose(where, real(weight), literal(0)), None
        self.context(weight, where, behind)
        if not self.causal and self.chance(0.1):
            self.context(weight, where, behind)

    def again(self, tensor, order):
        return read(tensor, [index(i) for i in order])

    def statistics(self, score, where):
        """What else is made of a row's scores: the largest one, and the sum of exponentials relative to it."""
        rows = self.shuffled([self.h, self.t])
        largest = reduce(Reduction("max", [self.s], where is not None), score, where, min(score.low, 0), max(score.high, 0))
        m = self.again(self.frame.define(rows, largest), rows)
        if self.chance(0.7):
            power = function("exp", binary("-", score, m), 0, 1)
            self.frame.define(self.shuffled([self.h, self.t]), reduce(Reduction("sum", [self.s], where is not None), power, where, 0, 400))

    def softmax(self, score, where, order):
        tree = reduce(Reduction("softmax", [self.s], where is not None), score, where, 0, 1)
        return self.again(self.hidden(self.frame.define(order, tree)), order)

    def mixture(self, weight, order):
        """A share of another softmax is taken away or added."""
        other = self.softmax(self.score(), self.predicate(), order)
        share = literal(self.random.choice([0.5, -0.3, 2.0]))
        if self.chance(0.6):
            share = read(self.frame.leaf("real", [self.heads], whole=True), [index(self.h)])
        other = binary("*", share, other) if self.chance(0.5) else binary("*", other, share)
        tree = binary(self.random.choice(["+", "-"]), weight, other)
        return self.again(self.hidden(self.frame.define(order, tree)), order) if self.chance(0.6) else tree

    def plus_one(self, score, where, order):
        """exp(score) over 1 more than their sum."""
        power = function("exp", minimum(score, literal(3)), 0, 21)
        power = choose(where, power, literal(0)) if where is not None else power
        powers = self.hidden(self.frame.define(order, power))
        rows = [i for i in order if i is not self.s]
        total = reduce(Reduction("sum", [self.s]), self.again(powers, order), None, 0, 400)
        totals = self.hidden(self.frame.define(rows, total))
        return quotient(self.again(powers, order), binary("+", literal(1), self.again(totals, rows)), 1)

    def context(self, weight, where, behind=None):
        frame = self.frame
        v = self.operand(self.key_heads, self.keys, self.width, fine=True)
        t, s = self.t, self.s
        if where is None and weight.op == "read":
            if self.has_parts(self.keys) and self.chance(0.15):
                weight, s = self.first_of(weight, s)
            if not behind and self.has_parts(self.queries) and self.chance(0.1):
                weight, t = self.first_of(weight, t)
        value = v(self.key_head(), index(s), index(self.e))
        product = binary("*", real(weight), value) if self.chance(0.8) else binary("*", value, real(weight))
        tree = reduce(Reduction("sum", [s], where is not None), product, where, -8, 8)
        tree = quotient(tree, behind, 0.05) if behind else tree
        if self.chance(0.25):
            scope = Scope([self.h, t, self.e], frame.budget // 20, False, {self.s.name, s.name, self.c.name})
            tree = binary(self.random.choice(["*", "+"]), tree, frame.scalars.real(scope, 1))
        tensor = frame.define(self.arranged(self.shuffled([self.h, t, self.e]), self.e), tree)
        if self.causal or (t is self.t and self.chance(0.5)):
            self.merge(tensor)

    def has_parts(self, dim):
        return not dim.dynamic and dim.bound > 1

    def first_of(self, weight, axis):
        """The weights of some keys, or rows, alone, and their index."""
        few = self.frame.new_dim(self.random.randint(1, axis.dim.bound - 1))
        taken = {i.name for i in (self.h, self.t, self.s, self.c, self.e)} | {place.data.name for place in weight.children}
        (part,) = self.frame.indices([few], taken)
        places = [index(part) if place.data is axis else place for place in weight.children]
        return read(weight.data, places), part

    def merge(self, tensor):
        """Back from heads to one row of channels for each query."""
        outs = self.frame.scale.outs
        out = self.frame.new_dim(self.random.choice(outs)) if not self.causal else self.frame.width
        (o,) = self.frame.indices([out], {self.h.name, self.t.name, self.e.name})
        weight = self.frame.leaf("real", [out, self.heads, self.width], whole=True)
        at = {self.heads: index(self.h), self.queries: index(self.t), self.width: index(self.e)}
        product = binary("*", self.pick_at(tensor, at), read(weight, [index(o), index(self.h), index(self.e)]))
        tree = reduce(Reduction("sum", [self.h, self.e]), product, None, -8, 8)
        tree = self.frame.tempered(tree, self.heads.bound * self.width.bound)
        self.frame.define([self.t, o], tree)


def random_attention(frame, causal=None):
    attention = Attention(frame, causal)
    if attention.fits():
        attention.build()
