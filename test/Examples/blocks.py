"""The texts of docs/examples/blocks as loops."""
import math

from loops import add, attend, dot, each, gelu, heads
from loops import layer_norm as normalize
from loops import linear, log_softmax, merge, mix, relu, silu, softmax

T, D, F = 7, 12, 20
X = dict(x=(T, D))
NORM = {"norm.weight": (D,), "norm.bias": (D,)}


class layer_norm:
    inputs = X
    weights = NORM
    streams = 0

    def formula(x, norm_weight, norm_bias):
        return normalize(x, norm_weight, norm_bias)


class rms_norm:
    inputs = X
    weights = {"norm.weight": (D,)}
    streams = 0

    def formula(x, norm_weight):
        return [
            [a / math.sqrt(sum(b * b for b in row) / D + 1e-6) * w for a, w in zip(row, norm_weight)] for row in x
        ]


def feed_forward(activation):
    class case:
        inputs = X
        weights = {"up.weight": (F, D), "up.bias": (F,), "down.weight": (D, F), "down.bias": (D,)}
        streams = 0

        def formula(x, up_weight, up_bias, down_weight, down_bias):
            return linear(each(activation, linear(x, up_weight, up_bias)), down_weight, down_bias)

    return case


feed_forward_relu = feed_forward(relu)
feed_forward_gelu = feed_forward(gelu)
feed_forward_silu = feed_forward(silu)


class feed_forward_gated:
    inputs = X
    weights = {"gate.weight": (F, D), "up.weight": (F, D), "down.weight": (D, F)}
    streams = 0

    def formula(x, gate_weight, up_weight, down_weight):
        gates, values = each(silu, linear(x, gate_weight)), linear(x, up_weight)
        return linear([[a * b for a, b in zip(g, v)] for g, v in zip(gates, values)], down_weight)


def layer(prefix=""):
    return {
        **{prefix + "attention." + name: (2, 6, D) for name in ("query", "key", "value")},
        prefix + "attention.out": (D, 2, 6),
        prefix + "mlp.up": (F, D),
        prefix + "mlp.down": (D, F),
    }


def norms(prefix=""):
    return {prefix + name: (D,) for name in ("norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias")}


def self_attention(x, w, prefix=""):
    q, k, v = (heads(x, w[prefix + "attention_" + name]) for name in ("query", "key", "value"))
    return merge(attend(q, k, v, allowed=lambda t, s: s <= t), w[prefix + "attention_out"])


def mlp(x, w, prefix=""):
    return linear(each(relu, linear(x, w[prefix + "mlp_up"])), w[prefix + "mlp_down"])


def norm(x, w, name):
    return normalize(x, w[name + "_weight"], w[name + "_bias"])


def pre_norm_layer(x, w, prefix=""):
    x = add(x, self_attention(norm(x, w, prefix + "norm1"), w, prefix))
    return add(x, mlp(norm(x, w, prefix + "norm2"), w, prefix))


class pre_norm:
    inputs = X
    weights = {**layer(), **norms()}

    def formula(x, **w):
        return pre_norm_layer(x, w)


class post_norm:
    inputs = X
    weights = {**layer(), **norms()}

    def formula(x, **w):
        x = norm(add(x, self_attention(x, w)), w, "norm1")
        return norm(add(x, mlp(x, w)), w, "norm2")


class layer_sharing:
    inputs = X
    weights = {**layer("layer."), **norms("layer.")}

    def formula(x, **w):
        for _ in range(3):
            x = pre_norm_layer(x, w, "layer_")
        return x


class parallel_residual:
    inputs = X
    weights = {**layer(), **NORM}

    def formula(x, **w):
        n = norm(x, w, "norm")
        return add(x, add(self_attention(n, w), mlp(n, w)))


class mixture_of_experts:
    inputs = X
    weights = dict(router=(5, D), up=(5, 10, D), down=(5, D, 10))
    streams = 0

    def formula(x, router, up, down):
        result = []
        for row in x:
            scores = [dot(row, r) for r in router]
            chosen = sorted(range(5), key=lambda e: -scores[e])[:2]
            outputs = [linear([[relu(a) for a in linear([row], up[e])[0]]], down[e])[0] for e in chosen]
            result.append(mix(softmax([scores[e] for e in chosen]), outputs))
        return result


