//===- Link.cpp - shared libraries and programs ---------------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//
//
// The system's C compiler links: it knows where libc and libm are.
//
//===----------------------------------------------------------------------------------------===//

#include "weft/Support/InstalledFiles.h"
#include "weft/Support/Interrupts.h"
#include "weft/Support/TemporaryFile.h"
#include "weft/Target/TargetBackend.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace weft;

// What a shared library offers of the runtime, so that a program that loads it needs no other.
static constexpr StringLiteral offered[] = {
    "weft_error_string", "weft_weights_open", "weft_weights_open_flags", "weft_weights_close",
    "weft_allocate",     "weft_profile_read", "weft_profile_reset",
};

// The same of what models for GPUs need besides.
static constexpr StringLiteral offeredForDevice[] = {
    "weft_cuda_allocate", "weft_cuda_release",  "weft_cuda_copy",
    "weft_cuda_forget",   "weft_cuda_shutdown",
};

// Runs the linker; what it prints goes into the error.
static Error runLinker(ArrayRef<std::string> arguments) {
  ErrorOr<std::string> program = sys::findProgramByName(arguments.front());
  if (!program)
    return createStringError("cannot link: no C compiler '" + arguments.front() +
                             "' on this machine (an object file, -o FILE.o, needs none)");
  Expected<TemporaryFile> log = TemporaryFile::inSystemFolder("log");
  if (!log)
    return log.takeError();
  Expected<int> status = runProgram(*program, arguments, log->path());
  if (!status)
    return status.takeError();
  if (*status == 0)
    return Error::success();
  auto text = MemoryBuffer::getFile(log->path());
  return createStringError("linking by '" + arguments.front() +
                           "' failed: " + (text ? (*text)->getBuffer().rtrim() : StringRef()));
}

// Writes the object, links it with `arguments` and gives the result its name.
static Error link(llvm::Module &module, const TargetBackend &target, const CodeOptions &code,
                  EmbeddedWeights weights, std::vector<std::string> arguments, StringRef path) {
  Triple triple(target.getTriple());
  if (triple.getArch() != Triple(sys::getProcessTriple()).getArch())
    return createStringError("cannot link for '" + target.getTriple() +
                             "' on this machine; make an object file, -o FILE.o");
  // GNU ld holds the largest section in memory. Nobody else links this object, in another way.
  weights.pieceBytes = uint64_t(64) << 20;
  // With its weights it may be larger than what the system's folder, or memory, has room for.
  Expected<TemporaryFile> object =
      weights.bytes > 0 ? TemporaryFile::beside(path) : TemporaryFile::inSystemFolder("o");
  if (!object)
    return object.takeError();
  if (Error error = object->write("temporary file", [&](raw_ostream &os) {
        return emitObject(module, target, code, weights, os);
      }))
    return error;
  std::vector<std::string> command = {"cc", "-o", path.str(), object->path()};
  append_range(command, arguments);
  if (weights.bytes > 0)
    command.push_back("-Wl,--build-id=none"); // which would be made of all of the output at once
  if (target.isDevice())
    command.insert(command.end(), {"-pthread", "-ldl"}); // the driver is opened at run time
  if (code.threaded)
    command.push_back("-pthread");
  command.push_back("-lm");
  return runLinker(command);
}

static Error addLibrary(StringRef name, std::vector<std::string> &arguments) {
  std::string path = findInstalledLibrary(name);
  if (path.empty())
    return createStringError("cannot link: " + name +
                             " is not in the folder lib beside weftc's bin");
  arguments.push_back(path);
  return Error::success();
}

// What the model calls: libraries behind those that they call.
static Error addRuntime(const TargetBackend &target, std::vector<std::string> &arguments) {
  if (target.isDevice())
    if (Error error = addLibrary("libweft_cuda.a", arguments))
      return error;
  return addLibrary("libweft_runtime.a", arguments);
}

Error weft::linkSharedLibrary(llvm::Module &module, const TargetBackend &target,
                              const CodeOptions &code, const EmbeddedWeights &weights,
                              StringRef path) {
  std::vector<std::string> arguments = {"-shared"};
  auto offer = [&](StringRef name) { arguments.push_back(("-Wl,-u," + name).str()); };
  for_each(offered, offer);
  if (code.threaded)
    offer("weft_set_threads");
  if (target.isDevice())
    for_each(offeredForDevice, offer);
  if (Error error = addRuntime(target, arguments))
    return error;
  return link(module, target, code, weights, arguments, path);
}

Error weft::linkExecutable(llvm::Module &module, const TargetBackend &target,
                           const CodeOptions &code, const EmbeddedWeights &weights,
                           StringRef path) {
  std::vector<std::string> arguments;
  if (Error error = addLibrary("libweft_main.a", arguments))
    return error;
  if (Error error = addRuntime(target, arguments))
    return error;
  return link(module, target, code, weights, arguments, path);
}
