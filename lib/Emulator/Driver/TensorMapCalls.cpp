//===- TensorMapCalls.cpp - maps for bulk copies --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Driver/Gpu.h"
#include "weft/Emulator/TensorMap.h"

using namespace weft::emulator;

// By CUtensorMapDataType: 8, 16, 32, 32, 64, 64 bits of integers, f16, f32, f64, bf16, and f32 and
// tf32 with and without subnormal numbers.
static constexpr uint8_t elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
static constexpr uint32_t swizzleBytes[] = {0, 32, 64, 128};

static CUresult refuse(const llvm::Twine &problem, CUresult result) {
  Gpu::print(("cuTensorMapEncodeTiled: " + problem).str());
  return result;
}

// The smallest compute capability that has bulk copies.
static constexpr int leastCapability = 90;

WEFT_CUDA cuTensorMapEncodeTiled(void *encoded, int type, uint32_t rank, void *address,
                                 const uint64_t *sizes, const uint64_t *strides,
                                 const uint32_t *box, const uint32_t *elementStrides,
                                 int interleave, int swizzle, int promotion, int fill) {
  return call([&](Gpu &gpu) {
    if (gpu.capability < leastCapability)
      return CUDA_ERROR_NOT_SUPPORTED;
    if (!encoded || reinterpret_cast<uintptr_t>(encoded) % 64 != 0)
      return refuse("the map's address is no multiple of 64", CUDA_ERROR_INVALID_VALUE);
    if (type < 0 || type >= int(std::size(elementBytes)) || rank < 1 || rank > 5 || swizzle < 0 ||
        swizzle > 3 || interleave < 0 || interleave > 2 || promotion < 0 || promotion > 3 ||
        fill < 0 || fill > 1)
      return refuse("a type, rank, swizzle, interleave, promotion or fill that is none",
                    CUDA_ERROR_INVALID_VALUE);
    if (interleave != 0 || fill != 0)
      return refuse("interleaved tensors and NaNs outside of them are not emulated",
                    CUDA_ERROR_NOT_SUPPORTED);
    TensorMap map;
    map.address = reinterpret_cast<uintptr_t>(address);
    map.rank = rank;
    map.elementBytes = elementBytes[type];
    map.swizzle = swizzleBytes[swizzle];
    for (uint32_t i = 0; i < rank; ++i) {
      map.sizes[i] = sizes[i];
      map.box[i] = box[i];
      map.strides[i] = i ? strides[i - 1] : map.elementBytes;
      if (i > 0 && elementStrides[i] != 1) // the first is not looked at
        return refuse("element strides other than 1 are not emulated", CUDA_ERROR_NOT_SUPPORTED);
    }
    if (std::string problem = findBadTensorMap(map); !problem.empty())
      return refuse(problem, CUDA_ERROR_INVALID_VALUE);
    encodeTensorMap(map, encoded);
    return CUDA_SUCCESS;
  });
}
