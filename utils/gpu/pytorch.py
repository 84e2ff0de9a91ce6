"""PyTorch, where it is: who imports this without it is told what is missing. f32 is f32, not tf32."""
from device import Missing

try:
    import torch
except ImportError as missing:
    raise Missing("PyTorch: not installed") from missing
if not torch.cuda.is_available():
    raise Missing("PyTorch: sees no GPU")
torch.set_grad_enabled(False)
torch.set_float32_matmul_precision("highest")
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def compile_anew(function):
    """Of one function PyTorch compiles only so many forms, and then silently none."""
    torch.compiler.reset()
    return torch.compile(function, dynamic=False, fullgraph=True)
