/*===- Device.c - the device and its memory ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===*/

#include "Device.h"

#include "Slots.h"
#include "weft/Runtime/weft_cuda.h"
#include "weft/Runtime/weft_model_info.h"

#include <pthread.h>

WeftDevice weft_cuda_device;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext context;

static int openDevice(void) {
  int device, count = 0, major = 0, minor = 0;
  int code = weft_cuda_open_driver();
  if (code != WEFT_OK)
    return code;
  if (weft_cuda_driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || count < 1)
    return weft_cuda_fail("the CUDA driver finds no GPU on this machine");
  int result = weft_cuda_driver.cuDeviceGet(&device, 0);
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuDeviceGetName(weft_cuda_device.name, sizeof weft_cuda_device.name,
                                              device);
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuDeviceGetAttribute(
        &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuDeviceGetAttribute(
        &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuDeviceGetAttribute(
        &weft_cuda_device.processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
  weft_cuda_device.capability = 10 * major + minor;
  if (result == CUDA_SUCCESS)
    result = weft_cuda_driver.cuDevicePrimaryCtxRetain(&context, device);
  return weft_cuda_check(result, "be opened");
}

static int openStream(void) {
  if (weft_cuda_device.stream)
    return WEFT_OK;
  return weft_cuda_check(weft_cuda_driver.cuStreamCreate(&weft_cuda_device.stream, 0),
                         "begin a stream");
}

int weft_cuda_enter(void) {
  pthread_mutex_lock(&lock);
  int code = context ? WEFT_OK : openDevice();
  if (code == WEFT_OK) {
    code = weft_cuda_check(weft_cuda_driver.cuCtxPushCurrent_v2(context), "be used by this thread");
    if (code == WEFT_OK && (code = openStream()) != WEFT_OK)
      weft_cuda_driver.cuCtxPopCurrent_v2(&(CUcontext){0});
  }
  if (code != WEFT_OK)
    pthread_mutex_unlock(&lock);
  return code;
}

void weft_cuda_leave(void) {
  weft_cuda_driver.cuCtxPopCurrent_v2(&(CUcontext){0});
  pthread_mutex_unlock(&lock);
}

int weft_cuda_wait(void) {
  return weft_cuda_check(weft_cuda_driver.cuStreamSynchronize(weft_cuda_device.stream),
                         "finish a call");
}

//===----------------------------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------------------------===//

int weft_cuda_reserve(WeftBuffer *buffer, int64_t bytes, const char *what) {
  if (bytes <= buffer->bytes)
    return WEFT_OK;
  weft_cuda_give_back(buffer);
  int result;
  do
    result = weft_cuda_driver.cuMemAlloc_v2(&buffer->address, (size_t)bytes);
  while (result == CUDA_ERROR_OUT_OF_MEMORY && weft_cuda_drop_oldest_slot());
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    return weft_cuda_fail("%s has no memory left for %s: %lld bytes are needed",
                          weft_cuda_device.name, what, (long long)bytes);
  if (result != CUDA_SUCCESS)
    return weft_cuda_check(result, "give memory");
  buffer->bytes = bytes;
  return WEFT_OK;
}

void weft_cuda_give_back(WeftBuffer *buffer) {
  if (buffer->bytes)
    weft_cuda_driver.cuMemFree_v2(buffer->address);
  buffer->address = 0;
  buffer->bytes = 0;
}

int weft_cuda_is_on_device(const void *pointer) {
  unsigned type = 0;
  return weft_cuda_driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                (CUdeviceptr)(uintptr_t)pointer) == CUDA_SUCCESS &&
         type == CU_MEMORYTYPE_DEVICE;
}

int weft_cuda_allocate(int64_t bytes, void **address) {
  *address = NULL;
  int code = weft_cuda_enter();
  if (code != WEFT_OK)
    return code;
  WeftBuffer buffer = {0, 0};
  code = weft_cuda_reserve(&buffer, bytes < 1 ? 1 : bytes, "the program");
  *address = (void *)(uintptr_t)buffer.address;
  weft_cuda_leave();
  return code;
}

int weft_cuda_release(void *address) {
  if (!address)
    return WEFT_OK;
  int code = weft_cuda_enter();
  if (code != WEFT_OK)
    return code;
  code = weft_cuda_check(weft_cuda_driver.cuMemFree_v2((CUdeviceptr)(uintptr_t)address),
                         "take memory back");
  weft_cuda_leave();
  return code;
}

static int copy(void *to, const void *from, size_t bytes) {
  CUdeviceptr target = (CUdeviceptr)(uintptr_t)to, source = (CUdeviceptr)(uintptr_t)from;
  CUstream stream = weft_cuda_device.stream;
  int toDevice = weft_cuda_is_on_device(to), fromDevice = weft_cuda_is_on_device(from);
  if (!toDevice && !fromDevice)
    return weft_cuda_fail("weft_cuda_copy: neither pointer is an address of the GPU");
  return weft_cuda_check(
      !toDevice     ? weft_cuda_driver.cuMemcpyDtoHAsync_v2(to, source, bytes, stream)
      : !fromDevice ? weft_cuda_driver.cuMemcpyHtoDAsync_v2(target, from, bytes, stream)
                    : weft_cuda_driver.cuMemcpyDtoDAsync_v2(target, source, bytes, stream),
      "copy");
}

int weft_cuda_copy(void *to, const void *from, int64_t bytes) {
  int code = weft_cuda_enter();
  if (code != WEFT_OK)
    return code;
  code = bytes > 0 ? copy(to, from, (size_t)bytes) : WEFT_OK;
  if (code == WEFT_OK)
    code = weft_cuda_wait();
  weft_cuda_leave();
  return code;
}
