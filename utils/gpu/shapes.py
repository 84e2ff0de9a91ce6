"""The products and attentions that GPU code is timed on, as Weft texts with their arithmetic, their bytes and what they
should reach. Inputs, and results of products, are of one type, sums f32. What matters most comes first: a run may end early."""
import fnmatch
from typing import NamedTuple

SIZE = {"f32": 4, "bf16": 2}

PRODUCT = """model Product() {{
  dim M = {M}, K = {K}, N = {N}
  input x: {stored}[M, K], w: {stored}[N, K]
  output y[m, n]{result} = sum(k) x[m, k] * w[n, k]
}}
"""
# B sequences; H heads, of which each group of H / G shares its keys.
ATTENTION = """model Attention() {{
  dim B = {B}, T = {T}, S = {S}, H = {H}, G = {G}, D = {D}
  input q: {stored}[B, T, H, D], k: {stored}[B, S, G, D], v: {stored}[B, S, G, D]{bias}
  z[b, h, t, s] = (sum(c) q[b, t, h, c] * k[b, s, h // (H // G), c]) * {scale}
  p[b, h, t, s] = softmax(s{where}) {score}
  output y[b, t, h, c]{result} = sum(s) p[b, h, t, s] * v[b, s, h // (H // G), c]
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
# TFLOP/s published for an H100 in bf16: of cuBLAS at M = N = K; of FlashAttention 3, read off its paper's plots, at LENGTHS.
CUBLAS = {4096: 716, 8192: 795}
LENGTHS = (512, 1024, 2048, 4096, 8192, 16384)
FLASH = {("full", 64): (333, 392, 460, 476, 496, 497), ("full", 128): (467, 565, 625, 638, 646, 648),
         ("full", 256): (482, 639, 707, 736, 746, 756), ("causal", 128): (292, 423, 521, 579, 602, 616),
         ("causal", 256): (286, 427, 537, 612, 628, 642)}
# What a run on a new machine should know first.
FIRST = ("product 8192*", "product 4096*", "attention * 4x4096x4096 * of 128", "attention * 1x16384x16384 * of 128",
         "decode 8x8192 *", "decode 1x131072 *", "product 1x4096x*", "product 8x4096x4096")


class Shape(NamedTuple):
    name: str
    kind: str       # product or attention
    sizes: dict
    variant: str
    flops: float
    read: float     # numbers, at least
    written: float

    def text(self, element):
        stored = "" if element == "f32" else element
        if self.kind == "product":
            return PRODUCT.format(stored=stored, result=f": {stored}" if stored else "", **self.sizes)
        where, score, bias = VARIANTS[self.variant]
        return ATTENTION.format(stored=stored, result=f": {stored}" if stored else "", where=where, score=score, bias=bias, scale=self.sizes["D"] ** -0.5, **self.sizes)

    def is_first(self):
        return any(fnmatch.fnmatch(self.name, pattern) for pattern in FIRST)

    def bytes(self, element):
        return SIZE[element] * (self.read + self.written)

    def streams(self):
        """Whether memory bounds it and not arithmetic."""
        return self.sizes.get("M", self.sizes.get("T")) <= 8

    def rate(self, element, milliseconds):
        """GB/s or TFLOP/s, the number and the unit."""
        if self.streams():
            return 1e-6 * self.bytes(element) / milliseconds, "GB/s"
        return 1e-9 * self.flops / milliseconds, "TFLOP/s"

    def published(self):
        """TFLOP/s in bf16, or None."""
        if self.kind == "product":
            return CUBLAS.get(self.sizes["K"]) if len(set(self.sizes.values())) == 1 else None
        found = FLASH.get((self.variant, self.sizes["D"]), ())
        is_known = self.sizes["H"] == self.sizes["G"] and self.sizes["T"] == self.sizes["S"]
        return dict(zip(LENGTHS, found)).get(self.sizes["T"]) if is_known else None

    def target(self, element, rate):
        """What it should reach, and where that is a number how far it is."""
        if self.streams():
            return "90 % of the copy"
        if element != "bf16":
            return ""
        if self.published():
            return f"{self.published()} TFLOP/s ({100 * rate / self.published():.0f} %)"
        if self.kind == "product":
            return "cuBLASLt"
        return "FlashAttention 3" if self.variant in ("full", "causal") else "FlexAttention"


def product(m, k, n):
    return Shape(f"product {m}x{k}x{n}", "product", {"M": m, "K": k, "N": n}, "", 2.0 * m * k * n, m * k + k * n, m * n)


def attention(variant, b, t, s, h, g, d, what="attention"):
    pairs = t * s * (0.5 if variant != "full" and variant != "T5 bias" and t == s else 1)
    if variant == "window":
        pairs = min(pairs, 256 * t)
    length = f"{variant} {b}x{t}x{s}" if what == "attention" else f"{b}x{s}"
    name = f"{what} {length} heads {h}/{g} of {d}"
    return Shape(name, "attention", {"B": b, "T": t, "S": s, "H": h, "G": g, "D": d}, variant, 4.0 * b * h * d * pairs,
                 b * d * (t * h + 2 * s * g), b * d * t * h)


def all_shapes():
    yield from (product(n, n, n) for n in (8192, 4096))
    for k, n in ((4096, 4096), (4096, 14336), (768, 3072), (768, 50257)):
        yield from (product(m, k, n) for m in (1, 8, 16, 64, 256, 1024, 2048))
    for d in (128, 64, 256):
        for length in LENGTHS:
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
