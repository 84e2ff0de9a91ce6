//===- WriteOutput.cpp - the files that a compilation leaves --------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "Compilation.h"
#include "TextFiles.h"
#include "Weights.h"
#include "weft/Frontend/Printer.h"
#include "weft/Support/OutputFile.h"
#include "weft/Target/Header.h"
#include "weft/Target/Target.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace llvm;
using namespace weft;

/// Writes what `print` prints to `path` ("-": stdout), all or nothing.
static Error writeWhole(StringRef path, function_ref<void(raw_ostream &)> print) {
  return writeOutputFile(path, [&](raw_ostream &os) {
    print(os);
    return Error::success();
  });
}

static bool endsInWeights(Stage stage) {
  return stage == Stage::Object || stage == Stage::Library || stage == Stage::Executable;
}

bool Compilation::writeText(StringRef path) {
  if (Error e = writeWhole(path, [&](raw_ostream &os) { print(*text, os); }))
    return fail(std::move(e));
  return true;
}

bool Compilation::writeModule(StringRef path) {
  if (Error e = writeWhole(path, [&](raw_ostream &os) {
        module->print(os);
        os << "\n";
      }))
    return fail(std::move(e));
  return true;
}

static std::string withSuffix(StringRef path, StringRef suffix) {
  SmallString<128> result(path);
  sys::path::replace_extension(result, suffix);
  return std::string(result);
}

/// The header beside an object or a library.
bool Compilation::writeInterface() {
  if (options.emit == Stage::Executable)
    return true;
  if (Error e = writeWhole(withSuffix(options.output, ".h"),
                           [&](raw_ostream &os) { writeHeader(description, os); }))
    return fail(std::move(e));
  return true;
}

/// The weights beside an object, a library or a program.
bool Compilation::writeWeights() {
  if (options.noWeights || weights.weights.empty())
    return true;
  std::string path = withSuffix(options.output, ".weights");
  if (!checkpoint && !options.randomWeights) {
    WithColor::note(errs(), "weftc")
        << "no checkpoint was given (--weights), so '" << path << "' is not written\n";
    return true;
  }
  if (Error e =
          checkpoint ? packWeights(path, weights, *checkpoint) : packRandomWeights(path, weights))
    return fail(std::move(e));
  return true;
}

/// What LLVM makes of the code: a file of one kind, or what is linked from an object.
Error Compilation::emitCode(llvm::Module &code) {
  auto emit = [&](FileKind kind) {
    return emitFile(code, target, options.optLevel, kind, options.output);
  };
  LinkOptions link;
  link.runtimeLibrary = findRuntimeLibrary();
  link.threaded = description.threaded;
  switch (options.emit) {
  case Stage::LLVMIR:
    return emit(FileKind::LLVMIR);
  case Stage::Bitcode:
    return emit(FileKind::Bitcode);
  case Stage::Assembly:
    return emit(FileKind::Assembly);
  case Stage::Object:
    return emit(FileKind::Object);
  case Stage::Library:
    return linkSharedLibrary(code, target, options.optLevel, link, options.output);
  case Stage::Executable:
    return linkExecutable(code, target, options.optLevel, link, options.output);
  default:
    llvm_unreachable("this stage is written without LLVM's help");
  }
}

bool Compilation::writeCode() {
  auto start = std::chrono::steady_clock::now();
  LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> code =
      translateToLLVM(*module, llvmContext, target, options.optLevel);
  if (!code)
    return false;
  if (Error e = emitCode(*code))
    return fail(std::move(e));
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  reportProgress(options.emit, seconds.count());
  return true;
}

/// Makes the folder of the output, with copies of what else weft-run reads.
bool Compilation::fillFolder() {
  if (options.folder.empty())
    return true;
  if (std::error_code code = sys::fs::create_directories(options.folder))
    return fail(createStringError(code, "cannot make the directory '" + options.folder + "'"));
  if (Error e = copyTextFiles(options.input, options.folder))
    return fail(std::move(e));
  return true;
}

bool Compilation::write() {
  if (!fillFolder())
    return false;
  if (options.emit == Stage::Weft) {
    if (!text)
      return fail(createStringError("an .mlir file has no stage 'weft'"));
    return writeText(options.output);
  }
  if (isModuleStage(options.emit))
    return advanceTo(options.emit) && writeModule(options.output);
  if (options.output == "-" && endsInWeights(options.emit))
    return fail(createStringError("--emit=" + stageInfo(options.emit).name + " needs -o FILE"));
  if (stage > Stage::Kernels && (endsInWeights(options.emit) || options.emit == Stage::Header))
    return fail(createStringError("stage '" + stageInfo(stage).name +
                                  "' no longer knows the model's interface; start from 'kernels'"));
  if (options.emit == Stage::Header) {
    if (!advanceTo(Stage::Kernels))
      return false;
    if (Error e =
            writeWhole(options.output, [&](raw_ostream &os) { writeHeader(description, os); }))
      return fail(std::move(e));
    return true;
  }
  if (stage < Stage::Kernels && !advanceTo(Stage::Kernels))
    return false;
  if (!endsInWeights(options.emit))
    return advanceTo(Stage::LLVMDialect) && writeCode();
  // Weights first: their errors are the likelier ones, and what does not fit leaves no file behind.
  return writeWeights() && advanceTo(Stage::LLVMDialect) && writeCode() && writeInterface();
}
