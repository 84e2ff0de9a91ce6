//===- JsonReader.h - values of a JSON file, with their places ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#ifndef WEFT_SUPPORT_JSONREADER_H
#define WEFT_SUPPORT_JSONREADER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// One value of a JSON file and its place in it ("pre_tokenizer.pretokenizers[1].behavior"). The
/// first problem that anyone meets in a file is kept there; after it, readers answer with empty
/// values, so that who reads need not look after errors at every step: who reads last does.
class JsonReader {
public:
  struct File {
    std::string name, problem;
    llvm::Error takeError();
  };

  JsonReader(const llvm::json::Value *value, File &file, std::string place = "")
      : value(value), file(&file), place(std::move(place)) {}

  /// Reports a problem with this value.
  void fail(const llvm::Twine &problem) const;
  /// The same with an error of another part of the file, which begins with the file's name.
  void failBecause(llvm::Error error) const;
  /// "t.json: pre_tokenizer.pattern", for what goes wrong later.
  std::string origin() const;
  bool failed() const { return !file->problem.empty(); }

  bool isNull() const { return !value || value->kind() == llvm::json::Value::Null; }
  bool isString() const { return value && value->getAsString(); }
  bool isArray() const { return value && value->getAsArray(); }
  bool isObject() const { return value && value->getAsObject(); }

  std::string string() const;
  /// One of at most so many bytes.
  std::string shortString(size_t most) const;
  bool boolean() const;
  int64_t integer(int64_t least, int64_t most) const;
  int32_t id() const { return int32_t(integer(0, INT32_MAX - 1)); }
  double number() const;
  /// At most so many.
  std::vector<JsonReader> elements(size_t most = SIZE_MAX) const;
  /// In the order of their keys.
  std::vector<std::pair<llvm::StringRef, JsonReader>> members() const;
  /// The ids that an object has by their names, in the order of ids, then names.
  std::vector<std::pair<int32_t, llvm::StringRef>> ids() const;

  /// A member of an object; null if it has none of this name.
  JsonReader operator[](llvm::StringRef key) const;
  bool boolean(llvm::StringRef key, bool absent) const;
  std::string string(llvm::StringRef key, llvm::StringRef absent) const;
  std::optional<std::string> optionalString(llvm::StringRef key) const;

  /// A component with a "type": fails for members that it does not have.
  void onlyMembers(llvm::ArrayRef<llvm::StringRef> keys) const;

private:
  template <typename T> const T *expect(const T *found, const char *what) const;
  std::string kindName() const;

  const llvm::json::Value *value;
  File *file;
  std::string place;
};

} // namespace weft

#endif // WEFT_SUPPORT_JSONREADER_H
