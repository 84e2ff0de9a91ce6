//===- FolderLocks.h - One run after the other in a folder ----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_LIB_SUPPORT_FOLDERLOCKS_H
#define WEFT_LIB_SUPPORT_FOLDERLOCKS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace weft {

/// Keeps other runs from giving names in the same folders. Where the file system knows no such
/// locks, it does without.
class FolderLocks {
public:
  void add(llvm::StringRef path) {
    int folder = open(path.str().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && flock(folder, LOCK_EX) == 0)
      folders.push_back(folder);
    else if (folder >= 0)
      close(folder);
  }
  ~FolderLocks() {
    for (int folder : folders)
      close(folder);
  }

private:
  llvm::SmallVector<int> folders;
};

} // namespace weft

#endif // WEFT_LIB_SUPPORT_FOLDERLOCKS_H
