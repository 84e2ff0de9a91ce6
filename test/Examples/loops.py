"""What the independent formulas share: sums, softmax and attention as loops over lists."""
import math


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def scaled(q, k):
    return dot(q, k) / math.sqrt(len(q))


def softmax(scores, extra=None):
    """`scores` may hold None for what is masked; nothing but None gives zeros. `extra` only adds to the sum."""
    known = [x for x in scores if x is not None] + ([] if extra is None else [extra])
    if not known:
        return [0.0] * len(scores)
    largest = max(known)
    total = math.fsum(math.exp(x - largest) for x in known)
    return [0.0 if x is None else math.exp(x - largest) / total for x in scores]


def mix(weights, rows):
    return [math.fsum(w * row[c] for w, row in zip(weights, rows)) for c in range(len(rows[0]))]


def attend(q, k, v, score=lambda h, t, s, q, k: scaled(q, k), allowed=lambda t, s: True, group=1):
    """Heads of queries q[h][t], keys k[h][s], values v[h][s]; `group` query heads share a key head."""
    result = []
    for h in range(len(q)):
        keys, values = k[h // group], v[h // group]
        rows = []
        for t in range(len(q[h])):
            scores = [
                score(h, t, s, q[h][t], keys[s]) if allowed(t, s) else None for s in range(len(keys))
            ]
            rows.append(mix(softmax(scores), values))
        result.append(rows)
    return result


def linear(x, weight, bias=None):
    """x[t][d] through weight[n][d]."""
    bias = bias or [0.0] * len(weight)
    return [[dot(row, w) + b for w, b in zip(weight, bias)] for row in x]


def heads(x, weight, bias=None):
    """x[t][d] through weight[h][c][d]: [h][t][c]."""
    return [linear(x, w, bias[h] if bias else None) for h, w in enumerate(weight)]


def merge(context, weight, bias=None):
    """context[h][t][c] through weight[d][h][c]: [t][d]."""
    rows = [[c for head in context for c in head[t]] for t in range(len(context[0]))]
    return linear(rows, [[c for head in w for c in head] for w in weight], bias)


def add(a, b):
    return [[x + y for x, y in zip(r, s)] for r, s in zip(a, b)]


def relu(x):
    return max(x, 0.0)


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def layer_norm(x, weight, bias, eps=1e-5):
    result = []
    for row in x:
        mean = math.fsum(row) / len(row)
        variance = math.fsum((a - mean) ** 2 for a in row) / len(row)
        result.append([(a - mean) / math.sqrt(variance + eps) * w + b for a, w, b in zip(row, weight, bias)])
    return result


def each(f, x):
    return [each(f, row) for row in x] if isinstance(x, list) else f(x)


def log_softmax(row):
    largest = max(row)
    total = math.log(math.fsum(math.exp(x - largest) for x in row)) + largest
    return [x - total for x in row]
