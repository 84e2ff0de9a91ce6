/*===- DeviceWeights.c - weights on the device ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// Weights that lie in the same memory of the host, have the same size and belong to the same model
// are the same, until somebody says that they are not (weft_cuda_forget).

#include "Program.h"

#include "weft/Runtime/weft_cuda.h"

#include <stdlib.h>

typedef struct Weights {
  const weft_cuda_program *program; /* whose constants lie behind them */
  const void *host;
  WeftBuffer device;
  struct Weights *next;
} Weights;

static Weights *known;

static int copyIn(CUdeviceptr to, const void *from, int64_t bytes) {
  if (bytes == 0)
    return WEFT_OK;
  return weft_cuda_check(
      weft_cuda_driver.cuMemcpyHtoDAsync_v2(to, from, (size_t)bytes, weft_cuda_device.stream),
      "take the weights");
}

static int upload(Weights *weights) {
  const weft_cuda_program *program = weights->program;
  int64_t bytes = program->info->weights_bytes, begin = weft_cuda_align(bytes);
  if (begin + program->constants_bytes == 0)
    return WEFT_OK;
  int code = weft_cuda_reserve(&weights->device, begin + program->constants_bytes, "the weights");
  if (code == WEFT_OK)
    code = copyIn(weights->device.address, weights->host, bytes);
  if (code == WEFT_OK)
    code = copyIn(weights->device.address + (CUdeviceptr)begin, program->constants,
                  program->constants_bytes);
  return code == WEFT_OK ? weft_cuda_wait() : code;
}

int weft_cuda_find_weights(const weft_cuda_program *program, const void *host,
                           CUdeviceptr *address) {
  if (program->info->weights_bytes == 0)
    host = NULL; /* whatever was passed */
  Weights *weights = known;
  while (weights && (weights->host != host || weights->program != program))
    weights = weights->next;
  if (!weights) {
    weights = calloc(1, sizeof *weights);
    if (!weights)
      return WEFT_ERROR_MEMORY;
    weights->program = program;
    weights->host = host;
    int code = upload(weights);
    if (code != WEFT_OK) {
      weft_cuda_give_back(&weights->device);
      free(weights);
      return code;
    }
    weights->next = known;
    known = weights;
  }
  *address = weights->device.address;
  return WEFT_OK;
}

/* Drops those that lie at `host`, or all if it is null. */
static void drop(const void *host) {
  for (Weights **link = &known; *link;) {
    Weights *weights = *link;
    if (host && weights->host != host) {
      link = &weights->next;
      continue;
    }
    *link = weights->next;
    weft_cuda_give_back(&weights->device);
    free(weights);
  }
}

void weft_cuda_drop_weights(void) { drop(NULL); }

void weft_cuda_forget(const void *host) {
  if (!host || !weft_cuda_driver.cuInit || weft_cuda_enter() != WEFT_OK)
    return;
  drop(host);
  weft_cuda_leave();
}
