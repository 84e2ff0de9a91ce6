//===- ModelFolder.cpp - the files that come with a model -----------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Runner/Tasks/ModelFolder.h"

#include "weft/Runner/AlignedBuffer.h"
#include "weft/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;

llvm::Expected<std::string> weft::findLibrary(llvm::StringRef path) {
  if (!llvm::sys::fs::is_directory(path))
    return path.str();
  llvm::Expected<std::vector<std::string>> found = listFolder(
      path, [](llvm::StringRef name) { return llvm::sys::path::extension(name) == ".so"; });
  if (!found)
    return found.takeError();
  if (found->size() == 1)
    return found->front();
  return llvm::createStringError(
      path + ": the folder has " +
      (found->empty() ? "no library (.so)" : "several libraries (.so); name one"));
}

/// Tokens are named by their ids, one or several; what is none would be taken for nothing.
static llvm::Error checkIds(const ConfigValue &file, llvm::StringRef path) {
  auto isId = [](const ConfigValue &value) { return value.isInt(); };
  for (auto [key, value] : llvm::zip_equal(file.keys(), file.elements())) {
    bool areIds = value.isArray() && llvm::all_of(value.elements(), isId);
    if (llvm::StringRef(key).ends_with("_token_id") && !value.isNull() && !isId(value) && !areIds)
      return llvm::createStringError(path + ": '" + key +
                                     "' is no id of a token, and no list of them");
  }
  return llvm::Error::success();
}

static llvm::Expected<ConfigValue> readConfig(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  if (!llvm::sys::fs::exists(path))
    return ConfigValue::makeObject();
  llvm::Expected<ConfigValue> file = ConfigValue::parseFile(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->isObject() ? checkIds(*file, path) : llvm::Error::success())
    return std::move(error);
  return file;
}

llvm::Expected<ModelFolder> ModelFolder::load(llvm::StringRef library, llvm::StringRef tokenizer,
                                              const RoleTable &roles) {
  ModelFolder result;
  result.table = &roles;
  llvm::StringRef folder = llvm::sys::path::parent_path(library);
  result.directory = folder.empty() ? "." : folder.str();
  if (llvm::Error error = readConfig(result.directory, "config.json").moveInto(result.config))
    return std::move(error);
  if (llvm::Error error =
          readConfig(result.directory, "generation_config.json").moveInto(result.generation))
    return std::move(error);
  result.wordsPath = tokenizer.empty() ? result.directory : tokenizer.str();
  if (tokenizer.empty() && !Tokenizer::isIn(result.directory))
    return std::move(result);
  if (llvm::Error error = Tokenizer::load(result.wordsPath).moveInto(result.words))
    return std::move(error);
  return std::move(result);
}

llvm::Expected<Encoding> ModelFolder::encode(llvm::StringRef text, EncodeOptions options,
                                             std::optional<llvm::StringRef> pair) const {
  return pair ? words->encodePair(text, *pair, options) : words->encode(text, options);
}

const ConfigValue *ModelFolder::find(llvm::StringRef key) const {
  for (const ConfigValue *file : {&generation, &config})
    if (const ConfigValue *value = file->get(key); value && !value->isNull())
      return value;
  return nullptr;
}

std::vector<std::string> ModelFolder::unheeded() const {
  std::vector<std::string> result;
  for (const char *key : {"bad_words_ids", "begin_suppress_tokens", "forced_decoder_ids",
                          "forced_eos_token_id", "no_repeat_ngram_size", "suppress_tokens"}) {
    const ConfigValue *value = find(key);
    bool isNone = !value || (value->isArray() && value->elements().empty());
    // No word is the length of no repetition; a token may have the number 0.
    if (key == llvm::StringRef("no_repeat_ngram_size") && !isNone)
      isNone = value->isInt() && value->asInt() == 0;
    if (!isNone)
      result.push_back(key);
  }
  return result;
}

std::vector<int32_t> ModelFolder::ids(TokenRole role) const {
  for (const std::string &name : table->names(role))
    if (std::vector<int32_t> found = idsOf(name); !found.empty())
      return found;
  return {};
}

// By its name in the files.
std::vector<int32_t> ModelFolder::idsOf(llvm::StringRef name) const {
  std::vector<int32_t> result;
  auto add = [&](const ConfigValue &value) {
    if (value.isInt() && value.asInt() >= 0 && value.asInt() < INT32_MAX)
      result.push_back(int32_t(value.asInt()));
  };
  if (const ConfigValue *value = find((name + "_id").str())) {
    add(*value);
    if (value->isArray())
      for (const ConfigValue &element : value->elements())
        add(element);
  } else if (words) {
    if (std::optional<int32_t> id = words->role(name))
      result.push_back(*id);
  }
  return result;
}

std::string ModelFolder::label(int64_t index) const {
  const ConfigValue *labels = config.get("id2label");
  const ConfigValue *label = labels ? labels->get(std::to_string(index)) : nullptr;
  return label && label->isString() ? label->asString().str() : "LABEL_" + std::to_string(index);
}
