//===- OutputFile.h - Files that appear whole and together, or not at all -------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_OUTPUTFILE_H
#define WEFT_SUPPORT_OUTPUTFILE_H

#include "weft/Support/TemporaryFile.h"
#include "llvm/Support/FileSystem.h"

#include <optional>
#include <vector>

namespace weft {

/// True for standard output and for what is neither a regular file nor to become one: a device
/// (/dev/null), a pipe. Nothing is to lie beside it, and it is written directly.
bool isStream(llvm::StringRef path);

/// The files that one run reads and writes. All outputs are named before the first is written, and
/// one that is an input or another output (by whatever path or link) is an error. They are made
/// under temporary names and get their own at the end: an error, an interruption or a full disk
/// leaves what was there before. Errors read `path: error: ...` or name both files.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  /// Removes what commit() gave no name.
  ~OutputFiles();

  /// The run reads `path`; `role` says as what ("weights").
  llvm::Error addInput(llvm::StringRef path, llvm::StringRef role);
  /// What was added as an input and is there, each path once, in the order in which it was added.
  std::vector<std::string> inputPaths() const;
  /// The run will write `path`, a regular file or a stream. In the order of commit().
  llvm::Error addOutput(llvm::StringRef path, llvm::StringRef role);
  /// Makes the folder `path`, if it is not there, for outputs to lie in.
  llvm::Error addFolder(llvm::StringRef path);

  /// Writes an output that was added.
  llvm::Error write(llvm::StringRef path,
                    llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);
  /// Writes an output that does not wait for commit().
  llvm::Error writeNow(llvm::StringRef path,
                       llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print);
  /// An empty file for another program to write instead of the output `path`.
  llvm::Expected<std::string> reserve(llvm::StringRef path);

  /// Gives what was written its names, in the order in which the outputs were added. Runs that do
  /// so in one folder do it one after the other: the files there are those of one run.
  llvm::Error commit();

private:
  /// What a path leads to. A file that is not there yet is its name in its folder.
  struct Identity {
    llvm::sys::fs::UniqueID id;
    std::string name;
    bool operator==(const Identity &other) const { return id == other.id && name == other.name; }
  };
  struct File {
    std::string path, role;
    Identity identity;
    bool stream = false;
    std::string target;                ///< of an output: `path`, with a link followed
    std::optional<TemporaryFile> made; ///< of an output that waits for commit()
  };
  static std::error_code identify(llvm::StringRef path, Identity &identity);
  static std::error_code commitOne(File &file);
  llvm::Error checkOutput(const File &output) const;
  File &findOutput(llvm::StringRef path);

  std::vector<File> inputs, outputs;
  std::vector<std::string> newFolders;
};

/// Writes one file that no input can be: an OutputFiles of its own.
llvm::Error writeOutputFile(llvm::StringRef path,
                            llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace weft

#endif // WEFT_SUPPORT_OUTPUTFILE_H
