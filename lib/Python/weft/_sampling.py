# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses the next token by the rules of weft-run (lib/Runner/Sampler.cpp)."""
import math
import numbers

import numpy as np

from ._library import Error

# What each may be: its kind, and which of these.
_RULES = {
    "temperature": (numbers.Real, lambda x: 0 <= x < math.inf, "a finite number of at least 0"),
    "top_k": (numbers.Integral, lambda x: x >= 0, "a whole number of at least 0"),
    "top_p": (numbers.Real, lambda x: 0 < x <= 1, "a number above 0 and at most 1"),
    "seed": (numbers.Integral, lambda x: 0 <= x < 2**64, "a whole number from 0 to 2^64 - 1"),
    "repetition_penalty": (numbers.Real, lambda x: 0 < x < math.inf, "a finite number above 0"),
}


def _check(**given):
    for name, value in given.items():
        kind, holds, what = _RULES[name]
        if not isinstance(value, kind) or not holds(value):
            raise Error("%s is %s, not %r" % (name, what, value))


class Sampler:
    """The best token, unless any of these is given: then one is drawn, logits divided by `temperature` (1), from the
    `top_k` best (0: all), of these from the best that together have probability `top_p` (1). Choices depend on the
    logits and the seed (0) alone."""

    def __init__(self, temperature=None, top_k=None, top_p=None, seed=None, repetition_penalty=1.0):
        draws = any(value is not None for value in (temperature, top_k, top_p, seed))
        temperature = draws * 1.0 if temperature is None else temperature
        top_k, top_p, seed = (0 if top_k is None else top_k), (1.0 if top_p is None else top_p), (0 if seed is None else seed)
        _check(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed, repetition_penalty=repetition_penalty)
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self.repetition_penalty = repetition_penalty
        self._state = int(seed)

    def _random(self):
        """SplitMix64, uniform in [0, 1)."""
        self._state = (self._state + 0x9E3779B97F4A7C15) % 2**64
        z = self._state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def pick(self, logits, before):
        """The token after the ids `before`."""
        if self.repetition_penalty != 1:
            seen = np.unique(np.asarray(before, np.int64))
            seen = seen[(seen >= 0) & (seen < len(logits))]
            old = logits[seen].astype(np.float64)
            logits = logits.copy()
            logits[seen] = np.where(old > 0, old / self.repetition_penalty, old * self.repetition_penalty)
        return int(np.argmax(logits)) if self.temperature == 0 else self._draw(logits)

    def _draw(self, logits):
        clean = np.where(np.isnan(logits), -np.inf, logits).astype(np.float64)
        order = np.argsort(-clean, kind="stable")  # of equal ones the smaller id comes first
        if 0 < self.top_k < len(order):
            order = order[: self.top_k]
        weights = np.exp((clean - clean[order[0]]) / self.temperature)
        weights[np.isnan(weights)] = 0
        # Sums are taken one after the other, as weft-run takes them.
        total = np.cumsum(weights if len(order) == len(weights) else weights[order])[-1]
        if self.top_p < 1:
            sums = np.cumsum(weights[order])
            kept = min(int(np.searchsorted(sums, self.top_p * total)) + 1, len(order))
            order, total = order[:kept], sums[kept - 1]
        left = np.subtract.accumulate(np.concatenate([[self._random() * total], weights[order]]))[1:]
        below = np.flatnonzero(left < 0)
        return int(order[below[0] if len(below) else 0])
