//===- BPE.cpp - byte-pair encoding ---------------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A word begins as its characters; as long as two neighbours have a merge, the pair with the best
// rank (of equal pairs the leftmost) becomes one token (Sennrich et al., 2016). A heap holds the
// pairs, so that a text without words of n characters takes n log n steps.
//
//===----------------------------------------------------------------------------------------===//

#include "Components.h"
#include "Limits.h"

#include <queue>

using namespace weft;
using namespace weft::text;

namespace {

struct Merge {
  int32_t rank, id;
};

// A token of the word so far: characters [begin, end). `next`, `previous`: -1 at the ends.
struct Symbol {
  int32_t id;
  size_t begin, end;
  int64_t previous, next;
  bool gone = false;
};

struct BPE : Model {
  llvm::DenseMap<std::pair<int32_t, int32_t>, Merge> merges;
  std::optional<int32_t> unknown;
  bool fuseUnknown = false, byteFallback = false, ignoreMerges = false;
  std::string prefix, suffix; // of all but the first character of a word, of the last one

  llvm::Error tokenize(const Text &word, std::vector<Token> &tokens) const override;
  std::vector<Symbol> symbols(const Text &word) const;
  bool addBytes(const std::string &bytes, size_t i, std::vector<Symbol> &result) const;
  void mergeAll(std::vector<Symbol> &symbols) const;
  void read(const JsonReader &json);
  void readMerges(const JsonReader &json);
  void readMerge(const JsonReader &json, int32_t rank);
};

// A pair that can be merged: a symbol and its successor, as they were when it was found.
struct Candidate {
  int32_t rank;
  int64_t position;
  int32_t left, right;
  bool operator<(const Candidate &other) const { // a heap has the largest on top
    return rank != other.rank ? rank > other.rank : position > other.position;
  }
};

} // namespace

// The bytes of an unknown character, if the vocabulary has them all.
bool BPE::addBytes(const std::string &bytes, size_t i, std::vector<Symbol> &result) const {
  std::vector<Symbol> found;
  for (char byte : bytes)
    if (std::optional<int32_t> id = vocabulary.id(byteToken(uint8_t(byte))))
      found.push_back({*id, i, i + 1, -1, -1});
  if (found.size() != bytes.size())
    return false;
  result.insert(result.end(), found.begin(), found.end());
  return true;
}

std::vector<Symbol> BPE::symbols(const Text &word) const {
  std::vector<Symbol> result;
  bool fuses = false; // the last symbol is unknown and takes more characters
  for (size_t i = 0; i < word.size(); ++i) {
    std::string text;
    appendUtf8(word[i], text);
    std::string decorated = (i > 0 ? prefix : "") + text + (i + 1 == word.size() ? suffix : "");
    if (std::optional<int32_t> id = vocabulary.id(decorated)) {
      result.push_back({*id, i, i + 1, -1, -1});
    } else if (byteFallback && addBytes(decorated, i, result)) {
    } else if (!unknown) {
      continue; // a character that the vocabulary has no way to say is left out
    } else if (fuses && fuseUnknown) {
      result.back().end = i + 1;
      continue;
    } else {
      result.push_back({*unknown, i, i + 1, -1, -1});
      fuses = true;
      continue;
    }
    fuses = false;
  }
  for (size_t i = 0; i < result.size(); ++i) {
    result[i].previous = int64_t(i) - 1;
    result[i].next = i + 1 < result.size() ? int64_t(i) + 1 : -1;
  }
  return result;
}

void BPE::mergeAll(std::vector<Symbol> &symbols) const {
  std::priority_queue<Candidate> queue;
  auto offer = [&](int64_t left) {
    if (left < 0 || symbols[left].next < 0)
      return;
    std::pair<int32_t, int32_t> pair(symbols[left].id, symbols[symbols[left].next].id);
    if (auto merge = merges.find(pair); merge != merges.end())
      queue.push({merge->second.rank, left, pair.first, pair.second});
  };
  for (size_t i = 0; i < symbols.size(); ++i)
    offer(int64_t(i));
  while (!queue.empty()) {
    Candidate best = queue.top();
    queue.pop();
    Symbol &left = symbols[best.position];
    if (left.gone || left.id != best.left || left.next < 0 || symbols[left.next].id != best.right)
      continue; // one of the two has become part of another token
    Symbol &right = symbols[left.next];
    left.id = merges.find({best.left, best.right})->second.id;
    left.end = right.end;
    left.next = right.next;
    right.gone = true;
    if (left.next >= 0)
      symbols[left.next].previous = best.position;
    offer(left.previous);
    offer(best.position);
  }
}

llvm::Error BPE::tokenize(const Text &word, std::vector<Token> &tokens) const {
  if (ignoreMerges)
    if (std::optional<int32_t> id = vocabulary.id(word.utf8())) {
      tokens.push_back({*id, word.span()});
      return llvm::Error::success();
    }
  std::vector<Symbol> all = symbols(word);
  mergeAll(all);
  for (const Symbol &symbol : all)
    if (!symbol.gone)
      tokens.push_back({symbol.id, word.span(symbol.begin, symbol.end)});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------------------------===//

// "a b" or ["a", "b"]; the merged token must be in the vocabulary.
void BPE::readMerge(const JsonReader &json, int32_t rank) {
  std::string left, right;
  if (json.isArray()) {
    std::vector<JsonReader> parts = json.elements();
    if (parts.size() != 2)
      return json.fail("expected two tokens, found " + llvm::Twine(parts.size()));
    left = parts[0].string();
    right = parts[1].string();
  } else {
    std::string text = json.string();
    auto [first, second] = llvm::StringRef(text).split(' ');
    if (first.empty() || second.empty() || second.contains(' '))
      return json.fail("expected two tokens with a space between them, found '" + text + "'");
    left = first.str();
    right = second.str();
  }
  llvm::StringRef tail = right;
  tail.consume_front(prefix);
  std::string merged = left + tail.str();
  for (const std::string &token : {left, right, merged})
    if (!vocabulary.id(token))
      return json.fail("'" + token + "' is not in the vocabulary");
  merges[{*vocabulary.id(left), *vocabulary.id(right)}] = {rank, *vocabulary.id(merged)};
}

void BPE::readMerges(const JsonReader &json) {
  int32_t rank = 0;
  for (const JsonReader &merge : json.elements()) {
    readMerge(merge, rank++);
    if (json.failed())
      return;
  }
}

void BPE::read(const JsonReader &json) {
  json.onlyMembers({"vocab", "merges", "dropout", "unk_token", "continuing_subword_prefix",
                    "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
                    "cache_capacity"});
  vocabulary.read(json["vocab"]);
  if (!json["dropout"].isNull() && json["dropout"].number() != 0)
    json["dropout"].fail("merges that are left out at random are for training only");
  for (auto [key, affix] :
       {std::pair("continuing_subword_prefix", &prefix), std::pair("end_of_word_suffix", &suffix)})
    if (JsonReader value = json[key]; !value.isNull())
      *affix = value.shortString(limits::tokenLength);
  fuseUnknown = json.boolean("fuse_unk", false);
  byteFallback = json.boolean("byte_fallback", false);
  ignoreMerges = json.boolean("ignore_merges", false);
  if (std::optional<std::string> name = json.optionalString("unk_token")) {
    unknown = vocabulary.id(*name);
    if (!unknown && !name->empty())
      json["unk_token"].fail("'" + *name + "' is not in the vocabulary");
  }
  readMerges(json["merges"]);
}

std::unique_ptr<Model> text::readBPE(const JsonReader &json) {
  auto result = std::make_unique<BPE>();
  result->read(json);
  return result;
}
