"""PyTorch's kernels: products, SDPA as it chooses, SDPA by cuDNN alone, and FlexAttention."""
from baselines import Baseline
from pytorch import TYPES, compile_anew, torch


def factors(shape, element, heads_first=True):
    """q, k and v; PyTorch has heads before positions, FlashAttention behind them, as Weft."""
    b, t, s, h, g, d = (shape.sizes[name] for name in "BTSHGD")
    extents = [(b, h, t, d), (b, g, s, d), (b, g, s, d)] if heads_first else [(b, t, h, d), (b, s, g, d), (b, s, g, d)]
    return [torch.randn(*one, device="cuda", dtype=TYPES[element]) for one in extents]


def relative_bias(shape):
    """T5's: a number for each head and distance."""
    return torch.randn(shape.sizes["H"], shape.sizes["T"] + shape.sizes["S"], device="cuda")


def product(shape, element):
    if shape.kind != "product":
        return None
    x, w = (torch.randn(shape.sizes[one], shape.sizes["K"], device="cuda", dtype=TYPES[element]) for one in "MN")
    return lambda: torch.nn.functional.linear(x, w)


def attend(shape, element):
    """Scaled dot product attention; a bias is a mask of all scores, as no shorter form is taken."""
    if shape.kind != "attention" or shape.variant not in ("full", "causal", "T5 bias"):
        return None
    q, k, v = factors(shape, element)
    told = {"is_causal": shape.variant == "causal"}
    if shape.sizes["H"] != shape.sizes["G"]:
        told["enable_gqa"] = True
    if shape.variant == "T5 bias":
        t, s = (torch.arange(shape.sizes[name], device="cuda") for name in "TS")
        bias = relative_bias(shape).to(q.dtype)
        told["attn_mask"] = bias[:, s[None, :] - t[:, None] + shape.sizes["T"] - 1][None]
    return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, **told)


def cudnn(shape, element):
    if element == "f32":
        return None  # cuDNN's attention is of 16 bits
    from torch.nn.attention import SDPBackend, sdpa_kernel
    work = attend(shape, element)

    def run():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            work()
    return run if work else None


def flex(shape, element):
    if shape.kind != "attention" or shape.variant in ("full", "causal"):
        return None
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    t, s, heads, variant = shape.sizes["T"], shape.sizes["S"], shape.sizes["H"], shape.variant
    bias = relative_bias(shape) if variant == "T5 bias" else None

    def mask(_b, _h, i, j):
        return (j <= i) & (i - j < 256) if variant == "window" else j <= i

    def score(z, _b, h, i, j):
        if variant == "ALiBi":
            return z - (h + 1) / heads * (i - j)
        if variant == "T5 bias":
            return z + bias[h, j - i + t - 1]
        return 30 * torch.tanh(z / 30)
    told = {} if variant == "T5 bias" else {"block_mask": create_block_mask(mask, None, None, t, s, device="cuda")}
    if variant != "window":
        told["score_mod"] = score
    if heads != shape.sizes["G"]:
        told["enable_gqa"] = True
    q, k, v = factors(shape, element)
    compiled = compile_anew(flex_attention)
    return lambda: compiled(q, k, v, **told)


def find(_device):
    kinds = {"PyTorch": product, "SDPA": attend, "cuDNN": cudnn, "FlexAttention": flex}
    return [Baseline(name, kind) for name, kind in kinds.items()]
