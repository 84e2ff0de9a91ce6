//===- LocationText.h - where a formula stands in its text ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H
#define WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H

#include "mlir/IR/Location.h"

#include <string>

namespace weft {

/// "file:line:col" of the formula at `location` (of several fused ones, the last: the others lead
/// to it); empty if it is unknown.
std::string locationText(mlir::Location location);

} // namespace weft

#endif // WEFT_DIALECT_WEFT_IR_LOCATIONTEXT_H
