//===- SourceFile.cpp - The texts of a compilation ------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Frontend/SourceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace weft;

struct SourceManager::Text {
  std::string name;
  /// What identifies a file however its path was written; empty for a text that is not a file.
  std::string realPath;
  std::unique_ptr<llvm::MemoryBuffer> buffer;
  /// The offset of the first byte of each line; made when a message first needs it.
  std::vector<uint32_t> lineStarts;

  const std::vector<uint32_t> &lines() {
    if (!lineStarts.empty())
      return lineStarts;
    lineStarts.push_back(0);
    llvm::StringRef text = buffer->getBuffer();
    for (size_t i = text.find('\n'); i != llvm::StringRef::npos; i = text.find('\n', i + 1))
      lineStarts.push_back(static_cast<uint32_t>(i + 1));
    return lineStarts;
  }

  /// The index into lines() of the line that holds `offset`.
  size_t lineOf(uint32_t offset) {
    const std::vector<uint32_t> &starts = lines();
    return std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin() - 1;
  }
};

SourceManager::SourceManager() = default;
SourceManager::~SourceManager() = default;

FileId SourceManager::addFile(llvm::StringRef path, std::string &error) {
  llvm::sys::fs::file_status status;
  if (std::error_code code = llvm::sys::fs::status(path, status)) {
    error = code.message();
    return 0;
  }
  // A directory, a terminal or /dev/zero is not a model.
  if (!llvm::sys::fs::is_regular_file(status)) {
    error = llvm::sys::fs::is_directory(status) ? "it is a directory" : "it is not a regular file";
    return 0;
  }
  if (status.getSize() > maxFileBytes) {
    error = "it has " + std::to_string(status.getSize()) + " bytes, more than the limit of " +
            std::to_string(maxFileBytes);
    return 0;
  }
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(path, real))
    real = path;
  for (size_t i = 0; i < texts.size(); ++i)
    if (texts[i]->realPath == real)
      return static_cast<FileId>(i + 1);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
  if (!buffer) {
    error = buffer.getError().message();
    return 0;
  }
  auto text = std::make_unique<Text>();
  text->name = path.str();
  text->realPath = real.str().str();
  text->buffer = std::move(*buffer);
  texts.push_back(std::move(text));
  return static_cast<FileId>(texts.size());
}

FileId SourceManager::addText(llvm::StringRef name, llvm::StringRef contents) {
  auto text = std::make_unique<Text>();
  text->name = name.str();
  text->buffer = llvm::MemoryBuffer::getMemBufferCopy(contents, name);
  texts.push_back(std::move(text));
  return static_cast<FileId>(texts.size());
}

FileId SourceManager::find(llvm::StringRef name) const {
  for (size_t i = 0; i < texts.size(); ++i)
    if (texts[i]->name == name)
      return static_cast<FileId>(i + 1);
  return 0;
}

llvm::StringRef SourceManager::name(FileId file) const { return texts[file - 1]->name; }

bool SourceManager::isFile(FileId file) const { return !texts[file - 1]->realPath.empty(); }

llvm::StringRef SourceManager::text(FileId file) const {
  return texts[file - 1]->buffer->getBuffer();
}

llvm::StringRef SourceManager::text(SourceRange range) const {
  return text(range.begin.file).slice(range.begin.offset, range.end);
}

/// Counts characters of UTF-8: every byte but the continuation bytes 10xxxxxx.
static unsigned countCharacters(llvm::StringRef bytes) {
  return static_cast<unsigned>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

LineColumn SourceManager::lineColumn(SourceLocation location) const {
  Text &text = *texts[location.file - 1];
  size_t line = text.lineOf(location.offset);
  uint32_t start = text.lineStarts[line];
  llvm::StringRef before = text.buffer->getBuffer().slice(start, location.offset);
  return {static_cast<unsigned>(line + 1), countCharacters(before) + 1};
}

llvm::StringRef SourceManager::lineText(SourceLocation location) const {
  Text &text = *texts[location.file - 1];
  size_t line = text.lineOf(location.offset);
  llvm::StringRef rest = text.buffer->getBuffer().drop_front(text.lineStarts[line]);
  return rest.take_until([](char c) { return c == '\n'; }).rtrim('\r');
}
