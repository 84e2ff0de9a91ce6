"""The texts of docs/examples/scores as loops."""
import math

from loops import attend, dot, heads, mix, scaled, softmax

H, C, T = 2, 8, 23
QKV = dict(q=(H, T, C), k=(H, T, C), v=(H, T, C))


def causal(t, s):
    return s <= t


class alibi:
    inputs = dict(q=(6, T, C), k=(6, T, C), v=(6, T, C))
    # Press et al. for 6 heads: the slopes of 4, then every second one of 8.
    slopes = [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]

    def formula(q, k, v):
        return attend(q, k, v, lambda h, t, s, q, k: scaled(q, k) - alibi.slopes[h] * (t - s), causal)


class t5_buckets:
    inputs = QKV
    weights = dict(bias=(16, H))

    # 8 buckets for each direction: 4 for the distances 0 .. 3, 4 on a logarithmic scale up to 32.
    def bucket(distance):
        n, side = abs(distance), 8 if distance > 0 else 0
        return side + (n if n < 4 else min(7, 4 + int(math.log(n / 4) / math.log(32 / 4) * 4)))

    def formula(q, k, v, bias):
        return attend(q, k, v, lambda h, t, s, q, k: dot(q, k) + bias[t5_buckets.bucket(s - t)][h])


class shaw:
    inputs = QKV
    weights = dict(distance=(9, C))

    def formula(q, k, v, distance):
        def score(h, t, s, q, k):
            near = max(-4, min(4, s - t))
            return scaled(q, [a + b for a, b in zip(k, distance[near + 4])])

        return attend(q, k, v, score)


class transformer_xl:
    inputs = dict(x=(T, 16), memory=(10, 16))
    weights = dict(query=(H, C, 16), key=(H, C, 16), value=(H, C, 16), distance=(H, C, 16), u=(H, C), w=(H, C))

    def formula(x, memory, query, key, value, distance, u, w):
        def sinusoid(p):
            rates = [10000 ** (-2 * i / 16) for i in range(8)]
            return [math.sin(p * r) for r in rates] + [math.cos(p * r) for r in rates]

        r = heads([sinusoid(p) for p in range(T + 10)], distance)

        def score(h, t, s, q, k):
            content = dot([a + b for a, b in zip(q, u[h])], k)
            position = dot([a + b for a, b in zip(q, w[h])], r[h][t + 10 - s])
            return (content + position) / math.sqrt(C)

        rows = memory + x
        return attend(heads(x, query), heads(rows, key), heads(rows, value), score, lambda t, s: s <= t + 10)


class deberta:
    inputs = QKV
    weights = dict(query_distance=(H, 12, C), key_distance=(H, 12, C))

    def formula(q, k, v, query_distance, key_distance):
        def score(h, t, s, q, k):
            row = 0 if t - s <= -6 else 11 if t - s >= 6 else t - s + 6
            both = dot(q, key_distance[h][row]) + dot(k, query_distance[h][row])
            return (dot(q, k) + both) / math.sqrt(3 * C)

        return attend(q, k, v, score)


class soft_cap:
    inputs = QKV

    def formula(q, k, v):
        return attend(q, k, v, lambda h, t, s, q, k: 5 * math.tanh(scaled(q, k) / 5), causal)


class sink_tokens:
    inputs = QKV

    def formula(q, k, v):
        return attend(q, k, v, allowed=lambda t, s: s in range(t - 4, t + 1) or s in (0, 1) and s <= t)


class sigmoid:
    inputs = QKV

    def formula(q, k, v):
        return [
            [
                mix([1 / (1 + 64 * math.exp(-scaled(q[h][t], k[h][s]))) if s <= t else 0 for s in range(T)], v[h])
                for t in range(T)
            ]
            for h in range(H)
        ]


def with_sink(sink, q, k, v):
    """Causal attention of one head, `sink` only adding to the sum."""
    return [
        mix(softmax([scaled(q[t], k[s]) if s <= t else None for s in range(T)], sink), v) for t in range(T)
    ]


class softmax_plus_one:
    inputs = QKV

    def formula(q, k, v):
        return [with_sink(0.0, q[h], k[h], v[h]) for h in range(H)]


class sink_logits:
    inputs = QKV
    weights = dict(sinks=(H,))

    def formula(q, k, v, sinks):
        return [with_sink(sinks[h], q[h], k[h], v[h]) for h in range(H)]


class sink_sums(sink_logits):
    pass


class linear_sums:
    inputs = QKV

    def formula(q, k, v):
        def feature(x):
            return [a + 1 if a > 0 else math.exp(a) for a in x]

        result = []
        for h in range(H):
            weights = [[dot(feature(q[h][t]), feature(k[h][s])) if s <= t else 0 for s in range(T)] for t in range(T)]
            result.append([mix([w / sum(row) for w in row], v[h]) for row in weights])
        return result


class differential:
    inputs = dict(q=(H, 2, T, C), k=(H, 2, T, C), v=(H, T, 2 * C))
    weights = {"lambda.q": (2, C), "lambda.k": (2, C), "norm": (2 * C,)}

    def formula(q, k, v, lambda_q, lambda_k, norm):
        share = math.exp(dot(lambda_q[0], lambda_k[0])) - math.exp(dot(lambda_q[1], lambda_k[1])) + 0.2
        result = []
        for h in range(H):
            first, second = (attend([q[h][i]], [k[h][i]], [v[h]], allowed=causal)[0] for i in range(2))
            rows = [[a - share * b for a, b in zip(r, s)] for r, s in zip(first, second)]
            sizes = [math.sqrt(dot(row, row) / len(row) + 1e-5) for row in rows]
            result.append([[0.8 * n * a / size for a, n in zip(row, norm)] for row, size in zip(rows, sizes)])
        return result
