"""Other systems on the same work, those of them that are here. Each takes a shape or a model and a type and gives a function
that does the work once on the default stream, or None where it has none; what is not here, or fails, becomes a note."""
import importlib
from typing import Callable, NamedTuple

from device import Missing

MODULES = {"kernels": ("cublas", "torch_kernels", "flash"), "models": ("torch_models",)}


class Baseline(NamedTuple):
    name: str
    prepare: Callable   # (shape, element) -> a function, or None


def explain(error):
    return f"{type(error).__name__}: {error}".splitlines()[0][:200]


def load(kind, device, notes):
    """A list of baselines, from modules that are imported here, as each may lack what it stands on."""
    found = []
    for name in MODULES[kind]:
        try:
            found += importlib.import_module(name).find(device)
        except Missing as missing:
            notes.append(str(missing))
        except Exception as error:  # of a package that is there in part
            notes.append(f"{name}: {explain(error)}")
    return found
