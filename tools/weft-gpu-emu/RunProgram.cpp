//===- RunProgram.cpp - a program on the emulated GPU ---------------------------------------===//
//
// Part of Weft, under the Apache License v2.0 with LLVM Exceptions. See LICENSE.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------------------------===//

#include "RunProgram.h"
#include "weft/Support/ExitStatus.h"
#include "weft/Support/InstalledFiles.h"
#include "weft/Support/TemporaryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <optional>

using namespace weft;

static int fail(const llvm::Twine &message) {
  llvm::errs() << "weft-gpu-emu: error: " << message << "\n";
  return ExitError;
}

static std::string readDigest(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

namespace {

/// A folder for the machine code of kernels, which are the same with every seed, unless the
/// environment names one.
class SharedObjects {
public:
  SharedObjects() {
    constexpr const char *variable = "WEFT_GPU_EMU_OBJECTS";
    const char *named = std::getenv(variable);
    if ((named && *named) || llvm::sys::fs::createUniqueDirectory("weft-gpu-emu", folder))
      return;
    isOwn = true;
    setenv(variable, folder.c_str(), 1);
  }
  ~SharedObjects() {
    if (isOwn)
      llvm::sys::fs::remove_directories(folder);
  }

private:
  llvm::SmallString<128> folder;
  bool isOwn = false;
};

} // namespace

int weft::runProgram(llvm::ArrayRef<std::string> program, unsigned seeds) {
  std::string driver = findInstalledLibrary("libweft_gpu_emu.so");
  if (driver.empty())
    return fail("libweft_gpu_emu.so is not in the folder lib beside weft-gpu-emu's bin");
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName(program.front());
  if (!path)
    return fail(llvm::Twine("no program '") + program.front() + "'");
  llvm::Expected<TemporaryFile> digest = TemporaryFile::inSystemFolder("digest");
  if (!digest)
    return fail(llvm::toString(digest.takeError()));

  setenv("WEFT_CUDA_DRIVER", driver.c_str(), 1);
  setenv("WEFT_GPU_EMU_DIGEST", digest->path().c_str(), 1);
  std::optional<SharedObjects> objects;
  if (seeds > 1)
    objects.emplace();
  llvm::SmallVector<llvm::StringRef> args(program.begin(), program.end());
  std::string first;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    setenv("WEFT_GPU_EMU_SEED", std::to_string(seed).c_str(), 1);
    std::optional<llvm::StringRef> streams[3];
    if (seed > 0)
      streams[1] = "";
    std::string problem;
    int status = llvm::sys::ExecuteAndWait(*path, args, std::nullopt, streams, 0, 0, &problem);
    if (status < 0)
      return fail(problem);
    if (status > 0) {
      if (seed > 0)
        llvm::errs() << "weft-gpu-emu: note: that was with seed " << seed << "\n";
      return status;
    }
    std::string now = readDigest(digest->path());
    if (seed == 0) {
      first = now;
      if (seeds > 1 && (now.empty() || llvm::StringRef(now).starts_with("0 bytes")))
        return fail("the program reads nothing from the GPU, so there is nothing to compare");
    } else if (now != first) {
      llvm::errs() << "weft-gpu-emu: error: what the program reads from the GPU with seed " << seed
                   << " is not what it reads with seed 0\n";
      return ExitMismatch;
    }
  }
  return ExitSuccess;
}
