"""The work that Weft and other systems are timed on: shapes, arithmetic, bytes, and the Weft model of each."""
import json
import os
import re
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bench import BERT_BASE, GPT2_SMALL  # noqa: E402

TYPES = ["f32", "bf16", "int8", "int4"]
# What a weight takes: blocks of 32 codes have a scale of 16 bits.
WEIGHT_BYTES = {"f32": 4, "bf16": 2, "int8": 1 + 2 / 32, "int4": 0.5 + 2 / 32}

VIT_BASE = {
    "model_type": "vit", "architectures": ["ViTForImageClassification"], "hidden_size": 768,
    "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "image_size": 224, "patch_size": 16, "num_channels": 3, "qkv_bias": True,
    "id2label": {str(label): f"label {label}" for label in range(1000)},
}
TINYLLAMA = {
    "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": 32000, "hidden_size": 2048,
    "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4, "intermediate_size": 5632,
    "hidden_act": "silu", "max_position_embeddings": 2048, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
    "tie_word_embeddings": False,
}

ATTENTION = """model Attention() {{
  dim S = {S}
  input q: {stored}[S, 12, 64], k: {stored}[S, 12, 64], v: {stored}[S, 12, 64]
  z[h, t, s] = sum(c) q[t, h, c] * k[s, h, c] / 8
  p[h, t, s] = softmax(s{where}) z[h, t, s]
  output y[t, h, c] = sum(s) p[h, t, s] * v[s, h, c]
}}
"""
PRODUCT = """model Product() {{
  dim M = {M}, K = {K}, N = {N}
  input x: {stored}[M, K]
  param w: [K, N]
  output y[m, n] = sum(k) x[m, k] * w[k, n]
}}
"""
ROWS = {
    "layernorm": """model Norm() {{
  dim M = {M}, N = {N}
  input x: {stored}[M, N]
  param g: [N], b: [N]
  mean[m] = sum(n) x[m, n] / N
  var[m] = sum(n) (x[m, n] - mean[m]) * (x[m, n] - mean[m]) / N
  output y[m, n] = (x[m, n] - mean[m]) / sqrt(var[m] + 1e-5) * g[n] + b[n]
}}
""",
    "softmax": """model Softmax() {{
  dim M = {M}, N = {N}
  input x: {stored}[M, N]
  output y[m, n] = softmax(n) x[m, n]
}}
""",
}


class Workload(NamedTuple):
    name: str       # as in the table
    kind: str       # bert, vit, prefill, decode, attention, product, layernorm, softmax
    model: str      # what is compiled: workloads of one model share it
    sizes: dict
    flops: float    # 2 for a multiplication and an addition
    weights: float  # numbers read of weights
    others: float   # numbers read beside them: caches, which have 16 bits but in f32
    types: list
    large: bool = False

    def limit(self, element, limits):
        """Milliseconds that the arithmetic or the memory takes at least."""
        read = self.weights * WEIGHT_BYTES[element] + self.others * (4 if element == "f32" else 2)
        return 1e3 * max(self.flops / limits[element] / 1e9, read / limits["read"] / 1e9 if self.streams() else 0)

    def streams(self):
        """Whether what it reads is more than caches hold. Rows and products of one call stay in them."""
        return self.kind not in ("layernorm", "softmax", "product", "attention")


def encoder(length, hidden=768, inner=3072, layers=12):
    return layers * (2 * length * (4 * hidden * hidden + 2 * hidden * inner) + 4 * length * length * hidden)


BLOCKS = 12 * (4 * 768 * 768 + 2 * 768 * 3072)
GPT2_HEAD = 768 * 50257
LLAMA = 22 * (2 * 2048 * 2048 + 2 * 2048 * 256 + 3 * 2048 * 5632)
LLAMA_HEAD = 2048 * 32000


def language_models():
    n = 512
    causal = 2 * n * n
    return [
        Workload("GPT-2 prefill 512", "prefill", "gpt2", {"S": n}, 2 * n * BLOCKS + 12 * causal * 768 + 2 * GPT2_HEAD,
                 BLOCKS + GPT2_HEAD, 0, TYPES),
        Workload("GPT-2 decode at 512", "decode", "gpt2", {"S": n}, 2 * (BLOCKS + GPT2_HEAD) + 12 * 4 * n * 768,
                 BLOCKS + GPT2_HEAD, 12 * 2 * n * 768, TYPES),
        Workload("TinyLlama prefill 512", "prefill", "tinyllama", {"S": n},
                 2 * n * LLAMA + 22 * causal * 2048 + 2 * LLAMA_HEAD, LLAMA + LLAMA_HEAD, 0, TYPES, True),
        Workload("TinyLlama decode at 512", "decode", "tinyllama", {"S": n},
                 2 * (LLAMA + LLAMA_HEAD) + 22 * 4 * n * 2048, LLAMA + LLAMA_HEAD, 22 * 2 * n * 256, TYPES, True),
    ]


def kernels():
    for length in (512, 1024, 4096):
        for causal in (False, True):
            yield Workload(f"attention S{length}" + (" causal" if causal else ""), "attention", "attention",
                           {"S": length, "causal": causal}, 4 * length * length * 768 * (0.5 if causal else 1), 0, 0,
                           ["f32", "bf16"])
    for m, k, n in ((128, 3072, 768), (512, 768, 3072), (2048, 2048, 2048)):
        yield Workload(f"product {m}x{k}x{n}", "product", "product", {"M": m, "K": k, "N": n}, 2 * m * k * n, k * n, 0,
                       ["f32", "bf16", "int8"])
    for kind, n in (("layernorm", 768), ("softmax", 1024)):
        yield Workload(f"{kind} 512x{n}", kind, kind, {"M": 512, "N": n}, 0, 0, 0, ["f32", "bf16"])


def workloads():
    encoders = [Workload(f"BERT-base S{n}", "bert", "bert", {"S": n}, encoder(n), BLOCKS, 0, TYPES[:3])
                for n in (128, 512)]
    encoders.append(Workload("ViT-base", "vit", "vit", {"S": 197}, encoder(197) + 2 * 196 * 768 * 768, BLOCKS, 0,
                             TYPES[:3]))
    return encoders + language_models() + list(kernels())


def find(name):
    return next(work for work in workloads() if work.name == name)


CONFIGS = {"bert": BERT_BASE, "vit": VIT_BASE, "gpt2": GPT2_SMALL, "tinyllama": TINYLLAMA}


def weft_text(work, element):
    """The Weft text of what is no model of the library. Its inputs have the type, as its peers' have."""
    text = {"attention": ATTENTION, "product": PRODUCT, **ROWS}[work.kind]
    where = " where s <= t" if work.sizes.get("causal") else ""
    return text.format(**work.sizes, where=where, stored=element if element == "bf16" else "")


def write_model(folder, work, element="f32"):
    """Writes what weftc compiles: a folder with a config.json, or a text. Returns its path."""
    if work.model not in CONFIGS:
        path = os.path.join(folder, re.sub(r"\W", "-", work.name) + ".weft")
        with open(path, "w", encoding="utf-8") as file:
            file.write(weft_text(work, element))
        return path
    path = os.path.join(folder, work.model)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
        json.dump(CONFIGS[work.model], file)
    return path
