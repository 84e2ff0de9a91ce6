/*===- Graph.c - launches that come again --------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

// The body of a call says what it launches, which is little work for the host; if a call before it
// launched the same, on the same grids with the same arguments, the driver gets all of it at once,
// as a graph. That is captured when launches come for the second time.

#include "Graph.h"

#include "Device.h"
#include "Program.h"

#include <stdlib.h>
#include <string.h>

/* Of the call that runs: there is one at a time. */
static WeftLaunchList noted;

static int reserve(void **memory, size_t *room, size_t wanted, size_t size) {
  if (wanted <= *room)
    return WEFT_OK;
  size_t next = wanted < 64 ? 64 : 2 * wanted;
  void *larger = realloc(*memory, next * size);
  if (!larger)
    return WEFT_ERROR_MEMORY;
  *memory = larger;
  *room = next;
  return WEFT_OK;
}

static int makeRoom(WeftLaunchList *list, size_t count, size_t argument_count) {
  int code = reserve((void **)&list->launches, &list->room, count, sizeof *list->launches);
  if (code == WEFT_OK)
    code = reserve((void **)&list->arguments, &list->argument_room, argument_count,
                   sizeof *list->arguments);
  return code;
}

void weft_cuda_clear_launches(void) { noted.count = noted.argument_count = 0; }

int weft_cuda_note_launch(int32_t kernel, int64_t blocks, int32_t threads,
                          const void *const *arguments, int32_t count) {
  int code = makeRoom(&noted, noted.count + 1, noted.argument_count + (size_t)count);
  if (code != WEFT_OK)
    return code;
  WeftLaunch launch;
  memset(&launch, 0, sizeof launch); /* lists are compared as bytes */
  launch.kernel = kernel;
  launch.threads = threads;
  launch.argument_count = count;
  launch.blocks = blocks;
  noted.launches[noted.count++] = launch;
  memcpy(noted.arguments + noted.argument_count, arguments, (size_t)count * sizeof *arguments);
  noted.argument_count += (size_t)count;
  return WEFT_OK;
}

int weft_cuda_launch_now(const WeftProgram *program, const WeftLaunch *launch,
                         const void *const *arguments) {
  enum { MOST_ARGUMENTS = 512 };
  void *places[MOST_ARGUMENTS];
  const char *name = program->source->kernels[launch->kernel];
  if (launch->argument_count > MOST_ARGUMENTS || launch->blocks > INT32_MAX)
    return weft_cuda_fail("kernel '%s' is too large: %lld blocks, %d arguments", name,
                          (long long)launch->blocks, launch->argument_count);
  for (int32_t i = 0; i < launch->argument_count; ++i)
    places[i] = (void *)(uintptr_t)&arguments[i];
  return weft_cuda_check(weft_cuda_driver.cuLaunchKernel(program->kernels[launch->kernel],
                                                         (unsigned)launch->blocks, 1, 1,
                                                         (unsigned)launch->threads, 1, 1, 0,
                                                         weft_cuda_device.stream, places, NULL),
                         name);
}

static int launchAll(const WeftProgram *program, const WeftLaunchList *list) {
  const void *const *arguments = list->arguments;
  int code = WEFT_OK;
  for (size_t i = 0; code == WEFT_OK && i < list->count; ++i) {
    code = weft_cuda_launch_now(program, &list->launches[i], arguments);
    arguments += list->launches[i].argument_count;
  }
  return code;
}

//===----------------------------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------------------------===//

static int isSame(const WeftLaunchList *one, const WeftLaunchList *other) {
  return one->count == other->count && one->argument_count == other->argument_count &&
         memcmp(one->launches, other->launches, one->count * sizeof *one->launches) == 0 &&
         memcmp(one->arguments, other->arguments, one->argument_count * sizeof *one->arguments) ==
             0;
}

/* A driver that lacks graphs, or cannot capture, launches kernels one by one. */
static CUgraphExec capture(const WeftProgram *program) {
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  CUstream stream = weft_cuda_device.stream;
  if (!weft_cuda_driver.cuStreamBeginCapture_v2 || !weft_cuda_driver.cuStreamEndCapture ||
      !weft_cuda_driver.cuGraphInstantiateWithFlags || !weft_cuda_driver.cuGraphLaunch ||
      !weft_cuda_driver.cuGraphDestroy || !weft_cuda_driver.cuGraphExecDestroy ||
      weft_cuda_driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) !=
          CUDA_SUCCESS)
    return NULL;
  int code = launchAll(program, &noted);
  if (weft_cuda_driver.cuStreamEndCapture(stream, &graph) != CUDA_SUCCESS || !graph)
    return NULL;
  if (code != WEFT_OK ||
      weft_cuda_driver.cuGraphInstantiateWithFlags(&exec, graph, 0) != CUDA_SUCCESS)
    exec = NULL;
  weft_cuda_driver.cuGraphDestroy(graph);
  return exec;
}

static void dropGraph(WeftGraph *graph) {
  if (graph->exec)
    weft_cuda_driver.cuGraphExecDestroy(graph->exec);
  graph->exec = NULL;
  graph->plain = 0;
  graph->used = 0;
}

void weft_cuda_drop_graphs(WeftGraphs *graphs) {
  for (int i = 0; i < WEFT_MOST_GRAPHS; ++i) {
    dropGraph(&graphs->graphs[i]);
    free(graphs->graphs[i].list.launches);
    free(graphs->graphs[i].list.arguments);
    memset(&graphs->graphs[i], 0, sizeof graphs->graphs[i]);
  }
}

/* Notes the launches in place of those that came longest ago. */
static void remember(WeftGraphs *graphs) {
  WeftGraph *oldest = &graphs->graphs[0];
  for (int i = 1; i < WEFT_MOST_GRAPHS; ++i)
    if (graphs->graphs[i].used < oldest->used)
      oldest = &graphs->graphs[i];
  dropGraph(oldest);
  if (makeRoom(&oldest->list, noted.count, noted.argument_count) != WEFT_OK)
    return;
  oldest->list.count = noted.count;
  oldest->list.argument_count = noted.argument_count;
  memcpy(oldest->list.launches, noted.launches, noted.count * sizeof *noted.launches);
  memcpy(oldest->list.arguments, noted.arguments, noted.argument_count * sizeof *noted.arguments);
  oldest->used = graphs->calls;
}

int weft_cuda_run_launches(WeftProgram *program) {
  WeftGraphs *graphs = &program->graphs;
  if (noted.count == 0)
    return WEFT_OK;
  ++graphs->calls;
  for (int i = 0; i < WEFT_MOST_GRAPHS; ++i) {
    WeftGraph *graph = &graphs->graphs[i];
    if (graph->used == 0 || !isSame(&graph->list, &noted))
      continue;
    graph->used = graphs->calls;
    if (!graph->exec && !graph->plain) {
      graph->exec = capture(program);
      graph->plain = !graph->exec;
    }
    if (graph->plain)
      return launchAll(program, &noted);
    return weft_cuda_check(weft_cuda_driver.cuGraphLaunch(graph->exec, weft_cuda_device.stream),
                           "run a graph");
  }
  remember(graphs);
  return launchAll(program, &noted);
}
