//===- TemporaryFolder.h - A folder that lives as long as a test ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_TEST_UNIT_IMPORT_TEMPORARYFOLDER_H
#define WEFT_TEST_UNIT_IMPORT_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

class TemporaryFolder {
public:
  TemporaryFolder() { llvm::sys::fs::createUniqueDirectory("weft-test", folder); }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(folder); }

  std::string path(llvm::StringRef name = "") const {
    return name.empty() ? folder.str().str() : (folder + "/" + name).str();
  }
  void write(llvm::StringRef name, llvm::StringRef text) const {
    std::error_code error;
    llvm::raw_fd_ostream(path(name), error) << text;
  }
  /// `text` with the folder's own path replaced by DIR, so that a test can compare it.
  std::string anonymous(std::string text) const {
    for (size_t at; (at = text.find(path())) != std::string::npos;)
      text.replace(at, path().size(), "DIR");
    return text;
  }

private:
  llvm::SmallString<128> folder;
};

#endif // WEFT_TEST_UNIT_IMPORT_TEMPORARYFOLDER_H
