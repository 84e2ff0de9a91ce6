//===- VerifyComputed.cpp - computed weights against the interpreter ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Pipeline/VerifyComputed.h"

using namespace weft;

llvm::Expected<VerifyReport> weft::verifyComputed(const Checkpoint &checkpoint, double tolerance) {
  VerifyReport result;
  for (const std::unique_ptr<StoredTensor> &tensor : checkpoint.computedTensors()) {
    llvm::Expected<std::vector<double>> expected = tensor->values->interpret();
    if (!expected)
      return expected.takeError();
    std::vector<float> computed(expected->size());
    tensor->values->read(0, computed);
    if (llvm::Error error = StoredWeight{{tensor.get()}}.checkValues())
      return std::move(error);
    Tensor reference(tensor->shape, std::move(*expected));
    Tensor actual(tensor->shape, std::vector<double>(computed.begin(), computed.end()));
    result.difference = compare(reference, actual, tolerance);
    if (result.difference) {
      result.difference->formula = tensor->name;
      break;
    }
    ++result.compared;
    result.worst = std::max(result.worst, relativeError(reference, actual));
  }
  return result;
}
