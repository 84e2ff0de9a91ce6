# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled library, its weights, and memory."""
import ctypes
import glob
import os
import tempfile
import weakref

from . import _abi


class Error(Exception):
    """What went wrong, in a sentence; `code` is one of weft_model_info.h (WEFT_ERROR_LENGTH is 1, ...)."""

    def __init__(self, message, code=_abi.ERROR_ARGUMENT):
        super().__init__(message)
        self.code = code


_free = ctypes.CDLL(None).free
_free.restype, _free.argtypes = None, [ctypes.c_void_p]


class Memory:
    """Bytes aligned to 64, on huge pages where that pays; given back with the object."""

    def __init__(self, library, size):
        self.address, self.size = library.weft_allocate(size), size
        if not self.address:
            raise Error("out of memory: %d bytes" % size, _abi.ERROR_MEMORY)
        weakref.finalize(self, _free, self.address)


class Weights:
    """The weights of a model, mapped from `path` or in the model itself; given back with the object."""

    def __init__(self, library, info, path, flags):
        self._weights = _abi.weft_weights()
        message = ctypes.create_string_buffer(1024)
        name = os.fsencode(path) if path else None
        code = library.weft_weights_open_flags(name, info, flags, self._weights, message, len(message))
        if code != _abi.OK:
            raise Error(os.fsdecode(message.value), code)
        self._finalize = weakref.finalize(self, library.weft_weights_close, self._weights)

    def close(self):
        self._finalize()

    @property
    def address(self):
        if not self._finalize.alive:
            raise Error("the model was closed")
        return self._weights.data


def find(path):
    """The library that `path` is, or that is the only one in the folder."""
    if not os.path.isdir(path):
        return path
    found = sorted(glob.glob(os.path.join(glob.escape(path), "*.so")))
    if len(found) != 1:
        raise Error("%s: %s" % (path, "several libraries, name one" if found else "no library (.so) in this folder"),
                    _abi.ERROR_FILE)
    return found[0]


def _declare(library, functions, path):
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise Error("%s: not a model compiled by weftc: it has no %s" % (path, name), _abi.ERROR_FILE) from None
        function.restype, function.argtypes = result, arguments


_first_of_name = {}


def _load(path):
    """The library that the file is now: the system gives the one that it has under a name, whatever was written there since."""
    path = os.path.abspath(path)  # a name without a slash would be searched for in the system's folders
    status = os.stat(path)
    file = status.st_dev, status.st_ino
    if _first_of_name.setdefault(path, file) == file:
        return ctypes.CDLL(path)
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        alias = os.path.join(folder, os.path.basename(path))
        os.symlink(path, alias)
        return ctypes.CDLL(alias)


def open_library(path):
    """The library and the description of its model."""
    try:
        library = _load(path)
    except OSError as error:
        reason = error if os.path.exists(path) else "no such file"
        raise Error("%s: cannot load: %s" % (path, reason), _abi.ERROR_FILE) from None
    _declare(library, _abi.FUNCTIONS, path)
    info = library.weft_get_info()
    version = info.contents.abi_version
    if not _abi.ABI_OLDEST <= version <= _abi.ABI_VERSION:
        raise Error("%s: compiled for interface version %d, this package knows versions %d to %d"
                    % (path, version, _abi.ABI_OLDEST, _abi.ABI_VERSION), _abi.ERROR_VERSION)
    if info.contents.threaded:
        _declare(library, _abi.THREAD_FUNCTIONS, path)
    return library, info
