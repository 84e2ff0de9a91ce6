//===- Json.cpp - Reading JSON that nobody vouches for, and writing it ----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// One scan over the text before LLVM parses it: it follows brackets and strings only, which is
// enough to bound the nesting and to see every key of every object.
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Support/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstdlib>
#include <vector>

using namespace llvm;

namespace weft {
namespace {

/// `fileName:line:column: error: message` for the byte `offset` of `text`.
Error errorAt(StringRef fileName, StringRef text, size_t offset, const Twine &message) {
  StringRef before = text.take_front(offset);
  size_t line = before.count('\n') + 1;
  size_t column = offset - (before.rfind('\n') + 1) + 1;
  return createStringError(fileName + ":" + Twine(line) + ":" + Twine(column) +
                           ": error: " + message);
}

class Scan {
public:
  Scan(StringRef text, StringRef fileName, unsigned maxDepth)
      : text(text), fileName(fileName), maxDepth(maxDepth) {}

  Error run() {
    for (; at < text.size(); ++at) {
      switch (text[at]) {
      case '{':
      case '[':
        if (open.size() == maxDepth)
          return errorAt(fileName, text, at, "more than " + Twine(maxDepth) + " nested values");
        open.emplace_back();
        break;
      case '}':
      case ']':
        if (!open.empty())
          open.pop_back();
        break;
      case '"':
        if (Error error = readString())
          return error;
        break;
      default:
        if (isDigit(text[at]))
          if (Error error = readNumber())
            return error;
      }
    }
    return Error::success();
  }

private:
  /// Steps from the opening to the closing quote; a string before a colon is a key.
  Error readString() {
    size_t begin = at++;
    while (at < text.size() && text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    if (at >= text.size()) // the parser reports it
      return Error::success();
    size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (open.empty() || next == StringRef::npos || text[next] != ':')
      return Error::success();
    StringRef quoted = text.slice(begin, at + 1);
    if (!open.back().insert(decode(quoted)).second)
      return errorAt(fileName, text, begin, "the key " + quoted + " appears twice");
    return Error::success();
  }

  /// Steps to the last character of a number. LLVM reads 1e999 as infinity, which is no JSON.
  Error readNumber() {
    size_t begin = at;
    StringRef number = text.substr(at).take_while(
        [](char c) { return isAlnum(c) || c == '.' || c == '+' || c == '-'; });
    at += number.size() - 1;
    if (!std::isfinite(std::strtod(number.str().c_str(), nullptr)))
      return errorAt(fileName, text, begin, "the number " + number + " is too large");
    return Error::success();
  }

  /// Two spellings of one key ("a" and "\u0061") are equal.
  static std::string decode(StringRef quoted) {
    if (quoted.contains('\\')) {
      Expected<json::Value> value = json::parse(quoted);
      if (value)
        return value->getAsString()->str();
      consumeError(value.takeError());
    }
    return quoted.drop_front().drop_back().str();
  }

  StringRef text, fileName;
  unsigned maxDepth;
  size_t at = 0;
  std::vector<StringSet<>> open; // the keys of every object (or array) around `at`
};

} // namespace

Expected<json::Value> parseJson(StringRef text, StringRef fileName, unsigned maxDepth) {
  if (Error error = Scan(text, fileName, maxDepth).run())
    return std::move(error);
  Expected<json::Value> value = json::parse(text);
  if (value)
    return value;
  // LLVM says "[line:column, byte=offset]: message".
  std::string message = toString(value.takeError());
  auto [where, what] = StringRef(message).split(": ");
  return createStringError(fileName + ":" + where.drop_front().split(',').first +
                           ": error: " + what);
}

void printJson(const json::Value &value, raw_ostream &os) { os << formatv("{0:2}", value) << "\n"; }

} // namespace weft
