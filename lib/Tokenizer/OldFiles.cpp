//===- OldFiles.cpp - tokenizers from before tokenizer.json -----------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "OldFiles.h"
#include "SentencePiece.h"

#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;
using namespace weft::text;
namespace json = llvm::json;

static const char conventionsText[] =
#include "Conventions.inc"
    ;

std::string text::inFolder(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

llvm::Expected<json::Value> text::readJsonFile(llvm::StringRef path) {
  if (!llvm::sys::fs::exists(path))
    return json::Value(nullptr);
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return parseJson((*buffer)->getBuffer(), path);
}

// The file of pieces: the names that there are, and else any.
static std::string findPieces(llvm::StringRef folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end; file != end && !error;
       file.increment(error))
    if (llvm::sys::path::extension(file->path()) == ".model")
      found.push_back(file->path());
  llvm::sort(found);
  return found.empty() ? "" : found.front();
}

bool text::hasOldFiles(llvm::StringRef folder) {
  return llvm::any_of(
             llvm::ArrayRef({"vocab.txt", "vocab.json"}),
             [&](const char *name) { return llvm::sys::fs::exists(inFolder(folder, name)); }) ||
         !findPieces(folder).empty();
}

namespace {

class OldFiles {
public:
  explicit OldFiles(llvm::StringRef folder) : folder(folder) {}
  llvm::Expected<std::unique_ptr<Tokenizer>> load();

private:
  llvm::Error readSettings();
  llvm::Error chooseConvention(const json::Value &config);
  llvm::Error checkRefused() const;

  std::optional<json::Value> expand(const json::Value &value) const;
  bool flag(llvm::StringRef name) const;
  std::string setting(llvm::StringRef name) const;

  llvm::Expected<std::unique_ptr<Model>> loadModel();
  llvm::Expected<std::unique_ptr<Model>> loadPieces(llvm::StringRef path);
  llvm::Expected<json::Value> readVocabulary();
  llvm::Error readMerges(json::Object &model);

  void addToken(const Model &model, llvm::StringRef content, bool append, bool stripLeft = false);
  llvm::Error addTokens(const Model &model);
  void addFlagged(int32_t id, const json::Object &token);
  llvm::Expected<json::Array> makeTemplate(llvm::StringRef words, json::Object &special) const;
  llvm::Expected<json::Value> makePostProcessor() const;
  std::optional<int32_t> idOf(llvm::StringRef token) const;

  llvm::Error fail(const llvm::Twine &message) const {
    return llvm::createStringError(folder + ": " + message);
  }

  llvm::StringRef folder;
  json::Value table = nullptr;
  const json::Object *convention = nullptr;
  json::Object settings;
  json::Value addedDecoder = nullptr; // of tokenizer_config.json
  json::Array added;                  // as in a tokenizer.json
  std::unique_ptr<Model> model;
  int32_t next = 0; // the id of the next token that the vocabulary has not
};

} // namespace

//===----------------------------------------------------------------------------------------===//
// Which convention, and the values that a folder gives its settings
//===----------------------------------------------------------------------------------------===//

static const json::Object *findConvention(const json::Array &table, llvm::StringRef member,
                                          llvm::StringRef name) {
  for (const json::Value &entry : table)
    for (const json::Value &each : *entry.getAsObject()->getArray(member))
      if (each.getAsString() == name)
        return entry.getAsObject();
  return nullptr;
}

static std::string known(const json::Array &table) {
  std::vector<std::string> names;
  for (const json::Value &entry : table)
    for (const json::Value &each : *entry.getAsObject()->getArray("classes"))
      names.push_back(each.getAsString()->str());
  llvm::sort(names);
  return llvm::join(names, ", ");
}

static llvm::StringRef memberString(const json::Value &value, llvm::StringRef key) {
  const json::Object *object = value.getAsObject();
  std::optional<llvm::StringRef> found = object ? object->getString(key) : std::nullopt;
  return found.value_or("");
}

llvm::Error OldFiles::chooseConvention(const json::Value &config) {
  table = llvm::cantFail(json::parse(conventionsText));
  const json::Array &entries = *table.getAsArray();
  llvm::Expected<json::Value> modelConfig = readJsonFile(inFolder(folder, "config.json"));
  if (!modelConfig)
    return modelConfig.takeError();
  llvm::StringRef name = memberString(config, "tokenizer_class");
  name.consume_back("Fast");
  llvm::StringRef type = memberString(*modelConfig, "model_type");
  if (!name.empty() && name != "PreTrainedTokenizer")
    convention = findConvention(entries, "classes", name);
  else
    convention = findConvention(entries, "types", type);
  if (convention)
    return llvm::Error::success();
  if (name.empty() && type.empty())
    return fail("neither tokenizer_config.json (tokenizer_class) nor config.json (model_type) says "
                "what kind of tokenizer its vocabulary is for");
  std::string which = name.empty() ? "the tokenizer of model_type '" + type.str() + "'"
                                   : "tokenizer_class '" + name.str() + "'";
  return fail(which +
              " is supported with a tokenizer.json only; without one these are: " + known(entries));
}

