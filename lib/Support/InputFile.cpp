//===- InputFile.cpp - Files that are read whole or mapped ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/InputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weft {

Expected<std::unique_ptr<MemoryBuffer>> readInputFile(StringRef path) {
  auto fail = [&](const Twine &reason) {
    return createStringError(path + ": error: cannot read: " + reason);
  };
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(path, status))
    return fail(code.message());
  if (!sys::fs::is_regular_file(status))
    return fail("not a regular file");
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return fail(buffer.getError().message());
  return std::move(*buffer);
}

Expected<std::vector<std::string>> listFolder(StringRef folder,
                                              function_ref<bool(StringRef name)> isWanted) {
  std::vector<std::string> found;
  std::error_code code;
  for (sys::fs::directory_iterator entry(folder, code), end; entry != end && !code;
       entry.increment(code))
    if (isWanted(sys::path::filename(entry->path())))
      found.push_back(entry->path());
  if (code)
    return createStringError(folder + ": " + code.message());
  llvm::sort(found);
  return found;
}

} // namespace weft
