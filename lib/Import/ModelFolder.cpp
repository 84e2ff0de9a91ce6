//===- ModelFolder.cpp - A Hugging Face model folder ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "weft/Import/ModelFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weft {

/// A configuration says the number of labels through their names.
static void setLabelCount(ConfigValue &config) {
  if (config.get("num_labels"))
    return;
  const ConfigValue *labels = config.get("id2label");
  size_t count = labels && labels->isObject() ? labels->keys().size() : 2;
  config.set("num_labels", ConfigValue::makeInt(int64_t(count)));
}

Expected<ModelFolder> ModelFolder::open(StringRef path) {
  ModelFolder folder;
  SmallString<128> configPath(path);
  sys::path::append(configPath, "config.json");
  folder.configPath = configPath.str().str();
  auto fail = [&](const Twine &message) {
    return createStringError(configPath + ": error: " + message);
  };
  Expected<ConfigValue> config = ConfigValue::parseFile(configPath);
  if (!config)
    return config.takeError();
  folder.config = std::move(*config);

  const ConfigValue *type = folder.config.get("model_type");
  if (!type || !type->isString())
    return fail("there is no string 'model_type'");
  folder.modelType = type->asString().str();
  const ConfigValue *architectures = folder.config.get("architectures");
  if (!architectures || !architectures->isArray() || architectures->elements().empty() ||
      !architectures->elements()[0].isString())
    return fail("there is no list of strings 'architectures'");
  folder.architecture = architectures->elements()[0].asString().str();

  setLabelCount(folder.config);

  SmallString<128> ownFile(path);
  sys::path::append(ownFile, "model.weft");
  if (sys::fs::exists(ownFile)) {
    folder.ownFile = ownFile.str().str();
    return folder;
  }
  std::optional<LibraryFile> file = findModelFile(folder.modelType);
  if (!file)
    return fail("model type '" + folder.modelType +
                "' is not in the library, which has: " + join(supportedModelTypes(), ", "));
  folder.file = *file;
  return folder;
}

} // namespace weft