// "[MASK]" or an object with it as its content.
static std::optional<json::Value> plain(const json::Value &value) {
  if (value.kind() == json::Value::Null)
    return std::nullopt;
  if (const json::Object *token = value.getAsObject()) {
    std::optional<llvm::StringRef> content = token->getString("content");
    return content ? std::optional<json::Value>(content->str()) : std::nullopt;
  }
  return value;
}

llvm::Error OldFiles::readSettings() {
  llvm::Expected<json::Value> config = readJsonFile(inFolder(folder, "tokenizer_config.json"));
  if (!config)
    return config.takeError();
  llvm::Expected<json::Value> map = readJsonFile(inFolder(folder, "special_tokens_map.json"));
  if (!map)
    return map.takeError();
  if (llvm::Error error = chooseConvention(*config))
    return error;
  settings = *convention->getObject("defaults");
  for (const json::Value *file : {&*map, &*config})
    if (const json::Object *object = file->getAsObject())
      for (const auto &member : *object)
        if (std::optional<json::Value> value = plain(member.second))
          settings[member.first] = std::move(*value);
  if (const json::Object *object = config->getAsObject())
    if (const json::Value *tokens = object->get("added_tokens_decoder"))
      addedDecoder = *tokens;
  return checkRefused();
}

// What the convention does not cover.
llvm::Error OldFiles::checkRefused() const {
  if (const json::Array *names = convention->getArray("refuse"))
    for (const json::Value &name : *names)
      if (flag(*name.getAsString()))
        return fail("tokenizer_config.json: " + *name.getAsString() +
                    " is supported with a tokenizer.json only");
  return llvm::Error::success();
}

bool OldFiles::flag(llvm::StringRef name) const {
  bool negated = name.consume_front("!");
  return settings.getBoolean(name).value_or(false) != negated;
}

std::string OldFiles::setting(llvm::StringRef name) const {
  return settings.getString(name).value_or("").str();
}

// "$name" is a setting; an object with an "if" is there if the setting is true.
std::optional<json::Value> OldFiles::expand(const json::Value &value) const {
  if (std::optional<llvm::StringRef> text = value.getAsString()) {
    if (!text->consume_front("$"))
      return value;
    const json::Value *found = settings.get(*text);
    return found ? *found : json::Value(nullptr);
  }
  if (const json::Array *array = value.getAsArray()) {
    json::Array result;
    for (const json::Value &element : *array)
      if (std::optional<json::Value> kept = expand(element))
        result.push_back(std::move(*kept));
    return json::Value(std::move(result));
  }
  const json::Object *object = value.getAsObject();
  if (!object)
    return value;
  json::Object result;
  for (const auto &member : *object)
    if (member.first == "if") {
      if (!flag(*member.second.getAsString()))
        return std::nullopt;
    } else if (std::optional<json::Value> kept = expand(member.second)) {
      result[member.first] = std::move(*kept);
    }
  return json::Value(std::move(result));
}

