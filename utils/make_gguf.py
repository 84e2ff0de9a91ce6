"""Makes small GGUF files of models in the format of the Hub, for tests: python3 utils/make_gguf.py DIR -o model.gguf

Written from the descriptions of the formats, with nothing but Python's library, and with none of Weft's code for GGUF, so
that tests compare two readings of them. DIR holds config.json and model.safetensors; without the latter a decoder like
LLaMA has made-up weights. What a GGUF file has in another form
(rows of queries and keys, norms, matrices of GPT-2, experts) is changed; `--types=Q4_K,Q8_0` stores the matrices in these
types, one after the other, as far as their rows are whole blocks. `--dequantised=DIR` writes the model that the file then
is, in the format of the Hub.
"""
import argparse
import json
import os
import random
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test"))
import tensorfile  # noqa: E402

import gguf_blocks  # noqa: E402

# ---------------------------------------------------------------------------- names

LAYER = r"model\.layers\.(\d+)\."
DECODER = [
    (r"model\.embed_tokens", "token_embd"),
    (r"model\.(?:norm|final_layernorm)", "output_norm"),
    (r"lm_head", "output"),
    (LAYER + "input_layernorm", r"blk.\1.attn_norm"),
    (LAYER + r"self_attn\.([qkv])_proj", r"blk.\1.attn_\2"),
    (LAYER + r"self_attn\.qkv_proj", r"blk.\1.attn_qkv"),
    (LAYER + r"self_attn\.([qk])_norm", r"blk.\1.attn_\2_norm"),
    (LAYER + r"self_attn\.(?:o_proj|dense)", r"blk.\1.attn_output"),
    (LAYER + r"mlp\.gate_up_proj", r"blk.\1.ffn_up"),
    (LAYER + r"mlp\.(gate|up|down)_proj", r"blk.\1.ffn_\2"),
    (LAYER + r"mlp\.(?:c_fc|fc1)", r"blk.\1.ffn_up"),
    (LAYER + r"mlp\.(?:c_proj|fc2)", r"blk.\1.ffn_down"),
    (LAYER + r"(?:block_sparse_moe|mlp)\.gate", r"blk.\1.ffn_gate_inp"),
    (LAYER + r"(?:block_sparse_moe|mlp)\.experts\.(\d+)\.(?:w1|gate_proj)", r"blk.\1.ffn_gate.\2"),
    (LAYER + r"(?:block_sparse_moe|mlp)\.experts\.(\d+)\.(?:w2|down_proj)", r"blk.\1.ffn_down.\2"),
    (LAYER + r"(?:block_sparse_moe|mlp)\.experts\.(\d+)\.(?:w3|up_proj)", r"blk.\1.ffn_up.\2"),
    (LAYER + r"mlp\.shared_expert_gate", r"blk.\1.ffn_gate_inp_shexp"),
    (LAYER + r"mlp\.shared_expert\.(gate|up|down)_proj", r"blk.\1.ffn_\2_shexp"),
    (LAYER + "post_attention_layernorm", r"blk.\1.ffn_norm"),
]
POST_NORMS = [
    (LAYER + "post_attention_layernorm", r"blk.\1.post_attention_norm"),
    (LAYER + "pre_feedforward_layernorm", r"blk.\1.ffn_norm"),
    (LAYER + "post_feedforward_layernorm", r"blk.\1.post_ffw_norm"),
]
BLOCK = r"transformer\.h\.(\d+)\."
GPT2 = [
    (r"transformer\.wte", "token_embd"),
    (r"transformer\.wpe", "position_embd"),
    (r"transformer\.ln_f", "output_norm"),
    (r"lm_head", "output"),
    (BLOCK + "ln_1", r"blk.\1.attn_norm"),
    (BLOCK + r"attn\.c_attn", r"blk.\1.attn_qkv"),
    (BLOCK + r"attn\.c_proj", r"blk.\1.attn_output"),
    (BLOCK + "ln_2", r"blk.\1.ffn_norm"),
    (BLOCK + r"mlp\.c_fc", r"blk.\1.ffn_up"),
    (BLOCK + r"mlp\.c_proj", r"blk.\1.ffn_down"),
]
BLOOM = [
    (r"transformer\.word_embeddings_layernorm", "token_embd_norm"),
    (r"transformer\.word_embeddings", "token_embd"),
    (r"transformer\.ln_f", "output_norm"),
    (r"lm_head", "output"),
    (BLOCK + r"ln_attn", r"blk.\1.attn_norm_2"),
    (BLOCK + r"(?:ln_mlp|input_layernorm)", r"blk.\1.attn_norm"),
    (BLOCK + r"self_attention\.query_key_value", r"blk.\1.attn_qkv"),
    (BLOCK + r"self_attention\.dense", r"blk.\1.attn_output"),
    (BLOCK + r"post_attention_layernorm", r"blk.\1.ffn_norm"),
    (BLOCK + r"mlp\.dense_h_to_4h", r"blk.\1.ffn_up"),
    (BLOCK + r"mlp\.dense_4h_to_h", r"blk.\1.ffn_down"),
]
NEOX_BLOCK = r"gpt_neox\.layers\.(\d+)\."
NEOX = [
    (r"gpt_neox\.embed_in", "token_embd"),
    (r"gpt_neox\.final_layer_norm", "output_norm"),
    (r"embed_out", "output"),
    (NEOX_BLOCK + "input_layernorm", r"blk.\1.attn_norm"),
    (NEOX_BLOCK + r"attention\.query_key_value", r"blk.\1.attn_qkv"),
    (NEOX_BLOCK + r"attention\.dense", r"blk.\1.attn_output"),
    (NEOX_BLOCK + "post_attention_layernorm", r"blk.\1.ffn_norm"),
    (NEOX_BLOCK + r"mlp\.dense_h_to_4h", r"blk.\1.ffn_up"),
    (NEOX_BLOCK + r"mlp\.dense_4h_to_h", r"blk.\1.ffn_down"),
]


