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

/* A map is so many words (CUtensorMap). */
enum { WEFT_MAP_WORDS = 16 };

/* Its arguments are pointers, a word each, and then maps. */
typedef struct {
  int32_t kernel, threads, shared_bytes, pointer_count, map_count;
  int64_t blocks;
} WeftLaunch;

/* What a call launches, in order. */
typedef struct {
  WeftLaunch *launches;
  uint64_t *words; /* arguments of all launches */
  size_t count, room, word_count, word_room;
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

/* Notes a launch of the call that runs, with what maps hold now; begins with nothing. */
WEFT_HIDDEN void weft_cuda_clear_launches(void);
WEFT_HIDDEN int weft_cuda_note_launch(const WeftLaunch *launch, const void *const *arguments);
/* Launches what was noted: one by one, or as the graph of an earlier call with the same. */
WEFT_HIDDEN int weft_cuda_launch_noted(struct WeftProgram *program);
WEFT_HIDDEN int weft_cuda_run_launches(struct WeftProgram *program);
WEFT_HIDDEN void weft_cuda_drop_graphs(WeftGraphs *graphs);

#endif
