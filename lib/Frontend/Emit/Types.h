//===- Types.h - Extents as types of the dialect --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The one place where dimensions and elements of the text become attributes and types.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_FRONTEND_EMIT_TYPES_H
#define WEFT_LIB_FRONTEND_EMIT_TYPES_H

#include "Sema/Value.h"
#include "weft/Dialect/Weft/IR/Weft.h"
#include "weft/Support/TensorSize.h"

namespace weft::sema {

/// f32, i32 or i1: what formulas are computed in, and stored.
mlir::Type elementType(mlir::MLIRContext &context, ast::ElementKind kind);

/// An index called `name` that runs over `extent`.
IndexAttr indexOver(mlir::MLIRContext &context, llvm::StringRef name, const Extent &extent);

mlir::RankedTensorType tensorType(mlir::MLIRContext &context, ElementType element,
                                  llvm::ArrayRef<Extent> dims);

/// The product of the dimensions; nothing if it reaches maxElements.
std::optional<int64_t> elementCount(llvm::ArrayRef<Extent> dims);

/// Both have the same dimensions.
bool haveSameShape(const TensorValue &a, const TensorValue &b);

} // namespace weft::sema

#endif // WEFT_LIB_FRONTEND_EMIT_TYPES_H
