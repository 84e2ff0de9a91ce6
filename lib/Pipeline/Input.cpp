//===- Input.cpp - the text, the configuration and the checkpoint of a model ----------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Input.h"

#include "weft/Import/Checkpoint.h"
#include "weft/Import/ImpliedConfig.h"
#include "weft/Library/Library.h"
#include "weft/Support/NearestName.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace weft;

static Error error(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

static std::string inDirectory(StringRef directory, StringRef file) {
  SmallString<128> path(directory);
  sys::path::append(path, file);
  return std::string(path);
}

/// Adds the text of `path`; the error names the file.
static Error addText(ModelInput &input, SourceManager &sources, StringRef path) {
  std::string reason;
  input.text = sources.addFile(path, reason);
  return input.text ? Error::success() : error("cannot read '" + path + "': " + reason);
}

/// A name that the configuration lacks may be a dimension, or a value that has a default: what
/// nobody reads is found after the elaboration.
Error weft::applyDefines(ModelInput &input, const CompileOptions &options) {
  input.newDefines.clear();
  StringMap<StringRef> values;
  for (const auto &[name, text] : options.defines) {
    auto [known, added] = values.try_emplace(name, text);
    if (!added && known->second != text)
      return error("-D " + name + " is given twice, as '" + known->second + "' and as '" + text +
                   "'");
    if (added && !input.config.get(StringRef(name).split('.').first))
      input.newDefines.push_back(name);
  }
  for (const auto &[name, text] : options.defines)
    if (Error e = input.config.setPath(name, ConfigValue::fromCommandLine(text)))
      return e;
  return Error::success();
}

/// Reads the configuration and applies -D.
static Error readConfig(ModelInput &input, const CompileOptions &options, StringRef path) {
  if (!path.empty()) {
    Expected<ConfigValue> config = ConfigValue::parseFile(path);
    if (!config)
      return config.takeError();
    input.config = std::move(*config);
    input.configPath = path.str();
  } else {
    input.config = ConfigValue::makeObject();
  }
  if (Error e = applyDefines(input, options))
    return e;
  if (!path.empty())
    addImpliedValues(input.config);
  return Error::success();
}

/// Picks the library's text for the directory's model_type.
static Error chooseLibraryText(ModelInput &input, SourceManager &sources, StringRef configPath) {
  const ConfigValue *type = input.config.get("model_type");
  if (!type || !type->isString())
    return error("'" + configPath + "' has no model_type" + (type ? " that is a name" : "") +
                 ", and there is no model.weft beside it");
  std::optional<LibraryFile> file = findModelFile(type->asString());
  if (!file) {
    std::vector<std::string> names = supportedModelTypes();
    SmallVector<StringRef> known(names.begin(), names.end());
    return error("'" + configPath + "': model_type '" + type->asString() + "' is not supported" +
                 choices(type->asString(), known) +
                 " (a model.weft in the directory adds one: see docs/AddingAModel.md)");
  }
  input.text = sources.addText(file->name, file->text);
  return Error::success();
}

/// The first of the classes that the configuration names, if it names any.
static Error readArchitecture(const ConfigValue &config, StringRef path, std::string &name) {
  const ConfigValue *architectures = config.get("architectures");
  if (!architectures || architectures->isNull())
    return Error::success();
  bool areNames =
      architectures->isArray() && all_of(architectures->elements(), [](const ConfigValue &one) {
        return one.isString() && !one.asString().empty();
      });
  if (!areNames)
    return error("'" + path + "': architectures is no list of names");
  if (!architectures->elements().empty())
    name = architectures->elements().front().asString().str();
  return Error::success();
}

static Error resolveDirectory(ModelInput &input, const CompileOptions &options,
                              SourceManager &sources) {
  std::string configPath =
      options.config.empty() ? inDirectory(options.input, "config.json") : options.config;
  std::string ownText = inDirectory(options.input, "model.weft");
  bool hasOwnText = sys::fs::exists(ownText);
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(configPath, status);
  if (!hasOwnText && code == std::errc::no_such_file_or_directory)
    return error("directory '" + options.input + "' has neither a config.json nor a model.weft");
  if (code && code != std::errc::no_such_file_or_directory)
    return error("cannot read '" + configPath + "': " + code.message());
  if (Error e = readConfig(input, options, code ? "" : configPath))
    return e;
  if (input.weights.empty() && !options.noWeights && !options.randomWeights) {
    if (!options.mayLackWeights || Checkpoint::isIn(options.input))
      input.weights = options.input;
  }
  std::string architecture;
  if (Error e = readArchitecture(input.config, configPath, architecture))
    return e;
  if (hasOwnText) {
    input.preferredModel = architecture;
    return addText(input, sources, ownText);
  }
  if (input.model.empty())
    input.model = architecture;
  return chooseLibraryText(input, sources, configPath);
}

/// A text, or with --from a module, which MLIR's parser reads itself.
static Expected<ModelInput> readStandardInput(ModelInput input, const CompileOptions &options,
                                              SourceManager &sources) {
  if (options.from) {
    input.modulePath = "-";
    return input;
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getSTDIN();
  if (!text)
    return error("cannot read standard input: " + text.getError().message());
  if ((*text)->getBufferSize() > SourceManager::maxFileBytes)
    return error("the text on standard input has " + Twine((*text)->getBufferSize()) +
                 " bytes, more than the limit of " + Twine(SourceManager::maxFileBytes));
  input.text = sources.addText("<stdin>", (*text)->getBuffer());
  if (Error e = readConfig(input, options, options.config))
    return std::move(e);
  return input;
}

Expected<ModelInput> weft::resolveInput(const CompileOptions &options, SourceManager &sources) {
  ModelInput input;
  input.model = options.model;
  input.weights = options.weights;
  if (sys::path::extension(input.weights) == ".gguf")
    input.gguf = input.weights;
  if (options.input == "-")
    return readStandardInput(std::move(input), options, sources);
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(options.input, status))
    return error("cannot read '" + options.input + "': " + code.message());
  if (sys::fs::is_directory(status)) {
    if (Error e = resolveDirectory(input, options, sources))
      return std::move(e);
    return input;
  }
  StringRef suffix = sys::path::extension(options.input);
  if (suffix == ".mlir") {
    if (!options.defines.empty())
      return error("-D " + options.defines.front().first +
                   ": the dimensions and the configuration "
                   "of an .mlir file are decided");
    input.modulePath = options.input;
    return input;
  }
  if (suffix == ".gguf") {
    input.gguf = options.input;
    if (input.weights.empty() && !options.noWeights && !options.randomWeights)
      input.weights = options.input;
    if (Error e = readConfig(input, options, options.config))
      return std::move(e);
    return input;
  }
  if (suffix != ".weft")
    return error("'" + options.input +
                 "' is neither a .weft file, a .gguf file, an .mlir file nor a directory");
  if (Error e = readConfig(input, options, options.config))
    return std::move(e);
  if (Error e = addText(input, sources, options.input))
    return std::move(e);
  return input;
}
