# Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structures of weft/Runtime/weft_model_info.h and weft_runtime.h, field by field.

test/Python/abi.test compares names, sizes and offsets with the C headers.
"""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int32, c_int64, c_uint64, c_void_p

ABI_VERSION, ABI_OLDEST = 7, 4

OK = 0
ERROR_LENGTH, ERROR_INDEX, ERROR_ARGUMENT, ERROR_FILE, ERROR_WEIGHTS = 1, 2, 3, 4, 5
ERROR_VERSION, ERROR_MEMORY, ERROR_PROCESSOR, ERROR_DEVICE = 6, 7, 8, 9

F32, I32, BOOL, F16, BF16, I8, U8 = range(7)

# Lists are handed over as addresses, and so are weights, scratch and states.
Call = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
StepCall = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)


class weft_symbol_info(Structure):
    _fields_ = [("name", c_char_p), ("bound", c_int64)]


class weft_tensor_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("dims", POINTER(c_int64)),
        ("symbols", POINTER(c_int32)),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("optional", c_int32),
        ("computed", c_int32),
        ("default_value", c_double),
        ("index_bound", c_int64),
    ]


class weft_entry_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("call", Call),
        ("scratch_bytes", c_int64),
        ("inputs", POINTER(weft_tensor_info)),
        ("outputs", POINTER(weft_tensor_info)),
        ("input_count", c_int32),
        ("output_count", c_int32),
        ("flops", c_double * 3),
        ("flops_symbol", c_int32),
        ("reserved", c_int32),
    ]


class weft_step_info(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("call", StepCall),
        ("start", StepCall),
        ("state_bytes", c_int64),
        ("scratch_bytes", c_int64),
        ("inputs", POINTER(weft_tensor_info)),
        ("outputs", POINTER(weft_tensor_info)),
        ("start_inputs", POINTER(weft_tensor_info)),
        ("input_count", c_int32),
        ("output_count", c_int32),
        ("start_input_count", c_int32),
        ("entry", c_int32),
        ("length_symbol", c_int32),
        ("count_symbol", c_int32),
        ("last", StepCall),
        ("last_outputs", POINTER(weft_tensor_info)),
        ("last_symbol", c_int32),
        ("reserved", c_int32),
    ]


class weft_model_info(Structure):
    _fields_ = [
        ("abi_version", c_int32),
        ("threaded", c_int32),
        ("name", c_char_p),
        ("compiler", c_char_p),
        ("target", c_char_p),
        ("fingerprint", c_uint64),
        ("weights_bytes", c_int64),
        ("parameter_count", c_int64),
        ("peak_bytes", c_int64),
        ("embedded_weights", c_void_p),
        ("symbols", POINTER(weft_symbol_info)),
        ("entries", POINTER(weft_entry_info)),
        ("kernels", c_void_p),
        ("symbol_count", c_int32),
        ("entry_count", c_int32),
        ("kernel_count", c_int32),
        ("generate_entry", c_int32),
        ("generate_output", c_int32),
        ("generate_symbol", c_int32),
        ("generate_input", c_int32),
        ("step_count", c_int32),
        ("steps", POINTER(weft_step_info)),
        ("features", c_char_p),
        ("processor", c_void_p),
        ("kernel_counts", c_void_p),
        ("entry_flops", c_void_p),
    ]


class weft_weights(Structure):
    _fields_ = [("data", c_void_p), ("size", c_int64)]


# The functions of a library: what they return and take.
FUNCTIONS = {
    "weft_get_info": (POINTER(weft_model_info), []),
    "weft_error_string": (c_char_p, [c_int]),
    "weft_weights_open_flags": (
        c_int,
        [c_char_p, POINTER(weft_model_info), c_int, POINTER(weft_weights), c_char_p, ctypes.c_size_t],
    ),
    "weft_weights_close": (None, [POINTER(weft_weights)]),
    "weft_allocate": (c_void_p, [c_int64]),
}
THREAD_FUNCTIONS = {"weft_set_threads": (None, [c_int]), "weft_get_threads": (c_int, [])}
