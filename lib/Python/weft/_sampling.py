# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses the next token by the rules of weft-run (lib/Runner/Sampler.cpp)."""
import numpy as np


class Sampler:
    """The best token, unless any of these is given: then one is drawn, logits divided by `temperature` (1), from the
    `top_k` best (0: all), of these from the best that together have probability `top_p` (1). Choices depend on the
    logits and the seed (0) alone."""

    def __init__(self, temperature=None, top_k=None, top_p=None, seed=None, repetition_penalty=1.0):
        draws = any(value is not None for value in (temperature, top_k, top_p, seed))
        temperature = draws * 1.0 if temperature is None else temperature
        top_k, top_p, seed = top_k or 0, 1.0 if top_p is None else top_p, seed or 0
        if not temperature >= 0 or top_k < 0 or not 0 < top_p <= 1 or not repetition_penalty > 0:
            raise ValueError("temperature and top_k are at least 0, top_p is above 0 and at most 1, "
                             "repetition_penalty is above 0")
        self.temperature, self.top_k, self.top_p = temperature, top_k, top_p
        self.repetition_penalty = repetition_penalty
        self._state = seed % 2**64

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
