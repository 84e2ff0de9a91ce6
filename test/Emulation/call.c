/*===- call.c - calls a compiled model from files -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// What emulate.py links to a model for a processor that this machine has not.
//   PROGRAM WEIGHTS                             describes the model, a line for every part
//   PROGRAM WEIGHTS lacks                       says why this processor cannot run it
//   PROGRAM WEIGHTS entry I FOLDER SIZE...      calls entry I with the values of all symbols
//   PROGRAM WEIGHTS start I FOLDER SIZE...      begins a sequence of step I: writes FOLDER/state
//   PROGRAM WEIGHTS step I FOLDER SIZE...       continues it
// Inputs are the raw elements in FOLDER/in0, FOLDER/in1, ... (no file: a null pointer); outputs
// are written to FOLDER/out0, ...
//===----------------------------------------------------------------------------------------===*/

#include "weft/Runtime/weft_runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSORS = 256, MAX_SYMBOLS = 32 };

extern const weft_model_info *weft_get_info(void);

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "call: error: %s%s\n", what, detail);
  exit(1);
}

static void describeTensors(const char *kind, const weft_tensor_info *tensors, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    printf("%s %s %d %d", kind, tensors[i].name, tensors[i].dtype, tensors[i].optional);
    for (int32_t d = 0; d < tensors[i].rank; ++d)
      printf(" %" PRId64 ":%d", tensors[i].dims[d], tensors[i].symbols[d]);
    puts("");
  }
}

static void describe(const weft_model_info *info) {
  for (int32_t i = 0; i < info->symbol_count; ++i)
    printf("symbol %s %" PRId64 "\n", info->symbols[i].name, info->symbols[i].bound);
  for (int32_t i = 0; i < info->entry_count; ++i) {
    const weft_entry_info *entry = &info->entries[i];
    printf("entry %s\n", entry->name);
    describeTensors("input", entry->inputs, entry->input_count);
    describeTensors("output", entry->outputs, entry->output_count);
  }
  for (int32_t i = 0; i < info->step_count; ++i) {
    const weft_step_info *step = &info->steps[i];
    printf("step %s %d %d %d\n", step->name, step->entry, step->length_symbol, step->count_symbol);
    describeTensors("input", step->inputs, step->input_count);
    describeTensors("start", step->start_inputs, step->start_input_count);
    describeTensors("output", step->outputs, step->output_count);
  }
}

static int64_t bytesOf(const weft_tensor_info *tensor, const int64_t *sizes) {
  int64_t bytes = tensor->dtype == WEFT_BOOL ? 1 : 4;
  for (int32_t i = 0; i < tensor->rank; ++i)
    bytes *= tensor->symbols[i] >= 0 ? sizes[tensor->symbols[i]] : tensor->dims[i];
  return bytes;
}

static FILE *openFile(const char *folder, const char *kind, int32_t number, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s%d", folder, kind, number);
  return fopen(path, mode);
}

static void *allocate(int64_t bytes) {
  void *memory = weft_allocate(bytes > 0 ? bytes : 1);
  if (!memory)
    fail("out of memory", "");
  return memory;
}

/* The file's bytes, of which there must be `bytes`; null if there is no file. */
static void *readFile(const char *folder, const char *kind, int32_t number, int64_t bytes) {
  FILE *file = openFile(folder, kind, number, "rb");
  if (!file)
    return NULL;
  void *data = allocate(bytes);
  if (fread(data, 1, (size_t)bytes, file) != (size_t)bytes || fgetc(file) != EOF)
    fail("not the size of the tensor: ", kind);
  fclose(file);
  return data;
}

static void writeFile(const char *folder, const char *kind, int32_t number, const void *data,
                      int64_t bytes) {
  FILE *file = openFile(folder, kind, number, "wb");
  if (!file || fwrite(data, 1, (size_t)bytes, file) != (size_t)bytes || fclose(file))
    fail("cannot write ", kind);
}

/* What the three kinds of calls have in common. */
typedef struct {
  weft_call entry;
  weft_step_call step;
  const weft_tensor_info *inputs, *outputs;
  int32_t input_count, output_count;
  int64_t state_bytes, scratch_bytes;
} callee;

