#!/usr/bin/env python3
"""PyTorch in eager mode as a worker (worker.py): the same shapes, random weights. f32 and bf16."""
import math
import os
import sys

import worker
import workloads

# The BLAS that shares torch's threads; the one with its own does not know set_num_threads.
BLAS = "/usr/lib/x86_64-linux-gnu/openblas-openmp"
if os.path.isdir(BLAS) and BLAS not in os.environ.get("LD_LIBRARY_PATH", ""):
    os.environ["LD_LIBRARY_PATH"] = BLAS
    os.execv(sys.executable, [sys.executable] + sys.argv)

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402


def attend(q, k, v, mask=None):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = torch.matmul(q * (1 / math.sqrt(q.shape[-1])), k.transpose(-1, -2))
    return torch.matmul(torch.softmax(scores if mask is None else scores + mask, -1), v)


class Model:
    """Blocks of a transformer; the cache of a decoder has its place for the new position at the end."""

    def __init__(self, config, kind, dtype):
        self.dtype, self.kind, self.llama = dtype, kind, config["model_type"] == "llama"
        self.hidden = config.get("hidden_size", config.get("n_embd"))
        self.heads = config.get("num_attention_heads", config.get("n_head"))
        self.groups = config.get("num_key_value_heads", self.heads)
        self.inner = config.get("intermediate_size") or 4 * self.hidden
        self.size = self.hidden // self.heads
        wide = (self.heads + 2 * self.groups) * self.size
        up = self.inner * (2 if self.llama else 1)
        self.layers = [[self.linear(wide, self.hidden), self.linear(self.hidden, self.hidden),
                        self.linear(up, self.hidden), self.linear(self.hidden, self.inner)]
                       for _ in range(config.get("num_hidden_layers", config.get("n_layer")))]
        self.ones = torch.ones(self.hidden, dtype=dtype)
        self.head = self.linear(config.get("vocab_size", 1000), self.hidden)

    def linear(self, rows, columns):
        bias = None if self.llama else torch.zeros(rows, dtype=self.dtype)
        return (torch.randn(rows, columns) * 0.02).to(self.dtype), bias

    def norm(self, x):
        if self.llama:
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.ones
        return F.layer_norm(x, (self.hidden,), self.ones, self.ones)

    def rotate(self, x, angles):
        half = x.shape[-1] // 2
        return x * angles[0] + torch.cat((-x[..., half:], x[..., :half]), -1) * angles[1]

    def attention(self, x, layer, mask, cache, angles):
        length = x.shape[0]
        qkv = F.linear(x, *layer[0]).view(length, -1, self.size).transpose(0, 1)
        q, k, v = qkv.split([self.heads, self.groups, self.groups])
        if self.llama:
            q, k = self.rotate(q, angles), self.rotate(k, angles)
        if cache is not None:
            cache[0][:, -length:] = k
            cache[1][:, -length:] = v
            k, v = cache
        if self.groups != self.heads and length == 1:  # the heads of a group as its rows, so that no key is copied
            y = attend(q.reshape(self.groups, -1, self.size), k, v)
            return F.linear(y.reshape(length, self.hidden), *layer[1])
        if self.groups != self.heads:
            k, v = (t.repeat_interleave(self.heads // self.groups, 0) for t in (k, v))
        return F.linear(attend(q, k, v, mask).transpose(0, 1).reshape(length, self.hidden), *layer[1])

    def feed(self, x, layer):
        y = F.linear(x, *layer[2])
        if self.llama:
            gate, up = y.chunk(2, -1)
            return F.linear(F.silu(gate) * up, *layer[3])
        return F.linear(F.gelu(y), *layer[3])

    def run(self, x, mask=None, caches=None, angles=None):
        for i, layer in enumerate(self.layers):
            cache = caches[i] if caches is not None else None
            if self.kind == "bert":
                x = self.norm(x + self.attention(x, layer, mask, cache, angles))
                x = self.norm(x + self.feed(x, layer))
            else:
                x = x + self.attention(self.norm(x), layer, mask, cache, angles)
                x = x + self.feed(self.norm(x), layer)
        return x


def causal(length, dtype):
    return torch.full((length, length), float("-inf")).triu(1).to(dtype)


def prepare_model(work, dtype):
    model = Model(workloads.CONFIGS[work.model], work.kind, dtype)
    length = 1 if work.kind == "decode" else work.sizes["S"]
    x = torch.randn(length, model.hidden).to(dtype)
    angles = torch.rand(2, length, model.size).to(dtype)
    if work.kind == "bert":
        return lambda: model.run(x)
    if work.kind == "vit":
        image, patches = torch.randn(1, 3, 224, 224).to(dtype), (torch.randn(768, 3, 16, 16) * 0.02).to(dtype)
        first = x[:1]
        return lambda: F.linear(model.run(torch.cat(
            (first, F.conv2d(image, patches, stride=16).flatten(2)[0].t()), 0))[:1], *model.head)
    if work.kind == "prefill":
        mask = causal(length, dtype)
        return lambda: F.linear(model.run(x, mask, None, angles)[-1:], *model.head)
    caches = torch.randn(len(model.layers), 2, model.groups, work.sizes["S"] + 1, model.size).to(dtype)
    return lambda: F.linear(model.run(x, None, caches, angles), *model.head)


def prepare(work, element, threads):
    if element not in ("f32", "bf16"):
        raise worker.Missing(f"not timed in {element}")
    dtype = torch.float32 if element == "f32" else torch.bfloat16
    torch.set_num_threads(threads)
    if work.model in workloads.CONFIGS:
        return prepare_model(work, dtype)
    if work.kind == "attention":
        q, k, v = torch.randn(3, 12, work.sizes["S"], 64).to(dtype)
        mask = causal(work.sizes["S"], dtype) if work.sizes["causal"] else None
        return lambda: attend(q, k, v, mask)
    if work.kind == "product":
        x, w = (torch.randn(work.sizes[a], work.sizes[b]).to(dtype) for a, b in ("MK", "NK"))
        return lambda: F.linear(x, w)
    x = torch.randn(work.sizes["M"], work.sizes["N"]).to(dtype)
    if work.kind == "softmax":
        return lambda: torch.softmax(x, -1)
    ones = torch.ones(work.sizes["N"], dtype=dtype)
    return lambda: F.layer_norm(x, (work.sizes["N"],), ones, ones)


if __name__ == "__main__":
    torch.set_grad_enabled(False)
    worker.serve(prepare, torch.__version__)
