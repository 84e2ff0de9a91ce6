"""The kernels that utils/mutate_gpu.py changes, in shapes that notice: several tiles, stages and blocks, sizes that none of them divides."""
from typing import NamedTuple

PRODUCT = """model Product() {
  dim M = %(M)d, K = %(K)d, N = %(N)d
  input x: [M, K], w: [%(W)s]
  output y[m, n] = sum(k) x[m, k] * w[%(w)s]
}
"""
CODES = """model Codes() {
  dim M = %(M)d, K = %(K)d, N = %(N)d
  input x: [M, K]
  param w: [N, K]
  y[m, n] = sum(k) x[m, k] * w[n, k]
  output z[m, n] = softmax(n) y[m, n]
}
"""
ATTENTION = """model Attention() {
  dim T = %(T)d, S <= %(S)d, H = %(H)d, G = %(G)d, C = %(C)d, V = %(V)d
  input q: [T, H, C], k: [S, G, C], v: [S, G, V]
  score[h, t, s] = sum(c) q[t, h, c] * k[s, h // (H // G), c] / 4.0
  weight[h, t, s] = softmax(s where %(where)s) score[h, t, s]
  output y[t, h, c] = sum(s) weight[h, t, s] * v[s, h // (H // G), c]
}
"""
SUMS = """model Sums() {
  dim T = %(T)d, H = 2, C = %(C)d, V = 40, D = %(D)d
  input q: [T, H, C], k: [T, H, C], v: [T, H, V], near: [T, H, D], far: [T, D]
  score[h, t, s] = (sum(c) q[t, h, c] * k[s, h, c]) / 4.0 + (sum(d) near[t, h, d] * far[s, d] * abs(t - s)) / 64.0
  weight[h, t, s] = softmax(s where s <= t and t - s < %(R)d) score[h, t, s]
  output y[t, h, c] = sum(s) weight[h, t, s] * v[s, h, c]
}
"""
EPILOGUE = """model Epilogue() {
  dim M = %(M)d, K = %(K)d, N = %(N)d
  input x: [M, K], w: [N, K], r: [M, N], o: [8, N]
  h[m, n] = (sum(k) x[m, k] * w[n, k]) * 0.5 + r[m, n]
  output y[m, c] = sum(n) h[m, n] * o[c, n]
}
"""
CACHED = """model Cached() {
  dim T <= 90, V = 13, D = 16
  input ids: int[T]
  param table: [V, D], q: [2, D, D], k: [D, D], v: [D, D], o: [D, 2, D]
  x[t, d] = table[ids[t], d]
  query[h, t, c] = sum(d) x[t, d] * q[h, c, d]
  key[t, c] = sum(d) x[t, d] * k[c, d]
  value[t, c] = sum(d) x[t, d] * v[c, d]
  weight[h, t, s] = softmax(s where s <= t and t - s < 71) (sum(c) query[h, t, c] * key[s, c])
  context[h, t, c] = sum(s) weight[h, t, s] * value[s, c]
  y[t, d] = x[t, d] + (sum(h, c) context[h, t, c] * o[d, h, c])
  output logits[t, v] = sum(d) y[t, d] * table[v, d]
  generate logits over T
}
"""
ROW = """model Row() {
  dim T = 3, N = %(N)d
  input x: [T, N]
  output y[t, n] = softmax(n) x[t, n]
}
"""


class Kernel(NamedTuple):
    name: str
    text: str
    inputs: dict
    entries: list
    flags: list = []
    harmless: dict = {}  # code whose change cannot matter: why
    march: str = "sm_80"
    arguments: list = []  # of weft-run
    seeds: int = 1  # orders of threads, all of which have to give the same
    processors: int = 2  # few, so that blocks that take tiles in turn take several


def product(name, m, k, n, flags, across=False, combined=False):
    order = "K, N" if across else "N, K"
    text = PRODUCT % {"M": m, "K": k, "N": n, "W": order, "w": order.lower()}
    return Kernel(name, text, {"x": [m, k], "w": [k, n] if across else [n, k]},
                  ["y_contract"] + (["y_contract_combine"] if combined else []), flags)


def codes(name, m, k, n, flags, combined=False):
    text = CODES % {"M": m, "K": k, "N": n}
    entries = ["y_contract"] + (["y_contract_combine"] if combined else [])
    whole = {r"setp\.lt\.u(32|64)[^;]*, %d;" % k: "a bound of groups, which none of the changes reaches, looks as that of single k, which other kernels have"}
    return Kernel(name, text, {"x": [m, k]}, entries, [*flags, "--random-weights", "--embed-weights"], whole)


