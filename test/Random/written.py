"""A softmax that is written out: exponentials, their sum, and what divides; sums of other weights."""
from build import binary, choose, function, index, literal, maximum, minimum, negate, quotient, read, reduce
from trees import Reduction


class Written:
    """Weights of an attention, and what divides them before or behind the sum of values."""

    def __init__(self, attention, where, order):
        self.attention, self.frame, self.where, self.order = attention, attention.frame, where, order
        self.rows = [i for i in order if i is not attention.s]
        attention.random.shuffle(self.rows)
        # Where the mask stands: in the weights, or in each sum.
        self.masks = where is not None and attention.chance(0.5)
        self.exponent = None

    def at(self, tensor, indices):
        return read(tensor, [index(i) for i in indices])

    def hidden(self, indices, tree):
        return self.at(self.attention.hidden(self.frame.define(indices, tree)), indices)

    def sum_over_keys(self, name, tree, where, low, high):
        return reduce(Reduction(name, [self.attention.s], where is not None), tree, where, low, high)

    def all_see(self):
        """Whether each row is sure to see a key."""
        if self.where is None:
            return True
        places = [(child.op, child.data) for child in self.where.children]
        return self.where.op == "<=" and places == [("index", self.attention.s), ("index", self.attention.t)]

    def masked(self, tree):
        """Of a mask that stands in the weights: a choice, or a factor, which may be a tensor."""
        if not self.masks:
            return tree
        if self.attention.chance(0.5):
            return choose(self.where, tree, literal(0))
        factor = choose(self.where, literal(1), literal(0))
        if self.attention.chance(0.5):
            ofPair = self.all_see() and self.attention.chance(0.7)
            indices = [self.attention.t, self.attention.s] if ofPair else self.order
            factor = self.at(self.frame.define(indices, factor), indices)
        return binary("*", factor, tree) if self.attention.chance(0.5) else binary("*", tree, factor)

    def weights(self, tree):
        return self.hidden(self.order, self.masked(tree))

    def largest(self, score, sink):
        """The row's largest exponent; also of a sink."""
        tree = self.sum_over_keys("max", score, self.where, min(score.low, 0), max(score.high, 0))
        if self.attention.chance(0.3):
            tree = self.hidden(self.rows, tree)
        return self.hidden(self.rows, maximum(sink, tree) if sink else tree)

    def exponentials(self, score):
        """The weights, and what else the sum has: a sink, a number, or nothing where each row sees a key."""
        attention = self.attention
        sink, more = None, literal(1)
        if attention.chance(0.5):
            sink = read(self.frame.leaf("real", [attention.heads], whole=True), [index(attention.h)])
        if attention.chance(0.6):
            score = self.hidden(self.order, score)
            m = self.largest(score, sink if attention.chance(0.6) else None)
            self.exponent = binary("-", score, m)
            power = function("exp", self.exponent, 0, 1)
            sink = sink or literal(0.5)
            more = function("exp", binary("-", sink, m) if attention.chance(0.8) else negate(m), 0, 10)
        else:
            self.exponent = minimum(score, literal(3))
            power = function("exp", self.exponent, 0, 21)
            more = function("exp", minimum(sink, literal(2)), 0, 8) if sink else more
        if self.all_see() and attention.chance(0.6):
            more = None
        return self.weights(power), more

    def products(self, score):
        """Weights that are no exponentials, nor below 0."""
        return self.weights(maximum(score, literal(0))), literal(self.attention.random.choice([0.5, 1, 2.0]))

    def build(self, score):
        """What is summed with values, over which keys, and what divides the sum."""
        attention = self.attention
        weight, more = self.exponentials(score) if attention.chance(0.75) else self.products(score)
        where = None if self.masks else self.where
        behind = attention.chance(0.5)
        total = self.sum_over_keys("sum", weight, where, 0, 400)
        if not behind or attention.chance(0.6):  # its index is that of the sum of values
            total = self.hidden(self.rows, total)
        # Not below 1 by far: the largest exponential is 1, or the others are no smaller than those of scores.
        if more is not None:
            total = binary("+", total, more) if attention.chance(0.5) else binary("+", more, total)
        if behind:
            return weight, where, total
        if self.exponent and attention.chance(0.4):
            total = function("log", total, -3, 6)
            if attention.chance(0.5):
                total = self.hidden(self.rows, total)
            weight = self.masked(function("exp", binary("-", self.exponent, total), 0, 1))
        else:
            weight = quotient(weight, total, 0.05)
        return (self.hidden(self.order, weight) if attention.chance(0.7) else weight), where, None
