//===- InputFile.h - Files that are read whole or mapped ------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_INPUTFILE_H
#define WEFT_SUPPORT_INPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace weft {

/// The bytes of a regular file (a device or a pipe could go on for ever); large files are mapped.
/// Errors read `path: error: cannot read: ...`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readInputFile(llvm::StringRef path);

/// The paths of what is in `folder` and has a name that is wanted, sorted.
llvm::Expected<std::vector<std::string>>
listFolder(llvm::StringRef folder, llvm::function_ref<bool(llvm::StringRef name)> isWanted);

} // namespace weft

#endif // WEFT_SUPPORT_INPUTFILE_H
