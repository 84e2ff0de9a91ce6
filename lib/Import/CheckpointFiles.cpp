//===- CheckpointFiles.cpp - The files of a checkpoint --------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "weft/Import/Checkpoint.h"
#include "weft/Import/GGUF.h"
#include "weft/Import/SafeTensors.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Json.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weft {

Expected<Checkpoint> Checkpoint::open(StringRef path, CheckpointRules rules) {
  Checkpoint checkpoint;
  checkpoint.location = path.str();
  checkpoint.rules = std::move(rules);
  // The longest prefix is the one to strip.
  llvm::sort(checkpoint.rules.prefixes,
             [](StringRef a, StringRef b) { return a.size() > b.size(); });
  Error error = Error::success();
  if (sys::fs::is_directory(path)) {
    error = checkpoint.addFolder();
  } else if (sys::path::extension(path) == ".gguf") {
    error = checkpoint.addGguf();
  } else {
    Expected<SafeTensorsFile> file = SafeTensorsFile::open(path);
    error = file ? checkpoint.addFile(std::move(*file)) : file.takeError();
  }
  if (error)
    return std::move(error);
  if (Error error = checkpoint.nameTensors())
    return std::move(error);
  return checkpoint;
}

Error Checkpoint::addFile(TensorFile file) {
  // Moving a file keeps its tensors where they are.
  paths.push_back(file.path().str());
  files.push_back(std::move(file));
  for (const StoredTensor &tensor : files.back().tensors())
    list.push_back(&tensor);
  return Error::success();
}

/// The file, or all parts of a model of which it is the first.
Error Checkpoint::addGguf() {
  Expected<GgufFile> first = GgufFile::open(location);
  if (!first)
    return first.takeError();
  const GgufValue *countKey = first->key("split.count");
  int64_t count = countKey ? countKey->asInteger().value_or(0) : 1;
  if (Error error = addFile(std::move(*first)))
    return error;
  if (count == 1)
    return Error::success();
  Expected<std::vector<std::string>> parts = ggufParts(location, count);
  if (!parts)
    return parts.takeError();
  for (StringRef path : ArrayRef(*parts).drop_front()) {
    Expected<GgufFile> part = GgufFile::open(path);
    Error error = part ? addFile(std::move(*part)) : part.takeError();
    if (error)
      return error;
  }
  return Error::success();
}

static constexpr StringLiteral singleName = "model.safetensors",
                               indexName = "model.safetensors.index.json";

static SmallString<128> inFolder(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return path;
}

bool Checkpoint::isIn(StringRef folder) {
  return sys::fs::exists(inFolder(folder, singleName)) ||
         sys::fs::exists(inFolder(folder, indexName));
}

Error Checkpoint::addFolder() {
  SmallString<128> single = inFolder(location, singleName), index = inFolder(location, indexName);
  if (sys::fs::exists(single)) {
    Expected<SafeTensorsFile> file = SafeTensorsFile::open(single);
    return file ? addFile(std::move(*file)) : file.takeError();
  }
  if (sys::fs::exists(index))
    return addShards(index);
  return createStringError(location + ": error: neither model.safetensors nor "
                                      "model.safetensors.index.json is in this folder");
}

/// The names of the shards and the tensors each must hold, from the index file.
static Expected<std::map<std::string, std::vector<std::string>>> readIndex(StringRef indexPath) {
  auto fail = [&](const Twine &message) {
    return createStringError(indexPath + ": error: " + message);
  };
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(indexPath);
  if (!buffer)
    return buffer.takeError();
  Expected<json::Value> root = parseJson((*buffer)->getBuffer(), indexPath);
  if (!root)
    return root.takeError();
  const json::Object *object = root->getAsObject();
  const json::Object *weights = object ? object->getObject("weight_map") : nullptr;
  if (!weights)
    return fail("there is no object 'weight_map'");
  std::map<std::string, std::vector<std::string>> shards;
  for (const auto &member : *weights) {
    StringRef name = member.first;
    std::optional<StringRef> file = member.second.getAsString();
    // A shard lies beside its index: a name that leads elsewhere is not followed.
    if (!file || !file->ends_with(".safetensors") || file->contains('/') || file->contains('\\') ||
        file->contains('\0'))
      return fail("tensor '" + name + "': the shard must be the name of a .safetensors file");
    shards[file->str()].push_back(name.str());
  }
  return shards;
}

Error Checkpoint::addShards(StringRef indexPath) {
  auto shards = readIndex(indexPath);
  if (!shards)
    return shards.takeError();
  paths.push_back(indexPath.str());
  for (const auto &[name, tensors] : *shards) {
    SmallString<128> path(location);
    sys::path::append(path, name);
    Expected<SafeTensorsFile> file = SafeTensorsFile::open(path);
    if (!file)
      return file.takeError();
    StringSet<> listed;
    for (const std::string &tensor : tensors) {
      listed.insert(tensor);
      if (!file->find(tensor))
        return createStringError(indexPath + ": error: tensor '" + tensor +
                                 "' is not in its shard " + name);
    }
    for (const StoredTensor &tensor : file->tensors())
      if (!listed.contains(tensor.name))
        return createStringError(indexPath + ": error: tensor '" + tensor.name + "' of shard " +
                                 name + " is not listed there");
    if (Error error = addFile(std::move(*file)))
      return error;
  }
  return Error::success();
}

} // namespace weft
