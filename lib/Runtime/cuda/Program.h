/*===- Program.h - models on the device: kernels and weights -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_CUDA_PROGRAM_H
#define WEFT_LIB_RUNTIME_CUDA_PROGRAM_H

#include "weft/Runtime/weft_cuda_program.h"

#include "Device.h"
#include "Graph.h"

/* A model that was called. */
typedef struct WeftProgram {
  const weft_cuda_program *source;
  CUmodule module;
  const weft_cuda_image *image; /* that was loaded */
  CUfunction *kernels;          /* in the order of the source */
  int32_t *shared;              /* bytes of shared memory that each has been given leave for */
  WeftBuffer scratch;
  WeftBuffer tensors; /* of a call: the frame, inputs and outputs */
  WeftGraphs graphs;
  struct WeftProgram *next;
} WeftProgram;

/* The model on the device: loads its kernels when it is called first. */
WEFT_HIDDEN int weft_cuda_find_program(const weft_cuda_program *source, WeftProgram **program);
WEFT_HIDDEN void weft_cuda_drop_programs(void);

/* The address of the weights on the device, with the model's constants behind them: copied when
 * they are asked for first. */
WEFT_HIDDEN int weft_cuda_find_weights(const weft_cuda_program *program, const void *weights,
                                       CUdeviceptr *address);
WEFT_HIDDEN void weft_cuda_drop_weights(void);

#endif
