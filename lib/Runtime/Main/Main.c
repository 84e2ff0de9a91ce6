/*===- Main.c - the main function of a model that is compiled to a program ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
// The weights are in the program, or in the file of its name with suffix .weights.
//===----------------------------------------------------------------------------------------===*/

#define _XOPEN_SOURCE 700

#include "Program.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const weft_model_info *weft_get_info(void);

static const char *programName = "program";

int fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s: error: ", programName);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  return Failed;
}

/* The path of this program, and that without its suffix and with ".weights". */
static void findPaths(char *program, char *weights) {
  ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);
  program[length < 0 ? 0 : length] = '\0';
  if (length < 0)
    snprintf(program, PATH_MAX, "%s", programName);
  char *slash = strrchr(program, '/'), *dot = strrchr(program, '.');
  int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - program) : (int)strlen(program);
  snprintf(weights, PATH_MAX + 16, "%.*s.weights", stem, program);
}

/* The results of an entry for the tensors of a file. */
static int runInputs(const weft_model_info *info, const weft_weights *weights, void *scratch,
                     const Options *options) {
  TensorFile file;
  if (openTensors(options->inputs, &file))
    return Failed;
  Binding binding = {0};
  int status = bindTensors(info, options->entry, &file, &binding);
  if (!status)
    status = runEntry(&binding, weights, scratch);
  if (!status && options->outputs)
    status = writeResults(&binding, options->outputs);
  for (int32_t i = 0; !status && !options->outputs && i < binding.entry->output_count; ++i) {
    int32_t rank = binding.batchRank + binding.entry->outputs[i].rank;
    int64_t *shape = malloc(((size_t)rank + 1) * sizeof *shape);
    FileTensor result = shape ? resultOf(&binding, i, shape) : (FileTensor){0};
    status = shape ? Done : fail("out of memory");
    if (shape)
      printTensor(&result, stdout);
    free(shape);
  }
  releaseBinding(&binding);
  closeTensors(&file);
  return status;
}

static int64_t scratchBytes(const weft_model_info *info) {
  int64_t bytes = 0;
  for (int32_t i = 0; i < info->entry_count; ++i)
    if (info->entries[i].scratch_bytes > bytes)
      bytes = info->entries[i].scratch_bytes;
  return bytes;
}

/* What needs the weights. */
static int run(const weft_model_info *info, const char *path, const Options *options) {
  char message[1024];
  weft_weights weights;
  int flags = options->weights ? WEFT_WEIGHTS_FROM_FILE : 0;
  int code = weft_weights_open_flags(path, info, flags, &weights, message, sizeof message);
  int hasAdvice = code == WEFT_ERROR_FILE && !options->weights;
  if (code != WEFT_OK)
    return fail("%s%s", message, hasAdvice ? " (--weights=FILE names another place)" : "");
  void *scratch = weft_allocate(scratchBytes(info));
  int status = !scratch         ? fail("out of memory for the scratch")
               : options->bench ? benchModel(info, &weights, scratch, options, stdout)
                                : runInputs(info, &weights, scratch, options);
  free(scratch);
  weft_weights_close(&weights);
  return status;
}

/* The status to end with, once all is written. */
static int finish(int status) {
  if (fflush(stdout) == 0 && !ferror(stdout))
    return status;
  return fail("cannot write to standard output: %s", strerror(errno));
}

int main(int argc, char **argv) {
  const weft_model_info *info = weft_get_info();
  char program[PATH_MAX], beside[PATH_MAX + 16];
  Options options;
  int status;
  programName = argc > 0 ? argv[0] : programName;
  if (readOptions(argc, argv, &options, &status))
    return finish(status);
  findPaths(program, beside);
  const char *weights = options.weights ? options.weights : beside;
  if (options.outputs && (checkOutput(options.outputs, program, "the program") ||
                          checkOutput(options.outputs, weights, "the weights") ||
                          checkOutput(options.outputs, options.inputs, "the inputs")))
    return Failed;
  if (options.threads > 0)
    weft_set_threads(options.threads);
  if (options.inputs || options.bench)
    status = run(info, weights, &options);
  else
    describeModel(info, stdout);
  return finish(status);
}
