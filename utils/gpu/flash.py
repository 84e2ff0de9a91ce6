"""FlashAttention 3 (hopper/ of its repository), bf16: full, causal, windows, softcap; decoding by its function for caches,
which shares keys out over blocks."""
import torch_kernels
from baselines import Baseline
from device import Missing


def find(_device):
    try:
        import flash_attn_interface as flash
    except ImportError as error:
        raise Missing("FlashAttention 3: not installed") from error
    told = {"full": {}, "causal": {"causal": True}, "window": {"causal": True, "window_size": (255, 0)},
            "softcap": {"causal": True, "softcap": 30.0}}

    def prepare(shape, element):
        if shape.kind != "attention" or element != "bf16" or shape.variant not in told:
            return None
        q, k, v = torch_kernels.factors(shape, element, heads_first=False)
        attend = flash.flash_attn_with_kvcache if shape.streams() else flash.flash_attn_func
        return lambda: attend(q, k, v, **told[shape.variant])
    return [Baseline("FlashAttention 3", prepare)]
