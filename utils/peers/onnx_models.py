"""The ONNX graphs of the workloads."""
import math
import os
import struct

import workloads
from onnx import FLOAT, INT32, INT64, MICROSOFT, Graph


def skip_norm(graph, x, skip, hidden, both, simple=False):
    """The norm of x + skip, and with `both` the sum too."""
    weights = [graph.filled(1, hidden)] + ([] if simple else [graph.filled(0, hidden)])
    outputs = [graph.name()] + (["", "", graph.name()] if both else [])
    graph.node("SkipSimplifiedLayerNormalization" if simple else "SkipLayerNormalization", [x, skip] + weights, outputs,
               MICROSOFT, epsilon=1e-5)
    return (outputs[0], outputs[-1]) if both else outputs[0]


def norm(graph, x, hidden):
    return graph.node("LayerNormalization", [x, graph.filled(1, hidden), graph.filled(0, hidden)], axis=-1, epsilon=1e-5)


def attention(graph, x, hidden, form):
    if form == "f32":
        return graph.node("Attention", [x, graph.weight(FLOAT, hidden, 3 * hidden), graph.filled(0, 3 * hidden)],
                          domain=MICROSOFT, num_heads=12)
    q, k, v = (graph.linear(x, hidden, hidden, form) for _ in range(3))
    return graph.node("MultiHeadAttention", [q, k, v], domain=MICROSOFT, num_heads=12)


def feed(graph, x, hidden, inner, form, gelu="Gelu"):
    return graph.linear(graph.node(gelu, [graph.linear(x, hidden, inner, form)], domain=MICROSOFT), inner, hidden, form)


def gather(graph, ids, rows, hidden):
    return graph.node("Gather", [graph.weight(FLOAT, rows, hidden), ids])


def bert(graph, form):
    ids, places = (graph.input(name, INT64, [1, "S"]) for name in ("ids", "places"))
    x = norm(graph, graph.node("Add", [gather(graph, ids, 30522, 768), gather(graph, places, 512, 768)]), 768)
    for _ in range(12):
        x = skip_norm(graph, graph.linear(attention(graph, x, 768, form), 768, 768, form), x, 768, False)
        x = skip_norm(graph, feed(graph, x, 768, 3072, form), x, 768, False)
    return x


def vit(graph, form):
    image = graph.input("image", FLOAT, [1, 3, 224, 224])
    x = graph.node("Conv", [image, graph.weight(FLOAT, 768, 3, 16, 16), graph.filled(0, 768)], kernel_shape=[16, 16],
                   strides=[16, 16])
    x = graph.node("Transpose", [graph.node("Reshape", [x, graph.integers([1, 768, 196])])], perm=[0, 2, 1])
    x = graph.node("Concat", [graph.weight(FLOAT, 1, 1, 768), x], axis=1)
    rest = graph.node("Add", [x, graph.weight(FLOAT, 1, 197, 768)])
    x = norm(graph, rest, 768)
    for _ in range(12):
        x, rest = skip_norm(graph, graph.linear(attention(graph, x, 768, form), 768, 768, form), rest, 768, True)
        x, rest = skip_norm(graph, feed(graph, x, 768, 3072, form), rest, 768, True)
    return graph.linear(graph.node("Gather", [x, graph.integers([0], [])], axis=1), 768, 1000, form)


def grouped(graph, x, i, heads, groups, rotation):
    """Attention over the cache, to whose end it writes."""
    past = [graph.input(f"past_{c}{i}", FLOAT, [1, groups, "P", 64]) for c in "kv"]
    outputs = [graph.name()] + [f"present_{c}{i}" for c in "kv"]
    for name in outputs[1:]:
        graph.output(name, [1, groups, "P", 64])
    return graph.node("GroupQueryAttention", [x, "", "", *past, "seqlens", "total", *rotation], outputs, MICROSOFT,
                      num_heads=heads, kv_num_heads=groups, **({"do_rotary": 1} if rotation else {}))


def decoder_inputs(graph):
    graph.input("seqlens", INT32, [1])
    graph.input("total", INT32, [])
    return graph.input("ids", INT64, [1, "S"])


def last(graph, x):
    return graph.node("Gather", [x, graph.integers([-1])], axis=1)


def gpt2(graph, form):
    ids = decoder_inputs(graph)
    places = graph.input("places", INT64, [1, "S"])
    rest = graph.node("Add", [gather(graph, ids, 50257, 768), gather(graph, places, 1024, 768)])
    x = norm(graph, rest, 768)
    for i in range(12):
        y = grouped(graph, graph.linear(x, 768, 3 * 768, form), i, 12, 12, [])
        x, rest = skip_norm(graph, graph.linear(y, 768, 768, form), rest, 768, True)
        x, rest = skip_norm(graph, feed(graph, x, 768, 3072, form, "FastGelu"), rest, 768, True)
    return graph.linear(last(graph, x), 768, 50257, form, False)


def tinyllama(graph, form):
    ids = decoder_inputs(graph)
    angles = [position * 10000.0 ** (-i / 32) for position in range(2048) for i in range(32)]
    rotation = [graph.constant(FLOAT, [2048, 32], struct.pack(f"<{len(angles)}f", *map(function, angles)))
                for function in (math.cos, math.sin)]
    rest = gather(graph, ids, 32000, 2048)
    x = graph.node("SimplifiedLayerNormalization", [rest, graph.filled(1, 2048)], axis=-1, epsilon=1e-5)
    for i in range(22):
        y = grouped(graph, graph.linear(x, 2048, 2560, form, False), i, 32, 4, rotation)
        x, rest = skip_norm(graph, graph.linear(y, 2048, 2048, form, False), rest, 2048, True, True)
        gate = graph.node("QuickGelu", [graph.linear(x, 2048, 5632, form, False)], domain=MICROSOFT, alpha=1.0)
        y = graph.node("Mul", [gate, graph.linear(x, 2048, 5632, form, False)])
        x, rest = skip_norm(graph, graph.linear(y, 5632, 2048, form, False), rest, 2048, True, True)
    return graph.linear(last(graph, x), 2048, 32000, form, False)


def kernel(graph, work, form):
    if work.kind == "attention":
        qkv = [graph.input(name, FLOAT, [1, "S", 768]) for name in "qkv"]
        return graph.node("MultiHeadAttention", qkv, domain=MICROSOFT, num_heads=12,
                          unidirectional=int(work.sizes["causal"]))
    if work.kind == "product":
        x = graph.input("x", FLOAT, [work.sizes["M"], work.sizes["K"]])
        return graph.linear(x, work.sizes["K"], work.sizes["N"], form, False)
    x = graph.input("x", FLOAT, [work.sizes["M"], work.sizes["N"]])
    return norm(graph, x, work.sizes["N"]) if work.kind == "layernorm" else graph.node("Softmax", [x], axis=-1)


def write(path, work, form):
    """Writes the model if it is not there."""
    if os.path.exists(path):
        return
    graph = Graph(path)
    y = globals()[work.model](graph, form) if work.model in workloads.CONFIGS else kernel(graph, work, form)
    graph.node("Identity", [y], ["y"])
    graph.output("y", ["a", "b", "c"] if work.kind not in ("product", "layernorm", "softmax") else ["a", "b"])
    graph.save()
