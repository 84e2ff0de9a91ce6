//===- CheckpointProblems.h - What does not fit between a model and a checkpoint ------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A few problems are listed, one line each. The checkpoint of another architecture has hundreds:
// then the first line sums them up and says whose checkpoint it is, and some of each kind follow.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_IMPORT_CHECKPOINTPROBLEMS_H
#define WEFT_LIB_IMPORT_CHECKPOINTPROBLEMS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace weft {

struct CheckpointProblems {
  /// A line for each tensor, without the name of the file.
  std::vector<std::string> missing, unfit, unused;

  bool empty() const { return missing.empty() && unfit.empty() && unused.empty(); }
  /// The error about the checkpoint `path`, a file or a folder.
  llvm::Error report(llvm::StringRef path) const;
};

} // namespace weft

#endif // WEFT_LIB_IMPORT_CHECKPOINTPROBLEMS_H
