"""Other systems on the same shapes, where they are: PyTorch, whose products are cuBLAS's and whose attention is cuDNN's or
FlashAttention's; and cuBLAS itself. Each is a function of a shape that returns median milliseconds, or None."""
import ctypes
import ctypes.util
import glob
import statistics

from device import Missing


def torch_baselines():
    """Names and functions, or why there are none."""
    try:
        import torch
    except ImportError:
        return {}, "PyTorch: not installed"
    if not torch.cuda.is_available():
        return {}, "PyTorch: sees no GPU"

    def clock(work, runs=10):
        work()
        times = []
        for _ in range(runs):
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            work()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def made(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)

    def product(shape):
        if shape.kind != "product":
            return None
        x, w = made(shape.sizes["M"], shape.sizes["K"]), made(shape.sizes["N"], shape.sizes["K"])
        return clock(lambda: torch.nn.functional.linear(x, w))

    def attend(shape, function):
        b, t, s, h, g, d = (shape.sizes[name] for name in "BTSHGD")
        q, k, v = made(b, h, t, d), made(b, g, s, d), made(b, g, s, d)
        return clock(lambda: function(q, k, v))

    def attention(shape):
        if shape.kind != "attention" or shape.variant not in ("full", "causal"):
            return None
        causal, grouped = shape.variant == "causal", shape.sizes["H"] != shape.sizes["G"]
        return attend(shape, lambda q, k, v: torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, enable_gqa=grouped))

    def flex(shape):
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        if shape.kind != "attention" or shape.variant not in ("window", "ALiBi", "softcap"):
            return None
        t, s, heads = shape.sizes["T"], shape.sizes["S"], shape.sizes["H"]

        def mask(_b, _h, i, j):
            return (j <= i) & (i - j < 256) if shape.variant == "window" else j <= i

        def score(z, _b, h, i, j):
            if shape.variant == "ALiBi":
                return z - (h + 1) / heads * (i - j)
            return 30 * torch.tanh(z / 30) if shape.variant == "softcap" else z
        block = create_block_mask(mask, None, None, t, s)
        compiled = torch.compile(flex_attention)
        return attend(shape, lambda q, k, v: compiled(q, k, v, score_mod=score, block_mask=block))
    return {"cuBLAS (PyTorch)": product, "SDPA": attention, "FlexAttention": flex}, ""


def find_cublas():
    names = [ctypes.util.find_library("cublas"), *glob.glob("/usr/local/cuda*/lib64/libcublas.so.*")]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def cublas_product(device):
    """bf16 products with f32 sums by cublasGemmEx, or None without the library."""
    library = find_cublas()
    if not library:
        return None
    handle = ctypes.c_void_p()
    if library.cublasCreate_v2(ctypes.byref(handle)):
        return None
    bf16, compute_f32, automatic = 14, 68, -1

    def product(shape):
        if shape.kind != "product":
            return None
        m, k, n = (shape.sizes[name] for name in "MKN")
        from weft import normal
        factors = []
        for seed, count in (("x", m * k), ("w", n * k)):
            factors.append(device.allocate(2 * count))
            device.copy_in(factors[-1], normal(count, "bf16", seed))
        y, one, zero = device.allocate(2 * m * n), ctypes.c_float(1), ctypes.c_float(0)

        def work():
            # Column-major, y^T [n, m] = w [n, k] x^T [k, m]: the first factor transposed.
            status = library.cublasGemmEx(
                handle, 1, 0, n, m, k, ctypes.byref(one), factors[1], bf16, k, factors[0], bf16, k, ctypes.byref(zero), y,
                bf16, n, compute_f32, automatic)
            if status:
                raise Missing(f"cublasGemmEx failed with {status}")
        milliseconds = device.time(work)
        for address in (*factors, y):
            device.free(address)
        return milliseconds
    return product