static callee findCallee(const weft_model_info *info, const char *kind, int32_t number) {
  if (!strcmp(kind, "entry") && number < info->entry_count) {
    const weft_entry_info *e = &info->entries[number];
    return (callee){e->call,         NULL, e->inputs,       e->outputs, e->input_count,
                    e->output_count, 0,    e->scratch_bytes};
  }
  if (number >= info->step_count)
    fail("no such part of the model: ", kind);
  const weft_step_info *s = &info->steps[number];
  int32_t starts = !strcmp(kind, "start");
  return (callee){NULL,
                  starts ? s->start : s->call,
                  starts ? s->start_inputs : s->inputs,
                  s->outputs,
                  starts ? s->start_input_count : s->input_count,
                  starts ? 0 : s->output_count,
                  s->state_bytes,
                  s->scratch_bytes};
}

static int run(const callee *callee, const void *weights, const char *folder,
               const int64_t *sizes) {
  void *inputs[MAX_TENSORS], *outputs[MAX_TENSORS];
  if (callee->input_count > MAX_TENSORS || callee->output_count > MAX_TENSORS)
    fail("too many tensors", "");
  for (int32_t i = 0; i < callee->input_count; ++i)
    inputs[i] = readFile(folder, "in", i, bytesOf(&callee->inputs[i], sizes));
  for (int32_t i = 0; i < callee->output_count; ++i)
    outputs[i] = allocate(bytesOf(&callee->outputs[i], sizes));
  void *scratch = allocate(callee->scratch_bytes), *state = NULL;
  int code;
  if (callee->entry) {
    code = callee->entry(weights, scratch, sizes, inputs, outputs);
  } else {
    state = readFile(folder, "state", 0, callee->state_bytes);
    if (!state)
      state = allocate(callee->state_bytes);
    code = callee->step(weights, state, scratch, sizes, inputs, outputs);
    writeFile(folder, "state", 0, state, callee->state_bytes);
  }
  for (int32_t i = 0; i < callee->output_count; ++i)
    writeFile(folder, "out", i, outputs[i], bytesOf(&callee->outputs[i], sizes));
  return code;
}

/* Every function answers before it looks at anything. */
static void checkLacks(const weft_model_info *info, const char *path) {
  weft_weights weights;
  char message[1024];
  int code = weft_weights_open(path, info, &weights, message, sizeof message);
  for (int32_t i = 0; i < info->entry_count && code == WEFT_ERROR_PROCESSOR; ++i)
    code = info->entries[i].call(NULL, NULL, NULL, NULL, NULL);
  for (int32_t i = 0; i < info->step_count && code == WEFT_ERROR_PROCESSOR; ++i)
    code = info->steps[i].call(NULL, NULL, NULL, NULL, NULL, NULL);
  if (code != WEFT_ERROR_PROCESSOR)
    fail("the processor has all: ", weft_error_string(code));
  printf("%s\n%s\n", weft_error_string(code), message);
}

int main(int argc, char **argv) {
  const weft_model_info *info = weft_get_info();
  if (argc == 2)
    return describe(info), 0;
  if (argc == 3 && !strcmp(argv[2], "lacks"))
    return checkLacks(info, argv[1]), 0;
  if (argc != 5 + info->symbol_count || info->symbol_count > MAX_SYMBOLS)
    fail("usage: WEIGHTS entry|start|step NUMBER FOLDER SIZE...", "");
  weft_weights weights;
  char message[1024];
  if (weft_weights_open(argv[1], info, &weights, message, sizeof message) != WEFT_OK)
    fail(message, "");
  int64_t sizes[MAX_SYMBOLS];
  for (int32_t i = 0; i < info->symbol_count; ++i)
    sizes[i] = strtoll(argv[5 + i], NULL, 10);
  callee callee = findCallee(info, argv[2], atoi(argv[3]));
  int code = run(&callee, weights.data, argv[4], sizes);
  if (code != WEFT_OK)
    fail(weft_error_string(code), "");
  return 0;
}
