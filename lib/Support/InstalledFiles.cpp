//===- InstalledFiles.cpp - what lies beside the running program ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/InstalledFiles.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

/// Below the prefix: of the build tree and most systems, of Debian, of Fedora and its kin.
static constexpr StringLiteral folders[] = {"lib", "lib/" WEFT_LIBRARY_ARCHITECTURE, "lib64"};

std::string weft::findInstalledLibrary(StringRef name) {
  static int anchor;
  // The program itself, wherever a link to it lies.
  std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
  StringRef prefix = sys::path::parent_path(sys::path::parent_path(program));
  for (StringRef folder : folders) {
    SmallString<256> path(prefix);
    sys::path::append(path, folder, name);
    if (sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}
