/*===- Errors.c - the text of every error code -===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "weft/Runtime/weft_runtime.h"

/* Of libweft_cuda.a, where that is linked. */
extern const char *weft_device_message(void) __attribute__((weak));

static const char *deviceMessage(void) {
  const char *message = weft_device_message ? weft_device_message() : "";
  return *message ? message : "the model cannot run on a GPU of this machine";
}

const char *weft_error_string(int code) {
  switch (code) {
  case WEFT_OK:
    return "no error";
  case WEFT_ERROR_LENGTH:
    return "a dimension is below 1 or above the bound the model was compiled for, or a sequence "
           "was shortened further than its windows reach back";
  case WEFT_ERROR_INDEX:
    return "an element that is used as an index is out of range";
  case WEFT_ERROR_ARGUMENT:
    return "a null pointer was passed where a tensor, the weights or the scratch is needed";
  case WEFT_ERROR_FILE:
    return "the weights file cannot be opened, read or mapped";
  case WEFT_ERROR_WEIGHTS:
    return "the file is not the weights file of this model";
  case WEFT_ERROR_VERSION:
    return "the model was compiled for another version of the runtime interface";
  case WEFT_ERROR_MEMORY:
    return "out of memory";
  case WEFT_ERROR_PROCESSOR:
    return "the model was compiled for a processor with more than this one has";
  case WEFT_ERROR_DEVICE:
    return deviceMessage();
  default:
    return "unknown error code";
  }
}
