//===- GGUFVocabulary.cpp - The tokens of a GGUF file ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "GGUFVocabulary.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace weft {

/// No vocabulary has more tokens, or longer ones that can be merged.
constexpr uint64_t maxTokens = 1 << 22;
constexpr size_t maxMergedBytes = 256;

/// The elements of an array, each by `get`; nothing if the file has no such key.
template <typename T>
static Error readList(const GgufFile &file, StringRef key, std::vector<T> &list,
                      function_ref<std::optional<T>(const GgufValue &)> get) {
  const GgufValue *value = file.key(key);
  if (!value)
    return Error::success();
  if (value->size() > maxTokens)
    return createStringError(file.path() + ": error: key '" + key + "' has " +
                             Twine(value->size()) + " values, more than " + Twine(maxTokens));
  for (const GgufValue &element : value->elements()) {
    std::optional<T> one = get(element);
    if (!one)
      return createStringError(file.path() + ": error: key '" + key +
                               "' is not a list of what is expected there");
    list.push_back(std::move(*one));
  }
  return Error::success();
}

static std::optional<std::string> textOf(const GgufValue &value) {
  std::optional<StringRef> text = value.asString();
  return text ? std::optional<std::string>(json::fixUTF8(*text)) : std::nullopt;
}

Error GgufVocabulary::read(const GgufFile &from) {
  file = &from;
  if (Error error = readList<std::string>(from, "tokenizer.ggml.tokens", tokens, textOf))
    return error;
  if (Error error = readList<std::string>(from, "tokenizer.ggml.merges", mergeList, textOf))
    return error;
  if (Error error = readList<int64_t>(from, "tokenizer.ggml.token_type", types,
                                      [](const GgufValue &value) { return value.asInteger(); }))
    return error;
  if (Error error = readList<double>(from, "tokenizer.ggml.scores", scores,
                                     [](const GgufValue &value) { return value.asReal(); }))
    return error;
  for (auto [key, size] :
       {std::pair("token_type", types.size()), std::pair("scores", scores.size())})
    if (size != 0 && size != tokens.size())
      return createStringError(from.path() + ": error: key 'tokenizer.ggml." + key + "' has " +
                               Twine(size) + " values for " + Twine(tokens.size()) + " tokens");
  for (size_t id = 0; id < tokens.size(); ++id)
    idOf.try_emplace(tokens[id], int64_t(id));
  return Error::success();
}

json::Object GgufVocabulary::ids() const {
  json::Object result;
  for (const auto &entry : idOf)
    result[entry.getKey()] = entry.getValue();
  return result;
}

json::Array GgufVocabulary::merges() const { return json::Array(mergeList); }

json::Array GgufVocabulary::mergesByScore() const {
  struct Merge {
    double score;
    int64_t left, right;
  };
  std::vector<Merge> found;
  for (size_t id = 0; id < tokens.size(); ++id) {
    StringRef token = tokens[id];
    bool isMerged = types.empty() || types[id] == Normal || types[id] == UserDefined;
    if (!isMerged || token.size() > maxMergedBytes)
      continue;
    double score = scores.empty() || std::isnan(scores[id]) ? 0 : scores[id];
    for (size_t cut = 1; cut < token.size(); ++cut) {
      auto left = idOf.find(token.take_front(cut)), right = idOf.find(token.drop_front(cut));
      if (left != idOf.end() && right != idOf.end())
        found.push_back({score, left->second, right->second});
    }
  }
  llvm::sort(found, [](const Merge &a, const Merge &b) {
    return std::tuple(-a.score, a.left, a.right) < std::tuple(-b.score, b.left, b.right);
  });
  json::Array result;
  for (const Merge &merge : found)
    result.push_back(json::Array{tokens[size_t(merge.left)], tokens[size_t(merge.right)]});
  return result;
}

std::vector<GgufVocabulary::Added> GgufVocabulary::added() const {
  std::vector<Added> result;
  for (size_t id = 0; id < types.size(); ++id)
    if (types[id] == Control || types[id] == UserDefined || types[id] == Unknown)
      if (!tokens[id].empty() && idOf.lookup(tokens[id]) == int64_t(id))
        result.push_back({int64_t(id), tokens[id], types[id] != UserDefined});
  return result;
}

std::optional<int64_t> GgufVocabulary::roleId(StringRef name) const {
  const GgufValue *value = file->key(("tokenizer.ggml." + name).str());
  std::optional<int64_t> id = value ? value->asInteger() : std::nullopt;
  return id && *id >= 0 && size_t(*id) < tokens.size() ? id : std::nullopt;
}

std::optional<std::string> GgufVocabulary::role(StringRef name) const {
  std::optional<int64_t> id = roleId(name);
  return id ? std::optional<std::string>(tokens[size_t(*id)]) : std::nullopt;
}

} // namespace weft
