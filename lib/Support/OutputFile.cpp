//===- OutputFile.cpp - Files that appear whole and together, or not at all -----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/OutputFile.h"

#include "FolderLocks.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Interrupts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

#include <set>
#include <unistd.h>

using namespace llvm;

namespace weft {

static bool isStandardOutput(StringRef path) { return path == "-" || path == "/dev/stdout"; }

bool isStream(StringRef path) {
  sys::fs::file_status status;
  sys::fs::status(path, status);
  // These may lead to a regular file, which is somebody else's.
  if (isStandardOutput(path) || path.starts_with("/dev/fd/") || path == "/dev/stderr")
    return true;
  return sys::fs::exists(status) && !sys::fs::is_regular_file(status) &&
         !sys::fs::is_directory(status);
}

static StringRef folderOf(StringRef path) {
  StringRef folder = sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

//===----------------------------------------------------------------------------------------===//
// What is read and written
//===----------------------------------------------------------------------------------------===//

std::error_code OutputFiles::identify(StringRef path, Identity &identity) {
  if (!sys::fs::getUniqueID(path, identity.id))
    return {};
  identity.name = sys::path::filename(path).str();
  return sys::fs::getUniqueID(folderOf(path), identity.id);
}

/// An error if the output is one of the inputs.
Error OutputFiles::checkOutput(const File &output) const {
  for (const File &input : inputs)
    if (!output.stream && output.identity == input.identity)
      return createStringError("the output '" + output.path + "' (" + output.role +
                               ") is the file that is read as " + input.role +
                               (input.path == output.path ? "" : ", '" + input.path + "'"));
  return Error::success();
}

Error OutputFiles::addInput(StringRef path, StringRef role) {
  File input;
  input.path = path.str();
  input.role = role.str();
  if (identify(path, input.identity))
    return Error::success(); // who reads it says why that cannot be
  inputs.push_back(std::move(input));
  for (const File &output : outputs)
    if (Error error = checkOutput(output))
      return error;
  return Error::success();
}

std::vector<std::string> OutputFiles::inputPaths() const {
  SmallSetVector<StringRef, 16> paths;
  for (const File &input : inputs)
    if (sys::fs::exists(input.path))
      paths.insert(input.path);
  return std::vector<std::string>(paths.begin(), paths.end());
}

Error OutputFiles::addOutput(StringRef path, StringRef role) {
  File output;
  output.path = output.target = path.str();
  output.role = role.str();
  output.stream = isStream(path);
  if (output.stream) {
    outputs.push_back(std::move(output));
    return Error::success();
  }
  if (sys::fs::is_directory(path))
    return cannotWrite(path, make_error_code(std::errc::is_a_directory));
  if (sys::fs::exists(path) && !sys::fs::can_write(path))
    return cannotWrite(path, make_error_code(std::errc::permission_denied));
  if (std::error_code code = identify(path, output.identity))
    return cannotWrite(path, code);
  if (!sys::fs::can_write(folderOf(path)))
    return cannotWrite(path, make_error_code(std::errc::permission_denied));
  // A link stays one: the file that it leads to is replaced.
  SmallString<128> target;
  if (sys::fs::is_symlink_file(path) && !sys::fs::real_path(path, target))
    output.target = std::string(target);
  for (const File &other : outputs)
    if (!other.stream && other.identity == output.identity)
      return createStringError("the outputs '" + other.path + "' (" + other.role + ") and '" +
                               output.path + "' (" + output.role + ") are one file");
  if (Error error = checkOutput(output))
    return error;
  outputs.push_back(std::move(output));
  return Error::success();
}

Error OutputFiles::addFolder(StringRef path) {
  if (sys::fs::exists(path) && !sys::fs::is_directory(path))
    return cannotWrite(path, make_error_code(std::errc::not_a_directory));
  SmallVector<StringRef> missing;
  for (StringRef folder = path.rtrim('/'); !folder.empty() && !sys::fs::exists(folder);
       folder = sys::path::parent_path(folder))
    missing.push_back(folder);
  HoldInterrupts untilTheyAreKnown;
  for (StringRef folder : reverse(missing)) {
    if (std::error_code code = sys::fs::create_directory(folder))
      return createStringError("cannot make the directory '" + path + "': " + code.message());
    newFolders.push_back(folder.str());
    removeFolderOnInterrupt(folder);
  }
  return Error::success();
}

OutputFiles::~OutputFiles() {
  outputs.clear(); // and so the temporary files
  for (const std::string &folder : reverse(newFolders))
    rmdir(folder.c_str()); // if nothing is in it
}

//===----------------------------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------------------------===//

OutputFiles::File &OutputFiles::findOutput(StringRef path) {
  auto found = find_if(outputs, [&](const File &output) { return output.path == path; });
  assert(found != outputs.end() && "an output is added before it is written");
  return *found;
}

Error OutputFiles::write(StringRef path, function_ref<Error(raw_ostream &)> print) {
  File &output = findOutput(path);
  if (output.stream) {
    if (isStandardOutput(path))
      return writeTo(outs(), "standard output", print);
    std::error_code code;
    raw_fd_ostream os(path, code);
    return code ? cannotWrite(path, code) : writeTo(os, path, print);
  }
  Expected<TemporaryFile> file = TemporaryFile::beside(output.target);
  if (!file)
    return file.takeError();
  output.made.emplace(std::move(*file));
  return output.made->write(path, print);
}

Error OutputFiles::writeNow(StringRef path, function_ref<Error(raw_ostream &)> print) {
  if (Error error = write(path, print))
    return error;
  std::error_code code = commitOne(findOutput(path)); // nothing to do for a stream
  return code ? cannotWrite(path, code) : Error::success();
}

Expected<std::string> OutputFiles::reserve(StringRef path) {
  File &output = findOutput(path);
  Expected<TemporaryFile> file =
      output.stream ? TemporaryFile::inSystemFolder("out") : TemporaryFile::beside(output.target);
  if (!file)
    return file.takeError();
  return output.made.emplace(std::move(*file)).path();
}

//===----------------------------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------------------------===//

/// What was made for a stream is copied there, a file gets its name.
std::error_code OutputFiles::commitOne(File &output) {
  if (!output.made)
    return {};
  if (!output.stream) {
    std::error_code code = output.made->rename(output.target);
    if (!code)
      output.made.reset();
    return code;
  }
  auto bytes = MemoryBuffer::getFile(output.made->path(), /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (!bytes)
    return bytes.getError();
  std::error_code code;
  raw_fd_ostream os(output.path, code);
  if (code)
    return code;
  os << (*bytes)->getBuffer();
  os.flush();
  code = os.error();
  os.clear_error();
  return code;
}

Error OutputFiles::commit() {
  for (File &output : outputs)
    if (output.stream)
      if (std::error_code code = commitOne(output))
        return cannotWrite(output.path, code);
  // In one order, so that no two runs wait for each other.
  std::set<std::string> folders;
  for (const File &output : outputs)
    if (output.made && !output.stream) {
      SmallString<128> folder;
      sys::fs::real_path(folderOf(output.target), folder);
      folders.insert(std::string(folder));
    }
  FolderLocks locks;
  for (const std::string &folder : folders)
    locks.add(folder);
  HoldInterrupts untilAllHaveTheirNames;
  for (File &output : outputs)
    if (!output.stream)
      if (std::error_code code = commitOne(output))
        return cannotWrite(output.path, code);
  return Error::success();
}

Error writeOutputFile(StringRef path, function_ref<Error(raw_ostream &)> write) {
  OutputFiles files;
  if (Error error = files.addOutput(path, "output"))
    return error;
  if (Error error = files.write(path, write))
    return error;
  return files.commit();
}

} // namespace weft
