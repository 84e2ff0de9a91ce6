//===- PrintTensor.h - a tensor as a person reads it ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_PRINTTENSOR_H
#define WEFT_TOOLS_WEFT_RUN_PRINTTENSOR_H

#include "weft/Runner/Tensors.h"

#include "llvm/Support/raw_ostream.h"

namespace weft {

/// Prints name, type and shape, and then the elements, a row of the last dimension a line: all of
/// up to 64, otherwise of every dimension of more than 6 the first and the last 3.
void printTensor(const StoredTensor &tensor, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_PRINTTENSOR_H
