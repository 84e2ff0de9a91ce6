/*===- weft_cuda.h - memory of the GPU, for programs that call models ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A model that is compiled with --target=nvptx has the header and the functions of any other. What
// it needs of the GPU it gets from the driver, which is opened by the first call: the library that
// $WEFT_CUDA_DRIVER names, or libcuda.so.1. The device is the first one that the driver shows
// (CUDA_VISIBLE_DEVICES). All of this is in libweft_cuda.a, and in the libraries that weftc makes.
//
// A tensor that is an argument of a call may lie in the device's memory, aligned to 16 bytes: then
// it is not copied. Functions return 0 or WEFT_ERROR_DEVICE, which weft_error_string explains for
// the last error of the calling thread. Calls of models are done one after the other, from
// whichever threads they come.
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_RUNTIME_WEFT_CUDA_H
#define WEFT_RUNTIME_WEFT_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `bytes` bytes of the device's memory, of any content. */
int weft_cuda_allocate(int64_t bytes, void **address);
/* Gives back what weft_cuda_allocate gave; null is harmless. */
int weft_cuda_release(void *address);
/* Copies between host and device, in either direction, or on the device, where they may not
 * overlap. When it returns, all is copied. */
int weft_cuda_copy(void *to, const void *from, int64_t bytes);

/* Weights are copied to the device by the first call that uses them, and known by their address:
 * who changes them, or maps another file there, says so. weft_weights_close does. */
void weft_cuda_forget(const void *weights);

/* Gives back all that models keep on the device: weights, states, kernels. Before a library is
 * closed; later calls begin anew, but sequences are lost. */
void weft_cuda_shutdown(void);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_WEFT_CUDA_H */
