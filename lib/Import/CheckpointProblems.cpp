//===- CheckpointProblems.cpp - What does not fit between a model and a checkpoint ----------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
#include "CheckpointProblems.h"
#include "weft/Support/ConfigValue.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace weft {

/// More problems of one kind are counted.
static constexpr size_t maxListed = 5;

/// What the config.json beside the tensors says of their model; empty if there is none.
static std::string architectureOf(StringRef path) {
  SmallString<128> file(sys::fs::is_directory(path) ? path : sys::path::parent_path(path));
  sys::path::append(file, "config.json");
  Expected<ConfigValue> config = ConfigValue::parseFile(file);
  if (!config) {
    consumeError(config.takeError()); // it may be missing
    return "";
  }
  std::string text;
  const ConfigValue *names = config->get("architectures");
  if (names && !names->elements().empty() && names->elements().front().isString())
    text = ("'" + names->elements().front().asString() + "'").str();
  const ConfigValue *type = config->get("model_type");
  if (type && type->isString())
    text += ((text.empty() ? "'" : " of '") + type->asString() + "'").str();
  return text;
}

Error CheckpointProblems::report(StringRef path) const {
  std::string begin = (path + ": error: ").str(), list;
  SmallVector<std::string> sums;
  bool isLong = false;
  auto add = [&](const std::vector<std::string> &lines, StringRef one, StringRef many) {
    if (lines.empty())
      return;
    sums.push_back((Twine(lines.size()) + (lines.size() == 1 ? one : many)).str());
    for (const std::string &line : ArrayRef(lines).take_front(maxListed))
      list += (Twine("\n") + begin + line).str();
    if (lines.size() <= maxListed)
      return;
    isLong = true;
    list += "\n" + begin + "and " + std::to_string(lines.size() - maxListed) + " more" + many.str();
  };
  add(missing, " tensor is missing", " tensors are missing");
  add(unfit, " tensor has another type or shape", " tensors have another type or shape");
  add(unused, " tensor is not used", " tensors are not used");
  if (!isLong)
    return createStringError(StringRef(list).drop_front()); // the line break
  std::string architecture = architectureOf(path);
  if (!architecture.empty())
    architecture = "; its config.json says " + architecture;
  return createStringError(begin + "the checkpoint does not fit the model: " + join(sums, ", ") +
                           architecture + list);
}

} // namespace weft
