//===- Flags.cpp - the command line of weftc ------------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Help.h"
#include "InfoCommands.h"
#include "TargetFlags.h"

#include "weft/Dialect/Weft/Transforms/BatchSize.h"
#include "weft/Support/OutputFile.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace weft;

static cl::OptionCategory &category() {
  static cl::OptionCategory result("weftc options");
  return result;
}

namespace {

template <typename T> struct Flag : cl::opt<T> {
  template <typename... Mods>
  Flag(StringRef name, const char *value, const char *text, const Mods &...mods)
      : cl::opt<T>(name, cl::value_desc(value), cl::desc(text), cl::cat(category()), mods...) {}
};

struct Switch : cl::opt<bool> {
  Switch(StringRef name, const char *text)
      : cl::opt<bool>(name, cl::desc(text), cl::cat(category())) {}
};

struct Flags {
  cl::opt<std::string> input{
      cl::Positional,
      cl::desc("MODEL (.weft, .gguf, .mlir, a directory, or - for a text on stdin)"),
      cl::cat(category())};
  Flag<std::string> output{"o", "FILE",
                           "Output; its suffix picks the kind. A folder: the library and\n"
                           "the files that weft-run needs for texts and images"};
  Flag<std::string> emit{"emit", "STAGE", "What to write (stages: see above)"};
  Flag<std::string> from{"from", "STAGE", "Stage of an .mlir input (default: as it says)"};
  Flag<std::string> dumpStages{"dump-stages", "DIR", "Write every stage to a numbered file"};
  cl::list<std::string> defines{"D", cl::value_desc("NAME=VALUE"), cl::Prefix,
                                cl::desc("Fix a dimension or a configuration value"),
                                cl::cat(category())};
  Flag<std::string> model{"model", "NAME", "Model of the text (default: config.json's, or first)"};
  Flag<std::string> entry{"entry", "NAME", "Compile this entry only"};
  Flag<std::string> name{"name", "NAME", "Prefix of the C functions (default: output's name)"};
  Flag<std::string> batch{"batch", "N", "Add a batch dimension: N, or \"B <= N\""};
  Switch step{"step", "Refuse a model for which incremental decoding (NAME_step, NAME_start)\n"
                      "cannot be derived; without this flag it is left out then"};
  Switch noStep{"no-step", "Leave incremental decoding out"};
  Flag<std::string> weights{"weights", "PATH", "Checkpoint: a safetensors file or a directory"};
  Flag<std::string> config{"config", "FILE", "JSON file with the configuration"};
  Switch noWeights{"no-weights", "Compile from the configuration alone"};
  Switch randomWeights{"random-weights", "Write made-up weights (for measurements)"};
  Switch embedWeights{"embed-weights", "Write the weights into the object, library or program"};
  Flag<std::string> target{"target", "NAME", "cpu (default), nvptx: kernels for NVIDIA's GPUs"};
  Flag<std::string> march{"march", "CPU",
                          "native (default), x86-64-v3, ...; of GPUs sm_80\n(default), sm_90a"};
  Flag<std::string> triple{"triple", "TRIPLE", "Target triple (default: this machine's)"};
  Flag<bool> plainUnits{"plain-units", "",
                        "As if the processor had all matrix units: loops in their place",
                        cl::Hidden};
  Flag<bool> joinLaunches{"join-launches", "",
                          "Kernels that do not depend on each other are one (default: for GPUs)",
                          cl::Hidden};
  Flag<unsigned> optLevel{"O", "0..3",
                          "Optimisation level (default 2); 0: plain loops;\n1: kernels that "
                          "compile in half of the time",
                          cl::Prefix, cl::init(2u)};
  Flag<std::string> store{"store", "TYPE",
                          "Weights as keep (default: the checkpoint's), f32, bf16, f16,\nint8, "
                          "int4[,group=32|64|128|row][,sym|asym],\nfp8, nf4, mxfp4[,group=...]"};
  cl::list<std::string> storeTensor{
      "store-tensor", cl::value_desc("PATTERN=TYPE"),
      cl::desc("Weights of these names (*, ?, [0-9]) as a TYPE of --store;\nmay be given several "
               "times, and the last that matches counts"),
      cl::cat(category())};
  Flag<std::string> compute{"compute", "TYPE",
                            "Products in f32 (default; with AMX bf16x6 where\nthere are many rows "
                            "and no step), bf16, f16, int8,\nbf16x3, bf16x6; on GPUs tf32"};
  Flag<std::string> cache{"cache", "TYPE", "Keys and values in f32 (default), bf16, f16"};
  Flag<std::string> dtype{"dtype", "TYPE", "All three: f32, bf16, f16"};
  Flag<unsigned> threads{"threads", "N", "1: code that needs no threads"};
  Switch debug{"g", "Lines of the texts for debuggers and profilers"};
  Switch profile{"profile", "Time every kernel (weft-run --profile)"};
  Flag<std::string> maxMemory{"max-memory", "512M", "Refuse a model that needs more memory"};
  cl::list<std::string> report{
      "report", cl::CommaSeparated, cl::value_desc("memory,fusion,weights,roofline[=FILE]"),
      cl::desc("Print reports; FILE: limits (weft-run --machine)"), cl::cat(category())};
  cl::list<std::string> reportAt{
      "report-at", cl::CommaSeparated, cl::value_desc("T=N,..."),
      cl::desc("Run-time dimensions for the roofline and --info (default: bounds)"),
      cl::cat(category())};
  Switch remarks{"remarks", "Say which formulas were not fused, and why"};
  Switch verify{"verify", "Compare the stages with the reference interpreter"};
  Flag<int64_t> verifyLength{"verify-length", "N",
                             "The largest run-time size that --verify tries (default 33)",
                             cl::init(0)};
  Switch dependencies{"MD", "Write a Makefile's rule with all files that were read, too"};
  Flag<std::string> dependencyFile{"MF", "FILE", "Where -MD writes (default: the output as .d)"};
  Switch verbose{"v", "One line for each stage with its time"};
  Flag<double> progressAfter{"progress-after", "SECONDS",
                             "Show progress on a terminal from this time on", cl::Hidden,
                             cl::init(1.0)};
  Switch info{"info", "Say what the model is and what becomes of it, and write nothing"};
  Switch listModels{"list-models", "List the models of the library"};
  Switch json{"json", "As JSON, what --info and --list-models print"};

