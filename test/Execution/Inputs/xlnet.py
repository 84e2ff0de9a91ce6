"""Makes a small XLNet with memories of random weights, and what it says of a text in segments.

The formulas are those of Yang et al. (2019) and Dai et al. (2019), one number after another in float64, without any
code of Weft or of a library: attention over the memories and the text, whose scores depend on distances and segments,
memories that hold what every layer read, and a second stream for what is predicted.

  xlnet.py FOLDER KIND SAME_LENGTH REUSE_LEN [full]    writes FOLDER/config.json, model.safetensors, for
                                                       segments 1, 2, 3 and `asked` inputs_N.safetensors and
                                                       expected_N.safetensors; with `full` the third segment's inputs
                                                       without mems_length, inputs_full.safetensors
"""
import json
import math
import random
import struct
import sys

from tensorfile import flatten, pack, shape_of

D, H, C, F, V, LAYERS, M = 8, 2, 4, 12, 13, 2, 5
LENGTHS, BATCH = [3, 4, 2], 2


def tensor(nested, kind="F32"):
    return kind, shape_of(nested), flatten(nested)


def normal(*shape):
    if not shape:
        # What a float32 holds, so that both sides have the same weights.
        return struct.unpack("<f", struct.pack("<f", random.gauss(0, 0.4)))[0]
    return [normal(*shape[1:]) for _ in range(shape[0])]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def layer_norm(x, gain, bias):
    mean = sum(x) / len(x)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-12)
    return [(v - mean) / deviation * g + b for v, g, b in zip(x, gain, bias)]


def gelu(x):
    return 0.5 * x * (1 + math.erf(x / math.sqrt(2)))


def head(x, matrix, h):
    return [sum(x[d] * matrix[d][h][c] for d in range(D)) for c in range(C)]


