/*===- Main.c - the main function of a model that is compiled to a program ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// usage: PROGRAM [LENGTH [RUNS]]. Prints the model's interface, then calls every entry on made-up
// inputs (ids 0, 1, 2, ..., reals between -1 and 1, truth values 1) of the given length (default:
// the bounds) and prints the least time and a few numbers of every output. The weights are in the
// file of the program's name with suffix .weights.
//===----------------------------------------------------------------------------------------===*/

#define _POSIX_C_SOURCE 200809L

#include "weft/Runtime/weft_runtime.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_TENSORS = 64, MAX_SYMBOLS = 16, SHOWN = 4 };

extern const weft_model_info *weft_get_info(void);

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* The number of elements; -1 if their bytes are beyond counting. */
static int64_t countOf(const weft_tensor_info *tensor, const int64_t *sizes) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i) {
    int64_t size = tensor->symbols[i] >= 0 ? sizes[tensor->symbols[i]] : tensor->dims[i];
    if (size > 0 && count > INT64_MAX / 4 / size)
      return -1;
    count *= size;
  }
  return count;
}

/* What the table of the types says of those of tensors, by their numbers. */
enum { Real, Int, Bool };
static const struct {
  int kind, bytes, exponent;
  const char *name;
} types[] = {
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  [CODE] = {KIND, BITS / 8, EXPONENT, TEXT_NAME},
#include "weft/Support/ElementTypes.def"
};

static int64_t bytesOf(const weft_tensor_info *tensor, const int64_t *sizes) {
  return countOf(tensor, sizes) * types[tensor->dtype].bytes;
}

static void printTensor(const char *kind, const weft_model_info *info,
                        const weft_tensor_info *tensor) {
  printf("  %s %s: %s[", kind, tensor->name, types[tensor->dtype].name);
  for (int32_t i = 0; i < tensor->rank; ++i) {
    if (tensor->symbols[i] >= 0)
      printf("%s%s", i ? ", " : "", info->symbols[tensor->symbols[i]].name);
    else
      printf("%s%" PRId64, i ? ", " : "", tensor->dims[i]);
  }
  printf("]%s\n", tensor->optional ? ", optional" : "");
}

/* The bits of 1 or -1 in a type of small reals. */
static uint32_t oneOf(int32_t dtype, uint32_t sign) {
  int bits = 8 * types[dtype].bytes, exponent = types[dtype].exponent;
  return sign << (bits - 1) | ((1u << (exponent - 1)) - 1) << (bits - 1 - exponent);
}

/* What the bits of a small real stand for. */
static double decode(int32_t dtype, uint32_t value) {
  int exponent = types[dtype].exponent, mantissa = 8 * types[dtype].bytes - 1 - exponent;
  int power = (int)(value >> mantissa & ((1u << exponent) - 1)), bias = (1 << (exponent - 1)) - 1;
  double part = (double)(value & ((1u << mantissa) - 1)) / (1u << mantissa);
  double sign = value >> (mantissa + exponent) ? -1 : 1;
  if (power == (1 << exponent) - 1)
    return part > 0 ? NAN : sign * INFINITY;
  return sign * ldexp(power ? 1 + part : part, power ? power - bias : 1 - bias);
}

static double valueAt(const weft_tensor_info *tensor, const void *data, int64_t i) {
  switch (tensor->dtype) {
#define WEFT_STORED_TYPE(NAME, KIND, BITS, EXPONENT, CTYPE, FILE_NAME, TEXT_NAME, CODE, IR_TYPE)   \
  case CODE:                                                                                       \
    return KIND == Real && BITS < 32 ? decode(CODE, (uint32_t)((const CTYPE *)data)[i])            \
                                     : (double)((const CTYPE *)data)[i];
#include "weft/Support/ElementTypes.def"
  }
  return 0;
}

static void fillInput(const weft_tensor_info *tensor, int64_t count, void *data) {
  int real = types[tensor->dtype].kind == Real;
  int64_t bound = tensor->index_bound;
  for (int64_t i = 0; i < count; ++i)
    if (tensor->dtype == WEFT_F32)
      ((float *)data)[i] = (float)(i % 17) / 8.5f - 1;
    else if (tensor->dtype == WEFT_I32)
      ((int32_t *)data)[i] = bound ? (int32_t)(i % bound) : 0;
    else if (real)
      ((uint16_t *)data)[i] = (uint16_t)oneOf(tensor->dtype, i % 2);
    else
      ((uint8_t *)data)[i] = tensor->dtype == WEFT_BOOL ? 1
                             : bound                    ? (uint8_t)(i % bound % 128)
                                                        : 0;
}

static void printOutput(const weft_tensor_info *tensor, int64_t count, const void *data) {
  printf("  %s =", tensor->name);
  for (int64_t i = 0; i < count && i < SHOWN; ++i)
    if (types[tensor->dtype].kind == Real)
      printf(" %g", valueAt(tensor, data, i));
    else
      printf(" %d", (int)valueAt(tensor, data, i));
  puts(count > SHOWN ? " ..." : "");
}

