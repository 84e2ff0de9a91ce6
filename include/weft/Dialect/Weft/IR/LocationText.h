//===- LocationText.h - where a formula stands in its text ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H
#define WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

#include <string>

namespace weft {

/// Where the formula at `location` stands (of several fused ones, the last: the others lead to it);
/// null if it is unknown.
mlir::FileLineColLoc findPlace(mlir::Location location);

/// The same as "file:line:col"; empty if it is unknown.
std::string locationText(mlir::Location location);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H
