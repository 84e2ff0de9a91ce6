//===- Library.cpp - Looking up the embedded library ----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Library/Library.h"
#include <algorithm>

using namespace llvm;

namespace weft {

std::optional<StringRef> findLibraryFile(StringRef name) {
  for (const LibraryFile &file : libraryFiles())
    if (file.name == name)
      return file.text;
  return std::nullopt;
}

std::optional<LibraryFile> findModelFile(StringRef modelType) {
  std::string stem = modelType.str();
  std::replace(stem.begin(), stem.end(), '-', '_');
  for (const LibraryFile &file : libraryFiles())
    if (file.name == "models/" + stem + ".weft")
      return file;
  return std::nullopt;
}

std::vector<std::string> supportedModelTypes() {
  std::vector<std::string> types;
  for (const LibraryFile &file : libraryFiles()) {
    StringRef name = file.name;
    if (name.consume_front("models/") && name.consume_back(".weft"))
      types.push_back(name.str());
  }
  return types;
}

} // namespace weft
