//===- SharedLibrary.cpp - opens the library that a file is now -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "SharedLibrary.h"

#include "weft/Support/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>
#include <mutex>

using namespace llvm;
using namespace weft;

static Expected<void *> open(StringRef path, StringRef shown) {
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

/// By a name that the system does not know yet.
static Expected<void *> openByAlias(StringRef absolute, StringRef shown, sys::fs::UniqueID file) {
  Expected<TemporaryFile> alias = TemporaryFile::inSystemFolder("so");
  if (!alias)
    return alias.takeError();
  if (isNameOfAnother(alias->path(), file))
    return openByAlias(absolute, shown, file);
  std::error_code error = sys::fs::remove(alias->path());
  if (!error)
    error = sys::fs::create_link(absolute, alias->path());
  if (error)
    return cannotWrite(alias->path(), error);
  return open(alias->path(), shown);
}

Expected<void *> weft::openSharedLibrary(StringRef path) {
  // A name without a slash would be searched for in the system's folders.
  SmallString<256> absolute(path);
  if (std::error_code error = sys::fs::make_absolute(absolute))
    return createStringError(path + ": " + error.message());
  sys::fs::UniqueID file;
  if (sys::fs::getUniqueID(absolute, file))
    return createStringError(path + ": no such file");
  return isNameOfAnother(absolute, file) ? openByAlias(absolute, path, file) : open(absolute, path);
}
