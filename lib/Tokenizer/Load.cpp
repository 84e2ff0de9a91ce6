//===- Load.cpp - which file a tokenizer comes from -------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Parts.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace weft;
using namespace weft::text;

static std::string inFolder(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

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
  if (!llvm::sys::fs::exists(path))
    return llvm::Error::success();
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readInputFile(path);
  if (!buffer)
    return buffer.takeError();
  llvm::Expected<llvm::json::Value> value = parseJson((*buffer)->getBuffer(), path);
  if (!value)
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
  return llvm::sys::fs::exists(inFolder(directory, "tokenizer.json"));
}

llvm::Expected<std::unique_ptr<Tokenizer>> Tokenizer::load(llvm::StringRef path) {
  bool isFolder = llvm::sys::fs::is_directory(path);
  llvm::Expected<std::unique_ptr<Tokenizer>> tokenizer =
      loadJson(isFolder ? inFolder(path, "tokenizer.json") : path.str());
  if (!tokenizer)
    return tokenizer;
  std::string folder = isFolder ? path.str() : llvm::sys::path::parent_path(path).str();
  for (const char *name : {"special_tokens_map.json", "tokenizer_config.json"})
    if (llvm::Error error = readRolesOf(inFolder(folder, name), **tokenizer))
      return std::move(error);
  return tokenizer;
}
