//===- DeclareFiles.cpp - the files that a compilation reads and writes ---------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// All outputs are known before anything is read, and all inputs before anything is written: no
// output can take the place of an input.
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "weft/Support/RunnerFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace weft;

static std::string inFolder(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return std::string(path);
}

/// What the output of a stage is to the user.
static std::string roleOf(Stage stage) {
  switch (stage) {
  case Stage::Object:
    return "object";
  case Stage::Library:
    return "library";
  case Stage::Executable:
    return "program";
  case Stage::Header:
    return "header";
  default:
    return ("stage '" + stageInfo(stage).name + "'").str();
  }
}

std::string Compilation::dumpPath(Stage dumped) const {
  std::string name;
  raw_string_ostream(name) << format("%02u-", unsigned(dumped) + 1) << stageInfo(dumped).name
                           << stageInfo(dumped).suffix;
  return inFolder(options.dumpStages, name);
}

std::string Compilation::besideOutput(StringRef suffix) const {
  SmallString<128> result(options.output);
  sys::path::replace_extension(result, suffix);
  return std::string(result);
}

std::string Compilation::dependencyPath() const {
  return options.dependencyFile.empty() ? besideOutput(".d") : options.dependencyFile;
}

bool Compilation::writesFilesBeside() const {
  return isCallable(options.emit) && !isStream(options.output);
}

/// What else weft-run reads is in a GGUF file.
Error Compilation::declareGgufFiles() {
  for (StringRef name : {"tokenizer.json", "tokenizer_config.json", "config.json"})
    if (Error e = files.addOutput(inFolder(options.folder, name), name))
      return e;
  return Error::success();
}

/// The folder of the output, with copies of what else weft-run reads.
Error Compilation::declareFolder() {
  if (options.folder.empty())
    return Error::success();
  if (Error e = files.addFolder(options.folder))
    return e;
  if (sys::path::extension(options.input) == ".gguf")
    return declareGgufFiles();
  Expected<std::vector<std::string>> paths = findRunnerFiles(options.input);
  if (!paths)
    return paths.takeError();
  for (const std::string &from : *paths) {
    StringRef name = sys::path::filename(from);
    std::string to = inFolder(options.folder, name);
    bool same = false;
    if (!sys::fs::equivalent(from, to, same) && same)
      continue; // the model's own folder
    if (Error e =
            joinErrors(files.addInput(from, name), files.addOutput(to, ("copy of " + name).str())))
      return e;
    copies.emplace_back(from, to);
  }
  return Error::success();
}

Error Compilation::declareDumps() {
  if (options.dumpStages.empty())
    return Error::success();
  if (Error e = files.addFolder(options.dumpStages))
    return e;
  for (const StageInfo &info : stages())
    if (info.stage <= std::min(options.emit, Stage::LLVMDialect))
      if (Error e = files.addOutput(dumpPath(info.stage), "stage '" + info.name.str() + "'"))
        return e;
  return Error::success();
}

/// The code comes last: who finds it new finds the rest new.
bool Compilation::declareOutputs() {
  if (Error e = declareFolder())
    return fail(std::move(e));
  bool mayPack = options.randomWeights || !options.weights.empty() ||
                 sys::fs::is_directory(options.input) ||
                 sys::path::extension(options.input) == ".gguf";
  if (writesFilesBeside() && mayPack && !options.noWeights && !options.embedWeights)
    if (Error e = files.addOutput(besideOutput(".weights"), "weights"))
      return fail(std::move(e));
  if (writesFilesBeside() && options.emit != Stage::Executable)
    if (Error e = files.addOutput(besideOutput(".h"), "header"))
      return fail(std::move(e));
  if (Error e = declareDumps())
    return fail(std::move(e));
  if (options.dependencies)
    if (Error e = files.addOutput(dependencyPath(), "dependencies"))
      return fail(std::move(e));
  if (Error e = files.addOutput(options.output, roleOf(options.emit)))
    return fail(std::move(e));
  return true;
}

/// Debuggers want the texts of the library, and one from standard input, as files.
bool Compilation::declareTexts() {
  if (!options.debug || options.emit <= Stage::LLVMDialect || options.emit >= Stage::Header ||
      isStream(options.output))
    return true;
  std::string folder = besideOutput(".weft.d");
  for (FileId file = 1; file <= sources.count(); ++file) {
    if (sources.isFile(file))
      continue;
    StringRef name = file == input.text && options.input == "-" ? "stdin.weft" : sources.name(file);
    name.consume_front("<library>/");
    std::string path = inFolder(folder, name);
    if (Error e = files.addFolder(sys::path::parent_path(path)))
      return fail(std::move(e));
    if (Error e = files.addOutput(path, ("text " + name + " for debuggers").str()))
      return fail(std::move(e));
    texts.emplace_back(file, path);
  }
  return true;
}

bool Compilation::declareInputs() {
  auto read = [&](StringRef path, StringRef role) {
    Error e = path.empty() ? Error::success() : files.addInput(path, role);
    return !e || fail(std::move(e));
  };
  if (!read(input.modulePath, "the model") || !read(input.gguf, "the model") ||
      !read(input.configPath, "the configuration") || !read(options.machine, "limits of a machine"))
    return false;
  for (FileId file = 1; file <= sources.count(); ++file)
    if (sources.isFile(file) &&
        !read(sources.name(file), file == input.text ? "the model" : "an import"))
      return false;
  if (checkpoint)
    for (StringRef path : checkpoint->filePaths())
      if (!read(path, "the weights"))
        return false;
  return declareTexts();
}
