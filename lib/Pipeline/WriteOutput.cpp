//===- WriteOutput.cpp - the files that a compilation leaves --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "DerivedValues.h"
#include "StagePipelines.h"
#include "Weights.h"
#include "weft/Dialect/Weft/Transforms/DerivedWeights.h"
#include "weft/Frontend/Printer.h"
#include "weft/Import/RandomCheckpoint.h"
#include "weft/Support/InputFile.h"
#include "weft/Support/Progress.h"
#include "weft/Target/Header.h"
#include "weft/Target/TargetBackend.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace llvm;
using namespace weft;

bool Compilation::writeFile(StringRef path, function_ref<Error(raw_ostream &)> print) {
  Error e = files.write(path, print);
  return !e || fail(std::move(e));
}

/// The text of a stage up to the LLVM dialect, which is the current one.
Error Compilation::printStage(Stage printed, raw_ostream &os) {
  if (printed == Stage::Weft) {
    print(*text, os);
    return Error::success();
  }
  // As long as the text can be a begin from which weights are packed.
  mlir::Operation *attached = derived && printed <= Stage::Kernels ? derived->clone() : nullptr;
  if (attached)
    module->push_back(attached);
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo(options.debug));
  os << "\n";
  if (attached)
    attached->erase();
  return Error::success();
}

/// With --dump-stages, the stage's file. It stays when a later stage fails: that is its purpose.
bool Compilation::dump(Stage finished) {
  if (options.dumpStages.empty())
    return true;
  Error e =
      files.writeNow(dumpPath(finished), [&](raw_ostream &os) { return printStage(finished, os); });
  return !e || fail(std::move(e));
}

bool Compilation::writeInterface(StringRef path) {
  return writeFile(path, [&](raw_ostream &os) {
    writeHeader(description, os);
    return Error::success();
  });
}

Error Compilation::packInto(raw_ostream &os) {
  Progress progress("weftc: weights", weights.totalBytes(), options.progressAfter);
  auto update = [&](uint64_t written) { progress.update(written); };
  if (checkpoint)
    return packWeights(os, weights, *checkpoint, update);
  RandomCheckpoint random;
  Error error = makeUpWeights(random);
  return error ? std::move(error) : packWeights(os, weights, random.getCheckpoint(), update);
}

/// What is computed from weights is computed from made-up ones.
Error Compilation::makeUpWeights(RandomCheckpoint &random) {
  std::vector<DerivedWeight> computed =
      derived ? listDerivedWeights(*derived) : std::vector<DerivedWeight>();
  StringSet<> names;
  for (const DerivedWeight &weight : computed)
    names.insert(weight.name);
  auto add = [&](const WeightRequest &weight) {
    if (!names.contains(weight.names.front()))
      random.add(weight);
  };
  for (const PackedWeight &weight : weights.weights)
    add(weight.source);
  for (DerivedWeight &weight : computed)
    for (auto [name, type] : zip_equal(weight.from, weight.function.getArgumentTypes())) {
      auto tensor = cast<mlir::RankedTensorType>(type);
      add({{name}, tensor.getShape().vec(), *getElementType(tensor.getElementType()), {}});
    }
  return derived ? addDerivedWeights(*derived, random.getCheckpoint()) : Error::success();
}

/// The weights beside an object, a library or a program.
bool Compilation::writeWeights() {
  if (description.embedsWeights && !checkpoint && !options.randomWeights)
    return fail(createStringError(
        "--embed-weights: no checkpoint was given (--weights), and no --random-weights"));
  if (options.noWeights || options.embedWeights || weights.weights.empty() || !writesFilesBeside())
    return true;
  std::string path = besideOutput(".weights");
  if (!checkpoint && !options.randomWeights) {
    WithColor::note(errs(), "weftc")
        << "no checkpoint was given (--weights), so '" << path << "' is not written\n";
    return true;
  }
  return writeFile(path, [&](raw_ostream &os) { return packInto(os); });
}

/// What is written behind the code; nothing without --embed-weights.
EmbeddedWeights Compilation::embeddedWeights() {
  if (!description.embedsWeights)
    return {};
  return {embeddedWeightsName(description.name), weights.totalBytes(),
          [this](raw_ostream &os) { return packInto(os); }};
}

/// A library or a program, by the system's linker.
Error Compilation::link(llvm::Module &code) {
  Expected<std::string> path = files.reserve(options.output);
  if (!path)
    return path.takeError();
  return (options.emit == Stage::Library ? linkSharedLibrary : linkExecutable)(
      code, *target, getCodeOptions(options), embeddedWeights(), *path);
}

/// What LLVM makes of the code: a file of one kind, or what is linked from an object.
Error Compilation::emitCode(llvm::Module &code) {
  auto emit = [&](FileKind kind) {
    return files.write(options.output, [&](raw_ostream &os) {
      return target->emit(code, getCodeOptions(options), kind, os);
    });
  };
  switch (options.emit) {
  case Stage::LLVMIR:
    return emit(FileKind::LLVMIR);
  case Stage::Bitcode:
    return emit(FileKind::Bitcode);
  case Stage::Assembly:
  case Stage::PTX:
    return emit(FileKind::Assembly);
  case Stage::Object:
    return files.write(options.output, [&](raw_ostream &os) {
      return emitObject(code, *target, getCodeOptions(options), embeddedWeights(), os);
    });
  case Stage::Library:
  case Stage::Executable:
    return link(code);
  default:
    llvm_unreachable("this stage is written without LLVM's help");
  }
}