/* Allocates the tensors of an entry; the inputs with a default are left out. */
static int prepare(const weft_entry_info *entry, const int64_t *sizes, void **inputs,
                   void **outputs) {
  for (int32_t i = 0; i < entry->input_count; ++i) {
    const weft_tensor_info *input = &entry->inputs[i];
    inputs[i] = NULL;
    if (input->optional)
      continue;
    inputs[i] = weft_allocate(bytesOf(input, sizes));
    if (!inputs[i])
      return WEFT_ERROR_MEMORY;
    fillInput(input, countOf(input, sizes), inputs[i]);
  }
  for (int32_t i = 0; i < entry->output_count; ++i) {
    outputs[i] = weft_allocate(bytesOf(&entry->outputs[i], sizes));
    if (!outputs[i])
      return WEFT_ERROR_MEMORY;
  }
  return WEFT_OK;
}

static int runEntry(const weft_model_info *info, const weft_entry_info *entry,
                    const weft_weights *weights, const int64_t *sizes, int runs) {
  void *inputs[MAX_TENSORS] = {NULL}, *outputs[MAX_TENSORS] = {NULL};
  printf("entry %s\n", entry->name);
  for (int32_t i = 0; i < entry->input_count; ++i)
    printTensor("input", info, &entry->inputs[i]);
  for (int32_t i = 0; i < entry->output_count; ++i)
    printTensor("output", info, &entry->outputs[i]);
  if (entry->input_count > MAX_TENSORS || entry->output_count > MAX_TENSORS)
    return WEFT_ERROR_MEMORY;

  void *scratch = weft_allocate(entry->scratch_bytes);
  int code = scratch ? prepare(entry, sizes, inputs, outputs) : WEFT_ERROR_MEMORY;
  double least = 1e300;
  for (int run = 0; run < runs && code == WEFT_OK; ++run) {
    double start = now();
    code = entry->call(weights->data, scratch, sizes, inputs, outputs);
    double seconds = now() - start;
    least = seconds < least ? seconds : least;
  }
  if (code == WEFT_OK) {
    for (int32_t i = 0; i < entry->output_count; ++i)
      printOutput(&entry->outputs[i], countOf(&entry->outputs[i], sizes), outputs[i]);
    printf("  %.3f ms\n", 1e3 * least);
  }
  for (int i = 0; i < MAX_TENSORS; ++i) {
    free(inputs[i]);
    free(outputs[i]);
  }
  free(scratch);
  return code;
}

/* The path of this program without its suffix, and ".weights". */
static const char *weightsPath(const char *program) {
  static char path[PATH_MAX + 16];
  ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);
  if (length < 0)
    length = snprintf(path, PATH_MAX, "%s", program);
  path[length] = '\0';
  char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  strcpy(dot && (!slash || dot > slash + 1) ? dot : path + length, ".weights");
  return path;
}

/* The number that a whole argument is; 0 if it is none from 1 to `most`. */
static int64_t readCount(const char *text, int64_t most) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  return errno || end == text || *end || value < 1 || value > most ? 0 : value;
}

int main(int argc, char **argv) {
  const weft_model_info *info = weft_get_info();
  int64_t length = argc > 1 ? readCount(argv[1], INT64_MAX) : INT64_MAX;
  int runs = argc > 2 ? (int)readCount(argv[2], INT_MAX) : 3;
  if (argc > 3 || length < 1 || runs < 1) {
    fprintf(stderr, "usage: %s [LENGTH [RUNS]], both at least 1\n", argv[0]);
    return 2;
  }
  weft_weights weights;
  char message[1024];
  int code = weft_weights_open(weightsPath(argv[0]), info, &weights, message, sizeof message);
  if (code != WEFT_OK || info->symbol_count > MAX_SYMBOLS) {
    fprintf(stderr, "%s: error: %s\n", argv[0], code ? message : "too many dimensions");
    return 1;
  }
  int64_t sizes[MAX_SYMBOLS] = {0};
  printf("model %s: %" PRId64 " parameters\n", info->name, info->parameter_count);
  for (int32_t i = 0; i < info->symbol_count; ++i) {
    const weft_symbol_info *symbol = &info->symbols[i];
    sizes[i] = length < symbol->bound ? length : symbol->bound;
    int counts_new = 0; /* positions of a step: no dimension of an entry */
    for (int32_t s = 0; s < info->step_count; ++s)
      counts_new |= info->steps[s].count_symbol == i || info->steps[s].last_symbol == i;
    if (!counts_new)
      printf("dim %s <= %" PRId64 ", here %" PRId64 "\n", symbol->name, symbol->bound, sizes[i]);
  }
  for (int32_t i = 0; i < info->entry_count && code == WEFT_OK; ++i)
    code = runEntry(info, &info->entries[i], &weights, sizes, runs);
  if (code != WEFT_OK)
    fprintf(stderr, "%s: error: %s\n", argv[0], weft_error_string(code));
  weft_weights_close(&weights);
  return code != WEFT_OK;
}
