/*===- Graph.h - launches that come again --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#ifndef WEFT_LIB_RUNTIME_CUDA_GRAPH_H
#define WEFT_LIB_RUNTIME_CUDA_GRAPH_H

#include "Driver.h"

struct WeftProgram;

typedef struct {
  int32_t kernel, threads, argument_count;
  int64_t blocks;
} WeftLaunch;

/* What a call launches, in order. */
typedef struct {
  WeftLaunch *launches;
  const void **arguments; /* of all launches */
  size_t count, room, argument_count, argument_room;
} WeftLaunchList;

enum { WEFT_MOST_GRAPHS = 8 };

typedef struct {
  WeftLaunchList list;
  CUgraphExec exec; /* null: it came once, or cannot be captured */
  int plain;        /* it cannot */
  uint64_t used;    /* the call that had it last; 0: free */
} WeftGraph;

/* The graphs of a model. A step's launches differ in nothing from token to token: what changes is
 * in the frame, so one graph serves all lengths. */
typedef struct {
  WeftGraph graphs[WEFT_MOST_GRAPHS];
  uint64_t calls;
} WeftGraphs;

/* Notes a launch of the call that runs; begins with nothing. */
WEFT_HIDDEN void weft_cuda_clear_launches(void);
WEFT_HIDDEN int weft_cuda_note_launch(int32_t kernel, int64_t blocks, int32_t threads,
                                      const void *const *arguments, int32_t count);
/* Launches what was noted: one by one, or as the graph of an earlier call with the same. */
WEFT_HIDDEN int weft_cuda_run_launches(struct WeftProgram *program);
WEFT_HIDDEN int weft_cuda_launch_now(const struct WeftProgram *program, const WeftLaunch *launch,
                                     const void *const *arguments);
WEFT_HIDDEN void weft_cuda_drop_graphs(WeftGraphs *graphs);

#endif
