//===- TextFiles.h - files beside a model that the compiler does not read -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_PIPELINE_TEXTFILES_H
#define WEFT_LIB_PIPELINE_TEXTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace weft {

/// Copies the files of `from`, if it is a model's directory, that weft-run reads: the tokenizer,
/// how images are prepared, the names of classes and special tokens.
llvm::Error copyTextFiles(llvm::StringRef from, llvm::StringRef to);

} // namespace weft

#endif