def attention(name, where, sizes, keys, flags, entries=("y_attention",), harmless={}):
    text = ATTENTION % {**sizes, "where": where}
    shapes = {"q": [sizes["T"], sizes["H"], sizes["C"]], "k": [keys, sizes["G"], sizes["C"]], "v": [keys, sizes["G"], sizes["V"]]}
    return Kernel(name, text, shapes, list(entries), flags, harmless)


def sums(name, t, c, d, flags, reach=41):
    """Attention whose scores have sums of their own, over `d` elements."""
    shapes = {"q": [t, 2, c], "k": [t, 2, c], "v": [t, 2, 40], "near": [t, 2, d], "far": [t, d]}
    return Kernel(name, SUMS % {"T": t, "C": c, "D": d, "R": reach}, shapes, ["y_attention"], flags, LAST_WAIT)


def epilogue(name, m, k, n, flags):
    """A product of which the results have the 16 bits that the next one multiplies."""
    return Kernel(name, EPILOGUE % {"M": m, "K": k, "N": n}, {"x": [m, k], "w": [n, k], "r": [m, n], "o": [8, n]}, ["h_contract"], flags)


LAST_WAIT = {r"cp\.async\.wait_group\s*0;(?!\s*bar)": "what is waited for behind the last tile are keys that do not exist: no bytes"}
ON_HOPPER = {r"setp\.lt\.s(32|64)[^;]*, 0;": "a quotient is rounded otherwise if it is negative, which no count of steps is",
             r"bar\.sync\s*[34], 256;": "the turns of two groups, which make them faster"}


def on_hopper(*shapes):
    """The kernel of this chip alone, whose blocks take tiles in turn: in these shapes, in other orders of threads, and a tile for each block."""
    def variant(kernel, **fields):
        entries = [entry + "_sm_90a" for entry in kernel.entries]
        return kernel._replace(name=kernel.name + "-sm90", entries=entries, march="sm_90a", harmless=ON_HOPPER, **fields)
    first = shapes[0]
    return [variant(first), variant(first, processors=8), *(variant(shape, processors=1) for shape in shapes[1:]),
            variant(first, processors=1, seeds=10)]


