//===- WeightSizes.cpp - what weights take in the weights file ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Packer.h"

#include "MatrixPlaces.h"
#include "weft/Runtime/weft_model_info.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft {

static uint64_t alignedTo64(uint64_t value) { return (value + 63) / 64 * 64; }

/// The elements of the dimensions `dims` alone; no more than those of the weight.
static int64_t product(ArrayRef<int64_t> shape, ArrayRef<unsigned> dims) {
  SmallVector<int64_t> sizes;
  for (unsigned dim : dims)
    sizes.push_back(shape[dim]);
  return *elementCount(sizes);
}

bool isScaled(const PackedWeight &weight) {
  return weight.coded && weight.coded->part == WeightCoding::Reals;
}

ScaledPanel getScaledPanel(const PackedWeight &weight) {
  int64_t k = product(weight.source.shape, weight.kDims);
  const CodeFormat &format = weight.coded->format;
  return {weight.nr, k, format.getGroupSize(k), format.table};
}

uint64_t PackedWeight::bytes() const {
  if (isScaled(*this)) {
    int64_t n = product(source.shape, nDims);
    return uint64_t(*tensorBytes(8, {product(source.shape, batchDims), int64_t(divideCeil(n, nr)),
                                     getScaledPanel(*this).getBytes()}));
  }
  bool isBeside = coded && coded->part != WeightCoding::Codes;
  unsigned elementBits = isBeside ? 32 : coded ? 8 : infoOf(source.type).bits;
  if (isBeside)
    return uint64_t(*tensorBytes(
        elementBits, {product(source.shape, getOtherDims(source.shape.size(), coded->along))}));
  if (nr == 0)
    return uint64_t(*tensorBytes(elementBits, source.shape));
  int64_t k = product(source.shape, kDims), n = product(source.shape, nDims);
  if (nibbles)
    return uint64_t(*tensorBytes(8, {product(source.shape, batchDims), int64_t(divideCeil(n, nr)),
                                     NibblePanel{nr, k, nibbles}.getBytes()}));
  return uint64_t(
      *tensorBytes(elementBits, {product(source.shape, batchDims), int64_t(divideCeil(n, nr)),
                                 int64_t(divideCeil(k, kr)), nr, kr}));
}

uint64_t WeightsFile::totalBytes() const {
  uint64_t end = sizeof(weft_weights_header);
  for (const PackedWeight &weight : weights)
    end = std::max(end, weight.offset + weight.bytes());
  return alignedTo64(end);
}

} // namespace weft