  bool outputIsFolder() const;
  std::string outputFile(Stage stage) const;
  std::string chooseStage(CompileOptions &options) const;
  std::string fillPrecision(CompileOptions &options) const;
  std::string fillChecked(CompileOptions &options) const;
  void fillPlain(CompileOptions &options) const;
  std::string fillCommand(Command &command) const;
};

} // namespace

/// "512M" in bytes; nothing if it is no size.
static std::optional<int64_t> parseSize(StringRef text) {
  unsigned shift = StringSwitch<unsigned>(text.take_back(1))
                       .Cases({"k", "K"}, 10)
                       .Cases({"m", "M"}, 20)
                       .Cases({"g", "G"}, 30)
                       .Default(0);
  int64_t value;
  if ((shift ? text.drop_back() : text).getAsInteger(10, value) || value <= 0 ||
      value > (INT64_MAX >> shift))
    return std::nullopt;
  return value << shift;
}

bool Flags::outputIsFolder() const {
  return StringRef(output).ends_with("/") || sys::fs::is_directory(output.getValue());
}

/// The output; in a folder it has the name of the input.
std::string Flags::outputFile(Stage stage) const {
  if (!outputIsFolder())
    return output.empty() ? "-" : output.getValue();
  SmallString<128> model(input), path(output.getValue());
  sys::fs::make_absolute(model);
  sys::path::remove_dots(model, /*remove_dot_dot=*/true);
  StringRef name = sys::path::filename(StringRef(model).rtrim('/'));
  if (input == "-")
    name = this->name;
  else if (!sys::fs::is_directory(model))
    name = sys::path::stem(name);
  sys::path::append(path, name + stageInfo(stage).suffix);
  return std::string(path);
}

