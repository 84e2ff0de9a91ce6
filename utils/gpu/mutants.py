"""The kernels that utils/mutate_gpu.py changes, in shapes that notice: several tiles, stages and blocks, sizes that none of them divides."""
import math
from typing import NamedTuple, Optional

PRODUCT = """model Product() {
  dim M %(M)s, K = %(K)d, N = %(N)d
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
UNITS = """model Units() {
  dim T = 1, S <= %(S)d, H = 4, G = %(G)d, C = 24, V = 24
  input %(inputs)s
  score[h, t, s] = sum(c) q[t, h, c] * k[s, h // (H // G), c] / 4.0
  weight[h, t, s] = softmax(s where s >= S / 90 and s < S - 1) score[h, t, s]
  output y[t, h, c] = sum(s) weight[h, t, s] * v[s, h // (H // G), c]
}
"""
ATTENTION = """model Attention() {
  dim T = %(T)d, S <= %(S)d, H = %(H)d, G = %(G)d, C = %(C)d, V = %(V)d
  input %(inputs)s
  score[h, t, s] = sum(c) q[t, h, c] * k[s, h // (H // G), c] / 4.0
  weight[h, t, s] = softmax(s where %(where)s) score[h, t, s]
  output y[t, h, c] = sum(s) weight[h, t, s] * v[s, h // (H // G), c]
}
"""
SUMS = """model Sums() {
  dim T = %(T)d, S = %(S)d, H = %(H)d, G = %(G)d, C = %(C)d, V = 40, D = %(D)d
  input %(inputs)s
  score[h, t, s] = (sum(c) q[t, h, c] * k[s, h // (H // G), c]) / 4.0 + (sum(d) near[t, h, d] * far[s, d] * abs(t - s)) / 64.0
  weight[h, t, s] = softmax(s where %(where)s) score[h, t, s]
  output y[t, h, c] = sum(s) weight[h, t, s] * v[s, h // (H // G), c]
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
  dim T <= %(T)d, V = 13, D = 8
  input ids: int[T]
  param table: [V, D], q: [2, D, D], k: [D, D], v: [D, D], o: [D, 2, D]
  x[t, d] = table[ids[t], d]
  query[h, t, c] = sum(d) x[t, d] * q[h, c, d]
  key[t, c] = sum(d) x[t, d] * k[c, d]
  value[t, c] = sum(d) x[t, d] * v[c, d]
  weight[h, t, s] = softmax(s where s <= t and t - s < %(window)d) ((sum(c) query[h, t, c] * key[s, c]) - 200.0)
  context[h, t, c] = sum(s) weight[h, t, s] * value[s, c]
  y[t, d] = x[t, d] + (sum(h, c) context[h, t, c] * o[d, h, c])
  output logits[t, v] = sum(d) y[t, d] * table[v, d]
  generate logits over T
}
"""
CHOICE = """model Choice() {
  dim T <= 700, K = %(K)d, N = %(N)d, E = %(E)d
  input x: [T, K], ids: int[T], w: [E, N, K]
  by[t] = ids[t] // %(each)d
  output y[t, n] = sum(k) x[t, k] * w[by[t], n, k]
}
"""
JOINED = """model Joined() {
  dim T = %(T)d, D = 1160, H = 4, C = 30, E = 57
  input x: [T, D], cs: [T, C], sn: [T, C]
  param wq: [H, C, D], wk: [C, 2, D], wv: [E, D]
  q[t, h, c] = sum(d) x[t, d] * wq[h, c, d]
  k[t, i, c] = sum(d) x[t, d] * wk[c, i, d]
  v[t, e] = sum(d) x[t, d] * wv[e, d]
  output rq[t, h, c] = q[t, h, c] * cs[t, c] + q[t, h, (c + 15) %% C] * sn[t, c]
  output rk[t, i, c] = k[t, i, c] * cs[t, c] + k[t, i, (c + 15) %% C] * sn[t, c]
  output rv[e, t] = v[t, e] * v[t, e]
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
    harmless: dict = {}  # code whose change cannot matter, behind a kind where it is changes of that alone: why
    march: str = "sm_80"
    arguments: list = []  # of weft-run
    seeds: int = 1  # orders of threads, all of which have to give the same
    processors: int = 2  # few, so that blocks that take tiles in turn take several
    bounds: Optional[bool] = None  # comparisons, minima and maxima are all that is changed, or (False) are not
    infinite: bool = False  # every other row of the inputs begins with infinity, which zeros do not hide


def of_tiles(m, n, combined=False):
    """What cannot matter where tiles of rows and columns are copied, at most so many, or parts of k."""
    parts = {r"comparison: setp\.(lt|ge)\.u32": "every part has several tiles; one more is not multiplied, or is zeros",
             r"min\.u32\s[^;]*, \d+;(?=\s*add)": "the same"} if combined else {}
    return {r"min\.u(32|64)\s[^;]*, (%d|%d|%d|%d);" % (m - 1, n - 1, n - 2, n - 8): "of a row that does not exist 0 bytes are copied, or it is not written",
            r"cp\.async\.c[ag][^;]*;(?=[^$]*(bra\s+\$L__BB\w+;\n\t[^$]*)?\n\$L__BB)":
            "the first tiles have all of their k; of a row that does not exist nothing is written", **parts}


def product(name, m, k, n, flags, across=False, combined=False, infinite=False, rows=None):
    """Of `rows` that are known at run time only, columns are in wide tiles or in narrow ones, as there are enough."""
    order = "K, N" if across else "N, K"
    text = PRODUCT % {"M": rows or f"= {m}", "K": k, "N": n, "W": order, "w": order.lower()}
    return Kernel(name, text, {"x": [m, k], "w": [k, n] if across else [n, k]},
                  ["y_contract"] + (["y_contract_combine"] if combined else []), flags, of_tiles(m, n, combined),
                  infinite=infinite)


def codes(name, m, k, n, flags, combined=False, infinite=False, harmless={}):
    text = CODES % {"M": m, "K": k, "N": n}
    entries = ["y_contract"] + (["y_contract_combine"] if combined else [])
    whole = {r"setp\.lt\.u(32|64)[^;]*, %d;" % k: "a bound of groups, which none of the changes reaches, looks as that of single k, which other kernels have",
             r"cp\.async\.ca[^;]*, 4, %r\d+;": "codes and what they share are finite; the other factor has zeros behind k"}
    return Kernel(name, text, {"x": [m, k]}, entries, [*flags, "--random-weights", "--embed-weights"],
                  {**of_tiles(m, n, combined), **whole, **harmless}, infinite=infinite)


def behind(rows):
    places = "|".join(str(rows - 1 - distance) for distance in (0, 8, 32, 64, 96))
    return {r"min\.[su]32[^;]*, (%s);" % places:
            "a row that does not exist is not written; what is read of it lies in memory here"}


def attention(name, where, sizes, keys, flags, entries=("y_attention",), harmless=None, order="qkv"):
    """`order` of the inputs: what is read behind the last of them lies in the results."""
    inputs = {"q": "q: [T, H, C]", "k": "k: [S, G, C]", "v": "v: [S, G, V]"}
    text = ATTENTION % {**sizes, "where": where, "inputs": ", ".join(inputs[one] for one in order)}
    shapes = {"q": [sizes["T"], sizes["H"], sizes["C"]], "k": [keys, sizes["G"], sizes["C"]], "v": [keys, sizes["G"], sizes["V"]]}
    harmless = {**MASKED, **(behind(sizes["T"] * sizes["H"]) if flags else {})} if harmless is None else harmless
    return Kernel(name, text, shapes, list(entries), flags, harmless)


def sums(name, d, flags, t, where, keys, heads=2, groups=None, c=24, order="qkvnf"):
    """Attention whose scores have sums of their own, over `d` elements. `order` as of others."""
    inputs = {"q": "q: [T, H, C]", "k": "k: [S, G, C]", "v": "v: [S, G, V]", "n": "near: [T, H, D]", "f": "far: [S, D]"}
    groups = groups or heads
    shapes = {"q": [t, heads, c], "k": [keys, groups, c], "v": [keys, groups, 40], "near": [t, heads, d], "far": [keys, d]}
    text = SUMS % {"T": t, "S": keys, "H": heads, "G": groups, "C": c, "D": d, "where": where, "inputs": ", ".join(inputs[one] for one in order)}
    return Kernel(name, text, shapes, ["y_attention"], flags, {**MASKED, **SUMMED, **({} if flags else LYING)})


def cached(most, window, chunks):
    """Decoding of few queries and of one that attend to a cache."""
    return Kernel("decode-cached", CACHED % {"T": most, "window": window}, {"ids": [sum(map(int, chunks.split(",")))]},
                  ["context_attention_2_1", "context_attention_2_1_combine"], ["--random-weights", "--embed-weights"],
                  {**DECODED, **ONE_PART}, arguments=["--chunks=" + chunks])


def units(keys, most, groups=2, order="qkv"):
    """Decoding on tensor cores. The caches are inputs as they are, so that behind the last of them nothing lies but few results."""
    inputs = {"q": "q: bf16[T, H, C]", "k": "k: bf16[S, G, C]", "v": "v: bf16[S, G, V]"}
    text = UNITS % {"S": most, "G": groups, "inputs": ", ".join(inputs[one] for one in order)}
    shapes = {"q": [1, 4, 24], "k": [keys, groups, 24], "v": [keys, groups, 24]}
    return Kernel("decode-units", text, shapes, ["y_attention", "y_attention_combine"], ["--dtype=bf16"], DECODED)


def choice(rows, each, infinite=False):
    """A product whose rows choose among 13 matrices, or fewer."""
    matrices = math.ceil(13 / each)
    text = CHOICE % {"K": 168, "N": 72, "E": matrices, "each": each}
    return Kernel("product-choice", text, {"x": [rows, 168], "ids": [rows], "w": [matrices, 72, 168]}, ["y_contract"],
                  ["--dtype=bf16"], {**of_tiles(rows, 72), **CHOSEN}, infinite=infinite)


def joined(rows):
    """Three products that are one launch, and two maps."""
    return Kernel("joined", JOINED % {"T": rows}, {"x": [rows, 1160], "cs": [rows, 30], "sn": [rows, 30]},
                  ["q_contract_and_k_contract_and_rv_contract", "rq_map_and_rk_map"],
                  ["--dtype=bf16", "--random-weights", "--embed-weights"],
                  {r"min\.u32[^;]*, (119|59);": "a column that does not exist is not written, and the weights of the next product lie behind"})


def epilogue(name, m, k, n, flags):
    """A product of which the results have the 16 bits that the next one multiplies."""
    return Kernel(name, EPILOGUE % {"M": m, "K": k, "N": n}, {"x": [m, k], "w": [n, k], "r": [m, n], "o": [8, n]}, ["h_contract"], flags)


WHOLE = {r"cp\.async\.cg[^;]*, 16, %r\d+;": "whole numbers behind k are multiplied with the zeros of the other factor"}
AHEAD = {r"clamp: min\.s32[^;]*, (68|100);": "of a column that does not exist the next row's are read, or what lies behind, and nothing is written"}
BEHIND = {r"min\.u32[^;]*, 147;": "words behind the last are read, and not used"}
REACHED = {r"comparison: setp\.le\.s32[^;]*;(?=(\s*setp\.le\.s32[^;]*;)?\s*and\.pred)": "a tile that all rows reach may be masked, too",
           r"comparison: setp\.gt\.s32[^;]*;(?=(\s*setp\.gt\.s32[^;]*;)?(\s*(or|shl)\.b32[^;]*;)*\s*or\.pred)": "the same"}
MASKED = {
    r"cp\.async\.wait_group\s*0;(?!\s*bar)": "what is waited for behind the last tile are keys that do not exist: no bytes",
    **REACHED,
    r"comparison: setp\.(lt|ge)\.s32[^;]*;(?=(\s*mov\.b32[^;]*;)*\s*(@|cvt|ld))":
    "a tile that no row reaches may be visited: all of it is masked",
    r"comparison: setp\.lt\.s32[^;]*;(?=(\s*setp[^;]*;)?\s*selp\.b32[^;]*, (16|8|4), 0,)":
    "one key more may be copied: it is masked",
    r"clamp: min\.s32[^;]*;(?=\s*max\.s32[^;]*, 0;)": "a row whose first key would be behind the last has none",
    r"max\.s32[^;]*, 0;": "so has one whose last key would be before the first",
    r"clamp: m(ax|in)\.s32[^;]*;(?=\s*shfl[^;]*, [84], 31, -1;)(?=([^$]*?shfl\.sync\.bfly){7})":
    "a thread masks what its own rows need, whatever the others of its warp do",
    r"clamp: max\.s32[^;]*;(?=\s*min\.s32[^;]*;\s*(?!shfl))": "the same",
    r"clamp: min\.s32[^;]*, %r\d+;(?=\s*(or|shr|shl|and|bfe|mul\.lo|add\.s64)\b)": "the same"}
DECODED = {
    r"comparison: setp\.(lt|ge)\.s32[^;]*;(?=(\s*mov\.b32[^;]*;)*\s*@)": "keys behind a part's last one are masked",
    r"comparison: setp\.le\.s32[^;]*;(?=\s*or\.pred)": "what a block behind the last row finds is not read",
    r"comparison: setp\.ge\.s32[^;]*;(?=\s*and\.pred[^;]*;(\s*add\.ftz\.f32[^;]*;)?\s*mul\.rn\.ftz\.f32[^;]*;\s*selp)":
    "the second of two keys is not the first of all",
    r"min\.u32[^;]*, \d+;": "of a vector behind a row's last one zeros take the place; a result behind it is not written",
    r"m(in|ax)\.s32[^;]*, [01];": "there are keys, and a first one not behind the last",
    r"max\.u32[^;]*, 1;": "so a part has some, too",
    r"comparison: (?<=, -7;\n\t)setp\.lt\.s32[^;]*;": "the first of the eight parts that are combined at once exists",
    r"comparison: (?<=, 8;\n\t)setp\.lt\.u32[^;]*;": "behind the last eight there are none",
    r"clamp: min\.s32[^;]*;(?=([^;]*;){11}\s*add\.s32[^;]*, -[2-6];)": "five have memory, whether they exist or not",
    r"min\.s32[^;]*;(?=\s*sub\.s32|\s*mad\.lo\.s32[^;]*, 24,|\s*max\.s32[^;]*, 0;|\s*min\.s32[^;]*;\s*max\.s32[^;]*, 0;)":
    "the same"}
CHOSEN = {
    r"comparison: setp\.ge\.u32[^;]*;": "there are no more blocks than tiles",
    r"comparison: setp\.ge\.s32[^;]*;(?=\s*@)": "a tile behind a matrix's last row may be visited: none is listed",
    r"comparison: setp\.lt\.s32[^;]*, %r1;": "a row behind the last counts for no row before it, is listed as rows are that do not exist, and is not written",
    r"clamp: min\.s32[^;]*;(?=\s*mul\.wide\.s32[^;]*, 4;)": "nor does what it chooses count, which lies in memory here",
    r"clamp: min\.s32[^;]*;(?=\s*(mul\.lo\.s32[^;]*, 168;|mul\.lo\.s32[^;]*;\s*mad))": "of a row or column that does not exist 0 bytes are copied"}
SUMMED = {
    r"comparison: setp\.ge\.s32[^;]*;(?=\s*mul\.lo\.s32[^;]*, 40;(\s*mov\.b32[^;]*;)*\s*@)":
    "a tile that no row reaches may be visited: all of it is masked",
    r"clamp: min\.s32\s+(%r\d+), %r\d+, \d+;(?=\s*sub\.s32\s+%r\d+, %r\d+, \1;)": "a distance from a key behind the last: it is masked",
    r"clamp: max\.u32[^;]*, 40;(?=\s*add\.s32[^;]*, -40;\s*add\.s32[^;]*, 1;\s*max\.u32)":
    "if the second of a thread's rows begins before key 0, so does the first, whose bound counts"}
LYING = {r"zeros: cp": "keys that do not exist are masked, and lie in memory here; behind others of f32 are the results"}
COLUMNS = {r"min\.u32[^;]*, 149;": "what is read behind a row is multiplied with zeros"}
ONE_PART = {
    r"clamped: min\.s32[^;]*;(?=(\s*ld\.global[^;]*;)*\s*setp\.ge\.s32[^;]*;\s*mov\.b32[^;]*, 0f00000000;\s*mov\.b32[^;]*, 0fFF61B1E6;)":
    "its first part has all keys; others have several"}
ON_HOPPER = {r"setp\.lt\.s(32|64)[^;]*, 0;": "a quotient is rounded otherwise if it is negative, which no count of steps is",
             r"bar\.sync\s*[34], 256;": "the turns of two groups, which make them faster"}
# Of two tiles of queries one takes the place of another only when the keys behind it have taken that of keys that were read after it.
QUERIES = {
    r"wait: @!ended bra again;(?=[^$]*expect_tx[^$]*bra\.uni\s*\$)": "whoever waited for the place of these keys does not wait for that of the queries",
    r"count: mbarrier\.init[^;]*, 8;(?=(\s*// end inline asm\s*add\.s32[^;]*;\s*// begin inline asm\s*mbarrier\.init[^;]*;){0,2}"
    r"\s*// end inline asm\s*// begin inline asm\s*fence\.mbarrier_init)": "the same"}
# The number of a tile that a block draws is read by all who compute before they release values of the rows before, whose place is needed for those
# of rows that are copied before this number's place is drawn for again; whoever copies exchanges bounds of rows between two numbers.
NUMBERS = {
    **QUERIES,
    r"bar\.warp\.sync\s*-1;(?=\s*(add\.s32[^;]*, 1;\s*setp\.lt\.s32|@%p\d+ bra[^;]*;\s*bra\.uni))": "barriers of products and exchanges of bounds come before",
    r"wait: @!ended bra again;(?=\s*\}\s*// end inline asm\s*add\.s32[^;]*;\s*mul\.wide\.u32[^;]*, 4;)": "so do waits for values",
    r"swizzle: xor\.b32(?=[^;]*, 1;\s*cvt\.u32\.u64)": "the parity of that wait",
    r"count: mbarrier\.init[^;]*, 8;(?=(\s*// end inline asm\s*add\.s32[^;]*;\s*// begin inline asm\s*mbarrier\.init[^;]*;){3,6}"
    r"\s*// end inline asm\s*// begin inline asm\s*fence\.mbarrier_init)": "behind those of queries are those of numbers"}
# Of three boxes of results the first waits for all of the rows before, so before the second one is on its way.
THREE_BOXES = {
    r"wait: cp\.async\.bulk\.wait_group\.read\s*1;(?=\s*// end inline asm\s*bar\.warp[^;]*;\s*(mul[^;]*;\s*){2}st\.shared[^;]*\+198656\])": "of two places",
    r"bar\.warp\.sync\s*-1;(?=\s*(mul[^;]*;\s*){2}st\.shared[^;]*\+198656\])": "the same"}
# Where scores have sums of their own: the first 32 keys of the first tile, as keys are rounded, in code without masks.
AT_FIRST = r"(?=[^$]*\band\.b32[^;]*, -512;\s*shl\.b32[^;]*;\s*or\.b32[^;]*;\s*(add\.s32[^;]*, %r\d+|or\.b32[^;]*, (128|256|384));[^$]*\n\$L)"
# Of Hopper's attention in the first shape of APART (512 rows, 280 keys).
BOUNDED = {
    **ON_HOPPER, **REACHED,
    r"clamp: m(ax|in)\.s32[^;]*;(?=(\s*shfl[^;]*, 8, 31, -1;\s*m(ax|in)\.s32[^;]*;)?\s*shfl[^;]*, 4, 31, -1;"
    r"(?!\s*m(ax|in)\.s32[^;]*;\s*shfl[^;]*, 2,))": "a thread masks what its own rows need, whatever the others of its warp do",
    r"clamp: max\.s32[^;]*;(?=\s*min\.s32[^;]*;\s*(and\.b32[^;]*, 1;\s*shl|shfl[^;]*, 16,))": "the same",
    r"clamp: min\.s32[^;]*;(?=\s*and\.b32[^;]*, 1;\s*(shl\.b32[^;]*, 3;|mul\.wide\.u32[^;]*, 8;))": "the same",
    r"comparison: setp\.le\.s32[^;]*;(?=\s*@%p\d+ bra[^;]*;\s*add\.s32[^;]*, -1;\s*and\.b32[^;]*, 1;)": "a tile that all rows reach may be masked, too",
    r"clamped: min\.s32\s+(%r\d+), %r1, %r\d+;(?=\s*min\.s32[^;]*;\s*min\.s32\s+%r\d+, \1,)": "a row whose first key would be behind the last has none",
    r"clamp: min\.s32[^;]*;(?=\s*min\.relu\.s32)": "a row whose first key would be behind the last has none",
    r"clamp: min\.s32[^;]*, %r1;(?=\s*and\.b32[^;]*, -32;)": "what other threads have is not behind the last key either",
    r"clamp: min\.s32\s+(%r\d+), %r\d+, %r1;(?=\s*min\.s32\s+%r\d+, (\1, %r\d+|%r\d+, \1);)": "nor is what the thread's other rows have",
    r"clamp: max\.s32\s+(%r\d+), %r\d+, 0;(?=[^$]*\bmin\.s32\s+%r\d+, \1, %r1;\s*min\.relu)": "of a row's mask: there is no key before the first",
    r"max\.s32[^;]*, 0;(?=\s*add\.s32[^;]*;\s*shr\.u32[^;]*;\s*m(ax|in)\.u32[^;]*, 1;)": "without a tile of keys this is not reached",
    r"clamp: max\.u32[^;]*, 1;(?=\s*add\.s32[^;]*, -[12];)": "the same",
    r"clamp: max\.s32\s+(%r\d+), %r\d+, -280;(?=\s*min\.s32\s+%r\d+, \1, 0;(?!\s*add\.s32[^;]*, 280;))":
    "of the last key of all: where no row has one, 0 tiles are more than less than 0",
    r"clamp: min\.s32[^;]*, 280;(?=\s*max\.s32[^;]*, -280;)": "a row whose first key would be behind the last has none",
    r"clamp: min\.u32\s+(%r\d+), %r\d+, 280;(?=[^$]*\bmin\.s32\s+%r\d+, %r\d+, \1;\s*(and|shl)\.b32)":
    "what other threads have is not behind the last key either",
    r"clamp: (min\.[su]32[^;]*, %r\d+|max\.s32[^;]*, 0);" + AT_FIRST:
    "if a whole warp reaches the first keys, so do others of those that a thread hears of",
    r"clamped: min\.[su]32[^;]*, %r\d+;(?!\s*shl)" + AT_FIRST: "the same",
    r"clamp: min\.s32[^;]*, (503;(?!\s*shl)|511;(?=\s*min\.s32[^;]*, 503;))":
    "a row that does not exist is not written, nor its keys visited; what is read of it lies in memory here"}


def on_chip(kernel, form="", harmless={}, **fields):
    entries = [entry + "_sm_90a" + form for entry in kernel.entries]
    return kernel._replace(name=kernel.name + "-sm90", entries=entries, march="sm_90a", harmless={**ON_HOPPER, **harmless, **kernel.harmless}, **fields)


def on_hopper(*shapes, bounds=None, harmless={}):
    """The kernel of this chip alone, whose blocks take tiles in turn: in these shapes, in other orders of threads, and a tile for each block."""
    first, *others = (on_chip(shape, harmless=harmless, bounds=bounds) for shape in shapes)
    return [first, first._replace(processors=8), *(other._replace(processors=1) for other in others),
            *(shape._replace(processors=1, seeds=10) for shape in (first, others[-1]))]


def narrow(three, twelve, one):
    """That of half as many columns, where rows of three tiles, of twelve or of one are known at run time: it is launched where so many processors
    have less to do."""
    shapes = [on_chip(three, "_narrow"), on_chip(twelve, "_narrow", processors=8), on_chip(one, "_narrow")]
    return [*shapes, shapes[0]._replace(seeds=10)]


def since(row, rows):
    """1 from this row on, of so many, 0 before: quotients are what bounds of keys may have."""
    return f"(t + {rows - row}) // {rows}"


def some(chosen, rows=768, less=False):
    """1 for these rows, or -1; 0 for all others."""
    return "(" + " + ".join(f"{since(row + less, rows)} - {since(row + 1 - less, rows)}" for row in chosen) + ")"


# The keys of one row in 128 begin before those of all others and end behind them, by more than a tile; of the last 128
# rows the keys of some begin or end within.
FAR, LATE, EARLY = some([23, 168, 359, 504, 520]), some([647, 680]), some([711, 728])
UNEVEN = f"s >= 80 * (1 - {FAR} - t // 640 + {LATE}) and s < 100 + 50 * ({FAR} + t // 640) - 90 * {EARLY}"


WINDOW = "s <= t and t - s < 41"


def attentions(name, sizes, flags, heads=2, keys=150, few=10, harmless={}):
    """The window of a text; bounds at other places of tiles of 16, that fall; few keys; and of rows that differ."""
    sizes = {"T": keys, "S": keys, "H": heads, "G": 1, **sizes}
    shapes = [attention(name, WINDOW, sizes, keys, flags),
              attention(name, "s < t + 7 and t - s < 47", sizes, keys, flags, order="kvq"),
              attention(name, "s < S - t and s >= 6 - t", sizes, 10, flags),
              attention(name, "s <= t", sizes, few, flags, order="qvk")._replace(seeds=3),
              attention(name, UNEVEN, {**sizes, "T": 768, "H": 1}, keys, flags)]
    return [shape._replace(harmless={**shape.harmless, **harmless}) for shape in shapes]


def apart(chosen, starts, lower, upper, of=512, narrow=None):
    """Bounds of 280 keys by rows that are alike but for those that are chosen, which are wide, or have so many keys fewer at their ends; and for
    what is added from the `starts` on. Of every other sixteen there are fewer keys. All of these are the same code, with other numbers."""
    first, second, third, fourth = (since(start, of) for start in starts)
    odd, these = "(t // 16 - 2 * (t // 32))", some(chosen, of, less=narrow is not None)
    begin, end = narrow or (192, 320)
    return (f"s >= {lower[0]} * ({first}) + {lower[1]} * ({second}) + {lower[2]} * ({third}) - {begin} * {these} + 27 * {odd} and "
            f"s < 280 + {upper[0]} * ({first}) + {upper[1]} * ({third}) + {upper[2]} * ({fourth}) + {end} * {these} - 146 * {odd}")


# What threads of a warp exchange is noticed by rows that are alone in their tile of 128 with the first key and the last: a thread looks at the rows
# `lane`, and 32, 64 and 96 behind it, and the first has what others found from lanes 16, 8, 4, 2 and 1.
APART = [
    *((512, apart(wide, (128, 129, 510, 511), (35, -3, 5), (-30, 3, 5)), 280)
      for wide in ((128 + 48, 256 + 72, 384 + 100), (128 + 34, 256 + 65, 384 + 96), (128 + 32, 256 + 64, 384))),
    (512, apart((3, 50, 60), (128, 129, 256, 384), (33, -33, 366), (-30, 330, -900)), 258),  # tiles without the last key, behind it, without any
    # Rows that do not exist are wide.
    (450, apart((3, 50, 224), (1, 2, 3, 4), (35, -3, 5), (-85, 3, 5), of=256), 280),
    (130, apart((6, 64, 96), (2, 3, 4, 5), (332, -600, 300), (-300, 520, -330), of=128), 280),
    (130, apart((32, 64, 96), (2, 3, 4, 5), (336, -600, 300), (-378, 520, -330), of=128), 280),
    # Single rows of a warp need masks, have no keys.
    *((512, apart((7, 40, 105), (1, 2, 3, 4), (33, -40, 5), (-3, 8, 5), narrow=(80, fewer)), 280) for fewer in (120, 600))]


# Of scores with sums of their own, whose first keys are other code where none is masked: of a tile's rows the first sixteen alone begin with these
# keys, and another tile begins behind the last; of two rows that exist one ends within its first keys, and rows behind them would begin before.
BEGINNING = [(512, apart((3, 50, 60), (144, 145, 256, 384), (45, -7, 366), (-30, 330, -900)), 280),
             (130, apart((3, 64, 96), (6, 7, 8, 1), (35, -9, 6), (-85, 117, -110), of=128), 280)]


# Keys by rows twice as steep: keys of later tiles are the first of some rows, and the last.
STEEP, EVEN = ((128, f"s >= 2 * t + {first} and s < 2 * t + {first + 128}", 400) for first in (13, 12))


# Few tiles of rows, more, and more of which each has one tile of keys, behind which those of the next rows come.
ALONG = [(140, "s <= t and t - s < 139"), (518, "s <= t and t - s < 480"),
         *((518, f"s <= t // {rows} and s >= t // {rows} - {most}") for rows, most in ((8, 30), (4, 125)))]

DRAWN = [(140, "s <= t"), (518, "s <= t"), (518, "s <= t // 4"), (518, "s <= t // 8")]  # the same without a window

# Keys of tiles that are not the first are the first of some rows, and the last, within 32 keys of where a tile of rows begins.
SHORT = [(256, f"s >= 2 * t + {first} and s < 2 * t + {first + 4}", 540) for first in (0, 15)]


def whole(name, c, v, t, where, keys, heads=1):
    return attention(name, where, {"T": t, "S": keys, "H": heads, "G": 1, "C": c, "V": v}, keys, ["--dtype=bf16"])


def bounded(make, *others, blocks=()):
    """Comparisons, minima and maxima of an attention of Hopper's: with rows that are apart, and in other shapes; one block takes all tiles, so that
    it sees what was counted, and in some several `blocks`, of which one reads behind inputs what another writes."""
    shapes = [(shape, 1) for shape in (*APART, *others)] + [(APART[number], count) for number, count in blocks]
    kernels = [make(*shape, *([1] if len(shape) == 3 else []))._replace(processors=count) for shape, count in shapes]
    return [kernel._replace(name=kernel.name + "-bounds-sm90", entries=["y_attention_sm_90a"], march="sm_90a", bounds=True,
                            harmless={**BOUNDED, **SUMMED}) for kernel in kernels]


def summed(name, flags, few):
    """As above, and heads that share keys, so that rows and keys have not the same numbers."""
    def of(t, where, keys, **options):
        return sums(name, 32, flags, t, where, keys, **options)
    return [of(150, WINDOW, 150), of(768, UNEVEN, 150, heads=1), of(150, WINDOW, 150, groups=1, order="qkvfn"),
            of(130, "s < t + 7 and t - s < 47", 130), of(150, "s < 150 - t and s >= 6 - t", 150, heads=1), *few(of)]

# Of Hopper's attention comparisons, minima and maxima are changed in shapes of their own, whose first has bounds for every kind of place.
# Rows end in the first sixteen of a warp, in the second; heads fill their tiles or do not.
KERNELS = [
    product("product-bf16", 70, 168, 72, ["--dtype=bf16"]),
    product("product-bf16", 89, 168, 72, ["--dtype=bf16"]),
    product("product-across", 70, 168, 72, ["--dtype=f16"], across=True),
    product("product-across", 89, 168, 72, ["--dtype=f16"], across=True),
    product("product-f32", 70, 84, 72, []),
    product("product-f32", 89, 84, 72, []),
    product("product-f32", 70, 84, 72, [], infinite=True),
    product("product-tf32", 70, 84, 72, ["--compute=tf32"]),
    product("product-tf32", 89, 84, 72, ["--compute=tf32"]),
    product("product-tf32", 70, 84, 72, ["--compute=tf32"], infinite=True),
    product("product-parts", 15, 264, 72, ["--dtype=bf16"], combined=True),
    product("product-parts", 25, 264, 72, ["--dtype=bf16"], combined=True),
    product("product-parts", 15, 264, 72, ["--dtype=bf16"], combined=True, infinite=True),
    codes("product-int4", 70, 288, 72, ["--store=int4", "--compute=int8"]),
    codes("product-int4", 89, 288, 104, ["--store=int4", "--compute=int8"]),
    codes("product-int4-parts", 15, 1056, 72, ["--store=int4", "--compute=int8"], combined=True),
    codes("product-int8", 70, 272, 72, ["--store=int8", "--compute=int8"], harmless=WHOLE),
    codes("product-int8", 89, 272, 104, ["--store=int8", "--compute=int8"], harmless=WHOLE),
    codes("product-int8-parts", 15, 1072, 72, ["--store=int8", "--compute=int8"], combined=True, harmless=WHOLE),
    codes("product-fp8", 70, 104, 72, ["--store=fp8"]),
    codes("product-fp8", 89, 104, 104, ["--store=fp8"]),
    codes("product-fp8", 70, 104, 72, ["--store=fp8"], infinite=True),
    codes("product-nf4", 70, 104, 72, ["--store=nf4,group=row"]),
    codes("product-nf4", 89, 104, 104, ["--store=nf4,group=row"]),
    codes("product-few-int4", 3, 1184, 26, ["--store=int4", "--compute=int8"], harmless=BEHIND),
    codes("product-few-int4", 3, 4224, 13, ["--store=int4", "--compute=int8"]),
    codes("product-few-int4", 2, 4224, 13, ["--store=int4", "--compute=int8"]),
    codes("product-few-nf4", 3, 1184, 26, ["--store=nf4,group=32"]),
    codes("product-few-nf4", 3, 4224, 13, ["--store=nf4,group=32"]),
    codes("product-few-nf4", 2, 4224, 13, ["--store=nf4,group=32"]),
    product("product-few", 2, 264, 70, ["--dtype=bf16"]),
    product("product-few-units", 13, 264, 250, ["--dtype=bf16"]),
    product("product-few-units", 3, 1096, 61, ["--dtype=f16"]),
    product("product-few-units", 16, 1160, 57, ["--dtype=bf16"], infinite=True),
    product("product-few-across", 13, 264, 264, ["--dtype=bf16"], across=True),
    product("product-few-across", 3, 1096, 72, ["--dtype=f16"], across=True),
    product("product-few-across", 16, 1160, 72, ["--dtype=bf16"], across=True, infinite=True),
    # Of fewer rows than threads, which are in all warps; of two matrices, which have several tiles; of two rows for a thread.
    choice(250, 1), choice(250, 7), choice(300, 1), choice(250, 1, infinite=True),
    joined(3), joined(2),
    product("product-few-f32", 3, 1184, 70, []),
    product("product-few-f32", 3, 4104, 17, []),
    product("product-few-f32", 5, 4104, 17, []),
    *attentions("attention", {"C": 24, "V": 40}, ["--dtype=bf16"]),
    *attentions("attention-wide", {"C": 192, "V": 24}, ["--dtype=bf16"], heads=1, harmless=LYING),
    *attentions("attention-wide-values", {"C": 24, "V": 200}, ["--dtype=f16"], heads=1),
    *summed("attention-sums", ["--dtype=bf16"], lambda of: [of(150, "s < 10 - t and s >= 6 - t", 10), of(10, "s <= t", 10), of(20, "s < 120", 150)]),
    *summed("attention-sums-f32", [], lambda of: [of(130, WINDOW, 130, c=32)]),
    *attentions("attention-f32", {"C": 24, "V": 40}, []),
    attention("attention-f32", WINDOW, {"T": 150, "S": 150, "H": 2, "G": 1, "C": 32, "V": 32}, 150, []),
    *attentions("attention-f32-narrow", {"C": 16, "V": 13}, []),
    attention("attention-f32-narrow", WINDOW, {"T": 150, "S": 150, "H": 2, "G": 1, "C": 12, "V": 16}, 150, []),
    *attentions("attention-f32-wide", {"C": 150, "V": 24}, [], heads=1, keys=130, few=1, harmless=COLUMNS),
    attention("attention-f32-wide", WINDOW, {"T": 130, "S": 130, "H": 1, "G": 1, "C": 32, "V": 160}, 130, []),
    *(attention(name, where, {"T": 1, "S": most, "H": 4, "G": 2, "C": 12, "V": 24}, keys, flags,
                ("y_attention", "y_attention_combine"), DECODED)
      for name, part, flags in (("decode", 64, []), ("decode-bf16", 128, ["--dtype=bf16"]))
      # Eight parts are combined at once: nine, seven and six behind fewer.
      for where, keys, most in (("s >= S / 90 and s < S - 1", 298, 300), ("s < S - 1", 280, 300), ("s < S - 1", 220, 300),
                                *(("s < S - 1", part * parts - 20, 1300) for parts in (9, 7, 6)))),
    # Keys end in each eight of a warp's 32, six of them behind; of parts there are nine, and seven and six behind eight.
    units(298, 300), units(284, 300), units(258, 300, groups=4), units(258, 300, groups=4, order="vqk"),
    *(units(128 * parts - 12, 2600) for parts in (9, 7, 6)),
    cached(240, 171, "3,233,4"),
    cached(2400, 2300, "3,1490,4,250,4,500,4"),
    *on_hopper(*(product("product-bf16", 130, k, n, ["--dtype=bf16"]) for k, n in ((1096, 72), (1224, 104)))),
    *on_hopper(*(product("product-across", 130, k, n, ["--dtype=f16"], across=True) for k, n in ((1096, 72), (1224, 104)))),
    *on_hopper(*(product("product-tf32", 130, k, n, ["--compute=tf32"]) for k, n in ((548, 72), (612, 104)))),
    *on_hopper(*(epilogue("product-epilogue", 130, k, n, ["--dtype=bf16"]) for k, n in ((1096, 72), (1224, 104))), harmless=AHEAD),
    *narrow(*(product("product-narrow", m, k, 120, ["--dtype=bf16"], rows="<= 40000") for m, k in ((300, 1224), (1500, 72), (100, 72)))),
    *on_hopper(*(attention("attention", where, {"T": t, "S": t, "H": 2, "G": 1, "C": 24, "V": 40}, t, ["--dtype=bf16"])
                 for t, where in ALONG), bounds=False, harmless=QUERIES),
    *on_hopper(*(attention("attention-drawn", where, {"T": t, "S": t, "H": 2, "G": 1, "C": 24, "V": 40}, t, ["--dtype=bf16"])
                 for t, where in DRAWN), bounds=False, harmless=NUMBERS),
    *on_hopper(*(attention("attention-turns", where, {"T": t, "S": t, "H": 2, "G": 1, "C": 72, "V": 72}, t, ["--dtype=bf16"])
                 for t, where in DRAWN), bounds=False, harmless={**NUMBERS, **THREE_BOXES}),
    *on_hopper(*(attention("attention-wide", where, {"T": t, "S": t, "H": 1, "G": 1, "C": 136, "V": 24}, t, ["--dtype=bf16"])
                 for t, where in ALONG), bounds=False, harmless=QUERIES),
    *on_hopper(*(sums("attention-sums", 32, ["--dtype=f16"], *shape)
                 for shape in ((140, WINDOW, 140), (290, "s <= t and t - s < 270", 290), (384, "s <= t // 6 and s >= t // 6 - 30", 66))),
               bounds=False, harmless=QUERIES),
    *bounded(lambda *shape: whole("attention", 24, 40, *shape), (150, WINDOW, 150, 2), STEEP, *SHORT),
    *bounded(lambda *shape: whole("attention-wide", 136, 24, *shape), (150, WINDOW, 150, 2), STEEP, EVEN, *SHORT),
    *bounded(lambda *shape: sums("attention-sums", 16, ["--dtype=f16"], *shape, groups=1, order="qkvfn" if shape[0] == 130 else "qkvnf"),
             (150, WINDOW, 150, 2), STEEP, EVEN, *BEGINNING, *SHORT, blocks=[(3, 4), (5, 2), (6, 2)]),
    Kernel("row-warp", ROW % {"N": 997}, {"x": [3, 997]}, ["y_softmax"]),
    Kernel("row-block", ROW % {"N": 4999}, {"x": [3, 4999]}, ["y_softmax"]),
]
