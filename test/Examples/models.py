"""The texts of docs/examples/models as loops, at small sizes."""
import math

from loops import add, attend, dot, each, heads, layer_norm, linear, log_softmax, merge, relu

H, D, C, V, L = 2, 12, 6, 11, 2
SMALL = f"-D heads={H} -D width={D} -D depth={L} -D vocabulary={V} -D length=16"


def attention_weights(prefix):
    return {
        **{f"{prefix}.{name}.weight": (H, C, D) for name in ("queries", "keys", "values")},
        f"{prefix}.unify.weight": (D, H, C),
        f"{prefix}.unify.bias": (D,),
    }


def layer_weights(prefix, parts=("attention",)):
    result = {}
    for part in parts:
        result.update(attention_weights(f"{prefix}.{part}"))
    for i in range(len(parts) + 1):
        result.update({f"{prefix}.norm{i + 1}.weight": (D,), f"{prefix}.norm{i + 1}.bias": (D,)})
    return {
        **result,
        f"{prefix}.ff.hidden.weight": (4 * D, D),
        f"{prefix}.ff.hidden.bias": (4 * D,),
        f"{prefix}.ff.out.weight": (D, 4 * D),
        f"{prefix}.ff.out.bias": (D,),
    }


def attention(w, prefix, x, memory, allowed):
    q = heads(x, w[prefix + "_queries_weight"])
    k, v = (heads(memory, w[f"{prefix}_{name}_weight"]) for name in ("keys", "values"))
    return merge(attend(q, k, v, allowed=allowed), w[prefix + "_unify_weight"], w[prefix + "_unify_bias"])


def norm(w, name, x):
    return layer_norm(x, w[name + "_weight"], w[name + "_bias"])


def feed_forward(w, prefix, x):
    h = each(relu, linear(x, w[prefix + "_hidden_weight"], w[prefix + "_hidden_bias"]))
    return linear(h, w[prefix + "_out_weight"], w[prefix + "_out_bias"])


def block(w, prefix, x, causal, memory=None):
    parts = [("attention", None, (lambda t, s: s <= t) if causal else (lambda t, s: True))]
    if memory:
        parts.append(("cross", memory, lambda t, s: True))
    for i, (part, other, allowed) in enumerate(parts):
        y = attention(w, f"{prefix}_{part}", x, other or x, allowed)
        x = norm(w, f"{prefix}_norm{i + 1}", add(x, y))
    return norm(w, f"{prefix}_norm{len(parts) + 1}", add(x, feed_forward(w, prefix + "_ff", x)))


def sequence_weights(classes):
    return {
        "token_embedding.weight": (V, D),
        "pos_embedding.weight": (16, D),
        "toprobs.weight": (classes, D),
        "toprobs.bias": (classes,),
        **{name: shape for l in range(L) for name, shape in layer_weights(f"tblocks.{l}").items()},
    }


def sequence(w, ids, causal):
    x = [[a + b for a, b in zip(w["token_embedding_weight"][i], p)] for i, p in zip(ids, w["pos_embedding_weight"])]
    for l in range(L):
        x = block(w, f"tblocks_{l}", x, causal)
    return x


class text_classifier:
    options = SMALL + " -D classes=3"
    inputs = dict(tokens=[3, 1, 4, 1, 5, 9, 2])
    weights = sequence_weights(3)
    output = "logprobs"

    def formula(tokens, **w):
        x = sequence(w, tokens, False)
        pooled = [sum(row[d] for row in x) / len(x) for d in range(D)]
        return log_softmax(linear([pooled], w["toprobs_weight"], w["toprobs_bias"])[0])


class character_generator:
    options = SMALL
    inputs = dict(characters=[2, 7, 1, 8, 2, 8])
    weights = sequence_weights(V)
    output = "logprobs"

    def formula(characters, **w):
        x = sequence(w, characters, True)
        return [log_softmax(row) for row in linear(x, w["toprobs_weight"], w["toprobs_bias"])]


class transformer:
    options = SMALL
    inputs = dict(source=[3, 1, 4, 1, 5], target=[9, 2, 6])
    weights = {
        "embedding.weight": (V, D),
        **{name: shape for l in range(L) for name, shape in layer_weights(f"encoder.{l}").items()},
        **{
            name: shape
            for l in range(L)
            for name, shape in layer_weights(f"decoder.{l}", ("attention", "cross")).items()
        },
    }
    output = "logits"
    streams = 3

    def formula(source, target, **w):
        def embed(ids):
            def position(t, d):
                angle = t * 10000 ** (-(d - d % 2) / D)
                return math.cos(angle) if d % 2 else math.sin(angle)

            return [
                [math.sqrt(D) * a + position(t, d) for d, a in enumerate(w["embedding_weight"][i])]
                for t, i in enumerate(ids)
            ]

        m, x = embed(source), embed(target)
        for l in range(L):
            m = block(w, f"encoder_{l}", m, False)
        for l in range(L):
            x = block(w, f"decoder_{l}", x, True, m)
        return linear(x, w["embedding_weight"])


class recommender:
    options = "-D users=9 -D items=13 -D factors=5"
    run_options = "--entry rating"
    inputs = dict(user=4, item=11)
    weights = dict(users=(9, 5), items=(13, 5))
    output = "score"
    streams = 0

    def formula(user, item, users, items):
        return dot(users[user], items[item])
