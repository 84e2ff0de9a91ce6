//===- SourceFile.h - The texts of a compilation --------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The SourceManager owns every text of a compilation (the user's files, the imported ones, the
// library compiled into weftc) and numbers them. A SourceLocation is a file number and a byte
// offset: 64 bits, cheap to keep in every node of the syntax tree; line and column are computed
// only when a message is printed.
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_SOURCEFILE_H
#define WEFT_FRONTEND_SOURCEFILE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// The number of a text in its SourceManager, counted from 1; 0 is "no file".
using FileId = uint32_t;

/// A byte of a text.
struct SourceLocation {
  FileId file = 0;
  uint32_t offset = 0;

  /// Whether it lies in a text at all.
  bool isValid() const { return file != 0; }
  bool operator==(const SourceLocation &other) const {
    return file == other.file && offset == other.offset;
  }
};

/// The bytes [begin.offset, end) of a text.
struct SourceRange {
  SourceLocation begin;
  uint32_t end = 0;

  SourceRange() = default;
  SourceRange(SourceLocation begin, uint32_t end) : begin(begin), end(end) {}
  /// The empty range at `location`: a caret without a tail.
  /*implicit*/ SourceRange(SourceLocation location) : begin(location), end(location.offset) {}
  /// Whether it lies in a text at all.
  bool isValid() const { return begin.isValid(); }
};

/// Line and column for people: both counted from 1, the column in Unicode characters.
struct LineColumn {
  unsigned line = 0;
  unsigned column = 0;
};

/// Owns the texts of a compilation. Texts and their names never move once added.
class SourceManager {
public:
  SourceManager();
  ~SourceManager();
  SourceManager(const SourceManager &) = delete;
  SourceManager &operator=(const SourceManager &) = delete;

  /// A file larger than this is refused before it is read: 64 MiB.
  static constexpr uint64_t maxFileBytes = uint64_t(64) << 20;

  /// Reads `path`. A path that was already added gives the same number, so that an import met twice
  /// is one file. On failure returns 0 and sets `error` to the reason (without the path).
  FileId addFile(llvm::StringRef path, std::string &error);
  /// Adds a text that is not a file; `name` is what messages show (for example "nn.weft").
  FileId addText(llvm::StringRef name, llvm::StringRef text);
  /// The number of the text with this name, or 0.
  FileId find(llvm::StringRef name) const;

  /// How many texts there are: their numbers are 1 to this.
  FileId count() const { return FileId(texts.size()); }
  /// The path or the name that messages show.
  llvm::StringRef name(FileId file) const;
  /// False for a text that addText was given.
  bool isFile(FileId file) const;
  /// The bytes of a whole text.
  llvm::StringRef text(FileId file) const;
  /// The line and the column of a location.
  LineColumn lineColumn(SourceLocation location) const;
  /// The whole line around a location, without its line break.
  llvm::StringRef lineText(SourceLocation location) const;
  /// The bytes of a range.
  llvm::StringRef text(SourceRange range) const;

private:
  struct Text;
  std::vector<std::unique_ptr<Text>> texts;
};

} // namespace weft

#endif // WEFT_FRONTEND_SOURCEFILE_H
