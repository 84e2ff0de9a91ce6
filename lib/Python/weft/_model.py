# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled model and its entries."""
import os
import threading

import numpy as np

from . import _abi, _generate, _library, _state
from ._library import Error
from ._tensors import Binding, addresses, finish, merge, sizes_of, tensors

WEIGHTS_COPY_HUGE, WEIGHTS_FROM_FILE = 1, 2


def load(path, weights=None, huge_pages=False):
    """Loads a library, or the only one in a folder. Its weights lie beside it (NAME.weights), in it, or where `weights`
    says. `huge_pages` copies them into memory."""
    return Model(path, weights, huge_pages)


class Entry:
    """A function of a model: call it with its inputs by their names."""

    def __init__(self, model, info):
        self._model, self._info = model, info
        self.name = info.name.decode()
        self.inputs = tensors(info.inputs, info.input_count, model.symbols)
        self.outputs = tensors(info.outputs, info.output_count, model.symbols)

    def __repr__(self):
        return "entry %s(%s) -> %s" % (self.name, ", ".join(map(repr, self.inputs)), ", ".join(map(repr, self.outputs)))

    def fits(self, names):
        """Whether these are inputs, and all that it needs."""
        known = {tensor.name for tensor in self.inputs}
        return set(names) <= known and all(t.optional or t.name in names for t in self.inputs)

    def __call__(self, inputs=None, **named):
        binding = Binding(self._model.symbols)
        binding.bind(self.inputs, merge(inputs, named), "entry '%s'" % self.name)
        binding.check_known(self.inputs + self.outputs)
        arrays = [np.empty(binding.batch + t.shape(binding.sizes), t.dtype) for t in self.outputs]
        sizes, count = sizes_of(binding.sizes), binding.examples
        for example in range(count):
            outputs = [array.ctypes.data + example * (array.nbytes // count) for array in arrays]
            self._model.check(
                self._info.call(self._model.weights, self._model.scratch, sizes,
                                addresses(binding.pointers(example)), addresses(outputs)),
                "entry '%s'" % self.name)
        return finish(self.outputs, arrays)


class Model:
    """A compiled model. Threads may call it at the same time: each has a scratch of its own."""

    def __init__(self, path, weights=None, huge_pages=False):
        self.path = _library.find(os.fspath(path))
        self.library, self._pointer = _library.open_library(self.path)
        self.info = info = self._pointer.contents
        beside = os.path.splitext(os.path.abspath(self.path))[0] + ".weights"
        flags = (WEIGHTS_COPY_HUGE if huge_pages else 0) | (WEIGHTS_FROM_FILE if weights else 0)
        self._weights = _library.Weights(self.library, self._pointer, weights or beside, flags)
        self._threads = threading.local()
        self.name = info.name.decode()
        self.symbols = [(info.symbols[i].name.decode(), info.symbols[i].bound) for i in range(info.symbol_count)]
        entries = [Entry(self, info.entries[i]) for i in range(info.entry_count)]
        self.entries = {entry.name: entry for entry in entries}
        self._steps = {entries[info.steps[i].entry].name: info.steps[i] for i in range(info.step_count)}
        self._generating = entries[info.generate_entry] if info.generate_entry >= 0 else None

    def __repr__(self):
        return "\n".join(["model %s: %d parameters, for %s" % (self.name, self.info.parameter_count,
                                                               self.info.target.decode()),
                          *map(repr, self.entries.values())])

    def close(self):
        """Gives the weights back; the model cannot be called afterwards."""
        self._weights.close()

    def entry(self, name):
        if name not in self.entries:
            raise Error("no entry '%s' in the model; it has: %s" % (name, ", ".join(self.entries)))
        return self.entries[name]

    def __call__(self, inputs=None, **named):
        """Calls the entry that takes these inputs: of several the one that generates."""
        given = merge(inputs, named)
        return self._choose(given)(given)

    def state(self, inputs=None, **named):
        """Begins a sequence; inputs are those that all its positions see."""
        if not self._steps:
            raise Error("model '%s' has no step: it computes all positions at once only" % self.name)
        steps, generating = self._steps, self._generating
        step = steps[generating.name] if generating and generating.name in steps else next(iter(steps.values()))
        return _state.State(self, step, merge(inputs, named))

    def generate(self, ids, count, **options):
        """The ids and `count` more; see weft._generate.generate."""
        return _generate.generate(self, ids, count, **options)

    def set_threads(self, count):
        """For all calls of this library; below 1: the default."""
        if self.info.threaded:
            self.library.weft_set_threads(count)

    @property
    def threads(self):
        return self.library.weft_get_threads() if self.info.threaded else 1

    def _choose(self, given):
        entries = list(self.entries.values())
        fitting = entries if len(entries) == 1 else [entry for entry in entries if entry.fits(given)]
        if len(fitting) > 1 and self._generating in fitting:
            return self._generating
        if len(fitting) != 1:
            raise Error("the inputs fit %s: call model.entry(NAME)(...); the model has:\n%s"
                        % ("several entries" if fitting else "no entry of the model", "\n".join(map(repr, entries))))
        return fitting[0]

    # What calls need.

    @property
    def weights(self):
        return self._weights.address

    @property
    def scratch(self):
        """Enough for every entry and step."""
        if not hasattr(self._threads, "scratch"):
            info = self.info
            sizes = [info.entries[i].scratch_bytes for i in range(info.entry_count)]
            sizes += [info.steps[i].scratch_bytes for i in range(info.step_count)]
            self._threads.scratch = _library.Memory(self.library, max(sizes))
        return self._threads.scratch.address

    def check(self, code, what):
        if code != _abi.OK:
            raise Error("%s: %s" % (what, self.library.weft_error_string(code).decode()), code)
