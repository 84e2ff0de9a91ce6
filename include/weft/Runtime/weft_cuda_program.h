/*===- weft_cuda_program.h - what code for GPUs asks of libweft_cuda.a -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The contract between a model that is compiled with --target=nvptx and the runtime. The functions
// of the model on the host compute addresses and launch kernels; all that touches the device's
// memory is here. Programs need none of it: their header is weft_cuda.h.
//
// As in weft_model_info.h fields have a fixed width, and the number in brackets is their offset. A
// library holds model and runtime, so this layout may change with any version.
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_RUNTIME_WEFT_CUDA_PROGRAM_H
#define WEFT_RUNTIME_WEFT_CUDA_PROGRAM_H

#include "weft/Runtime/weft_model_info.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The kernels of a model for one architecture. 24 bytes. */
typedef struct weft_cuda_image {
  const char *text;   /* [0] PTX, with a NUL behind */
  int32_t capability; /* [8] 80 for compute capability 8.0 */
  int32_t exact;      /* [12] 1: only devices of this capability run it; 0: newer ones do, too */
  const char *name;   /* [16] "sm_80" */
} weft_cuda_image;

/* What a call needs of a model that does not change. 64 bytes. */
typedef struct weft_cuda_program {
  const weft_model_info *info;   /* [0] */
  const weft_cuda_image *images; /* [8] the best first */
  const char *const *kernels;    /* [16] their names in the PTX; launches count them */
  const void *constants;         /* [24] they lie behind the weights, at the next multiple of 256 */
  int64_t constants_bytes;       /* [32] */
  int64_t scratch_bytes;         /* [40] of the largest arena */
  int32_t image_count;           /* [48] */
  int32_t kernel_count;          /* [52] */
  int32_t symbol_count;          /* [56] */
  int32_t reserved;              /* [60] */
} weft_cuda_program;

/* What a tensor of a call is. */
enum {
  WEFT_CUDA_INPUT = 0,  /* copied to the device, unless it lies there */
  WEFT_CUDA_OUTPUT = 1, /* copied from it */
  WEFT_CUDA_PART = 2    /* of the state: it stays there */
};

/* A place in the list of tensors. 64 bytes. */
typedef struct weft_cuda_place {
  int64_t bytes;          /* [0] times the values of `symbols`; of a window: of a row */
  const int32_t *symbols; /* [8] */
  int32_t symbol_count;   /* [16] */
  int32_t kind;           /* [20] WEFT_CUDA_INPUT, ... */
  int32_t fills;          /* [24] 1: a null pointer stands for elements with these bits */
  uint32_t fill;          /* [28] of four bytes: of one element, or of several */
  int64_t offset;         /* [32] of a part: from the start of the sequence's memory */
  int64_t reach;          /* [40] of a window: how many positions back are read */
  int64_t rows;           /* [48] of a window: for how many there is room */
  int32_t window;         /* [56] its number among those of the state; -1: no window */
  int32_t step;           /* [60] of a window: the first position in it is a multiple of this */
} weft_cuda_place;

/* Computes addresses and launches kernels: `weights`, `scratch`, `frame` and the tensors are
 * addresses of the device, the lists lie on the host. */
typedef void (*weft_cuda_body)(const void *weights, void *scratch, const int64_t *sizes,
                               void *frame, void *const *tensors);

/* An entry, a step or a start. 40 bytes. */
typedef struct weft_cuda_function {
  weft_cuda_body body;           /* [0] */
  const weft_cuda_place *places; /* [8] */
  int64_t state_bytes;           /* [16] of a sequence's memory on the device; 0: no state */
  int32_t place_count;           /* [24] */
  int32_t slot_word;             /* [28] of a state: the word with the number of its memory; the
                                    next one is the serial number of its last call, 0 for none */
  int32_t window_count;          /* [32] of a state */
  int32_t count_symbol;          /* [36] whose value is the number of new positions; -1: a start */
} weft_cuda_function;

/* Runs `function` on `tensors`, of which those of a state are not read. `state` is null for an
 * entry; its first word is the number of positions. Returns an error code. */
int weft_cuda_call(const weft_cuda_program *program, const weft_cuda_function *function,
                   const void *weights, int64_t *state, const int64_t *sizes, void *const *tensors);

/* What bodies call: a kernel of the program that runs, on a grid of one dimension, blocks with so
 * many bytes of shared memory beside what it declares, and its `count` arguments: pointers, of
 * which the last `map_count` are to maps that `weft_cuda_encode` made, which the kernel gets as
 * they are. The first error of a call ends it. */
void weft_cuda_launch(int32_t kernel, int64_t blocks, int32_t threads, int32_t shared_bytes,
                      const void *const *arguments, int32_t count, int32_t map_count);

/* For which compute capability the kernels are that were loaded, 90 for sm_90a; the processors of
 * the device. */
int32_t weft_cuda_chip(void);
int32_t weft_cuda_processors(void);

/* How a tensor is copied in boxes: what is known of it at compile time. 32 bytes. */
typedef struct weft_cuda_box {
  int32_t type;   /* [0] of its elements, a CUtensorMapDataType */
  int32_t rank;   /* [4] */
  int32_t box[5]; /* [8] elements, of the dimension that lies side by side first; 128 bytes of it */
  int32_t reserved; /* [28] */
} weft_cuda_box;

/* Makes the 128 bytes that the driver calls a CUtensorMap of a tensor at a device address.
 * `numbers` are its sizes and then, for all dimensions but the first, bytes from one to the next.
 */
void weft_cuda_encode(void *map, const weft_cuda_box *box, const void *address,
                      const int64_t *numbers);

/* Around launches, in a model compiled with --profile: the kernel's number in weft_model_info. */
void weft_cuda_profile_begin(int32_t kernel);
void weft_cuda_profile_end(int32_t kernel);

#ifdef __cplusplus
}
#endif

#endif /* WEFT_RUNTIME_WEFT_CUDA_PROGRAM_H */
