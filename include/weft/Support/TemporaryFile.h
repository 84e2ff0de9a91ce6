//===- TemporaryFile.h - Files that do not outlive the program ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_TEMPORARYFILE_H
#define WEFT_SUPPORT_TEMPORARYFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace weft {

/// `path: error: cannot write: REASON`.
llvm::Error cannotWrite(llvm::StringRef path, std::error_code code);

/// Runs `write` and takes the stream's own error from it, which its destructor would make fatal.
/// `path` is for the message.
llvm::Error writeTo(llvm::raw_fd_ostream &os, llvm::StringRef path,
                    llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

/// An empty file under a name that nobody else has. It is removed at the end of its scope and when
/// the program is interrupted or crashes, unless it was renamed.
class TemporaryFile {
public:
  /// One in the folder of `path`, so that it can be given that name.
  static llvm::Expected<TemporaryFile> beside(llvm::StringRef path);
  /// One in the system's folder for temporary files: "weft-XXXXXX.SUFFIX".
  static llvm::Expected<TemporaryFile> inSystemFolder(llvm::StringRef suffix);

  TemporaryFile(TemporaryFile &&other);
  TemporaryFile &operator=(TemporaryFile &&other) = delete;
  ~TemporaryFile();

  const std::string &path() const { return name; }
  /// Replaces the contents. `shown` is the name for messages.
  llvm::Error write(llvm::StringRef shown,
                    llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);
  /// From here on it is an ordinary file of that name.
  std::error_code rename(llvm::StringRef path);

private:
  explicit TemporaryFile(std::string name) : name(std::move(name)) {}
  std::string name; ///< empty: moved or renamed
};

} // namespace weft

#endif // WEFT_SUPPORT_TEMPORARYFILE_H
