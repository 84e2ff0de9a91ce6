# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sequences that go on from call to call, by the step that weftc derived."""
import ctypes

import numpy as np

from . import _abi, _library
from ._library import Error
from ._tensors import Binding, addresses, finish, merge, sizes_of, tensors


class State:
    """One sequence. A copy is another one with the same past; len() is the number of its positions."""

    def __init__(self, model, info, given):
        self._model, self._info = model, info
        self.name = info.name.decode()
        self.inputs = tensors(info.inputs, info.input_count, model.symbols)
        self.outputs = tensors(info.outputs, info.output_count, model.symbols)
        self.last_outputs = tensors(info.last_outputs, info.output_count, model.symbols) if info.last else None
        self._memory = _library.Memory(model.library, info.state_bytes)
        start = Binding(model.symbols)
        start.bind(tensors(info.start_inputs, info.start_input_count, model.symbols), given,
                   "the start of '%s'" % self.name)
        self._check_batch(start)
        self._sizes = start.sizes
        model.check(info.start(model.weights, self._memory.address, model.scratch, sizes_of(start.sizes),
                               addresses(start.pointers(0)), None),
                    "start of '%s'" % self.name)

    def __len__(self):
        return self._length.value

    @property
    def _length(self):
        return ctypes.c_int64.from_address(self._memory.address)

    def copy(self):
        other = object.__new__(State)
        other.__dict__.update(self.__dict__, _memory=_library.Memory(self._model.library, self._info.state_bytes))
        ctypes.memmove(other._memory.address, self._memory.address, self._info.state_bytes)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    def truncate(self, length):
        """Takes positions back (not in a model with sliding windows, whose state forgets)."""
        if not 0 <= length <= len(self):
            raise Error("the sequence has %d positions and cannot be cut to %d" % (len(self), length),
                        _abi.ERROR_LENGTH)
        self._length.value = length

    def step(self, inputs=None, last=False, **named):
        """Computes the next positions. The outputs have a row for each; with `last` they are of the last one alone."""
        if last and not self.last_outputs:
            raise Error("'%s' cannot give the last position alone" % self.name)
        call, declared = (self._info.last, self.last_outputs) if last else (self._info.call, self.outputs)
        binding = self._bind(merge(inputs, named))
        binding.check_known(declared)
        arrays = [np.empty(t.shape(binding.sizes), t.dtype) for t in declared]
        model = self._model
        model.check(call(model.weights, self._memory.address, model.scratch, sizes_of(binding.sizes),
                         addresses(binding.pointers(0)), addresses([a.ctypes.data for a in arrays])),
                    "entry '%s'" % self.name)
        return finish(declared, arrays)

    def _bind(self, given):
        binding = Binding(self._model.symbols, self._sizes)
        binding.bind(self.inputs, given, "step '%s'" % self.name)
        self._check_batch(binding)
        added = binding.sizes[self._info.count_symbol]
        if not added:
            raise Error("no given input tells how many positions '%s' computes" % self.name)
        total = len(self) + added
        if binding.sizes[self._info.length_symbol] not in (0, total):
            raise Error("an input of '%s' is not for the %d positions that the sequence has with the new ones"
                        % (self.name, total))
        binding.sizes[self._info.length_symbol] = total
        return binding

    def _check_batch(self, binding):
        if binding.batch:
            raise Error("a state is of one sequence: its inputs have no batch")
