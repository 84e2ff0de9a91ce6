# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls transformers that weftc has compiled.

    model = weft.load("bible.so")                  # or the folder that weftc made
    logits = model(input_ids=list(b"In the beginning"))
    ids = model.generate(list(b"In the beginning "), 20)

Arrays are NumPy's. One that has the model's type and is contiguous is not copied; others are converted,
and every value is checked to fit. Results are fresh arrays: one, or several by their names. f16 is float16.
Of bf16, which NumPy does not have, inputs are reals that are rounded (a uint16 array is taken as its bits), and
results are float32. What goes wrong is a weft.Error.
"""
from ._library import Error
from ._model import Entry, Model, load
from ._state import State

__all__ = ["Entry", "Error", "Model", "State", "load"]