def sinusoid(distance):
    angles = [distance / 10000 ** (2 * i / D) for i in range(D // 2)]
    return [math.sin(a) for a in angles] + [math.cos(a) for a in angles]


class Model:
    def __init__(self, kind, same_length, reuse):
        self.kind, self.same_length, self.reuse = kind, same_length, reuse
        self.words, self.question = normal(V, D), normal(D)
        self.layers = []
        for _ in range(LAYERS):
            layer = {"rel_attn." + name: normal(D, H, C) for name in "qkvor"}
            layer.update({"rel_attn.%s_bias" % name: normal(H, C) for name in ("r_w", "r_r", "r_s")})
            layer["rel_attn.seg_embed"] = normal(2, H, C)
            for norm in ("rel_attn", "ff"):
                layer[norm + ".layer_norm.weight"], layer[norm + ".layer_norm.bias"] = normal(D), normal(D)
            layer["ff.layer_1.weight"], layer["ff.layer_1.bias"] = normal(F, D), normal(F)
            layer["ff.layer_2.weight"], layer["ff.layer_2.bias"] = normal(D, F), normal(D)
            self.layers.append(layer)

    def save(self, folder):
        config = {"model_type": "xlnet", "architectures": ["XLNetModel"], "vocab_size": V, "d_model": D, "n_layer": LAYERS,
                  "n_head": H, "d_inner": F, "ff_activation": "gelu", "attn_type": self.kind, "mem_len": M,
                  "reuse_len": self.reuse, "same_length": self.same_length, "clamp_len": 4, "longest": 8, "batch": 3}
        with open(folder + "/config.json", "w") as file:
            json.dump(config, file)
        tensors = {"word_embedding.weight": tensor(self.words), "mask_emb": tensor([[self.question]])}
        for number, layer in enumerate(self.layers):
            for name, value in layer.items():
                tensors["layer.%d.%s" % (number, name)] = tensor(value)
        pack(folder + "/model.safetensors", tensors)

    def attend(self, layer, asking, keys, old, segment, hidden):
        """For every token's question: the sum of the values it sees. Key k is memory k below `old`."""
        result = []
        for t, query in enumerate(asking):
            row = [0.0] * D
            for h in range(H):
                q = head(query, layer["rel_attn.q"], h) if isinstance(query[0], float) else query[h]
                scores = []
                for k, key in enumerate(keys):
                    distance = max(-4, min(4, t + old - k))
                    biased = lambda name: [a + b for a, b in zip(q, layer["rel_attn.%s_bias" % name][h])]
                    of_segment = 0 if segment[t] == (segment[k - old] if k >= old else 0) else 1
                    score = dot(biased("r_w"), head(key, layer["rel_attn.k"], h))
                    score += dot(biased("r_r"), head(sinusoid(distance), layer["rel_attn.r"], h))
                    score += dot(biased("r_s"), layer["rel_attn.seg_embed"][of_segment][h])
                    scores.append(-math.inf if hidden[t][k] else score / math.sqrt(C))
                largest = max(scores)
                weights = [math.exp(score - largest) for score in scores]
                for weight, key in zip(weights, keys):
                    value = head(key, layer["rel_attn.v"], h)
                    for d in range(D):
                        row[d] += weight / sum(weights) * dot(value, layer["rel_attn.o"][d][h])
            result.append(row)
        return result

    def finish(self, layer, x, attended):
        a = layer_norm([p + q for p, q in zip(x, attended)], layer["rel_attn.layer_norm.weight"],
                       layer["rel_attn.layer_norm.bias"])
        h = [gelu(dot(row, a) + b) for row, b in zip(layer["ff.layer_1.weight"], layer["ff.layer_1.bias"])]
        y = [dot(row, h) + b for row, b in zip(layer["ff.layer_2.weight"], layer["ff.layer_2.bias"])]
        return layer_norm([p + q for p, q in zip(a, y)], layer["ff.layer_norm.weight"], layer["ff.layer_norm.bias"])

    def hidden(self, mask, order, old, itself):
        T = len(mask)
        table = []
        for t in range(T):
            row = []
            for k in range(old + T):
                no = k >= old and (not mask[k - old] or order[t][k - old])
                if self.kind == "uni":
                    no = no or k > t + old or (self.same_length and k < t)
                row.append(no and not (itself and k == t + old))
            table.append(row)
        return table

    def run(self, ids, memories, mask, segment, order, targets=None):
        """One text: the hidden states (of the predictions, with targets), and the new memories."""
        old = len(memories[0])
        x = [self.words[i] for i in ids]
        g = [self.question for _ in targets or []]
        kept = []
        for layer, memory in zip(self.layers, memories):
            keys = memory + x
            kept.append((memory + x[: self.reuse or len(x)])[-M:])
            seen = self.attend(layer, x, keys, old, segment, self.hidden(mask, order, old, True))
            if targets:
                asked = [[[sum(targets[p][t] * head(g[p], layer["rel_attn.q"], h)[c] for p in range(len(g)))
                           for c in range(C)] for h in range(H)] for t in range(len(ids))]
                answers = self.attend(layer, asked, keys, old, segment, self.hidden(mask, order, old, False))
                g = [self.finish(layer, question, [sum(row[t] * answers[t][d] for t in range(len(ids))) for d in range(D)])
                     for question, row in zip(g, targets)]
            x = [self.finish(layer, one, row) for one, row in zip(x, seen)]
        return g if targets else x, kept


def stored(memories):
    """[batch][layer][row] as tensors of M rows, the latest last; zeros where none was."""
    tensors = {}
    for l in range(LAYERS):
        rows = [[text[l][m - M] if m - M >= -len(text[l]) else [0.0] * D for text in memories] for m in range(M)]
        tensors["mems.%d" % l] = tensor(rows)
    tensors["mems_length"] = "I32", [], [len(memories[0][0])]
    return tensors


def main(folder, kind, same_length, reuse, full=""):
    random.seed(11)
    model = Model(kind, same_length == "true", int(reuse))
    model.save(folder)
    memories = [[[] for _ in range(LAYERS)] for _ in range(BATCH)]
    texts, results = [[] for _ in range(BATCH)], [[] for _ in range(BATCH)]
    for number, T in enumerate(LENGTHS + ["asked"]):
        asked = T == "asked"
        T = 3 if asked else T
        ids = [[random.randrange(V) for _ in range(T)] for _ in range(BATCH)]
        # Segments, padding and an order in the last call only: the others are parts of one text.
        segment = [[t % 2 if asked else 0 for t in range(T)] for _ in ids]
        mask = [[0 if asked and b == 1 and t == 0 else 1 for t in range(T)] for b in range(BATCH)]
        order = [[[1 if asked and (t, k) in ((0, 1), (2, 0)) else 0 for k in range(T)] for t in range(T)] for _ in ids]
        targets = [[[1.0 if t == 2 - p else 0.0 for t in range(T)] for p in range(2)] for _ in ids] if asked else None
        given = {"input_ids": tensor(ids, "I32"), "token_type_ids": tensor(segment, "I32")}
        if number:
            given.update(stored(memories))
        if asked:
            given.update({"attention_mask": tensor(mask, "I32"), "perm_mask": tensor([[[float(v) for v in r] for r in o]
                          for o in order]), "target_mapping": tensor(targets)})
        if full and number == 2:
            pack(folder + "/inputs_full.safetensors", {name: value for name, value in given.items() if name != "mems_length"})
        states = []
        for b in range(BATCH):
            y, memories[b] = model.run(ids[b], memories[b], mask[b], segment[b], order[b], targets and targets[b])
            states.append(y)
            texts[b] += ids[b]
            results[b] += y
            if number == 1 and kind == "uni" and same_length == "false" and not model.reuse and M >= LENGTHS[0]:
                # What is seen from the memories is what is seen of the whole text.
                whole, _ = model.run(texts[b], [[]] * LAYERS, [1] * len(texts[b]), [0] * len(texts[b]),
                                     [[0] * len(texts[b])] * len(texts[b]))
                assert max(abs(p - q) for p, q in zip(flatten(whole), flatten(results[b]))) < 1e-9
        name = "asked" if asked else str(number + 1)
        pack("%s/inputs_%s.safetensors" % (folder, name), given)
        pack("%s/expected_%s.safetensors" % (folder, name), {"last_hidden_state": tensor(states), **stored(memories)})


main(*sys.argv[1:])
