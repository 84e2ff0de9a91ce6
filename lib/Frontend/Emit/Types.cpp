//===- Types.cpp - Extents as types of the dialect ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Types.h"

using namespace llvm;

namespace weft::sema {

mlir::Type elementType(mlir::MLIRContext &context, ast::ElementKind kind) {
  return getStorageType(&context, computeType(kind));
}

IndexAttr indexOver(mlir::MLIRContext &context, StringRef name, const Extent &extent) {
  return IndexAttr::get(&context, name, extent.name, extent.size, extent.dynamic);
}

mlir::RankedTensorType tensorType(mlir::MLIRContext &context, ElementType element,
                                  ArrayRef<Extent> dims) {
  SmallVector<IndexAttr> indices;
  for (const Extent &dim : dims)
    indices.push_back(indexOver(context, "i", dim));
  return getTensorType(indices, getStorageType(&context, element));
}

std::optional<int64_t> elementCount(ArrayRef<Extent> dims) {
  SmallVector<int64_t> sizes;
  for (const Extent &dim : dims)
    sizes.push_back(dim.size);
  return weft::elementCount(sizes);
}

bool haveSameShape(const TensorValue &a, const TensorValue &b) {
  return a.rank() == b.rank() && all_of(zip(a.dims, b.dims), [](auto pair) {
           return std::get<0>(pair).same(std::get<1>(pair));
         });
}

} // namespace weft::sema
