# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy arrays as tensors of a model: names, types, shapes, values."""
import ctypes
from collections.abc import Mapping

import numpy as np

from . import _abi
from ._library import Error

# What elements are in an array. NumPy has no bf16: its bits are a uint16.
DTYPES = {
    _abi.F32: np.dtype(np.float32),
    _abi.I32: np.dtype(np.int32),
    _abi.BOOL: np.dtype(np.bool_),
    _abi.F16: np.dtype(np.float16),
    _abi.BF16: np.dtype(np.uint16),
    _abi.I8: np.dtype(np.int8),
    _abi.U8: np.dtype(np.uint8),
}
NAMES = {_abi.BF16: "bf16"}


class Tensor:
    """What a model says of an input or an output: `dims` are numbers or names of run-time dimensions."""

    def __init__(self, info, symbols):
        self.name = info.name.decode()
        if info.dtype not in DTYPES:
            raise Error("tensor '%s' has elements of type %d, which is not known here" % (self.name, info.dtype))
        self.code, self.dtype = info.dtype, DTYPES[info.dtype]
        self.symbols = tuple(info.symbols[: info.rank]) if info.rank else ()
        self._extents = tuple(info.dims[: info.rank]) if info.rank else ()
        self.dims = tuple(symbols[s][0] if s >= 0 else d for s, d in zip(self.symbols, self._extents))
        self.optional, self.computed, self.default = bool(info.optional), bool(info.computed), info.default_value
        self.index_bound = info.index_bound

    @property
    def rank(self):
        return len(self.dims)

    @property
    def type_name(self):
        return NAMES.get(self.code, self.dtype.name)

    def __repr__(self):
        return "%s: %s[%s]" % (self.name, self.type_name, ", ".join(map(str, self.dims)))

    def shape(self, sizes):
        """For the values of all symbols."""
        return tuple(sizes[s] if s >= 0 else d for s, d in zip(self.symbols, self._extents))

    def matches(self, shape):
        return all(s >= 0 or d == given for s, d, given in zip(self.symbols, self._extents, shape))


def tensors(array, count, symbols):
    return [Tensor(array[i], symbols) for i in range(count)]


def _fail_at(tensor, array, bad, reason):
    place = np.unravel_index(int(np.argmax(bad)), array.shape)
    raise Error("input '%s': element %s is %s, %s" % (tensor.name, list(map(int, place)), array[place], reason))


def to_bf16(array):
    """The bits of the nearest bf16, of two as near of the even one."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(array), 0x7FC0, rounded).astype(np.uint16)


def from_bf16(bits):
    """As float32, which holds all of them."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)


def _to_reals(tensor, array):
    if tensor.code == _abi.BF16 and array.dtype == np.uint16:
        return array
    with np.errstate(over="ignore"):
        result = to_bf16(array) if tensor.code == _abi.BF16 else array.astype(tensor.dtype, copy=False)
        reals = from_bf16(result) if tensor.code == _abi.BF16 else result
    if result is not array and array.dtype.kind == "f":
        bad = np.isinf(reals) & np.isfinite(array)
        if bad.any():
            _fail_at(tensor, array, bad, "too large for %s" % tensor.type_name)
    return result


def _to_integers(tensor, array):
    if array.dtype.kind not in "iub":
        raise Error("input '%s' is given as %s, the model has %s" % (tensor.name, array.dtype.name, tensor.type_name))
    if array.dtype.kind == "b" and array.dtype == tensor.dtype:
        return array
    if tensor.code == _abi.BOOL:
        least, most, reason = 0, 1, "which is neither 0 nor 1"
    else:
        limits = np.iinfo(tensor.dtype)
        least, most, reason = limits.min, limits.max, "which %s does not hold" % tensor.dtype.name
    if tensor.index_bound > 0:
        least, most = 0, min(most, tensor.index_bound - 1)
        reason = "out of range: ids go from 0 to %d" % (tensor.index_bound - 1)
    if array.size and (array.min() < least or array.max() > most):
        _fail_at(tensor, array, (array < least) | (array > most), reason)
    return array.astype(tensor.dtype, copy=False)


