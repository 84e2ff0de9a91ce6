//===- Load.cpp - which file a tokenizer comes from -----------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "LegacyFiles.h"
#include "LegacyVocabulary.h"
#include "weft/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;
using namespace weft::text;

// The names that special tokens go by in tokenizer_config.json and special_tokens_map.json.
static const char *const roles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                    "pad_token", "cls_token", "mask_token"};

// "[MASK]", or an object with it as its content.
static void readRoles(const JsonReader &json, Tokenizer &tokenizer) {
  for (const char *role : roles)
    if (JsonReader token = json[role]; !token.isNull())
      TokenizerBuilder::setRole(tokenizer, role,
                                token.isObject() ? token["content"].string() : token.string());
}

static llvm::Error readRolesOf(llvm::StringRef path, Tokenizer &tokenizer) {
  llvm::Expected<llvm::json::Value> value = readJsonFile(path);
  if (!value || value->kind() == llvm::json::Value::Null)
    return value.takeError();
  JsonReader::File file{path.str(), ""};
  readRoles(JsonReader(&*value, file), tokenizer);
  return file.takeError();
}

static llvm::Expected<std::unique_ptr<Tokenizer>> loadJson(llvm::StringRef path) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  return Tokenizer::parse((*buffer)->getBuffer(), path);
}

bool Tokenizer::isIn(llvm::StringRef directory) {
  return llvm::sys::fs::exists(inFolder(directory, "tokenizer.json")) ||
         hasLegacyVocabulary(directory);
}

llvm::Expected<std::unique_ptr<Tokenizer>> Tokenizer::load(llvm::StringRef path) {
  bool isFolder = llvm::sys::fs::is_directory(path);
  std::string file = isFolder ? inFolder(path, "tokenizer.json") : path.str();
  std::string folder = isFolder ? path.str() : llvm::sys::path::parent_path(path).str();
  if (!isFolder && llvm::sys::path::extension(path) != ".json")
    return llvm::createStringError(path + ": error: expected a tokenizer.json or a folder");
  if (!llvm::sys::fs::exists(file) && hasLegacyVocabulary(folder))
    return loadLegacyFiles(folder);
  llvm::Expected<std::unique_ptr<Tokenizer>> tokenizer = loadJson(file);
  if (!tokenizer)
    return tokenizer;
  for (const char *name : {"special_tokens_map.json", "tokenizer_config.json"})
    if (llvm::Error error = readRolesOf(inFolder(folder, name), **tokenizer))
      return std::move(error);
  return tokenizer;
}
