"""Computes some elements of a result in Python, in double precision, from what the inputs are known to be."""
import math
import operator

TOLERANCE = {"f32": 1e-4, "bf16": 3e-2}
WORK = 4e6  # multiplications for a shape: a fraction of a second


def dot(left, right):
    return math.fsum(map(operator.mul, left, right))


def spread(count, most):
    """Up to `most` of `count` places, the first and the last among them."""
    most = max(1, min(count, most))
    return sorted({i * (count - 1) // max(most - 1, 1) for i in range(most)}) if most > 1 else [count - 1]


def product_row(shape, row, i, columns):
    k = shape.sizes["K"]
    x = row("x", i * k, k)
    return [dot(x, row("w", j * k, k)) for j in columns]


def score(shape, row, h, t, s, z):
    if shape.variant == "ALiBi":
        return z - (h + 1) / shape.sizes["H"] * (t - s)
    if shape.variant == "T5 bias":
        return z + row("bias", h * (shape.sizes["T"] + shape.sizes["S"]) + s - t + shape.sizes["T"] - 1, 1)[0]
    return 30 * math.tanh(z / 30) if shape.variant == "softcap" else z


def attention_row(shape, row, number, columns):
    """Of row `number` of the result: a head's context of a position."""
    rows, keys, heads, groups, width = (shape.sizes[name] for name in "TSHGD")
    rest, h = divmod(number, heads)
    b, t = divmod(rest, rows)
    group = h // (heads // groups)
    first = max(0, t - 255) if shape.variant == "window" else 0
    seen = range(first, keys if shape.variant in ("full", "T5 bias") else t + 1)
    q = row("q", number * width, width)
    places = [((b * keys + s) * groups + group) * width for s in seen]
    scores = [score(shape, row, h, t, s, dot(q, row("k", place, width)) * width ** -0.5) for s, place in zip(seen, places)]
    most = max(scores)
    weights = [math.exp(z - most) for z in scores]
    total = math.fsum(weights)
    return [dot(weights, [row("v", place + c, 1)[0] for place in places]) / total for c in columns]


def find_wrong(shape, element, call):
    """What is wrong in a message, or nothing: elements may differ in proportion to the largest of those looked at."""
    width = shape.sizes["N"] if shape.kind == "product" else shape.sizes["D"]
    rows = call.tensors["y"][1] // width
    cost = 8 * shape.sizes["K"] if shape.kind == "product" else shape.sizes["S"] * (shape.sizes["D"] + 8)
    expect = product_row if shape.kind == "product" else attention_row
    columns, found = spread(width, 8), []
    for i in spread(rows, min(8, int(WORK / cost))):
        for c, wanted in zip(columns, expect(shape, call.row, i, columns)):
            found.append((i * width + c, wanted, call.read("y", i * width + c)))
    allowed = TOLERANCE[element] * max(abs(wanted) for _, wanted, _ in found)
    for position, wanted, result in found:
        if not abs(result - wanted) <= allowed:  # nor is a NaN
            return f"element {position} is {result:.6g}, expected {wanted:.6g}"
    return ""