//===----------------------------------------------------------------------------------------===//
// The vocabulary
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
llvm::Expected<json::Value> OldFiles::readVocabulary() {
  llvm::StringRef name = *convention->getString("vocabulary");
  std::string path = inFolder(folder, name);
  if (!llvm::sys::fs::exists(path))
    return fail("no " + name + " in the folder");
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

llvm::Error OldFiles::readMerges(json::Object &model) {
  llvm::Expected<std::vector<std::string>> lines = readLines(inFolder(folder, "merges.txt"));
  if (!lines)
    return lines.takeError();
  json::Array merges;
  for (const std::string &line : *lines)
    if (!llvm::StringRef(line).starts_with("#version") && !line.empty())
      merges.push_back(line);
  model["merges"] = std::move(merges);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<Model>> OldFiles::loadPieces(llvm::StringRef path) {
  PieceIds ids;
  ids.offset = int32_t(convention->getInteger("offset").value_or(0));
  ids.unknown = setting("unk_token");
  ids.splitNumberCommas = convention->getBoolean("split_number_commas").value_or(false);
  if (const json::Object *first = convention->getObject("first"))
    for (const auto &member : *first)
      ids.first[member.first] = int32_t(*member.second.getAsInteger());
  if (std::optional<llvm::StringRef> names = convention->getString("ids")) {
    std::string file = inFolder(folder, *names);
    llvm::Expected<json::Value> value = readJsonFile(file);
    if (!value)
      return value.takeError();
    JsonReader::File reader{file, ""};
    ids.byName.read(JsonReader(&*value, reader));
    if (llvm::Error error = reader.takeError())
      return std::move(error);
    // The language of the text that comes out is said by a token like ">>fr<<" in front.
    for (const auto &member : *value->getAsObject())
      if (llvm::StringRef name = member.first;
          convention->get("language_codes") && name.starts_with(">>") && name.ends_with("<<"))
        added.push_back(
            json::Object{{"id", member.second}, {"content", name.str()}, {"special", true}});
  }
  return loadSentencePiece(path, std::move(ids));
}

llvm::Expected<std::unique_ptr<Model>> OldFiles::loadModel() {
  llvm::StringRef kind = *convention->getString("vocabulary");
  if (kind == "sentencepiece" || llvm::sys::path::extension(kind) == ".spm") {
    std::string path = kind == "sentencepiece" ? findPieces(folder) : inFolder(folder, kind);
    if (path.empty())
      return fail("no SentencePiece model (.model) in the folder");
    return loadPieces(path);
  }
  json::Value description = *expand(*convention->get("model"));
  json::Object &object = *description.getAsObject();
  llvm::Expected<json::Value> vocabulary = readVocabulary();
  if (!vocabulary)
    return vocabulary.takeError();
  object["vocab"] = std::move(*vocabulary);
  if (object.getString("type") == "BPE")
    if (llvm::Error error = readMerges(object))
      return std::move(error);
  JsonReader::File file{folder.str(), ""};
  std::unique_ptr<Model> result = readModel(JsonReader(&description, file, "model"));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  return std::move(result);
}

//===----------------------------------------------------------------------------------------===//
// Special tokens
//===----------------------------------------------------------------------------------------===//

std::optional<int32_t> OldFiles::idOf(llvm::StringRef token) const {
  for (const json::Value &each : added)
    if (each.getAsObject()->getString("content") == token)
      return int32_t(*each.getAsObject()->getInteger("id"));
  return model->id(token);
}

// Adds a special token; one that the vocabulary has not comes behind all others, if at all.
void OldFiles::addToken(const Model &model, llvm::StringRef content, bool append, bool stripLeft) {
  if (content.empty() || llvm::any_of(added, [&](const json::Value &token) {
        return token.getAsObject()->getString("content") == content;
      }))
    return;
  std::optional<int32_t> id = model.id(content);
  if (!id && !append)
    return;
  if (!id)
    id = next++;
  added.push_back(json::Object{
      {"id", *id}, {"content", content.str()}, {"special", true}, {"lstrip", stripLeft}});
}

// A token of tokenizer_config.json, whose id is its key.
void OldFiles::addFlagged(int32_t id, const json::Object &token) {
  auto same = llvm::find_if(added, [&](const json::Value &other) {
    return other.getAsObject()->getString("content") == token.getString("content");
  });
  if (same != added.end())
    added.erase(same);
  json::Object copy = token;
  copy["id"] = id;
  copy.erase("__type");
  added.push_back(std::move(copy));
}

llvm::Error OldFiles::addTokens(const Model &model) {
  next = model.size();
  if (const json::Array *names = convention->getArray("added"))
    for (const json::Value &name : *names)
      addToken(model, *name.getAsString(), true);
  if (std::optional<llvm::StringRef> extra = convention->getString("extra")) {
    constexpr int64_t maxExtra = 4096;
    int64_t count = settings.getInteger("extra_ids").value_or(0);
    if (count < 0 || count > maxExtra)
      return fail("tokenizer_config.json: extra_ids: " + llvm::Twine(count) + " is not from 0 to " +
                  llvm::Twine(maxExtra));
    while (count-- > 0)
      addToken(model, (*extra + llvm::Twine(count) + ">").str(), true);
  }
  auto lists = [&](llvm::StringRef list, llvm::StringRef name) {
    const json::Array *array = convention->getArray(list);
    return array && llvm::is_contained(*array, json::Value(name));
  };
  for (const auto &role : *convention->getObject("defaults"))
    if (llvm::StringRef name = role.first; name.ends_with("_token") && settings.getString(name))
      addToken(model, setting(name), lists("append", name), lists("strip_left", name));
  if (const json::Object *tokens = addedDecoder.getAsObject())
    for (const auto &member : *tokens) {
      int32_t id;
      if (llvm::StringRef(member.first).getAsInteger(10, id) || !member.second.getAsObject())
        return fail("tokenizer_config.json: added_tokens_decoder." + llvm::StringRef(member.first) +
                    ": expected an id and a token");
      addFlagged(id, *member.second.getAsObject());
    }
  llvm::Expected<json::Value> more = readJsonFile(inFolder(folder, "added_tokens.json"));
  if (!more)
    return more.takeError();
  if (const json::Object *tokens = more->getAsObject())
    for (const auto &member : *tokens)
      if (!idOf(member.first))
        added.push_back(
            json::Object{{"id", member.second}, {"content", llvm::StringRef(member.first).str()}});
  return llvm::Error::success();
}

//===----------------------------------------------------------------------------------------===//
// What stands around a text
//===----------------------------------------------------------------------------------------===//

// "cls_token A sep_token:1?flag": texts and roles, their types, and a setting that must be true.
llvm::Expected<json::Array> OldFiles::makeTemplate(llvm::StringRef words,
                                                   json::Object &special) const {
  json::Array items;
  llvm::SmallVector<llvm::StringRef> parts;
  words.split(parts, ' ');
  for (llvm::StringRef part : parts) {
    auto [what, condition] = part.split('?');
    if (!condition.empty() && !flag(condition))
      continue;
    auto [name, typeText] = what.split(':');
    int64_t type = typeText.empty() ? 0 : int64_t(typeText[0] - '0');
    if (name == "A" || name == "B") {
      items.push_back(
          json::Object{{"Sequence", json::Object{{"id", name.str()}, {"type_id", type}}}});
      continue;
    }
    std::string token = setting(name);
    std::optional<int32_t> id = idOf(token);
    if (!id)
      return fail("the vocabulary has no token '" + token + "', the " + name);
    special[token] = json::Object{{"id", token}, {"ids", json::Array{*id}}};
    items.push_back(json::Object{{"SpecialToken", json::Object{{"id", token}, {"type_id", type}}}});
  }
  return std::move(items);
}

llvm::Expected<json::Value> OldFiles::makePostProcessor() const {
  json::Object special;
  llvm::Expected<json::Array> single = makeTemplate(*convention->getString("single"), special);
  if (!single)
    return single.takeError();
  llvm::Expected<json::Array> pair = makeTemplate(*convention->getString("pair"), special);
  if (!pair)
    return pair.takeError();
  return json::Object{{"type", "TemplateProcessing"},
                      {"single", std::move(*single)},
                      {"pair", std::move(*pair)},
                      {"special_tokens", std::move(special)}};
}

// Pieces with marks for spaces, and bytes.
static json::Value piecesDecoder() {
  return llvm::cantFail(json::parse(R"({"type": "Sequence", "decoders": [
      {"type": "Replace", "pattern": {"String": "\u2581"}, "content": " "},
      {"type": "ByteFallback"}, {"type": "Fuse"},
      {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})"));
}

llvm::Expected<std::unique_ptr<Tokenizer>> OldFiles::load() {
  if (llvm::Error error = readSettings())
    return std::move(error);
  if (llvm::Error error = loadModel().moveInto(model))
    return std::move(error);
  if (llvm::Error error = addTokens(*model))
    return std::move(error);
  llvm::Expected<json::Value> processor = makePostProcessor();
  if (!processor)
    return processor.takeError();
  json::Object description{{"post_processor", std::move(*processor)},
                           {"added_tokens", std::move(added)}};
  for (const char *part : {"normalizer", "pre_tokenizer", "decoder"})
    if (const json::Value *value = convention->get(part))
      description[part] = *expand(*value);
  if (!description.get("decoder"))
    description["decoder"] = piecesDecoder();
  json::Value whole = std::move(description);
  JsonReader::File file{folder.str(), ""};
  std::unique_ptr<Tokenizer> tokenizer =
      TokenizerBuilder::build(JsonReader(&whole, file), std::move(model));
  if (llvm::Error error = file.takeError())
    return std::move(error);
  for (const auto &role : settings)
    if (llvm::StringRef name = role.first; name.ends_with("_token") && settings.getString(name))
      TokenizerBuilder::setRole(*tokenizer, name, setting(name));
  return std::move(tokenizer);
}

llvm::Expected<std::unique_ptr<Tokenizer>> text::loadOldFiles(llvm::StringRef folder) {
  return OldFiles(folder).load();
}