bool Compilation::writeCode() {
  auto start = std::chrono::steady_clock::now();
  LLVMContext llvmContext;
  CodeOptions codeOptions = getCodeOptions(options);
  std::unique_ptr<llvm::Module> code =
      isCallable(options.emit) ? target->translate(*module, llvmContext, codeOptions)
                               : target->translateKernels(*module, llvmContext, codeOptions);
  if (!code)
    return false;
  if (Error e = emitCode(*code))
    return fail(std::move(e));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  reportProgress(options.emit, seconds.count());
  return true;
}

/// What else weft-run reads.
bool Compilation::copyRunnerFiles() {
  for (const auto &[from, to] : copies) {
    Expected<std::unique_ptr<MemoryBuffer>> buffer = readInputFile(from);
    if (!buffer)
      return fail(buffer.takeError());
    if (!writeFile(to, [&](raw_ostream &os) {
          os << (*buffer)->getBuffer();
          return Error::success();
        }))
      return false;
  }
  return true;
}

/// A path as make and Ninja read it: what they would split or expand is quoted. Of backslashes only
/// those before a space are.
static std::string quoteForMake(StringRef path) {
  std::string quoted;
  for (auto [at, c] : enumerate(path)) {
    if (c == ' ')
      quoted.append(at - path.take_front(at).rtrim('\\').size(), '\\');
    if (c == ' ' || c == '#')
      quoted += '\\';
    if (c == '$')
      quoted += '$';
    quoted += c;
  }
  return quoted;
}

/// The rule of -MD: the output, and what was read for it. The library's own texts are weftc.
bool Compilation::writeDependencies() {
  if (!options.dependencies)
    return true;
  return writeFile(dependencyPath(), [&](raw_ostream &os) {
    os << quoteForMake(options.output) << ":";
    for (StringRef path : files.inputPaths())
      os << " \\\n  " << quoteForMake(path);
    os << "\n";
    return Error::success();
  });
}

bool Compilation::writeTexts() {
  for (const auto &[file, path] : texts)
    if (!writeFile(path, [&, file = file](raw_ostream &os) {
          os << sources.text(file);
          return Error::success();
        }))
      return false;
  return true;
}

/// Advances to the stage that is wanted and writes it. Nothing has its name yet.
bool Compilation::writeStage() {
  auto print = [&](raw_ostream &os) { return printStage(options.emit, os); };
  if (options.emit == Stage::Weft) {
    if (!text)
      return fail(createStringError("an .mlir file has no stage 'weft'"));
    return writeFile(options.output, print);
  }
  if (isModuleStage(options.emit))
    return advanceTo(options.emit) && writeFile(options.output, print);
  bool callable = isCallable(options.emit);
  if (options.output == "-" && callable)
    return fail(createStringError("--emit=" + stageInfo(options.emit).name + " needs -o FILE"));
  if (stage > Stage::Kernels && (callable || options.emit == Stage::Header))
    return fail(createStringError("stage '" + stageInfo(stage).name +
                                  "' no longer knows the model's interface; start from 'kernels'"));
  if (options.emit == Stage::Header)
    return advanceTo(Stage::Kernels) && writeInterface(options.output);
  if (stage < Stage::Kernels && !advanceTo(Stage::Kernels))
    return false;
  // Weights first: their errors are the likelier ones.
  if (callable && !writeWeights())
    return false;
  if (writesFilesBeside() && options.emit != Stage::Executable &&
      !writeInterface(besideOutput(".h")))
    return false;
  return writeTexts() && advanceTo(Stage::LLVMDialect) && writeCode();
}

/// A report is made when its stage is reached, so there is none of a compilation that ends before
/// or begins after. `first` is where it begins.
static Error checkReports(const CompileOptions &options, Stage first) {
  const struct {
    bool wanted;
    StringRef name;
    Stage stage;
    Stage last; ///< at which a compilation may begin
  } reports[] = {
      {options.reportFusion, "fusion", Stage::Fused, Stage::Graph},
      {options.reportMemory, "memory", Stage::Kernels, Stage::Kernels},
      {options.reportWeights, "weights", Stage::Kernels, Stage::Kernels},
      {options.reportRoofline, "roofline", Stage::Kernels, Stage::Kernels},
  };
  for (const auto &report : reports) {
    std::string made =
        ("--report=" + report.name + " is made at stage '" + stageInfo(report.stage).name + "', '")
            .str();
    if (report.wanted && options.emit < report.stage)
      return createStringError(made + stageInfo(options.emit).name + "' comes before");
    if (report.wanted && first > report.last)
      return createStringError(made + options.input + "' begins at '" + stageInfo(first).name +
                               "'");
  }
  return Error::success();
}

bool Compilation::write() {
  if (Error e = checkReports(options, stage))
    return fail(std::move(e));
  if (options.verify && options.emit < Stage::Fused)
    return fail(createStringError("--verify compares stage 'fused' and the code, '" +
                                  stageInfo(options.emit).name + "' comes before"));
  if (!copyRunnerFiles() || !writeGgufFiles() || !writeStage() || !writeDependencies())
    return false;
  Error e = files.commit();
  return !e || fail(std::move(e));
}
