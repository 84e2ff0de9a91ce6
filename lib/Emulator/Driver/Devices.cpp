//===- Devices.cpp - cuInit, devices and contexts -------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>
#include <dlfcn.h>

using namespace weft::emulator;

static CUcontext theContext() {
  static char context;
  return reinterpret_cast<CUcontext>(&context);
}

WEFT_CUDA cuInit(unsigned flags) {
  Gpu &gpu = Gpu::get();
  std::lock_guard<std::recursive_mutex> lock(gpu.mutex);
  return flags ? CUDA_ERROR_INVALID_VALUE : gpu.initialise();
}

WEFT_CUDA cuDriverGetVersion(int *version) {
  *version = 12080;
  return CUDA_SUCCESS;
}

WEFT_CUDA cuDeviceGetCount(int *count) {
  return call(
      [&](Gpu &gpu) {
        *count = gpu.devices;
        return CUDA_SUCCESS;
      },
      false);
}

WEFT_CUDA cuDeviceGet(CUdevice *device, int ordinal) {
  return call(
      [&](Gpu &) {
        *device = 0;
        return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
      },
      false);
}

WEFT_CUDA cuDeviceGetName(char *name, int length, CUdevice) {
  return call(
      [&](Gpu &) {
        std::strncpy(name, "Weft emulated GPU", size_t(length));
        if (length > 0)
          name[length - 1] = '\0';
        return CUDA_SUCCESS;
      },
      false);
}

WEFT_CUDA cuDeviceTotalMem_v2(size_t *bytes, CUdevice) {
  return call(
      [&](Gpu &gpu) {
        *bytes = gpu.machine->totalMemory();
        return CUDA_SUCCESS;
      },
      false);
}

// CUdevice_attribute, with the values of an H100 where there is a choice.
WEFT_CUDA cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  static const std::map<int, int> values = {
      {1, 1024},      {2, 1024},     {3, 1024},       {4, 64},       {5, 0x7fffffff},
      {6, 65535},     {7, 65535},    {8, 48 << 10},   {9, 64 << 10}, {10, 32},
      {12, 65536},    {13, 1980000}, {31, 1},         {36, 2619000}, {37, 5120},
      {38, 50 << 20}, {39, 2048},    {40, 3},         {41, 1},       {81, 228 << 10},
      {82, 65536},    {95, 1},       {97, 227 << 10}, {106, 32},     {115, 1},
  };
  return call(
      [&](Gpu &gpu) {
        if (device != 0)
          return CUDA_ERROR_INVALID_DEVICE;
        auto found = values.find(attribute);
        if (attribute == 75 || attribute == 76) // the compute capability
          *value = attribute == 75 ? gpu.capability / 10 : gpu.capability % 10;
        else if (attribute == 16)
          *value = gpu.processors;
        else if (found != values.end())
          *value = found->second;
        else
          return CUDA_ERROR_INVALID_VALUE;
        return CUDA_SUCCESS;
      },
      false);
}

/// In the place of the current one, or on top of it.
static CUresult setContext(CUcontext context, bool pushes = false) {
  return call(
      [&](Gpu &) {
        if (context && context != theContext())
          return CUDA_ERROR_INVALID_CONTEXT;
        std::vector<bool> &contexts = contextsOfThread();
        if (!pushes && !contexts.empty())
          contexts.pop_back();
        contexts.push_back(context != nullptr);
        return CUDA_SUCCESS;
      },
      false);
}

static CUresult giveContext(CUcontext *context, CUdevice device) {
  return call(
      [&](Gpu &) {
        *context = theContext();
        return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
      },
      false);
}

WEFT_CUDA cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return giveContext(context, device);
}

WEFT_CUDA cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return call([](Gpu &) { return CUDA_SUCCESS; }, false);
}

WEFT_CUDA cuCtxCreate_v2(CUcontext *context, unsigned, CUdevice device) {
  CUresult result = giveContext(context, device);
  return result == CUDA_SUCCESS ? setContext(*context, /*pushes=*/true) : result;
}

WEFT_CUDA cuCtxDestroy_v2(CUcontext) { return setContext(nullptr); }
WEFT_CUDA cuCtxSetCurrent(CUcontext context) { return setContext(context); }
WEFT_CUDA cuCtxPushCurrent_v2(CUcontext context) { return setContext(context, /*pushes=*/true); }

WEFT_CUDA cuCtxGetCurrent(CUcontext *context) {
  *context = hasContext() ? theContext() : nullptr;
  return Gpu::get().isInitialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

WEFT_CUDA cuCtxPopCurrent_v2(CUcontext *context) {
  return call(
      [&](Gpu &) {
        std::vector<bool> &contexts = contextsOfThread();
        if (contexts.empty())
          return CUDA_ERROR_INVALID_CONTEXT;
        if (context)
          *context = hasContext() ? theContext() : nullptr;
        contexts.pop_back();
        return CUDA_SUCCESS;
      },
      false);
}

WEFT_CUDA cuCtxGetDevice(CUdevice *device) {
  return call([&](Gpu &) {
    *device = 0;
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuCtxSynchronize() {
  return call([](Gpu &gpu) { return gpu.drainAll(); });
}

namespace {

struct ResultName {
  CUresult result;
  const char *name, *text;
};

} // namespace

static const ResultName resultNames[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_STATE, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed now"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
};

static const ResultName *findResult(CUresult result) {
  for (const ResultName &row : resultNames)
    if (row.result == result)
      return &row;
  return nullptr;
}

WEFT_CUDA cuGetErrorName(CUresult result, const char **name) {
  const ResultName *row = findResult(result);
  *name = row ? row->name : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

WEFT_CUDA cuGetErrorString(CUresult result, const char **text) {
  const ResultName *row = findResult(result);
  *text = row ? row->text : nullptr;
  return row ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// The newest form of a function.
WEFT_CUDA cuGetProcAddress_v2(const char *name, void **function, int, uint64_t, int *status) {
  Dl_info self;
  *function = nullptr;
  if (dladdr(reinterpret_cast<void *>(&cuInit), &self))
    if (void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      *function = dlsym(library, (std::string(name) + "_v2").c_str());
      if (!*function)
        *function = dlsym(library, name);
      dlclose(library);
    }
  if (status)
    *status = *function ? 0 : 1;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
