//===- Header.h - the C header of a compiled model ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TARGET_HEADER_H
#define WEFT_TARGET_HEADER_H

#include "weft/Target/ModelDescription.h"

namespace llvm {
class raw_ostream;
}

namespace weft {

/// Writes the header that a C or C++ program includes to call the model: a commented, typed
/// prototype per entry, the sizes as constants, the model's description. It includes <stdint.h>
/// only and is valid C99 and C++. The text depends on `model` alone.
void writeHeader(const ModelDescription &model, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_TARGET_HEADER_H
