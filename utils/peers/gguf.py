"""Writes GGUF files with made-up weights of published shapes, as llama.cpp reads them."""
import array
import os
import random
import struct

import workloads

# Number of the type, bytes of a block, numbers of a block.
TYPES = {"f32": (0, 4, 1), "bf16": (30, 2, 1), "int8": (8, 34, 32), "int4": (2, 18, 32), "q8_0": (8, 34, 32),
         "q4_0": (2, 18, 32), "q4_k": (12, 144, 256)}
# The halves that blocks begin with: the largest numbers are about 0.06.
HALVES = {"int8": [0.0005], "int4": [0.008], "q8_0": [0.0005], "q4_0": [0.008], "q4_k": [0.0001, 0.0008]}


def pool(element, draw):
    """About a megabyte of weights near 0.02, to be repeated; its length is odd in blocks, so no two rows are alike."""
    blocks = 32771
    if element == "f32":
        return array.array("f", [draw.gauss(0, 0.02) for _ in range(blocks)]).tobytes()
    if element == "bf16":
        return b"".join(struct.pack("<f", draw.gauss(0, 0.02))[2:] for _ in range(blocks))
    halves = b"".join(struct.pack("<e", value) for value in HALVES[element])
    return b"".join(halves + draw.randbytes(TYPES[element][1] - len(halves)) for _ in range(blocks))


def string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def pair(key, value):
    if isinstance(value, bool):
        return string(key) + struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return string(key) + struct.pack("<II", 4, value)
    if isinstance(value, float):
        return string(key) + struct.pack("<If", 6, value)
    return string(key) + struct.pack("<I", 8) + string(value)


def tensors(arch, config, element):
    """Name, dimensions (the fastest first) and type of every tensor."""
    hidden, inner, layers, vocabulary = sizes(config)
    wide = hidden // config.get("num_attention_heads", 12) * config.get("num_key_value_heads", 12)
    biases = arch != "llama"

    def linear(name, rows, columns):
        yield name + ".weight", (rows, columns), element
        if biases:
            yield name + ".bias", (columns,), "f32"

    def norm(name):
        yield name + ".weight", (hidden,), "f32"
        if biases:
            yield name + ".bias", (hidden,), "f32"
    yield "token_embd.weight", (hidden, vocabulary), element
    if arch != "llama":
        yield "position_embd.weight", (hidden, 512 if arch == "bert" else 1024), "f32"
    if arch == "bert":
        yield "token_types.weight", (hidden, 2), "f32"
        yield from norm("token_embd_norm")
    else:
        yield "output.weight", (hidden, vocabulary), element
        yield from norm("output_norm")
    for i in range(layers):
        if arch == "gpt2":
            yield from linear(f"blk.{i}.attn_qkv", hidden, 3 * hidden)
        else:
            for name, width in (("q", hidden), ("k", wide), ("v", wide)):
                yield from linear(f"blk.{i}.attn_{name}", hidden, width)
        yield from linear(f"blk.{i}.attn_output", hidden, hidden)
        if arch == "llama":
            yield from linear(f"blk.{i}.ffn_gate", hidden, inner)
        yield from linear(f"blk.{i}.ffn_up", hidden, inner)
        yield from linear(f"blk.{i}.ffn_down", inner, hidden)
        for name in ("attn_output_norm", "layer_output_norm") if arch == "bert" else ("attn_norm", "ffn_norm"):
            yield from norm(f"blk.{i}.{name}")


def sizes(config):
    hidden = config.get("hidden_size", config.get("n_embd"))
    return (hidden, config.get("intermediate_size") or 4 * hidden,
            config.get("num_hidden_layers", config.get("n_layer")), config["vocab_size"])


def metadata(arch, config):
    hidden, inner, layers, vocabulary = sizes(config)
    heads = config.get("num_attention_heads", config.get("n_head"))
    positions = {"bert": 512, "gpt2": 1024, "llama": 2048}[arch]
    pairs = {"general.architecture": arch, "general.alignment": 32, f"{arch}.context_length": positions,
             f"{arch}.embedding_length": hidden, f"{arch}.feed_forward_length": inner, f"{arch}.block_count": layers,
             f"{arch}.attention.head_count": heads, f"{arch}.vocab_size": vocabulary,
             "tokenizer.ggml.model": "no_vocab"}
    if arch == "llama":
        pairs.update({"llama.attention.head_count_kv": config["num_key_value_heads"], "llama.rope.freq_base": 10000.0,
                      "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.dimension_count": hidden // heads})
    else:
        pairs[f"{arch}.attention.layer_norm_epsilon"] = 1e-5
    if arch == "bert":
        pairs.update({"bert.pooling_type": 0, "bert.attention.causal": False, "tokenizer.ggml.token_type_count": 2})
    return pairs


def size(dims, element):
    count = 1
    for extent in dims:
        count *= extent
    _, block, numbers = TYPES[element]
    return count // numbers * block


def write(path, model, element):
    """Writes the file if it is not there."""
    if os.path.exists(path):
        return
    config = workloads.CONFIGS[model]
    arch = config["model_type"]
    table, pairs = list(tensors(arch, config, element)), metadata(arch, config)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(table), len(pairs)) + b"".join(pair(*item) for item in pairs.items())
    offset = 0
    for name, dims, kind in table:
        head += string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, TYPES[kind][0], offset)
        offset += -(-size(dims, kind) // 32) * 32
    draw = random.Random(1)
    pools = {kind: pool(kind, draw) for kind in {"f32", element}}
    with open(path + ".part", "wb") as file:
        file.write(head + b"\0" * (-len(head) % 32))
        for name, dims, kind in table:
            length = size(dims, kind)
            if name.endswith("norm.weight"):
                data = struct.pack("<f", 1) * (length // 4)
            elif name.endswith(".bias"):
                data = b"\0" * length
            else:
                data = (pools[kind] * (length // len(pools[kind]) + 1))[:length]
            file.write(data + b"\0" * (-length % 32))
    os.rename(path + ".part", path)
