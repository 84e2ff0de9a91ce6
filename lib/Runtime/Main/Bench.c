/*===- Bench.c - latency and speed --------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "Program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

enum { LeastRuns = 5, MostInASecond = 1000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int byValue(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void printTimes(const weft_model_info *info, const Binding *call, const double *seconds,
                       int64_t runs, FILE *out) {
  const weft_entry_info *entry = call->entry;
  double median = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
  fprintf(out, "entry %s", entry->name);
  for (int32_t i = 0; i < info->symbol_count; ++i)
    if (!countsNew(info, i))
      fprintf(out, ", %s = %" PRId64, info->symbols[i].name, call->sizes[i]);
  fprintf(out, ", threads = %d: median %.3f ms, min %.3f ms (%" PRId64 " runs)",
          info->threaded ? weft_get_threads() : 1, 1e3 * median, 1e3 * seconds[0], runs);
  int32_t symbol = entry->flops_symbol >= 0 ? entry->flops_symbol : info->generate_symbol;
  double n = symbol >= 0 ? (double)call->sizes[symbol] : 0;
  if (symbol >= 0)
    fprintf(out, ", %.0f tokens/s", n / median);
  const double *flops = entry->flops;
  double rate = 1e-9 *
                (entry->flops_symbol < 0 ? flops[0] : flops[0] + flops[1] * n + flops[2] * n * n) /
                median;
  if (rate > 0)
    fprintf(out, ", %.*f GFLOP/s", rate < 1 ? 2 : 1, rate);
  fputc('\n', out);
}

/* Calls of one length, after one that reads the weights and starts the threads. */
static int measure(const weft_model_info *info, const Binding *call, const weft_weights *weights,
                   void *scratch, int64_t runs, FILE *out) {
  int64_t most = runs ? runs : MostInASecond;
  double *seconds = malloc((size_t)most * sizeof *seconds), total = 0;
  if (!seconds)
    return fail("out of memory");
  int status = runEntry(call, weights, scratch);
  int64_t done = 0;
  while (!status && done < most && (runs || done < LeastRuns || total < 1)) {
    double start = now();
    status = runEntry(call, weights, scratch);
    total += seconds[done++] = now() - start;
  }
  if (!status) {
    qsort(seconds, (size_t)done, sizeof *seconds, byValue);
    printTimes(info, call, seconds, done, out);
  }
  free(seconds);
  return status;
}

static int benchLength(const weft_model_info *info, const weft_weights *weights, void *scratch,
                       const Options *options, int64_t length, FILE *out) {
  Binding call;
  int status = makeUp(info, options->entry, length, &call);
  if (!status)
    status = measure(info, &call, weights, scratch, options->runs, out);
  releaseBinding(&call);
  return status;
}

int benchModel(const weft_model_info *info, const weft_weights *weights, void *scratch,
               const Options *options, FILE *out) {
  int64_t bound = 1;
  for (int32_t i = 0; i < info->symbol_count; ++i)
    bound = info->symbols[i].bound > bound ? info->symbols[i].bound : bound;
  if (!options->lengths)
    return benchLength(info, weights, scratch, options, bound < 128 ? bound : 128, out);
  int status = Done;
  const char *next = options->lengths;
  while (!status && *next) {
    char *end;
    int64_t length = strtoll(next, &end, 10); /* it was looked at */
    if (length < 1 || length > bound)
      return fail("--length=%" PRId64 ": the model takes 1 to %" PRId64, length, bound);
    status = benchLength(info, weights, scratch, options, length, out);
    next = *end ? end + 1 : end;
  }
  return status;
}
