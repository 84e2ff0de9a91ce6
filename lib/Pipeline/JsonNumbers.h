//===- JsonNumbers.h - numbers of JSON in tensors of bytes ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_JSONNUMBERS_H
#define WEFT_LIB_PIPELINE_JSONNUMBERS_H

#include "weft/Import/Checkpoint.h"

namespace weft {

/// The numbers of objects that a checkpoint holds as text in tensors of bytes, each as a tensor of
/// one real.
class JsonNumbers {
public:
  explicit JsonNumbers(const Checkpoint &checkpoint) : checkpoint(checkpoint) {}

  /// "a.state.key" is the number `key` of the object in the tensor "a.state"; null if there is
  /// none.
  const StoredTensor *find(llvm::StringRef name);

private:
  struct Number {
    float value;
    StoredTensor tensor;
  };

  const Checkpoint &checkpoint;
  std::vector<std::unique_ptr<Number>> numbers;
};

} // namespace weft

#endif // WEFT_LIB_PIPELINE_JSONNUMBERS_H
