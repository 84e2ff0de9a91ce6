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

static int makeRoom(WeftLaunchList *list, size_t count, size_t word_count) {
  int code = reserve((void **)&list->launches, &list->room, count, sizeof *list->launches);
  if (code == WEFT_OK)
    code = reserve((void **)&list->words, &list->word_room, word_count, sizeof *list->words);
  return code;
}

static size_t countWords(const WeftLaunch *launch) {
  return (size_t)launch->pointer_count + WEFT_MAP_WORDS * (size_t)launch->map_count;
}

void weft_cuda_clear_launches(void) { noted.count = noted.word_count = 0; }

int weft_cuda_note_launch(const WeftLaunch *launch, const void *const *arguments) {
  int code = makeRoom(&noted, noted.count + 1, noted.word_count + countWords(launch));
  if (code != WEFT_OK)
    return code;
  noted.launches[noted.count++] = *launch;
  uint64_t *words = noted.words + noted.word_count;
  for (int32_t i = 0; i < launch->pointer_count; ++i)
    *words++ = (uintptr_t)*arguments++;
  for (int32_t i = 0; i < launch->map_count; ++i, words += WEFT_MAP_WORDS)
    memcpy(words, *arguments++, WEFT_MAP_WORDS * sizeof *words);
  noted.word_count += countWords(launch);
  return WEFT_OK;
}

/* More shared memory than any kernel may have has to be asked for, once. */
static int raiseShared(WeftProgram *program, const WeftLaunch *launch) {
  if (launch->shared_bytes <= program->shared[launch->kernel])
    return CUDA_SUCCESS;
  program->shared[launch->kernel] = launch->shared_bytes;
  return weft_cuda_driver.cuFuncSetAttribute(program->kernels[launch->kernel],
                                             CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                             launch->shared_bytes);
}

/* Kernels for sm_90 begin by waiting until those before them are done, so the driver may get them
 * ready before that: a launch takes the device less time. Others it begins one after the other. */
static int launchKernel(WeftProgram *program, const WeftLaunch *launch, void **places) {
  CUfunction kernel = program->kernels[launch->kernel];
  unsigned blocks = (unsigned)launch->blocks, threads = (unsigned)launch->threads;
  unsigned shared = (unsigned)launch->shared_bytes;
  CUstream stream = weft_cuda_device.stream;
  if (program->image->capability < 90 || !weft_cuda_driver.cuLaunchKernelEx)
    return weft_cuda_driver.cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, shared, stream,
                                           places, NULL);
  WeftLaunchAttribute early = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
  early.value.allowed = 1;
  WeftLaunchConfig config = {{blocks, 1, 1}, {threads, 1, 1}, shared, stream, &early, 1};
  return weft_cuda_driver.cuLaunchKernelEx(&config, kernel, places, NULL);
}

static int launchOne(WeftProgram *program, const WeftLaunch *launch, uint64_t *words) {
  enum { MOST_ARGUMENTS = 512 };
  void *places[MOST_ARGUMENTS];
  const char *name = program->source->kernels[launch->kernel];
  int32_t count = launch->pointer_count + launch->map_count;
  if (count > MOST_ARGUMENTS || launch->blocks > INT32_MAX || !program->kernels[launch->kernel])
    return weft_cuda_fail("kernel '%s' cannot be run: %lld blocks, %d arguments, for %s", name,
                          (long long)launch->blocks, count, program->image->name);
  for (int32_t i = 0; i < count; ++i) {
    places[i] = words;
    words += i < launch->pointer_count ? 1 : WEFT_MAP_WORDS;
  }
  int result = raiseShared(program, launch);
  if (result == CUDA_SUCCESS)
    result = launchKernel(program, launch, places);
  return weft_cuda_check(result, name);
}

int weft_cuda_launch_noted(WeftProgram *program) {
  uint64_t *words = noted.words;
  int code = WEFT_OK;
  for (size_t i = 0; code == WEFT_OK && i < noted.count; ++i) {
    code = launchOne(program, &noted.launches[i], words);
    words += countWords(&noted.launches[i]);
  }
  return code;
}

//===----------------------------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------------------------===//

static int isSame(const WeftLaunchList *one, const WeftLaunchList *other) {
  return one->count == other->count && one->word_count == other->word_count &&
         memcmp(one->launches, other->launches, one->count * sizeof *one->launches) == 0 &&
         memcmp(one->words, other->words, one->word_count * sizeof *one->words) == 0;
}

/* A driver that lacks graphs, or cannot capture, launches kernels one by one. */
static CUgraphExec capture(WeftProgram *program) {
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  CUstream stream = weft_cuda_device.stream;
  if (!weft_cuda_driver.cuStreamBeginCapture_v2 || !weft_cuda_driver.cuStreamEndCapture ||
      !weft_cuda_driver.cuGraphInstantiateWithFlags || !weft_cuda_driver.cuGraphLaunch ||
      !weft_cuda_driver.cuGraphDestroy || !weft_cuda_driver.cuGraphExecDestroy ||
      weft_cuda_driver.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) !=
          CUDA_SUCCESS)
    return NULL;
  int code = weft_cuda_launch_noted(program);
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
    free(graphs->graphs[i].list.words);
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
  if (makeRoom(&oldest->list, noted.count, noted.word_count) != WEFT_OK)
    return;
  oldest->list.count = noted.count;
  oldest->list.word_count = noted.word_count;
  memcpy(oldest->list.launches, noted.launches, noted.count * sizeof *noted.launches);
  memcpy(oldest->list.words, noted.words, noted.word_count * sizeof *noted.words);
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
      return weft_cuda_launch_noted(program);
    return weft_cuda_check(weft_cuda_driver.cuGraphLaunch(graph->exec, weft_cuda_device.stream),
                           "run a graph");
  }
  remember(graphs);
  return weft_cuda_launch_noted(program);
}
