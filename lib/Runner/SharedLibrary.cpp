//===- SharedLibrary.cpp - opens the library that a file is now -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedLibrary.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <mutex>

using namespace llvm;

static Expected<void *> open(const Twine &path, StringRef shown) {
  if (void *handle = dlopen(path.str().c_str(), RTLD_NOW | RTLD_LOCAL))
    return handle;
  return createStringError(shown + ": not a shared library: " + dlerror());
}

/// Whether the system knows another file by this name: asked for one that it has, it gives what
/// was loaded then.
static bool isNameOfAnother(StringRef absolute, sys::fs::UniqueID file) {
  static std::mutex lock;
  static StringMap<sys::fs::UniqueID> firstOfName;
  std::lock_guard<std::mutex> guard(lock);
  return firstOfName.try_emplace(absolute, file).first->second != file;
}

/// Removes an alias that the system knows another file by.
static bool isTaken(StringRef alias, sys::fs::UniqueID file) {
  bool isTaken = isNameOfAnother(alias, file);
  if (isTaken)
    sys::fs::remove(alias);
  return isTaken;
}

Expected<void *> weft::openSharedLibrary(StringRef path) {
  // A name without a slash would be searched for in the system's folders.
  SmallString<256> absolute(path);
  if (std::error_code error = sys::fs::make_absolute(absolute))
    return createStringError(path + ": " + error.message());
  sys::fs::UniqueID file;
  if (sys::fs::getUniqueID(absolute, file))
    return createStringError(path + ": no such file");
  if (!isNameOfAnother(absolute, file))
    return open(absolute, path);
  SmallString<128> alias;
  std::error_code error;
  do {
    sys::fs::getPotentiallyUniqueTempFileName("weft", "so", alias);
    error = sys::fs::create_link(absolute, alias);
  } while (error == std::errc::file_exists || (!error && isTaken(alias, file)));
  if (error)
    return createStringError(path + ": cannot be linked to at " + alias + ": " + error.message());
  Expected<void *> handle = open(alias, path);
  sys::fs::remove(alias);
  return handle;
}
