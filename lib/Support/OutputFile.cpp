//===- OutputFile.cpp - Files that appear whole or not at all -------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace weft {

static Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(path + ": error: cannot write: " + code.message());
}

/// Runs `write` and reports the stream's own error, which its destructor would make fatal.
static Error writeTo(raw_fd_ostream &os, StringRef path, function_ref<Error(raw_ostream &)> write) {
  Error error = write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (error || !code)
    return error;
  return cannotWrite(path, code);
}

Error writeOutputFile(StringRef path, function_ref<Error(raw_ostream &)> write) {
  if (path == "-")
    return writeTo(outs(), "standard output", write);
  sys::fs::file_status status;
  sys::fs::status(path, status);
  if (sys::fs::exists(status) && !sys::fs::is_regular_file(status)) {
    std::error_code code;
    raw_fd_ostream os(path, code);
    return code ? cannotWrite(path, code) : writeTo(os, path, write);
  }
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(path + ".%%%%%%.tmp", 0666);
  if (!file)
    return cannotWrite(path, errorToErrorCode(file.takeError()));
  {
    raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    if (Error error = writeTo(os, path, write))
      return joinErrors(std::move(error), file->discard());
  }
  if (Error error = file->keep(path))
    return cannotWrite(path, errorToErrorCode(std::move(error)));
  return Error::success();
}

} // namespace weft