def convert(tensor, given):
    """An array as the model reads it: the given one, if it is of this type, contiguous and aligned, else one copy."""
    array = np.asarray(given)
    if array.dtype.kind not in "iubf":
        raise Error("input '%s' is given as %s, which is no number" % (tensor.name, array.dtype.name))
    is_real = tensor.code in (_abi.F32, _abi.F16, _abi.BF16)
    array = (_to_reals if is_real else _to_integers)(tensor, array)
    return np.require(array, requirements=["C", "A"])


class Binding:
    """The inputs of one call, or of one for each example of a batch: arrays, the values of symbols, the batch."""

    def __init__(self, symbols, sizes=None):
        self.symbols = symbols
        self.sizes = list(sizes) if sizes else [0] * len(symbols)
        self.sources = {s: "the sequence" for s, size in enumerate(self.sizes) if size}
        self.batch, self._batch_source = (), None
        self.arrays, self._shared = [], []

    def bind(self, declared, given, what):
        names = [tensor.name for tensor in declared]
        for name in given:
            if name not in names:
                raise Error("%s has no input '%s'; it has: %s" % (what, name, ", ".join(names) or "none"))
        for tensor in declared:
            value = given.get(tensor.name)
            if value is None and not tensor.optional:
                raise Error("input '%s' is missing; %s needs it" % (tensor.name, what))
            self._add(tensor, value)

    def _add(self, tensor, value):
        array = None if value is None else convert(tensor, value)
        self.arrays.append(array)
        self._shared.append(array is None or array.ndim <= tensor.rank)
        if array is None:
            return
        split = array.ndim - tensor.rank
        shape = array.shape[max(split, 0) :]
        if split < 0 or not tensor.matches(shape):
            raise Error("input '%s' has shape %s, the model declares [%s] (a batch may come before it)"
                        % (tensor.name, list(array.shape), ", ".join(map(str, tensor.dims))))
        self._read_batch(tensor, array.shape[:split])
        for symbol, extent in zip(tensor.symbols, shape):
            if symbol >= 0:
                self._read_symbol(tensor, symbol, extent)

    def _read_batch(self, tensor, batch):
        if not batch:
            return
        if 0 in batch:
            raise Error("input '%s' has an empty batch" % tensor.name)
        if self.batch and self.batch != batch:
            raise Error("input '%s' has a batch of %s, but input '%s' has %s"
                        % (tensor.name, list(batch), self._batch_source, list(self.batch)))
        self.batch, self._batch_source = batch, tensor.name

    def _read_symbol(self, tensor, symbol, extent):
        name, bound = self.symbols[symbol]
        if not 1 <= extent <= bound:
            raise Error("input '%s' has %s = %d, the model takes 1 to %d" % (tensor.name, name, extent, bound),
                        _abi.ERROR_LENGTH)
        source = self.sources.setdefault(symbol, "input '%s'" % tensor.name)
        if self.sizes[symbol] not in (0, extent):
            raise Error("input '%s' has %s = %d, but %s has %s = %d"
                        % (tensor.name, name, extent, source, name, self.sizes[symbol]))
        self.sizes[symbol] = extent

    def check_known(self, declared):
        for tensor in declared:
            for symbol in tensor.symbols:
                if symbol >= 0 and not self.sizes[symbol]:
                    raise Error("no given input tells the value of %s, needed by '%s'"
                                % (self.symbols[symbol][0], tensor.name))

    @property
    def examples(self):
        return int(np.prod(self.batch, dtype=np.int64))

    def pointers(self, example):
        """The addresses of one example's tensors."""
        addresses = []
        for array, shared in zip(self.arrays, self._shared):
            step = 0 if array is None or shared else array.nbytes // self.examples
            addresses.append(None if array is None else array.ctypes.data + example * step)
        return addresses


def addresses(values):
    return (ctypes.c_void_p * max(len(values), 1))(*values)


def sizes_of(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def merge(inputs, named):
    """Inputs may be a dictionary, for names that Python has no keyword for, and keywords."""
    if inputs is not None and not isinstance(inputs, Mapping):
        raise Error("inputs are given by name: a dictionary, or keywords, not %s" % type(inputs).__name__)
    return {**(inputs or {}), **named}


def finish(declared, arrays):
    """One result, or several by their names."""
    results = {t.name: from_bf16(array) if t.code == _abi.BF16 else array for t, array in zip(declared, arrays)}
    return next(iter(results.values())) if len(results) == 1 else results
