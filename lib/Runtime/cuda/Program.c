/*===- Program.c - the kernels of models ---------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "Program.h"

#include "Slots.h"
#include "weft/Runtime/weft_cuda.h"

#include <stdlib.h>

static WeftProgram *programs;

/* Loads PTX; the driver's messages go into the error. */
static int loadImage(const weft_cuda_image *image, const char *model, CUmodule *module) {
  char log[512] = "";
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  int result = weft_cuda_driver.cuModuleLoadDataEx(module, image->text, 2, options, values);
  if (result == CUDA_SUCCESS)
    return WEFT_OK;
  const char *text = NULL;
  weft_cuda_driver.cuGetErrorString(result, &text);
  return weft_cuda_fail("%s cannot load the kernels of model '%s' for %s: %s (%d) %s",
                        weft_cuda_device.name, model, image->name, text ? text : "unknown error",
                        result, log);
}

static int isFor(const weft_cuda_image *image, int capability) {
  return image->exact ? capability == image->capability : capability >= image->capability;
}

/* The best kernels that the device can run; the next best if the driver is too old for them. */
static int loadKernels(WeftProgram *program) {
  const weft_cuda_program *source = program->source;
  int code = WEFT_OK, tried = 0;
  for (int32_t i = 0; i < source->image_count; ++i) {
    if (!isFor(&source->images[i], weft_cuda_device.capability))
      continue;
    tried = 1;
    program->image = &source->images[i];
    code = loadImage(program->image, source->info->name, &program->module);
    if (code == WEFT_OK)
      return WEFT_OK;
  }
  if (tried)
    return code;
  const weft_cuda_image *last = &source->images[source->image_count - 1];
  return weft_cuda_fail("model '%s' has no kernels for %s, whose compute capability is %d.%d: they "
                        "are for %d.%d%s",
                        source->info->name, weft_cuda_device.name, weft_cuda_device.capability / 10,
                        weft_cuda_device.capability % 10, last->capability / 10,
                        last->capability % 10, last->exact ? " alone" : " and newer");
}

static void dropProgram(WeftProgram *program) {
  weft_cuda_drop_graphs(&program->graphs);
  if (program->module)
    weft_cuda_driver.cuModuleUnload(program->module);
  weft_cuda_give_back(&program->scratch);
  weft_cuda_give_back(&program->tensors);
  free(program->kernels);
  free(program->shared);
  free(program);
}

/* Null for a kernel that the image has not: it is for another chip, and is not launched. */
static int findKernel(WeftProgram *program, int32_t number) {
  const char *name = program->source->kernels[number];
  int result =
      weft_cuda_driver.cuModuleGetFunction(&program->kernels[number], program->module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    program->kernels[number] = NULL;
  return result == CUDA_ERROR_NOT_FOUND ? WEFT_OK : weft_cuda_check(result, name);
}

static int openProgram(WeftProgram *program) {
  const weft_cuda_program *source = program->source;
  int code = loadKernels(program);
  if (code != WEFT_OK)
    return code;
  program->kernels = calloc((size_t)source->kernel_count + 1, sizeof *program->kernels);
  program->shared = calloc((size_t)source->kernel_count + 1, sizeof *program->shared);
  if (!program->kernels || !program->shared)
    return WEFT_ERROR_MEMORY;
  for (int32_t i = 0; code == WEFT_OK && i < source->kernel_count; ++i)
    code = findKernel(program, i);
  if (code == WEFT_OK && source->scratch_bytes > 0)
    code = weft_cuda_reserve(&program->scratch, source->scratch_bytes, "scratch");
  return code;
}

int weft_cuda_find_program(const weft_cuda_program *source, WeftProgram **found) {
  for (*found = programs; *found; *found = (*found)->next)
    if ((*found)->source == source)
      return WEFT_OK;
  WeftProgram *program = calloc(1, sizeof *program);
  if (!program)
    return WEFT_ERROR_MEMORY;
  program->source = source;
  int code = openProgram(program);
  if (code != WEFT_OK) {
    dropProgram(program);
    return code;
  }
  program->next = programs;
  programs = *found = program;
  return WEFT_OK;
}

void weft_cuda_drop_programs(void) {
  while (programs) {
    WeftProgram *program = programs;
    programs = program->next;
    dropProgram(program);
  }
}

void weft_cuda_shutdown(void) {
  if (!weft_cuda_driver.cuInit || weft_cuda_enter() != WEFT_OK)
    return;
  weft_cuda_drop_slots();
  weft_cuda_drop_programs();
  weft_cuda_drop_weights();
  weft_cuda_leave();
}
