//===- RunnerFiles.h - Files beside a model that take texts and images to it ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_RUNNERFILES_H
#define WEFT_SUPPORT_RUNNERFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weft {

/// The paths of the files in `folder` that weft-run reads beside a model: the tokenizer, how images
/// are prepared, the names of classes and special tokens. None if it is no folder.
llvm::Expected<std::vector<std::string>> findRunnerFiles(llvm::StringRef folder);

} // namespace weft

#endif // WEFT_SUPPORT_RUNNERFILES_H