def rename(name, patterns):
    for pattern, replacement in patterns:
        match = re.match(pattern + r"\.(weight|bias)$", name)
        if match:
            return match.expand(replacement) + "." + match.group(match.lastindex)
    return None


# ---------------------------------------------------------------------------- values

# A change of values is an order of rows, or a function of the element: what is stored, and the way back.


def paired_rows(heads, rows):
    """Rows c and c + C / 2 of a head beside each other."""
    size = rows // heads
    return [h * size + (c % 2) * (size // 2) + c // 2 for h in range(heads) for c in range(size)]


def grouped_rows(groups, queries, rows):
    """Of each group its queries, a key and a value: all queries, then all keys, then all values."""
    size = rows // groups // (queries + 2)
    parts = [(g, n) for g in range(groups) for n in range(queries)]
    parts += [(g, queries) for g in range(groups)] + [(g, queries + 1) for g in range(groups)]
    return [(g * (queries + 2) + n) * size + c for g, n in parts for c in range(size)]


def order_of(kind, name, shape, config):
    heads = config.get("num_attention_heads") or config.get("n_head")
    if kind in ("llama", "mistral", "mixtral", "granite", "olmo"):
        if ".q_proj." in name:
            return paired_rows(heads, shape[0])
        if ".k_proj." in name:
            return paired_rows(config.get("num_key_value_heads") or heads, shape[0])
    if ".query_key_value." in name:
        if kind in ("bloom", "gpt_neox"):
            return grouped_rows(heads, 1, shape[0])
        groups = config["num_kv_heads"] if config["new_decoder_architecture"] else 1 if config["multi_query"] else heads
        return grouped_rows(groups, heads // groups, shape[0])
    return None


def is_transposed(kind, name):
    return kind == "gpt2" and re.search(r"\.(c_attn|c_proj|c_fc)\.weight$", name)


def adds_one(kind, name):
    return kind in ("gemma", "gemma2") and name.endswith("norm.weight")


def transpose(shape, values):
    rows, columns = shape
    return [columns, rows], [values[r * columns + c] for c in range(columns) for r in range(rows)]


def to_file(kind, name, shape, values, config):
    if is_transposed(kind, name):
        return transpose(shape, values)
    if adds_one(kind, name):
        return shape, [value + 1 for value in values]
    order = order_of(kind, name, shape, config)
    if order:
        width = len(values) // shape[0]
        values = [value for row in order for value in values[row * width : (row + 1) * width]]
    return shape, values


def from_file(kind, name, shape, values, config):
    if is_transposed(kind, name):
        return transpose(shape, values)
    if adds_one(kind, name):
        return shape, [value - 1 for value in values]
    order = order_of(kind, name, shape, config)
    if order:
        width, result = len(values) // shape[0], list(values)
        for place, row in enumerate(order):
            result[row * width : (row + 1) * width] = values[place * width : (place + 1) * width]
        values = result
    return shape, values


EXPERT = re.compile(r"(blk\.\d+\.ffn_(?:gate|up|down))\.(\d+)\.weight")


def stack_experts(tensors):
    """blk.0.ffn_up.0.weight, blk.0.ffn_up.1.weight, ... as one tensor."""
    stacked = {}
    for name, (shape, values) in tensors.items():
        match = EXPERT.fullmatch(name)
        if not match:
            stacked[name] = (shape, values)
            continue
        whole = stacked.setdefault(match.group(1) + "_exps.weight", ([0] + shape, []))
        assert whole[0][0] == int(match.group(2)), "experts are not in their order"
        whole[0][0] += 1
        whole[1].extend(values)
    return stacked


# ---------------------------------------------------------------------------- keys


class Real(float):
    """Stored in 32 bits."""


def first_of(config, *names):
    for name in names:
        if config.get(name) is not None:
            return config[name]
    return None


def decoder_keys(config):
    heads, width = first_of(config, "num_attention_heads", "n_head"), first_of(config, "hidden_size", "n_embd", "n_embed")
    keys = {
        "context_length": first_of(config, "max_position_embeddings", "n_positions", "seq_length") or 2048,
        "embedding_length": width,
        "block_count": first_of(config, "num_hidden_layers", "n_layer"),
        "feed_forward_length": first_of(config, "intermediate_size", "n_inner", "ffn_hidden_size") or 4 * width,
        "attention.head_count": heads,
        "attention.head_count_kv": first_of(config, "num_key_value_heads") or heads,
        "attention.sliding_window": config.get("sliding_window"),
        "attn_logit_softcapping": as_real(config.get("attn_logit_softcapping")),
        "final_logit_softcapping": as_real(config.get("final_logit_softcapping")),
        "attention.layer_norm_rms_epsilon": as_real(config.get("rms_norm_eps")),
        "attention.layer_norm_epsilon": as_real(first_of(config, "layer_norm_epsilon", "norm_epsilon", "layer_norm_eps")),
        "rope.freq_base": as_real(first_of(config, "rope_theta", "rotary_emb_base")),
        "attention.scale": as_real(config.get("attention_multiplier")),
        "embedding_scale": as_real(config.get("embedding_multiplier")),
        "residual_scale": as_real(config.get("residual_multiplier")),
        "logit_scale": as_real(first_of(config, "logit_scale", "logits_scaling")),
        "use_parallel_residual": config.get("use_parallel_residual"),
        "expert_count": first_of(config, "num_local_experts", "num_experts"),
        "expert_used_count": config.get("num_experts_per_tok"),
        "expert_weights_norm": config.get("norm_topk_prob"),
        "expert_feed_forward_length": config.get("moe_intermediate_size"),
        "expert_shared_feed_forward_length": config.get("shared_expert_intermediate_size"),
        "attention.clamp_kqv": as_real(config.get("clip_qkv")),
    }
    if config["model_type"] == "falcon":
        keys["attention.head_count_kv"] = config["num_kv_heads"] if config["new_decoder_architecture"] else 1
    if config["model_type"] == "gpt_bigcode":
        keys["attention.head_count_kv"] = 1 if config["multi_query"] else heads
    if config["model_type"] in ("phi", "phi3", "stablelm", "gpt_neox"):
        share = first_of(config, "partial_rotary_factor", "rotary_pct") or 1
        keys["rope.dimension_count"] = int(width // heads * share)
    if config.get("head_dim"):
        keys["attention.key_length"] = keys["attention.value_length"] = config["head_dim"]
    return keys


def as_real(value):
    return None if value is None else Real(value)


def add_scaling(config, keys, tensors):
    """How positions are scaled: keys, or factors for each pair of channels."""
    scaling = config.get("rope_scaling")
    if not scaling:
        return
    kind = scaling.get("rope_type") or scaling.get("type")
    original = first_of(config, "original_max_position_embeddings") or scaling.get("original_max_position_embeddings")
    if "long_factor" in scaling:
        keys["rope.scaling.original_context_length"] = original
        for which in ("long", "short"):
            factors = scaling[which + "_factor"]
            tensors["rope_factors_%s.weight" % which] = ([len(factors)], factors)
    elif kind == "llama3":
        size = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
        tensors["rope_freqs.weight"] = ([size // 2], llama3_factors(config["rope_theta"], size, scaling))
    else:
        keys["rope.scaling.type"] = kind
        keys["rope.scaling.factor"] = Real(scaling["factor"])
        keys["rope.scaling.original_context_length"] = original


def llama3_factors(base, size, scaling):
    factors, original = [], scaling["original_max_position_embeddings"]
    low, high = original / scaling["low_freq_factor"], original / scaling["high_freq_factor"]
    for i in range(0, size, 2):
        length = 2 * 3.141592653589793 * base ** (i / size)
        if length < high:
            factors.append(1.0)
        elif length > low:
            factors.append(scaling["factor"])
        else:
            smooth = (original / length - scaling["low_freq_factor"]) / (
                scaling["high_freq_factor"] - scaling["low_freq_factor"]
            )
            factors.append(1 / ((1 - smooth) / scaling["factor"] + smooth))
    return factors


# ---------------------------------------------------------------------------- the file


def string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def typed(value):
    """A value with its type before it."""
    if isinstance(value, bool):
        return struct.pack("<IB", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value) if value >= 0 else struct.pack("<Ii", 5, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + string(value)
    parts = [typed(element) for element in value]
    return struct.pack("<I", 9) + (parts[0][:4] if parts else struct.pack("<I", 4)) + struct.pack("<Q", len(parts)) + b"".join(
        part[4:] for part in parts
    )


def write(path, keys, tensors, alignment=32):
    """`tensors`: for each name the shape, the number of the type and the bytes."""
    head = b"".join(string(name) + typed(value) for name, value in keys.items() if value is not None)
    count = sum(value is not None for value in keys.values())
    infos, data = b"", b""
    for name, (shape, number, raw) in tensors.items():
        infos += string(name) + struct.pack("<I", len(shape)) + struct.pack("<%dQ" % len(shape), *reversed(shape))
        infos += struct.pack("<IQ", number, len(data))
        data += raw + b"\0" * (-len(raw) % alignment)
    file = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), count) + head + infos
    with open(path, "wb") as out:
        out.write(file + b"\0" * (-len(file) % alignment) + data)


def write_parts(stem, keys, tensors, count):
    """Tensors in turn into files of which the first has the keys."""
    for part in range(count):
        own = {"split.no": part, "split.count": count, "split.tensors.count": len(tensors)}
        mine = {name: tensor for i, (name, tensor) in enumerate(tensors.items()) if i % count == part}
        write("%s-%05d-of-%05d.gguf" % (stem, part + 1, count), {**keys, **own} if part == 0 else own, mine)


ARCHITECTURES = {
    # model_type: the architecture's name, how tensors are called
    "llama": ("llama", DECODER),
    "mistral": ("llama", DECODER),
    "mixtral": ("llama", DECODER),
    "qwen2": ("qwen2", DECODER),
    "qwen2_moe": ("qwen2moe", DECODER),
    "qwen3": ("qwen3", DECODER),
    "qwen3_moe": ("qwen3moe", DECODER),
    "phi3": ("phi3", DECODER),
    "olmo2": ("olmo2", POST_NORMS + DECODER),
    "olmoe": ("olmoe", DECODER),
    "starcoder2": ("starcoder2", DECODER),
    "gemma": ("gemma", DECODER),
    "gemma2": ("gemma2", POST_NORMS + DECODER),
    "gpt2": ("gpt2", GPT2),
    "gpt_bigcode": ("starcoder", GPT2),
    "gpt_neox": ("gptneox", NEOX),
    "stablelm": ("stablelm", DECODER),
    "phi": ("phi2", DECODER),
    "granite": ("granite", DECODER),
    "olmo": ("olmo", DECODER),
    "cohere": ("command-r", DECODER),
    "bloom": ("bloom", BLOOM),
    "falcon": ("falcon", BLOOM),
}


def store(tensors, types, floats):
    """Matrices in the types, one after the other; vectors, and what has no whole blocks, in F32 (or `floats`)."""
    stored, next_type = {}, 0
    for name, (shape, values) in tensors.items():
        kind = "F32"
        if len(shape) > 1:
            wanted = types[next_type % len(types)]
            if shape[-1] % gguf_blocks.block_size(wanted) == 0:
                kind, next_type = wanted, next_type + 1
            else:
                kind = floats
        stored[name] = (shape, kind, gguf_blocks.encode(kind, values))
    return stored


def made_up(config):
    """The tensors of LLaMA, of Qwen 3 with its norms of heads, or of Phi-3 with fused matrices."""
    width, inner, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    size = config.get("head_dim") or width // heads
    queries, keys = heads * size, (config.get("num_key_value_heads") or heads) * size
    shapes = {"model.embed_tokens.weight": [config["vocab_size"], width], "model.norm.weight": [width]}
    if not config.get("tie_word_embeddings"):
        shapes["lm_head.weight"] = [config["vocab_size"], width]
    for layer in range(config["num_hidden_layers"]):
        block = {
            "self_attn.q_proj": [queries, width], "self_attn.k_proj": [keys, width], "self_attn.v_proj": [keys, width],
            "self_attn.o_proj": [width, queries], "mlp.gate_proj": [inner, width], "mlp.up_proj": [inner, width],
            "mlp.down_proj": [width, inner], "input_layernorm": [width], "post_attention_layernorm": [width],
        }  # fmt: skip
        if config["model_type"] == "qwen3":
            block.update({"self_attn.q_norm": [size], "self_attn.k_norm": [size]})
        if config["model_type"] == "phi3":
            for name in ("q_proj", "k_proj", "v_proj"):
                del block["self_attn." + name]
            del block["mlp.gate_proj"], block["mlp.up_proj"]
            block.update({"self_attn.qkv_proj": [queries + 2 * keys, width], "mlp.gate_up_proj": [2 * inner, width]})
        shapes.update({"model.layers.%d.%s.weight" % (layer, name): shape for name, shape in block.items()})
    draw = random.Random(7)
    tensors = {}
    for name, shape in shapes.items():
        count = shape[0] * (shape[1] if len(shape) > 1 else 1)
        middle = 0.0 if len(shape) > 1 else 1.0
        # What F32 holds, so that files of other types are made of the same numbers.
        values = [draw.gauss(middle, 0.1) for _ in range(count)]
        tensors[name] = (shape, list(struct.unpack("<%df" % count, struct.pack("<%df" % count, *values))))
    return tensors


def read_model(folder):
    with open(os.path.join(folder, "config.json")) as file:
        config = json.load(file)
    tensors = {}
    if not os.path.exists(os.path.join(folder, "model.safetensors")):
        return config, made_up(config)
    for name, (dtype, shape, raw) in tensorfile.unpack(os.path.join(folder, "model.safetensors")).items():
        tensors[name] = (shape, list(tensorfile.numbers(dtype, raw)))
    return config, tensors


def convert(config, tensors, keep_experts, keep_names):
    kind = config["model_type"]
    architecture, patterns = ARCHITECTURES[kind]
    named = {}
    for name, (shape, values) in sorted(tensors.items()):
        new = rename(name, patterns)
        if new is None and not keep_names:
            sys.exit("make_gguf.py: no name for the tensor '%s'" % name)
        named[new or name] = to_file(kind, name, shape, values, config)
    keys = decoder_keys(config)
    add_scaling(config, keys, named)
    keys = {architecture + "." + name: value for name, value in keys.items()}
    return {"general.architecture": architecture, **keys}, named if keep_experts else stack_experts(named)


def read_stored(stored, name):
    """The shape and the numbers of a tensor, or of an expert in a stack."""
    match = EXPERT.fullmatch(name)
    if name in stored or not match:
        shape, kind, raw = stored[name]
        return shape, gguf_blocks.decode(kind, raw)
    (experts, *shape), kind, raw = stored[match.group(1) + "_exps.weight"]
    size, number = len(raw) // experts, int(match.group(2))
    return shape, gguf_blocks.decode(kind, raw[number * size : (number + 1) * size])


def write_dequantised(folder, config, tensors, stored):
    """The tensors of the Hub as the file's values make them."""
    kind, patterns = config["model_type"], ARCHITECTURES[config["model_type"]][1]
    os.makedirs(folder, exist_ok=True)
    result = {}
    for name, (shape, _) in tensors.items():
        _, values = from_file(kind, name, *read_stored(stored, rename(name, patterns)), config)
        result[name] = ("F32", shape, values)
    tensorfile.pack(os.path.join(folder, "model.safetensors"), result)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("-o", required=True, dest="output")
    parser.add_argument("--types", default="F32", help="of matrices, one after the other")
    parser.add_argument("--floats", default="F32", help="of matrices without whole blocks")
    parser.add_argument("--experts", action="store_true", help="a tensor for each expert, as older files have it")
    parser.add_argument("--keep-names", action="store_true", help="of tensors that GGUF has no name for")
    parser.add_argument("--dequantised", help="write the model that the file is, in the format of the Hub")
    parser.add_argument("--parts", type=int, help="write so many files; OUTPUT is their name up to -00001-of-...")
    parser.add_argument("--keys", help="a JSON file with more keys")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="one more key")
    parser.add_argument("--unknown", action="store_true", help="give the first tensor a type that there is not")
    args = parser.parse_args()
    config, tensors = read_model(args.model)
    keys, named = convert(config, tensors, args.experts, args.keep_names)
    if args.keys:
        with open(args.keys) as file:
            keys.update(json.load(file))
    for one in args.set:
        name, value = one.split("=", 1)
        keys[name] = json.loads(value)
    stored = store(named, args.types.split(","), args.floats)
    numbered = {name: (shape, gguf_blocks.NUMBERS[kind], raw) for name, (shape, kind, raw) in stored.items()}
    if args.unknown:
        first = next(iter(numbered))
        numbered[first] = (numbered[first][0], 31, numbered[first][2])
    if args.parts:
        write_parts(args.output, keys, numbered, args.parts)
    else:
        write(args.output, keys, numbered)
    if args.dequantised:
        write_dequantised(args.dequantised, config, tensors, stored)


if __name__ == "__main__":
    main()
