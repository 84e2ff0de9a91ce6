//===- LegacyVocabulary.cpp - vocabularies from before tokenizer.json -----------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LegacyVocabulary.h"
#include "SentencePiece.h"

#include "weft/Support/InputFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;
using namespace weft::text;
namespace json = llvm::json;

//===----------------------------------------------------------------------------------------===//
// Lists of tokens
//===----------------------------------------------------------------------------------------===//

static llvm::Expected<std::vector<std::string>> readLines(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::StringRef text = (*buffer)->getBuffer();
  text.consume_back("\n");
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  std::vector<std::string> result;
  for (llvm::StringRef line : lines) {
    line.consume_back("\r");
    if (!json::isUTF8(line))
      return llvm::createStringError(path + ":" + llvm::Twine(result.size() + 1) +
                                     ": error: not UTF-8");
    result.push_back(line.str());
  }
  return std::move(result);
}

// {"token": id, ...} of vocab.txt, one token a line, or of vocab.json.
static llvm::Expected<json::Value> readTokens(const Convention &convention) {
  llvm::StringRef name = *convention->getString("vocabulary");
  std::string path = convention.file(name);
  if (!llvm::sys::fs::exists(path))
    return convention.fail("no " + name + " in the folder");
  if (llvm::sys::path::extension(path) == ".json")
    return readJsonFile(path);
  llvm::Expected<std::vector<std::string>> lines = readLines(path);
  if (!lines)
    return lines.takeError();
  json::Object vocabulary;
  for (size_t i = 0; i < lines->size(); ++i)
    vocabulary[(*lines)[i]] = int64_t(i);
  return json::Value(std::move(vocabulary));
}

// The pairs of merges.txt, the first to be merged first.
static llvm::Expected<json::Array> readMerges(const Convention &convention) {
  llvm::Expected<std::vector<std::string>> lines = readLines(convention.file("merges.txt"));
  if (!lines)
    return lines.takeError();
  json::Array merges;
  for (const std::string &line : *lines)
    if (!llvm::StringRef(line).starts_with("#version") && !line.empty())
      merges.push_back(line);
  return std::move(merges);
}

// The model of the convention, as a tokenizer.json would have it.
static llvm::Expected<std::unique_ptr<Model>> loadTokens(const Convention &convention) {
  json::Value description = *convention.expanded("model");
  json::Object &object = *description.getAsObject();
  llvm::Expected<json::Value> tokens = readTokens(convention);
  if (!tokens)
    return tokens.takeError();
  object["vocab"] = std::move(*tokens);
  if (object.getString("type") == "BPE") {
    llvm::Expected<json::Array> merges = readMerges(convention);
    if (!merges)
      return merges.takeError();
    object["merges"] = std::move(*merges);
  }
  JsonReader::File file{convention.path().str(), ""};
  std::unique_ptr<Model> model = readModel(JsonReader(&description, file, "model"));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  return std::move(model);
}

//===----------------------------------------------------------------------------------------===//
// SentencePiece
//===----------------------------------------------------------------------------------------===//

// The first .model of a folder; "" if there is none.
static std::string findPieces(llvm::StringRef folder) {
  llvm::Expected<std::vector<std::string>> found = listFolder(
      folder, [](llvm::StringRef name) { return llvm::sys::path::extension(name) == ".model"; });
  if (found)
    return found->empty() ? "" : found->front();
  llvm::consumeError(found.takeError()); // no folder, no model
  return "";
}

// {"piece": id} of a file beside the pieces.
static llvm::Error readIds(const std::string &path, Vocabulary &ids) {
  llvm::Expected<json::Value> value = readJsonFile(path);
  if (!value)
    return value.takeError();
  JsonReader::File file{path, ""};
  ids.read(JsonReader(&*value, file));
  return file.takeError();
}

static llvm::Expected<std::unique_ptr<Model>> loadPieces(const Convention &convention,
                                                         llvm::StringRef path) {
  PieceIds ids;
  ids.offset = int32_t(convention->getInteger("offset").value_or(0));
  ids.unknown = convention.setting("unk_token");
  ids.splitNumberCommas = convention->getBoolean("split_number_commas").value_or(false);
  if (const json::Object *first = convention->getObject("first"))
    for (const auto &member : *first)
      ids.first[member.first] = int32_t(*member.second.getAsInteger());
  if (std::optional<llvm::StringRef> names = convention->getString("ids"))
    if (llvm::Error error = readIds(convention.file(*names), ids.byName))
      return std::move(error);
  return loadSentencePiece(path, std::move(ids));
}

//===----------------------------------------------------------------------------------------===//
// Which of them
//===----------------------------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<Model>> text::loadLegacyVocabulary(const Convention &convention) {
  llvm::StringRef kind = *convention->getString("vocabulary");
  if (llvm::sys::path::extension(kind) == ".spm")
    return loadPieces(convention, convention.file(kind));
  if (kind != "sentencepiece")
    return loadTokens(convention);
  std::string path = findPieces(convention.path());
  if (path.empty())
    return convention.fail("no SentencePiece model (.model) in the folder");
  return loadPieces(convention, path);
}

bool text::hasLegacyVocabulary(llvm::StringRef folder) {
  return llvm::any_of(
             llvm::ArrayRef({"vocab.txt", "vocab.json"}),
             [&](const char *name) { return llvm::sys::fs::exists(inFolder(folder, name)); }) ||
         !findPieces(folder).empty();
}
