//===- BatchSize.h - How many examples a batch has ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_DIALECT_WEFT_TRANSFORMS_BATCHSIZE_H
#define WEFT_DIALECT_WEFT_TRANSFORMS_BATCHSIZE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/// So many examples, or as many as a symbol says, up to a bound.
struct BatchSize {
  std::string symbol; ///< empty: always `size`
  int64_t size = 0;

  /// Reads `4` or `B <= 8`; nothing if it is neither.
  static std::optional<BatchSize> parse(llvm::StringRef text);
};

} // namespace weft

#endif // WEFT_DIALECT_WEFT_TRANSFORMS_BATCHSIZE_H