/// Sets the stage from --emit, or from the suffix of the output. Returns what is wrong, or "".
std::string Flags::chooseStage(CompileOptions &options) const {
  std::optional<Stage> stage;
  if (info && emit.empty() && output.empty()) {
    stage = Stage::Kernels;
  } else if (!emit.empty()) {
    stage = findStage(emit);
    if (!stage)
      return unknownStage(emit, "--emit", /*modulesOnly=*/false);
  } else if (outputIsFolder()) {
    stage = Stage::Library;
  } else if (!output.empty() && output != "-") {
    stage = stageOfFileName(output);
    if (!stage)
      return unknownSuffix(output);
    if (*stage == Stage::Executable)
      WithColor::note(errs(), "weftc") << "'" << output << "' has no suffix: writing a program\n";
  } else if (output == "-") {
    return "'-' is a stream without a name that says what to write: give --emit=STAGE";
  } else {
    return "nothing to do: give -o FILE, --emit=STAGE or --info";
  }
  options.emit = *stage;
  if (!from.empty()) {
    options.from = findStage(from);
    if (!options.from)
      return unknownStage(from, "--from", /*modulesOnly=*/true);
  }
  if (options.from && !isModuleStage(*options.from))
    return "cannot start from stage '" + from + "': it is no MLIR module";
  return "";
}

/// Takes over the types: --dtype, and what says otherwise. Returns what is wrong, or "".
std::string Flags::fillPrecision(CompileOptions &options) const {
  Precision &precision = options.precision;
  std::string problem;
  auto read = [&](const Flag<std::string> &flag, auto... types) {
    if (flag.empty())
      return;
    std::optional<ElementType> type = parsePrecision(flag);
    if (!type) {
      problem = "unknown type '" + flag + "' in --" + flag.ArgStr.str() + ": " + precisionNames() +
                " are known";
      return;
    }
    ElementType known = *type;
    ((*types = known), ...);
  };
  read(dtype, &precision.store.type, &precision.compute, &precision.cache);
  if (!store.empty() && problem.empty())
    problem = parseStore("--store", store, precision.store);
  for (StringRef rule : storeTensor)
    if (problem.empty())
      problem = precision.tensors.add(rule);
  if (!compute.empty() && problem.empty() && !parseCompute(compute, precision))
    problem = "unknown type '" + compute + "' in --compute: " + computeNames() + " are known";
  read(cache, &precision.cache);
  precision.isOpen = compute.empty() && dtype.empty();
  precision.forGPU = target == "nvptx";
  if (!problem.empty())
    return problem;
  if (optLevel == 0 && !precision.isDefault())
    return "--store, --store-tensor, --compute, --cache and --dtype need optimisation: without it "
           "(-O0) there are no products to be seen";
  if (!hasProducts(precision.store, precision))
    return "there are no kernels for these types of weights and products; there are for " +
           productPairs(precision.forGPU);
  return "";
}

