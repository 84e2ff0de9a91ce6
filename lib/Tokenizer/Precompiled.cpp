//===- Precompiled.cpp - SentencePiece's table of replacements ------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The table is a trie of byte strings (a double array, as Darts writes it) whose values are
// offsets into a block of replacements, each ended by NUL. A grapheme of less than 6 bytes that
// begins with an entry is replaced as a whole; otherwise each of its characters is looked up.
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/Endian.h"

using namespace weft;
using namespace weft::text;

namespace {

struct Precompiled : Normalizer {
  std::vector<uint32_t> trie;
  std::string replacements;

  std::optional<std::u32string> find(llvm::StringRef bytes) const;
  llvm::Error apply(Text &text) const override;
};

} // namespace

// The replacement of the shortest entry that `bytes` begins with. No index is trusted.
std::optional<std::u32string> Precompiled::find(llvm::StringRef bytes) const {
  auto step = [](uint32_t unit) { return size_t(unit >> 10) << ((unit & (1u << 9)) >> 6); };
  if (trie.empty())
    return std::nullopt;
  size_t node = step(trie[0]);
  for (char byte : bytes) {
    node ^= uint8_t(byte);
    if (byte == 0 || node >= trie.size())
      return std::nullopt;
    uint32_t unit = trie[node];
    if ((unit & (0x80000000u | 0xFF)) != uint8_t(byte))
      return std::nullopt;
    node ^= step(unit);
    if (!((unit >> 8) & 1))
      continue;
    if (node >= trie.size())
      return std::nullopt;
    size_t offset = trie[node] & 0x7FFFFFFFu;
    if (offset >= replacements.size())
      return std::nullopt;
    return fromUtf8(llvm::StringRef(replacements).substr(offset).split('\0').first);
  }
  return std::nullopt;
}

llvm::Error Precompiled::apply(Text &text) const {
  size_t bytes = text.sourceBytes();
  Text result;
  size_t begin = 0;
  for (size_t length : graphemes(text)) {
    size_t end = begin + length;
    std::string grapheme = toUtf8(text.characters().substr(begin, length));
    std::optional<std::u32string> whole = grapheme.size() < 6 ? find(grapheme) : std::nullopt;
    if (whole)
      result.replace(text, begin, end, *whole);
    for (; !whole && begin < end; ++begin) {
      std::string character;
      appendUtf8(text[begin], character);
      if (std::optional<std::u32string> other = find(character))
        result.replace(text, begin, begin + 1, *other);
      else
        result.keep(text, begin);
    }
    begin = end;
    if (llvm::Error error = checkLength(result.size(), bytes))
      return error;
  }
  text = std::move(result);
  return llvm::Error::success();
}

std::unique_ptr<Normalizer> text::readPrecompiled(const JsonReader &json) {
  json.onlyMembers({"precompiled_charsmap"});
  JsonReader map = json["precompiled_charsmap"];
  auto result = std::make_unique<Precompiled>();
  if (map.isNull())
    return result;
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(map.string(), bytes)) {
    map.fail("not base64: " + llvm::toString(std::move(error)));
    return nullptr;
  }
  if (bytes.empty())
    return result;
  size_t trieBytes = bytes.size() < 4 ? 0 : llvm::support::endian::read32le(bytes.data());
  if (bytes.size() < 4 || trieBytes % 4 || trieBytes > bytes.size() - 4) {
    map.fail("the table of replacements is cut short");
    return nullptr;
  }
  for (size_t i = 0; i < trieBytes; i += 4)
    result->trie.push_back(llvm::support::endian::read32le(bytes.data() + 4 + i));
  result->replacements.assign(bytes.begin() + 4 + trieBytes, bytes.end());
  return result;
}
