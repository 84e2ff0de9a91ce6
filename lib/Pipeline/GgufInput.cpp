//===- GgufInput.cpp - the text and the configuration of a GGUF file ------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// A GGUF file says what architecture it is of, and the `gguf` block of a text says what that means:
// which model, what configuration, and how tensors are called. Nothing here knows more.
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "weft/Frontend/Parser.h"
#include "weft/Import/GGUFModel.h"
#include "weft/Import/GGUFTokenizer.h"
#include "weft/Import/ImpliedConfig.h"
#include "weft/Library/Library.h"
#include "weft/Support/NearestName.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace weft;

/// What a `gguf` block sees of the file.
static Expected<ConfigValue> readDescription(StringRef path) {
  Expected<GgufFile> file = GgufFile::open(path);
  if (!file)
    return file.takeError();
  Expected<Checkpoint> all = Checkpoint::open(path, {}); // all parts
  if (!all)
    return all.takeError();
  return describeGguf(*file, all->tensors());
}

static Error refuseArchitecture(StringRef path, StringRef architecture,
                                ArrayRef<std::string> known) {
  SmallVector<StringRef> names(known.begin(), known.end());
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return createStringError(path + ": error: the architecture '" + architecture +
                           "' is not supported" + choices(architecture, names) +
                           " (a text with a gguf block adds one: weftc TEXT --weights=" + path +
                           ")");
}

/// The text of the library whose block is for the file, and what it says.
bool Compilation::chooseGgufText(const ConfigValue &description) {
  StringRef architecture = description.get("architecture")->asString();
  std::vector<std::string> known;
  for (const LibraryFile &library : libraryFiles()) {
    if (!library.text.contains("\ngguf \""))
      continue;
    SourceManager scratch;
    DiagnosticEngine found(scratch);
    FileId id = scratch.addText(library.name, library.text);
    std::unique_ptr<ast::File> file = parseText(scratch, id, found);
    append_range(known, ggufArchitectures(*file));
    if (!is_contained(ggufArchitectures(*file), architecture))
      continue;
    gguf = readGguf(context, scratch, *file, description, found);
    found.print(errs());
    if (found.hasErrors())
      return false;
    if (!gguf)
      continue;
    input.text = sources.addText(library.name, library.text);
    StringRef type = library.name;
    type.consume_front("models/");
    type.consume_back(".weft");
    gguf->config.set("model_type", ConfigValue::makeString(type));
    return true;
  }
  return fail(refuseArchitecture(input.gguf, architecture, known));
}

/// Of a GGUF file as the input: the text, the model and the configuration. Of one as the weights of
/// a text: what the text's own block says.
bool Compilation::readGgufInput() {
  if (input.gguf.empty())
    return true;
  Expected<ConfigValue> description = readDescription(input.gguf);
  if (!description)
    return fail(description.takeError());
  if (!input.text && !chooseGgufText(*description))
    return false;
  if (!gguf) {
    std::unique_ptr<ast::File> file = parseText(sources, input.text, diagnostics);
    if (file && !diagnostics.hasErrors())
      gguf = readGguf(context, sources, *file, *description, diagnostics);
    if (diagnostics.hasErrors())
      return false;
    if (!gguf)
      return fail(refuseArchitecture(input.gguf, description->get("architecture")->asString(),
                                     file ? ggufArchitectures(*file) : std::vector<std::string>()));
  }
  if (input.configPath.empty()) {
    gguf->config.set("architectures",
                     ConfigValue::makeArray({ConfigValue::makeString(gguf->modelName)}));
    input.config = gguf->config;
    if (Error e = applyDefines(input, options))
      return fail(std::move(e));
    addImpliedValues(input.config);
  }
  if (input.model.empty())
    input.model = gguf->modelName;
  return true;
}

/// Into the folder of the output: the tokenizer and the configuration, as files of the Hub.
bool Compilation::writeGgufFiles() {
  if (options.folder.empty() || sys::path::extension(options.input) != ".gguf")
    return true;
  Expected<GgufFile> file = GgufFile::open(options.input);
  if (!file)
    return fail(file.takeError());
  Expected<TokenizerFiles> tokenizer = describeGgufTokenizer(*file);
  if (!tokenizer)
    return fail(tokenizer.takeError());
  auto write = [&](StringRef name, StringRef text) {
    SmallString<128> path(options.folder);
    sys::path::append(path, name);
    return text.empty() || writeFile(path, [&](raw_ostream &os) {
             os << text << "\n";
             return Error::success();
           });
  };
  return write("tokenizer.json", tokenizer->tokenizer) &&
         write("tokenizer_config.json", tokenizer->config) &&
         write("config.json", input.config.str());
}