class mean_pooling:
    inputs = dict(x=(T, D), mask=[1, 1, 0, 1, 1, 0, 0])
    streams = 0

    def formula(x, mask):
        rows = [row for row, m in zip(x, mask) if m]
        return [sum(row[d] for row in rows) / len(rows) for d in range(D)]


class first_token:
    inputs = X
    weights = {"dense.weight": (D, D), "dense.bias": (D,)}
    streams = 0

    def formula(x, dense_weight, dense_bias):
        return each(math.tanh, linear(x[:1], dense_weight, dense_bias)[0])


class classification:
    inputs = X
    weights = dict(weight=(4, D), bias=(4,))
    streams = 0

    def formula(x, weight, bias):
        pooled = [sum(row[d] for row in x) / T for d in range(D)]
        return log_softmax(linear([pooled], weight, bias)[0])


class masked_lm:
    inputs = X
    weights = {"words": (15, D), "dense.weight": (D, D), "dense.bias": (D,), "bias": (15,), **NORM}
    streams = 0

    def formula(x, words, dense_weight, dense_bias, bias, norm_weight, norm_bias):
        h = each(gelu, linear(x, dense_weight, dense_bias))
        return linear(normalize(h, norm_weight, norm_bias, 1e-12), words, bias)


class next_sentence:
    inputs = X
    weights = {"pooler.weight": (D, D), "pooler.bias": (D,), "weight": (2, D), "bias": (2,)}
    streams = 0

    def formula(x, pooler_weight, pooler_bias, weight, bias):
        return linear([each(math.tanh, linear(x[:1], pooler_weight, pooler_bias)[0])], weight, bias)[0]


class question_answering:
    inputs = X
    weights = dict(weight=(2, D), bias=(2,))
    streams = 0

    def formula(x, weight, bias):
        both = linear(x, weight, bias)
        return dict(start=[row[0] for row in both], end=[row[1] for row in both])


class patch_embedding:
    inputs = dict(pixels=(3, 12, 12))
    weights = dict(weight=(10, 3, 4, 4), bias=(10,))
    streams = 0

    def formula(pixels, weight, bias):
        result = []
        for row in range(3):
            for column in range(3):
                patch = [
                    a for plane in pixels for line in plane[4 * row : 4 * row + 4] for a in line[4 * column : 4 * column + 4]
                ]
                flat = [[a for plane in w for line in plane for a in line] for w in weight]
                result.append(linear([patch], flat, bias)[0])
        return result


class state_space:
    """The recurrent form: a state of N x P values a head, carried from position to position."""

    inputs = X
    weights = {
        "conv.weight": (D, 3), "conv.bias": (D,), "write": (4, D), "read": (4, D),
        "step.weight": (2, D), "step.bias": (2,), "rate": (2,), "skip": (D,),
    }  # fmt: skip

    def formula(x, conv_weight, conv_bias, write, read, step_weight, step_bias, rate, skip):
        H, N, P = 2, 4, D // 2
        state = [[[0.0] * P for _ in range(N)] for _ in range(H)]
        window, result = [[0.0] * D] * 3, []
        for row in x:
            window = window[1:] + [row]
            u = [silu(dot([window[w][d] for w in range(3)], conv_weight[d]) + conv_bias[d]) for d in range(D)]
            y = [skip[d] * u[d] for d in range(D)]
            for h in range(H):
                step = math.log1p(math.exp(dot(u, step_weight[h]) + step_bias[h]))
                keep = math.exp(-math.exp(rate[h]) * step)
                for n in range(N):
                    for p in range(P):
                        state[h][n][p] = keep * state[h][n][p] + step * dot(u, write[n]) * u[h * P + p]
                        y[h * P + p] += dot(u, read[n]) * state[h][n][p]
            result.append(y)
        return result


class depthwise_convolution:
    inputs = X
    weights = dict(weight=(D, 3), bias=(D,))
    streams = 0

    def formula(x, weight, bias):
        padded = [[0.0] * D] * 2 + x
        return [
            [sum(padded[t + u][d] * weight[d][u] for u in range(3)) + bias[d] for d in range(D)] for t in range(T)
        ]
