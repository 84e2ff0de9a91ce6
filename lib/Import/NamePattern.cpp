//===- NamePattern.cpp - Patterns over tensor names -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/NamePattern.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;

namespace weft {

std::optional<SmallVector<StringRef>> matchPattern(StringRef pattern, StringRef name) {
  SmallVector<StringRef> pieces, runs;
  pattern.split(pieces, '*');
  if (!name.consume_front(pieces.front()))
    return std::nullopt;
  if (pieces.size() == 1) {
    if (!name.empty())
      return std::nullopt;
    return runs;
  }
  for (StringRef piece : ArrayRef(pieces).drop_front().drop_back()) {
    size_t found = name.find(piece);
    if (found == StringRef::npos)
      return std::nullopt;
    runs.push_back(name.take_front(found));
    name = name.drop_front(found + piece.size());
  }
  if (!name.consume_back(pieces.back()))
    return std::nullopt;
  runs.push_back(name);
  return runs;
}

std::optional<std::string> rewriteName(StringRef pattern, StringRef replacement, StringRef name) {
  std::optional<SmallVector<StringRef>> runs = matchPattern(pattern, name);
  if (!runs)
    return std::nullopt;
  std::string result;
  size_t next = 0;
  for (char c : replacement)
    if (c != '*')
      result += c;
    else if (next < runs->size())
      result += (*runs)[next++];
  return result;
}

} // namespace weft
