//===- MemoryCalls.cpp - memory of the device and copies ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A copy of pinned memory happens when its stream comes to it, so the host must not change the
// memory before. Of other memory the driver makes a copy, or waits.
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace weft::emulator;

WEFT_CUDA cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  return call([&](Gpu &gpu) {
    if (bytes == 0)
      return CUDA_ERROR_INVALID_VALUE;
    *address = gpu.machine->allocate(bytes);
    return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  });
}

WEFT_CUDA cuMemFree_v2(CUdeviceptr address) {
  return call([&](Gpu &gpu) {
    if (CUresult result = gpu.drainAll(); result != CUDA_SUCCESS)
      return result;
    return !address || gpu.machine->release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

WEFT_CUDA cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream) {
  return cuMemAlloc_v2(address, bytes);
}

WEFT_CUDA cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return call([&](Gpu &gpu) {
    return gpu.enqueue(stream, [&gpu, address] {
      return gpu.machine->release(address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
  });
}

WEFT_CUDA cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call([&](Gpu &gpu) {
    *total = gpu.machine->totalMemory();
    *free = *total - gpu.machine->usedMemory();
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuMemGetAddressRange_v2(CUdeviceptr *begin, size_t *bytes, CUdeviceptr address) {
  return call([&](Gpu &gpu) {
    auto found = gpu.machine->findAllocation(address);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    if (begin)
      *begin = found->first;
    if (bytes)
      *bytes = found->second;
    return CUDA_SUCCESS;
  });
}

// Attributes 2 (the kind of memory: 1 host, 2 device), 3 (its address on the device) and 9 (the
// device).
WEFT_CUDA cuPointerGetAttribute(void *value, int attribute, CUdeviceptr address) {
  return call([&](Gpu &gpu) {
    bool onDevice = gpu.machine->findAllocation(address).has_value();
    if (!onDevice && !gpu.isPinned(reinterpret_cast<const void *>(address), 1))
      return CUDA_ERROR_INVALID_VALUE;
    if (attribute == 2)
      *static_cast<unsigned *>(value) = onDevice ? 2 : 1;
    else if (attribute == 3 && onDevice)
      *static_cast<CUdeviceptr *>(value) = address;
    else if (attribute == 9)
      *static_cast<int *>(value) = 0;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuMemHostAlloc(void **host, size_t bytes, unsigned) {
  return call([&](Gpu &gpu) {
    *host = bytes ? std::aligned_alloc(4096, (bytes + 4095) & ~size_t(4095)) : nullptr;
    if (!*host)
      return bytes ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_VALUE;
    gpu.pinned[static_cast<const char *>(*host)] = {bytes, true};
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuMemAllocHost_v2(void **host, size_t bytes) { return cuMemHostAlloc(host, bytes, 0); }

static CUresult unpin(void *host, bool allocated) {
  return call([&](Gpu &gpu) {
    auto found = gpu.pinned.find(static_cast<const char *>(host));
    if (found == gpu.pinned.end() || found->second.second != allocated)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult result = gpu.drainAll(); result != CUDA_SUCCESS)
      return result;
    gpu.pinned.erase(found);
    if (allocated)
      std::free(host);
    return CUDA_SUCCESS;
  });
}

WEFT_CUDA cuMemFreeHost(void *host) { return unpin(host, true); }
WEFT_CUDA cuMemHostUnregister(void *host) { return unpin(host, false); }

WEFT_CUDA cuMemHostRegister_v2(void *host, size_t bytes, unsigned) {
  return call([&](Gpu &gpu) {
    if (!host || !bytes || gpu.isPinned(host, 1))
      return CUDA_ERROR_INVALID_VALUE;
    gpu.pinned[static_cast<const char *>(host)] = {bytes, false};
    return CUDA_SUCCESS;
  });
}

static CUresult copyIn(Gpu &gpu, CUdeviceptr to, const void *from, size_t bytes) {
  uint8_t *place = gpu.machine->translate(to, bytes);
  if (!place)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(place, from, bytes);
  return CUDA_SUCCESS;
}

static CUresult copyOut(Gpu &gpu, void *to, CUdeviceptr from, size_t bytes) {
  const uint8_t *place = gpu.machine->translate(from, bytes);
  if (!place)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, place, bytes);
  gpu.addToDigest(to, bytes);
  return CUDA_SUCCESS;
}

static CUresult copyWithin(Gpu &gpu, CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  uint8_t *target = gpu.machine->translate(to, bytes);
  const uint8_t *source = gpu.machine->translate(from, bytes);
  if (!target || !source)
    return CUDA_ERROR_INVALID_VALUE;
  if (to < from + bytes && from < to + bytes) {
    Gpu::print("a copy on the device between two places that overlap");
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(target, source, bytes);
  return CUDA_SUCCESS;
}

/// Waits for what is before it in the default stream, then does the work at once.
static CUresult doNow(size_t bytes, llvm::function_ref<CUresult(Gpu &)> work) {
  return call([&](Gpu &gpu) {
    if (CUresult result = gpu.drainBlocking(); result != CUDA_SUCCESS || bytes == 0)
      return result;
    return work(gpu);
  });
}

WEFT_CUDA cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  return doNow(bytes, [&](Gpu &gpu) { return copyIn(gpu, to, from, bytes); });
}

WEFT_CUDA cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  return doNow(bytes, [&](Gpu &gpu) { return copyOut(gpu, to, from, bytes); });
}

WEFT_CUDA cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return doNow(bytes, [&](Gpu &gpu) { return copyWithin(gpu, to, from, bytes); });
}

WEFT_CUDA cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  return call([&](Gpu &gpu) {
    EmulatedStream *queue = gpu.find(stream);
    if (bytes == 0)
      return CUDA_SUCCESS;
    if (gpu.isPinned(from, bytes) || (queue && queue->capture))
      return gpu.enqueue(stream, [=, &gpu] { return copyIn(gpu, to, from, bytes); });
    auto *begin = static_cast<const uint8_t *>(from);
    auto staged = std::make_shared<std::vector<uint8_t>>(begin, begin + bytes);
    return gpu.enqueue(stream, [=, &gpu] { return copyIn(gpu, to, staged->data(), bytes); });
  });
}

WEFT_CUDA cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call([&](Gpu &gpu) {
    EmulatedStream *queue = gpu.find(stream);
    if (bytes == 0)
      return CUDA_SUCCESS;
    CUresult result = gpu.enqueue(stream, [=, &gpu] { return copyOut(gpu, to, from, bytes); });
    bool late = result != CUDA_SUCCESS || gpu.isPinned(to, bytes) || queue->capture;
    return late ? result : gpu.drain(*queue);
  });
}

WEFT_CUDA cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return call([&](Gpu &gpu) {
    if (bytes == 0)
      return CUDA_SUCCESS;
    return gpu.enqueue(stream, [=, &gpu] { return copyWithin(gpu, to, from, bytes); });
  });
}

template <typename T> static CUresult fill(Gpu &gpu, CUdeviceptr address, T value, size_t count) {
  uint8_t *place = gpu.machine->translate(address, count * sizeof(T));
  if (!place || address % sizeof(T) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(place + i * sizeof(T), &value, sizeof(T));
  return CUDA_SUCCESS;
}

template <typename T>
static CUresult fillAsync(CUdeviceptr address, T value, size_t count, CUstream stream) {
  return call([&](Gpu &gpu) {
    if (count == 0)
      return CUDA_SUCCESS;
    return gpu.enqueue(stream, [=, &gpu] { return fill(gpu, address, value, count); });
  });
}

WEFT_CUDA cuMemsetD8_v2(CUdeviceptr address, unsigned char value, size_t count) {
  return doNow(count, [&](Gpu &gpu) { return fill(gpu, address, value, count); });
}
WEFT_CUDA cuMemsetD16_v2(CUdeviceptr address, unsigned short value, size_t count) {
  return doNow(count, [&](Gpu &gpu) { return fill(gpu, address, value, count); });
}
WEFT_CUDA cuMemsetD32_v2(CUdeviceptr address, unsigned value, size_t count) {
  return doNow(count, [&](Gpu &gpu) { return fill(gpu, address, value, count); });
}
WEFT_CUDA cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t count, CUstream stream) {
  return fillAsync(address, value, count, stream);
}
WEFT_CUDA cuMemsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
  return fillAsync(address, value, count, stream);
}
