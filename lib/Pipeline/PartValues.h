//===- PartValues.h - neighbours in a weight ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_PARTVALUES_H
#define WEFT_LIB_PIPELINE_PARTVALUES_H

#include "weft/Import/StoredWeight.h"

namespace weft {

/// `count` elements of a weight from number `first` on: what it has for them, codes as well where
/// they begin with a group.
std::shared_ptr<TensorValues> takePart(StoredWeight weight, int64_t first, int64_t count);

} // namespace weft

#endif // WEFT_LIB_PIPELINE_PARTVALUES_H
