//===- OutputFile.h - Files that appear whole or not at all ---------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_OUTPUTFILE_H
#define WEFT_SUPPORT_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace weft {

/// Calls `write` with a stream to a temporary file beside `path` and then gives it that name. After
/// an error, of `write` or of the disk, no file is left. "-" is standard output; a path that is
/// something else than a regular file (/dev/null) is written directly. Unlike LLVM's writeToOutput,
/// neither a full disk nor an error of `write` ends the program. Errors read `path: error: ...`,
/// except for those of `write`, which are returned as they are.
llvm::Error writeOutputFile(llvm::StringRef path,
                            llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace weft

#endif // WEFT_SUPPORT_OUTPUTFILE_H
