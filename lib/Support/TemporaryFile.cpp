//===- TemporaryFile.cpp - Files that do not outlive the program ----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/TemporaryFile.h"

#include "weft/Support/Interrupts.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace llvm;

namespace weft {

Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(path + ": error: cannot write: " + code.message());
}

Error writeTo(raw_fd_ostream &os, StringRef path, function_ref<Error(raw_ostream &)> write) {
  Error error = write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  if (error || !code)
    return error;
  return cannotWrite(path, code);
}

Expected<TemporaryFile> TemporaryFile::beside(StringRef path) {
  HoldInterrupts untilItIsKnown;
  SmallString<128> name;
  int descriptor;
  if (std::error_code code =
          sys::fs::createUniqueFile(path + ".%%%%%%%%.tmp", descriptor, name, sys::fs::OF_None))
    return cannotWrite(path, code);
  sys::RemoveFileOnSignal(name);
  sys::Process::SafelyCloseFileDescriptor(descriptor);
  return TemporaryFile(std::string(name));
}

Expected<TemporaryFile> TemporaryFile::inSystemFolder(StringRef suffix) {
  HoldInterrupts untilItIsKnown;
  SmallString<128> name;
  if (std::error_code code = sys::fs::createTemporaryFile("weft", suffix, name))
    return cannotWrite("temporary file", code);
  sys::RemoveFileOnSignal(name);
  return TemporaryFile(std::string(name));
}

TemporaryFile::TemporaryFile(TemporaryFile &&other) : name(std::move(other.name)) {
  other.name.clear();
}

TemporaryFile::~TemporaryFile() {
  if (name.empty())
    return;
  sys::fs::remove(name);
  sys::DontRemoveFileOnSignal(name);
}

/// What is written at once: systems that keep a file in the pieces that it was written in have it
/// in huge pages, and so have programs that map it.
static constexpr size_t kPiece = 2 << 20;

Error TemporaryFile::write(StringRef shown, function_ref<Error(raw_ostream &)> print) {
  std::error_code code;
  raw_fd_ostream os(name, code);
  if (code)
    return cannotWrite(shown, code);
  os.SetBufferSize(kPiece);
  return writeTo(os, shown, print);
}

std::error_code TemporaryFile::rename(StringRef path) {
  HoldInterrupts untilItIsForgotten;
  std::error_code code = sys::fs::rename(name, path);
  if (code)
    return code;
  sys::DontRemoveFileOnSignal(name);
  name.clear();
  return code;
}

} // namespace weft
