//===- Version.h - The version of Weft ------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_VERSION_H
#define WEFT_SUPPORT_VERSION_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class raw_ostream;
}

namespace weft {

/// "0.1": the version of the CMake project.
llvm::StringRef version();

/// What --version says: "PROGRAM of Weft 0.1, commit 0123456789ab" (without the commit if it was
/// built from no repository), then LLVM's version.
void printVersion(llvm::StringRef program, llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_SUPPORT_VERSION_H
