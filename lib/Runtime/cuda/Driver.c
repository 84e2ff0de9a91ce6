/*===- Driver.c - the CUDA driver, opened at run time --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "Driver.h"

#include "weft/Runtime/weft_model_info.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

WeftDriver weft_cuda_driver;

static _Thread_local char message[1024];

/* For weft_error_string (Errors.c). */
WEFT_HIDDEN const char *weft_device_message(void) { return message; }

int weft_cuda_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return WEFT_ERROR_DEVICE;
}

int weft_cuda_check(int result, const char *what) {
  if (result == CUDA_SUCCESS)
    return WEFT_OK;
  const char *text = NULL;
  if (weft_cuda_driver.cuGetErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "unknown error";
  return weft_cuda_fail("the GPU cannot %s: %s (%d)", what, text, result);
}

static int findFunctions(void *library, const char *name) {
#define FIND(function, parameters)                                                                 \
  *(void **)&weft_cuda_driver.function = dlsym(library, #function);                                \
  if (!weft_cuda_driver.function)                                                                  \
    return weft_cuda_fail("the CUDA driver %s is too old: it has no " #function, name);
  WEFT_CUDA_FUNCTIONS(FIND)
#undef FIND
#define FIND(function, parameters) *(void **)&weft_cuda_driver.function = dlsym(library, #function);
  WEFT_CUDA_OPTIONAL_FUNCTIONS(FIND)
#undef FIND
  return WEFT_OK;
}

int weft_cuda_open_driver(void) {
  static int isOpen;
  if (isOpen)
    return WEFT_OK;
  const char *chosen = getenv("WEFT_CUDA_DRIVER");
  const char *name = chosen && *chosen ? chosen : "libcuda.so.1";
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return weft_cuda_fail("there is no CUDA driver on this machine: %s", dlerror());
  int code = findFunctions(library, name);
  if (code == WEFT_OK && weft_cuda_driver.cuInit(0) != CUDA_SUCCESS)
    code = weft_cuda_fail("the CUDA driver %s finds no GPU that it can use", name);
  if (code != WEFT_OK) {
    dlclose(library);
    return code;
  }
  isOpen = 1;
  return WEFT_OK;
}
