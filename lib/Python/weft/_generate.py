# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts, one token at a time, by the rules of weft-run (lib/Runner/LanguageModel.cpp)."""
import numbers

import numpy as np

from . import _abi
from ._library import Error
from ._sampling import Sampler


class _Text:
    """A text that grows: the logits of its next token. What else the model reads is the same for all tokens."""

    def __init__(self, model, cache, given):
        info, self.model, self.entry = model.info, model, model._generating
        if self.entry is None:
            raise Error("model '%s' does not generate text" % model.name)
        self.ids = self.entry.inputs[info.generate_input] if info.generate_input >= 0 else None
        self.logits = self.entry.outputs[info.generate_output] if info.generate_output >= 0 else None
        self.symbol = info.generate_symbol
        if not self.ids or not self.logits or self.logits.symbols[: self.ids.rank] != self.ids.symbols \
                or self.logits.rank != self.ids.rank + 1 or self.logits.code != _abi.F32:
            raise Error("cannot generate: the model does not take ids to logits (compile it without --batch)")
        for name in given:
            if any(t.name == name and self.symbol in t.symbols for t in self.entry.inputs):
                raise Error("input '%s' cannot be given, as it would have to grow with '%s'" % (name, self.ids.name))
        self.bound, self.given, self.seen = model.symbols[self.symbol][1], given, []
        self.carried = [t.name for t in self.entry.inputs if self._is_carried(t)]
        self.has_state = cache and not self.carried and self.entry.name in model._steps
        self.endless = cache and bool(self.carried)
        self.state, self.memory = None, {}

    def _is_carried(self, tensor):
        """An input that takes the output of its name from the call before."""
        same = [o for o in self.entry.outputs if o.name == tensor.name]
        return bool(same) and same[0].dims == tensor.dims and same[0].code == tensor.code \
            and self.symbol not in tensor.symbols

    def next(self, tokens):
        if self.endless:
            return self._carry_on(tokens)
        if self.has_state and len(tokens) <= self.bound:
            return self._step(tokens)
        return self._call(tokens[-self.bound :], {})

    def _named(self, tokens, rank):
        return {self.ids.name: np.array(tokens, np.int32).reshape((1,) * (rank - 1) + (-1,))}

    def _call(self, tokens, memory):
        results = self.entry({**self.given, **memory, **self._named(tokens, self.ids.rank)})
        results = results if isinstance(results, dict) else {self.logits.name: results}
        self.memory = {name: results[name] for name in self.carried}
        return results[self.logits.name].reshape(-1, self.logits.dims[-1])[-1]

    def _carry_on(self, tokens):
        """In as many calls as the bound asks for."""
        memory = self.memory if self.seen else {}
        new, self.seen = tokens[len(self.seen) :], list(tokens)
        for first in range(0, len(new), self.bound):
            logits = self._call(new[first : first + self.bound], memory)
            memory = self.memory
        return logits

    def _step(self, tokens):
        if self.state is None:
            starts = {t.name for t in self.entry.inputs} - {t.name for t in self._step_inputs()}
            self.state = self.model.state({name: self.given[name] for name in self.given if name in starts})
        names = {t.name for t in self.state.inputs}
        given = {name: value for name, value in self.given.items() if name in names}
        rank = next(t.rank for t in self.state.inputs if t.name == self.ids.name)
        last = self.state.last_outputs is not None
        results = self.state.step({**given, **self._named(tokens[len(self.state) :], rank)}, last=last)
        logits = results[self.logits.name] if isinstance(results, dict) else results
        return logits.reshape(-1, self.logits.dims[-1])[-1]

    def _step_inputs(self):
        info = self.model._steps[self.entry.name]
        names = {info.inputs[i].name.decode() for i in range(info.input_count)}
        return [t for t in self.entry.inputs if t.name in names]


def generate(model, ids, count, *, cache=True, stop=(), inputs=None, **sampling):
    """Returns the ids with what follows, [tokens] or [batch, tokens].

    `stop` are ids after which a text ends (a single text only); `inputs` what else the model reads; `cache=False`
    computes all positions for each token. The best token is taken, or one is drawn, if temperature, top_k,
    top_p or seed is given, as of weft-run; repetition_penalty, too. If the text grows beyond the model's bound, each
    token sees the last ones only.
    """
    prompts = np.asarray(ids)
    if prompts.ndim not in (1, 2) or prompts.size == 0 or prompts.dtype.kind not in "iu":
        raise Error("ids are whole numbers, [tokens] or [batch, tokens], not empty")
    if not isinstance(count, numbers.Integral) or count < 0:
        raise Error("the number of tokens to generate is a whole number of at least 0, not %r" % (count,))
    if stop and prompts.ndim == 2:
        raise Error("texts of a batch have one length: stop is for a single text")
    sampler, texts = Sampler(**sampling), []
    rows = np.atleast_2d(prompts)
    for i, prompt in enumerate(rows):
        text = _Text(model, cache, _example(model, inputs or {}, i, len(rows), prompts.ndim == 2))
        tokens = prompt.tolist()
        for _ in range(count):
            tokens.append(sampler.pick(text.next(tokens), tokens))
            if tokens[-1] in stop:
                break
        texts.append(tokens)
    return np.array(texts if prompts.ndim == 2 else texts[0], np.int64)


def _example(model, inputs, index, count, batched):
    """The inputs of one text: those with a batch in front, as the ids have, have one for each."""
    ranks = {t.name: t.rank for t in model._generating.inputs} if model._generating else {}
    arrays = {name: np.asarray(value) for name, value in inputs.items()}
    for name, array in arrays.items():
        if not batched or array.ndim != ranks.get(name, array.ndim) + 1:
            continue
        if len(array) != count:
            raise Error("input '%s' has a batch of %d, but there are %d texts" % (name, len(array), count))
        arrays[name] = array[index]
    return arrays
