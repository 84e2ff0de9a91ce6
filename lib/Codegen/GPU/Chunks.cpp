//===- Chunks.cpp - what lies side by side in the factors of matrix units -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Chunks.h"

#include "weft/Codegen/Common/RowFactor.h"
#include "weft/Dialect/Weft/IR/TensorBytes.h"

#include <numeric>

using namespace mlir;
using namespace weft;

/// The number of combinations of the indices, if they lie side by side; 1 if not.
static int64_t getRun(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> along) {
  int64_t expected = 1;
  for (unsigned position : llvm::reverse(along)) {
    IndexAttr index = op.getIndexAttr(position);
    if (index.getDynamic() || getStaticStride(op, input, position) != expected)
      return 1;
    expected *= index.getSize();
  }
  return expected;
}

/// Whether every element whose indices `along` are 0 is a multiple of a chunk away from the first.
static bool isAligned(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> along,
                      int64_t chunk) {
  AffineMap map = op.getInputMap(input);
  auto type = cast<MemRefType>(op.getInputs()[input].getType());
  int64_t element = 1; // a known divisor of the elements from one value of a dimension to the next
  for (unsigned r = map.getNumResults(); r-- > 0;) {
    if (element % chunk != 0) {
      auto coefficients = getLinearCoefficients(map.getResult(r), map.getNumDims());
      if (!coefficients)
        return false;
      for (auto [i, coefficient] : llvm::enumerate(*coefficients))
        if (!llvm::is_contained(along, i) && coefficient * element % chunk != 0)
          return false;
      SmallVector<AffineExpr> zeros(map.getNumDims(), getAffineConstantExpr(0, map.getContext()));
      auto origin = dyn_cast<AffineConstantExpr>(map.getResult(r).replaceDims(zeros));
      if (!origin || origin.getValue() * element % chunk != 0)
        return false;
    }
    // Rows of a cache begin anywhere among its rows.
    if (r == 0 && map.getNumResults() > 1 && element % chunk != 0)
      return false;
    if (!type.isDynamicDim(r))
      element = std::gcd(element * (type.getDimSize(r) % chunk), chunk);
  }
  return true;
}

int64_t weft::getChunk(FormulaOpInterface op, unsigned input, ArrayRef<unsigned> along) {
  Type type = cast<MemRefType>(op.getInputs()[input].getType()).getElementType();
  int64_t most = kChunkBytes * 8 / int64_t(getStorageBits(type));
  int64_t chunk = std::gcd(getRun(op, input, along), most);
  while (chunk > 1 && !isAligned(op, input, along, chunk))
    chunk /= 2;
  return chunk;
}
