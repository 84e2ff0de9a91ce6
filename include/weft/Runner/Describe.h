//===- Describe.h - what a model offers, for readers and programs ---------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_RUNNER_DESCRIBE_H
#define WEFT_RUNNER_DESCRIBE_H

#include "weft/Runner/Interface.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// Entries, tensors, bounds and memory of a model, a line each.
void describe(const weft_model_info &info, llvm::raw_ostream &os);

/// The same for programs; docs/Running.md has the keys.
llvm::json::Object describeAsJson(const weft_model_info &info);

} // namespace weft

#endif // WEFT_RUNNER_DESCRIBE_H