# Rows end in the first sixteen of a warp, in the second; heads fill their tiles or do not.
KERNELS = [
    product("product-bf16", 70, 168, 72, ["--dtype=bf16"]),
    product("product-bf16", 89, 168, 72, ["--dtype=bf16"]),
    product("product-across", 70, 168, 72, ["--dtype=f16"], across=True),
    product("product-across", 89, 168, 72, ["--dtype=f16"], across=True),
    product("product-f32", 70, 84, 72, []),
    product("product-f32", 89, 84, 72, []),
    product("product-tf32", 70, 84, 72, ["--compute=tf32"]),
    product("product-tf32", 89, 84, 72, ["--compute=tf32"]),
    product("product-parts", 15, 264, 72, ["--dtype=bf16"], combined=True),
    product("product-parts", 25, 264, 72, ["--dtype=bf16"], combined=True),
    codes("product-int4", 70, 288, 72, ["--store=int4", "--compute=int8"]),
    codes("product-int4", 89, 288, 104, ["--store=int4", "--compute=int8"]),
    codes("product-int4-parts", 15, 1056, 72, ["--store=int4", "--compute=int8"], combined=True),
    codes("product-int8", 70, 272, 72, ["--store=int8", "--compute=int8"]),
    codes("product-int8", 89, 272, 104, ["--store=int8", "--compute=int8"]),
    codes("product-int8-parts", 15, 1072, 72, ["--store=int8", "--compute=int8"], combined=True),
    codes("product-fp8", 70, 104, 72, ["--store=fp8"]),
    codes("product-fp8", 89, 104, 104, ["--store=fp8"]),
    codes("product-nf4", 70, 104, 72, ["--store=nf4,group=row"]),
    codes("product-nf4", 89, 104, 104, ["--store=nf4,group=row"]),
    codes("product-few-int4", 3, 1184, 26, ["--store=int4", "--compute=int8"]),
    codes("product-few-int4", 3, 4224, 13, ["--store=int4", "--compute=int8"]),
    codes("product-few-int4", 2, 4224, 13, ["--store=int4", "--compute=int8"]),
    codes("product-few-nf4", 3, 1184, 26, ["--store=nf4,group=32"]),
    codes("product-few-nf4", 3, 4224, 13, ["--store=nf4,group=32"]),
    codes("product-few-nf4", 2, 4224, 13, ["--store=nf4,group=32"]),
    product("product-few", 2, 264, 70, ["--dtype=bf16"]),
    product("product-few-f32", 3, 1184, 70, []),
    product("product-few-f32", 3, 4104, 17, []),
    product("product-few-f32", 5, 4104, 17, []),
    attention("attention", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 2, "G": 1, "C": 24, "V": 40}, 150, ["--dtype=bf16"], harmless=LAST_WAIT),
    attention("attention-wide", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 1, "G": 1, "C": 192, "V": 24}, 150, ["--dtype=bf16"], harmless=LAST_WAIT),
    attention("attention-wide-values", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 1, "G": 1, "C": 24, "V": 200}, 150, ["--dtype=f16"], harmless=LAST_WAIT),
    sums("attention-sums", 150, 24, 32, ["--dtype=bf16"]),
    sums("attention-sums-f32", 130, 24, 32, []),
    sums("attention-sums-f32", 130, 32, 32, []),
    attention("attention-f32", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 2, "G": 1, "C": 24, "V": 40}, 150, [], harmless=LAST_WAIT),
    attention("attention-f32", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 2, "G": 1, "C": 32, "V": 32}, 150, [], harmless=LAST_WAIT),
    attention("attention-f32-narrow", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 2, "G": 1, "C": 16, "V": 13}, 150, [], harmless=LAST_WAIT),
    attention("attention-f32-narrow", "s <= t and t - s < 41", {"T": 150, "S": 150, "H": 2, "G": 1, "C": 12, "V": 16}, 150, [], harmless=LAST_WAIT),
    attention("attention-f32-wide", "s <= t and t - s < 41", {"T": 130, "S": 130, "H": 1, "G": 1, "C": 150, "V": 24}, 130, [], harmless=LAST_WAIT),
    attention("attention-f32-wide", "s <= t and t - s < 41", {"T": 130, "S": 130, "H": 1, "G": 1, "C": 32, "V": 160}, 130, [], harmless=LAST_WAIT),
    attention("decode", "s >= S / 90 and s < S - 1", {"T": 1, "S": 300, "H": 4, "G": 2, "C": 12, "V": 24}, 298, [],
              ("y_attention", "y_attention_combine")),
    attention("decode-bf16", "s >= S / 90 and s < S - 1", {"T": 1, "S": 300, "H": 4, "G": 2, "C": 12, "V": 24}, 298, ["--dtype=bf16"],
              ("y_attention", "y_attention_combine")),
    Kernel("decode-cached", CACHED, {"ids": [90]}, ["context_attention_2_1", "context_attention_2_1_combine"],
           ["--cache=bf16", "--random-weights", "--embed-weights"], arguments=["--chunks=86,4"]),
    *on_hopper(*(product("product-bf16", 130, k, n, ["--dtype=bf16"]) for k, n in ((328, 72), (712, 104)))),
    *on_hopper(*(product("product-across", 130, k, n, ["--dtype=f16"], across=True) for k, n in ((328, 72), (712, 104)))),
    *on_hopper(*(product("product-tf32", 130, k, n, ["--compute=tf32"]) for k, n in ((164, 72), (356, 104)))),
    *on_hopper(*(epilogue("product-epilogue", 130, k, n, ["--dtype=bf16"]) for k, n in ((328, 72), (712, 104)))),
    *on_hopper(*(attention("attention", where, {"T": t, "S": t, "H": 2, "G": 1, "C": 24, "V": 40}, t, ["--dtype=bf16"])
                 for t, where in ((140, "s <= t and t - s < 141"), (518, "s <= t and t - s < 480")))),
    *on_hopper(*(attention("attention-wide", where, {"T": t, "S": t, "H": 1, "G": 1, "C": 136, "V": 24}, t, ["--dtype=bf16"])
                 for t, where in ((140, "s <= t and t - s < 141"), (518, "s <= t and t - s < 480")))),
    *on_hopper(*(sums("attention-sums", t, 24, 32, ["--dtype=f16"], reach) for t, reach in ((140, 41), (290, 270)))),
    Kernel("row-warp", ROW % {"N": 997}, {"x": [3, 997]}, ["y_softmax"]),
    Kernel("row-block", ROW % {"N": 4999}, {"x": [3, 4999]}, ["y_softmax"]),
]
