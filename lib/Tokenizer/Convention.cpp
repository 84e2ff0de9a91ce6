//===- Convention.cpp - what surrounds a vocabulary without tokenizer.json ------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Convention.h"

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

//===----------------------------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------------------------===//

static const json::Array &conventions() {
  static const json::Value table = llvm::cantFail(json::parse(conventionsText));
  return *table.getAsArray();
}

static const json::Object *findEntry(llvm::StringRef member, llvm::StringRef name) {
  for (const json::Value &entry : conventions())
    for (const json::Value &each : *entry.getAsObject()->getArray(member))
      if (each.getAsString() == name)
        return entry.getAsObject();
  return nullptr;
}

static std::string knownClasses() {
  std::vector<std::string> names;
  for (const json::Value &entry : conventions())
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

llvm::Error Convention::choose(const json::Value &tokenizerConfig) {
  llvm::Expected<json::Value> modelConfig = readJsonFile(file("config.json"));
  if (!modelConfig)
    return modelConfig.takeError();
  llvm::StringRef name = memberString(tokenizerConfig, "tokenizer_class");
  name.consume_back("Fast");
  llvm::StringRef type = memberString(*modelConfig, "model_type");
  if (!name.empty() && name != "PreTrainedTokenizer")
    entry = findEntry("classes", name);
  else
    entry = findEntry("types", type);
  if (entry)
    return llvm::Error::success();
  if (name.empty() && type.empty())
    return fail("neither tokenizer_config.json (tokenizer_class) nor config.json (model_type) says "
                "what kind of tokenizer its vocabulary is for");
  std::string which = name.empty() ? "the tokenizer of model_type '" + type.str() + "'"
                                   : "tokenizer_class '" + name.str() + "'";
  return fail(which +
              " is supported with a tokenizer.json only; without one these are: " + knownClasses());
}

bool Convention::lists(llvm::StringRef list, llvm::StringRef name) const {
  const json::Array *array = entry->getArray(list);
  return array && llvm::is_contained(*array, json::Value(name));
}

//===----------------------------------------------------------------------------------------===//
// The values that a folder gives its settings
//===----------------------------------------------------------------------------------------===//

llvm::Expected<Convention> Convention::of(llvm::StringRef folder) {
  Convention result(folder);
  if (llvm::Error error = result.readSettings())
    return std::move(error);
  if (llvm::Error error = result.checkRefused())
    return std::move(error);
  return std::move(result);
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

llvm::Error Convention::readSettings() {
  llvm::Expected<json::Value> config = readJsonFile(file("tokenizer_config.json"));
  if (!config)
    return config.takeError();
  llvm::Expected<json::Value> map = readJsonFile(file("special_tokens_map.json"));
  if (!map)
    return map.takeError();
  if (llvm::Error error = choose(*config))
    return error;
  values = *entry->getObject("defaults");
  for (const json::Value *source : {&*map, &*config})
    if (const json::Object *object = source->getAsObject())
      for (const auto &member : *object)
        if (std::optional<json::Value> value = plain(member.second))
          values[member.first] = std::move(*value);
  if (const json::Object *object = config->getAsObject())
    if (const json::Value *tokens = object->get("added_tokens_decoder"))
      added = *tokens;
  return llvm::Error::success();
}

// What the convention does not cover.
llvm::Error Convention::checkRefused() const {
  if (const json::Array *names = entry->getArray("refuse"))
    for (const json::Value &name : *names)
      if (flag(*name.getAsString()))
        return fail("tokenizer_config.json: " + *name.getAsString() +
                    " is supported with a tokenizer.json only");
  return llvm::Error::success();
}

bool Convention::flag(llvm::StringRef name) const {
  bool negated = name.consume_front("!");
  return values.getBoolean(name).value_or(false) != negated;
}

std::string Convention::setting(llvm::StringRef name) const {
  return values.getString(name).value_or("").str();
}

// "$name" is a setting; an object with an "if" is there if the setting is true.
std::optional<json::Value> Convention::expand(const json::Value &value) const {
  if (std::optional<llvm::StringRef> text = value.getAsString()) {
    if (!text->consume_front("$"))
      return value;
    const json::Value *found = values.get(*text);
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

std::optional<json::Value> Convention::expanded(llvm::StringRef member) const {
  const json::Value *value = entry->get(member);
  return value ? expand(*value) : std::nullopt;
}
