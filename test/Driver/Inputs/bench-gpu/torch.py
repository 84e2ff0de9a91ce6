"""Stands in for PyTorch where none is installed: every name is there, and nothing is computed."""
import sys
from unittest.mock import MagicMock

torch = MagicMock()
torch.cuda.is_available.return_value = True
for name in ("torch", "torch.nn", "torch.nn.attention", "torch.nn.attention.flex_attention"):
    sys.modules[name] = torch
# What a version may not have.
torch.compile.side_effect = lambda function, **_: MagicMock(side_effect=RuntimeError("no Triton"))
