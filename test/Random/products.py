"""Products of rows with a matrix, and what reads their results element by element."""
from build import binary, function, index, maximum, literal, quotient, read, real, reduce
from scalars import Scope
from trees import Reduction


def random_product(frame):
    """y[m, n] = f(sum(k) x[m, k] * w[n, k]): rows of a tensor that is there or given, in a batch or not."""
    random = frame.random
    rows = pick_rows(frame)
    depth = rows.dims[-1]
    out = frame.new_dim(random.choice(frame.scale.outs))
    own = frame.indices([*rows.dims[:-1], out, depth])
    k, n = own[-1], own[-2]
    weight_dims = [out, depth] if random.random() < 0.6 else [depth, out]
    weight = frame.leaf("real", weight_dims, whole=True)
    at = {out: index(n), depth: index(k)}
    factors = [read(rows, [index(i) for i in [*own[:-2], k]]), read(weight, [at[dim] for dim in weight.dims])]
    if random.random() < 0.2:
        factors.reverse()
    tree = frame.tempered(reduce(Reduction("sum", [k]), binary("*", *factors), None, -8, 8), depth.bound)
    return frame.define(own[:-1], epilogue(frame, own[:-1], tree, {k.name}))


def part_product(frame):
    """The same with a part of a matrix that another product may have: of its rows or columns, read along or across."""
    random = frame.random
    rows = pick_rows(frame)
    matrices = [x for x in frame.tensors if len(x.dims) == 2 and x.exact and x.kind == "real" and not any(d.dynamic for d in x.dims)]
    if matrices and random.random() < 0.7:
        weight = random.choice(matrices)
    else:
        weight = frame.leaf("real", [frame.new_dim(random.choice(frame.scale.outs)), rows.dims[-1]], whole=True)
    axis = random.randrange(2)
    deep = fraction(frame, min(weight.dims[axis].bound, rows.dims[-1].bound))
    out = fraction(frame, weight.dims[1 - axis].bound)
    dims = [dim if dim.bound == count else frame.new_dim(count)
            for dim, count in ((weight.dims[1 - axis], out), (rows.dims[-1], deep))]
    own = frame.indices([*rows.dims[:-1], *dims])
    places = [moved(frame, own[-1], weight.dims[axis]), moved(frame, own[-2], weight.dims[1 - axis])]
    read_rows = read(rows, [*map(index, own[:-2]), moved(frame, own[-1], rows.dims[-1])])
    product = binary("*", read_rows, read(weight, places if axis == 0 else places[::-1]))
    tree = frame.tempered(reduce(Reduction("sum", [own[-1]]), product, None, -8, 8), deep)
    return frame.define(own[:-1], epilogue(frame, own[:-1], tree, {own[-1].name}))


def fraction(frame, size):
    return size if frame.random.random() < 0.4 else frame.random.randint(1, size)


def moved(frame, i, dim):
    """The index of a part of a dimension, from its begin on or from further behind."""
    first = frame.random.choice([0, dim.bound - i.dim.bound, frame.random.randint(0, dim.bound - i.dim.bound)])
    return binary("+", index(i), literal(first)) if first else index(i)


def pick_rows(frame):
    def fits(x):
        return (
            x.kind == "real" and 2 <= len(x.dims) <= 3 and len(set(x.dims)) == len(x.dims)
            and not x.dims[-1].dynamic and x.dims[-1].bound >= 16
        )
    found = [x for x in frame.tensors if fits(x)]
    if found and frame.random.random() < 0.6:
        return frame.random.choice(found)
    depth = frame.new_dim(frame.random.choice(frame.scale.depths))
    return frame.leaf("real", [frame.random.choice(frame.dims), depth], whole=True)


def epilogue(frame, indices, tree, taken):
    """A bias, an activation, a residual or gate, anything of these indices."""
    random = frame.random
    volume = 1
    for i in indices:
        volume *= i.dim.bound
    for _ in range(random.choice([0, 1, 1, 2])):
        way = random.choice(["bias", "tanh", "relu", "sigmoid", "same", "any"])
        if way == "bias":
            tree = binary("+", tree, read(frame.leaf("real", [indices[-1].dim], whole=True), [index(indices[-1])]))
        elif way == "tanh":
            tree = function("tanh", quotient(tree, literal(4.0), 4), -1, 1)
        elif way == "relu":
            tree = maximum(tree, literal(0))
        elif way == "sigmoid":
            power = function("exp", quotient(tree, literal(-2.0), 2), 0, 60)
            tree = quotient(tree, binary("+", literal(1), power), 1)
        elif way == "same":
            other = frame.leaf("real", [i.dim for i in indices], whole=True)
            tree = binary(random.choice("+*"), tree, read(other, [index(i) for i in indices]))
        else:
            other = real(frame.scalars.real(Scope(indices, volume, False, taken), 1))
            tree = binary(random.choice("+-*"), tree, frame.scalars.calm(other))
    return tree