/// Takes over the flags whose values can be wrong. Returns what is wrong, or "".
std::string Flags::fillChecked(CompileOptions &options) const {
  if (input.empty())
    return "no input: give a .weft file, an .mlir file or a model directory";
  if (input == "-" && outputIsFolder() && name.empty())
    return "a model from standard input has no name for files in a folder: give --name";
  if (StringRef(input).ends_with(".mlir") &&
      !(model.empty() && entry.empty() && config.empty() && defines.empty()))
    return "--model, --entry, --config and -D are for Weft texts: in an .mlir file all of that is "
           "decided";
  for (StringRef define : defines) {
    auto [key, value] = define.split('=');
    if (key.empty() || !define.contains('='))
      return "-D wants NAME=VALUE, not '" + define.str() + "'";
    options.defines.emplace_back(key.str(), value.str());
  }
  for (StringRef kind : report) {
    if (kind.consume_front("roofline=")) {
      options.machine = kind;
      kind = "roofline";
    }
    bool *wanted = StringSwitch<bool *>(kind)
                       .Case("memory", &options.reportMemory)
                       .Case("fusion", &options.reportFusion)
                       .Case("weights", &options.reportWeights)
                       .Case("roofline", &options.reportRoofline)
                       .Default(nullptr);
    if (!wanted)
      return "unknown report '" + kind.str() + "': memory, fusion, weights and roofline are known";
    *wanted = true;
  }
  for (StringRef size : reportAt) {
    auto [name, value] = size.split('=');
    auto &[symbol, number] = options.reportSizes.emplace_back(name.str(), 0);
    if (name.empty() || value.getAsInteger(10, number) || number < 1)
      return "--report-at wants NAME=N with N above 0, not '" + size.str() + "'";
  }
  if (!reportAt.empty() && !options.reportRoofline && !info)
    return "--report-at belongs to --report=roofline and --info";
  if (verifyLength.getNumOccurrences() && !verify)
    return "--verify-length belongs to --verify";
  if (verifyLength.getNumOccurrences() && verifyLength < 1)
    return "--verify-length wants a number above 0";
  if (!batch.empty() && !BatchSize::parse(batch))
    return "--batch wants a number or 'B <= 8', not '" + batch + "'";
  if (step && noStep)
    return "--step contradicts --no-step";
  if (step && !batch.empty())
    return "--step is derived for one sequence: it cannot be combined with --batch";
  if (optLevel > 3)
    return "-O goes from 0 to 3";
  if (noWeights && (randomWeights || !weights.empty()))
    return "--no-weights contradicts --weights and --random-weights";
  if (randomWeights && !weights.empty())
    return "--random-weights contradicts --weights";
  if (!dependencyFile.empty() && !dependencies)
    return "-MF belongs to -MD";
  if (dependencies && dependencyFile.empty() && (output.empty() || isStream(output)))
    return "-MD has no file to write beside: give -MF FILE";
  if (embedWeights && noWeights)
    return "--embed-weights contradicts --no-weights";
  if (!maxMemory.empty()) {
    std::optional<int64_t> bytes = parseSize(maxMemory);
    if (!bytes)
      return "--max-memory wants a size such as 512M, not '" + maxMemory + "'";
    options.maxMemory = *bytes;
  }
  if (std::string problem = fillPrecision(options); !problem.empty())
    return problem;
  if (std::string problem = readTarget(target, options.target); !problem.empty())
    return problem;
  if (std::string problem = chooseStage(options); !problem.empty())
    return problem;
  if (embedWeights && !isCallable(options.emit))
    return "--embed-weights is for an object, a library or a program: '" +
           stageInfo(options.emit).name.str() + "' holds no weights";
  return "";
}

void Flags::fillPlain(CompileOptions &options) const {
  options.input = input;
  options.output = outputFile(options.emit);
  options.folder = outputIsFolder() ? output.getValue() : "";
  options.dumpStages = dumpStages;
  options.dependencies = dependencies;
  options.dependencyFile = dependencyFile;
  options.model = model;
  options.entry = entry;
  options.name = name;
  options.batch = batch;
  if (step || noStep)
    options.step = bool(step);
  options.weights = weights;
  options.config = config;
  options.noWeights = noWeights;
  options.randomWeights = randomWeights;
  options.embedWeights = embedWeights;
  options.march = march;
  options.triple = triple;
  options.plainUnits = plainUnits;
  if (joinLaunches.getNumOccurrences())
    options.joinLaunches = joinLaunches;
  options.optLevel = optLevel;
  options.threads = threads;
  options.debug = debug;
  options.profile = profile;
  options.remarks |= remarks;
  options.verify = verify;
  if (verifyLength)
    options.verifyLength = verifyLength;
  options.verbose = verbose;
  options.progressAfter = progressAfter;
}

/// Takes over all flags. Returns what is wrong, or "".
std::string Flags::fillCommand(Command &command) const {
  command.action = listModels ? Action::ListModels : info ? Action::Info : Action::Compile;
  command.json = json;
  command.hasInput = !input.empty();
  command.hasOutput = !output.empty() || !emit.empty();
  if (listModels)
    return checkCommand(command);
  std::string problem = fillChecked(command.options);
  if (!problem.empty())
    return problem;
  fillPlain(command.options);
  problem = checkTarget(command.options);
  return problem.empty() ? checkCommand(command) : problem;
}

std::optional<Command> weft::parseCommandLine(int argc, char **argv) {
  // LLVM's own flags are not part of the interface, and some have the names of ours.
  removeForeignOptions();
  Flags flags;
  if (!parseFlags(argc, argv, describeCompiler()))
    return std::nullopt;
  Command command;
  std::string problem = flags.fillCommand(command);
  if (problem.empty())
    return command;
  WithColor::error(errs(), "weftc") << problem << "\n";
  return std::nullopt;
}
