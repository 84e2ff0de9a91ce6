"""The texts of docs/examples/similarity as loops."""
import math

from loops import attend, dot, heads, linear, merge, mix, scaled, softmax

H, C, T, S = 2, 8, 7, 5
KEYS = dict(k=(H, S, C), v=(H, S, C))
X = dict(x=(T, 12))


class dot_product:
    inputs = dict(q=(H, T, C), **KEYS)

    def formula(q, k, v):
        return attend(q, k, v, lambda h, t, s, q, k: dot(q, k))


class scaled_dot_product:
    inputs = dict(q=(H, T, C), **KEYS)

    def formula(q, k, v):
        return attend(q, k, v)


class general:
    inputs = dict(q=(H, T, C), k=(H, S, 6), v=(H, S, C))
    weights = dict(W=(H, C, 6))

    def formula(q, k, v, W):
        return attend(q, k, v, lambda h, t, s, q, k: sum(q[c] * dot(W[h][c], k) for c in range(C)))


class concatenation:
    inputs = dict(q=(H, T, C), **KEYS)
    weights = dict(wq=(H, C), wk=(H, C))

    def formula(q, k, v, wq, wk):
        return attend(q, k, v, lambda h, t, s, q, k: dot(wq[h] + wk[h], q + k))


class perceptron:
    inputs = dict(q=(H, T, C), k=(H, S, C), x=(H, S, C))
    weights = dict(W=(H, 5, C), U=(H, 5, C), v=(H, 5))

    def formula(q, k, x, W, U, v):
        def score(h, t, s, q, k):
            return dot(v[h], [math.tanh(dot(w, q) + dot(u, k)) for w, u in zip(W[h], U[h])])

        return attend(q, k, x, score)


class parameter_free:
    inputs = X

    def formula(x):
        return [mix(softmax([dot(a, b) for b in x]), x) for a in x]


def projected(kind, *shape, biases=()):
    return {name + kind: shape for name in ("query", "key", "value", *biases)}


class single_head:
    inputs = X
    weights = {
        **projected(".weight", 12, 12, biases=["out"]),
        **projected(".bias", 12, biases=["out"]),
    }

    def formula(x, query_weight, key_weight, value_weight, out_weight, query_bias, key_bias, value_bias, out_bias):
        q, k, v = (
            linear(x, w, b)
            for w, b in ((query_weight, query_bias), (key_weight, key_bias), (value_weight, value_bias))
        )
        context = [mix(softmax([scaled(a, b) for b in k]), v) for a in q]
        return linear(context, out_weight, out_bias)


class two_heads:
    inputs = X
    weights = {
        **projected(".weight", 2, 6, 12),
        **projected(".bias", 2, 6),
        "out.weight": (12, 2, 6),
        "out.bias": (12,),
    }

    def formula(x, query_weight, key_weight, value_weight, out_weight, query_bias, key_bias, value_bias, out_bias):
        q, k, v = (
            heads(x, w, b)
            for w, b in ((query_weight, query_bias), (key_weight, key_bias), (value_weight, value_bias))
        )
        return merge(attend(q, k, v), out_weight, out_bias)


class bias_free:
    inputs = X
    weights = {**projected(".weight", 3, 4, 12), "out.weight": (12, 3, 4)}

    def formula(x, query_weight, key_weight, value_weight, out_weight):
        q, k, v = (heads(x, w) for w in (query_weight, key_weight, value_weight))
        return merge(attend(q, k, v), out_weight)


class multi_query:
    inputs = dict(q=(4, T, C), k=(1, T, C), v=(1, T, C))

    def formula(q, k, v):
        return attend(q, k, v, allowed=lambda t, s: s <= t, group=4)


class grouped_query:
    inputs = dict(q=(6, T, C), k=(2, T, C), v=(2, T, C))

    def formula(q, k, v):
        return attend(q, k, v, allowed=lambda t, s: s <= t, group=3)


class cross:
    inputs = dict(x=(T, 12), memory=(S, 12))
    weights = projected(".weight", 2, 6, 12)

    def formula(x, memory, query_weight, key_weight, value_weight):
        y = attend(heads(x, query_weight), heads(memory, key_weight), heads(memory, value_weight))
        return [[y[h][t] for h in range(2)] for t in range(T)]


class value_size:
    inputs = dict(q=(H, T, 4), k=(H, S, 4), v=(H, S, 10))

    def formula(q, k, v):
        return attend(q, k, v)
