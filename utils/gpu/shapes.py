"""The work that GPU code is timed on, as Weft texts with their arithmetic and bytes. Inputs are those of a type on the device;
sums are f32."""
import os
import sys
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers"))
import workloads  # noqa: E402

PRODUCT = """model Product() {{
  dim M = {M}, K = {K}, N = {N}
  input x: {stored}[M, K], w: {stored}[N, K]
  output y[m, n] = sum(k) x[m, k] * w[n, k]
}}
"""
# B sequences; H heads, of which each group of H / G shares its keys.
ATTENTION = """model Attention() {{
  dim B = {B}, T = {T}, S = {S}, H = {H}, G = {G}, D = {D}
  input q: {stored}[B, T, H, D], k: {stored}[B, S, G, D], v: {stored}[B, S, G, D]{bias}
  z[b, h, t, s] = (sum(c) q[b, t, h, c] * k[b, s, h // (H // G), c]) * {scale}
  p[b, h, t, s] = softmax(s{where}) {score}
  output y[b, t, h, c] = sum(s) p[b, h, t, s] * v[b, s, h // (H // G), c]
}}
"""
# Name: what is asked of s, the score, one more input.
VARIANTS = {
    "full": ("", "z[b, h, t, s]", ""),
    "causal": (" where s <= t", "z[b, h, t, s]", ""),
    "window": (" where s <= t and t - s < 256", "z[b, h, t, s]", ""),
    "ALiBi": (" where s <= t", "(z[b, h, t, s] - (h + 1) / H * (t - s))", ""),
    "softcap": (" where s <= t", "(30 * tanh(z[b, h, t, s] / 30))", ""),
    "T5 bias": ("", "(z[b, h, t, s] + bias[h, s - t + T - 1])", ", bias: [H, T + S]"),
}


class Shape(NamedTuple):
    name: str
    kind: str       # product or attention
    sizes: dict
    variant: str
    flops: float
    bytes: float    # read and written in bf16, at least

    def text(self, element):
        stored = "" if element == "f32" else element
        if self.kind == "product":
            return PRODUCT.format(stored=stored, **self.sizes)
        where, score, bias = VARIANTS[self.variant]
        return ATTENTION.format(stored=stored, where=where, score=score, bias=bias, scale=self.sizes["D"] ** -0.5,
                                **self.sizes)

    def streams(self):
        """Whether memory bounds it and not arithmetic."""
        return self.sizes.get("M", self.sizes.get("T")) <= 8


def product(m, k, n):
    return Shape(f"product {m}x{k}x{n}", "product", {"M": m, "K": k, "N": n}, "", 2.0 * m * k * n,
                 2.0 * (m * k + k * n + m * n))


def attention(variant, b, t, s, h, g, d, what="attention"):
    pairs = t * s * (0.5 if variant != "full" and variant != "T5 bias" and t == s else 1)
    if variant == "window":
        pairs = min(pairs, 256 * t)
    name = f"{what} {variant} {b}x{t}x{s} heads {h}/{g} of {d}" if what == "attention" else f"{what} {b}x{s} heads {h}/{g} of {d}"
    return Shape(name, "attention", {"B": b, "T": t, "S": s, "H": h, "G": g, "D": d}, variant, 4.0 * b * h * d * pairs,
                 2.0 * b * d * (2 * t * h + 2 * s * g))


def all_shapes():
    yield from (product(n, n, n) for n in (4096, 8192))
    for k, n in ((4096, 4096), (4096, 14336), (768, 3072), (768, 50257)):
        yield from (product(m, k, n) for m in (1, 8, 16, 64, 256, 1024, 2048))
    for d in (64, 128, 256):
        for length in (512, 1024, 2048, 4096, 8192, 16384):
            for variant in ("full", "causal"):
                yield attention(variant, 16384 // length, length, length, 2048 // d, 2048 // d, d)
    yield attention("causal", 4, 4096, 4096, 32, 8, 128)
    for variant in ("window", "ALiBi", "softcap", "T5 bias"):
        yield attention(variant, 4, 4096, 4096, 16, 16, 128)
    for batch in (1, 8, 32):
        for length in (1024, 8192, 131072):
            yield attention("full", batch, 1, length, 32, 8, 128, "decode")


def tiny_shapes():
    """Odd sizes, for a look at whether all of this runs."""
    yield product(3, 13, 7)
    for variant in VARIANTS:
        yield attention(variant, 2, 13, 13, 4, 2, 8)
    yield attention("full", 2, 1, 19, 4, 2, 8, "decode")


MODELS = ("GPT-2 prefill 512", "GPT-2 decode at 512", "TinyLlama prefill 512", "TinyLlama decode at 512")


def models():
    return [workloads.find(name) for name in MODELS]
