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
#include "llvm/Support/MemoryBuffer.h"

#include <dlfcn.h>
#include <elf.h>
#include <mutex>

using namespace llvm;
using namespace weft;

/// The bytes that are mapped by the headers of a library of 64 bits: the system dies at the first
/// access behind the end of a file that was cut. 0 of what has no such headers, which it refuses.
static uint64_t getMappedBytes(MemoryBufferRef file) {
  auto read = [&](uint64_t offset, auto &header) {
    bool isThere =
        offset <= file.getBufferSize() && file.getBufferSize() - offset >= sizeof(header);
    if (isThere)
      std::memcpy(&header, file.getBufferStart() + offset, sizeof(header));
    return isThere;
  };
  Elf64_Ehdr header;
  if (!file.getBuffer().starts_with(ELFMAG) || !read(0, header) ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return 0;
  uint64_t most = 0;
  for (unsigned i = 0; i != header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!read(header.e_phoff + uint64_t(i) * header.e_phentsize, part))
      return UINT64_MAX;
    if (part.p_type == PT_LOAD)
      most = std::max(most, part.p_offset + part.p_filesz);
  }
  return most;
}

static Error checkFile(StringRef path, StringRef shown) {
  // A device could go on for ever.
  if (sys::fs::exists(path) && !sys::fs::is_regular_file(path))
    return createStringError(shown + ": not a shared library: it is no regular file");
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file || getMappedBytes(**file) <= (*file)->getBufferSize())
    return Error::success();
  return createStringError(shown + ": not a whole shared library: it was cut to " +
                           Twine((*file)->getBufferSize()) + " bytes");
}

static Expected<void *> open(StringRef path, StringRef shown) {
  if (Error error = checkFile(path, shown))
    return std::move(error);
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
