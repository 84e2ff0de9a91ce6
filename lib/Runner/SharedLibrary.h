//===- SharedLibrary.h - opens the library that a file is now -------------------*- C++ -*-===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_RUNNER_SHAREDLIBRARY_H
#define WEFT_LIB_RUNNER_SHAREDLIBRARY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace weft {

/// A handle for dlsym of the file at `path`, which may have another one's name that the program
/// has loaded and somebody has replaced since.
llvm::Expected<void *> openSharedLibrary(llvm::StringRef path);

} // namespace weft

#endif // WEFT_LIB_RUNNER_SHAREDLIBRARY_H
